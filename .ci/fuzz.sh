#!/usr/bin/env bash
# Every fuzz target of the repository, or those whose names match a pattern, for a time each, and how many inputs each
# has run. A failing input is left in the package's testdata/fuzz, and its target fails; the others go on. Inputs that
# reach something new are made smaller with a few tries, not for the minute each that Go spends by default, and files
# go through memory where /dev/shm is.
#
#	.ci/fuzz.sh MINUTES [PATTERN]      or a time such as 20s; GOMAXPROCS=1 takes one core
set -euo pipefail
cd "$(dirname "$0")/.."
export GOTOOLCHAIN=auto # an older Go fetches the one that go.mod names
each=${1:?minutes for each target}
case $each in *[!0-9]*) ;; *) each=${each}m ;; esac
pattern=${2:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -w /dev/shm ]; then
  TMPDIR=$(mktemp -d -p /dev/shm)
  export TMPDIR
  trap 'rm -rf "$work" "$TMPDIR"' EXIT
fi

# binary PACKAGE TARGET: the test binary of a package, with counters in what reads (fuzzcompile.sh); of Parquet in
# all, for it is the library's many packages that read.
binary() {
  local counted=(-toolexec "$PWD/.ci/fuzzcompile.sh") name=$work/some.test
  if [ "$2" = FuzzParquet ]; then counted=() name=$work/all.test; fi
  if [ "$(cat "$name.package" 2>/dev/null)" != "$1" ]; then
    go test -c -fuzz . "${counted[@]}" -o "$name" "$1"
    echo "$1" >"$name.package"
  fi
  echo "$name"
}

total=0
failed=0
while IFS=: read -r file target; do
  package=$(dirname "$file")
  test=$(binary "$package" "$target")
  cache=$(go env GOCACHE)/fuzz/$(go list "$package")
  log=$work/log
  status=0
  (cd "$package" && "$test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$each" -test.fuzzminimizetime 10x \
    -test.fuzzcachedir "$cache" >"$log" 2>&1 </dev/null) || status=$?
  count=$(sed -nE 's/.* execs: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
  total=$((total + ${count:-0}))
  printf '%s %s: %s inputs\n' "$package" "$target" "${count:-0}"
  if [ "$status" != 0 ]; then
    failed=$((failed + 1))
    grep -v '^fuzz: elapsed' "$log"
  fi
done < <(grep -rE '^func Fuzz' --include='*_test.go' . | sed -E 's/^(.*):func (Fuzz[A-Za-z0-9]+).*/\1:\2/' |
  grep -E "$pattern" | sort)
echo "in all: $total inputs, $failed targets failed"
[ "$failed" = 0 ]
