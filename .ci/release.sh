#!/usr/bin/env bash
# Builds the release of the version in version.go into dist/, which it makes anew: an archive and a wheel for each
# system, the weights for gfncp fetch weights, and SHA256SUMS. The same commit gives the same bytes.
#
#	.ci/release.sh [SYSTEM...]      by default linux/amd64 linux/arm64 darwin/arm64 windows/amd64
#
# linux/amd64 is built with cgo, for XLA, and needs glibc 2.34. The others are pure Go: they compute on the processor.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOTOOLCHAIN=auto GOEXPERIMENT=simd TZ=UTC LC_ALL=C
umask 022
version=$(sed -n 's/^const Version = "\(.*\)"/\1/p' version.go)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct || stat -c %Y version.go) # the commit, or without git the file
export SOURCE_DATE_EPOCH
systems=("$@")
[ $# -gt 0 ] || systems=(linux/amd64 linux/arm64 darwin/arm64 windows/amd64)
# The platforms of wheels (packaging.python.org); pure Go needs no C library.
declare -A wheels=([linux/amd64]=manylinux_2_34_x86_64 [linux/arm64]=manylinux_2_17_aarch64.musllinux_1_1_aarch64
  [darwin/arm64]=macosx_12_0_arm64 [windows/amd64]=win_amd64)
rm -rf dist
mkdir -p dist/build/shared
work=$PWD/dist/build

# build GOOS/GOARCH FILE: the stripped binary of a system.
build() {
  local cgo=0
  if [ "$1" = linux/amd64 ] && [ "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" = linux/amd64 ]; then cgo=1; fi
  CGO_ENABLED=$cgo GOOS=${1%/*} GOARCH=${1#*/} .ci/build.sh "$2"
}

# notices: the licences of all modules in the binaries, and of Go.
notices() {
  echo "gfncp contains these modules, under these licences."
  { echo "Go $(go env GOVERSION) $(go env GOROOT)"; for system in "${systems[@]}"; do
    GOOS=${system%/*} GOARCH=${system#*/} go list -deps \
      -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/gfncp
  done | sort -u; } | while read -r path at dir; do
    printf '\n==== %s %s\n\n' "$path" "$at"
    find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort |
      { grep . || { echo "release.sh: $path has no licence" >&2; exit 1; }; } | xargs -d '\n' cat
  done
}

# pack SYSTEM: the archive of a system's binary with what all have.
pack() {
  local name=gfncp_${version}_${1/\//_} program=$2
  mkdir -p "$work/$name"
  cp -r "$work/shared/." "$work/$name"
  cp "$program" "$work/$name"
  find "$work/$name" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  case $1 in
  windows/*) (cd "$work" && find "$name" -type f | sort | xargs python3 -m zipfile -c "../$name.zip") ;;
  *) tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | gzip -n -9 >"dist/$name.tar.gz" ;;
  esac
}

build "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$work/here" # for what a program says of itself
notices >"$work/shared/NOTICES.txt"
cp README.md LICENSE CHANGELOG.md examples/points.csv examples/penguins.csv "$work/shared"
for system in "${systems[@]}"; do
  program=$work/${system/\//_}/gfncp
  [ "${system%/*}" != windows ] || program=$program.exe
  echo "building $system"
  build "$system" "$program"
  pack "$system" "$program"
  GFNCP_PROGRAM=$program GFNCP_NOTICES=$work/shared/NOTICES.txt GFNCP_PLATFORM=${wheels[$system]} \
    python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist ./python
done
rm -r dist/build
cp pretrained/weights/*.safetensors dist
(cd dist && sha256sum -- * >../SHA256SUMS.new && mv ../SHA256SUMS.new SHA256SUMS && grep -v safetensors SHA256SUMS)
