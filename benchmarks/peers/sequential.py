"""GFNCP and NCP as a sequential PyTorch program: the direct way to write the paper's algorithm.

Written for this project from the paper (alg:training; eqs. Hk, G_def, Q, unnormalized_marginal, mc_loss, cd_gradient).
Training and decoding walk over the points n in a Python loop; a step evaluates the K_n+1 candidates of every set. What
the Go program does instead (all candidates of all points in one call, folded layers) is left out on purpose. What costs
nothing and helps is in: every point is encoded once and in one call; g of unchanged clusters is kept, so that a
candidate costs one row of g and one of f; nothing is copied to or from the host inside a training step's loop but the
number of slots while sampling; no gradients are kept while sampling.

Axes: B sets, N points, W slots (the widest K_n+1 of the batch), D coordinates. Labels are int64, canonical: numbered by
first appearance from 0.
"""
import torch
from torch import nn

NAME = f"torch {torch.__version__}, sequential"


def mlp(layers, sizes_in, hidden, sizes_out, last_bias=True):
    """Linear layers with a ReLU between each two."""
    sizes = [sizes_in] + [hidden] * (layers - 1) + [sizes_out]
    parts = []
    for i in range(layers):
        parts += [nn.Linear(sizes[i], sizes[i + 1], bias=last_bias or i < layers - 1), nn.ReLU(inplace=True)]
    return nn.Sequential(*parts[:-1])


class Network(nn.Module):
    """The energy E[c_{1:n}] = f(G, U): G = Σ_k g(H_k), H_k = Σ_{i: c_i=k} h(x_i), U = Σ_{i>n} u(x_i)."""

    def __init__(self, dim=2, hidden=128, embed=128, global_=512):
        super().__init__()
        self.embed, self.global_ = embed, global_
        self.h = mlp(5, dim, hidden, embed)
        self.u = mlp(5, dim, hidden, embed)
        self.g = mlp(6, embed, hidden, global_)
        self.f = mlp(6, global_ + embed, hidden, 1, last_bias=False)

    def encode(self, x):
        """x [B,N,D] to h [B,N,E] and the sums over the points ahead, [B,N,E]: ahead[:, n] = Σ_{i>n} u(x_i)."""
        u = self.u(x)
        ahead = torch.flip(torch.cumsum(torch.flip(u[:, 1:], [1]), 1), [1])
        return self.h(x), torch.cat([ahead, torch.zeros_like(u[:, :1])], 1)

    def final_energy(self, h, labels, slots):
        """E[c_{1:N}] [B] of whole labellings [B,N] with at most slots clusters each, given h [B,N,E]."""
        member = nn.functional.one_hot(labels, slots).to(h.dtype)  # [B,N,W]
        sums = member.transpose(1, 2) @ h
        g = self.g(sums) * (member.sum(1) > 0).unsqueeze(2)  # g of an empty cluster counts as 0
        return self.f(torch.cat([g.sum(1), h.new_zeros(h.shape[0], self.embed)], 1)).squeeze(1)


class Walk:
    """The state after some points of B sets: per slot the cluster's sum of h and its g, zero for an empty slot."""

    def __init__(self, network, batch, slots, like):
        self.network, self.batch, self.slots = network, batch, slots
        self.sums = like.new_zeros(batch * slots, network.embed)
        self.g = like.new_zeros(batch * slots, network.global_)
        self.total = like.new_zeros(batch, network.global_)

    def energies(self, h, ahead, width):
        """E [B,width] of the next point, h [B,E], in slots 0..width-1, without meaning past a set's own K_n+1."""
        sums = self.sums.view(self.batch, self.slots, -1)[:, :width] + h.unsqueeze(1)
        rest = self.total.unsqueeze(1) - self.g.view(self.batch, self.slots, -1)[:, :width]
        self.new_g = self.network.g(sums)
        self.new_total = rest + self.new_g
        state = torch.cat([self.new_total, ahead.unsqueeze(1).expand(-1, width, -1)], 2)
        return self.network.f(state).squeeze(2)

    def move(self, h, stored, chosen):
        """Takes a candidate of the last energies: its flat index in [B,slots] and in [B,width], both [B]."""
        self.sums.index_add_(0, stored, h)
        self.g.index_copy_(0, stored, self.new_g.flatten(0, 1).index_select(0, chosen))
        self.total = self.new_total.flatten(0, 1).index_select(0, chosen)

    def grow(self):
        """Doubles the slots."""
        for name in ("sums", "g"):
            old = getattr(self, name).view(self.batch, self.slots, -1)
            setattr(self, name, torch.cat([old, torch.zeros_like(old)], 1).flatten(0, 1))
        self.slots *= 2


class Plan:
    """What the walk along known labels [B,N] needs: the number of candidates a step, masks, flat indices."""

    def __init__(self, labels, device):
        labels = labels.cpu()
        batch, points = labels.shape
        clusters = torch.cummax(labels, 1).values + 1  # K after each point
        before = clusters[:, :-1]  # K_n of the decisions n = 2..N, [B,N-1]
        self.batch, self.points, self.slots = batch, points, int(clusters[:, -1].max()) + 1
        self.widths = [1] + (before.max(0).values + 1).tolist()
        rows = torch.arange(batch).unsqueeze(1)
        self.stored = (rows * self.slots + labels).t().contiguous().to(device)  # [N,B]
        self.chosen = (rows * torch.tensor(self.widths) + labels).t().contiguous().to(device)
        self.labels = labels.t().contiguous().unsqueeze(2).to(device)  # [N,B,1]
        self.illegal = (torch.arange(self.slots) > before.t().unsqueeze(2)).to(device)  # [N-1,B,slots]


def energy_table(network, encoded, plan):
    """Yields for n = 2..N the energies [B,W_n] along the plan's labels, given network.encode(x); +inf is illegal."""
    h, ahead = encoded
    h, ahead = h.transpose(0, 1).unbind(0), ahead.transpose(0, 1).unbind(0)
    walk = Walk(network, plan.batch, plan.slots, h[0])
    for n, width in enumerate(plan.widths):
        energies = walk.energies(h[n], ahead[n], width)
        if n + 1 < plan.points:
            walk.move(h[n], plan.stored[n], plan.chosen[n])
        if n > 0:  # the first point has no choice
            yield energies.masked_fill(plan.illegal[n - 1, :, :width], float("inf"))


def objective(network, x, plan, negative=None, lam=0.4, delta=0.6):
    """GFNCP's loss on labels: MC + δ·Reg + λ·CD, mean over sets, divided by N. negative is a sample c~ [B,N], or None.

    MC = Σ_{n=2..N} (Ê[c_{1:n−1}] + logsumexp_k(−Ê[c_{1:n−1},k]))², Ê = 0 at n = 1, E − min E for 1 < n < N, E at n = N.
    """
    encoded = network.encode(x)
    mc, into = 0.0, 0.0  # into is log F of the state that is left, −Ê
    for n, energies in enumerate(energy_table(network, encoded, plan), start=1):
        if n + 1 < plan.points:
            energies = energies - energies.min(1, keepdim=True).values
        out = torch.logsumexp(-energies, 1)
        mc = mc + (out - into) ** 2
        into = -energies.gather(1, plan.labels[n]).squeeze(1)
    final = -into
    loss = mc + delta * final**2
    if negative is not None:
        loss = loss + lam * (final - network.final_energy(encoded[0], negative, int(negative.max()) + 1))
    return loss.mean() / plan.points


def log_prob(network, x, plan):
    """log p(c|x) [B] = Σ_{n≥2} log softmax(−E)[c_n], without the constant log 1/N!."""
    total = 0.0
    for n, energies in enumerate(energy_table(network, network.encode(x), plan), start=1):
        total = total - energies.gather(1, plan.labels[n]).squeeze(1) - torch.logsumexp(-energies, 1)
    return total


@torch.no_grad()
def decode(network, x, sample=False, generator=None):
    """Labels [B,N] point by point: the most probable slot, or a draw from the policy. Also their log-prob [B]."""
    batch, points, device = x.shape[0], x.shape[1], x.device
    h, ahead = network.encode(x)
    walk = Walk(network, batch, 16, h)
    rows, clusters = torch.arange(batch, device=device), torch.zeros(batch, dtype=torch.long, device=device)
    slots = torch.arange(points + 1, device=device)
    labels, total = [], h.new_zeros(batch)
    for n in range(points):
        width = int(clusters.max()) + 1  # the one number a step that the host must know
        if width > walk.slots:
            walk.grow()
        energies = walk.energies(h[:, n], ahead[:, n], width)
        energies = energies.masked_fill(slots[:width] > clusters.unsqueeze(1), float("inf"))
        score = -energies
        if sample:  # Gumbel: argmax(score − log Exp(1)) is a draw from softmax(score)
            score = score - torch.empty_like(score).exponential_(generator=generator).clamp_min_(1e-30).log_()
        label = score.argmax(1)
        if n > 0:
            total += torch.log_softmax(-energies, 1).gather(1, label.unsqueeze(1)).squeeze(1)
        walk.move(h[:, n], rows * walk.slots + label, rows * width + label)
        clusters = torch.maximum(clusters, label + 1)
        labels.append(label)
    return torch.stack(labels, 1), total


def training_step(network, optimizer, x, plan, model="gfncp", lam=0.4, clip=1.0, generator=None):
    """One optimizer step of GFNCP (λ = 0 draws no sample) or NCP. Returns loss, gradient norm and the sample."""
    negative = None
    if model == "gfncp":
        if lam:
            negative, _ = decode(network, x, sample=True, generator=generator)
        loss = objective(network, x, plan, negative, lam)
    else:
        loss = -log_prob(network, x, plan).mean() / plan.points
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(network.parameters(), clip)
    optimizer.step()
    return loss.detach(), norm, negative


def adam(network):
    """The paper's optimizer at its first learning rate."""
    return torch.optim.Adam(network.parameters(), lr=5e-4)


def load_network(tensors):
    """The network of weights by name, for vectors (numpy arrays). Its layers are x·W + b; torch keeps W transposed."""
    if tensors["h.0.weight"].ndim != 2 or "u.0.weight" not in tensors:
        raise ValueError("only models of vectors with both encoders are read, not images or online models")
    dim, hidden = tensors["h.0.weight"].shape
    network = Network(dim, hidden, tensors["h.4.weight"].shape[1], tensors["g.5.weight"].shape[1])
    state = {}
    for name, tensor in tensors.items():
        net, layer, kind = name.split(".")
        values = torch.from_numpy(tensor)
        state[f"{net}.{2 * int(layer)}.{kind}"] = values.t() if kind == "weight" else values
    network.load_state_dict(state)
    return network


class Trainer:
    """Optimizer steps of "gfncp" or "ncp" from weights by name (numpy arrays)."""

    def __init__(self, weights, model, device="cpu"):
        self.network, self.model, self.found = load_network(weights).to(device), model, 0.0
        self.adam, self.device = adam(self.network), device

    def step(self, x, labels, lam=0.4):
        """Loss and gradient norm of one step on x [B,N,D] and labels [B,N], both of numpy."""
        x, plan = torch.from_numpy(x).to(self.device), Plan(torch.from_numpy(labels).long(), self.device)
        loss, norm, negative = training_step(self.network, self.adam, x, plan, self.model, lam)
        if negative is not None:
            self.found = float(negative.amax(1).float().mean() + 1)
        return float(loss), float(norm)


def decoder(weights, device="cpu"):
    """A function from points [B,N,D] to their greedy labels [B,N], both of numpy."""
    network = load_network(weights).to(device)
    return lambda x: decode(network, torch.from_numpy(x).to(device))[0].cpu().numpy()
