#!/usr/bin/env bash
# Every fuzz target of the repository, MINUTES each; a failing input is left in the package's testdata/fuzz. Inputs that
# reach something new are made smaller with a few tries, not for the minute each that Go spends by default.
#
#	.ci/fuzz.sh MINUTES      or a time such as 20s
set -euo pipefail
cd "$(dirname "$0")/.."
each=${1:?minutes for each target}
case $each in *[!0-9]*) ;; *) each=${each}m ;; esac
grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do
  grep -oE '^func Fuzz[A-Za-z0-9]+' "$file" | while read -r _ target; do
    echo "$(dirname "$file") $target"
    go test "$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 10x </dev/null
  done
done
