"""K-means and spectral clustering with the true K, on sets in JSON from standard input; labels in JSON to standard output."""

import json
import sys

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

request = json.load(sys.stdin)
labels = []
for points, k in zip(request["sets"], request["k"]):
    x = np.reshape(points, (-1, request["d"]))
    if request["method"] == "k-means":
        method = KMeans(k, n_init=10, random_state=1)
    else:
        method = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=1)
    labels.append(method.fit_predict(x).tolist())
json.dump(labels, sys.stdout)
