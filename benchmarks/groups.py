"""Standard errors by groups of judges, beside those by judge and by single vote.

    python benchmarks/groups.py [--campaigns N]

Each campaign has 40,000 simulated votes of 2000 judges on six systems. A judge likes a
system by a normal amount more or less than others do, and all his votes have the same
taste. A group is a remainder of the MD5 of a judge's name. The standard deviation of a
Bradley-Terry score over 200 resamples of a unit is divided by that over resamples of
judges: the table has the mean of this ratio over systems and campaigns, its standard
error over campaigns, and the ends of 90 % of the systems and campaigns.
"""

import argparse
import hashlib

import numpy as np
import pandas as pd

import wmtlib

SYSTEMS = np.array([*"ABCDEF"], dtype=object)
STRENGTH = np.linspace(0.5, -0.5, len(SYSTEMS))
VOTES, JUDGES = 40_000, 2000
TASTE = 1.5  # standard deviation of a judge's liking of a system, in log odds
GROUPS = (16, 64, 256, 1024)
RESAMPLES = 200
SEED = 51


def simulate(rng: np.random.Generator) -> pd.DataFrame:
    """Draw votes: a tie where the two, and the vote's own noise, are within 1/2."""
    judge = rng.integers(JUDGES, size=VOTES)
    first = rng.integers(6, size=VOTES)
    second = (first + rng.integers(1, 6, size=VOTES)) % 6
    liked = STRENGTH + rng.normal(0, TASTE, (JUDGES, 6))
    apart = liked[judge, first] - liked[judge, second] + rng.logistic(size=VOTES)
    winner = np.select([apart > 0.5, apart < -0.5], ["model_a", "model_b"], "tie")
    names = [f"judge-{number}" for number in judge]
    columns = {"model_a": SYSTEMS[first], "model_b": SYSTEMS[second], "winner": winner}
    return pd.DataFrame({**columns, "judge": names})


def standard_errors(votes: pd.DataFrame, unit: str, draw: int = 0) -> pd.Series:
    """Resample a unit, and compute the standard deviation of each score."""
    samples = wmtlib.bootstrap(
        votes, "bradley-terry", unit=unit, n_resamples=RESAMPLES, seed=[SEED, draw]
    )
    return samples.sample_scores.std()


def ratios(votes: pd.DataFrame) -> pd.DataFrame:
    """Divide standard errors (columns: units) by those of judges; rows: systems."""
    md5 = votes["judge"].map(lambda judge: hashlib.md5(judge.encode()).hexdigest())
    group = md5.str[:8].map(lambda digits: int(digits, 16))
    by_unit = {"judges again": standard_errors(votes, "judge", 1)}
    for number in GROUPS:
        grouped = votes.assign(judge=group % number)
        by_unit[f"{number} groups"] = standard_errors(grouped, "judge")
    by_unit["single votes"] = standard_errors(votes, "comparison")
    return pd.DataFrame(by_unit).div(standard_errors(votes, "judge"), axis=0)


def main() -> None:
    """Print the table of docs/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=20)
    campaigns = range(parser.parse_args().campaigns)
    drawn = [ratios(simulate(np.random.default_rng([SEED, k]))) for k in campaigns]
    every = pd.concat(drawn, keys=campaigns, names=["campaign"])
    means = every.groupby("campaign").mean()
    print("| unit | ratio | standard error | 90 % between |")
    print("| --- | --- | --- | --- |")
    for unit, of_unit in every.items():
        low, high = of_unit.quantile([0.05, 0.95])
        row = [f"{means[unit].mean():.2f}", f"{means[unit].sem():.3f}"]
        print(f"| {unit} | {' | '.join(row)} | {low:.2f} and {high:.2f} |")


if __name__ == "__main__":
    main()
