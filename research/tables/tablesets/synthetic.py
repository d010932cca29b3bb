"""Draw the synthetic sets of `gfncp reproduce tables-synthetic`.

Reads {"each": sets of a kind, "points": [least, most], "seed": S} from standard input and writes, as JSON, a list of
sets {"name", "kind", "d", "x": rows one after another, "labels"}. The labels are the generating components. Every set
has a RandomState of its own, from the seed, its kind and its place, so that none depends on the others.

This is no prior of the models: shapes are scikit-learn's make_* and Gaussian components of mclust's 14 families.
"""

import json
import sys

import numpy as np
from sklearn import datasets

# Celeux & Govaert (1995), as mclust names them: volume, shape and orientation are Equal, Variable or Identity.
FAMILIES = ["EII", "VII", "EEI", "VEI", "EVI", "VVI", "EEE", "VEE", "EVE", "VVE", "EEV", "VEV", "EVV", "VVV"]


def sizes(rng, n, k, even):
    """n points shared out among k components: the shares are Dirichlet(10) or uneven, Dirichlet(1); each has 8."""
    shares = rng.dirichlet(np.full(k, 10.0 if even else 1.0))
    counts = np.maximum(8, np.floor(shares * n).astype(int))
    counts[np.argmax(counts)] += max(0, n - counts.sum())
    return counts


def orientation(rng, d):
    """A rotation, uniform but for its handedness."""
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.sign(np.diag(r))


def roots(rng, family, k, d):
    """Square roots A_k of covariances A_k A_kᵀ = λ_k D_k S_k D_kᵀ with det S_k = 1, of one of the 14 families."""

    def each(letter, draw):
        first = draw()
        return [first if letter == "E" or j == 0 else draw() for j in range(k)]

    def shape():
        logs = rng.normal(0, 0.7, size=d)
        return np.exp(logs - logs.mean())

    volumes = each(family[0], lambda: np.exp(rng.normal(0, 0.6)))
    shapes = each(family[1], shape) if family[1] != "I" else [np.ones(d)] * k
    turns = each(family[2], lambda: orientation(rng, d)) if family[2] != "I" else [np.eye(d)] * k
    return [np.sqrt(v) * q * np.sqrt(s) for v, s, q in zip(volumes, shapes, turns)]


def ellipses(rng, n, k, d, even=True, noise=0):
    """Gaussian components of a random family around random means, beside columns of noise of the same width."""
    family = FAMILIES[rng.randint(len(FAMILIES))]
    spread = rng.uniform(2.0, 5.0) * d ** -0.25
    means = rng.normal(0, spread, size=(k, d))
    x, labels = [], []
    for j, (root, count) in enumerate(zip(roots(rng, family, k, d), sizes(rng, n, k, even))):
        x.append(means[j] + rng.normal(size=(count, d)) @ root.T)
        labels += [j] * count
    x = np.vstack(x)
    return np.hstack([x, x.std() * rng.normal(size=(len(x), noise))]), labels


def blobs(rng, n, k, d, varied=False, linear=False):
    deviations = np.exp(rng.uniform(np.log(0.5), np.log(2.5), size=k)) if varied else 1.0
    x, labels = datasets.make_blobs(
        n_samples=n, n_features=d, centers=k, cluster_std=deviations, center_box=(-8, 8), random_state=rng)
    if linear:
        x = x @ rng.normal(size=(d, d))
    return x, labels


def classification(rng, n, k, d):
    informative = max(2, int(np.ceil(np.log2(k))), d // 2)
    return datasets.make_classification(
        n_samples=n, n_features=d, n_informative=informative, n_redundant=min(2, d - informative), n_classes=k,
        n_clusters_per_class=1, class_sep=rng.uniform(1.0, 3.0), flip_y=0, random_state=rng)


def quantiles(rng, n, k, d):
    return datasets.make_gaussian_quantiles(n_samples=n, n_features=d, n_classes=k, random_state=rng)


def moons(rng, n):
    return datasets.make_moons(n_samples=n, noise=rng.uniform(0.03, 0.12), random_state=rng)


def circles(rng, n):
    return datasets.make_circles(
        n_samples=n, noise=rng.uniform(0.02, 0.08), factor=rng.uniform(0.3, 0.6), random_state=rng)


# By kind: least K, least D, and the draw of a set of n points, about k clusters and d columns.
KINDS = {
    "blobs": (1, 2, lambda rng, n, k, d: blobs(rng, n, k, d)),
    "blobs, varied": (2, 2, lambda rng, n, k, d: blobs(rng, n, k, d, varied=True)),
    "blobs, anisotropic": (2, 2, lambda rng, n, k, d: blobs(rng, n, k, d, linear=True)),
    "moons": (2, 2, lambda rng, n, k, d: moons(rng, n)),
    "circles": (2, 2, lambda rng, n, k, d: circles(rng, n)),
    "classification": (2, 3, lambda rng, n, k, d: classification(rng, n, k, d)),
    "Gaussian quantiles": (2, 2, lambda rng, n, k, d: quantiles(rng, n, min(k, 4), d)),
    "ellipses": (1, 2, lambda rng, n, k, d: ellipses(rng, n, k, d)),
    "ellipses, uneven": (2, 2, lambda rng, n, k, d: ellipses(rng, n, k, d, even=False)),
    "ellipses, noise columns": (2, 2, lambda rng, n, k, d: ellipses(rng, n, k, (d + 1) // 2 + 1, noise=d // 2)),
}


def draw(seed, kind, place, points):
    least_k, least_d, make = KINDS[kind]
    rng = np.random.RandomState([seed, list(KINDS).index(kind), place])
    n = int(np.exp(rng.uniform(np.log(points[0]), np.log(points[1]))))
    k, d = rng.randint(least_k, 9), int(np.exp(rng.uniform(np.log(least_d), np.log(20.99))))
    x, labels = make(rng, n, k, max(d, least_d))
    order = rng.permutation(len(x))
    return {
        "name": "%s %d" % (kind, place + 1), "kind": kind, "d": x.shape[1],
        "x": [round(float(v), 5) for v in x[order].ravel()], "labels": [int(labels[i]) for i in order],
    }


def main():
    asked = json.load(sys.stdin)
    places = [(kind, i) for i in range(asked["each"]) for kind in KINDS]
    json.dump([draw(asked["seed"], kind, i, asked["points"]) for kind, i in places], sys.stdout)


if __name__ == "__main__":
    main()
