"""Campaigns of any protocol in one form, so that every measure of stability is written once.

A campaign is a table of *units*, the least that can be left out as a whole: a ranking of up to
five outputs, or what one annotator was shown of one document. A sample of it is a weight, 0 or 1,
of every unit; the scores of all samples come from one product of sparse matrices, as what a
protocol scores by are sums over units: wins of relative rankings, and sums and numbers of scores.

Human translations are not among the ranked systems. They are judged, though: where scores are
standardised by annotator, they enter the scales.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA
from wmtlib.assessment.rank_sum import pairwise_p
from wmtlib.assessment.signed_rank import pairwise_signed_rank
from wmtlib.assessment.zscores import z_scores
from wmtlib.judgements.counting import FIRST, SECOND
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import REFERENCE, UNRANKED, comparisons
from wmtlib.judgements.sign_test import sign_test
from wmtlib.tournament.scorers import expected_wins

SIGNED_RANK = ("ESA", "MQM")  # all systems are judged on the same segments
STANDARDISED = ("SR-DC", "SR+DC")  # protocols that standardise by annotator
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
        Codes from 0. `block`: units that are collected together, the ranking or document.
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

    def ahead(self, weights: Weights, alpha: float = ALPHA) -> np.ndarray:
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

    def ahead(self, weights: Weights, alpha: float = ALPHA) -> np.ndarray:
        wins = self._wins(weights)
        losses = wins.swapaxes(1, 2)
        significant = sign_test(wins, losses) < alpha  # NaN, not compared: no
        return (np.sign(wins - losses) * significant).astype(np.int8)

    def without_each(self) -> np.ndarray:
        size = len(self.systems)
        wins = np.repeat(self._wins(self.everything), size + 1, axis=0)
        gone = np.arange(size)
        wins[gone, gone, :] = wins[gone, :, gone] = 0
        return expected_wins(wins, np.zeros_like(wins))


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored(Judged):
    """Scores of single outputs, raw or standardised by annotator; every judgement counts alike.

    The scales of annotators are those of the whole campaign, also where a sample is ranked: who
    joins a small campaign has a scale too, but it cannot be told from a few judgements.

    Attributes
    ----------
    coded : Campaign
        Human translations and quality control included.
    humans : tuple of names
        Of `coded.systems`, those that are not ranked.
    standardised : bool
    credit, system, unit : ndarray of int, (credits,)
        Judgement, ranked system and unit of all that counts towards a ranked system.
    domain : ndarray of int, (credits,)
        Codes from 0. A system's score is the mean over domains of its mean scores.
    """

    coded: Campaign
    humans: tuple[str, ...]
    standardised: bool
    credit: np.ndarray
    system: np.ndarray
    unit: np.ndarray
    domain: np.ndarray

    def values(self, **changes: np.ndarray | None) -> np.ndarray:
        """Raw or standardised scores, (credits,); `changes` as in `zscores.z_scores`."""
        if self.standardised:
            return z_scores(self.coded, **changes)[self.credit]
        score = changes.get("score")
        return (self.coded.score if score is None else score)[self.credit]

    @cached_property
    def _values(self) -> np.ndarray:
        return self.values()

    @cached_property
    def _sums(self) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
        """Sum and number of values, units x (systems * domains)."""
        counted = np.isfinite(self._values)  # not where the annotator has no scale
        place = self.unit[counted], self._cell[counted]
        shape = len(self.size), len(self.systems) * self._domains
        values = self._values[counted], np.ones(int(counted.sum()))
        return tuple(scipy.sparse.coo_array((v, place), shape=shape).tocsr() for v in values)

    @property
    def _domains(self) -> int:
        return int(self.domain.max()) + 1

    @property
    def _cell(self) -> np.ndarray:
        return self.system * self._domains + self.domain

    def scores(self, weights: Weights) -> np.ndarray:
        total, number = ((weights @ s).toarray() for s in self._sums)
        return self._means(total, number)

    def _means(self, total: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Means over the domains in which a system was judged, (samples, systems)."""
        judged = number > 0
        mean = np.divide(total, number, out=np.zeros(total.shape), where=judged)
        shape = len(total), len(self.systems), self._domains
        judged = judged.reshape(shape).sum(axis=2)
        total = mean.reshape(shape).sum(axis=2)
        return np.divide(total, judged, out=np.full(shape[:2], np.nan), where=judged > 0)

    def ahead(self, weights: Weights, alpha: float = ALPHA) -> np.ndarray:
        size = len(self.systems)
        found = np.zeros((weights.shape[0], size, size), dtype=np.int8)
        for sample in range(weights.shape[0]):
            units = np.zeros(len(self.size), dtype=bool)
            units[weights.indices[weights.indptr[sample] : weights.indptr[sample + 1]]] = True
            better = self._one_sided(units[self.unit] & np.isfinite(self._values)) < alpha / 2
            found[sample] = better.astype(np.int8) - better.T
        return found

    def _one_sided(self, chosen: np.ndarray) -> np.ndarray:
        """P-values of chosen credits: small where the row's system is better."""
        values, system, size = self._values[chosen], self.system[chosen], len(self.systems)
        if self.protocol not in SIGNED_RANK:
            return pairwise_p(values, system, size, "one-sided")
        segment, place = np.unique(self.coded.place[self.credit[chosen]], return_inverse=True)
        cell, shape = place * size + system, (len(segment), size)
        total, number = (np.bincount(cell, w, np.prod(shape)) for w in (values, None))
        means = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
        return pairwise_signed_rank(means.reshape(shape))

    def without_each(self) -> np.ndarray:
        rows = [self._changed(scales_from=~self._rows([name])) for name in self.systems]
        rows = np.array([*rows, self._changed()])
        np.fill_diagonal(rows, np.nan)
        return rows

    def human_changed(self, divisor: float) -> np.ndarray:
        """Scores, (systems,), if human translations were not judged (0) or are divided.

        References among the quality control share their fate, as in Knowles (2021).
        """
        human = self._rows(self.humans, items=("REF",))
        if divisor:
            return self._changed(score=self.coded.divided(human, divisor))
        return self._changed(scales_from=~human)

    def _rows(self, names: Collection[str], items: Collection[str] = ()) -> np.ndarray:
        """Judgements of some systems and quality-control items, (judgements,) of bool."""
        chosen = self.coded.is_system(names)
        return self.coded.rows_of(chosen, items=items, paired=bool(items))

    def _changed(self, **changes: np.ndarray) -> np.ndarray:
        """Scores of all ranked systems, (systems,), from changed scores or scales."""
        values = self.values(**changes)
        counted, cells = np.isfinite(values), len(self.systems) * self._domains
        place = self._cell[counted]
        sums = [np.bincount(place, w, cells)[None, :] for w in (values[counted], None)]
        return self._means(*sums)[0]


def ranked_campaign(
    rankings: pd.DataFrame, *, name: str, seconds: float = np.nan, protocol: str = "RR"
) -> Ranked:
    """A campaign of relative rankings.

    Parameters
    ----------
    rankings : DataFrame
        Columns `relative_rankings.RANKINGS`, one task. The reference is left out, and rankings of
        fewer than two systems. Documents are not known: a segment stands in.
    """
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
        protocol=protocol,
        name=name,
        systems=tuple(systems),
        annotator=pd.factorize(heads["judge"])[0],
        document=pd.factorize(heads["segment"])[0],
        block=np.arange(len(heads)),
        size=np.bincount(pd.Index(heads["ranking"]).get_indexer(rankings["ranking"])),
        seconds=seconds,
        wins=wins.tocsr(),
    )


def scored_campaign(
    coded: Campaign,
    *,
    protocol: str,
    name: str,
    humans: Collection[str],
    standardised: bool,
    domains: np.ndarray | None = None,
    seconds: float = np.nan,
) -> Scored:
    """A campaign of scores.

    Parameters
    ----------
    coded : Campaign
        Where documents are not known (""), a segment stands in.
    humans : names
        Human translations that were judged like systems; they are not ranked.
    domains : ndarray of str, (places,), optional
        Over whose means a system's score is averaged; one if not given.
    """
    ranked = ~coded.is_system(humans)
    number = np.cumsum(ranked) - 1
    kept = ranked[coded.credit_system] & coded.rated[coded.credit]
    credit, system = coded.credit[kept], number[coded.credit_system[kept]]
    place, worker = coded.place[credit], coded.worker[credit]
    named = coded.documents if (coded.documents != "").all() else coded.segments
    document = pd.factorize(named)[0][place]
    pairs, unit = np.unique(document * len(coded.workers) + worker, return_inverse=True)
    documents = pairs // len(coded.workers)
    domain = np.zeros(len(named), dtype=int) if domains is None else pd.factorize(domains)[0]
    return Scored(
        protocol=protocol,
        name=name,
        systems=tuple(np.array(coded.systems, dtype=object)[ranked]),
        annotator=pairs % len(coded.workers),
        document=documents,
        block=documents if protocol in SIGNED_RANK else np.arange(len(pairs)),
        size=np.bincount(unit),
        seconds=seconds,
        coded=coded,
        humans=tuple(humans),
        standardised=standardised,
        credit=credit,
        system=system,
        unit=unit,
        domain=domain[place],
    )
