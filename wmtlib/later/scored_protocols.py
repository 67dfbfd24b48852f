"""Campaigns of scores, by direct assessment, ESA or MQM, in the form of `protocols.Judged`."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA
from wmtlib.assessment.rank_sum import pairwise_p
from wmtlib.assessment.signed_rank import pairwise_signed_rank
from wmtlib.assessment.zscores import z_scores
from wmtlib.later.protocols import Judged, Weights

SIGNED_RANK = ("ESA", "MQM")  # all systems are judged on the same segments
STANDARDISED = ("SR-DC", "SR+DC")  # protocols that standardise by annotator


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

    @property
    def on_other_scale(self) -> "Scored":
        """Raw instead of standardised, or the other way round; domains are not told apart."""
        domain = np.zeros_like(self.domain)
        return replace(self, standardised=not self.standardised, domain=domain)

    @property
    def by_segment(self) -> "Scored":
        """The same judgements, of which single segments can be left out instead of documents."""
        coded = replace(self.coded, documents=np.full(len(self.coded.documents), ""))
        about = {"protocol": self.protocol, "name": self.name, "humans": self.humans}
        single = scored_campaign(coded, **about)
        return replace(single, domain=self.domain, standardised=self.standardised)

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

    def ahead(self, weights: Weights) -> np.ndarray:
        size = len(self.systems)
        found = np.zeros((weights.shape[0], size, size), dtype=np.int8)
        for sample in range(weights.shape[0]):
            units = np.zeros(len(self.size), dtype=bool)
            units[weights.indices[weights.indptr[sample] : weights.indptr[sample + 1]]] = True
            better = self._one_sided(units[self.unit] & np.isfinite(self._values)) < ALPHA / 2
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


def scored_campaign(
    coded: Campaign,
    *,
    protocol: str,
    name: str,
    humans: Collection[str],
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
    known = (coded.documents != "").all()
    document = pd.factorize(coded.documents)[0] if known else np.arange(len(coded.segments))
    document = document[place]
    pairs, unit = np.unique(document * len(coded.workers) + worker, return_inverse=True)
    documents = pairs // len(coded.workers)
    domain = np.zeros(len(coded.segments), dtype=int) if domains is None else domains
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
        standardised=protocol in STANDARDISED,
        credit=credit,
        system=system,
        unit=unit,
        domain=pd.factorize(domain)[0][place],
    )
