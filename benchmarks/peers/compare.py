"""Compares two bench files, ours and PyTorch's, as a Markdown table: python3 compare.py ours.json theirs.json"""
import json
import sys


def table(ours, theirs):
    """One row for each of their results whose work, sets and points ours has too; of several, that with the nearest K."""
    lines = [
        "| work | sets | points | K ours | K theirs | candidates | ours, s | PyTorch, s | PyTorch / ours |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    key = lambda r: (r["work"], r["sets"], r["points"])
    for there in theirs["results"]:
        same = [r for r in ours["results"] if key(r) == key(there)]
        if not same:
            continue
        here = min(same, key=lambda r: abs(r["clusters"] - there["clusters"]))
        cells = [*key(there), here["clusters"], there["clusters"], there.get("candidates", "")]
        cells += [f"{v:.3g}" for v in (here["median"], there["median"], there["median"] / here["median"])]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def main(ours_path, theirs_path):
    reports = []
    for path in (ours_path, theirs_path):
        with open(path) as file:
            reports.append(json.load(file))
    for name, report in zip(("ours", "PyTorch"), reports):
        detail = [f"{k} {report[k]}" for k in ("torch", "cuda", "tf32", "share_labels", "commit", "created") if k in report]
        print(f"{name}: {report['backend']} on {report['machine']}" + "".join(", " + d for d in detail) + "  ")
    print()
    lines = table(*reports)
    print("\n".join(lines) if len(lines) > 2 else "The two files have no work of the same sets and points.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
