"""Renew the outputs and listings inside README.md and docs/*.md, so that they never differ from the program.

    go build -o /tmp/gfncp ./cmd/gfncp && GFNCP=/tmp/gfncp python3 docs/refresh.py [FILE.md ...]

A line `<!-- run: COMMAND -->` says that the fenced block after it holds the output of COMMAND, run by bash in the
project's folder; `<!-- file: PATH -->` says that it holds that file. A command that fails stops the script.
"""
import os, pathlib, re, subprocess, sys

root = pathlib.Path(__file__).resolve().parent.parent
block = re.compile(r"(<!-- (run|file): (.*?) -->\n+```\w*\n)(.*?)(```\n)", re.DOTALL)


def content(kind, what):
    if kind == "file":
        return (root / what).read_text()
    shell = 'set -eo pipefail; gfncp() { "${GFNCP:-/tmp/gfncp}" "$@"; }; ' + what
    done = subprocess.run(["bash", "-c", shell], cwd=root, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {what}")
    return done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"


for path in [pathlib.Path(p) for p in sys.argv[1:]] or [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    old = path.read_text()
    new = block.sub(lambda m: m[1] + content(m[2], m[3]) + m[5], old)
    print(path.name, "unchanged" if new == old else "renewed")
    path.write_text(new)
