"""The report: a folder of static pages: an overview, the scoreboard, every executed notebook.

A page holds all it needs (style, figures, formulas), and its security policy forbids it to ask the
network for more. The same input gives the same bytes. `report.html.j2` holds the look of the pages
and the sentences around the numbers.
"""

import re
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from wmtlib import __version__
from wmtlib.study.releases.storage import atomic_files

LIMIT = 5_000_000  # bytes of a page, so that it passes as an attachment
PALETTE_SIZE = 64  # of an embedded figure: a third of the bytes, and no difference that one sees
NO_CODE = {"light": "", "dark": ""}
VERDICT = re.compile(r"(?:^|; )(yes|no): (.*?)(?=; (?:yes|no): |$)")  # `verdicts.Claim`
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)(?:<a class="anchor-link".*?)?</h2>', re.DOTALL)
NUMBER = re.compile(
    r"[-+−~]?[\d.,]*\d(e[-+]?\d+)?(–\d+)?\s?%?|nan|none|[-+−]?inf|–|", re.IGNORECASE
)


@dataclass(frozen=True)
class Page:
    """An executed notebook, to be shown as `name`.html among the pages of its group."""

    notebook: Path
    name: str
    title: str
    group: str

    @property
    def href(self) -> str:
        """Address of the page, relative to the report's folder."""
        return f"{self.name}.html"


@dataclass(frozen=True)
class Figure:
    """A picture (PNG or SVG), its caption and the signature of what it depends on."""

    png: bytes
    caption: str
    signature: str = ""

    @property
    def image(self) -> dict[str, str | int]:
        """Attributes of an <img>: an SVG as it is; a PNG in few colours, on white, and its size."""
        if self.png.startswith(b"<?xml"):
            return {"src": f"data:image/svg+xml;base64,{b64encode(self.png).decode()}"}
        from PIL import Image

        with Image.open(BytesIO(self.png)) as picture:
            flat = Image.new("RGBA", picture.size, "white")
            flat.alpha_composite(picture.convert("RGBA"))
        few = flat.convert("RGB").quantize(PALETTE_SIZE, dither=Image.Dither.NONE)
        few.save(file := BytesIO(), "PNG", optimize=True)
        source = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
        return {"src": source, "width": few.width, "height": few.height}


@dataclass(frozen=True)
class Section:
    """A part of a `single` page. Its words may be anybody's: all are shown as they are."""

    title: str
    text: str = ""
    warnings: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # by caption
    figures: Sequence[Figure] = ()


def build(
    pages: Sequence[Page],
    board: pd.DataFrame,
    *,
    about: Mapping[str, str],
    folder: Path,
    figures: Path,
    results: Path,
) -> Path:
    """Write the report in place of an older one; nothing is written if a page cannot be made.

    Beside the pages stand the notebooks and the tables of `results`, for download.

    Parameters
    ----------
    pages : sequence of Page
        In the order of the navigation.
    board : DataFrame
        One row per published number; columns `scoreboard.SCOREBOARD`.
    about : mapping of str to str
        The data behind the numbers: label and text, shown beside the summary.
    folder : Path
        Is made if need be.
    figures : Path
        Folder of the pictures that `figures.save` wrote; the front page shows every one.
    results : Path
        Folder of tables (CSV).

    Returns
    -------
    Path
        The front page, `folder`/index.html.

    Raises
    ------
    ValueError
        A page exceeds `LIMIT`.
    """
    from wmtlib.study import notebook_html  # `single` must work without the notebook tools

    groups = {g: [p for p in pages if p.group == g] for g in dict.fromkeys(p.group for p in pages)}
    template = _template(pages=list(pages), groups=groups, code_css=notebook_html.code_css())
    gallery = _gallery(figures)
    tables = {path.name: path.read_bytes() for path in sorted(results.glob("*.csv"))}
    scores = _scores(board, [page.name for page in pages], tables)
    written = {
        "index.html": template.render(view="front", about=about, gallery=gallery, **scores),
        "scoreboard.html": template.render(view="scoreboard", about=about, **scores),
    }
    for page in pages:
        body = notebook_html.body(page.notebook)
        written[page.href] = template.render(
            view="notebook", page=page, body=Markup(body), contents=HEADING.findall(body)
        )
    files = {name: _encoded(name, text) for name, text in written.items()} | tables
    files |= {f"{page.name}.ipynb": page.notebook.read_bytes() for page in pages}
    with atomic_files(folder) as new:
        for name, data in files.items():
            (new / name).write_bytes(data)
    for stale in {path.name for path in folder.glob("[!.]*.*")} - set(files):
        (folder / stale).unlink()
    return folder / "index.html"


def single(
    title: str, sections: Sequence[Section], path: Path, *, about: Mapping[str, str]
) -> Path:
    """Write one page that looks like the report's, without links or scripts; returns `path`.

    `about` is shown below the title, as in `build`. A ValueError says that the page would exceed
    `LIMIT`.
    """
    text = _template().render(view="single", title=title, sections=sections, about=about)
    path.write_bytes(_encoded(path.name, text))
    return path


def _template(code_css: Mapping[str, str] = NO_CODE, **shared: Any) -> jinja2.Template:
    """The template, with the values that every page shares."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["verdict"], environment.tests["numeric"] = VERDICT.findall, NUMBER.fullmatch
    shared |= {"code_css": code_css, "version": __version__}
    if "pages" in shared:  # a `single` page has no verdicts
        from wmtlib.study import verdicts

        shared["statuses"] = verdicts.STATUSES
    return environment.get_template("report.html.j2", globals=shared)


def _encoded(name: str, text: str) -> bytes:
    """A page as bytes, if it is small enough; "?" replaces bytes of file names that are no text."""
    if len(data := text.encode("utf-8", "replace")) > LIMIT:
        size = f"{len(data) / 1e6:.2f} MB, more than the {LIMIT / 1e6:g} that can be sent"
        raise ValueError(f"{name} would have {size}: it needs fewer or smaller figures")
    return data


def _scores(board: pd.DataFrame, pages: Sequence[str], tables: Collection[str]) -> dict[str, Any]:
    """The scoreboard as text: its rows, with links; counts by paper, kind and status; reasons.

    A row links to the page of its notebook, if there is one, and to tables that begin with the
    names of its paper and item.
    """
    from wmtlib.study import scoreboard  # a `single` page needs none

    text = board.astype(object).where(board.notna(), "").astype(str)
    rows = text.to_dict("records")
    for row in rows:
        name = f"{row['paper']}-{row['item']}".replace(".", "-")
        row["page"] = f"{row['notebook']}.html" if row["notebook"] in pages else ""
        row["tables"] = [table for table in tables if table.startswith(name + ".")]
    stories: dict[str, dict[str, list[Any]]] = {paper: {} for paper in text["paper"]}
    for (paper, status, reason), same in text.groupby(["paper", "status", "reason"], sort=False):
        stories[paper].setdefault(status, []).append((reason, same.to_dict("records")))
    counts = {paper: scoreboard.summary(text[text["paper"] == paper]) for paper in stories}
    kinds = {
        paper: {
            kind: {row.status: row.rows for row in found.itertuples() if row.rows}
            for kind, found in counted.groupby("kind", sort=False)
        }
        for paper, counted in counts.items()
    }
    return {"rows": rows, "stories": stories, "kinds": kinds}


def _gallery(folder: Path) -> dict[str, list[Figure]]:
    """Every figure, by the first word of its name: the paper, or "data"."""
    from PIL import Image

    gallery: dict[str, list[Figure]] = {}
    for path in sorted(folder.rglob("[!.]*.png")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        with Image.open(path) as picture:
            caption = picture.info.get("Description", name)
            figure = Figure(path.read_bytes(), caption, picture.info.get("Source", ""))
        gallery.setdefault(re.split("[-/]", name)[0], []).append(figure)
    return gallery
