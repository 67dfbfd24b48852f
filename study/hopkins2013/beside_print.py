"""Values of Hopkins & May (2013) beside the printed ones, and facts about its claims.

Those of sections 1 to 8 that rest on judgements or on none; `section_7`, `section_8`
and `figure_6` have those of fitted models. The criteria of the claims are in
data/published/hopkins2013.csv, as words and as tests over these facts.
"""

from collections.abc import Sequence
from fractions import Fraction
from inspect import signature

import numpy as np
import pandas as pd
from scipy import stats

from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013 import (
    TRIALS,
    TUNED_ON,
    YEARS,
    Track,
    Tracks,
    irt,
    section_1,
    section_4,
    section_6,
    section_7,
    section_8,
)
from study.lopez2012 import tables
from study.run import keep
from study.scoreboard.published import by_id
from study.scoreboard.verdicts import Values
from wmtlib import models
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import REFERENCE, both_ways, comparisons, rows_of, tally
from wmtlib.methods import rank


def arithmetic() -> Values:
    """Compute what the paper's sections 1 to 7 compute without judgements."""
    table_2 = comparisons(section_1.fictional_ranking())
    columns = table_2[["system_1", "system_2", "preference"]].astype(str)
    rows = columns.agg(" ".join, axis=1)
    # Wins and ties of A, and of B, against each other; then half of B's comparisons are
    # ties with its copy.
    unbeaten = Fraction(1, 3) + Fraction(1, 3)
    duplicated = (unbeaten + 1) / 2
    gold = ["terrific", "close1", "close2", "close3"]
    first = tables.spearman(["terrific", "close3", "close1", "close2"], gold)
    second = tables.spearman(["close1", "terrific", "close2", "close3"], gold)
    uniform = models.uniform(table_2, systems=section_1.TABLE_1)
    three = round(models.perplexity(uniform, table_2), 9)
    defaults = signature(irt.fit_gaussian_each).parameters
    return {
        "H-1-04": len(table_2),
        "H-T2-01": ", ".join(rows),
        "H-2-01": str(unbeaten),
        "H-2-02": str((unbeaten + unbeaten) / 2),
        "H-2-03": str(duplicated),
        "H-3-01": "the second" if second > first else "the first",
        "H-5.1-01": three,
        "H-N10-01": defaults["iterations"].default,
        "H-N10-02": defaults["burn_in"].default,
        "H-8-10": TRIALS,
        "H-F1-01": round(-0.3 - 0.12, 2),
        "H-F1-02": round(0.2 + 0.15, 2),
        "H-F2-01": three,
    }


def of_tracks(tracks: Tracks, *, source: Source, seed: int, trials: int) -> Values:
    """Compute values of sections 1 to 4, 6, 7, Table 3, and section 8's agreement.

    Parameters
    ----------
    tracks : mapping of campaign to its tracks
        Of `YEARS` and "wmt10-crowd".
    source : Source
        Where they came from; single rankings are left out where it has counts only.
    seed, trials : int
        For what is averaged over training sets drawn at random.
    """
    every = [track for year in YEARS for track in tracks[year]]
    facts = pd.DataFrame([*map(_of_track, every)])
    by_year = facts.groupby("year")
    depends_on = [[track.described for track in every], seed, trials]
    arguments = every, seed, trials
    drawn = keep.result(
        "training-sets", depends_on, section_6.over_training_sets, *arguments
    )
    english_german = ranking_releases.load_counts("wmt12", "en-de", source=source)
    methods = ("bojar", "mfas", "expected-wins")
    values: Values = {
        **by_id("hopkins2013", "table-3", section_4.dataset_sizes(tracks), " "),
        **section_1.language_pairs(source),
        **facts[["tied", "size", "rho"]],
        "crowd": sum(len(track.train) for track in tracks["wmt10-crowd"]),
        "orders": len({tuple(rank(english_german, name).order) for name in methods}),
        "ratio": pd.concat([*facts["ratio"]]),
        "infinite": drawn.to_dict("list"),
        **by_year[["won", "lost"]].sum(),
        "present": by_year["present"].agg(list),
        "H-7-03": {"spread": drawn["spread"].tolist()},
    }
    if source.kind == "raw":
        values |= _of_rankings(tracks, every, source, seed)
    return values


def _of_track(track: Track) -> Values:
    """Compute facts of a track.

    tied: are there ties? won, lost: comparisons of the reference. ratio, by system: how
    far BOJAR is from its mean over opponents, in standard errors. rho: Spearman's
    correlation of Q(1|s) / (Q(1|s) + Q(2|s)), alpha = 1, with BOJAR, in training.
    """
    whole = track.whole()
    wins = rows_of(whole, track.systems).counted.wins
    decided = wins + wins.T
    number = decided.sum(axis=1)
    bojar = wins.sum(axis=1) / number
    by_opponent = (wins / decided.where(decided > 0)).mean(axis=1)
    _, won, lost = both_ways(tally(track.train, track.systems)).sum(axis=1).T
    is_reference = wins.index == REFERENCE
    return {
        "year": track.campaign,
        "tied": (whole["preference"] == 0).any(),
        "size": len(whole),
        "present": REFERENCE in track.systems,
        "won": wins.to_numpy()[is_reference].sum(),
        "lost": wins.T.to_numpy()[is_reference].sum(),
        "ratio": (bojar - by_opponent).abs() / np.sqrt(bojar * (1 - bojar) / number),
        "rho": stats.spearmanr((1 + won) / (2 + won + lost), won / (won + lost))[0],
    }


def _of_rankings(
    tracks: Tracks, every: Sequence[Track], source: Source, seed: int
) -> Values:
    """Compute values that need single rankings."""
    rates = 100 * section_4.judge_agreement(tracks)["agreement"]
    by_track = section_4.judge_agreement(
        {track.task: [track] for track in tracks["wmt12"]}
    )
    low, high = 100 * by_track["agreement"].agg(["min", "max"])
    of_years = {
        year: ranking_releases.load_rankings(year, source=source) for year in YEARS
    }
    rankings = pd.concat(of_years, names=["year"])
    rankings = rankings[rankings["task"].isin([track.task for track in every])]
    tuned_on = [t for t in tracks["wmt10"] if t.task in TUNED_ON]
    depends_on = [[track.described for track in tuned_on], seed]
    kept = keep.result(
        "tuned", depends_on, section_7.tuned_perplexities, tuned_on, seed
    )
    tuned = {name: table["mean"].to_numpy() for name, table in kept.items()}
    facts = pd.DataFrame([*map(section_4.of_segments, every)])
    note = (
        f"{facts['few'].sum()} of {facts['segments'].sum()} segments have fewer:"
        " judges left ranks blank"
    )
    # Under independent draws, variance over mean times segments less one is about
    # chi-square.
    freedom = facts["segments"] - 1
    p = stats.chi2.sf(facts["dispersion"] * freedom, freedom)
    return {
        "outputs": rankings.groupby(["year", "ranking"]).size(),
        "H-4-01": {
            "rate": rates["wmt12"],
            "note": f"single tracks from {low:.1f} to {high:.1f} %",
        },
        **facts[["train", "dispersion"]],
        "largest": section_8.LARGEST,
        "holm": corrected(p, "holm"),
        "H-4-03": {"fewest": facts["fewest"].min(), "note": note},
        "effects": facts["effect"],
        "median": facts["effect"].median(),
        "rest": facts["rest"].median(),
        **section_4.independent_judges(rankings, seed),
        **dict.fromkeys(["H-N13-01", "H-N13-02"], tuned),
        "H-8-01": rates["wmt10"],
        "H-8-02": rates["wmt10-crowd"],
    }
