"""Processor time of many small fits from Python, beside the same calls in Go: python3 benchmarks/calls/calls.py.

Both halves take turns in blocks, so that other work on the machine slows both down alike. The time of Python is that
of this process and of the gfncp process together. GFNCP_BIN names the program; `go run` builds the Go half.
"""

import os
import pathlib
import subprocess
import sys
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import gfncp  # noqa: E402
from gfncp import GFNCP, GFNCPWarning, _process  # noqa: E402

CALLS = 50  # in a block


def points(n, call):
    i, j = np.arange(n)[:, np.newaxis], np.arange(2)
    return (14 * (i % 3 - 1) + 5 * (i % 2) * j + 1.4 * np.sin(7 * i + 3 * j + call)).astype(np.float32)


def used(pid):
    """Processor seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(n, samples):
    """Processor seconds of a block of fits, of this process and of gfncp's."""
    model = GFNCP(samples=samples, refine="none")
    sets = [points(n, call) for call in range(CALLS)]
    model.fit(sets[0])
    child = _process.process._child.pid
    own, others = time.process_time(), used(child)
    for x in sets:
        model.fit(x)
    return time.process_time() - own, used(child) - others


def main():
    warnings.simplefilter("ignore", GFNCPWarning)
    command = ["go", "run", "-ldflags=-w", "./benchmarks/calls"]
    go = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    print(f"{'points':>6} {'samples':>7} {'calls':>6} {'Go s':>8} {'Python s':>9} {'gfncp s':>8} {'ratio':>6}")
    for n, samples, blocks in ((30, 0, 20),):
        here, own, served = 0.0, 0.0, 0.0
        for _ in range(blocks):
            print(n, samples, CALLS, file=go.stdin, flush=True)
            here += float(go.stdout.readline())
            block = measure(n, samples)
            own, served = own + block[0], served + block[1]
        print(f"{n:6} {samples:7} {blocks * CALLS:6} {here:8.2f} {own:9.2f} {served:8.2f} {(own + served) / here:6.2f}", flush=True)
    go.stdin.close()
    gfncp.close()
    return go.wait()


if __name__ == "__main__":
    sys.exit(main())
