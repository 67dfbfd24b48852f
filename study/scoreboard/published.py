"""Numbers and claims that the papers print: the tables in data/published/.

A table has one row for every printed number and every claim that data can test:

- id: of the row, such as "L-5.1-07": paper, section (T, F, N: table, figure, footnote),
  number; it never changes, a new row gets a new one;
- item, quantity: such as "table-2", and what it is of;
- published: as printed; for a claim, in its words;
- place: section, table or file, with the quotation whole;
- provenance: "text", "table", "figure" (read from the image) or "authors-file";
- basis: the data that it rests on, see `at_hand`;
- criterion: of a claim: what must come out, in words and numbers; empty for a number;
- test: of a claim: the criterion once more, as expressions over named facts that code
  computes, one for each part, with semicolons between; see `study.scoreboard.verdicts`;
- shows: of a claim: what the scoreboard says of the facts, a text with expressions in
  braces;
- known: of a claim: whether the result was known when the criterion was written ("yes",
  "no");
- notebook: which notebook computes our value.

words.csv has the words of the papers that set no number ("many", "significant"), each
with the one threshold that the tests of all claims use. follows.csv names the numbers
that could not have failed alone, and claims that repeat another row; items.csv the
sections that files of results/ and figures/ belong to where their names do not say it;
statuses.csv the statuses of verdicts.
"""

import re
from dataclasses import replace
from typing import Any

import pandas as pd

from study.data.assessment_catalogue import AtHand, archived_table, pairs_at_hand
from study.data.sources import ROOT, Source

FOLDER = ROOT / "data" / "published"
PAPERS = ("lopez2012", "hopkins2013", "knowles2021")  # in the order of publication
WHOLE = AtHand(("",))


def load_published(paper: str) -> pd.DataFrame:
    """Read what a paper prints: the columns that this module describes, all text."""
    return pd.read_csv(FOLDER / f"{paper}.csv", dtype=str, keep_default_na=False)


def load_all() -> pd.DataFrame:
    """Read what all papers print, with a column paper."""
    return pd.concat([load_published(paper).assign(paper=paper) for paper in PAPERS])


def words(factor: float = 1.0) -> dict[str, float]:
    """Read the threshold of each word, at a multiple of its distance from "from".

    A share begins at 0; a ratio at 1, and a share that should be whole at 1, too.
    """
    table = pd.read_csv(FOLDER / "words.csv", index_col="word")
    return (table["from"] + factor * (table["threshold"] - table["from"])).to_dict()


def bonferroni() -> dict[str, float]:
    """Read `words`, with "SIGNIFICANT" divided by the number of claims that use it.

    A verdict that is the same with it is the same after Holm's correction, and that of
    Benjamini and Hochberg, over all claims of all papers.
    """
    number = load_all()["test"].str.contains("SIGNIFICANT").sum()
    return words() | {"SIGNIFICANT": words()["SIGNIFICANT"] / number}


def lookup(name: str) -> dict[str, str]:
    """Read the second column of follows, items or statuses.csv, by the first one."""
    return pd.read_csv(FOLDER / f"{name}.csv", index_col=0).iloc[:, 0].to_dict()


def ids(paper: str, item: str) -> dict[str, str]:
    """Find the id of each quantity of an item such as "table-1"."""
    rows = load_published(paper).query("item == @item")
    return dict(zip(rows["quantity"], rows["id"], strict=True))


def beside(
    paper: str, item: str, ours: pd.DataFrame, between: str = ", "
) -> pd.DataFrame:
    """Put each column as printed after the same column of a table of ours.

    Parameters
    ----------
    between : str
        The words between row and column in the names of the printed quantities.

    Returns
    -------
    DataFrame
        The rows of `ours`; "differs", last, is "≠" where a value is not the printed
        one.
    """
    rows = load_published(paper).query("item == @item")
    published = rows.set_index("quantity")["published"]
    table = ours.assign(differs="")
    for place, column in enumerate(ours):
        names = ours.index.astype(str) + between + str(column)
        printed = published.reindex(names).to_numpy()
        table.insert(2 * place + 1, f"{column} printed", printed)
        table.loc[ours[column].astype(str) != printed, "differs"] = "≠"
    return table


def by_id(
    paper: str, item: str, ours: pd.DataFrame, between: str = ", "
) -> dict[str, Any]:
    """Return the values of a table of ours by id; named as for `beside`."""
    row = ids(paper, item)
    return {
        row[f"{name}{between}{column}"]: value
        for (name, column), value in ours.stack().items()
    }


def notebooks() -> list[str]:
    """List the notebooks that compute published values, without suffix."""
    return sorted(load_all()["notebook"].unique())


def at_hand(basis: str, source: Source) -> AtHand:
    """Find what of the data that a published value rests on is at hand.

    Whether a row can be checked follows from its basis and the source of the data
    alone, before anything is compared. At hand are, of the basis

    - ``none``: always: arithmetic, which needs no data;
    - ``counts``: always: the repository carries the counts of wins and ties;
    - ``rankings``: with the raw files: single rankings of WMT10-12;
    - ``simulated``: always: simulated campaigns, no real ones;
    - ``units: PAIRS, NEED``: language pairs of direct assessment, case by case: those
      that have what is needed, see `study.data.assessment_catalogue`;
    - ``all: PAIRS, NEED``: the same as one whole: only if every pair has it;
    - ``archive: NAME, REASON``: if an archive with the file of this row of Table 1 is
      at hand;
    - ``unavailable: REASON``: never, for the reason that is given.

    Raises
    ------
    ValueError
        The basis begins with an unknown word.
    """
    word, _, argument = basis.partition(": ")
    match word:
        case "none" | "counts" | "simulated":
            return WHOLE
        case "rankings":
            if source.kind == "raw":
                return WHOLE
            reason = "needs single rankings; the embedded data hold counts only"
            return AtHand(absent={"": reason})
        case "unavailable":
            return AtHand(absent={"": argument})
        case "archive":
            name, _, reason = argument.partition(", ")
            if source.kind == "raw" and archived_table(name):
                return WHOLE
            return AtHand(absent={"": reason})
        case "units":
            return pairs_at_hand(argument, source)
        case "all":
            cases = pairs_at_hand(argument, source)
            return replace(cases, pairs=() if cases.absent else ("",))
    raise ValueError(f"unknown basis {basis!r}; see published.at_hand")


def printed_items() -> str:
    """Read which tables and figures came out from docs/map.md, for a notebook.

    Returns
    -------
    str
        The page's first table, in Markdown; links lead to notebooks of one folder.
    """
    page = (ROOT / "docs" / "map.md").read_text("utf-8")
    found = re.search(r"(^\|.*\n)+", page, re.M)
    assert found is not None
    return found[0].replace("../notebooks/", "")
