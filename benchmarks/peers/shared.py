"""What the JAX and the PyTorch program share: reading tensors, folding layers, and the plan of packed candidates.

Axes: B sets, N points, K slots, R packed candidates, D coordinates. A candidate is a pair of a point n and a slot
k ≤ K_n that exists: the Go program evaluates the candidates of all points of all sets in one call, and so do these.
"""
import json
import struct

import numpy as np

ILLEGAL = 1e30  # the energy of a slot that is no candidate
ROWS = 1024  # R is a multiple of it, so that batches share compiled programs


def read_safetensors(path):
    """The tensors of a safetensors file by name, as float32: half precision is widened (docs/models.md)."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or name.startswith("optimizer:"):
            continue
        if entry["dtype"] not in ("F32", "F16"):
            raise ValueError(f"{path}: tensor {name} is {entry['dtype']}, want F32 or F16")
        first, last = entry["data_offsets"]
        flat = np.frombuffer(data[first:last], "<f4" if entry["dtype"] == "F32" else "<f2")
        tensors[name] = flat.astype(np.float32).reshape(entry["shape"])
    return tensors


def below(tensors, prefix):
    """Those tensors whose names begin with the prefix, under the rest of their names."""
    return {name[len(prefix):]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def fold(p):
    """The networks h, u, g, f as lists of (W, b), with linear layers that follow each other multiplied out.

    g sums h before its first layer, and f sums g: both first layers are linear up to their bias, so they move into the
    last layer of what is summed. p holds arrays of numpy, JAX or PyTorch.
    """
    nets = {name: [(p[f"{name}.{i}.weight"], p.get(f"{name}.{i}.bias")) for i in range(layers)]
            for name, layers in (("h", 5), ("u", 5), ("g", 6), ("f", 6))}

    def into(layers, w):
        (last, bias) = layers[-1]
        return layers[:-1] + [(last @ w, bias @ w)]

    (wg, bg), (wf, bf) = nets["g"][0], nets["f"][0]
    width = nets["g"][-1][0].shape[1]  # of G, before U in f's input
    return {"h": into(nets["h"], wg), "u": into(nets["u"], wf[width:]), "g": into(nets["g"][1:], wf[:width]),
            "f": nets["f"][1:], "g bias": bg, "f bias": bf}


def plan(labels):
    """Index vectors of the packed candidates of labels [B,N], numbered by first appearance in each set.

    point [R]     the point of a candidate, in 0..B·N-1
    before [R]    the last point before it that is in the candidate's slot; B·N where there is no member yet
    own [B·N]     the row of the candidate that a point takes
    cell [B·N·K]  the row of each slot, or R where the slot is no candidate
    same, current [B,N,N]  1 where i ≤ n is in n's cluster; 1 where i < n is the last of its cluster before n
    Rows that fill R up repeat the first candidate, and no cell has them.
    """
    b, n = labels.shape
    slots = int(labels.max()) + 2
    index = np.arange(n)
    member = labels[:, :, None] == np.arange(slots)
    last = np.maximum.accumulate(np.where(member, index[None, :, None], -1), 1)
    last = np.concatenate([np.full((b, 1, slots), -1), last[:, :-1]], 1)  # before n
    at = np.flatnonzero(np.arange(slots) <= (last >= 0).sum(2)[:, :, None])
    rows = -(-len(at) // ROWS) * ROWS
    cell = np.full(b * n * slots, rows)
    cell[at] = np.arange(len(at))
    at = np.concatenate([at, np.full(rows - len(at), at[0])])
    point, before = at // slots, last.reshape(-1)[at]
    before = np.where(before < 0, b * n, point // n * n + before)
    taken = labels[:, :, None]
    own = np.take_along_axis(cell.reshape(b, n, slots), taken, 2)
    again = np.full((b, n + 1), n)  # the next point of the same cluster, or n; the last column is spare
    np.put_along_axis(again, np.take_along_axis(last, taken, 2)[:, :, 0], np.broadcast_to(index, (b, n)), 1)
    same = (taken == labels[:, None, :]) & (index <= index[:, None])
    current = (again[:, None, :n] >= index[:, None]) & (index < index[:, None])
    vectors = {"point": point, "before": before, "own": own.reshape(-1), "cell": cell, "labels": labels}
    arrays = {name: v.astype(np.int32) for name, v in vectors.items()}
    arrays.update(same=same.astype(np.float32), current=current.astype(np.float32))
    return arrays
