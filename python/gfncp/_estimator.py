"""GFNCP, a clusterer of scikit-learn's kind."""

from __future__ import annotations

import gzip
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._process import GFNCPError, GFNCPWarning, InputError, process
from ._validation import check_names, is_whole, known_rows, names_of, pairs_of, points_for, range_of, set_apart


class GFNCP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Cluster points, with the probability of each assignment and of each number of clusters.

    Parameters
    ----------
    model : str, default="auto"
        "mixture": a mixture of t distributions with an unknown number of clusters, for tables of any columns of numbers.
        "auto": the same; for images [N, 28, 28] the network of `gfncp cluster`, which knows handwritten digits. Else a
        network: a pretrained one ("mog-gfncp-free", "mnist-ncp" …), a run directory, or a model file.
    n_clusters : int, (int, int) or None
        What is known of K: a number or a range; None: nothing. If given, every row is in a cluster.
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

    Attributes
    ----------
    labels_ : int32 [N], the clusters, numbered by first appearance; -1: in none of them, far from all others.
    n_clusters_ : int, their number K.
    probabilities_ : float64 [N, K+1], how often each point was in each cluster of labels_ and, last, in another one
        or in none. Rows sum to 1. Missing for very many points (docs/json.md), where probability_ has that of each label.
    uncertainty_ : float64 [N, 3], of each point: to be elsewhere, the entropy of its row, its share of the expected VI.
    k_posterior_ : dict, from K to its probability. k_prior_ : the same before the points are seen; empty for a table.
    co_clustering_ : float64 [N, N], how often two points shared a cluster; computed when it is asked for. If there is a
        subset_, it is [M, M], of these points.
    samples_, sample_counts_, sample_log_probs_ : the different partitions int32 [S, N], how often each was drawn, and
        log p(c|x); of a table the log of its share of the draws.
    subset_ : int32 [M], the places of the points that samples_ is about, if these are not all; else None.
    log_prob_ : float, of labels_.
    model_ : str, the name of the model; "mixture" for a table.
    result_ : dict, all that is no array, as in docs/json.md: "chains" tells whether those of a table agree.
    n_features_in_, feature_names_in_ : as in scikit-learn.
    """

    def __init__(
        self,
        model: str = "auto",
        *,
        n_clusters: int | tuple[int, int] | None = None,
        must_link: Sequence[tuple[int, int]] | None = None,
        cannot_link: Sequence[tuple[int, int]] | None = None,
        samples: int = 100,
        time: float | None = None,
        random_state: Any = 1,
        scale: str | float = "auto",
    ):
        self.model = model
        self.n_clusters = n_clusters
        self.must_link = must_link
        self.cannot_link = cannot_link
        self.samples = samples
        self.time = time
        self.random_state = random_state
        self.scale = scale

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> GFNCP:
        """Cluster the points X [N, D]; images are pixels in 0..1, [N, 784] or [N, 28, 28].

        X may be a data frame of pandas or polars, with text, dates and gaps: its CSV is read, but NA is text.
        y : labels of the rows whose clusters are known, -1, None or NaN for all others. Rows of one label share a
            cluster; rows of different labels do not. If all rows have labels (as pipelines pass them), y is ignored.
        sample_weight : how many equal rows each row stands for, a whole number from 1. None: one.
        """
        model = _model(self.model)
        with points_for(X, type(self).__name__, 2) as (shape, arrays, where):
            options = self._options(shape[0]) | known_rows(y, sample_weight, shape[0])
            result, arrays = process.request("cluster", arrays, model=model, options=options, **where)
        _check_rows(arrays["labels"], shape[0])
        self._by_csv = "frame" in where
        self._fitted = arrays.pop("fitted").tobytes()
        self._keep(result, arrays)
        self.n_features_in_ = shape[1]
        names = names_of(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        for column in set_apart(X, result["notes"]):
            result["warnings"].append(
                f"column {column} is set apart: it seems to name or count the rows; leave it out, or give X as an array"
            )
        _warn(result, 3)
        return self

    def _options(self, n):
        if not is_whole(self.samples):
            raise InputError(f"samples is {self.samples!r}; use a whole number")
        options = {
            "samples": self.samples,
            "scale": _scale(self.scale),
            "seed": _seed(self.random_state),
            "time": _time(self.time),
            "together": pairs_of("must_link", self.must_link, n),
            "apart": pairs_of("cannot_link", self.cannot_link, n),
        }
        if self.n_clusters is not None:
            options["least"], options["most"] = range_of(self.n_clusters)
        return {name: _plain(name, value) for name, value in options.items() if value is not None}

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
        self.result_ = {name: value for name, value in result.items() if value is not None}

    def fit_predict(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int32]:
        """Cluster the points X as fit does, and return their labels."""
        return self.fit(X, y, sample_weight).labels_

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """The most probable cluster of each new point X [M, D], as if it were the only new one; -1: none of them."""
        return self._predict(X)["labels"]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probabilities [M, K+1] of each cluster and, last, of none of them."""
        return self._predict(X)["probabilities"]

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """As predict_proba, for pipelines and set_output."""
        return self.predict_proba(X)

    @property
    def _n_features_out(self) -> int:  # columns of transform, which get_feature_names_out names
        return self.n_clusters_ + 1

    def _predict(self, X):
        check_is_fitted(self)
        columns = self.result_.get("columns")  # without labels and names of rows; None of a network
        used = columns and {column["name"] for column in columns}
        lacking = check_names(getattr(self, "feature_names_in_", None), names_of(X), used)
        options = {"samples": max(int(self.samples), 0), "seed": _seed(self.random_state)}
        by_csv = getattr(self, "_by_csv", False)  # pickled by an earlier version
        with points_for(X, type(self).__name__, 1, by_csv) as (shape, arrays, where):
            if shape[1] + lacking != self.n_features_in_:
                raise ValueError(
                    f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    "features as input."
                )
            arrays["fitted"] = np.frombuffer(self._fitted, np.uint8)
            for field in ("columns", "categorical"):
                where.pop(field, None)
            names = getattr(self, "feature_names_in_", [""] * shape[1] if by_csv else None)
            if "x" in arrays and names is not None:  # columns that fit has set apart are found by the names
                where["columns"] = list(names)
            result, answer = process.request("predict", arrays, options=options, **where)
        _check_rows(answer["labels"], shape[0])
        _warn(result, 4)
        return answer

    def sample(self, n: int = 1, random_state: Any = None) -> NDArray[np.int32]:
        """Draw n partitions [n, N] of the points from the posterior: of those of subset_, if only they were clustered."""
        check_is_fitted(self)
        rng = np.random.default_rng(_seed(self.random_state if random_state is None else random_state))
        shares = self.sample_counts_ / self.sample_counts_.sum()
        return self.samples_[rng.choice(len(shares), size=n, p=shares)]

    @property
    def co_clustering_(self) -> NDArray[np.float64]:
        check_is_fitted(self)
        points = self.samples_.shape[1]
        matrix = np.zeros((points, points))
        for labels, count in zip(self.samples_, self.sample_counts_):
            matrix += count * (labels[:, np.newaxis] == labels)
        return matrix / self.sample_counts_.sum()

    def save(self, path: str) -> None:
        """Write the clustering as `gfncp cluster --save` does, for `gfncp predict`: packed if path ends in .gz."""
        check_is_fitted(self)
        packed = os.fspath(path).endswith(".gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(self._fitted, mtime=0) if packed else self._fitted)

    def __sklearn_is_fitted__(self):
        return "labels_" in self.__dict__

    def _more_tags(self):  # scikit-learn up to 1.5
        return {"allow_nan": True}

    def __sklearn_tags__(self):  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _warn(result, stacklevel):
    for warning in result["warnings"] or []:
        warnings.warn(warning, GFNCPWarning, stacklevel)


def _model(model):
    """The name of a model. A path is absolute, since the program may run in another folder."""
    if isinstance(model, os.PathLike):
        return os.path.abspath(model)
    if not isinstance(model, str):
        raise InputError(f"model is {model!r}, not the name of a model; did you mean n_clusters={model!r}?")
    return os.path.abspath(model) if os.sep in model and os.path.exists(model) else model


def _scale(value):
    """The factor of a scale, 0 for the automatic one."""
    if isinstance(value, str) and value in ("auto", "none"):
        return {"auto": 0, "none": 1}[value]
    if isinstance(value, (int, float, np.number)) and value > 0:
        return float(value)
    raise InputError(f'scale is {value!r}; use "auto", "none" or a factor above 0')


def _time(value):
    """Seconds, or None."""
    if value is None or isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return value
    raise InputError(f"time is {value!r}; use a number of seconds")


def _plain(name, value):
    """A value of a parameter as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        raise InputError(f"{name} is {value}; use a finite number")
    return value


def _check_rows(labels, n):
    if len(labels) != n:
        raise GFNCPError(f"the program has read {len(labels)} rows, but X has {n}; please report this")


def _seed(random_state):
    """The seed of a random_state: an integer, None, or a generator of numpy, from which one is drawn."""
    if random_state is None:
        random_state = np.random.default_rng()
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**63))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    if not is_whole(random_state) or not 0 <= random_state < 2**64:
        raise InputError(f"random_state is {random_state!r}; use a whole number from 0 to 2**64 - 1, or a generator")
    return int(random_state)
