#!/usr/bin/env bash
# Mutation testing of one package: `.ci/mutants.sh PACKAGE [FLAGS of gremlins unleash]`, as in `.ci/mutants.sh metrics --workers 2`.
# Every mutator of gremlins is on but invert-negatives, whose mutants are among those of arithmetic-base. The sources are read as
# it goes, so that the tree must not change meanwhile: `git worktree add --detach ../mutants` makes one of its own.
#
# A `go` before the real one on the PATH adds what gremlins lacks: a mutant that does not compile is no kill (`go test` ends with 1
# for it as for a failed test), and one that loops or allocates without end meets a limit of CPU time ($CPU_SECONDS, by default 20)
# or of 8 GiB of addresses, which is a kill. Gremlins' own limit is wall time, which on a busy machine says nothing.
#
# MUTANT_SAMPLE=4 runs only every fourth of the mutants that tests cover, the fourth, eighth, … of gremlins' order: the others end
# at once as NOT VIABLE, and so count nowhere. With --workers 1 the order, and so the sample, is always the same.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOTOOLCHAIN=auto # an older Go fetches the one that go.mod names
version=v0.6.0
package=${1:?say which package: .ci/mutants.sh metrics}
shift

tools="${TMPDIR:-/tmp}/gfncp-gremlins-$version"
MUTANT_COUNTER=$(mktemp) # the mutants so far, one line each
trap 'rm -f "$MUTANT_COUNTER"' EXIT
export MUTANT_COUNTER MUTANT_SAMPLE="${MUTANT_SAMPLE:-1}"
mkdir -p "$tools/bin" "$tools/shim"
if [ ! -x "$tools/bin/gremlins" ]; then
  GOBIN="$tools/bin" GOFLAGS='' go install "github.com/go-gremlins/gremlins/cmd/gremlins@$version"
fi
cat >"$tools/shim/new.$$" <<END
#!/usr/bin/env bash
if [[ "\$1" = test && " \$* " != *" -coverprofile"* ]]; then
  echo >>"\$MUTANT_COUNTER"
  if ((\$(wc -l <"\$MUTANT_COUNTER") % MUTANT_SAMPLE)); then exit 2; fi # not in the sample; gremlins: NOT VIABLE
fi
ulimit -v $((8 << 20)) -t ${CPU_SECONDS:-20}
output="\$("$(command -v go)" "\$@" 2>&1)"
status=\$?
printf '%s\n' "\$output"
if [ "\$status" = 1 ] && [[ "\$output" == *"[build failed]"* ]]; then status=2; fi # gremlins: NOT VIABLE
exit "\$status"
END
chmod +x "$tools/shim/new.$$"
mv "$tools/shim/new.$$" "$tools/shim/go" # at once: another run may be reading it

export GOEXPERIMENT=simd GODEBUG=asyncpreemptoff=1
export GOFLAGS="-trimpath -ldflags=-w -vet=off -count=1"
PATH="$tools/shim:$PATH" "$tools/bin/gremlins" unleash --timeout-coefficient 200 --invert-negatives=false \
  --invert-assignments --invert-bitwise --invert-bwassign --invert-logical --invert-loopctrl --remove-self-assignments "$@" "./$package"
