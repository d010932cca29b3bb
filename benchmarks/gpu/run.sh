#!/usr/bin/env bash
# The environment of gfncp on a machine that may be bare, then gfncp sweep: run.sh FILE [--budget 9m] [--pack DIR] … (README.md beside
# this file). $BACKEND is the backend, or the path of a PJRT plugin; by default the CUDA plugin that is found: never a silent fall back
# to the processor, for a GPU's time is dear. $GFNCP is the binary, by default the bundle's. Nothing is ever downloaded.
set -eu -o pipefail
shopt -s nullglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
die() { echo "run.sh: $*" >&2; exit 2; }

unpacked() { # xz, or python3 where there is none
	{ xz -dc "$1" || python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"; } \
		2>/dev/null || die "$1: cannot be unpacked; xz or python3 is needed"
}

if [ -z "${GFNCP:-}" ]; then
	GFNCP=$here/gfncp
	if ! [ -x "$GFNCP" ]; then
		unpacked "$here/gfncp.xz" >"$GFNCP.part"
		[ "$(sha256sum <"$GFNCP.part")" = "$(cat "$here/gfncp.sha256")" ] || die "$here/gfncp.xz: other bytes than were packed; make the bundle again"
		chmod +x "$GFNCP.part" && mv "$GFNCP.part" "$GFNCP"
	fi
	# A thin bundle leaves the shipped weights to the checkout that travels with it, two folders up.
	export GFNCP_WEIGHTS=${GFNCP_WEIGHTS:-$here/../../pretrained/weights}
	if [ -z "${GFNCP_DATA:-}" ] && [ -d "$here/data" ]; then export GFNCP_DATA=$here/data; fi
	if [ -e "$here/compiled.tar.xz" ] && ! [ -d "$here/compiled" ]; then
		mkdir -p "$here/compiled.part"
		unpacked "$here/compiled.tar.xz" | tar -xC "$here/compiled.part" && mv "$here/compiled.part" "$here/compiled"
	fi
	if [ -d "$here/compiled" ]; then export GFNCP_COMPILED=${GFNCP_COMPILED-$here/compiled}; fi # empty: all is compiled here
	for archive in "$here"/state/*.tar.gz; do tar -xzf "$archive" && rm "$archive"; done # of an earlier call
fi

BACKEND=${BACKEND:-xla:cuda} plugin="" options=""
case $BACKEND in *,*) options=,${BACKEND#*,} ;; esac
case $BACKEND in
*.so | *.so,*) plugin=${BACKEND#xla:} plugin=${plugin%%,*} ;;
xla:cuda*)
	IFS=: read -r -a places <<<"${PJRT_PLUGIN_LIBRARY_PATH:-}"
	for place in ${places[@]+"${places[@]}"}; do
		for file in "$place" "$place"/*cuda*.so "$place"/nvidia/*cuda*.so; do
			case $file in *cuda*.so) plugin=${plugin:-$file} ;; esac
		done
	done
	packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null) || packages=""
	for place in ${packages:+"$packages"} ${VIRTUAL_ENV:+"$VIRTUAL_ENV"/lib/python3*/site-packages} /opt/*/.venv/lib/python3*/site-packages \
		/usr/local/lib/python3*/{dist,site}-packages /usr/lib/python3*/dist-packages; do
		found=("$place"/jax_plugins/xla_cuda*/xla_cuda_plugin.so) # the newest CUDA last
		[ ${#found[@]} = 0 ] || plugin=${plugin:-${found[-1]}}
	done
	[ -n "$plugin" ] || die "no PJRT CUDA plugin found; set BACKEND=/path/of/plugin.so, or BACKEND=go for the processor"
	;;
esac

if [ -n "$plugin" ]; then # JAX loads NVIDIA's libraries itself before its plugin; a Go program must be told where they are
	BACKEND=xla:$plugin$options packages=$(dirname "$(dirname "$(dirname "$plugin")")")
	for folder in "$packages"/nvidia/*/lib /usr/local/nvidia/lib6[4]; do LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; done
	nvcc=$(command -v nvcc) && nvcc=$(dirname "$(dirname "$(realpath "$nvcc")")") || nvcc=""
	for folder in ${nvcc:+"$nvcc"} /usr/local/cuda "$packages"/nvidia/cu13 "$packages"/nvidia/cuda_nvcc; do
		case ${XLA_FLAGS:-} in *xla_gpu_cuda_data_dir*) break ;; esac
		[ ! -e "$folder/nvvm/libdevice/libdevice.10.bc" ] || XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_gpu_cuda_data_dir=$folder"
	done
fi
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-} XLA_FLAGS=${XLA_FLAGS:-} TF_CPP_MIN_LOG_LEVEL=1 # go-xla would set 3, and hide errors
export GOPJRT_CUDA_CHECKS=0 GODEBUG=asyncpreemptoff=1
echo "backend $BACKEND; LD_LIBRARY_PATH=$LD_LIBRARY_PATH XLA_FLAGS=$XLA_FLAGS GFNCP_DATA=${GFNCP_DATA:-}"
exec "$GFNCP" sweep "$@" --backend "$BACKEND"
