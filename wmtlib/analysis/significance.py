"""Which systems are really apart, over all pairs that were tested?

`significance` tests every pair of a ranking and corrects for the number of tests; `groups` cuts the
ranking where they leave no doubt.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA, cluster_table
from wmtlib.assessment.rank_sum import p_values
from wmtlib.assessment.signed_rank import signed_rank_p
from wmtlib.assessment.zscores import segment_means
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.multiple_tests import CORRECTIONS, corrected
from wmtlib.judgements.sign_test import sign_test


def significance(
    data: Counts | pd.DataFrame | Campaign | BootstrapResult,
    order: Sequence[str],
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
    test: str = "rank-sum",
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the two with
      each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`rank_sum.p_values`), or the
      signed-rank test of the segments that both were judged on (`signed_rank.signed_rank_p`);
    - for a bootstrap how often resampling reverses them: 2 (k + 1) / (n_resamples + 1), where k
      counts the samples in which the less frequent order held.

    The first two take judgements, or segments, for independent.

    Parameters
    ----------
    data : Counts, comparisons frame, Campaign or BootstrapResult
    order : names, best first
        The systems to test; comparisons with others play no part.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false differences among those found (Benjamini & Hochberg 1995),
        or the chance of a single false one (Holm 1979), or neither.
    score : "z" or "raw"
        Of a campaign: which scores are tested.
    test : "rank-sum" or "signed-rank"
        Of a campaign.

    Returns
    -------
    DataFrame
        One row for each pair that stands above and below in the order: above, below, neighbours
        (bool), ahead (which one the test is in favour of, "" if neither), p and corrected. For
        counts also wins, losses and ties of the upper one. A pair without a decided comparison is
        not tested: NaN, and it does not count among the tests.

    Raises
    ------
    DataError
        An unknown correction, a name that is not in the data or stands twice, or fewer than two.
    """
    if correction not in CORRECTIONS:
        raise DataError(f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}")
    order = [*order]
    if len(order) < 2 or len(set(order)) < len(order):
        raise DataError("the order needs two systems or more, each once")
    if isinstance(data, pd.DataFrame):
        data = counting.counts(data)
    systems = [*data.beats.index] if isinstance(data, BootstrapResult) else [*data.systems]
    if odd := [name for name in order if name not in systems]:
        raise DataError(f"no system {odd[0]!r}; expected names of the data")
    places = np.array([systems.index(name) for name in order])
    upper, lower = np.triu_indices(len(order), k=1)
    names = np.array(order, dtype=object)
    table = pd.DataFrame(
        {"above": names[upper], "below": names[lower], "neighbours": lower == upper + 1}
    )
    i, j = places[upper], places[lower]
    if isinstance(data, Counts):
        wins, ties = data.wins.to_numpy(), data.ties.to_numpy()
        table = table.assign(wins=wins[i, j], losses=wins[j, i], ties=ties[i, j])
        lead, p = np.sign(wins[i, j] - wins[j, i]), sign_test(wins[i, j], wins[j, i])
    elif isinstance(data, BootstrapResult):
        share = data.beats.to_numpy()[i, j]
        less = np.minimum(share, 1 - share) * data.n_resamples
        lead, p = np.sign(share - 0.5), np.minimum(1, 2 * (less + 1) / (data.n_resamples + 1))
    else:
        better = _better(data, score, test)
        lead = np.sign(better[j, i] - better[i, j])
        p = np.minimum(1, 2 * np.minimum(better[i, j], better[j, i]))
    table["ahead"] = np.select([lead > 0, lead < 0], [table["above"], table["below"]], "")
    table["p"], table["corrected"] = p, corrected(p, correction)
    return table


def _better(campaign: Campaign, score: str, test: str) -> np.ndarray:
    """One-sided p-values, (systems, systems): small where the row's system is better."""
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    means = segment_means(campaign)
    if test == "rank-sum":
        means = pd.DataFrame({"system": means["system"], "z": means[score]})
        return p_values(means, test="one-sided").to_numpy()
    if test == "signed-rank":
        means = means.pivot_table(index=["document", "segment"], columns="system", values=score)
        return signed_rank_p(means).to_numpy()
    raise DataError(f"test is {test!r}; expected rank-sum, signed-rank")


def groups(table: pd.DataFrame, order: Sequence[str], *, alpha: float = ALPHA) -> pd.DataFrame:
    """Cut a ranking where systems are significantly apart.

    A line is drawn below a system if and only if it is significantly better than every system
    below it (Knowles 2021, footnote 4). Two systems without a decided comparison are not known to
    be apart; the test of a bootstrap compares those too, by what others tell of them.

    Parameters
    ----------
    table : DataFrame
        What `significance` gives for this order.
    order : names, best first
    alpha : float
        Significant: corrected p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (False for the last), cluster (1 = best), wins (how many systems it is
        significantly better than, wherever they stand); best first.
    """
    p = pd.DataFrame(1.0, index=[*order], columns=[*order])
    tested = table[table["ahead"] != ""].dropna(subset="corrected")
    behind = tested["above"].where(tested["ahead"] == tested["below"], tested["below"])
    for better, worse, value in zip(tested["ahead"], behind, tested["corrected"], strict=True):
        p.loc[better, worse] = value
    return cluster_table(order, p, rule="footnote-4", alpha=alpha)
