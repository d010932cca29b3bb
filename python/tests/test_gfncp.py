"""Tests of the package against the command line of the same program: python3 -m unittest discover python/tests."""

import base64
import csv
import gzip
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import gfncp  # noqa: E402
from gfncp import GFNCP, _process  # noqa: E402
from gfncp._process import process  # noqa: E402


def blobs(n=60, columns=2, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, columns)) + 6 * (np.arange(n) % 3)[:, np.newaxis]


NOISE = np.random.default_rng(1).uniform(size=(3000, 40))  # whose clustering takes long


def quick(**changes):
    return GFNCP(**{"samples": 10, **changes})


def run(*args):
    return subprocess.run([gfncp.program(), *map(str, args)], check=True, capture_output=True, text=True).stdout


class AgainstTheCommandLine(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", gfncp.GFNCPWarning)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, X, names):
        path = self.folder / name
        with open(path, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(names)
            rows.writerows(["" if np.isnan(v) else repr(float(v)) for v in row] for row in X)
        return path

    def check(self, X, flags, **parameters):
        names, new = [f"c{i}" for i in range(X.shape[1])], X[::7] + 0.25
        path, kept, matrix = self.write("x.csv", X, names), self.folder / "kept.json", self.folder / "matrix.csv"
        output = run("cluster", path, "--json", "--quiet", "--save", kept, "--co-clustering", matrix, *flags)
        want = json.loads(output)
        got = GFNCP(**parameters).fit(Frame(X, names))
        np.testing.assert_array_equal(got.labels_, want["labels"])
        np.testing.assert_array_equal(got.probabilities_, want["probabilities"])
        np.testing.assert_array_equal(got.samples_, [s["labels"] for s in want["samples"]])
        np.testing.assert_array_equal(got.sample_counts_, [s["count"] for s in want["samples"]])
        np.testing.assert_array_equal(
            got.uncertainty_, [[u["elsewhere"], u["entropy"], u["vi"]] for u in want["uncertainty"]]
        )
        np.testing.assert_allclose(got.co_clustering_, np.loadtxt(matrix, delimiter=","), atol=1e-12)
        self.assertEqual(got.k_posterior_, {k["k"]: k["p"] for k in want["k_posterior"]})
        self.assertEqual((got.model_, got.log_prob_), (want["model"], want["log_prob"]))
        places = json.loads(run("predict", kept, self.write("new.csv", new, names), "--json", "--quiet", "--samples", 40))
        np.testing.assert_array_equal(got.predict(new), places["labels"])
        np.testing.assert_array_equal(got.predict_proba(new), places["probabilities"])
        for name, unpacked in (("saved.json", bytes), ("saved.json.gz", gzip.decompress)):
            got.save(self.folder / name)
            self.assertEqual(unpacked((self.folder / name).read_bytes()), kept.read_bytes())
        return got

    def test_points(self):
        network = ["--model", "mog-gfncp-free", "--samples", 40]
        self.check(blobs(), [*network, "--seed", 3], model="mog-gfncp-free", samples=40, random_state=3)
        self.check(
            1e6 + blobs(), [*network, "--scale", 0.5],
            model="mog-gfncp-free", samples=40, scale=0.5,
        )

    def test_tables(self):
        X = blobs(columns=4)
        X[[3, 5], 2] = np.nan
        X[11] = 500  # far from all
        got = self.check(X, ["--samples", 40, "--seed", 3], samples=40, random_state=3)
        self.assertEqual((got.model_, got.n_clusters_, got.result_["outlying"]), ("mixture", 3, 1))
        self.assertEqual((got.labels_[11], got.probability_[11]), (-1, got.probabilities_[11, 3]))
        self.assertEqual(got.result_["chains"]["chains"], 4)
        self.assertEqual([c["name"] for c in got.result_["columns"]], ["c0", "c1", "c2", "c3"])
        np.testing.assert_array_equal(got.predict([[0, 0, 0, 0], [-900, 0, 0, 0]]), [0, -1])

    def test_known(self):
        """What is known of the clusters is what the flags say."""
        pairs = self.folder / "pairs.csv"
        pairs.write_text("2,5\n2,8\n")  # lines of the file, whose first is the head
        got = self.check(blobs(), ["--k", "2..4", "--together", pairs], n_clusters=(2, 4), must_link=[(0, 3), (0, 6)])
        self.assertEqual(got.labels_[0], got.labels_[3])
        got = self.check(blobs(), ["--k", 5, "--apart", pairs], n_clusters=5, cannot_link=[(0, 3), (0, 6)])
        self.assertEqual(got.n_clusters_, 5)
        self.assertTrue((got.samples_[:, 0] != got.samples_[:, 3]).all())


    def test_text(self):
        """A data frame with text and dates is clustered as its CSV is."""
        rows = [(x, ("red", "green", "blue")[i % 3], f"2024-0{1 + i % 3}-07") for i, (x, _) in enumerate(blobs())]
        frame = TextFrame(rows, ["x", "kind", "when"])
        got, path = quick().fit(frame), self.folder / "frame.csv"
        frame.to_csv(path)
        want = json.loads(run("cluster", path, "--json", "--quiet", "--samples", 10))
        np.testing.assert_array_equal(got.labels_, want["labels"])
        self.assertEqual(got.result_["columns"], want["columns"])
        self.assertEqual([c["use"] for c in got.result_["columns"] if c["name"] == "kind"], ["category"])
        np.testing.assert_array_equal(got.predict(TextFrame(rows[:6], frame.columns)), got.labels_[:6])
        self.assertEqual(list(got.get_feature_names_out()), [f"gfncp{i}" for i in range(got.n_clusters_ + 1)])
        with self.assertRaisesRegex(ValueError, "names should match"):
            got.predict(TextFrame(rows, ["x", "kind", "then"]))


class TextFrame:
    """What the package needs of a data frame with text."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.shape = rows, columns, (len(rows), len(columns))
        self.dtypes = [np.asarray(column).dtype for column in zip(*rows)]

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows, dtype)

    def to_csv(self, path, index=False, header=None, quoting=csv.QUOTE_MINIMAL):
        with open(path, "w", newline="") as file:
            csv.writer(file, quoting=quoting).writerows([header or self.columns, *self.rows])


class LongFrame(TextFrame):
    """A data frame whose CSV has a row too many."""

    def to_csv(self, path, **options):
        TextFrame([*self.rows, self.rows[0]], self.columns).to_csv(path, **options)


class Series:
    """What numpy needs of one column of pandas."""

    dtypes = np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        return np.arange(9.0)

    def to_csv(self, path):
        raise AssertionError


class Frame:
    """What the package needs of a data frame: the columns' names, and an array."""

    def __init__(self, X, columns):
        self.X, self.columns = X, columns

    def __array__(self, dtype=None):
        return np.asarray(self.X, dtype)


class Frames(unittest.TestCase):
    """Each row of a data frame has a label, whatever its cells and names are."""

    def setUp(self):
        warnings.simplefilter("ignore", gfncp.GFNCPWarning)

    def check(self, X, names=None):
        model = quick().fit(X)
        self.assertEqual(len(model.labels_), len(X))
        np.testing.assert_array_equal(model.predict(X[:7]), model.labels_[:7])
        if names:
            self.assertEqual([c["name"] for c in model.result_["columns"]], names)
        return model

    def frame(self, columns):
        rows = [(*x, "abc"[i % 3]) for i, x in enumerate(blobs())]
        model = quick().fit(TextFrame(rows, columns))
        self.assertEqual((len(model.labels_), model.n_clusters_), (60, 3))
        np.testing.assert_array_equal(model.predict(TextFrame(rows[:5], columns)), model.labels_[:5])
        return [c["name"] for c in model.result_["columns"]]

    def test_names(self):
        self.assertEqual(self.frame([0, 1, 2]), ["x1", "x2", "x3"])
        self.assertEqual(self.frame(["2019", "2020", "2021"]), ["2019", "2020", "2021"])
        self.assertEqual(self.frame(["# a", "b;c", "d"]), ["# a", "b;c", "d"])

    def test_one_column(self):
        rows = [(("#a", "", "b;c", "d\n\ne")[i % 4],) for i in range(60)]
        self.assertEqual(len(quick().fit(TextFrame(rows, ["a;b"])).labels_), 60)
        with self.assertRaisesRegex(gfncp.GFNCPError, "has read 61 rows, but X has 60"):
            quick().fit(LongFrame(rows, ["a;b"]))

    def test_only_gaps(self):
        """A column of text may hold gaps only among new rows: it has the type of numbers then."""
        rows = [(x, "abc"[i % 3]) for i, (x, _) in enumerate(blobs())]
        model = quick().fit(TextFrame(rows, ["x", "kind"]))
        new = TextFrame([(x, np.nan) for x, _ in rows[:6]], ["x", "kind"])
        np.testing.assert_array_equal(model.predict(new), model.labels_[:6])

    def test_masked(self):
        gaps = blobs(columns=3)
        gaps[5] = np.nan
        masked = np.ma.masked_array(np.where(np.isnan(gaps), 1e9, gaps), np.isnan(gaps))
        np.testing.assert_array_equal(quick().fit(masked).probabilities_, quick().fit(gaps).probabilities_)

    def test_no_frame(self):
        with self.assertRaisesRegex(ValueError, "Reshape your data"):
            quick().fit(Series())

    @unittest.skipUnless(pandas, "no pandas")
    def test_pandas(self):
        X, kind = blobs(), ["abc"[i % 3] for i in range(60)]
        gaps = [None if i % 9 == 0 else k for i, k in enumerate(kind)]
        self.check(pandas.DataFrame({0: X[:, 0], 1: kind}), ["x1", "x2"])
        self.check(pandas.DataFrame({"a;b": gaps}), ["a;b"])
        self.check(pandas.DataFrame({("a", "b"): X[:, 0], ("a", "c"): kind}))
        numbers = np.where(np.eye(60, 2, -5), np.nan, X.round())
        named = pandas.DataFrame({"id": range(100, 160), "x": X[:, 0], "y": X[:, 1], "label": kind}).assign(label=1)
        got = self.check(named, ["x", "y"])  # as gfncp cluster sets columns apart by their names
        coded = self.check(pandas.DataFrame({"x": X[:, 0], "k": pandas.Categorical([ord(k) for k in kind])}))
        self.assertEqual(coded.result_["columns"][1]["use"], "category")  # not a number
        for other in (named.assign(label=None), named.drop(columns="label")):
            np.testing.assert_array_equal(got.predict(other), got.labels_)
        for model in ("mixture", "mog-gfncp-free"):
            got = quick(model=model).fit(named)
            np.testing.assert_array_equal(got.predict(named.to_numpy()[:7]), got.labels_[:7])
        nullable = pandas.DataFrame(numbers, columns=["a", "b"]).convert_dtypes()
        self.assertEqual(str(nullable.dtypes.iloc[0]), "Int64")
        np.testing.assert_array_equal(self.check(nullable).labels_, quick().fit(numbers).labels_)
        with self.assertRaisesRegex(ValueError, "Reshape your data"):
            quick().fit(nullable["a"])
        with self.assertRaisesRegex(ValueError, "^row 2 and row 0 are to be apart"):
            quick(must_link=[(0, 2)], cannot_link=[(2, 0)]).fit(nullable)
        with self.assertRaisesRegex(ValueError, 'X: row 4, column "b": "€ 4" is not a number'):
            quick().fit(pandas.DataFrame({"a": X[:, 0], "b": ["3"] * 4 + ["€ 4"] + ["3"] * 55}))
        times = pandas.DataFrame({"x": X[:, 0], "t": pandas.to_timedelta(X[:, 1], unit="min"), "odd": X[:, 0] + 1j})
        with self.assertWarnsRegex(gfncp.GFNCPWarning, 'column "odd" is set apart'):
            got = self.check(times, ["x", "t"])
        np.testing.assert_array_equal(got.labels_, quick().fit(np.c_[X[:, 0], times["t"].dt.total_seconds()]).labels_)
        known = pandas.array([1, 1] + [pandas.NA] * 58, dtype="Int64")
        self.assertEqual(*quick().fit(X, known).labels_[:2])

    @unittest.skipUnless(polars, "no polars")
    def test_polars(self):
        X, kind = blobs(), ["abc"[i % 3] for i in range(60)]
        self.check(polars.DataFrame({"2019": X[:, 0], "2020": kind}), ["2019", "2020"])
        self.check(polars.DataFrame({"a;b": [None if i % 9 == 0 else k for i, k in enumerate(kind)]}), ["a;b"])
        times = polars.Series(range(60)).cast(polars.Duration("ms"))
        for column in (times, [[1, 2]] * 60):
            with self.assertRaisesRegex(ValueError, "cannot be written as CSV"):
                quick().fit(polars.DataFrame({"x": X[:, 0], "y": column}))


class Estimator(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", gfncp.GFNCPWarning)

    def test_parameters(self):
        model = GFNCP("mog-ncp", samples=7)
        self.assertEqual(repr(model), "GFNCP(model='mog-ncp', samples=7)")
        self.assertEqual(model.set_params(scale=2.0).get_params()["scale"], 2.0)
        with self.assertRaisesRegex(ValueError, "Invalid parameter 'nope'"):
            model.set_params(nope=1)

    def test_faults(self):
        """What is wrong is a ValueError, and the process goes on."""
        quick().fit(blobs())
        child = _process.process._child.pid
        for message, model, X in (
            ("samples is -1", quick(samples=-1), blobs()),
            ("scale is 'big'", quick(scale="big"), blobs()),
            ("a network's", quick(scale=2), blobs()),
            ("time is -1s", quick(time=-1), blobs()),
            ("needs samples", quick(samples=0), blobs()),
            ("61", quick(n_clusters=61), blobs()),
            ("apart", quick(must_link=[(0, 1), (1, 2)], cannot_link=[(2, 0)]), blobs()),
            ("did you mean mog-ncp", quick(model="mog-npc"), blobs()),
            ("samples is 'many'", quick(samples="many"), blobs()),
            ("samples is 1.5", quick(samples=1.5), blobs()),
            ("n_clusters is 0; use a whole number from 1", quick(n_clusters=0), blobs()),
            ("n_clusters is (4, 2)", quick(n_clusters=(4, 2)), blobs()),
            ("row 2 and row 0 are to be apart", quick(must_link=[(0, 1), (1, 2)], cannot_link=[(2, 0)]), blobs()),
            ("3 coordinates, but this model takes 2", quick(model="mog-ncp"), blobs(columns=3)),
            ("row 3, column \"x1\"", quick(model="mog-ncp"), np.where(np.eye(60, 2, -3), np.nan, blobs())),
            ("images of 28×28", quick(model="mnist-ncp"), blobs()),
            ("all 3 columns are constant", quick(), np.ones((9, 3))),
            ("1 sample", quick(), blobs(1)),
            ("infinity", quick(), [[1, 2], [3, np.inf]]),
            ("Reshape your data", quick(), [1, 2, 3]),
            ("random_state is -1", quick(random_state=-1), blobs()),
            ("random_state is 1.7", quick(random_state=1.7), blobs()),
            ("time is '60s'; use a number of seconds", quick(time="60s"), blobs()),
            ("scale is None", quick(scale=None), blobs()),
            ("must_link holds (0, 1, 2)", quick(must_link=[(0, 1, 2), (3, 4, 5)]), blobs()),
            ("must_link holds (2,)", quick(must_link=[(0, 1), (2,)]), blobs()),
            ("must_link holds array", quick(must_link=np.ones((60, 60), bool)), blobs()),
            ("cannot_link holds (0.9, 1.7)", quick(cannot_link=[(0.9, 1.7)]), blobs()),
            ("cannot_link holds the pair (0, 60); rows are 0 to 59", quick(cannot_link=[(0, 60)]), blobs()),
            ("cannot_link holds the pair (-1, 0)", quick(cannot_link=[(-1, 0)]), blobs()),
            ("cannot_link is 3", quick(cannot_link=3), blobs()),
            ("n_clusters is 2.7", quick(n_clusters=2.7), blobs()),
            ("n_clusters is (2, 3, 4)", quick(n_clusters=(2, 3, 4)), blobs()),
            ("n_clusters is True", quick(n_clusters=True), blobs()),
            ("time is nan", quick(time=np.nan), blobs()),
        ):
            pattern = message.replace("(", r"\(").replace(")", r"\)")
            with self.subTest(message), self.assertRaisesRegex(ValueError, pattern):
                model.fit(X)
        fitted = quick().fit(Frame(blobs(), ["a", "b"]))
        for message, X in (
            ("3 features, but GFNCP is expecting 2", blobs(columns=3)),
            ("same order", Frame(blobs(), ["b", "a"])),
            ("unseen at fit time:\n- c", Frame(blobs(), ["a", "c"])),
        ):
            with self.assertRaisesRegex(ValueError, message):
                fitted.predict(X)
        with self.assertRaisesRegex(ValueError, "not fitted yet"):
            quick().predict(blobs())
        with self.assertRaises(AttributeError):
            quick().co_clustering_
        self.assertEqual(_process.process._child.pid, child)

    def test_warnings(self):
        with self.assertWarnsRegex(gfncp.GFNCPWarning, "but the model was trained on sets of"):
            quick(model="mog-ncp").fit(blobs(6))
        with self.assertWarnsRegex(gfncp.GFNCPWarning, "leave it out if it only names them$"):  # no flag
            quick(model="mog-ncp").fit(np.c_[np.arange(60), blobs()[:, :1]])
        with self.assertWarnsRegex(gfncp.GFNCPWarning, "x1: 60 values are out of the range"):
            quick().fit(blobs()).predict(blobs() + 900)

    def test_images(self):
        rng = np.random.default_rng(2)
        images = np.zeros((20, 28, 28), np.float32)
        images[:10, 4:24, 12:16] = 1
        images[10:, 12:16, 4:24] = 1
        images *= rng.uniform(0.8, 1, size=images.shape)
        for name in ("mnist-ncp", "auto"):
            model = quick(model=name).fit(images)
            self.assertEqual(model.n_features_in_, 784)
            self.assertEqual(len(set(model.predict(images[[0, 19]]))), 2)
        self.assertEqual(model.model_, "mnist-gfncp-free")
        self.assertEqual(quick().fit(images.reshape(20, -1)).model_, "mixture")

    def test_samples(self):
        model = GFNCP(samples=50).fit(blobs() / 4)
        self.assertGreater(len(model.samples_), 1)
        drawn = model.sample(4000, random_state=5)
        self.assertEqual(drawn.shape, (4000, 60))
        np.testing.assert_array_equal(drawn, model.sample(4000, random_state=5))
        together = (drawn[:, 0] == drawn[:, 3]).mean()
        self.assertAlmostEqual(together, model.co_clustering_[0, 3], delta=0.04)
        np.testing.assert_allclose(model.probabilities_.sum(1), 1)
        self.assertAlmostEqual(sum(model.k_posterior_.values()), 1)

    def test_random_state(self):
        X = blobs() / 4
        same = [quick(random_state=s).fit(X).samples_ for s in (7, np.int64(7))]
        np.testing.assert_array_equal(*same)
        a, b = (quick(random_state=None).fit(X).result_["seed"] for _ in range(2))
        self.assertNotEqual(a, b)
        self.assertEqual(*(quick(random_state=np.random.RandomState(3)).fit(X).result_["seed"] for _ in range(2)))

    def test_subset(self):
        model = quick(model="mog-ncp").fit(blobs(2100, columns=2))
        self.assertEqual((model.labels_.shape, model.samples_.shape[1], len(model.subset_)), ((2100,), 400, 400))
        self.assertEqual(model.co_clustering_.shape, (400, 400))
        np.testing.assert_array_equal(model.labels_[:3], model.predict(blobs(2100, columns=2)[:3]))


    def test_known_rows(self):
        """Rows whose clusters are known have them; a row that stands for many counts as many."""
        X = blobs(40)
        y = np.full(40, -1)
        with self.assertRaisesRegex(ValueError, "one value for each of the 40 rows"):
            quick().fit(X, y[:3])
        y[:4] = [7, 7, 3, 3]
        want = quick().fit(X, y)
        labels = want.labels_
        self.assertEqual(labels[0], labels[1])
        self.assertEqual(labels[2], labels[3])
        self.assertNotEqual(labels[0], labels[2])
        for unknown in (None, np.nan):
            for some in ([unknown] * 36, [unknown] * 30 + [-1] * 6):
                model = quick().fit(X, [7, 7, 3, 3, *some])
                np.testing.assert_array_equal(model.probabilities_, want.probabilities_)
        with self.assertRaisesRegex(ValueError, r"sample_weight\[3\] is nan"):
            quick().fit(X, sample_weight=[1, 1, 1, np.nan] + [1] * 36)
        with self.assertRaisesRegex(ValueError, r"sample_weight\[2\] is 0.*leave the row out"):
            quick().fit(X, sample_weight=[1, 1, 0] + [1] * 37)
        self.assertEqual(quick(time=np.float32(9)).fit(X).n_clusters_, quick().fit(X).n_clusters_)
        weights = np.ones(40)
        weights[0] = 3
        heavy, repeated = quick().fit(X, sample_weight=weights), quick().fit(np.vstack([X, X[:1], X[:1]]))
        for k, p in repeated.k_posterior_.items():
            self.assertAlmostEqual(heavy.k_posterior_.get(k, 0), p, delta=0.2)


class TheProcess(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", gfncp.GFNCPWarning)

    def test_pickle_and_death(self):
        """A clustering outlives the process that made it, and so does a pickled one."""
        model, new = quick().fit(blobs()), blobs(9)
        want = model.predict_proba(new)
        text = pickle.dumps(model)
        gfncp.close()
        np.testing.assert_array_equal(pickle.loads(text).predict_proba(new), want)
        os.kill(_process.process._child.pid, signal.SIGKILL)
        _process.process._child.wait()
        np.testing.assert_array_equal(model.predict_proba(new), want)

    def test_dies_in_a_request(self):
        """A process that ends in the middle of a request is an error, and the next request starts another."""
        quick().fit(blobs())
        threading.Timer(0.3, os.kill, (_process.process._child.pid, signal.SIGKILL)).start()
        with self.assertRaisesRegex(gfncp.GFNCPError, "status -9"):
            quick(time=600).fit(NOISE)
        quick().fit(blobs())

    def test_poison(self):
        """After any request at fault a good one has its answer."""
        X = blobs(12)
        want = quick().fit(X).labels_
        child = _process.process._child
        line = np.frombuffer(b'\n{"op":"hello"}\n' * 8, np.uint8)
        wide = {"columns": [f"ENSG{i:011d}" for i in range(120_000)]}  # 2 MB
        bad = [
            lambda: gfncp.GFNCP(3).fit(X),
            lambda: gfncp.GFNCP(True).fit(X),
            lambda: process.request("cluster", {"x": line}, model=3),
            lambda: process.request("cluster", {"x": X}, model=[1]),
            lambda: process.request("cluster", {"x": X}, **wide),
            lambda: process.request("nonsense", {"x": line}),
            lambda: quick(samples="many").fit(X),
            lambda: quick(must_link=[(0, 99)]).fit(X),
        ]
        for number in np.random.default_rng(1).permutation(2 * len(bad)) % len(bad):
            with self.assertRaises((ValueError, TypeError)):
                bad[number]()
            np.testing.assert_array_equal(quick().fit(X).labels_, want)
        self.assertIs(_process.process._child, child)

    def test_out_of_step(self):
        """A process that answers another request than the last one is replaced."""
        quick().fit(blobs())
        child = _process.process._child
        child.stdin.write(b'{"id":77,"op":"hello"}\n')
        with self.assertRaisesRegex(gfncp.GFNCPError, "answers request 77"):
            quick().fit(blobs())
        self.assertEqual(len(quick().fit(blobs()).labels_), 60)
        self.assertIsNot(_process.process._child, child)

    def test_interrupt(self):
        """Ctrl-C ends a long fit at once, and the next one works."""
        quick().fit(blobs())
        child = _process.process._child
        interrupt = (threading.main_thread().ident, signal.SIGINT)
        threading.Timer(0.3, signal.pthread_kill, interrupt).start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            quick(time=600).fit(NOISE)
            time.sleep(5)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertIn(child.wait(5), (0, -9))  # its input ended, or it was killed
        self.assertEqual(len(quick().fit(blobs()).labels_), 60)

    def test_close_ends_it(self):
        """It ends with its input. What it has read is answered first, unless nobody reads the answer."""
        quick().fit(blobs())
        child = _process.process._child
        gfncp.close()
        self.assertEqual(child.returncode, 0)
        child = self.serve(blobs())
        output, _ = child.communicate(timeout=60)
        self.assertEqual((json.loads(output)["id"], child.returncode), (1, 0))
        child = self.serve(NOISE)
        time.sleep(1)
        child.stdin.close()
        self.assertIsNone(child.poll())
        child.stdout.close()
        self.assertNotEqual(child.wait(30), 0)

    def serve(self, X):
        """A process that has read a request about X."""
        child = subprocess.Popen([gfncp.program(), "serve", "--stdio"], stdin=-1, stdout=-1)
        x = {"dtype": "<f8", "shape": X.shape, "data": base64.b64encode(X.tobytes()).decode()}
        request = {"id": 1, "op": "cluster", "options": {"time": 600}, "arrays": {"x": x}}
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.flush()
        return child

    def test_close_in_a_request(self):
        """close ends the work of another thread at once; that thread gets an error."""
        quick().fit(blobs())
        faults = []

        def work():
            try:
                quick(time=600).fit(NOISE)
            except gfncp.GFNCPError as error:
                faults.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.5)
        begun = time.monotonic()
        gfncp.close()
        thread.join()
        self.assertLess(time.monotonic() - begun, 5)
        self.assertRegex(faults[0], "has ended")
        quick().fit(blobs())

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork(self):
        """A forked process has a gfncp of its own, and its parent's goes on."""
        model = quick().fit(blobs())
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if (quick().fit(blobs()).labels_ == model.labels_).all() else 3)
            finally:
                os._exit(4)
        before = _process.process._child.pid
        np.testing.assert_array_equal(quick().fit(blobs()).labels_, model.labels_)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(_process.process._child.pid, before)

    def test_threads(self):
        want = [quick().fit(blobs(20, seed=s)).labels_ for s in range(6)]
        got = [None] * 6

        def work(s):
            got[s] = quick().fit(blobs(20, seed=s)).labels_

        threads = [threading.Thread(target=work, args=(s,)) for s in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(got, want)

    def test_program(self):
        named = os.environ.get("GFNCP_BIN")
        try:
            os.environ["GFNCP_BIN"] = "/nowhere/gfncp"
            with self.assertRaisesRegex(gfncp.GFNCPError, "/nowhere/gfncp"):
                gfncp.program()
        finally:
            os.environ.pop("GFNCP_BIN")
            if named:
                os.environ["GFNCP_BIN"] = named
        self.assertTrue(os.access(gfncp.program(), os.X_OK))


if __name__ == "__main__":
    unittest.main()
