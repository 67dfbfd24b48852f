"""Chance that a printed line is printed again, from its p-value. Notebook 63.

Of a line that half a campaign draws, the largest p across it (of a system above and one
below, by units) says how clear it is. The log-odds that the other half draws it, too:

    log(chance / (1 - chance)) = a(protocol) + b z,  z = -Phi^-1(one-sided p)

Each printed line counts once; intervals are over campaigns.

Criteria, written before the first fit:

- Predicted chances are *calibrated* on some lines if the mean of (again - predicted),
  again being 1 or 0, has a 95 % interval over campaigns that contains 0 and lies within
  0.15 of it; *not calibrated*, if it does not contain 0; otherwise *undecided*.
- The lines: (1) of every campaign, predicted by the other campaigns; all, and those
  predicted below 0.5, from 0.5 to 0.8, and above; (2) of halves, predicted by quarters;
  (3) of the eight language pairs that WMT10's experts and crowd both judged, predicted
  by all campaigns but these.
- `wmtlib rank` prints the chance beside a line only if the lines of the unit test,
  which are those it draws, are calibrated in all of these. Otherwise the table stays in
  the notebook.

Known before: of the eight language pairs 6 lines are printed by units, of which 2 come
again (11 and 4 by the campaigns' own rule), so that (3) is likely to be undecided.
"""

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import ndtri

MOST = 1e-4  # p of less are taken for this: what drawn signs can tell
PRIOR = 5.0  # sd of every coefficient, so that lines that all come again have a fit
PROTOCOLS = {  # by what a judge sees; the others are whole documents
    "RR": "relative rankings",
    "DA SR-DC": "single sentences",
    "DA by HIT": "single sentences",
}
KINDS = ["relative rankings", "single sentences", "whole documents"]


def explained_by(protocol: pd.Series, p: pd.Series) -> np.ndarray:
    """Make the columns of the equation, (lines, 4): 1 for the kind of protocol; z."""
    kind = protocol.map(PROTOCOLS).fillna(KINDS[-1]).to_numpy()
    z = -ndtri(p.clip(lower=MOST))
    return np.column_stack([kind[:, None] == KINDS, z])


def fit(x: np.ndarray, again: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Fit the coefficients (4,) by maximum likelihood with a weak prior.

    Parameters
    ----------
    x : ndarray, (lines, 4)
        Of `explained_by`.
    again, times : ndarray, (lines,)
        Whether a line comes again, and how often it counts.
    """

    def cost(coefficients: np.ndarray) -> float:
        log_odds = x @ coefficients
        surprise = np.logaddexp(0, log_odds) - again * log_odds
        return times @ surprise + np.sum((coefficients / PRIOR) ** 2) / 2

    return minimize(cost, np.zeros(x.shape[1])).x
