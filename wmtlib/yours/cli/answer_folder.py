"""An answer as JSON, or as a folder of tables and figures with one page that can be mailed."""

import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any

from wmtlib.errors import DataError
from wmtlib.study.releases.storage import atomic_files
from wmtlib.yours import drawings
from wmtlib.yours.answers import LONGEST_TABLE, Answer, tidied

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # what a spreadsheet takes for the start of a formula


def as_json(answer: Answer) -> str:
    """The answer as data; see docs/json.md."""
    return json.dumps(answer.document, indent=2, ensure_ascii=False, allow_nan=False)


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


def write_answer(answer: Answer, folder: Path) -> tuple[Path, str]:
    """Write tables (CSV), figures (PNG and SVG) and one page (index.html) that can be mailed.

    Files of the same names are replaced, all or none; others in the folder stay.

    Returns
    -------
    page : Path
    remark : str
        Which letters of names the PNG figures lack, on one line; "" if none.

    Raises
    ------
    DataError
        The folder cannot be written to, or the page would be too large to be mailed.
    """
    try:
        with atomic_files(folder) as new:
            missing = _fill(new, answer)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{folder}: cannot be written ({why})") from None
    remark = ""
    if missing:
        scripts = ", ".join(sorted({_script(letter) for letter in missing}))
        remark = (
            f"no installed font has {''.join(sorted(missing)[:12])} ({scripts}): boxes in the PNG"
            " figures; the SVG figures and the page are right wherever a browser has a font"
        )
    return folder / "index.html", remark


def _script(letter: str) -> str:
    script = unicodedata.name(letter, "unknown").split()[0]
    script = script if script.startswith("CJK") else script.capitalize()
    return "emoji" if unicodedata.category(letter) == "So" else script


def _fill(folder: Path, answer: Answer) -> set[str]:
    """Write everything into an empty folder; gives the letters that no font has."""
    from wmtlib.study import report  # it takes a while to load

    missing: set[str] = set()
    sections = [report.Section("About the file", warnings=answer.warnings)]
    sections = sections if answer.warnings else []
    for section in answer.sections:
        slug, text, shown = _slug(section.title.partition(",")[0]), section.text, {}
        for name, table in section.all_tables.items():
            path = folder / f"{slug}-{_slug(name)}.csv"
            safe = table.map(safe_cell).rename(columns=safe_cell)
            safe.to_csv(path, index=False, lineterminator="\n")
            if name in section.tables and len(table) <= LONGEST_TABLE:
                shown[name] = tidied(table)
            else:
                text += f" {name}: {len(table)} rows, in {path.name}."
        figures = []
        for drawing in section.drawings:
            png, svg, letters = drawings.drawing_files(drawing)
            name = f"{slug}-{drawing.plot}"
            (folder / f"{name}.png").write_bytes(png)
            (folder / f"{name}.svg").write_bytes(svg)
            figures.append(report.Figure(svg, drawing.caption))
            missing |= {*letters}
        sections.append(report.Section(section.title, text, section.warnings, shown, figures))
    report.single(answer.title, sections, folder / "index.html", about=answer.about)
    return missing


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
