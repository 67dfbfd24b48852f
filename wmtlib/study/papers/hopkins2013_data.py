"""Hopkins & May (2013), sections 1 to 7: what the judgements themselves say about the text.

Sentences on tracks, segments, judges and simple estimates, held against the tracks of
`hopkins2013.load_tracks`. What needs single rankings is left out where the source has counts only.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib import counts as counting
from wmtlib import mfas, ranking, scorers
from wmtlib.agreement import measures, tallies
from wmtlib.counts import REFERENCE
from wmtlib.models import PreferenceModel, both_ways, independent_students, log_losses, tally
from wmtlib.study.papers import hopkins2013
from wmtlib.study.papers.hopkins2013 import SIZES, Track, draw_training_set
from wmtlib.study.releases import kept, ranking_releases
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Claim, Values

YEARS = ("wmt10", "wmt11", "wmt12")


def table_3(tracks: Mapping[str, Sequence[Track]]) -> pd.DataFrame:
    """Comparisons for training and testing of every track, laid out as Table 3."""
    columns = {
        f"{year} {part}": [len(getattr(track, part)) for track in tracks[year]]
        for year in YEARS
        for part in ("train", "test")
    }
    return pd.DataFrame(columns, index=pd.Index(hopkins2013.PAPER, name="lp"))


def agreement(tracks: Mapping[str, Sequence[Track]]) -> pd.DataFrame:
    """How often two judges of the same two outputs agree, by campaign, over all tracks.

    Returns
    -------
    DataFrame
        Index campaign; columns agreement (a share) and pairs (of comparisons).
    """
    sums = {
        campaign: tallies(pd.concat([_whole(track, campaign) for track in chosen])).iloc[0]
        for campaign, chosen in tracks.items()
    }
    sums = pd.DataFrame(sums).T.rename_axis("campaign")
    return pd.DataFrame({"agreement": measures(sums)["inter"], "pairs": sums["inter_pairs"]})


def _whole(track: Track, campaign: str = "") -> pd.DataFrame:
    """Training and test comparisons; the crowd's tracks have the experts' test set."""
    if campaign.endswith("-crowd"):
        return track.train
    return pd.concat([track.train, track.test], ignore_index=True)


def values(
    tracks: Mapping[str, Sequence[Track]], *, source: Source, seed: int, trials: int
) -> Values:
    """Values of the scoreboard: sections 1 to 4, 6, 7, Table 3, and section 8's agreement.

    Parameters
    ----------
    tracks : mapping of campaign to its tracks
        Of `YEARS` and "wmt10-crowd".
    source : Source
        Where they came from.
    seed, trials : int
        For what is averaged over training sets drawn at random.
    """
    described = [part for chosen in tracks.values() for t in chosen for part in t.described()]
    depends_on = [*tracks, *described, source.route, source.sha256, seed, trials]
    return kept.result("tracks", depends_on, lambda: _values(tracks, source, seed, trials))


def _values(
    tracks: Mapping[str, Sequence[Track]], source: Source, seed: int, trials: int
) -> Values:
    every = [track for year in YEARS for track in tracks[year]]
    sizes = pd.Series([len(_whole(track)) for track in every])
    within = int(sizes.between(5000, 20_000).sum())
    tied = [(_whole(track)["preference"] == counting.TIE).any() for track in every]
    crowd = sum(len(track.train) for track in tracks["wmt10-crowd"])
    values: Values = {
        ("section-1", "tracks"): _tracks(source),
        ("section-1", "ties"): Claim(
            {"each of the 24 tracks has a tie": all(tied)}, f"{sum(tied)} of {len(tied)} tracks"
        ),
        ("section-1", "comparisons in a track"): Claim(
            {"more than half of the 24 tracks have from 5000 to 20000": within > len(every) / 2},
            f"{within} of {len(every)} tracks; {sizes.min()} to {sizes.max()} comparisons",
        ),
        ("section-1", "crowd judges"): Claim(
            {"WMT10 has comparisons by crowd judges": crowd > 0}, f"{crowd} comparisons"
        ),
        ("section-2", "rankings of English-German in WMT12"): _english_german(source),
        ("section-6.1", "perplexity of the maximum likelihood estimate"): _impossible(
            tracks, seed, trials
        ),
        ("section-6.2", "universal ability and BOJAR"): _like_bojar(every),
        ("section-7", "the reference among the systems"): _reference_preferred(tracks),
        ("section-7", "references in WMT12"): _reference_present(tracks),
        ("section-7", "unequal opponents"): _unequal_opponents(every, seed, trials),
    }
    for column, counts in table_3(tracks).items():
        values |= {("table-3", f"{pair} {column}"): int(count) for pair, count in counts.items()}
    return values | (_ranking_values(tracks, source) if source.kind == "raw" else {})


# --- from counts --------------------------------------------------------------------------------


def _tracks(source: Source) -> Claim:
    tasks = ranking_releases.tasks(source)
    parts, shown = {}, []
    for year in YEARS:
        names = tasks.loc[tasks["campaign"] == year, "task"]
        pairs = set(names.str.replace(r"-(individual|syscomb|tunable)$", "", regex=True))
        parts[f"{year.upper()}: these eight and no other"] = pairs == set(hopkins2013.TRACK_PAIRS)
        odd = sorted(pairs.symmetric_difference(hopkins2013.TRACK_PAIRS))
        shown.append(f"{year.upper()} {len(pairs)}" + (f" ({', '.join(odd)})" if odd else ""))
    return Claim(parts, "language pairs: " + ", ".join(shown))


def _english_german(source: Source) -> Claim:
    counts = ranking_releases.load_counts("wmt12", "en-de", source=source)
    orders = {tuple(mfas.exact_order(counts.wins).order)}
    for method in ("bojar", "expected-wins"):
        score = ranking.score(method, counts, reference=None)
        orders.add(tuple(score.sort_values(ascending=False, kind="stable").index))
    different = f"{len(orders)} different orders by BOJAR, MFAS and Expected Wins"
    return Claim({"the three differ from each other": len(orders) == 3}, different)


def _draws(track: Track, seed: Sequence[int], trials: int) -> Iterator[tuple[int, np.ndarray]]:
    """Tallies of training sets of every size, several of each."""
    names, first, second, preference, _ = counting.coded(track.train, track.systems)
    n = len(names)
    cells = pd.DataFrame({"cell": (first * n + second) * 3 + preference})
    for size in SIZES:
        for trial in range(trials):
            rng = np.random.default_rng([*seed, trial])
            drawn = draw_training_set(cells, size, rng)["cell"]
            yield size, np.bincount(drawn, minlength=3 * n * n).reshape(n, n, 3)


def _impossible(tracks: Mapping[str, Sequence[Track]], seed: int, trials: int) -> Claim:
    """Independent Pairs without a prior: a zero count of what the test set shows."""
    rows = []
    for year in YEARS:
        for number, track in enumerate(tracks[year]):
            shown = tally(track.test, track.systems) > 0
            for size, train in _draws(track, [seed, number], trials):
                unseen = both_ways(train) == 0
                rows.append((year, size, bool((unseen & shown).any())))
    found = pd.DataFrame(rows, columns=["year", "size", "infinite"])
    shares = 100 * found.pivot_table("infinite", "size", "year")
    parts = {
        f"{year.upper()}: infinite at every training size": bool((shares[year] > 0).all())
        for year in YEARS
    }
    few, many = shares.loc[SIZES[0]].min(), shares.loc[SIZES[-1]].min()
    shown = f"{few:.0f} % of tracks and trials or more with {SIZES[0]} comparisons"
    return Claim(parts, f"infinite on {shown}, {many:.0f} % or more with {SIZES[-1]}")


def _like_bojar(tracks: Sequence[Track]) -> Claim:
    found = []
    for track in tracks:
        _, wins, losses = both_ways(tally(track.train, track.systems)).sum(axis=1).T
        ability = (1 + wins) / (2 + wins + losses)  # Q(1|s) / (Q(1|s) + Q(2|s)), alpha = 1
        bojar = wins / (wins + losses)
        found.append(stats.spearmanr(ability, bojar).statistic)
    low = min(found)
    return Claim(
        {"on every track the correlation is at least 0.95": low >= 0.95},
        f"Spearman correlations of {low:.3f} to {max(found):.3f}",
    )


def _reference_preferred(tracks: Mapping[str, Sequence[Track]]) -> Claim:
    parts, shown = {}, []
    for year in ("wmt10", "wmt11"):
        counted = [counting.count(_whole(track)).wins for track in tracks[year]]
        won = sum(int(wins.loc[REFERENCE].sum()) for wins in counted)
        lost = sum(int(wins[REFERENCE].sum()) for wins in counted)
        parts[f"{year.upper()}: wins at least three times as often as it loses"] = won >= 3 * lost
        shown.append(f"{year.upper()} {won} to {lost}")
    return Claim(parts, "wins to losses of the reference: " + ", ".join(shown))


def _reference_present(tracks: Mapping[str, Sequence[Track]]) -> Claim:
    present = {year: [REFERENCE in track.systems for track in tracks[year]] for year in YEARS}
    parts = {
        "a system in every track of WMT10 and WMT11": all(present["wmt10"] + present["wmt11"]),
        "in no track of WMT12": not any(present["wmt12"]),
    }
    shown = ", ".join(f"{year.upper()} {sum(found)}" for year, found in present.items())
    return Claim(parts, f"tracks with the reference: {shown}")


def _unequal_opponents(tracks: Sequence[Track], seed: int, trials: int) -> Claim:
    """How far the mean strength of the opponents met is from that of all others."""
    rows = []
    for number, track in enumerate(tracks):
        counts = counting.count(_whole(track))
        score = scorers.bojar(counts.wins.to_numpy(), counts.ties.to_numpy())
        others = (score.sum() - score) / (len(score) - 1)
        for size, train in _draws(track, [seed, number], trials):
            met = both_ways(train).sum(axis=2)
            total = met.sum(axis=1)
            mean = (met @ score)[total > 0] / total[total > 0]
            rows.append((size, (mean - others[total > 0]).std()))
    spread = pd.DataFrame(rows, columns=["size", "sd"]).groupby("size")["sd"].mean()
    falls = bool((spread.diff().dropna() < 0).all())
    few, many = (f"{spread[size]:.3f} with {size} comparisons" for size in (SIZES[0], SIZES[-1]))
    return Claim({"it falls from each size to the next": falls}, f"{few}, {many}")


# --- from single rankings -----------------------------------------------------------------------


def _ranking_values(tracks: Mapping[str, Sequence[Track]], source: Source) -> Values:
    rates = 100 * agreement(tracks)["agreement"]
    by_track = 100 * agreement({track.task: [track] for track in tracks["wmt12"]})["agreement"]
    every = [track for year in YEARS for track in tracks[year]]
    per_segment = [_whole(track)["segment"].value_counts() for track in every]
    fewest = min(int(counts.min()) for counts in per_segment)
    few, segments = sum((c < 10).sum() for c in per_segment), sum(map(len, per_segment))
    # Under independent draws, variance over mean times segments less one is about chi-square.
    spread = [c.var() / c.mean() for c in per_segment]
    limits = [stats.chi2.ppf(0.99, len(c) - 1) / (len(c) - 1) for c in per_segment]
    varied = [found > limit for found, limit in zip(spread, limits, strict=True)]
    effects = np.array([design_effect(_students(track), track.test) for track in every])
    return {
        ("section-1", "outputs in a ranking"): _five_outputs(tracks, source),
        ("section-4", "WMT12 inter-annotator agreement, %"): Claim(
            {"from 50 to 60 % over the eight tracks": 50 <= rates["wmt12"] <= 60},
            f"{rates['wmt12']:.1f}",
            f"single tracks from {by_track.min():.1f} to {by_track.max():.1f} %",
        ),
        ("section-4", "comparisons sampled i.i.d."): Claim(
            {"segments vary more than independent draws in every track": all(varied)},
            f"variance over mean of a segment's comparisons {min(spread):.1f} to {max(spread):.1f}",
        ),
        ("section-4", "fewest comparisons of a segment"): Claim(
            {"every segment of every track has at least ten": fewest >= 10},
            f"fewest {fewest}",
            f"{few} of {segments} segments have fewer: judges left ranks blank",
        ),
        ("section-4", "the test set"): Claim(
            {"design effect of at most 1.25 on the median track": np.median(effects) <= 1.25},
            f"median {np.median(effects):.2f}, from {effects.min():.2f} to {effects.max():.2f}",
        ),
        ("section-8", "agreement of expert judges, %"): rates["wmt10"],
        ("section-8", "agreement of crowd judges, %"): rates["wmt10-crowd"],
    }


def _students(track: Track) -> PreferenceModel:
    return independent_students(track.train, systems=track.systems, reconstruction="geometric")


def design_effect(model: PreferenceModel, test: pd.DataFrame) -> float:
    """Variance of the mean log loss by segments, over that of independent comparisons."""
    loss = log_losses(model, test)
    residual = loss - loss.mean()
    by_segment = pd.Series(residual).groupby(test["segment"].to_numpy()).sum()
    return float((by_segment**2).sum() / (residual**2).sum())


def _five_outputs(tracks: Mapping[str, Sequence[Track]], source: Source) -> Claim:
    sizes = []
    for year in YEARS:
        rankings = ranking_releases.load_rankings(year, source=source)
        ranked = rankings[rankings["task"].isin([track.task for track in tracks[year]])]
        sizes.append(ranked.groupby("ranking").size())
    outputs = pd.concat(sizes)
    five = int((outputs == 5).sum())
    shown = f"{five} of {len(outputs)} rankings"
    return Claim({"every ranking shows five outputs": five == len(outputs)}, shown)
