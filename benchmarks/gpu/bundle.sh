#!/usr/bin/env bash
# Makes bin/gpu-bundle: one folder with all that run.sh needs on a bare machine. See README.md beside this file.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bundle=$root/bin/gpu-bundle
limit=60000000 # bytes
sets=auto states=()

die() { echo "bundle.sh: $*" >&2; exit 2; }
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		echo "bundle.sh [--data none|mnist,fashion-mnist] [--state FILE]..."
		echo "  --data   image data sets out of \$GFNCP_DATA, with commas (default: what fits, in that order)"
		echo "  --state  a part of the archive that an earlier call left in \$PACK, to go on with"
		exit
		;;
	--data) sets=${2?--data needs a value}; shift ;;
	--state) states+=("${2?--state needs a value}"); shift ;;
	*) die "unknown option $1; see --help" ;;
	esac
	shift
done

rm -rf "$bundle"
mkdir -p "$bundle"
echo "building (linux/amd64, cgo, simd)"
GOOS=linux GOARCH=amd64 CGO_ENABLED=1 "$root/.ci/build.sh" "$bundle/gfncp"
GOOS=linux GOARCH=amd64 CGO_ENABLED=1 GOTOOLCHAIN=auto GOEXPERIMENT=simd \
	go -C "$root" test -c -trimpath -ldflags '-s -w' -o "$bundle/xla.test" ./benchmarks/xla
for program in gfncp xla.test; do
	sha256sum <"$bundle/$program" >"$bundle/$program.sha256"
	xz -6 -T0 "$bundle/$program"
done
cp "$here"/*.sh "$here/README.md" "$bundle/"
for state in "${states[@]}"; do
	mkdir -p "$bundle/state"
	cp "$state" "$bundle/state/"
done

bytes() { find "$1" -type f -printf '%s\n' | awk '{s += $1} END {print s + 0}'; }
megabytes() { awk -v b="$1" 'BEGIN {printf "%.1f MB", b / 1e6}'; }
for set in $([ "$sets" = auto ] && echo mnist fashion-mnist || echo "${sets//,/ }"); do
	[ "$set" != none ] || continue
	from=${GFNCP_DATA:-}/$set
	if [ -z "${GFNCP_DATA:-}" ] || [ ! -d "$from" ]; then
		[ "$sets" = auto ] || die "$set: no such folder in GFNCP_DATA=${GFNCP_DATA:-}; set it to the folder of the image data sets"
		echo "without $set: GFNCP_DATA=${GFNCP_DATA:-} does not have it"
	elif [ "$sets" = auto ] && [ $(($(bytes "$bundle") + $(bytes "$from"))) -ge $limit ]; then
		echo "without $set: its $(megabytes "$(bytes "$from")") do not fit; take it alone with --data $set"
	else
		mkdir -p "$bundle/data/$set"
		cp "$from"/*.gz "$bundle/data/$set/"
		chmod -R u+w "$bundle/data"
	fi
done

size=$(bytes "$bundle")
(cd "$bundle" && find . -type f -printf '%10s %P\n' | sort -k2)
echo "$bundle: $(megabytes "$size")"
[ "$size" -lt $limit ] || die "that is not below $(megabytes $limit); leave data out with --data"
if travels=$(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 stat -c %s 2>/dev/null | awk '{s += $1} END {print s}'); then
	echo "with the checkout: $(megabytes $((size + travels))) of the 67.1 MB (64 MiB) that travel to a lent machine"
	[ $((size + travels)) -lt 67108864 ] || echo "TOO MUCH for a lent machine: take one data set alone" >&2
fi
