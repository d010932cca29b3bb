"""Renew the outputs and listings inside README.md and docs/*.md, so that they never differ from the program.

    go build -o /tmp/gfncp ./cmd/gfncp && GFNCP=/tmp/gfncp python3 docs/refresh.py [FILE.md ...]

A line `<!-- run: COMMAND -->` says that the fenced block after it holds the output of COMMAND, run by bash in the
project's folder; `<!-- file: PATH -->` says that it holds that file. A command that fails stops the script. A line
`<!-- bench: NAME -->` says that the paragraph or table after it, up to the next empty line, shows that group of
benchmarks/results/go-2cores.json (see `measured`). A line `<!-- table: ID METRIC… -->` says the same of results/small/ID.json,
with these metrics: "ours", and the paper's number in brackets.
"""
import json, os, pathlib, re, subprocess, sys

root = pathlib.Path(__file__).resolve().parent.parent
block = re.compile(r"(<!-- (run|file): (.*?) -->\n+```\w*\n)(.*?)(```\n)", re.DOTALL)
bench = re.compile(r"(<!-- bench: (\S+) -->\n)((?:[^\n]+\n)*)")


def content(kind, what):
    if kind == "file":
        return (root / what).read_text()
    shell = 'set -eo pipefail; gfncp() { "${GFNCP:-/tmp/gfncp}" "$@"; }; ' + what
    done = subprocess.run(["bash", "-c", shell], cwd=root, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}: {what}")
    return done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"


def digits(v, n=3):  # n significant digits, never an exponent, nothing for nothing
    return "–" if not v else f"{v:,.0f}" if abs(v) >= 10 ** (n - 1) else f"{float(f'{v:.{n}g}'):g}"


def duration(r):
    s = r["seconds"]
    return digits(r["median"]) if len(s) < 2 else f"{digits(r['median'])} ({digits(s[0])} to {digits(s[-1])})"


B, N, K = ("B", lambda r: r["sets"]), ("N", lambda r: r["points"]), ("K", lambda r: r["clusters"])
seconds, per_point = ("seconds", duration), ("µs a point", lambda r: digits(r["microseconds_per_point"]))
per_second = ("points a second", lambda r: digits(r.get("points_per_second")))
found = ("K found", lambda r: digits(r.get("found_clusters")))
peak = ("peak heap, MB", lambda r: digits(r.get("peak_heap_bytes", 0) / 1e6))
live = ("live heap, MB", lambda r: digits(r.get("peak_live_heap_bytes", 0) / 1e6))
published = ("published, s", lambda r: digits(r.get("published_seconds")))
faster = ("faster", lambda r: digits(r["published_over_ours"], 2) + "×" if "published_over_ours" in r else "–")
kind = ("model", lambda r: r.get("model") or r["work"].split()[-1])
work = ("work", lambda r: r["work"])
floor = lambda title, key, scale=1: (title, lambda r: digits(r["floor"][key] * scale))

steps = [kind, B, N, K, seconds, per_point, ("K of the negative sample", found[1]), peak]

columns = {
    "step": [*steps, published, faster],
    "images": steps,
    "decode": [kind, ("weights", lambda r: {"initial": "not trained"}.get(r.get("weights"), r.get("weights", "–"))), B, N, seconds, per_point,
               per_second, found, published, faster],
    "one-set": [K, N, ("decisions", lambda r: "greedy" if "greedy" in r["work"] else "true labels"), seconds, per_point, per_second, found,
                ("data, MB", lambda r: digits(r.get("data_bytes", 0) / 1e6)), live, peak],
    "throughput": [work, B, N, ("clusterings a set", lambda r: r["samples"]), seconds, per_point, per_second, found],
    "parts": [("part", work[1]), B, N, ("milliseconds", lambda r: digits(r["median"] * 1e3)),
              ("K found", found[1])],
    "compile": [("first call of", lambda r: r["work"].removeprefix("compile ")), B, N, ("seconds", lambda r: digits(r["first_seconds"])),
                ("of it, compilation", lambda r: digits(r["median"]))],
    "floor": [work, B, N, K, floor("10⁹ multiply-adds", "multiply_adds", 1e-9), floor("MB", "bytes", 1e-6),
              floor("floor by operations, ms", "operation_seconds", 1e3), floor("by bytes, ms", "byte_seconds", 1e3),
              ("measured, ms", lambda r: digits(r["median"] * 1e3)), floor("measured / floor", "measured_over_floor")],
}


def measured(name):  # the paragraph "where", "rates", or the table of a group
    report = json.loads((root / "benchmarks/results/go-2cores.json").read_text())
    if name == "where":
        load = report.get("load_average")
        return (f"{report['machine']}; backend `{report['backend']}`, GOEXPERIMENT=simd {'on' if report['simd'] else 'off'}, "
                f"GOMAXPROCS {report.get('gomaxprocs', report['cores'])}; commit {report['commit']}, {report['created'][:10]}; "
                f"{report['repeats']} repeats" + (f"; load average at the start {load[0]:.2f}.\n" if load else ".\n"))
    if name == "rates":
        r = report.get("rates")
        return "Not in the stored report.\n" if not r else (
            f"Products of {r['matrix']}×{r['matrix']} matrices: {digits(r['multiply_adds_per_second'] / 1e9)}·10⁹ multiply-adds a second. "
            f"Element-wise copy of {digits(r['copy_bytes'] / 1e6)} MB through the engine: {digits(r['copy_bytes_per_second'] / 1e9)} GB/s, "
            f"read and written; the same by Go's `copy` on one core: {digits(r['host_copy_bytes_per_second'] / 1e9)} GB/s. "
            f"Floors take {digits(r['memory_bytes_per_second'] / 1e9)} GB/s.\n")
    old = {"step": "step", "greedy": "decode", "one": "one-set"}  # reports before there were groups
    rows = [r for r in report["results"] if r.get("group", old.get(r["work"].split()[0])) == name]
    if not rows:
        return "Not in the stored report.\n"
    titles, cells = zip(*columns[name])
    lines = [titles, ["---"] * len(titles), *([str(cell(r)) for cell in cells] for r in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


results = re.compile(r"(<!-- table: (\S+)((?: [^>]*?)?) -->\n)((?:[^\n]+\n)*)")


def score(cell):  # "ours (paper)" of a cell, or why there is none
    if cell is None:
        return "–"
    show = lambda v: "–" if not v else f"{v['mean']:.2g}" if abs(v["mean"]) >= 1e5 else f"{v['mean']:.1f}" if abs(v["mean"]) >= 10 else f"{v['mean']:.3f}"
    text = show(cell["ours"]) if cell["ours"] else cell["note"]
    return f"{text} ({cell['paper']['mean']:g})" if cell["paper"] else text


def reproduced(name, wanted):
    table = json.loads((root / f"results/small/{name}.json").read_text())
    wanted = [w.strip() for w in wanted.split(",") if w.strip()]
    cells = {(c["data"], c["metric"], c["model"]): c for c in table["cells"] if not wanted or c["metric"] in wanted}
    unique = lambda at: list(dict.fromkeys(key[at] for key in cells))
    models = unique(2)
    lines = [["Data", "Metric", *models], ["---", "---", *["---:"] * len(models)]]
    for data in unique(0):
        for metric in wanted or unique(1):
            row = [cells.get((data, metric, m)) for m in models]
            if any(row):
                lines.append([data, metric, *map(score, row)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


for path in [pathlib.Path(p) for p in sys.argv[1:]] or [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    old = path.read_text()
    new = block.sub(lambda m: m[1] + content(m[2], m[3]) + m[5], old)
    new = bench.sub(lambda m: m[1] + measured(m[2]), new)
    new = results.sub(lambda m: m[1] + reproduced(m[2], m[3]), new)
    print(path.name, "unchanged" if new == old else "renewed")
    path.write_text(new)
