"""Section 6: System Comparisons and Documents (Knowles 2021), Figures 4 and 5."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from study.campaigns import Release, load_all, simulated
from study.data.assessment_catalogue import entry, pairs_at_hand
from study.data.assessment_releases import load_official
from study.data.sources import Source
from study.knowles2021 import columns_at_hand
from study.knowles2021.section_3 import published_means
from study.knowles2021.section_5_1 import (
    has_hit_id,
    outputs_held,
    share_with_every_system,
)
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import Values
from wmtlib.core.assessments import Campaign
from wmtlib.core.errors import DataError

# Columns of Figure 5 whose name is not that of the official table without its number.
MASS = {
    "MSRA.MASS.6954": "MSRA-MASS-uc",
    "MSRA.MASS.6931": "MSRA-MASS-c",
    "HUMAN": "HUMAN",
}


def releases_at_hand(*questions: str, source: Source) -> list[Release]:
    """Load the pairs at hand (see `pairs_at_hand`), or else the simulated ones."""
    pairs = [pair for q in questions for pair in pairs_at_hand(q, source).pairs]
    names = [pair.partition(" ")[::2] for pair in dict.fromkeys(pairs)]
    return load_all(source, names or simulated())


# --- System Comparisons, Figure 4: systems in HITs ------------------------------------


def by_hit(release: Release) -> tuple[Campaign, str]:
    """Return the judgements whose HIT is known, and the unit that serves as a HIT.

    Where few HITs have an id, as among recovered judgements, workers take their place:
    a worker of Appraise is a HIT (footnote 12).
    """
    has_id = has_hit_id(release.coded)
    if has_id.mean() < 0.5:
        return release.coded, "worker"
    return release.coded.select(has_id), "hit"


def co_occurrence(campaign: Campaign, *, unit: str) -> pd.DataFrame:
    """Compute how often two systems met in one HIT, or with one worker (Figure 4).

    Parameters
    ----------
    unit : "hit" or "worker"

    Returns
    -------
    DataFrame, systems x systems
        Share of the units with outputs of the row's system that also hold outputs of
        the column's; accepted judgements, 1 on the diagonal.
    """
    is_held = (outputs_held(campaign, unit) > 0).astype(float)
    together = is_held.T @ is_held
    return together.div(np.diag(together), axis=0)


def hit_table(releases: Iterable[Release]) -> pd.DataFrame:
    """Describe how many of the systems a HIT holds, one row a language pair.

    Returns
    -------
    DataFrame
        Indexed by "campaign pair": style, unit ("hit" or "worker"), hits, whole (share
        that holds every system), alike (share in which no two systems' numbers of
        outputs, without repeats, differ by more than one), least and median (over pairs
        of systems: share of the one's HITs that hold the other) and seldom (of the
        system that the others meet least: its largest share).
    """
    rows = {}
    for release in releases:
        coded, unit = by_hit(release)
        shares = co_occurrence(coded, unit=unit).to_numpy()
        others = np.where(np.eye(len(shares), dtype=bool), np.nan, shares)
        outputs = outputs_held(coded, unit, ["SYSTEM"])
        rows[f"{release.campaign} {release.language_pair}"] = {
            "style": release.style,
            "unit": unit,
            "hits": coded.units(unit)[1],
            "whole": share_with_every_system(coded, unit=unit),
            "alike": (np.ptp(outputs, axis=1) <= 1).mean(),
            "least": np.nanmin(others),
            "median": np.nanmedian(others),
            "seldom": np.nanmax(others, axis=1).min(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def system_values(hits: pd.DataFrame, source: Source) -> Values:
    """Collect facts of section 6, System Comparisons."""

    def at_hand(question: str) -> pd.DataFrame:
        return hits.loc[[*pairs_at_hand(question, source).pairs]]

    with_context = at_hand("SR+DC, HIT ids")
    where = "pairs of the paper"
    if with_context.empty:
        with_context = at_hand("new SR+DC, HIT ids")
        where = "pairs that the paper did not use"
    systems = []
    for pair in pairs_at_hand("SR+DC, systems", source).pairs:
        outcome = "z" if pair.startswith("wmt19") else "systems"
        table = load_official(*pair.split(), outcome=outcome, source=source)
        # Rows with the same numbers are one output of two systems.
        systems.append(len(table.drop(columns="system").drop_duplicates()))
    computed = columns_at_hand(hits, source, "K-6-01", "K-6-02", "K-6-10")
    return computed | {
        "K-2-02": computed.get("K-6-10", {}),
        "K-6-03": {"systems": np.array(systems)},
        "K-6-05": {"largest": with_context["seldom"], "where": where},
    }


# --- Documents, Figure 5: segments and documents --------------------------------------


def document_means(means: pd.DataFrame) -> pd.DataFrame:
    """Compute the mean raw score of every system on every document (Figure 5).

    Parameters
    ----------
    means : DataFrame
        Segment means with columns system, document, raw, such as
        `zscores.segment_means` gives.

    Returns
    -------
    DataFrame, documents x systems
        Mean over segments; NaN where nothing was judged. Documents and systems with the
        higher mean over all their segments come first, equal ones in order of name.

    Raises
    ------
    DataError
        Documents are not known.
    """
    if (means["document"] == "").any():
        raise DataError("a segment's document is not known; expected the name of one")
    table = means.pivot_table("raw", "document", "system")
    for axis, name in enumerate(("document", "system")):
        mean = means.groupby(name)["raw"].mean()
        best_first = mean.sort_values(ascending=False, kind="stable").index
        table = table.reindex(best_first, axis=axis)
    return table


def judged_outputs(means: pd.DataFrame) -> dict[str, float]:
    """Count the judged outputs of a language pair, from its segment means.

    Returns
    -------
    dict
        systems, humans, documents; judgements per system; ratio: the most of a system
        to the least; missing_segments and missing_documents: systems' segments and
        documents without a judgement, of those judged for some system; long: documents
        with more than 10 segments; large: documents that do not fit a HIT of 100 twice
        in the outputs of all systems; typical and shortest: all systems' outputs of the
        median and of the shortest document; raw_z_documents and raw_z_systems:
        Spearman's correlation of their mean raw and mean z-scores. Without what is
        about documents if they are not known.
    """
    by_place = means.groupby(["document", "segment"]).size()
    judged = means.groupby("system")["judgements"].sum()
    row = {
        "systems": len(judged),
        "humans": judged.index.str.startswith("HUMAN").sum(),
        "judgements": judged.mean(),
        "ratio": judged.max() / judged.min(),
        "missing_segments": (len(judged) - by_place).sum(),
        "raw_z_systems": _raw_z_correlation(means, "system"),
    }
    if (means["document"] == "").any():
        return row
    segments = by_place.groupby("document").size()
    outputs = segments * len(judged)
    judged_for = means.groupby("document")["system"].nunique()
    return row | {
        "raw_z_documents": _raw_z_correlation(means, "document"),
        "documents": len(segments),
        "long": (segments > 10).sum(),
        "large": (2 * outputs > 100).sum(),
        "typical": outputs.median(),
        "shortest": outputs.min(),
        "missing_documents": (len(judged) - judged_for).sum(),
    }


def _raw_z_correlation(means: pd.DataFrame, unit: str) -> float:
    """Correlate (Spearman) mean raw and mean z-scores of systems or documents."""
    mean = means.groupby(unit)[["raw", "z"]].mean()
    return mean["raw"].corr(mean["z"], method="spearman")


def segment_table(*, source: Source) -> pd.DataFrame:
    """List style and `judged_outputs` of the paper's pairs of which there are means."""
    rows = {}
    for pair in pairs_at_hand("paper, segment means", source).pairs:
        means = published_means(*pair.split(), source=source)
        style = entry(*pair.split()).style
        rows[pair] = {"style": style, **judged_outputs(means)}
    return pd.DataFrame.from_dict(rows, orient="index")


def document_values(
    segments: pd.DataFrame, documents: pd.DataFrame, source: Source
) -> Values:
    """Collect facts of 2020 (section 5.3), and of section 6, Documents."""
    twenty = segments.filter(like="wmt20", axis=0)
    humans = twenty["humans"]
    judgements = twenty["judgements"]
    place = judgements.rank(ascending=False).astype(int)
    missing = {
        f"{style} {what}": table[f"missing_{what}"].dropna()
        for style, table in segments.groupby("style")
        for what in ("segments", "documents")
    }
    rows = ("K-2-03", "K-6-04", "K-6-11", "K-8-06", "K-N18-01")
    return columns_at_hand(segments, source, *rows) | {
        "K-5.3-01": {
            "en_de": humans["wmt20 en-de"],
            "others": humans.drop("wmt20 en-de"),
        },
        "K-5.3-11": judgements["wmt20 en-de"],
        "K-5.3-12": judgements["wmt20 zh-en"],
        "K-5.3-13": {"place": place["wmt20 zh-en"], "pairs": len(place)},
        "K-6-06": {"missing": missing},
        "K-6-09": {"p": documents["holm"]},
    }


def figure_5_columns(*, source: Source) -> pd.DataFrame:
    """Order systems of 2019 English-Lithuanian by raw, z and judgements."""
    table = load_official("wmt19", "en-lt", outcome="z", source=source)
    names = table["system"].map(lambda name: MASS.get(name, name.rpartition(".")[0]))
    columns = table[["raw", "z", "judgements"]]
    return columns.apply(lambda c: [*names[c.sort_values(ascending=False).index]])


def figure_5_beside_print(*, source: Source) -> pd.DataFrame:
    """List the places of Figure 5 at which raw scores do not give the printed system.

    Returns
    -------
    DataFrame
        Indexed by place, from the left: printed, and our order by mean z-score and by
        mean raw score.
    """
    order = figure_5_columns(source=source)
    row = load_published("knowles2021").set_index("id").loc["K-F5-01"]
    table = pd.DataFrame({"printed": row["published"].split(", ")})
    table["by mean z"] = order["z"]
    table["by mean raw"] = order["raw"]
    table.index = pd.RangeIndex(1, len(table) + 1, name="column")
    return table[table["printed"] != table["by mean raw"]]
