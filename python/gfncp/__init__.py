"""Amortized probabilistic clustering with the gfncp program.

    from gfncp import GFNCP
    model = GFNCP(samples=100).fit(X)
    model.labels_, model.probabilities_, model.k_posterior_

docs/json.md of the gfncp project says what the numbers mean.
"""

from ._estimator import GFNCP
from ._process import GFNCPError, GFNCPWarning, InputError, close, program

__all__ = ["GFNCP", "GFNCPError", "GFNCPWarning", "InputError", "close", "program"]
