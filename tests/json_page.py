"""docs/json.md, made from the JSON Schema of answers: python tests/json_page.py."""

from pathlib import Path

from wmtlib.report.show import schema

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "json.md"
HEAD = """\
# `--json`: answers as data

<!-- Made by tests/json_page.py from wmtlib/report/answer.schema.json. -->

`wmtlib rank`, `stability`, `compare`, `judges` and `diff` print one JSON document with
`--json` (`--task all` prints a list of them). Its keys are the same for every method. A
table is a list of rows, a row an object by the names of the columns; numbers are
numbers and keep every digit, several names are a list, and what is not known, or does
not apply, is `null`. The CSV files of `--out` and the frames of
`wmtlib.analyse(frame).tables` in Python have the same names, columns and types (a list
in a cell of a CSV file stands as JSON). Judges go by numbers (`judge_001`,
`worker_0001`); `--show-ids` writes the identifiers of your file. Those of public data
are never shown.

`wmtlib/report/answer.schema.json` is the JSON Schema. Within a
`format`, keys are added; the few that were taken away are in CHANGELOG.md.

"""
EXAMPLE = """
## An example

    wmtlib rank votes.csv --json | jq -r '.tables.clusters[] | "\\(.rank_low): \\(.systems | join(", "))"'
"""  # noqa: E501 (a command is one line)


def rows(properties):
    """A row for each key: its name, its type, what it holds."""
    lines = ["| key | type | what it holds |", "| --- | --- | --- |"]
    for key, value in properties.items():
        lines.append(f"| `{key}` | {kind(value)} | {value['description']} |")
    return "\n".join(lines)


def kind(value):
    """The type of a value in words."""
    if "const" in value or "enum" in value:
        words = value.get("enum", [value.get("const")])
        return ", ".join(f'`"{word}"`' for word in words)
    types = value["type"]
    words = types if isinstance(types, str) else " or ".join(types)
    if "items" in value and isinstance(value["items"].get("type"), str):
        return f"{words} of {value['items']['type']}s"
    return words


def page():
    """The text of docs/json.md."""
    keys = schema()["properties"]
    codes = keys["warnings"]["items"]["properties"]["code"]["oneOf"]
    parts = [HEAD, rows(keys), "\n\n## Tables\n"]
    for name, table in keys["tables"]["properties"].items():
        columns = rows(table["items"]["properties"])
        parts.append(f"\n### `{name}`\n\n{table['description']}\n\n{columns}\n")
    head = "## Codes of warnings\n\nThe most important ones come first."
    parts.append(f"\n{head}\n\n| code | what it means |\n| --- | --- |\n")
    parts += [f"| `{code['const']}` | {code['description']} |\n" for code in codes]
    return "".join([*parts, EXAMPLE])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
