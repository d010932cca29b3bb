"""The checks of scikit-learn's check_estimator, and its pipelines."""

import pathlib
import sys
import unittest
import warnings
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import gfncp  # noqa: E402
from gfncp import GFNCP  # noqa: E402

from sklearn.utils import estimator_checks  # noqa: E402

EXCEPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": "a weight of 0 is refused, with the remedy: leave the row out",
}


class Checks(unittest.TestCase):
    def test_check_estimator(self):
        """The checks of check_estimator, but for EXCEPTIONS."""
        warnings.simplefilter("ignore")
        estimator = GFNCP(samples=10)
        if not hasattr(estimator_checks, "estimator_checks_generator"):  # before 1.6
            return self.check_one_by_one(estimator)
        results = estimator_checks.check_estimator(
            estimator, expected_failed_checks=EXCEPTIONS, on_skip=None, on_fail=None
        )
        self.assertGreater(len(results), 40)
        for result in results:
            with self.subTest(result["check_name"]):
                self.assertIn(result["status"], ("passed", "xfail", "skipped"), result["exception"])
        self.assertEqual({r["check_name"] for r in results if r["status"] == "xfail"}, set(EXCEPTIONS))

    def check_one_by_one(self, estimator):
        checks = [check for _, check in estimator_checks.check_estimator(estimator, generate_only=True)]
        checks.append(partial(estimator_checks.check_n_features_in_after_fitting, "GFNCP"))
        self.assertGreater(len(checks), 40)
        for check in checks:
            with self.subTest(check):
                if getattr(check, "keywords", {}).get("kind") == "zeros":
                    with self.assertRaisesRegex(gfncp.InputError, "leave the row out"):
                        check(estimator)
                else:
                    check(estimator)

    def test_in_scikit_learn(self):
        """clone, and a pipeline."""
        from sklearn.base import clone
        from sklearn.datasets import load_iris
        from sklearn.metrics import adjusted_rand_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        warnings.simplefilter("ignore", gfncp.GFNCPWarning)
        X, y = load_iris(return_X_y=True)
        pipeline = make_pipeline(StandardScaler(), GFNCP(samples=20))
        labels = clone(pipeline).fit_predict(X)
        self.assertGreater(adjusted_rand_score(labels, y), 0.5)
        self.assertEqual(clone(GFNCP(n_clusters=(1, 2))).n_clusters, (1, 2))


if __name__ == "__main__":
    unittest.main()
