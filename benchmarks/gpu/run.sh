#!/usr/bin/env bash
# The environment of gfncp on a machine that may be bare, then a list of commands: run.sh LIST.sh (README.md beside this file).
# $BUDGET is the time for all, such as 9m; $PACK a folder for an archive of what there is then. $BACKEND is the backend, or the path of
# a PJRT plugin; by default the CUDA plugin that is found: never a silent fall back to the processor, for a GPU's time is dear.
# $GFNCP is the binary and $XLA_TEST that of the tests in benchmarks/xla, by default the bundle's. Nothing is ever downloaded.
set -eu -o pipefail
shopt -s nullglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
die() { echo "run.sh: $*" >&2; exit 2; }

unpacked() { # xz, or python3 where there is none
	{ xz -dc "$1" || python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"; } \
		2>/dev/null || die "$1: cannot be unpacked; xz or python3 is needed"
}

XLA_TEST=${XLA_TEST:-$here/xla.test}
if [ -z "${GFNCP:-}" ]; then
	GFNCP=$here/gfncp
	for program in "$GFNCP" "$here/xla.test"; do
		[ ! -x "$program" ] || continue
		unpacked "$program.xz" >"$program.part"
		[ "$(sha256sum <"$program.part")" = "$(cat "$program.sha256")" ] || die "$program.xz: other bytes than were packed; make the bundle again"
		chmod +x "$program.part" && mv "$program.part" "$program"
	done
	if [ -z "${GFNCP_DATA:-}" ] && [ -d "$here/data" ]; then export GFNCP_DATA=$here/data; fi
	parts=("$here"/state/*) # of an earlier call
	if [ ${#parts[@]} -gt 0 ]; then cat "${parts[@]}" | tar -xz && rm "${parts[@]}"; fi
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
	export GFNCP_TEST_PLUGINS=$plugin
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

# step NAME LIMIT COMMAND…: runs a command once; what is done, later calls pass over. A gfncp that is stopped goes on
# in the next call. Its output is in results/NAME.log.
step() {
	[ ! -e "$RESULTS/$1.done" ] || return 0
	echo "$(date -u +%T) $1"
	local status=0
	timeout --foreground -s INT -k 15 "$2" "${@:3}" >>"$RESULTS/$1.log" 2>&1 || status=$?
	if [ $status = 0 ]; then touch "$RESULTS/$1.done"; else echo "$1 ended with $status: see $RESULTS/$1.log"; fi
	return $status
}
export -f step
export GFNCP XLA_TEST GOMLX_BACKEND=$BACKEND RUNS=$PWD/runs RESULTS=$PWD/results
mkdir -p "$RUNS" "$RESULTS"
status=0
timeout -s INT -k 30 "${BUDGET:-0}" bash "$1" || status=$?
if [ -n "${PACK:-}" ]; then tar -cz runs results | split -b 15M - "$PACK/state.tar.gz."; fi
exit $status
