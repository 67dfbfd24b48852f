"""The rows of sections 8 and 9 of Knowles (2021) that simulated campaigns decide."""

import pandas as pd

from wmtlib.study.papers.knowles2021_protocols import CLEAR, METRICS, WORLDS, difference, means_of
from wmtlib.study.verdicts import Claim, Values


def values(table: pd.DataFrame) -> Values:
    """Our values of these rows.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    """

    def lower(label: str, than: str, metric: str) -> tuple[dict[str, bool], str]:
        found = difference(table, label, than, metric)
        parts = {
            f"{r.world}: {label} lower than {than}": bool(r.clear and r.difference < 0)
            for r in found.itertuples()
        }
        words = [f"{r.difference:+.2f} ± {r.error:.2f} in {r.world}" for r in found.itertuples()]
        return parts, f"SIMULATED, {METRICS[metric]}: " + ", ".join(words)

    left = means_of(table).query("protocol == 'SR-DC' and metric == 'reversed'")
    some = {f"{r.world}: some are reversed in SR-DC": r.mean > 0 for r in left.itertuples()}
    fewer, reversed_by = lower("SR-DC", "SR+DC", "reversed")
    _, short = lower("SR+DC, same documents, a third", "SR+DC, a third", "difficulty")
    share = table[table["metric"] == "large documents"].groupby("world", sort=False)["value"].mean()
    return {
        ("section-8", "returning to SR-DC"): Claim(fewer | some, reversed_by),
        ("section-8", "all systems on the same documents"): Claim(
            *lower("SR+DC, same documents", "SR+DC", "difficulty"),
            f"at a third of the cost, where SR+DC leaves documents unjudged: {short}",
        ),
        ("section-8", "normalising over annotators instead of HITs"): Claim(
            *lower("SR+DC, runs of all systems", "SR+DC", "reversed")
        ),
        ("section-9", "the cause of the instability"): Claim(
            *lower("SR-DC, flat", "SR-DC, few systems, flat", "reversed")
        ),
        ("section-8", "calibration HITs"): _leniency_claim(table),
        ("section-8", "all systems' output for a document in one HIT"): Claim(
            {f"{w}: more than half of the documents": value > 0.5 for w, value in share.items()},
            "SIMULATED: " + ", ".join(f"{value:.0%} in {w}" for w, value in share.items()),
        ),
    }


def _leniency_claim(table: pd.DataFrame) -> Claim:
    """Section 8's "could untangle the issue of annotator strictness/leniency"."""
    rows = table[table["metric"].isin(["calibration HIT", "own HIT"])]
    wide = rows.pivot_table("value", ["world", "seed"], "metric")
    parts, words = {}, []
    for world in WORLDS:
        ours = wide.loc[world]
        apart = ours["calibration HIT"] - ours["own HIT"]
        parts[f"{world}: smaller error"] = apart.mean() < -CLEAR * apart.sem()
        two = (ours["calibration HIT"].mean(), ours["own HIT"].mean())
        words.append(f"{two[0]:.2f} against {two[1]:.2f} points in {world}")
    return Claim(parts, "SIMULATED, error of workers' leniency: " + ", ".join(words))
