"""The checks of scikit-learn's check_estimator, where it is installed."""

import pathlib
import sys
import unittest
import warnings
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import gfncp  # noqa: E402
from gfncp import GFNCP  # noqa: E402

try:
    from sklearn.utils import estimator_checks
except ImportError:
    estimator_checks = None


@unittest.skipUnless(estimator_checks, "scikit-learn is not installed")
class Checks(unittest.TestCase):
    def test_check_estimator(self):
        """Those of check_estimator, those that it keeps for subclasses of its own ClusterMixin, and two more."""
        warnings.simplefilter("ignore")
        estimator = GFNCP(samples=10)
        checks = [check for _, check in estimator_checks.check_estimator(estimator, generate_only=True)]
        checks += [partial(c, "GFNCP") for c in estimator_checks._yield_clustering_checks(estimator)]
        checks.append(partial(estimator_checks.check_n_features_in_after_fitting, "GFNCP"))
        checks.append(partial(estimator_checks.check_dataframe_column_names_consistency, "GFNCP"))
        self.assertGreater(len(checks), 30)
        for check in checks:
            with self.subTest(check):
                try:
                    check(estimator)
                except unittest.SkipTest as reason:  # pandas is not installed
                    self.assertIn("pandas", str(reason))

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
