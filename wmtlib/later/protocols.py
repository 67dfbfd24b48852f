"""Campaigns of any protocol in one form, so that every measure of stability is written once.

A campaign is a table of *units*, the least that can be left out as a whole: a ranking of up to
five outputs, or what one annotator was shown of one document. A sample of it is a weight, 0 or 1,
of every unit; the scores of all samples come from one product of sparse matrices, as what a
protocol scores by are sums over units: wins of relative rankings, and sums and numbers of scores.

Human translations are not among the ranked systems. They are judged, though: where scores are
standardised by annotator, they enter the scales.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from wmtlib.assessment.clusters import ALPHA
from wmtlib.judgements.counting import FIRST, SECOND
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import REFERENCE, UNRANKED, comparisons
from wmtlib.judgements.sign_test import sign_test
from wmtlib.releases.ranking_xml import JOINS
from wmtlib.tournament.scorers import expected_wins

Weights = scipy.sparse.csr_array  # samples x units


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """What all protocols have in common.

    Attributes
    ----------
    protocol, name : str
        "RR", "SR-DC", "SR+DC", "ESA" or "MQM"; "wmt24 en-cs".
    systems : tuple of names, sorted
        Those that are ranked.
    annotator, document, block : ndarray of int, (units,)
        Codes from 0. `block`: units that are collected together, the ranking or document; they
        stand one after the other, block after block.
    size : ndarray of int, (units,)
        Judgements of ranked systems: outputs with a rank or a score.
    seconds : float
        Of annotation, for one judgement; NaN where it is not recorded.
    """

    protocol: str
    name: str
    systems: tuple[str, ...]
    annotator: np.ndarray
    document: np.ndarray
    block: np.ndarray
    size: np.ndarray
    seconds: float = np.nan

    @property
    def everything(self) -> Weights:
        """One sample: all units."""
        return scipy.sparse.csr_array(np.ones((1, len(self.size))))

    def scores(self, weights: Weights) -> np.ndarray:
        """Scores of all samples, (samples, systems); NaN without a judgement that counts."""
        raise NotImplementedError

    def ahead(self, weights: Weights) -> np.ndarray:
        """The protocol's test of all pairs, two-sided: (samples, systems, systems) of int8.

        1 where the row's system is significantly better than the column's, -1 where it is worse.
        """
        raise NotImplementedError

    def without_each(self) -> np.ndarray:
        """Scores if one system had not been judged, (systems + 1, systems).

        Row k: without system k, whose own score is NaN. Last row: nothing is left out.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked(Judged):
    """Relative rankings: scored by expected wins (WMT12), pairs by the sign test.

    Attributes
    ----------
    wins : sparse array, units x systems * systems
        Wins of the first system against the second, ranking by ranking.
    """

    wins: scipy.sparse.csr_array

    def _wins(self, weights: Weights) -> np.ndarray:
        size = len(self.systems)
        return (weights @ self.wins).toarray().reshape(-1, size, size)

    def scores(self, weights: Weights) -> np.ndarray:
        wins = self._wins(weights)
        return expected_wins(wins, np.zeros_like(wins))

    def ahead(self, weights: Weights) -> np.ndarray:
        wins = self._wins(weights)
        losses = wins.swapaxes(1, 2)
        significant = sign_test(wins, losses) < ALPHA  # NaN, not compared: no
        return (np.sign(wins - losses) * significant).astype(np.int8)

    def without_each(self) -> np.ndarray:
        size = len(self.systems)
        wins = np.repeat(self._wins(self.everything), size + 1, axis=0)
        gone = np.arange(size)
        wins[gone, gone, :] = wins[gone, :, gone] = 0
        return expected_wins(wins, np.zeros_like(wins))


def ranked_campaign(rankings: pd.DataFrame, *, name: str, seconds: float = np.nan) -> Ranked:
    """A campaign of relative rankings.

    Parameters
    ----------
    rankings : DataFrame
        Columns `relative_rankings.RANKINGS`, one task. The reference is left out, and rankings of
        fewer than two systems; an output of several systems (WMT16) is one judgement of each.
        Documents are not known: a segment stands in.
    """
    systems = rankings["system"].astype(str).str.split(JOINS)
    rankings = rankings.assign(system=systems).explode("system", ignore_index=True)
    rankings = rankings[(rankings["system"] != REFERENCE) & (rankings["rank"] != UNRANKED)]
    size = rankings.groupby("ranking", observed=True)["ranking"].transform("size")
    rankings = rankings[size > 1]
    if rankings.empty:
        raise DataError(f"{name}: no rankings of two systems or more")
    heads = rankings.drop_duplicates("ranking")
    pairs = comparisons(rankings)
    systems = sorted(rankings["system"].astype(str).unique())
    place = pd.Series(range(len(systems)), systems)
    first, second = (place[pairs[c].astype(str)].to_numpy() for c in ("system_1", "system_2"))
    unit = pd.Index(heads["ranking"]).get_indexer(pairs["ranking"])
    preference, n = pairs["preference"].to_numpy(), len(systems)
    cell = np.where(preference == FIRST, first * n + second, second * n + first)
    decided = (preference == FIRST) | (preference == SECOND)
    wins = scipy.sparse.coo_array(
        (np.ones(int(decided.sum())), (unit[decided], cell[decided])), shape=(len(heads), n * n)
    )
    return Ranked(
        protocol="RR",
        name=name,
        systems=tuple(systems),
        annotator=pd.factorize(heads["judge"])[0],
        document=pd.factorize(heads["segment"])[0],
        block=np.arange(len(heads)),
        size=np.bincount(pd.Index(heads["ranking"]).get_indexer(rankings["ranking"])),
        seconds=seconds,
        wins=wins.tocsr(),
    )
