"""An answer as JSON, or as a folder of tables and figures with one page that can be mailed."""

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.analysis import drawings
from wmtlib.analysis.answers import LONGEST_TABLE, Answer, tidied
from wmtlib.judgements.errors import DataError
from wmtlib.releases.storage import atomic_files

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # what a spreadsheet takes for the start of a formula


def as_json(answer: Answer) -> str:
    """The answer as JSON: every table as a list of rows, null for NaN and infinity."""
    document = {
        "title": answer.title,
        "about": dict(answer.about),
        "sections": [
            {
                "title": section.title,
                "text": section.text,
                "warnings": list(section.warnings),
                "tables": {name: _rows(table) for name, table in section.all_tables.items()},
            }
            for section in answer.sections
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(k): _plain(v) for k, v in row.items()} for row in table.to_dict(orient="records")]


def _plain(value: Any) -> Any:
    """A value that JSON knows."""
    value = value.item() if isinstance(value, np.generic) else value
    missing = value is pd.NA or (isinstance(value, float) and not np.isfinite(value))
    return None if missing else value


def safe_cell(value: Any) -> Any:
    """A value fit for a cell of a CSV file: an apostrophe goes before what looks like a formula.

    >>> safe_cell("=cmd()"), safe_cell("online-A"), safe_cell(-1)
    ("'=cmd()", 'online-A', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def require_writable(folder: Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or written to."""
    exists = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not exists.is_dir():
        raise DataError(f"{folder}: cannot be written ({exists} is not a folder)")
    if not os.access(exists, os.W_OK | os.X_OK):
        raise DataError(f"{folder}: cannot be written (no permission)")


def write_answer(answer: Answer, folder: Path) -> Path:
    """Write tables (CSV), figures (PNG) and one page (index.html) that can be mailed.

    Files of the same names are replaced, all or none; others in the folder stay.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    DataError
        The folder cannot be written to, or the page would be too large to be mailed.
    """
    try:
        with atomic_files(folder) as new:
            _fill(new, answer)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{folder}: cannot be written ({why})") from None
    return folder / "index.html"


def _fill(folder: Path, answer: Answer) -> None:
    """Write everything into an empty folder."""
    from wmtlib.study import report  # it takes seconds to load

    sections = []
    for section in answer.sections:
        slug, text, shown = _slug(section.title), section.text, {}
        for name, table in section.all_tables.items():
            path = folder / f"{slug}-{_slug(name)}.csv"
            safe = table.map(safe_cell).rename(columns=safe_cell)
            safe.to_csv(path, index=False, lineterminator="\n")
            if len(table) <= LONGEST_TABLE:
                shown[name] = tidied(table)
            else:
                text += f" {name}: {len(table)} rows, in {path.name}."
        figures = [
            report.Figure(drawings.drawing_png(one), one.caption) for one in section.drawings
        ]
        for k, figure in enumerate(figures, start=1):
            (folder / f"{slug}-{k}.png").write_bytes(figure.png)
        sections.append(report.Section(section.title, text, section.warnings, shown, figures))
    report.single(answer.title, sections, folder / "index.html", about=answer.about)


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
