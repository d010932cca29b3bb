#!/usr/bin/env bash
# XLA's plugins for the tests: downloads the wheels of plugins.txt from pypi.org, whose SHA-256 stand there, unpacks them
# with `gfncp doctor --install-pjrt`, and prints what tells the tests where they are:
#
#	eval "$(.ci/plugins.sh)"      370 MB are downloaded and 1.2 GB kept, once for each plugins.txt
#
# GFNCP_TEST_PLUGINS lists the plugins for the processor, the older one first; GFNCP_TEST_CUDA_PLUGIN is the one for CUDA,
# with NVIDIA's tools where it looks for them.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOTOOLCHAIN=auto GOEXPERIMENT=simd

fail() {
  echo "plugins.sh: $*" >&2
  exit 1
}

list=.ci/plugins.txt
[ "$(uname -sm)" = "Linux x86_64" ] || fail "$list has wheels for Linux on x86_64 alone, not for $(uname -sm)"
keep=${XDG_CACHE_HOME:-$HOME/.cache}/gfncp/ci-plugins
kept=$keep/$(sha256sum $list | cut -c1-16)
if [ ! -d "$kept" ]; then
  mkdir -p "$keep"
  new=$(mktemp -d "$keep/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --requirement $list --dest "$new/wheels" >&2 ||
    fail "the wheels of $list cannot be had: pip says above whether pypi.org cannot be reached or a hash differs"
  go build -o "$new/gfncp" ./cmd/gfncp
  # A folder for each plugin stands for the user's: installed for the user they would be every command's backend.
  install() {
    HOME=$new/$1 "$new/gfncp" doctor --install-pjrt "$new/wheels/$2"-*.whl >&2
  }
  install old xla_cpu_pjrt
  install new lammps_jax_pjrt_cpu
  install cuda nvidia_cuda_nvcc
  install cuda nvidia_nvvm
  install cuda jax_cuda13_pjrt
  rm -r "$new/wheels" "$new/gfncp"
  mv -T "$new" "$kept" 2>/dev/null || [ -d "$kept" ] # another process was first
fi
plugins=.local/lib/go-xla
cpu=$plugins/pjrt_c_api_cpu_plugin.so
cuda=$plugins/wheels/jax_plugins/xla_cuda/xla_cuda_plugin.so
for file in "old/$cpu" "new/$cpu" "cuda/$cuda"; do
  [ -s "$kept/$file" ] || fail "$kept/$file is missing: remove $kept and start again"
done
printf 'export GFNCP_TEST_PLUGINS=%q\n' "$kept/old/$cpu:$kept/new/$cpu"
printf 'export GFNCP_TEST_CUDA_PLUGIN=%q\n' "$kept/cuda/$cuda"
