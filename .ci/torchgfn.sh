#!/usr/bin/env bash
# Tests python/torchgfn against torchgfn of PyPI, in an environment that it makes once: 5 GB, since PyTorch brings CUDA.
#
#	.ci/torchgfn.sh [FOLDER]      by default /tmp/gfncp-torchgfn; PYTHON names the Python, from 3.10 on
set -euo pipefail
cd "$(dirname "$0")/../python/torchgfn"
environment=${1:-/tmp/gfncp-torchgfn}
if ! "$environment/bin/python" -c 'import gfn, safetensors' 2>/dev/null; then
  "${PYTHON:-python3}" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check torchgfn==2.4.1 safetensors
fi
PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -W ignore test_torchgfn.py
