"""GFNCP and NCP in PyTorch 2, by the Go program's algorithm: folded layers, all candidates packed into one call.

Sampling and greedy decoding are a loop over the points on exactly the candidates that exist.
"""
import torch
from torch import nn

import shared

NAME = f"torch {torch.__version__}"


def mlp(x, layers):
    for i, (w, b) in enumerate(layers):
        x = torch.relu(x) if i else x
        x = x @ w if b is None else torch.addmm(b, x, w)
    return x


def g_of(F, sums):
    return mlp(torch.relu(sums + F["g bias"]), F["g"])


def energy_of(F, state):
    return mlp(torch.relu(state + F["f bias"]), F["f"]).squeeze(1)


def encode(F, x):
    """h [B,N,H] and the sums of u over the points ahead, [B,N,H]."""
    b, n, _ = x.shape
    h, u = (mlp(x.flatten(0, 1), F[name]).view(b, n, -1) for name in ("h", "u"))
    return h, torch.triu(x.new_ones(n, n), 1) @ u


def table(F, x, q):
    """Energies [B,N,K] of all candidates of the plan q, ILLEGAL where a slot is not one; and h."""
    b, n, _ = x.shape
    h, ahead = encode(F, x)

    def member(t):
        return torch.cat([t.flatten(0, 1), t.new_zeros(1, t.shape[2])]).index_select(0, q["before"])

    gamma = g_of(F, member(torch.bmm(q["same"], h)) + h.flatten(0, 1).index_select(0, q["point"]))
    joined = gamma.index_select(0, q["own"]).view(b, n, -1)
    rest = (torch.bmm(q["current"], joined) + ahead).flatten(0, 1).index_select(0, q["point"]) - member(joined)
    energies = torch.cat([energy_of(F, gamma + rest), x.new_full((1,), shared.ILLEGAL)])
    return energies.index_select(0, q["cell"]).view(b, n, -1), h


def taken(energies, labels):
    return energies.gather(2, labels.unsqueeze(2)).squeeze(2)


def final_energy(F, h, labels):
    """E [B] of whole labellings [B,N]."""
    member = nn.functional.one_hot(labels).transpose(1, 2).to(h.dtype)  # [B,K,N]
    sums = member @ h
    g = g_of(F, sums.flatten(0, 1)).view(sums.shape)
    return energy_of(F, (g * (member.sum(2) > 0).unsqueeze(2)).sum(1))


def loss_gfncp(p, x, q, negative=None, lam=0.4, delta=0.6):
    """MC + δ·Reg + λ·CD, the mean over sets, divided by N; λ = 0 without a negative sample."""
    F = shared.fold(p)
    energies, h = table(F, x, q)
    own, low = taken(energies, q["labels"]), energies.amin(2)
    out = torch.logsumexp(-energies, 2)
    into = own - low
    into = torch.cat([torch.zeros_like(into[:, :1]), into[:, 1:-1]], 1)
    out = torch.cat([(out + low)[:, 1:-1], out[:, -1:]], 1)
    final = own[:, -1]
    loss = ((out + into) ** 2).sum(1) + delta * final**2
    if negative is not None:
        loss = loss + lam * (final - final_energy(F, h, negative))
    return loss.mean() / x.shape[1]


def loss_ncp(p, x, q):
    energies, _ = table(shared.fold(p), x, q)
    log_p = -taken(energies, q["labels"]) - torch.logsumexp(-energies, 2)
    return -log_p[:, 1:].sum(1).mean() / x.shape[1]


class Walk:
    """The clusters of B sets point by point: sums of h, and g of them, in slots of each set."""

    def __init__(self, F, h):
        self.F, self.batch, self.slots = F, h.shape[0], 8
        self.clusters = torch.zeros(self.batch, dtype=torch.long, device=h.device)
        self.sums, self.gammas = (h.new_zeros(self.batch, self.slots, h.shape[2]) for _ in range(2))
        self.sets = torch.arange(self.batch, device=h.device)

    def energies(self, h, ahead):
        """Energies [B,slots] of the next point, infinite where a slot is no candidate; keeps g of the candidates."""
        while int(self.clusters.max()) >= self.slots:
            self.sums, self.gammas = (torch.cat([t, torch.zeros_like(t)], 1) for t in (self.sums, self.gammas))
            self.slots *= 2
        at = (torch.arange(self.slots, device=h.device) <= self.clusters[:, None]).flatten().nonzero().squeeze(1)
        its_set = at // self.slots
        sums = self.sums.flatten(0, 1).index_select(0, at) + h.index_select(0, its_set)
        rest = (self.gammas.sum(1) + ahead).index_select(0, its_set) - self.gammas.flatten(0, 1).index_select(0, at)
        self.new = g_of(self.F, sums)
        energies = h.new_full((self.batch * self.slots,), float("inf"))
        return energies.index_copy_(0, at, energy_of(self.F, self.new + rest)).view(self.batch, self.slots)

    def move(self, h, label):
        """Gives the point of the last energies to the slots [B]."""
        cell, candidates = self.sets * self.slots + label, self.clusters + 1
        row = torch.cumsum(candidates, 0) - candidates + label
        self.sums.view(-1, h.shape[1]).index_add_(0, cell, h)
        self.gammas.view(-1, h.shape[1]).index_copy_(0, cell, self.new.index_select(0, row))
        self.clusters = torch.maximum(self.clusters, label + 1)


@torch.no_grad()
def walk(F, x, sample=False):
    """Labels [B,N], greedy or drawn from the policy."""
    h, ahead = encode(F, x)
    uniform = torch.rand(x.shape[1], x.shape[0], 1, device=x.device) if sample else None
    state, labels = Walk(F, h), []
    for n in range(x.shape[1]):
        energies = state.energies(h[:, n], ahead[:, n])
        if sample:
            up_to = torch.softmax(-energies, 1).cumsum(1)
            label = torch.minimum((up_to <= uniform[n]).sum(1), state.clusters)
        else:
            label = energies.argmin(1)
        state.move(h[:, n], label)
        labels.append(label)
    return torch.stack(labels, 1)


def tensors(arrays, device):
    return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}


class Trainer:
    """Optimizer steps of "gfncp" or "ncp" from weights by name (numpy arrays)."""

    def __init__(self, weights, model, device="cpu"):
        self.model, self.device, self.found = model, device, 0.0
        self.p = {name: w.clone().requires_grad_() for name, w in tensors(weights, device).items()}
        self.adam = torch.optim.Adam(self.p.values(), lr=5e-4, foreach=True)

    def step(self, x, labels, lam=0.4):
        """Loss and gradient norm of one step on x [B,N,D] and labels [B,N], both of numpy."""
        q, x = tensors(shared.plan(labels), self.device), torch.from_numpy(x).to(self.device)
        q["labels"] = q["labels"].long()
        if self.model == "ncp":
            loss = loss_ncp(self.p, x, q)
        else:
            loss = loss_gfncp(self.p, x, q, self.negative(x) if lam else None, lam)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.p.values(), 1.0)
        self.adam.step()
        return float(loss.detach()), float(norm)

    @torch.no_grad()
    def negative(self, x):
        labels = walk(shared.fold(self.p), x, sample=True)
        self.found = float(labels.amax(1).float().mean() + 1)
        return labels


def decoder(weights, device="cpu"):
    """A function from points [B,N,D] to their greedy labels [B,N], both of numpy."""
    F = shared.fold(tensors(weights, device))
    return lambda x: walk(F, torch.from_numpy(x).to(device)).cpu().numpy()
