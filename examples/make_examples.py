"""Make the example files of this folder from the package's simulators: the same bytes
each time.

    python examples/make_examples.py            # into this folder
    python examples/make_examples.py FOLDER

Nobody judged anything here: systems, judges and segments are simulated.
"""

import sys
from pathlib import Path

import competitions
import numpy as np
import pandas as pd

from study.data import simulation
from study.hopkins2013.irt import GaussianSettings

SEED = 2026
SYSTEMS = tuple(f"simulated-{letter}" for letter in "ABCDEFGH")
JUDGES = 15
OUTCOMES = np.array(["tie", "a", "b"])  # of preferences 0, 1, 2


def rankings(rng: np.random.Generator) -> pd.DataFrame:
    """300 rankings of five of eight systems, one row a ranked output; ties share a
    rank, and nobody ranks a segment twice.
    """
    ability = rng.normal(0, 0.6, len(SYSTEMS))
    of_judge = rng.normal(0, 0.3, (JUDGES, len(SYSTEMS)))
    ranked: set[tuple[int, int]] = set()
    rows = []
    while len(ranked) < 300:
        judge, segment = int(rng.integers(JUDGES)), int(rng.integers(1, 101))
        shown = rng.permutation(len(SYSTEMS))[:5]
        seen = ability[shown] + of_judge[judge, shown] + rng.normal(0, 0.8, 5)
        if (judge, segment) in ranked:
            continue
        ranked.add((judge, segment))
        levels = np.unique(np.rint(-2 * seen), return_inverse=True)[1] + 1
        name = f"judge-{judge + 1:02d}"
        for system, rank in zip(shown, levels, strict=True):
            rows.append((len(ranked), name, segment, SYSTEMS[system], rank))
    return pd.DataFrame(rows, columns=["ranking", "judge", "segment", "system", "rank"])


def pairwise(rng: np.random.Generator) -> pd.DataFrame:
    """1500 comparisons of eight systems on 100 segments, by the Gaussian model of the
    package; nobody judges a pair of a segment twice, in either order.
    """
    drawn, _ = competitions.simulate(
        GaussianSettings(),
        rng=rng,
        systems=len(SYSTEMS),
        segments=100,
        comparisons=1600,
    )
    names = dict(
        zip([f"c0000-s{k:02d}" for k in range(len(SYSTEMS))], SYSTEMS, strict=True)
    )
    judge = rng.integers(1, JUDGES + 1, len(drawn))
    votes = pd.DataFrame(
        {
            "system_a": drawn["system_1"].map(names),
            "system_b": drawn["system_2"].map(names),
            "outcome": OUTCOMES[drawn["preference"]],
            "judge": [f"judge-{number:02d}" for number in judge],
            "segment": drawn["segment"] + 1,
        }
    )
    pair = pd.DataFrame(np.sort(votes[["system_a", "system_b"]]))
    again = pair.assign(judge=judge, segment=votes["segment"]).duplicated()
    return votes[~again].head(1500)


def assessments(rng: np.random.Generator) -> pd.DataFrame:
    """2600 scores of six systems by twenty workers, with WMT's items of quality
    control.
    """
    size = simulation.SIZE | {"judgements": 2600, "documents": 20}
    design = simulation.calibrated("SR-DC, stand-in", **size)
    frame = simulation.simulate_campaign(design, rng).assessments
    frame = frame.drop(columns=["language_pair", "accepted"])
    return frame.assign(score=frame["score"].astype(int))


MAKERS = {"rankings": rankings, "pairwise": pairwise, "assessments": assessments}


def main(folder: Path) -> None:
    """Write the three files."""
    for number, (name, make) in enumerate(MAKERS.items()):
        table = make(np.random.default_rng([SEED, number]))
        table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
