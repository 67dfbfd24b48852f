"""Pages that are made from data: scoreboard, the print beside ours, reference."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import pandas as pd
from chapters import caption, escaped
from latex2mathml.converter import convert
from nbformat import NotebookNode

import wmtlib
from study.scoreboard import published
from study.scoreboard.scoreboard import came_out
from wmtlib import cli

PAPERS = {
    "lopez2012": "Lopez (2012)",
    "hopkins2013": "Hopkins and May (2013)",
    "knowles2021": "Knowles (2021)",
}
NOT_AS_PRINTED = ("does-not-hold", "holds-partly", "known-difference")
COLUMNS = ("row", "what", "printed", "ours", "verdict")
FRACTION = re.compile(r"\\frac\{\w+\}\{\w+\}")
RUN = "make notebook N={0}"


def scoreboard(board: pd.DataFrame, notebooks: Mapping[str, NotebookNode]) -> str:
    """List every published value with its own address, below a filter.

    Parameters
    ----------
    board : DataFrame
        One row per published number; columns `scoreboard.SCOREBOARD`, all text.
    notebooks : mapping of name to notebook
    """
    numbers = board["status"].value_counts()
    meanings = {
        status: meaning
        for status, meaning in published.lookup("statuses").items()
        if status in numbers
    }
    heads = "".join(f"<th>{name}</th>" for name in COLUMNS)
    rows = [
        f'<tr data-status="{row["status"]}"><td>'
        + "</td><td>".join(cells(row, notebooks))
        + "</td></tr>"
        for row in measured_first(board).to_dict("records")
    ]
    lines = [
        "# Scoreboard: is that number right?",
        "",
        "```{raw} html",
        status_filter(numbers, meanings),
        "```",
        "",
        f"**{came_out(board)}** {len(board)} printed numbers and claims beside ours, by"
        " paper: tables and"
        " figures, then the text, last what needs no data. A row has an address: click"
        " its name. *More* opens the place in the paper, the criterion,"
        " the command that computes the row, and a link to the cell. What a verdict"
        " means is [below](#the-verdicts).",
        "",
        "```{raw} html",
        f'<table id="scoreboard"><thead><tr>{heads}</tr></thead>',
        f"<tbody>{''.join(rows)}</tbody></table>",
        "```",
        "",
        "## The verdicts",
        "",
    ]
    for status, meaning in meanings.items():
        lines += [f"**{status}** ({numbers[status]})", f": {meaning}.", ""]
    return "\n".join([*lines, "## What a verdict is worth", "", *caveats(board)])


def measured_first(board: pd.DataFrame) -> pd.DataFrame:
    """Order rows of each paper: tables and figures, then its text, then arithmetic."""
    order = pd.DataFrame(
        {
            "paper": pd.Categorical(board["paper"], board["paper"].unique()),
            "arithmetic": board["status"] == "arithmetic",
            "text": ~board["item"].str.match("table|figure"),
        }
    )
    return board.loc[order.sort_values([*order], kind="stable").index]


def caveats(board: pd.DataFrame) -> list[str]:
    """Say how verdicts rest on criteria, thresholds and p-values, as a list."""
    claims = board[board["criterion"] != ""]
    known = (claims["known"] == "yes").sum()
    at_other = sum(
        (claims[name] != "") & (claims[name] != claims["status"])
        for name in ("at_half", "at_twice")
    )
    tested = claims[claims["all_tests"] != ""]
    checked = tested[tested["status"] != "not-checkable"]
    others = (checked["status"] != checked["all_tests"]).sum()
    return [
        f"- The criteria of {known} of {len(claims)} claims were written when the value"
        f" was known (*More* says which), and {(at_other > 0).sum()} verdicts would be"
        " others at half or twice the threshold of a word such as “many” or"
        " “significant”.",
        f"- {len(tested)} claims rest on p-values, corrected within the claim; with the"
        f" level divided by {len(tested)}, for all of them together, {others} verdicts"
        " would be others.",
        "- *in-simulation* is less than *holds*, and *undecided* is no evidence against"
        " a claim. *holds-at-hand* speaks of the cases whose data are public; claims on"
        " recovered judgements are *consistent* at most.",
        "",
    ]


def status_filter(numbers: pd.Series, meanings: Mapping[str, str]) -> str:
    """Write the filter: a field for words, and a button for each verdict.

    The first button is for all verdicts that are not as printed.
    """
    differ = [status for status in NOT_AS_PRINTED if status in numbers]
    buttons = [
        f'<button type="button" id="not-as-printed" aria-pressed="false"'
        f' data-status="{" ".join(differ)}" title="{", ".join(differ)}">not as'
        f" printed <span>{numbers[differ].sum()}</span></button>"
    ]
    buttons += [
        f'<button type="button" aria-pressed="false" data-status="{status}"'
        f' title="{escape(meaning)}">{status} <span>{numbers[status]}</span></button>'
        for status, meaning in meanings.items()
    ]
    return (
        '<form id="filter" role="search" aria-label="Rows"><input type="search"'
        ' aria-label="Number or word" placeholder="A number or a word: 396, Table 3,'
        ' perplexity">'
        f'<div class="chips">{"".join(buttons)}</div><p role="status"></p></form>'
    )


def cells(row: Mapping[str, str], notebooks: Mapping[str, NotebookNode]) -> list[str]:
    """Write the cells of a row of the scoreboard as HTML."""
    text = {name: FRACTION.sub(formula, escape(value)) for name, value in row.items()}
    notebook = row["notebook"]
    details = {
        "place": text["place"],
        "criterion": text["criterion"],
        "as a test": f"<code>{text['test']}</code>" if row["test"] else "",
        "written before its value was known": {"no": "yes", "yes": "no"}.get(
            row["known"], ""
        ),
        "computed by": f"<code>{RUN.format(notebook)}</code>",
        "signature": f"<code>{text['signature']}</code>",
    }
    items = [f"<dt>{k}</dt><dd>{v}</dd>" for k, v in details.items() if v]
    cell = cell_of(row["item"], notebooks[notebook])
    items.append(
        f'<dt>cell</dt><dd><a href="{notebook}.html#{cell}">notebook'
        f" {notebook[:2]}, {cell.replace('-', ' ')}</a></dd>"
    )
    name = text["id"]
    return [
        f'<a id="{name}" href="#{name}">{name}</a>',
        f"{PAPERS[row['paper']]}, {item_title(row['item'])}: {text['quantity']}",
        text["published"],
        text["reproduced"],
        f"<b>{text['status']}</b><div class='reason'>{text['reason']}</div><details>"
        f"<summary>More<span class='of'> of {name}</span></summary>"
        f"<dl>{''.join(items)}</dl></details>",
    ]


def formula(found: re.Match[str]) -> str:
    """Write a formula in a quotation."""
    return convert(found[0])


def item_title(item: str) -> str:
    """Write the words for an item such as "section-5.1"."""
    return item.replace("-", " ")


def cell_of(item: str, notebook: NotebookNode) -> str:
    """Find the cell that shows an item, or else the one with the scoreboard."""
    shown = re.compile(rf"(?i)\b{re.escape(item_title(item))}\b(?!\.\d)")
    below = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = " ".join(re.findall(r"(?m)^##+ .*", cell.source))
            below = bool(shown.search(headings)) or (below and not headings)
        elif below and cell.outputs:
            return f"cell-{cell.execution_count}"
    return cell_with(notebook, ("scoreboard.show(", "scoreboard.save_scoreboard("))


def cell_with(notebook: NotebookNode, codes: Sequence[str]) -> str:
    """Find the first cell that holds one of these pieces of code.

    Raises
    ------
    ValueError
        There is none.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code" and any(code in cell.source for code in codes):
            return f"cell-{cell.execution_count}"
    raise ValueError(f"no cell of the notebook holds {' or '.join(codes)}")


def beside(board: pd.DataFrame, figures: Path) -> str:
    """Write every table and figure of the papers as printed, with ours below it."""
    lines = [
        "# Tables and figures, value by value",
        "",
        "Tables value by value; of a figure, an image, what the paper says of it. Below"
        " is ours, where it is drawn. In the order of the papers; [the"
        " overview](map.md) says in a line what differs.",
        "",
    ]
    pictures = item_pictures(figures)
    for paper, rows in board.groupby("paper", sort=False):
        lines += [f"## {PAPERS[paper]}", ""]
        is_item = rows["item"].str.match("table|figure")
        items = {*rows.loc[is_item, "item"]}
        items |= {item for of, item in pictures if of == paper}
        for item in sorted(items):
            lines += [f"### {item_title(item).capitalize()} ({PAPERS[paper]})", ""]
            values = rows[rows["item"] == item]
            if len(values):
                lines += ["```{raw} html", value_table(values), "```", ""]
            for path in pictures.get((paper, item), []):
                lines += figure(path, path.relative_to(figures.parent))
    return "\n".join(lines)


def item_pictures(figures: Path) -> dict[tuple[str, str], list[Path]]:
    """Collect the figures of each item; a file or folder is named after the first."""
    pictures: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(figures.rglob("*.png")):
        name = path.relative_to(figures).parts[0]
        if item := re.search(r"-(table|figure)s?-(\d)", name):
            key = name.partition("-")[0], f"{item[1]}-{item[2]}"
            pictures.setdefault(key, []).append(path)
    return pictures


def value_table(values: pd.DataFrame) -> str:
    """Write the rows of an item, each linked to the scoreboard."""
    table = values[["id", "quantity", "published", "reproduced", "status"]].copy()
    for name in table.columns.drop("id"):
        table[name] = table[name].map(escape)
    table["id"] = [f'<a href="scoreboard.html#{i}">{i}</a>' for i in table["id"]]
    html = table.to_html(index=False, border=0, escape=False, classes="table")
    return f'<div class="wide" tabindex="0">{html}</div>'


def figure(path: Path, name: Path) -> list[str]:
    """Write a figure with its caption."""
    text = caption(path)
    return [
        f"```{{figure}} {name.as_posix()}",
        f":alt: {text}",
        "",
        escaped(text),
        "```",
        "",
    ]


def functions(groups: Mapping[str, Sequence[str]]) -> str:
    """List the public names, in groups, with their docstrings.

    Raises
    ------
    ValueError
        A public name is in no group, or a group has another name.
    """
    listed = [name for names in groups.values() for name in names]
    odd = sorted({*listed} ^ {name for name in dir(wmtlib) if name[0] != "_"})
    if odd:
        raise ValueError(f"docs/book/build.py: the groups of functions and {odd}")
    lines = [
        "# Public functions",
        "",
        "`import wmtlib` gives these names. Their examples are run as tests. Every",
        "function takes the path of a file, the name of a public task, a frame or what",
        "`read` returned.",
        "",
        "## From the command to Python",
        "",
        "```{raw} html",
        command_table(str(wmtlib.__doc__)),
        "```",
        "",
    ]
    for title, names in groups.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += ["```{eval-rst}", *directive(name), "```", ""]
    return "\n".join(lines)


def command_table(text: str) -> str:
    """Write the table of commands and calls in `help(wmtlib)` as one of HTML.

    A row goes on in the next line after a comma, "and" or "takes", and where the left
    cell is empty.
    """
    [table] = [part for part in text.split("\n\n") if part[0] == "="]
    border, heads, _, *lines, _ = table.splitlines()
    width = border.index(" ")
    rows: list[list[str]] = []
    goes_on = False
    for line in lines:
        command, python = line[:width].strip(), line[width:].strip()
        if goes_on or not command:
            before = rows[-1]
            rows[-1] = [f"{before[0]} {command}".strip(), f"{before[1]} {python}"]
        else:
            rows.append([command, python])
        goes_on = bool(re.search(r"(,|\band|\btakes)$", python))
    body = "".join(
        f"<tr><td>{options_as_code(command)}</td><td>{called(python)}</td></tr>"
        for command, python in rows
    )
    head = "".join(f"<th>{escape(cell.strip())}</th>" for cell in heads.split("  ", 1))
    return (
        '<div class="wide" tabindex="0"><table class="table commands">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def options_as_code(text: str) -> str:
    """Mark a command, or each of several options, as code."""
    names = re.split(r" (?=--)", escape(text))
    return " ".join(f"<code>{name}</code>" for name in names)


def called(text: str) -> str:
    """Mark the calls, and arguments, in a text as code."""
    call = r"(\w+=?\([^()]*\)(?:\.\w+\(\w+\))?|\w+=)"
    return re.sub(call, r"<code>\1</code>", escape(text, quote=False))


def directive(name: str) -> list[str]:
    """Write the directive by which Sphinx documents a public name."""
    value = getattr(wmtlib, name)
    if not isinstance(value, type):
        return [f".. autofunction:: wmtlib.{name}"]
    if issubclass(value, BaseException):
        return [f".. autoexception:: wmtlib.{name}"]
    return [f".. autoclass:: wmtlib.{name}", "   :members:"]


def command_line() -> str:
    """List every command and option of the parser."""
    parser = cli.parser()
    lines = ["# The command line", "", "`wmtlib COMMAND --help` says the same.", ""]
    [commands] = (
        a for a in parser._actions if isinstance(a, argparse._SubParsersAction)
    )
    for name, command in commands.choices.items():
        lines += [f"## wmtlib {name}", "", escaped(command.description or ""), ""]
        for group in command._action_groups:
            options = [a for a in group._group_actions if a.dest != "help"]
            if options:
                lines += [f"**{str(group.title).capitalize()}**", ""]
                lines += [line for action in options for line in option(action)]
        if ending := cli.choices(name):
            lines += ["```text", ending, "```", ""]
    lines += ["## Files", "", "```text", cli.FILES_HELP.strip(), "```", ""]
    return "\n".join(lines)


def option(action: argparse.Action) -> Iterator[str]:
    """Write an option as an entry of a definition list."""
    metavar = action.metavar or action.dest.upper()
    value = f" {metavar}" if action.option_strings and action.nargs != 0 else ""
    names = [f"`{name}{value}`" for name in action.option_strings] or [f"`{metavar}`"]
    yield ", ".join(names)
    said = escaped((action.help or "") % {"prog": "wmtlib"})
    yield f": {said}".replace("\\`", "`")  # code, as in the help
    yield ""
