"""Cluster sets by scikit-learn's methods, for `gfncp reproduce tables-real` and `tables-synthetic`.

Reads {"seed", "most", "sets": [{"d", "x": rows one after another, "k": the true K}]} from standard input and writes,
as JSON, {"versions", "results": [{method: {"labels", "seconds"}} for each set]}. Seconds are of the processor. A method
that fails on a set has a "fault", and all points in one cluster.
"""

import json
import platform
import sys
import time
import warnings

import numpy
import sklearn
from sklearn.cluster import KMeans
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

RESTARTS, ITERATIONS = 5, 500


def by_bic(x, kind, most, seed):
    """The mixture of 1 to `most` components with the lowest BIC."""
    fits = [
        GaussianMixture(k, covariance_type=kind, n_init=RESTARTS, max_iter=ITERATIONS, random_state=seed).fit(x)
        for k in range(1, min(most, len(x) - 1) + 1)
    ]
    return min(fits, key=lambda fit: fit.bic(x)).predict(x)


METHODS = {
    "gmm-full": lambda x, k, most, seed: by_bic(x, "full", most, seed),
    "gmm-diag": lambda x, k, most, seed: by_bic(x, "diag", most, seed),
    "bgmm": lambda x, k, most, seed: BayesianGaussianMixture(
        n_components=min(most, len(x) - 1), n_init=RESTARTS, max_iter=ITERATIONS, random_state=seed).fit_predict(x),
    "kmeans": lambda x, k, most, seed: KMeans(k, n_init=10, random_state=seed).fit_predict(x),
}


def answer(method, asked, given):
    x = numpy.array(given["x"]).reshape(-1, given["d"])
    start, fault = time.process_time(), ""
    try:
        labels = METHODS[method](x, given["k"], asked["most"], asked["seed"])
    except ValueError as error:
        labels, fault = numpy.zeros(len(x), int), str(error)
    return {"labels": labels.tolist(), "seconds": time.process_time() - start, "fault": fault}


def main():
    warnings.simplefilter("ignore")  # of EM runs that end at the last iteration
    asked = json.load(sys.stdin)
    versions = "Python %s, scikit-learn %s, NumPy %s" % (
        platform.python_version(), sklearn.__version__, numpy.__version__)
    results = [{method: answer(method, asked, given) for method in METHODS} for given in asked["sets"]]
    json.dump({"versions": versions, "results": results}, sys.stdout)


if __name__ == "__main__":
    main()
