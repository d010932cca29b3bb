"""What GFNCP takes for points. The messages are those of scikit-learn, which people and its checks know."""

import contextlib
import os
import tempfile

import numpy as np


def points_of(X, name, least):
    """X as float32 or float64 [N, D] without infinities; NaN is a missing number."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert it.")
    X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if X.ndim < 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if X.ndim == 0 else '1D'} array instead:\narray={X}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if X.shape[0] < least:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) (shape={X.shape}) while a minimum of {least} is required by {name}."
        )
    if 0 in X.shape:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required by {name}."
        )
    if np.isinf(X).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
    return np.ascontiguousarray(X.reshape(X.shape[0], -1))


@contextlib.contextmanager
def points_for(X, name, least):
    """What a request says of the points X, for a with statement: their shape, its arrays, and its other fields."""
    if not has_text(X):
        points, names = points_of(X, name, least), names_of(X)
        yield points.shape, {"x": points}, {} if names is None else {"columns": list(names)}
        return
    if X.shape[0] < least:
        raise ValueError(f"Found array with {X.shape[0]} sample(s) while a minimum of {least} is required by {name}.")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.csv")
        X.write_csv(path) if hasattr(X, "write_csv") else X.to_csv(path, index=False)
        yield X.shape, {}, {"path": path}


def has_text(X):
    """Whether X is a data frame of pandas or polars with a column that is not of numbers."""
    if not hasattr(X, "write_csv") and not hasattr(X, "to_csv"):
        return False
    return any(not (d.is_numeric() if hasattr(d, "is_numeric") else getattr(d, "kind", "O") in "fiub") for d in X.dtypes)


def known_rows(y, sample_weight, n):
    """The options of what is known of n rows: their clusters y, -1 where unknown, and how many rows each stands for."""
    options = {}
    if y is not None and not np.any(np.asarray(y) == -1):
        y = None  # labels of all rows leave nothing to find: scikit-learn passes them to clusterers, which ignore them
    for name, key, values in (("y", "given", y), ("sample_weight", "weights", sample_weight)):
        if values is None:
            continue
        values = np.asarray(values)
        if values.shape != (n,):
            raise ValueError(f"{name} has the shape {values.shape}; it needs one value for each of the {n} rows")
        if name == "sample_weight" and not np.any(values):
            raise ValueError("all weights in sample_weight are zero: no row is left")
        options[key] = values.tolist()
    if "given" in options:
        kinds = sorted({label for label in options["given"] if label != -1}, key=str)
        numbers = {label: number for number, label in enumerate(kinds)} | {-1: -1}
        options["given"] = [numbers[label] for label in options["given"]]
    return options


def names_of(X):
    """The names of the columns of a data frame, or None."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(c, str) for c in columns):
        return None
    return np.asarray(list(columns), dtype=object)


def check_names(known, names):
    """Refuse new points whose columns have other names than those of fit; without names they are taken as they are."""
    if known is None or names is None or list(known) == list(names):
        return
    unseen, missing = sorted(set(names) - set(known)), sorted(set(known) - set(names))
    message = "The feature names should match those that were passed during fit.\n"
    for title, group in (("Feature names unseen at fit time", unseen), ("Feature names seen at fit time, yet now missing", missing)):
        if group:
            message += f"{title}:\n" + "".join(f"- {n}\n" for n in group[:5]) + ("- ...\n" if len(group) > 5 else "")
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
