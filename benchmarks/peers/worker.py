"""The Python half of rounds.py: python3 worker.py PROGRAM WORK HANDOVER DEVICE

It opens a work of a program (a module of this folder) as the Go program does (main.go): prints a line that says what
runs, then calls the work once for each line on standard input and prints the number of clusters that the call found.
The work "results" prints instead what the program computes from the Go program's batches and weights, as JSON.
"""
import importlib
import json
import sys

import numpy as np

import shared

MODELS = ("gfncp", "ncp")
DECODINGS = ("decode-batch", "decode-6", "decode-50")


def batches(given):
    """The x [B,N,D] and labels [B,N] of consecutive steps."""
    return [(given[f"x.{s}"], given[f"labels.{s}"].astype(np.int32)) for s in range(len(given["loss.gfncp"]))]


def opened(program, work, given, device):
    """The function that is timed; it returns the mean K that was found."""
    if work in DECODINGS:
        decode, x = program.decoder(shared.below(given, "trained."), *device), given[work + ".x"]
        return lambda: float(decode(x).max(1).mean() + 1)
    model, steps = work.removeprefix("step-"), batches(given)
    trainer = program.Trainer(shared.below(given, "initial."), model, *device)

    def call():
        steps.append(steps.pop(0))
        trainer.step(*steps[-1])
        return trainer.found

    return call


def results(program, given, device):
    """Losses and gradient norms of the handed steps for λ = 0, and greedy labels, by the handover's names."""
    found = {}
    for model in MODELS:
        trainer = program.Trainer(shared.below(given, "initial."), model, *device)
        steps = [trainer.step(x, labels, lam=0) for x, labels in batches(given)]
        found["loss." + model], found["norm." + model] = (list(values) for values in zip(*steps))
    decode = program.decoder(shared.below(given, "trained."), *device)
    for name in DECODINGS:
        found[name + ".labels"] = decode(given[name + ".x"]).tolist()
    return found


def main(name, work, handover, *device):
    program, given = importlib.import_module(name), shared.read_safetensors(handover)
    if work == "results":
        print(json.dumps(results(program, given, device)))
        return
    call = opened(program, work, given, device)
    print(program.NAME, flush=True)
    for _ in sys.stdin:
        print(call(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
