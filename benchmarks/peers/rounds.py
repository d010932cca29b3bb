"""Measures the Go program beside JAX and PyTorch, in turns, and prints a table of each work.

    python3 rounds.py --rounds 5 --out rounds.json
    python3 rounds.py --gfncp new=. --gfncp old=../old --gfncp xla=.@xla:cpu --out rounds.json

Every contender is a process that holds a work open. In a round each of them, in changing order, calls it --calls times.
Before that all of them compute the same steps and labels, and the program stops where they differ.
"""
import argparse
import datetime
import functools
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import shared
except ImportError:
    sys.exit("rounds.py: this Python has no numpy; install it, and jax and torch where they shall be measured")

HERE = pathlib.Path(__file__).resolve().parent
TITLES = {
    "step-gfncp": "one GFNCP step, 64 sets of 75 points", "step-ncp": "one NCP step, 64 sets of 75 points",
    "decode-batch": "greedy labels of 64 sets of 75 points",
    "decode-6": "greedy labels of one set, N = 1000, K = 6", "decode-50": "greedy labels of one set, N = 1000, K = 50",
}
PROGRAMS = {"jax": "gfncp_jax", "torch": "gfncp_torch", "torch-seq": "sequential"}
WARM_UP = 4  # calls after the first one that are not counted: a JAX step compiles for each size that it meets
LIMITS = {"loss": 1e-5, "norm": 1e-5, "labels": 1e-3}  # relative, relative, share of labels


class Contender:
    """A program to measure; command is followed by the name of a work, more by nothing."""

    def __init__(self, name, command, more=(), environment=None):
        self.name, self.command, self.more = name, command, list(more)
        self.environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", **(environment or {}))

    def run(self, *what):
        """The standard output of one run."""
        return subprocess.run([*self.command, *what], env=self.environment, stdout=subprocess.PIPE, text=True,
                              check=True).stdout

    def open(self, work):
        return Open(self, work)


class Open:
    """A process that holds a work open."""

    def __init__(self, contender, work):
        self.name, self.work = contender.name, work
        self.process = subprocess.Popen([*contender.command, work, *contender.more], env=contender.environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.clock = ~self.process.pid << 3 | 2  # Linux: the processor time of all its threads
        self.program = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"rounds.py: {self.name} ended in {self.work} with status {self.process.wait()}")
        return line.strip()

    def call(self):
        """Wall and processor seconds of one call, and the K that it found."""
        wall, used = time.perf_counter(), time.clock_gettime(self.clock)
        self.process.stdin.write("call\n")
        self.process.stdin.flush()
        found = float(self.answer())
        return time.perf_counter() - wall, time.clock_gettime(self.clock) - used, found

    def close(self):
        """Ends the process; returns its peak resident memory in bytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        self.process.stdin.close()
        self.process.wait()
        return int(peak.split()[1]) * 1024


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gfncp", action="append", metavar="[NAME=]PATH[@BACKEND]",
                        help="a checkout, or a program built from its benchmarks/peers; the first is the measure of "
                             "all (default: this checkout); BACKEND is go unless given")
    parser.add_argument("--peers", nargs="*", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--python", default=sys.executable, help="that has jax and torch (default: this one)")
    parser.add_argument("--threads", default="1", help="of PyTorch: more than one wait by spinning (default: 1)")
    parser.add_argument("--device", default="cpu", help="of PyTorch: cpu or cuda")
    parser.add_argument("--works", nargs="+", default=list(TITLES), choices=list(TITLES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=3, help="in a round")
    parser.add_argument("--out", help="JSON file to write")
    parser.add_argument("--read", help="measure nothing; print the tables of this JSON file")
    return parser.parse_args()


def built(path, folder, name):
    """The Go program: path itself, or for a checkout what its packages and this folder's main.go make."""
    tree = pathlib.Path(path).resolve()
    if not tree.is_dir():
        return str(tree)
    overlay, binary = folder / f"{name}.json", folder / name
    files = {str(tree / "benchmarks" / "peers" / file.name): str(file) for file in HERE.glob("*.go")}
    overlay.write_text(json.dumps({"Replace": files}))
    environment = {"GOEXPERIMENT": "simd", "GOTOOLCHAIN": "auto", **os.environ}
    command = ["go", "build", "-overlay", str(overlay), "-o", str(binary), "./benchmarks/peers"]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    return str(binary)


def go_contenders(args, folder):
    checkout = str(HERE.parents[1])
    for text in args.gfncp or [f"gfncp={checkout}"]:
        name, _, rest = text.rpartition("=")
        path, _, backend = rest.partition("@")
        name = name or pathlib.Path(path).resolve().name
        yield Contender(name, [built(path, folder, name), backend or "go"])


def python_contenders(args, handover):
    @functools.cache
    def installed(package):
        return subprocess.run([args.python, "-c", f"import {package}"], stderr=subprocess.DEVNULL).returncode == 0

    for name in args.peers:
        package = name.split("-")[0]
        if not installed(package):
            print(f"{name} is left out: {args.python} cannot import {package}", file=sys.stderr)
            continue
        torch = package == "torch"
        yield Contender(name, [args.python, str(HERE / "worker.py"), PROGRAMS[name]],
                        [str(handover), *([args.device] if torch else [])],
                        {"OMP_NUM_THREADS": args.threads} if torch else {})


def deviations(want, got, works):
    """The largest of each kind: losses and first gradient norms, relative; the share of labels of works that differ."""
    flat = lambda values: [v for row in values for v in (flat(row) if isinstance(row, list) else [row])]
    worst = dict.fromkeys(LIMITS, 0.0)
    for name, values in got.items():
        if name.endswith(".labels") and name.removesuffix(".labels") not in works:
            continue
        kind = next(kind for kind in LIMITS if kind in name.split("."))
        pairs = list(zip(flat(want[name]), flat(values), strict=True))
        if kind == "labels":
            off = sum(a != b for a, b in pairs) / len(pairs)
        else:
            off = max(abs(b / a - 1) for a, b in (pairs[:1] if kind == "norm" else pairs))
        worst[kind] = max(worst[kind], off)
    return worst


def handed(path):
    """The results in a handover of the Go program."""
    tensors = shared.read_safetensors(path)
    return {name: tensors[name].tolist() for name in tensors if any(kind in name.split(".") for kind in LIMITS)
            and not name.startswith("labels.")}


def parity(args, folder):
    """The contenders, and how far each is from the first one. It stops where one is too far."""
    handover = folder / "handover.safetensors"
    contenders, found, want = [], {}, None
    for contender in go_contenders(args, folder):
        path = folder / f"{contender.name}.safetensors" if contenders else handover
        contender.run("handover", str(path))
        want = want or handed(path)
        found[contender.name] = deviations(want, handed(path), args.works)
        contenders.append(contender)
    for contender in python_contenders(args, handover):
        found[contender.name] = deviations(want, json.loads(contender.run("results", *contender.more)), args.works)
        contenders.append(contender)
    for name, off in found.items():
        print(f"{name}: " + ", ".join(f"{kind} {value:.1e}" for kind, value in off.items()), file=sys.stderr)
        if any(not value <= LIMITS[kind] for kind, value in off.items()):
            sys.exit(f"rounds.py: {name} does not compute what the Go program computes")
    return contenders, found


def measure(contenders, work, rounds, calls):
    """First calls one after another, warm-up, and rounds in turns: what is known of each contender, by name."""
    running, report = [], {}
    for contender in contenders:
        opened = contender.open(work)
        wall, used, _ = opened.call()
        for _ in range(WARM_UP):
            opened.call()
        running.append(opened)
        report[contender.name] = {"program": opened.program, "first_seconds": wall, "first_processor_seconds": used,
                                  "wall": [], "processor": [], "found_clusters": []}
    for turn in range(rounds):
        shift = turn % len(running)
        for opened in running[shift:] + running[:shift]:
            columns = zip(*(opened.call() for _ in range(calls)))
            for key, values in zip(("wall", "processor", "found_clusters"), columns):
                report[opened.name][key].append(list(values))
        print(f"{work}: round {turn + 1} of {rounds}", file=sys.stderr)
    for opened in running:
        report[opened.name]["peak_bytes"] = opened.close()
    return report


def ratio(mine, base):
    """Median and quartiles of the rounds' ratios, each of the medians in the same round."""
    each = [statistics.median(a) / statistics.median(b) for a, b in zip(mine, base)]
    if len(each) == 1:
        return each * 3
    low, middle, high = statistics.quantiles(each, n=4, method="inclusive")
    return middle, low, high


def table(title, work):
    """Markdown of one work; the first contender is the measure."""
    base = next(iter(work.values()))
    lines = [f"**{title}**", "",
             "| contender | cpu ms, median | best | cpu ratio (quartiles) | wall ratio | first call, s | peak MB | "
             "K found |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, row in work.items():
        used = [1000 * v for values in row["processor"] for v in values]
        middle, low, high = ratio(row["processor"], base["processor"])
        found = statistics.mean(v for values in row["found_clusters"] for v in values)
        cells = [name, f"{statistics.median(used):.1f}", f"{min(used):.1f}", f"{middle:.2f} ({low:.2f}–{high:.2f})",
                 f"{ratio(row['wall'], base['wall'])[0]:.2f}", f"{row['first_seconds']:.1f}",
                 f"{row['peak_bytes'] / 1e6:.0f}", f"{found:.1f}" if found else "–"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def main():
    args = options()
    if args.read:
        report = json.loads(pathlib.Path(args.read).read_text())
        print("\n".join(table(TITLES[work], rows) for work, rows in report["works"].items()))
        return
    report = {"schema_version": 1, "machine": processor(), "cores": os.cpu_count(), "load_average": os.getloadavg(),
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "torch_threads": int(args.threads), "device": args.device, "works": {}}
    with tempfile.TemporaryDirectory() as folder:
        contenders, report["deviations"] = parity(args, pathlib.Path(folder))
        for work in args.works:
            report["works"][work] = measure(contenders, work, args.rounds, args.calls)
            print(table(TITLES[work], report["works"][work]), flush=True)
            if args.out:
                pathlib.Path(args.out).write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
