"""GFNCP, a clusterer with the interface of scikit-learn's, which it does not need."""

import inspect
import sys
import warnings

import numpy as np

from ._process import GFNCPWarning, process
from ._validation import check_names, names_of, points_of


class _NotFitted(ValueError, AttributeError):
    """An estimator is used before fit."""


def _not_fitted(estimator):
    sklearn = sys.modules.get("sklearn.exceptions")  # who catches its exception has it
    kind = sklearn.NotFittedError if sklearn else _NotFitted
    return kind(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' before using this estimator.")


class GFNCP:
    """Cluster points, with the probability of each assignment and of each number of clusters.

    Parameters
    ----------
    model : str, default="auto"
        "auto" and "mixture": a mixture of t distributions with an unknown number of clusters, for tables of any columns
        of numbers. Else a network: a pretrained one ("mog-gfncp-free", "table", "mnist-ncp" …), a run directory, or a
        model file. Images need one.
    n_clusters : int, (int, int) or None
        What is known of K: a number or a range; None: nothing. No row is in none of the clusters then.
    must_link, cannot_link : list of (int, int), or None
        Pairs of rows, from 0, that are in one cluster, and in different ones.
    samples : int, default=100
        Partitions to draw.
    time : float or None
        Seconds: the chains of a table are sampled until they agree, but at most so long. None: at most a fixed number of
        steps, so that one random_state gives one answer on every machine.
    random_state : int, None, or a generator of numpy, default=1
        Names all random choices. None: another one in every fit.
    scale : "auto", "none" or float
        Of a network: what the centred points are multiplied by.
    standardize : bool, default=True
        Of a network of tables: bring the columns to the standard deviation 1.

    Attributes
    ----------
    labels_ : int32 [N], the clusters, numbered by first appearance; -1: in none of them, far from all others.
    n_clusters_ : int, their number K.
    probabilities_ : float64 [N, K+1], how often each point was in each cluster of labels_ and, last, in another one
        or in none. Rows sum to 1. Missing for very many points (docs/json.md), where probability_ has that of each label.
    uncertainty_ : float64 [N, 3], of each point: to be elsewhere, the entropy of its row, its share of the expected VI.
    k_posterior_ : dict, from K to its probability. k_prior_ : the same before the points are seen; empty for a table.
    co_clustering_ : float64 [N, N], how often two points shared a cluster; computed when it is asked for.
    samples_, sample_counts_, sample_log_probs_ : the different partitions int32 [S, N], how often each was drawn, and
        log p(c|x); of a table the log of its share of the draws.
    subset_ : int32 [M], the places of the points that samples_ is about, if these are not all; else None.
    log_prob_ : float, of labels_.
    model_ : str, the name of the model; "mixture" for a table.
    result_ : dict, all that is no array, as in docs/json.md: "chains" tells whether those of a table agree.
    n_features_in_, feature_names_in_ : as in scikit-learn.
    """

    _estimator_type = "clusterer"

    def __init__(
        self,
        model="auto",
        *,
        n_clusters=None,
        must_link=None,
        cannot_link=None,
        samples=100,
        time=None,
        random_state=1,
        scale="auto",
        standardize=True,
    ):
        self.model = model
        self.n_clusters = n_clusters
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.samples = samples
        self.time = time
        self.random_state = random_state
        self.scale = scale
        self.standardize = standardize

    def fit(self, X, y=None):
        """Cluster the points X [N, D]; images are pixels in 0..1, [N, 784] or [N, 28, 28]. y is not looked at."""
        names = names_of(X)
        points = points_of(X, type(self).__name__, 2)
        columns = {} if names is None else {"columns": list(names)}
        result, arrays = process.request("cluster", {"x": points}, model=self.model, options=self._options(), **columns)
        self._fitted = arrays.pop("fitted").tobytes()
        self._keep(result, arrays)
        self.n_features_in_ = points.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        for warning in result["warnings"] or []:
            warnings.warn(warning, GFNCPWarning, stacklevel=2)
        return self

    def _options(self):
        options = {
            "samples": self.samples,
            "scale": _number(self.scale),
            "seed": _seed(self.random_state),
            "standardize": bool(self.standardize),
            "time": self.time,
            "together": _pairs(self.must_link),
            "apart": _pairs(self.cannot_link),
        }
        if self.n_clusters is not None:
            options["least"], options["most"] = (int(k) for k in np.broadcast_to(self.n_clusters, 2))
        return {n: int(v) if isinstance(v, np.integer) else v for n, v in options.items() if v is not None}

    def _keep(self, result, arrays):
        labels = arrays["labels"]
        self.labels_ = labels
        self.n_clusters_ = result["k"]
        self.probabilities_ = arrays.get("probabilities")
        self.probability_ = arrays.get("probability")
        if self.probability_ is None:
            self.probability_ = self.probabilities_[np.arange(len(labels)), labels]
        self.uncertainty_ = arrays.get("uncertainty")
        self.k_posterior_ = {k["k"]: k["p"] for k in result["k_posterior"]}
        self.k_prior_ = {k["k"]: k["p"] for k in result.get("k_prior") or []}
        self.subset_ = arrays.get("subset")
        known = labels if self.subset_ is None else labels[self.subset_]
        self.samples_ = arrays.get("samples", known[np.newaxis])
        self.sample_counts_ = arrays.get("counts", np.ones(1, np.int32))
        self.sample_log_probs_ = arrays.get("log_probs", np.array([result["log_prob"]]))
        self.log_prob_ = result["log_prob"]
        self.model_ = result["model"]
        self.ball_ = arrays.get("ball")
        self.result_ = {name: value for name, value in result.items() if value is not None}

    def fit_predict(self, X, y=None):
        """Cluster the points X, and return their labels."""
        return self.fit(X).labels_

    def predict(self, X):
        """The most probable cluster of each new point X [M, D], as if it were the only new one; -1: none of them."""
        return self._predict(X)["labels"]

    def predict_proba(self, X):
        """The probabilities [M, K+1] of each cluster and, last, of none of them."""
        return self._predict(X)["probabilities"]

    def _predict(self, X):
        self._check_fitted()
        check_names(getattr(self, "feature_names_in_", None), names_of(X))
        points = points_of(X, type(self).__name__, 1)
        if points.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {points.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        options = {"samples": max(int(self.samples), 0), "seed": _seed(self.random_state)}
        arrays = {"x": points, "fitted": np.frombuffer(self._fitted, np.uint8)}
        _, answer = process.request("predict", arrays, options=options)
        return answer

    def sample(self, n=1, random_state=None):
        """Draw n partitions [n, N] of the points from the posterior: of those of subset_, if only they were clustered."""
        self._check_fitted()
        rng = np.random.default_rng(_seed(self.random_state if random_state is None else random_state))
        shares = self.sample_counts_ / self.sample_counts_.sum()
        return self.samples_[rng.choice(len(shares), size=n, p=shares)]

    @property
    def co_clustering_(self):
        self._check_fitted()
        points = self.samples_.shape[1]
        matrix = np.zeros((points, points))
        for labels, count in zip(self.samples_, self.sample_counts_):
            matrix += count * (labels[:, np.newaxis] == labels)
        return matrix / self.sample_counts_.sum()

    def save(self, path):
        """Write the clustering as `gfncp cluster --save` does, for `gfncp predict`."""
        self._check_fitted()
        with open(path, "wb") as file:
            file.write(self._fitted)

    def _check_fitted(self):
        if "labels_" not in self.__dict__:
            raise _not_fitted(self)

    @classmethod
    def _parameters(cls):
        return sorted(p for p in inspect.signature(cls.__init__).parameters if p != "self")

    def get_params(self, deep=True):
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params):
        """Change parameters by name."""
        for name, value in params.items():
            if name not in self._parameters():
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {self._parameters()!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self):
        defaults = inspect.signature(type(self).__init__).parameters
        changed = (f"{n}={v!r}" for n, v in self.get_params().items() if v is not defaults[n].default)
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self):
        return "labels_" in self.__dict__

    def _more_tags(self):  # scikit-learn up to 1.5
        return {"allow_nan": True}

    def __sklearn_tags__(self):  # from 1.6 on
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="clusterer", target_tags=TargetTags(required=False), input_tags=InputTags(allow_nan=True)
        )


def _number(value):
    """A number as people write it; text stays."""
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def _pairs(rows):
    """Pairs of rows as lists of integers."""
    return None if rows is None else np.asarray(rows, dtype=np.int64).reshape(-1, 2).tolist()


def _seed(random_state):
    """The seed of a random_state: an integer, None, or a generator of numpy, from which one is drawn."""
    if random_state is None:
        random_state = np.random.default_rng()
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}; use 0 or more")
    return int(random_state)
