#!/usr/bin/env bash
# XLA's plugins for the tests: pip installs the wheels of plugins.txt, whose SHA-256 stand there, from pypi.org into a
# folder of their own. It prints what tells the tests where they are:
#
#	eval "$(.ci/plugins.sh)"
#
# GFNCP_TEST_PLUGINS lists the plugins for the processor, the older one first.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "plugins.sh: $*" >&2
  exit 1
}

list=.ci/plugins.txt
[ "$(uname -sm)" = "Linux x86_64" ] || fail "$list has wheels for Linux on x86_64 alone, not for $(uname -sm)"
keep=${XDG_CACHE_HOME:-$HOME/.cache}/gfncp/ci-plugins
kept=$keep/pip-$(sha256sum $list | cut -c1-16)
if [ ! -d "$kept" ]; then
  mkdir -p "$keep"
  temp=$(mktemp -d "$keep/new.XXXXXX")
  trap 'rm -rf "$temp"' EXIT
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --requirement $list --target "$temp" >&2 ||
    fail "the wheels of $list cannot be had: pip says above whether pypi.org cannot be reached or a hash differs"
  mv -T "$temp" "$kept" 2>/dev/null || [ -d "$kept" ] # another process was first
fi
old=$kept/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so
new=$kept/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so
for file in "$old" "$new"; do
  [ -s "$file" ] || fail "$file is missing: remove $kept and start again"
done
printf 'export GFNCP_TEST_PLUGINS=%q\n' "$old:$new"
