"""The rows of sections 8 and 9 of Knowles (2021) that simulated campaigns decide."""

import pandas as pd

from wmtlib.papers.knowles2021_protocols import CLEAR, METRICS, WORLDS, difference, means_of
from wmtlib.study.verdicts import Claim


def values(table: pd.DataFrame) -> dict[tuple[str, str], Claim]:
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

    rows = {
        ("section-8", "returning to SR-DC"): ("SR-DC", "SR+DC", "reversed"),
        ("section-8", "all systems on the same documents"): (
            "SR+DC, same documents",
            "SR+DC",
            "difficulty",
        ),
        ("section-8", "normalising over annotators instead of HITs"): (
            "SR+DC, runs of all systems",
            "SR+DC",
            "reversed",
        ),
        ("section-9", "the cause of the instability"): (
            "SR-DC, flat",
            "SR-DC, few systems, flat",
            "reversed",
        ),
    }
    computed = {key: Claim(*lower(*pair)) for key, pair in rows.items()}
    key = ("section-8", "returning to SR-DC")
    left = means_of(table).query("protocol == 'SR-DC' and metric == 'reversed'")
    some = {f"{r.world}: some are reversed in SR-DC": r.mean > 0 for r in left.itertuples()}
    computed[key] = Claim({**computed[key].parts, **some}, computed[key].value)
    key = ("section-8", "all systems on the same documents")
    short = lower("SR+DC, same documents, a third", "SR+DC, a third", "difficulty")[1]
    note = f"at a third of the cost, where SR+DC leaves documents unjudged: {short}"
    computed[key] = Claim(computed[key].parts, computed[key].value, note)
    computed["section-8", "calibration HITs"] = _leniency_claim(table)
    share = table[table["metric"] == "large documents"].groupby("world", sort=False)["value"].mean()
    computed["section-8", "all systems' output for a document in one HIT"] = Claim(
        {
            f"{world}: more than half of the documents": value > 0.5
            for world, value in share.items()
        },
        "SIMULATED: " + ", ".join(f"{value:.0%} in {world}" for world, value in share.items()),
    )
    return computed


def _leniency_claim(table: pd.DataFrame) -> Claim:
    """Section 8's "could untangle the issue of annotator strictness/leniency"."""
    rows = table[table["metric"].isin(["calibration HIT", "own HIT"])]
    wide = rows.pivot_table("value", ["world", "seed"], "metric")
    parts, words = {}, []
    for world in WORLDS:
        ours = wide.loc[world]
        apart = ours["calibration HIT"] - ours["own HIT"]
        parts[f"{world}: smaller error"] = bool(apart.mean() < -CLEAR * apart.sem())
        two = (ours["calibration HIT"].mean(), ours["own HIT"].mean())
        words.append(f"{two[0]:.2f} against {two[1]:.2f} points in {world}")
    return Claim(parts, "SIMULATED, error of workers' leniency: " + ", ".join(words))
