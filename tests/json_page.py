"""docs/json.md, made from the columns of answers: python tests/json_page.py."""

from pathlib import Path

from wmtlib.report.columns import FORMAT, entries

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "json.md"
HEAD = """\
# `--json`: answers as data

<!-- Made by tests/json_page.py from wmtlib/report/columns.toml. -->

`wmtlib rank`, `stability`, `compare` and `judges` print one JSON document with `--json`
(`--task all` prints a list of them). Its keys are the same for every method. A table is
a list of rows, a row an object by the names of the columns; numbers are numbers and
keep every digit, several names are a list, and what is not known, or does not apply, is
`null`. `--format csv` and the CSV file of a page have the same columns (a list in a
cell is written as JSON), the frames of `wmtlib.analyse(frame).tables` in Python those
that apply. Judges go by numbers (`judge_001`, `worker_0001`); `--show-ids` writes the
identifiers of your file. Those of public data are never shown.

`wmtlib.report.show.schema()` returns the JSON Schema. Within a `format`, keys are
added; the few that were taken away are in CHANGELOG.md.

| key | type | what it holds |
| --- | --- | --- |
| `format` | `"FORMAT"` | another one means other keys |
"""
END = """\
| `tables` | object | lists of rows, by keys that do not change |
| `notes` | list of texts | how the tables are to be read |
| `warnings` | list of objects | what may be misread, a `code` and a `text` of each |
"""
EXAMPLE = """
## An example

    wmtlib rank votes.csv --json | jq -r '.tables.clusters[] | "\\(.rank_low): \\(.systems | join(", "))"'
"""  # noqa: E501 (a command is one line)


def rows(entries):
    """A row for each key: its name, its type, what it holds."""
    lines = []
    for key, entry in entries.items():
        kind, _, meaning = entry.partition(": ")
        words = kind.removesuffix("?") + (" or null" if kind.endswith("?") else "")
        lines.append(f"| `{key}` | {words} | {meaning} |\n")
    return "".join(lines)


def page():
    """The text of docs/json.md."""
    words = entries()
    parts = [HEAD.replace("FORMAT", FORMAT), rows(words["keys"]), END, "\n## Tables\n"]
    for name, about in words["tables"].items():
        head = "| key | type | what it holds |\n| --- | --- | --- |"
        columns = rows(words["columns"][name])
        parts.append(f"\n### `{name}`\n\n{about}\n\n{head}\n{columns}")
    head = "## Codes of warnings\n\nThe most important ones come first."
    parts.append(f"\n{head}\n\n| code | what it means |\n| --- | --- |\n")
    parts += [f"| `{code}` | {about} |\n" for code, about in words["warnings"].items()]
    return "".join([*parts, EXAMPLE])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
