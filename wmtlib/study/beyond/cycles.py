"""Are cycles more than chance? Notebook 13.

Lopez (2012) finds cycles in 16 of 25 tasks, and reads them as "a strong inconsistency
in the data". Votes for systems that do have a true order make cycles too, where systems
are close. So the least violated weight of a task (the cost of `mfas.exact_order`,
reference left out) is held against *transitive worlds*: the same rankings of the same
outputs, drawn again from strengths, with the ties that the judges gave.

What follows was fixed before it was computed. Known was this, from a world without
rankings (each comparison by itself): the 25 tasks of Lopez would violate 435 (20 draws:
320 to 501) where 396 are observed, French-English 2010 67 (46 to 85) where 61 are;
English-Czech 2010 (43 against 20) and Spanish-English 2011 (31 against 11) violate
more.

World
    A ranking of k outputs is drawn whole: P(order) is proportional to
    exp(sum over pairs, i above j, of (s_i - s_j) / 2), over all k! orders (Mallows,
    Bradley and Terry). The judge's ties are kept: groups of tied places have the sizes
    that they had. An output that several systems of WMT16 share has the mean of their
    strengths. The strengths s are those at which every system's expected wins less
    losses are the real ones, to 0.001 judgements (or 30 steps): with the same
    comparisons of every pair, a Bradley-Terry fit that counts a tie as half a win then
    gives the expected counts the real strengths.
Main test, one
    The total of the least violated weight over all 62 tasks of WMT10-12 and WMT16;
    p = (1 + worlds with as much or more) / (1 + worlds), 199 worlds.
    p < 0.05: cycles are more than chance. p >= 0.05, and the total of worlds with
    cycles of sd 0.2 (log-odds; a share of 50 % becomes 55 %) is above the 95 %
    quantile of the transitive ones in at least 80 % of them: no more than chance, up to
    that size. Otherwise: undecided.
Single tasks
    The same p for every task of three systems or more, Holm's correction over them.
    Tasks with p < 0.05 after 199 worlds get new ones, which alone count then.
Intervals
    2.5 to 97.5 % of the worlds; for the total, too.
Power
    Worlds with cycles: the log-odds of i over j is s_i - s_j + c_ij; c is normal and
    antisymmetric, what strengths could explain of it is taken out (least squares over
    the compared pairs, by their numbers of comparisons), and the rest has the given sd
    over comparisons: 0.1, 0.2, 0.3, 0.5. Share of the worlds above the 95 % quantile
    of the transitive ones, by number of systems (3-9, 10-14, 15 or more) and for the
    total.
Two checks, not tests
    Strengths that are fitted are further apart than true ones, which makes too few
    cycles; and rankings by one judge, or of one sentence, are alike, which the worlds
    leave out and which makes too few, too. Both help the claim that cycles are real. If
    the claim fails here, it fails with them; if a task passes, it may be for them. So
    all is computed again with strengths shrunk to the spread that is left when the
    sampling variance of the fits in the worlds is taken out.
Claims of the paper
    L-5.1-30 ("there is simply no sensible way to put these systems into a total
    order"): French-English 2010 violates more than chance, p < 0.05, alone.
    L-5.1-31 ("a strong inconsistency in the data"): the 25 tasks violate (1) more than
    chance, p < 0.05, and (2) substantially more, at least 1.2 times the mean of the
    worlds. L-6-30 ("complete inability to obtain a sensible ordering on the 2010
    French-English task"): French-English (1) violates more than chance, as above, and
    (2) as much as if all systems were equal (it is not below the 95 % range of worlds
    with equal strengths).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.counts import REFERENCE
from wmtlib.cycles import Design, design, differences, least_violated
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.ranking_releases import JOINS
from wmtlib.study.releases.sources import LATER_RELATIVE, RELATIVE_CAMPAIGNS, Source

ALPHA = 0.05
SIZES = (0.1, 0.2, 0.3, 0.5)  # sd of cycles, in log-odds
BOUND = 0.2  # that is shown to be absent, if nothing is found
PER_CYCLES = 5  # worlds with the same cycles
MORE = 1999  # worlds of a task whose first p is below `ALPHA`


@dataclass(frozen=True, eq=False)
class SharedOutputs(Design):
    """A task of WMT16: what was judged are outputs, some of several systems.

    Attributes
    ----------
    members : ndarray (outputs, n)
        1 where an output is one of a system. `systems` and `margin` are the systems',
        `decided` and `rankings` the outputs'.
    """

    members: np.ndarray

    def expected(self, log_odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        margin, slope = super().expected(self.of_outputs(log_odds))
        return self.of_systems(margin), self.of_systems(slope)

    def drawn(
        self, log_odds: np.ndarray, n_worlds: int, rng: np.random.Generator
    ) -> np.ndarray:
        drawn = super().drawn(self.of_outputs(log_odds), n_worlds, rng)
        return self.of_systems(drawn)

    def of_outputs(self, log_odds: np.ndarray) -> np.ndarray:
        """Log-odds of outputs: the means over their systems."""
        share = self.members / self.members.sum(axis=1, keepdims=True)
        return share @ log_odds @ share.T

    def of_systems(self, values: np.ndarray) -> np.ndarray:
        """Sums over the outputs of every two systems."""
        return self.members.T @ values @ self.members


def designs(source: Source) -> Iterator[tuple[str, Design]]:
    """All tasks that the source holds: label and design, the reference left out."""
    campaigns = [*RELATIVE_CAMPAIGNS]
    if source.kind == "raw":
        campaigns += LATER_RELATIVE
    tasks = ranking_releases.tasks(source, campaigns)
    for campaign, names in tasks.groupby("campaign", sort=False)["task"]:
        rankings = None
        if campaign == "wmt16":
            rankings = ranking_releases.load_rankings(campaign, source=source)
        for task in names:
            label = ranking_releases.label(campaign, task)
            if rankings is not None:
                yield label, shared_outputs(rankings[rankings["task"] == task])
                continue
            frame = ranking_releases.load_comparisons(campaign, task, source=source)
            yield label, design(counting.without(frame, REFERENCE))


def shared_outputs(rankings: pd.DataFrame) -> SharedOutputs:
    """The design of a task of WMT16 from the rankings of its outputs."""
    outputs = design(counting.comparisons(rankings))
    members = pd.Series(outputs.systems).str.get_dummies(JOINS)
    matrix = members.to_numpy()
    margin = matrix.T @ outputs.margin @ matrix
    return SharedOutputs(
        [*members], margin, outputs.decided, outputs.rankings, members=matrix
    )
