#!/usr/bin/env bash
# The wrapper of Go's compiler for .ci/fuzz.sh (-toolexec). Go counts branches for its fuzzer in every package that is
# linked, 200,000 with GoMLX and XLA, goes through all counters after each input, and sends them between its processes
# ten times a second, which takes longer than the inputs do. Here only what reads has counters: the packages with fuzz
# targets, what they read with, and the formats' libraries.
set -euo pipefail
tool=$1
shift
if [ "$(basename "$tool")" != compile ]; then
  exec "$tool" "$@"
fi
if [ "${1-}" = -V=full ]; then # the tool's name in Go's cache, so that what is built here is kept apart
  echo "$("$tool" -V=full) readers 2"
  exit
fi
package=
previous=
for argument; do
  if [ "$previous" = -p ]; then package=${argument%_test}; fi
  previous=$argument
done
counted() {
  case ${package#github.com/gfncp/gfncp/} in
  main | github.com/gfncp/gfncp | sweep | train | data | data/files | data/tabular | serving) ;;
  internal/safetensors | internal/report/table | internal/fileio) ;;
  encoding/json | encoding/csv | encoding/binary | encoding/base64 | encoding/hex | strconv | bufio) ;;
  archive/zip | compress/* | image | image/color | image/jpeg | image/png | golang.org/x/image/bmp) ;;
  golang.org/x/image/tiff* | golang.org/x/image/webp | golang.org/x/image/vp8* | github.com/pelletier/go-toml*) ;;
  *) false ;;
  esac
}
if ! counted; then
  for argument; do
    shift
    if [ "$argument" != -d=libfuzzer ]; then set -- "$@" "$argument"; fi
  done
fi
exec "$tool" "$@"
