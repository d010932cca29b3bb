#!/usr/bin/env bash
# Runs a list of gfncp jobs within a time budget on a machine that may be bare, and keeps a recent copy of results and
# checkpoints in one folder whatever happens. Nothing is ever downloaded. See README.md beside this file.
set -u -o pipefail
shopt -s nullglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
	cat <<'END'
run.sh --jobs FILE --out DIR [--budget SECONDS] [--state FILE_OR_DIR]... [--backend B] [--gfncp BINARY]

  --jobs FILE     one job a line: NAME SECONDS_AT_MOST COMMAND; # begins a comment. The command is shell, gfncp is on
                  PATH, $BACKEND and $BACKEND_TF32 name the backend, $GFNCP_BUNDLE this folder. Jobs run in order, in one
                  scratch folder; what they write into runs/ and results/ is kept, and what they print.
  --out DIR       receives summary.tsv, results.tar.gz and state-*.tar.gz, renewed after each job and every minute
  --budget S      seconds for everything (default 560); the last 20 are kept for the final copy
  --state F       state-*.tar.gz of an earlier call, or a folder of them: finished jobs are skipped, the others go on
  --backend B     a backend of gfncp's, or the path of a PJRT plugin (default: the CUDA plugin that is found)
  --gfncp BINARY  default: the bundle's
END
}

die() { echo "run.sh: $*" >&2; exit 2; }
now() { date +%s; }

parse() {
	jobs="" out="" budget=560 backend="" binary="" states=()
	while [ $# -gt 0 ]; do
		case $1 in -h | --help) usage; exit 0 ;; esac
		[ $# -ge 2 ] || die "$1 needs a value; see --help"
		case $1 in
		--jobs) jobs=$2 ;;
		--out) out=$2 ;;
		--budget) budget=$2 ;;
		--state) states+=("$2") ;;
		--backend) backend=$2 ;;
		--gfncp) binary=$2 ;;
		*) die "unknown option $1; see --help" ;;
		esac
		shift 2
	done
	[ -n "$jobs" ] && [ -n "$out" ] || die "--jobs and --out are needed; see --help"
	[ -r "$jobs" ] || die "$jobs: cannot be read; give a job list, such as $here/jobs-first.txt"
	case $budget in '' | *[!0-9]*) die "--budget $budget: give whole seconds" ;; esac
	mkdir -p "$out" || die "$out: cannot be created; choose another --out"
	jobs=$(realpath "$jobs") out=$(realpath "$out")
}

# The scratch folder: work/ is where jobs run, stage/ where copies are made. It lies beside --out when it can, so that a
# finished copy is moved into place by one rename.
scratch() {
	scratch=$(mktemp -d "$(dirname "$out")/.gfncp-XXXXXX" 2>/dev/null) || scratch=$(mktemp -d "$out/.gfncp-XXXXXX") ||
		die "$out: cannot be written"
	work=$scratch/work
	mkdir -p "$work/bin" "$work/logs" "$work/runs" "$work/results"
}

unpack() {
	if [ -z "$binary" ]; then
		binary=$work/bin/gfncp
		if command -v xz >/dev/null; then
			xz -dc "$here/gfncp.xz" >"$binary"
		else
			python3 -c 'import lzma,shutil,sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2],"wb"))' "$here/gfncp.xz" "$binary"
		fi || die "$here/gfncp.xz: cannot be unpacked; xz or python3 is needed"
		[ "$(sha256sum <"$binary")" = "$(cat "$here/gfncp.sha256")" ] || die "$here/gfncp.xz: unpacked to other bytes than were packed; make the bundle again"
		chmod +x "$binary"
	fi
	binary=$(realpath "$binary")
	ln -sf "$binary" "$work/bin/gfncp" 2>/dev/null
	export PATH=$work/bin:$PATH GFNCP_BUNDLE=$here
	# A thin bundle leaves the shipped weights to the checkout that travels with it, two folders up.
	export GFNCP_WEIGHTS=${GFNCP_WEIGHTS:-$here/../../pretrained/weights}
	if [ -z "${GFNCP_DATA:-}" ] && [ -d "$here/data" ]; then export GFNCP_DATA=$here/data; fi
}

restore() {
	local state file
	for state in "${states[@]}"; do
		[ -e "$state" ] || die "$state: is not there; give state-*.tar.gz of an earlier call"
		[ -d "$state" ] && files=("$state"/state-*.tar.gz) || files=("$state")
		for file in "${files[@]}"; do
			tar -xzf "$file" -C "$work" || die "$file: cannot be unpacked"
			echo "state: $file"
		done
	done
}

# The backend: a given one, else the CUDA plugin by variable, else the one of a Python environment. Never a silent fall
# back to the processor: a GPU's time is dear.
find_backend() {
	local packages plugin="" path file paths
	packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null) || packages=""
	case $backend in
	*.so | *.so,*) plugin=${backend#xla:} ;;
	"" | xla:cuda*)
		IFS=: read -r -a paths <<<"${PJRT_PLUGIN_LIBRARY_PATH:-}"
		for path in ${paths[@]+"${paths[@]}"}; do
			for file in "$path" "$path"/*cuda*.so "$path"/nvidia/*cuda*.so; do
				case $file in *cuda*.so) plugin=$file; break 2 ;; esac
			done
		done
		if [ -z "$plugin" ]; then
			for path in ${packages:+"$packages"} ${VIRTUAL_ENV:+"$VIRTUAL_ENV"/lib/python3*/site-packages} /opt/*/.venv/lib/python3*/site-packages \
				/usr/local/lib/python3*/{dist,site}-packages /usr/lib/python3*/dist-packages; do
				for file in "$path"/jax_plugins/xla_cuda*/xla_cuda_plugin.so; do plugin=$file; done # the newest CUDA last
				[ -z "$plugin" ] || break
			done
		fi
		[ -n "$plugin" ] || die "no PJRT CUDA plugin found; give --backend /path/of/plugin.so, or --backend go for the processor"
		case $backend in *,*) plugin=$plugin,${backend#*,} ;; esac
		;;
	esac
	if [ -n "$plugin" ]; then
		cuda_libraries "${plugin%%,*}"
		backend=xla:$plugin
	fi
	export BACKEND=$backend BACKEND_TF32=$backend GOMLX_BACKEND=$backend
	case $backend in *cuda*) BACKEND_TF32=$backend,tf32=true ;; esac
	export GOMLX_NO_AUTO_INSTALL=1 GOPJRT_CUDA_CHECKS=0 GODEBUG=asyncpreemptoff=1
}

# JAX loads NVIDIA's libraries itself before its plugin; a Go program must be told where they are before it starts.
cuda_libraries() {
	local packages folder
	packages=$(dirname "$(dirname "$(dirname "$1")")")
	for folder in "$packages"/nvidia/*/lib; do LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; done
	export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}
	case ${XLA_FLAGS:-} in *xla_gpu_cuda_data_dir*) return ;; esac
	local nvcc
	nvcc=$(command -v nvcc) && nvcc=$(dirname "$(dirname "$(realpath "$nvcc")")")
	for folder in ${nvcc:+"$nvcc"} /usr/local/cuda "$packages"/nvidia/cu13 "$packages"/nvidia/cuda_nvcc; do
		if [ -e "$folder/nvvm/libdevice/libdevice.10.bc" ]; then
			export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_gpu_cuda_data_dir=$folder"
			return
		fi
	done
	echo "run.sh: no folder with nvvm/libdevice/libdevice.10.bc found; XLA looks for it itself" >&2
}

# finished prints whether a job of this name and command is done already.
finished() { grep -qxF "$1"$'\t'"$(sha256sum <<<"$2")" "$work/done.tsv" 2>/dev/null; }

# copy renews the files in --out. Weights and checkpoints go into independent archives of at most $part bytes before
# compression, each complete in itself; checkpoints of finished runs and all but a run's newest stay behind. Files of
# gfncp appear by a rename, so that a copy in the middle of a run finds each either whole or not at all. The bounds are
# those of the machine lent here: 8 files of 16 MiB, 64 MiB in all.
part=${GFNCP_PART_BYTES:-15500000} most_parts=4
copy() {
	local stage=$scratch/stage list=$scratch/list file size run dir newest part_no=0 filled=0
	rm -rf "$stage" "$list".* && mkdir -p "$stage"
	tar -C "$work" -czf "$stage/results.tar.gz" --exclude='*.tmp*' logs results 2>/dev/null
	: >"$list.files"
	[ -e "$work/done.tsv" ] && echo done.tsv >>"$list.files"
	(cd "$work" && for dir in $(find runs -mindepth 1 -maxdepth 1 -type d | sort); do # unfinished runs first: they are worth most
		[ -e "$dir/result.json" ] && echo "1 $dir" || echo "0 $dir"
	done | sort) >"$list.runs"
	while read -r run dir; do
		newest=$(cd "$work" && ls "$dir/checkpoints" 2>/dev/null | grep '^step-.*safetensors$' | tail -n 1)
		[ "$run" = 0 ] && [ -n "$newest" ] && echo "$dir/checkpoints/$newest" >>"$list.files"
		(cd "$work" && find "$dir" -type f ! -path '*/checkpoints/*' ! -name lock ! -name '.*') >>"$list.files"
	done <"$list.runs"
	while read -r file; do
		size=$(stat -c %s "$work/$file" 2>/dev/null) || continue
		if [ $filled -gt 0 ] && [ $((filled + size)) -gt "$part" ]; then part_no=$((part_no + 1)) filled=0; fi
		if [ $part_no -ge $most_parts ]; then echo "run.sh: left out of the copy, no room: $file" >&2; continue; fi
		filled=$((filled + size))
		echo "$file" >>"$list.part$part_no"
	done <"$list.files"
	for file in "$list".part*; do
		tar -C "$work" -c --ignore-failed-read -T "$file" 2>/dev/null | gzip -1 >"$stage/state-${file##*part}.tar.gz"
	done
	cp "$scratch/summary.tsv" "$stage/"
	for file in "$stage"/*; do mv -f "$file" "$out/"; done
	for file in "$out"/state-*.tar.gz; do # parts of an earlier, larger copy
		run=${file##*state-} run=${run%.tar.gz}
		[ -e "$list.part$run" ] || rm -f "$file"
	done
	copied=$(now)
}

# note writes a line into the summary: name, status, exit status, seconds, seconds allowed, command.
note() { local IFS=$'\t'; echo "$*" >>"$scratch/summary.tsv"; }

stop() {
	trap - TERM INT
	echo "run.sh: told to stop"
	if [ -n "${job:-}" ]; then
		kill -TERM "$job" 2>/dev/null
		wait "$job" 2>/dev/null
		note "$name" interrupted - $(($(now) - begun)) "$allowed" "$command"
	fi
	copy
	exit 130
}

# run_job runs one command for at most $allowed seconds, copying every minute meanwhile.
every=${GFNCP_COPY_SECONDS:-60}
run_job() {
	begun=$(now)
	(cd "$work" && exec timeout --signal=TERM --kill-after=15 "$allowed" bash -c "$command") >>"$work/logs/$name.log" 2>&1 </dev/null &
	job=$!
	while kill -0 "$job" 2>/dev/null; do
		[ $(($(now) - copied)) -lt "$every" ] || copy
		sleep 0.2
	done
	wait "$job" 2>/dev/null
	rc=$? job=""
	local status=failed
	case $rc in
	0) status=done && printf '%s\t%s\n' "$name" "$(sha256sum <<<"$command")" >>"$work/done.tsv" ;;
	3) status=partly ;;
	124 | 137) status=out-of-time ;; # the next call goes on with --state
	esac
	note "$name" $status $rc $(($(now) - begun)) "$allowed" "$command"
	echo "== $name: $status after $(($(now) - begun)) s"
	tail -n 12 "$work/logs/$name.log" | cut -c1-300
}

check_list() {
	local line=0 seen=" "
	while read -r name limit command; do
		line=$((line + 1))
		case $name in '' | '#'*) continue ;; *[!A-Za-z0-9._-]*) die "$jobs:$line: job name $name: use letters, digits, . _ -" ;; esac
		case $seen in *" $name "*) die "$jobs:$line: a second job named $name; names are the logs' names" ;; esac
		seen="$seen$name "
		case $limit in '' | *[!0-9]*) die "$jobs:$line: job $name: \"$limit\" is no whole number of seconds" ;; esac
		[ -n "$command" ] || die "$jobs:$line: job $name has no command"
	done <"$jobs"
}

run_list() {
	local limit left
	while read -r name limit command; do
		case $name in '' | '#'*) continue ;; esac
		left=$((deadline - $(now)))
		allowed=$((limit < left ? limit : left))
		if finished "$name" "$command"; then
			note "$name" done-before 0 0 "$limit" "$command"
		elif [ $allowed -lt "${GFNCP_LEAST_SECONDS:-5}" ]; then
			note "$name" not-started - 0 "$limit" "$command"
		else
			run_job
			copy
		fi
	done <"$jobs"
}

parse "$@"
check_list
started=$(now)
deadline=$((started + budget - ${GFNCP_RESERVE_SECONDS:-20}))
scratch
trap 'rm -rf "$scratch"' EXIT
trap stop TERM INT
printf 'name\tstatus\texit\tseconds\tallowed\tcommand\n' >"$scratch/summary.tsv"
unpack
restore
find_backend
copied=$started
echo "backend $BACKEND"
echo "LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-} XLA_FLAGS=${XLA_FLAGS:-} GFNCP_DATA=${GFNCP_DATA:-}"
name=doctor command="gfncp doctor" allowed=120
run_job # printed first, always; it is no reason to stop: the jobs tell more
sed -i '/^doctor\t/d' "$work/done.tsv" 2>/dev/null
copy
run_list
copy
echo "== all: $(($(now) - started)) s; in $out:"
ls -l "$out" | tail -n +2
column -t -s $'\t' <"$out/summary.tsv" 2>/dev/null | cut -c1-200 || cat "$out/summary.tsv"
! grep -q $'\tfailed\t' "$out/summary.tsv"
