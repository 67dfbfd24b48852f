"""Move a ranking by hand: what a choice does to it, as a picture that follows at once.

`view` takes judgements and a `Choice` to a ranking with its significance lines and heatmap,
`compare_with_released` holds it against the ranking as released, `sentence` says it in words.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import scipy

from wmtlib import mfas, ranking
from wmtlib.cluster_lines import RankedClusters, rank_campaign, ranked_among
from wmtlib.counts import REFERENCE, Counts
from wmtlib.errors import DataError
from wmtlib.ranking import rank_by_score
from wmtlib.stability import differences
from wmtlib.study.papers.hit_composition import co_occurrence
from wmtlib.yours.explore.choices import DIFFERENCE, MET, SEGMENTS, Choice, P, Subject

REF = ("REF",)


@dataclass(frozen=True)
class View:
    """A ranking, and a heatmap with rows and columns in its order.

    Attributes
    ----------
    ranked : RankedClusters
        Over all systems of the subject; those left out are not in its order.
    heatmap : DataFrame, ranked x ranked
        What the choice's `heatmap` names; NaN = nothing to show.
    tint : ndarray, (ranked, ranked)
        -1 (the column's system is better) to 1 (the row's is).
    """

    ranked: RankedClusters
    heatmap: pd.DataFrame
    tint: np.ndarray

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.ranked.names


@dataclass(frozen=True)
class RankingChange:
    """The ranking as released, and as chosen.

    Attributes
    ----------
    subject, choice, before, after
    moved : dict of str to int
        Places that a system has risen among the systems that are left.
    crossed : set of names
        Systems that stand in another order than before to at least one other.
    changes : dict
        See `stability.differences`; of the systems that are left.
    """

    subject: Subject
    choice: Choice
    before: View
    after: View
    moved: dict[str, int]
    crossed: set[str]
    changes: dict[str, object]


def view(subject: Subject, choice: Choice) -> View:
    """Rank, test and draw lines; fewer than two systems, or one without data, raise `DataError`."""
    rank = _relative if isinstance(subject.data, Counts) else _direct
    ranked, values = rank(subject, choice)
    heatmap = pd.DataFrame(values, subject.systems, subject.systems)
    heatmap = heatmap.loc[ranked.names, ranked.names]
    return View(ranked, heatmap, _tint(heatmap.to_numpy(), choice))


def _relative(subject: Subject, choice: Choice) -> tuple[RankedClusters, np.ndarray]:
    """Ranking and heatmap, (systems, systems), of relative rankings; sign test of each pair."""
    gone = {*choice.out} if choice.references else {*choice.out, REFERENCE}
    counts = subject.data.without(*gone)
    rivals = counts.without(REFERENCE)
    if len(names := rivals.systems) < 2:
        raise DataError(f"{len(names)} system(s) would be left; expected two or more")
    if choice.scorer == "mfas":
        order, score = mfas.solve(rivals.wins).order, np.full(len(names), np.nan)
    else:
        scores = ranking.score(choice.scorer, counts, reference=REFERENCE)
        order, score = rank_by_score(choice.scorer, scores).order, scores.loc[names].to_numpy()
    won = rivals.wins.to_numpy()
    p = scipy.special.bdtr(won.T, won + won.T, 0.5)
    if choice.test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    place = np.array([subject.systems.index(name) for name in names])
    order = np.array([names.index(name) for name in order])
    ranked = ranked_among(subject.systems, place, order, score, p, choice.rule)
    if choice.heatmap == P:
        return ranked, ranked.p
    wins = counts.wins.reindex(index=subject.systems, columns=subject.systems).to_numpy()
    with np.errstate(invalid="ignore"):
        return ranked, wins / (wins + wins.T)


def _direct(subject: Subject, choice: Choice) -> tuple[RankedClusters, np.ndarray]:
    """The same of direct assessment; rank-sum test of each pair."""
    campaign, items = subject.data, () if choice.references else REF
    human = campaign.rows_of(campaign.is_system(subject.humans), items=REF, paired=False)
    unranked = campaign.is_system(choice.out)
    ranked = rank_campaign(
        campaign,
        test=choice.test,
        rule=choice.rule,
        score=campaign.divided(human, choice.divisor),
        scales_from=~campaign.rows_of(unranked, items=items, paired=False),
        unranked=unranked,
        average_segments=choice.weighting == SEGMENTS,
    )
    if choice.heatmap == P:
        return ranked, ranked.p
    if choice.heatmap == DIFFERENCE:
        return ranked, ranked.score[:, None] - ranked.score
    unit = "worker" if "" in campaign.hits else "hit"
    return ranked, co_occurrence(campaign, unit=unit).to_numpy()


def _tint(values: np.ndarray, choice: Choice) -> np.ndarray:
    """`View.tint` of a heatmap's values, (ranked, ranked)."""
    if choice.heatmap == P:  # .05, .01 and .001, for the better system of the two
        levels = [values < 0.001, values < 0.01, values < 0.05]
        strength = np.select(levels, [1, 0.65, 0.35], 0.0)
        # A test without direction is in favour of the upper one of the two.
        if choice.test != "one-sided" and choice.scorer == "":
            strength = np.triu(strength)
        tint = strength - strength.T
    elif choice.heatmap == DIFFERENCE:
        tint = values / max(np.abs(values).max(), 1e-9)
    else:
        tint = values if choice.heatmap == MET else 2 * values - 1
    return np.nan_to_num(tint * ~np.eye(len(tint), dtype=bool))


@lru_cache(maxsize=8)
def released_view(subject: Subject) -> View:
    """The ranking as released."""
    return view(subject, subject.released)


def compare_with_released(subject: Subject, choice: Choice) -> RankingChange:
    """Hold a choice against the ranking as released, of the systems that are left."""
    before, after = released_view(subject), view(subject, choice)
    left = np.isin(np.arange(len(subject.systems)), after.ranked.order)
    place = {name: k for k, name in enumerate(after.order)}
    names = [name for name in before.order if name in place]
    now = np.array([place[name] for name in names])
    inverted = np.triu(now[:, None] > now, 1)
    crossed = {names[k] for k in np.flatnonzero((inverted | inverted.T).any(axis=0))}
    moved = {name: k - place[name] for k, name in enumerate(names)}
    changes = differences(before.ranked.restricted(left), after.ranked)
    return RankingChange(subject, choice, before, after, moved, crossed, changes)


def sentence(change: RankingChange) -> str:
    """The choice and what it changes, in words: the text alternative of the picture."""
    choice, changes, systems = change.choice, change.changes, change.subject.systems
    about = [f"{change.subject.label}: {len(change.after.order)} of {len(systems)} systems"]
    if choice.out:
        about.append(f"without {', '.join(sorted(choice.out))}")
    if not choice.references:
        about.append("references left out")
    if choice.divisor != 1:
        about.append(f"scores of humans and references divided by {choice.divisor:g}")
    order = "The order of all pairs of systems stays"
    if changes["swaps"]:
        pairs = str(changes["swaps"]).replace(" > ", " falls below ")
        order = f"Pairs of systems that change order: {changes['kendall']} (neighbours: {pairs})"
    lines = [
        f"Lines {k}: {changes[f'lines_{k}']}" for k in ("new", "gone") if changes[f"lines_{k}"]
    ]
    if not lines:
        lines = ["The lines stay"]
    return f"{', '.join(about)}. {'. '.join([order, *lines])}."
