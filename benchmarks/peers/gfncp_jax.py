"""GFNCP and NCP in JAX, by the Go program's algorithm: folded layers, all candidates packed into one call.

Sampling and greedy decoding are a while_loop over the points on a fixed number of slots. It ends when a set has used
them all, and a loop with more slots goes on from there.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import shared

NAME = f"jax {jax.__version__}"


def mlp(x, layers):
    for i, (w, b) in enumerate(layers):
        x = (jax.nn.relu(x) if i else x) @ w
        x = x if b is None else x + b
    return x


def g_of(F, sums):
    return mlp(jax.nn.relu(sums + F["g bias"]), F["g"])


def energy_of(F, state):
    return mlp(jax.nn.relu(state + F["f bias"]), F["f"])[:, 0]


def encode(F, x):
    """h [B,N,H] and the sums of u over the points ahead, [B,N,H]."""
    b, n, d = x.shape
    h, u = (mlp(x.reshape(b * n, d), F[name]).reshape(b, n, -1) for name in ("h", "u"))
    return h, jnp.triu(jnp.ones((n, n)), 1) @ u


def table(F, x, q):
    """Energies [B,N,K] of all candidates of the plan q, ILLEGAL where a slot is not one; and h."""
    b, n, _ = x.shape
    h, ahead = encode(F, x)
    flat = lambda t: t.reshape(b * n, -1)
    member = lambda t: jnp.concatenate([flat(t), jnp.zeros((1, t.shape[-1]))])[q["before"]]
    gamma = g_of(F, member(q["same"] @ h) + flat(h)[q["point"]])
    joined = gamma[q["own"]].reshape(b, n, -1)
    rest = flat(q["current"] @ joined + ahead)[q["point"]] - member(joined)
    energies = jnp.append(energy_of(F, gamma + rest), shared.ILLEGAL)
    return energies[q["cell"]].reshape(b, n, -1), h


def taken(energies, labels):
    return jnp.take_along_axis(energies, labels[:, :, None], 2)[:, :, 0]


def final_energy(F, h, labels, slots):
    """E [B] of whole labellings [B,N] with at most so many clusters."""
    member = (labels[:, None, :] == jnp.arange(slots)[None, :, None]).astype(h.dtype)
    sums = member @ h
    g = g_of(F, sums.reshape(-1, sums.shape[2])).reshape(sums.shape)
    return energy_of(F, jnp.sum(g * (jnp.sum(member, 2) > 0)[:, :, None], 1))


def loss_gfncp(p, x, q, negative, slots, lam, delta=0.6):
    """MC + δ·Reg + λ·CD, the mean over sets, divided by N; without a negative sample for λ = 0."""
    F = shared.fold(p)
    energies, h = table(F, x, q)
    own, low = taken(energies, q["labels"]), jnp.min(energies, 2)
    out = jax.nn.logsumexp(-energies, 2)
    into = jnp.where(jnp.arange(x.shape[1]) == 0, 0, own - low)[:, :-1]
    out = jnp.concatenate([(out + low)[:, 1:-1], out[:, -1:]], 1)
    final = own[:, -1]
    loss = jnp.sum((out + into) ** 2, 1) + delta * final**2
    if lam:
        loss = loss + lam * (final - final_energy(F, h, negative, slots))
    return jnp.mean(loss) / x.shape[1]


def loss_ncp(p, x, q):
    energies, _ = table(shared.fold(p), x, q)
    log_p = -taken(energies, q["labels"]) - jax.nn.logsumexp(-energies, 2)
    return -jnp.mean(jnp.sum(log_p[:, 1:], 1)) / x.shape[1]


def adam(p, grads, state, rate=5e-4, clip=1.0, b1=0.9, b2=0.999, eps=1e-8):
    """One step of Adam on a clipped gradient: weights, state, and the gradient's norm before clipping."""
    each = jax.tree.map
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
    grads = each(lambda g: g * (clip / jnp.maximum(norm, clip)), grads)
    t, m, v = state
    t, m = t + 1, each(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
    v = each(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)
    move = lambda p, m, v: p - rate * (m / (1 - b1**t)) / (jnp.sqrt(v / (1 - b2**t)) + eps)
    return each(move, p, m, v), (t, m, v), norm


@functools.partial(jax.jit, static_argnames=("loss", "slots", "lam"), donate_argnames=("p", "state"))
def update(loss, p, state, x, q, **more):
    value, grads = jax.value_and_grad(loss)(p, x, q, **more)
    return (*adam(p, grads, state), value)


def stages(points):
    """The numbers of slots of the loops, one after another."""
    sizes = (4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128)
    return (*(s for s in sizes if s <= points), points + 1)


def walk(F, x, uniform=None):
    """Labels [B,N] and the largest K, greedy, or drawn by uniform numbers [N,B]."""
    b, n, _ = x.shape
    h, ahead = (jnp.swapaxes(t, 0, 1) for t in encode(F, x))  # [N,B,H]
    empty = jnp.zeros((b, 0, h.shape[2]))
    state = jnp.int32(0), jnp.zeros(b, jnp.int32), empty, empty, jnp.zeros((n, b), jnp.int32)
    for slots in stages(n):
        step, clusters, sums, gammas, labels = state
        grow = jnp.zeros((b, slots - sums.shape[1], h.shape[2]))
        state = step, clusters, jnp.append(sums, grow, 1), jnp.append(gammas, grow, 1), labels
        room = lambda s, slots=slots: (s[0] < n) & (jnp.max(s[1]) < slots)
        state = lax.while_loop(room, functools.partial(decide, F, h, ahead, uniform, jnp.arange(slots)), state)
    return state[4].T, jnp.max(state[1])


def decide(F, h, ahead, uniform, k, state):
    """Labels one point of each set; k are the slots."""
    step, clusters, sums, gammas, labels = state
    b, slots, width = sums.shape
    grown = sums + h[step][:, None, :]
    rest = (jnp.sum(gammas, 1) + ahead[step])[:, None, :] - gammas
    gamma = g_of(F, grown.reshape(b * slots, width))
    energies = energy_of(F, gamma + rest.reshape(b * slots, width)).reshape(b, slots)
    score = jnp.where(k <= clusters[:, None], -energies, -jnp.inf)
    if uniform is None:
        label = jnp.argmax(score, 1).astype(jnp.int32)
    else:
        up_to = jnp.cumsum(jax.nn.softmax(score, axis=1), 1)
        label = jnp.minimum(jnp.sum(up_to <= uniform[step][:, None], 1).astype(jnp.int32), clusters)
    chosen = (k == label[:, None])[:, :, None]
    return (step + 1, jnp.maximum(clusters, label + 1), jnp.where(chosen, grown, sums),
            jnp.where(chosen, gamma.reshape(b, slots, width), gammas), labels.at[step].set(label))


@jax.jit
def sample(p, x, key):
    return walk(shared.fold(p), x, jax.random.uniform(key, (x.shape[1], x.shape[0])))


greedy = jax.jit(walk)


class Trainer:
    """Optimizer steps of "gfncp" or "ncp" from weights by name (numpy arrays)."""

    def __init__(self, weights, model):
        self.p, self.model, self.key = {k: jnp.array(w) for k, w in weights.items()}, model, jax.random.key(1)
        zeros = lambda: jax.tree.map(jnp.zeros_like, self.p)
        self.state, self.found = (jnp.float32(0), zeros(), zeros()), 0.0

    def step(self, x, labels, lam=0.4):
        """Loss and gradient norm of one step on x [B,N,D] and labels [B,N], both of numpy."""
        q, more = shared.plan(labels), {}
        if self.model == "gfncp":
            more = {"negative": q["labels"], "slots": 0, "lam": lam}
            if lam:
                self.key, key = jax.random.split(self.key)
                more["negative"], most = sample(self.p, x, key)
                more["slots"] = -(-int(most) // 8) * 8
                self.found = float(jnp.mean(jnp.max(more["negative"], 1)) + 1)
        loss = loss_gfncp if self.model == "gfncp" else loss_ncp
        self.p, self.state, norm, value = update(loss, self.p, self.state, x, q, **more)
        return float(value), float(norm)


def decoder(weights):
    """A function from points [B,N,D] to their greedy labels [B,N], both of numpy."""
    F = jax.jit(shared.fold)({k: jnp.array(w) for k, w in weights.items()})
    return lambda x: np.array(greedy(F, x)[0])
