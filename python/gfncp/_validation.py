"""What GFNCP takes for points. The messages are those of scikit-learn, which people and its checks know."""

import contextlib
import csv
import os
import reprlib
import tempfile

import numpy as np

from ._process import InputError

MOST_CLUSTERS = 60  # that the program knows of a table


def points_of(X, name, least):
    """X as float32 or float64 [N, D], or images [N, height, width], without infinities; NaN is a missing number."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert it.")
    X = array_of(X)
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.ndim < 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if X.ndim == 0 else '1D'} array instead:\narray={X}.\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
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
    return np.ascontiguousarray(X)


def array_of(X):
    """X as an array. Masked cells, and those that are NA in a data frame of pandas, are NaN."""
    if np.ma.isMaskedArray(X):
        return (X if X.dtype.kind in "fc" else X.astype(np.float64)).filled(np.nan)
    if is_frame(X) and any(hasattr(d, "na_value") for d in X.dtypes):  # of columns that can hold NA
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(X)


@contextlib.contextmanager
def points_for(X, name, least, as_csv=True):
    """What a request says of the points X, for a with statement: N and D, its arrays, and its other fields.

    A data frame is written to a file of CSV, so that its columns are read as those of a file; not as_csv: if it has text.
    """
    if has_text(X):
        if X.shape[0] < least:
            raise ValueError(f"Found array with {X.shape[0]} sample(s) while a minimum of {least} is required by {name}.")
    else:
        points = points_of(X, name, least)
        if not (as_csv and is_frame(X)):
            names = names_of(X)
            yield (len(points), points[0].size), {"x": points}, {} if names is None else {"columns": list(names)}
            return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.csv")
        write_csv(X, path)
        where = {"frame": path}
        categories = categories_of(X)
        yield X.shape, {}, where | {"categorical": categories} if categories else where


def write_csv(X, path):
    """Write a data frame as CSV. Cells are quoted, as an empty line is no row, and a line after # may be a comment.

    Durations of pandas are written as seconds: it would write "0 days 00:16:40".
    """
    names = names_of(X)
    if any(getattr(dtype, "kind", "") == "m" for dtype in X.dtypes):
        X = X.apply(lambda column: column.dt.total_seconds() if column.dtype.kind == "m" else column)
    try:
        if hasattr(X, "write_csv"):
            X.write_csv(path, quote_style="always")
        else:
            header = [""] * X.shape[1] if names is None else list(names)
            X.to_csv(path, index=False, header=header, quoting=csv.QUOTE_ALL)
    except OSError:
        raise
    except Exception as error:  # pandas and polars have their own kinds
        raise ValueError(f"X cannot be written as CSV ({error}); give columns of numbers, text or times") from error


def is_frame(X):
    """Whether X is a data frame of pandas or polars."""
    return hasattr(X, "columns") and (hasattr(X, "write_csv") or hasattr(X, "to_csv"))


def has_text(X):
    """Whether X is a data frame with a column that is not of numbers."""
    return is_frame(X) and not all(is_number(dtype) for dtype in X.dtypes)


def categories_of(X):
    """The columns of a data frame with the dtype category, or Categorical or Enum of polars: names, or numbers from 1.

    Columns whose cells all differ are left out: they name the rows.
    """
    names, found = names_of(X), []
    for i, dtype in enumerate(X.dtypes):
        if str(dtype).startswith(("category", "Categorical", "Enum")):
            column = X.iloc[:, i] if hasattr(X, "iloc") else X.to_series(i)
            if len(set(column)) < len(column):
                found.append(str(i + 1) if names is None or not names[i].strip() else names[i])
    return found


def set_apart(X, notes):
    """Columns of a data frame, as notes show them, that are set apart as names or counts of rows, but hold no words."""
    apart = [note.partition(": ")[2] for note in notes if note.startswith("columns that name or count the rows")]
    if not apart:
        return []
    first, names = np.asarray(X.head(1), dtype=object)[0], names_of(X)  # a column with gaps names no rows
    named = [str(i + 1) if names is None else f'"{names[i].strip()}"' for i in range(len(first))]
    words = [isinstance(cell, str) and cell.strip()[:1] not in tuple("0123456789+-−") for cell in first]
    return [n for n, word in zip(named, words) if not word and f", {n}," in f", {apart[0]},"]


def is_number(dtype):
    """Whether a column of pandas or polars holds numbers."""
    return dtype.is_numeric() if hasattr(dtype, "is_numeric") else getattr(dtype, "kind", "O") in "fiub"


def is_gap(value):
    """Whether a value is missing: None, NaN, or NA of pandas, whose comparisons are neither true nor false."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def is_whole(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def pairs_of(name, rows, n):
    """The parameter called name, pairs of n rows, as lists; None stays."""
    if rows is None:
        return None
    if not np.iterable(rows):
        raise InputError(f"{name} is {rows!r}; use a list of pairs of rows")
    pairs = []
    for pair in rows.to_numpy() if hasattr(rows, "to_numpy") else rows:
        if not np.iterable(pair) or len(pair) != 2 or not all(is_whole(row) for row in pair):
            raise InputError(f"{name} holds {reprlib.repr(pair)}; use pairs of two whole numbers")
        pairs.append([int(row) for row in pair])
        if not 0 <= min(pairs[-1]) <= max(pairs[-1]) < n:
            raise InputError(f"{name} holds the pair {tuple(pairs[-1])}; rows are 0 to {n - 1}")
    return pairs


def range_of(n_clusters):
    """The least and the most number of clusters."""
    ends = list(n_clusters) if np.iterable(n_clusters) else [n_clusters, n_clusters]
    if len(ends) != 2 or not all(is_whole(end) for end in ends) or not 1 <= ends[0] <= ends[1] <= MOST_CLUSTERS:
        raise InputError(
            f"n_clusters is {n_clusters!r}; use a whole number from 1 to {MOST_CLUSTERS}, or the least and the most: (2, 5)"
        )
    return int(ends[0]), int(ends[1])


def known_rows(y, sample_weight, n):
    """The options of what is known of n rows: their clusters y, and how many rows each stands for."""
    options = {}
    if y is not None:
        labels = labels_of(y)
        if None in labels:  # labels of all rows leave nothing to find: scikit-learn passes them, clusterers ignore them
            check_length("y", y, n)
            kinds = sorted(set(labels) - {None}, key=str)
            numbers = {label: number for number, label in enumerate(kinds)} | {None: -1}
            options["given"] = [numbers[label] for label in labels]
    if sample_weight is not None:
        check_length("sample_weight", sample_weight, n)
        options["weights"] = weights_of(sample_weight)
    return options


def check_length(name, values, n):
    shape = np.asarray(values).shape
    if shape != (n,):
        raise ValueError(f"{name} has the shape {shape}; it needs one value for each of the {n} rows")


def values_of(values):
    """A list of the values, with None for those that are missing or masked."""
    if np.ma.isMaskedArray(values):
        values = values.astype(object).filled(None)
    return [None if is_gap(value) else value for value in np.asarray(values, dtype=object).ravel()]


def labels_of(y):
    """A list of the labels, with None where no label is known: -1, also as text, or an empty text."""
    return [None if label in (-1, "-1", "") else label for label in values_of(y)]


def weights_of(sample_weight):
    weights = np.array(values_of(sample_weight), dtype=np.float64)
    if not np.any(weights):
        raise ValueError("all weights in sample_weight are zero: no row is left")
    for row in np.flatnonzero(~np.isfinite(weights) | (weights == 0)):
        raise InputError(f"sample_weight[{row}] is {weights[row]}; use a whole number from 1, or leave the row out")
    return weights.tolist()


def names_of(X):
    """The names of the columns of a data frame, or None."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(c, str) for c in columns):
        return None
    return np.asarray(list(columns), dtype=object)


def check_names(known, names, used=None):
    """Refuse new points whose columns have other names than those of fit; without names they are taken as they are.

    Columns that are not among used (None: all are used) may be missing. Their number is returned.
    """
    if known is None or names is None or list(known) == list(names):
        return 0
    before = len(known)
    known = [n for n in known if n in names or used is None or n.strip() in used]
    if known == list(names):
        return before - len(known)
    unseen, missing = sorted(set(names) - set(known)), sorted(set(known) - set(names))
    message = "The feature names should match those that were passed during fit.\n"
    for title, group in (("Feature names unseen at fit time", unseen), ("Feature names seen at fit time, yet now missing", missing)):
        if group:
            message += f"{title}:\n" + "".join(f"- {n}\n" for n in group[:5]) + ("- ...\n" if len(group) > 5 else "")
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
