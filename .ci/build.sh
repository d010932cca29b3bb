#!/usr/bin/env bash
# Builds the program into a file as releases have it: stripped, without HTTP/2, which nothing here needs. The
# environment names the system (GOOS, GOARCH, CGO_ENABLED).
#
#	.ci/build.sh FILE
set -euo pipefail
mkdir -p "$(dirname "$1")"
file=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export GOTOOLCHAIN=auto GOEXPERIMENT=simd
exec go build -trimpath -tags nethttpomithttp2 -ldflags '-s -w -X=runtime.godebugDefault=asyncpreemptoff=1' \
  -o "$file" ./cmd/gfncp
