#!/usr/bin/env bash
# Builds the page that clusters in a browser (cmd/page) into a folder: index.html, worker.js, wasm_exec.js and the
# packed program. It fails if the program is larger than 15 MB.
#
#	.ci/page.sh FOLDER
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export GOTOOLCHAIN=auto
unset GOEXPERIMENT # WebAssembly has no simd here
GOOS=js GOARCH=wasm go build -trimpath -tags nethttpomithttp2 -ldflags '-s -w' -o "$folder/gfncp.wasm" ./cmd/page
chmod 644 "$folder/gfncp.wasm"
gzip -9nf "$folder/gfncp.wasm"
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" cmd/page/worker.js "$folder"
sed -e '/\/\* common.css \*\//{r internal/web/common.css' -e 'd}' cmd/page/index.html >"$folder/index.html"
size=$(wc -c <"$folder/gfncp.wasm.gz")
awk -v size="$size" -v folder="$1" 'BEGIN { printf "%s: the program has %.1f MB, packed\n", folder, size / 1e6 }'
[ "$size" -le 15000000 ]
