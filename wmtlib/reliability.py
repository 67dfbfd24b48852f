"""Reliability of judges, one by one: how far each agrees with the others.

**Comparisons.** A judge is compared with the ranking by all others: Bradley-Terry
strengths of the comparisons without the judge's own. *Reliability* is the share of the
judge's decided comparisons that favour the system which the others rank higher. It
depends on what was compared, so beside it is what the others' strengths, d apart, make
one *expect*: the mean of 1 / (1 + exp(-|d|)). The interval is Wilson's for as many
comparisons as have the variance of the share over the judge's rankings, where they
are known.

**Scores.** Reliability is the correlation of the judge's z-scores with the mean
z-scores that others gave to the same outputs, its interval Fisher's, with outputs taken
for independent; beside it is the median of all judges.

Judges with fewer than `FEWEST` comparisons, or outputs, that can be checked get no
reliability: the interval of a share would be more than 40 points wide.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from wmtlib.core.assessments import Campaign
from wmtlib.core.corrections import NORMAL, wilson
from wmtlib.core.counts import FIRST, TIE, ComparisonRows, Counts, unit_codes
from wmtlib.core.errors import DataError
from wmtlib.core.html_tables import Tabled
from wmtlib.core.ranking import TOLERANCE, Ranking, levels, pair_orders
from wmtlib.core.sampling import resampler
from wmtlib.files.forms import judged
from wmtlib.methods import METHODS, rank
from wmtlib.zscores import judged_values

FEWEST = 20  # comparisons, or outputs, that can be checked
COLUMNS = [  # of `JudgeReport.table`
    "judge",
    "judgements",
    "checked",
    "reliability",
    "low",
    "high",
    "expected",
    "doubtful",
    "reversed",
    "first",
]


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(Tabled):
    """Reliability of each judge, and the judge's effect on the ranking.

    Attributes
    ----------
    ranking : Ranking
        By Bradley-Terry strengths, or mean z-scores, of all judges.
    table : DataFrame
        Least reliable first: judge, judgements, checked (those that could be held
        against others), reliability, low, high (95 % interval), expected (of a typical
        judge, see the head of this module; NaN if there is no reliability), doubtful
        (the whole interval is below what is expected; NA), reversed (pairs of systems
        whose order changes without the judge) and first (who is first without it, if
        it is somebody else; "" otherwise).
    fewest : int
        Checked judgements below which there is no reliability.
    """

    ranking: Ranking
    table: pd.DataFrame
    fewest: int = FEWEST

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"{len(self.table)} judges, least reliable first"


def judges(data: Any, *, reference: str | None = None) -> JudgeReport:
    """Compare each judge with the others, and the ranking with that without the judge.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Campaign
        As in `methods.rank`; comparisons have a column judge, and a column ranking lets
        intervals be as wide as they should be. Judges of a path or a frame have
        pseudonyms; `people` of what `wmtlib.read` returned says who they are.
    reference : str, optional
        Left out.

    Raises
    ------
    DataError
        Fewer than two judges, or what `rank` refuses.

    Examples
    --------
    >>> judge = [*"pqrs"] * 30
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": "a", "judge": judge})
    >>> votes.loc[votes["judge"] == "r", "outcome"] = "b"
    >>> table = judges(votes).table[["judge", "reliability", "doubtful"]]
    >>> table.head(2).to_numpy().tolist()
    [['judge_003', 0.0, True], ['judge_001', 1.0, False]]
    >>> from wmtlib.files.read import read
    >>> read(votes).people["judge_003"]
    'r'
    """
    rows = judged(data)
    if isinstance(rows, Campaign):
        ranking = rank(rows, "z-score", reference=reference)
        table, scores = _of_scores(rows)
    elif isinstance(rows, Counts) or "judge" not in rows.frame:
        raise DataError("no judges are told apart; expected a column judge")
    else:
        rows = rows.without(reference)
        ranking = rank(rows.counted, "bradley-terry")
        table, scores = _of_comparisons(rows)
    checked = table["reliability"].notna()
    doubtful = (table["high"] < table["expected"]).astype("boolean")
    table = table.assign(
        expected=table["expected"].where(checked),
        doubtful=doubtful.where(checked),
    )
    table["reversed"], table["first"] = _changes(ranking, scores)
    table = table[COLUMNS].sort_values("reliability", kind="stable", ignore_index=True)
    return JudgeReport(ranking, table)


def _changes(ranking: Ranking, scores: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """Compute the columns reversed and first of `JudgeReport.table`.

    From scores without each judge, judges x systems.
    """
    before = ranking.scores.sort_index()
    after = scores[before.index].to_numpy()
    level = levels(np.vstack([before, after]))
    best = level == np.nanmax(level, axis=1, keepdims=True)  # or tied for it
    first, *firsts = [" = ".join(before.index[row]) for row in best]
    turned = pair_orders(before) * pair_orders(after) < 0
    return turned.sum(axis=1), ["" if name == first else name for name in firsts]


def _of_comparisons(data: ComparisonRows) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare each judge's decided comparisons with the strengths by all others.

    Columns of `JudgeReport.table`; scores without each judge, judges x systems.
    """
    samples = resampler(data, None, "judge").without_each()
    strengths = np.concatenate(
        [METHODS["bradley-terry"].sample_scores(sample) for sample in samples]
    )
    names = data.frame["judge"]
    judge, _ = unit_codes(names, "judge")
    # Nothing can be checked where apart is NaN: nobody else compared a system.
    apart = strengths[judge, data.first] - strengths[judge, data.second]
    checked = (data.preference != TIE) & (np.abs(apart) > TOLERANCE)
    agrees = (data.preference == FIRST) == (apart > 0)
    rows = pd.DataFrame(
        {
            "judgements": data.times,
            "checked": data.times * checked,
            "reliability": data.times * (checked & agrees),
            "expected": np.where(checked, data.times * expit(np.abs(apart)), 0),
        }
    )
    table = rows.groupby(judge).sum()
    table.insert(0, "judge", names.astype(str).groupby(judge).first())
    number = table["checked"]
    shares = ["reliability", "expected"]
    table[shares] = table[shares].div(number.where(number >= FEWEST), axis=0)
    share = table["reliability"]
    cases = number
    if "ranking" in data.frame:
        # So many independent comparisons have the variance of the share, which is a
        # ratio of two sums over rankings.
        rankings, _ = unit_codes(data.frame["ranking"], "ranking")
        surplus = rows["reliability"] - rows["checked"] * share[judge].array
        surplus = surplus[checked].groupby([judge[checked], rankings[checked]]).sum()
        by_judge = surplus.groupby(level=0)
        variance = by_judge.size() * by_judge.var() / number**2
        cases = (share * (1 - share) / variance).where(variance > 0, by_judge.size())
        cases = cases.clip(upper=number)
    table["low"], table["high"] = wilson(share, cases)
    return table, pd.DataFrame(strengths, columns=data.systems)


def _of_scores(campaign: Campaign) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare each worker's z-scores with the others' means of the same outputs.

    Returns what `_of_comparisons` does.
    """
    workers = np.unique(campaign.worker)
    if len(workers) < 2:
        raise DataError(
            f"{len(workers)} worker; expected two or more to hold against each other"
        )
    values = judged_values(campaign, "raw")  # those without a z-score, too
    values["system"] = np.array(campaign.systems)[values["system"]]
    output = ["system", "segment"]
    rows = []
    scores = []
    for k, worker in enumerate(workers):
        by_worker = values["worker"] == k
        scored = values[by_worker].groupby(output)["z"].mean().dropna()
        others = values[~by_worker].groupby(output)["z"].mean().dropna()
        scores.append(others.groupby("system").mean().reindex(campaign.systems))
        scored, others = scored.align(others, join="inner")
        correlation = scored.corr(others) if len(scored) >= FEWEST else np.nan
        judge = campaign.workers[worker]
        rows.append((judge, by_worker.sum(), len(scored), correlation))
    table = pd.DataFrame(rows, columns=COLUMNS[:4])
    with np.errstate(divide="ignore"):  # of a correlation of 1
        fisher = np.arctanh(table["reliability"])
    half = NORMAL / np.sqrt((table["checked"] - 3).clip(lower=1))
    table["low"] = np.tanh(fisher - half)
    table["high"] = np.tanh(fisher + half)
    table["expected"] = table["reliability"].dropna().median()
    return table, pd.DataFrame(scores)
