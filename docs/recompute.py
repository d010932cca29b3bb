"""Recompute an energy table of gfncp from exported weights, in plain Python (no numpy).

    gfncp export --model mog-gfncp --out w.safetensors
    gfncp score few.csv --model mog-gfncp --labels label --energies --json > score.json
    python3 docs/recompute.py w.safetensors few.csv label score.json

Prints the largest deviation of the energies, relative to max(1, |E|), and that of MC. It is plain and slow: give it tens
of points, not thousands.
"""
import csv, json, math, struct, sys


def read_weights(path):  # safetensors: length of the header, header (JSON), raw little-endian data
    with open(path, "rb") as f:
        (size,) = struct.unpack("<Q", f.read(8))
        header, data = json.loads(f.read(size)), f.read()
    weights = {}
    for name, t in header.items():
        if name == "__metadata__" or name.startswith("optimizer:"):
            continue
        first, last = t["data_offsets"]
        size, kind = (2, "e") if t["dtype"] == "F16" else (4, "f")
        weights[name] = (t["shape"], struct.unpack(f"<{(last - first) // size}{kind}", data[first:last]))
    return weights


def apply(weights, net, x):  # linear layers y = x·W + b with a ReLU between each two
    layer = 0
    while f"{net}.{layer}.weight" in weights:
        (rows, cols), w = weights[f"{net}.{layer}.weight"]
        if layer > 0:
            x = [max(v, 0.0) for v in x]
        y = list(weights.get(f"{net}.{layer}.bias", (None, [0.0] * cols))[1])
        for i in range(rows):
            if x[i] != 0:
                for j in range(cols):
                    y[j] += x[i] * w[i * cols + j]
        x, layer = y, layer + 1
    return x


def plus(a, b):
    return [u + v for u, v in zip(a, b)]


def energy_table(weights, points, labels):  # row n: E of point n joining each cluster so far, then of opening a new one
    h = [apply(weights, "h", p) for p in points]
    ahead = [0.0] * len(h[0])  # U = Σ u(x_i) of the points after the current one; 0 in online mode
    us = [apply(weights, "u", p) for p in points] if "u.0.weight" in weights else [ahead] * len(points)
    rest = [ahead]
    for u in reversed(us[1:]):
        rest.append(plus(rest[-1], u))
    rest.reverse()  # rest[n] = Σ_{i>n} u(x_i)
    sums, gs, table = [], [], []  # H_k and g(H_k) of each cluster
    zero = [0.0] * len(apply(weights, "g", h[0]))
    for n, label in enumerate(labels):
        row, candidates = [], []
        for k in range(len(sums) + 1):
            joined = plus(sums[k], h[n]) if k < len(sums) else h[n]
            g = apply(weights, "g", joined)
            total = g
            for j in range(len(sums)):
                total = plus(total, gs[j]) if j != k else total
            candidates.append((joined, g))
            row.append(apply(weights, "f", total + rest[n])[0])
        if label == len(sums):
            sums.append(zero), gs.append(zero)
        sums[label], gs[label] = candidates[label]
        table.append(row)
    return table[1:]  # the first point has no choice


def log_sum_exp(values):
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))


def mc_and_log_prob(table, labels):
    mc = log_p = flow_in = 0.0
    for n, (row, label) in enumerate(zip(table, labels[1:]), start=2):
        low = min(row) if n < len(labels) else 0.0  # Ê = E − min E, but E itself at the last point
        flow_out = log_sum_exp([low - e for e in row])
        mc += (flow_in - flow_out) ** 2
        log_p += -row[label] - log_sum_exp([-e for e in row])
        flow_in = low - row[label]
    return mc, log_p


def float32(v):  # gfncp reads points as float32 and rounds them again after scaling
    return struct.unpack("f", struct.pack("f", v))[0]


def median(values):
    s = sorted(values)
    return (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2


def main(weights_path, csv_path, label_column, score_path):
    score = json.load(open(score_path))
    records = list(csv.DictReader(open(csv_path)))
    names = [c for c in records[0] if c != label_column]
    raw = [[float32(float(r[c])) for c in names] for r in records]
    center = score.get("center") or [median(column) for column in zip(*raw)]
    center = [float32(c) for c in center]
    points = [[float32((v - c) * score["scale_factor"]) for v, c in zip(p, center)] for p in raw]
    order = list(dict.fromkeys(r[label_column] for r in records))  # labels by first appearance
    labels = [order.index(r[label_column]) for r in records]
    table = energy_table(read_weights(weights_path), points, labels)
    deviation = max(abs(a - b) / max(1, abs(b)) for ours, theirs in zip(table, score["energies"]) for a, b in zip(ours, theirs))
    assert [len(r) for r in table] == [len(r) for r in score["energies"]]
    mc, log_p = mc_and_log_prob(table, labels)
    print(f"energies: {sum(map(len, table))}, largest relative deviation {deviation:.1e}")
    print(f"MC: {mc:.6g} here, {score['mc']:.6g} there, relative deviation {abs(mc - score['mc']) / max(1, abs(score['mc'])):.1e}")
    print(f"log p in the file's order: {log_p:.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
