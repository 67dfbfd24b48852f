"""Tables of pandas as a reader wants them: one line of heads, numbers at the right."""

import re

from bs4 import BeautifulSoup, Tag

NUMBER = re.compile(r"[~+−-]?\d[\d.,]*(e[+-]?\d+)?( ?%)?([–/]\d[\d.,]*)?")
WHOLE = re.compile(r"-?\d+\.0")
CODE = re.compile(r"[a-z]+(_[a-z]+)+")


def tidied(html: str) -> str:
    """Tidy each table that pandas wrote into a piece of HTML.

    Names of rows and columns share a line, numbers of rows that say nothing go, and so
    do signs of missing values; a column of numbers has the class "number".

    >>> print(tidied('<table class="dataframe"><tr><td>NaN</td></tr></table>'))
    <table class="dataframe"><tr><td></td></tr></table>
    """
    page = BeautifulSoup(html, "html.parser")
    for table in page.select("table.dataframe"):
        head = table.select("thead tr")
        body = table.select("tbody tr")
        if head and body:
            join_heads(head)
            drop_row_numbers(head, body)
        for name in table.select("thead th"):
            if CODE.fullmatch(name.text):
                name.string = name.text.replace("_", " ")
        align(table)
    return str(page)


def join_heads(head: list[Tag]) -> None:
    """Put the names of the index, a line of their own, into the line above it."""
    if len(head) < 2:
        return
    names, above = head[-1]("th"), head[-2]("th")
    used = [k for k, name in enumerate(names) if name.text.strip()]
    one_to_one = len(names) == len(above)
    if used != [*range(len(used))] or not used or not one_to_one:
        return
    for k in used:
        above[k].string = names[k].text
    head[-1].decompose()
    head.pop()


def drop_row_numbers(head: list[Tag], body: list[Tag]) -> None:
    """Drop an index without a name that numbers rows, unless it is a rank, 1 to n."""
    numbers = [row.th.text.strip() if row.th else "" for row in body]
    ranks = [str(k) for k in range(1, len(body) + 1)]
    numbered = all(text.isdigit() for text in numbers) and numbers != ranks
    if not numbered or any(row("th")[0].text.strip() for row in head):
        return
    if all(len(row("th")) == 1 for row in body):
        for row in [*head, *body]:
            row.th.decompose()


def align(table: Tag) -> None:
    """Mark columns of numbers, whole ones without decimals; empty missing values."""
    rows = [row("td") for row in table("tr")]
    rows = [cells for cells in rows if cells]
    for cells in rows:
        for cell in cells:
            if cell.text.strip() in ("NaN", "None", "<NA>"):
                cell.string = ""
    if not rows or len({len(cells) for cells in rows}) > 1:
        return
    heads = table.select("thead tr:last-child th")[-len(rows[0]) :]
    for k, column in enumerate(zip(*rows, strict=True)):
        texts = [cell.text.strip() for cell in column if cell.text.strip()]
        if not texts or not all(map(NUMBER.fullmatch, texts)):
            continue
        for cell in [*column, *heads[k : k + 1]]:
            cell["class"] = "number"
        if all(map(WHOLE.fullmatch, texts)):
            for cell in column:
                cell.string = cell.text.strip().removesuffix(".0")
