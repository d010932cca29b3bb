#!/usr/bin/env bash
# Tries a wheel as a new user would: in clean environments of the oldest and the newest Python here, from 3.9 on, without
# Go on the PATH. scikit-learn comes from PyPI. Then the newest runs the notebooks of python/notebooks.
#
#	.ci/wheel.sh dist/gfncp-0.1.0-py3-none-manylinux_2_34_x86_64.whl
set -euo pipefail
wheel=$(realpath "$1")
notebooks=$(realpath "$(dirname "$0")/../python/notebooks")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for python in "$HOME"/.pyenv/versions/*/bin/python3 /usr/bin/python3; do
  "$python" -c 'import sys, ensurepip; assert sys.version_info >= (3, 9); print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null || true
done | sort -V -u -k1,1 >pythons
[ -s pythons ] || { echo "wheel.sh: no Python from 3.9 on with ensurepip (Debian: python3-venv)" >&2; exit 1; }
sed -n '1p;$p' pythons | uniq | while read -r version python; do
  "$python" -m venv "$version"
  "$version/bin/pip" install --quiet --disable-pip-version-check "$wheel"
  env -i HOME="$work" PATH="$work/$version/bin" "$version/bin/python" - <<'END'
import sys
import numpy as np, sklearn, gfncp
X = np.random.default_rng(1).normal(size=(90, 2)) + 6 * (np.arange(90) % 3)[:, None]
model = gfncp.GFNCP(samples=100).fit(X)
assert model.n_clusters_ == 3 and gfncp.program().startswith(sys.prefix), (model.n_clusters_, gfncp.program())
print(f"Python {sys.version.split()[0]}, scikit-learn {sklearn.__version__}: {model}, P(K) {model.k_posterior_}")
END
done
newest=$work/$(tail -n 1 pythons | cut -d' ' -f1)/bin
"$newest/pip" install --quiet --disable-pip-version-check nbconvert ipykernel pandas matplotlib
for notebook in "$notebooks"/*.ipynb; do
  PATH=$newest:$PATH "$newest/python" -m nbconvert --log-level WARN --to notebook --execute --output-dir "$work/out" "$notebook"
done
