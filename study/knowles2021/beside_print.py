"""Values of Knowles (2021) beside the printed ones, and the facts behind its claims.

Those of notebooks 30 to 32; `section_8` has those of 33 and 67. The criteria of the
claims are in data/published/knowles2021.csv, as words and as tests over these facts.
"""

import pandas as pd

from study.campaigns import Release
from study.data.sources import Source
from study.knowles2021 import (
    columns_at_hand,
    section_3,
    section_5,
    section_5_1,
    section_5_2,
    section_5_3,
    section_6,
    tables,
)
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import Different, Noted, Values


def ranking_values(replicated: pd.DataFrame, *, source: Source) -> Values:
    """Collect the values that notebook 30 compares with the paper.

    Parameters
    ----------
    replicated : DataFrame
        Rows of `section_3.replicate` of at least the paper's pairs at hand; empty
        without raw files.
    """
    hit = pd.Series(section_5.TOY_HITS[1])
    z = (hit - hit.mean()) / hit.std()
    unit = f"a mean of {abs(z.mean().round(12)):g} and a standard deviation of"
    note = "denominators of Table 2: {}; which pairs they are, no data show"
    toy_rows = ("K-5-01", "K-5-02", "K-5-03")
    computed: Values = {
        "K-4-01": Noted(f"{unit} {z.std():g}", "0, 25, 50, 75 standardised"),
        **dict(zip(toy_rows, section_5.toy_scores(), strict=True)),
        "K-3-04": Noted(13 + 5 + 3, note.format("13 + 5 + 3")),
        "K-3-05": Noted(2 + 8 + 7 + 8, note.format("2 + 8 + 7 + 8")),
    }
    if replicated.empty:
        return computed
    names = replicated["campaign"] + " " + replicated["language_pair"]
    table = replicated.assign(judged=replicated["from"] == "judgements")
    table = table.set_index(names)
    computed |= columns_at_hand(table, source, "K-3-01", "K-3-03", "K-5-04")
    variants = ("K-3-07", "K-N5-01", "K-N5-02", "K-N7-01")
    computed |= columns_at_hand(table, source, *variants, known="z_divided_by_n")
    note = (
        "official lines of WMT20 follow from its p-values, "
        "released for the higher system only"
    )
    if otherwise := ", ".join(table.index[table["clusters"].eq(False)]):
        note += f"; if wins over a higher system counted too, {otherwise} would differ"
    compared = columns_at_hand(table, source, "K-3-02", known="lines_apart")
    return computed | {row: {**facts, "note": note} for row, facts in compared.items()}


def stability_values(study: section_5_2.Study, *, source: Source) -> Values:
    """Collect the values that notebook 31 compares with the paper."""
    computed = tables.changed_counts(study.changes, source=source)
    computed |= section_5_2.print_values()
    if source.kind == "raw":
        computed |= tables.table_1_values(study.seen, source)
        computed |= section_5_1.hit_values(study.releases, study.seen, source)
        computed |= section_5_2.removal_values(study.changes.set_index("pair"), source)
        computed |= section_5_1.worker_shares(study.seen, source)
    return computed


def case_values(
    en_de: Release,
    zh_en: Release,
    hits: pd.DataFrame,
    segments: pd.DataFrame,
    documents: pd.DataFrame,
    *,
    source: Source,
) -> Values:
    """Collect the values that notebook 32 compares with the paper.

    Parameters
    ----------
    en_de, zh_en : Release
        The two language pairs of Figures 2 and 3.
    hits : DataFrame
        `section_6.hit_table` of the paper's pairs whose HITs are at hand.
    segments : DataFrame
        As `section_6.segment_table` gives.
    documents : DataFrame
        `section_6_tests.document_tests` of the paper's SR+DC pairs at hand.
    """
    rows = load_published("knowles2021").query(
        "quantity.str.startswith('AFRL and PROMT_NMT, ') and criterion == ''"
    )
    computed: Values = {"K-5.3-09": {"printed": {*rows["published"]}}}
    if source.kind != "raw":
        return computed
    order = section_6.figure_5_columns(source=source).agg(", ".join)
    mechanisms = {
        "ordered by the official mean z-score": order["z"],
        "ordered by the number of judgements": order["judgements"],
    }
    computed["K-F5-01"] = Different(order["raw"], mechanisms)
    en_lt = documents.query("campaign == 'wmt19' and language_pair == 'en-lt'")
    if not en_lt.empty:  # its archive is at hand
        means, _ = section_3.best_means("wmt19", "en-lt", source=source)
        table = section_6.document_means(means)
        human = table.filter(regex="^HUMAN").iloc[:, 0]
        best = (human == table.max(axis=1)).sum()
        computed["K-6-07"] = {"best": best, "judged": human.count()}
        computed["K-6-08"] = {"p": en_lt["p"].iloc[0]}
    computed |= section_5_3.figure_2_values(section_5_3.all_cuts(en_de, source=source))
    computed |= section_5_3.figure_3_values(zh_en, source)
    computed |= section_6.system_values(hits, source)
    return computed | section_6.document_values(segments, documents, source)
