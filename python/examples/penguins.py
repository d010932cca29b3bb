# %% [markdown]
# # How many kinds of penguins?
# 342 penguins, four measurements of each. Nobody tells the model how many species there are.

# %%
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from gfncp import GFNCP

ROOT = pathlib.Path(__file__).resolve().parents[2]
with open(ROOT / "examples" / "penguins.csv", newline="") as file:
    names, *rows = csv.reader(file)
X, species = np.array([row[:4] for row in rows], dtype=float), np.array([row[4] for row in rows])

# %% [markdown]
# One call: 100 clusterings are drawn from the posterior.

# %%
model = GFNCP(samples=100, random_state=1).fit(X)
print(f"{model.n_clusters_} clusters by model {model.model_}")
print("P(K):", {k: round(p, 2) for k, p in model.k_posterior_.items()})

for kind in np.unique(species):
    print(f"{kind:>10}:", np.bincount(model.labels_[species == kind], minlength=model.n_clusters_))

# %% [markdown]
# Where would further penguins belong? The last column is the probability to be in none of the clusters. A label of -1
# says the same of a row.

# %%
new = [[39.0, 18.5, 190.0, 3700.0], [50.0, 15.0, 222.0, 5500.0], [46.0, 17.0, 205.0, 4300.0]]
print("labels:", model.predict(new))
print(model.predict_proba(new).round(2))

# %% [markdown]
# The clusters, with faint points where the samples disagree; what is known of K; and how often two penguins were in
# one cluster.

# %%
figure, (points, law, together) = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
sure = np.clip(model.probability_, 0.15, 1)
points.scatter(X[:, 0], X[:, 2], c=model.labels_, cmap="Dark2", vmin=0, vmax=7, alpha=sure, s=18)
points.set(xlabel=names[0], ylabel=names[2], title=f"{model.n_clusters_} clusters")

ks = np.arange(1, max(model.k_posterior_) + 1)
law.bar(ks, [model.k_posterior_.get(k, 0) for k in ks], 0.6, color="C0")
law.set(xlabel="number of clusters K", ylabel="P(K)", title="what is known of K")

order = np.argsort(model.labels_, kind="stable")
image = together.imshow(model.co_clustering_[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1)
together.set(title="probability to be together", xticks=[], yticks=[], xlabel="penguins, by cluster")
figure.colorbar(image, ax=together, shrink=0.8)
out = sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "python.png"
figure.savefig(out, dpi=110)
