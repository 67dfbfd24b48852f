"""What a run writes: the folders, `results/manifest.csv`, and what is made of that.

`make reproduce` lists every file of results/ and figures/ in the manifest, and `make
check` holds the files against it. From the manifest alone two files are made that
archives and journals ask for: `codecheck.yml` has the files that a codechecker compares
(CODECHECK 2.0), and `ro-crate-metadata.json` says of every file which notebook made it
(RO-Crate 1.1). What only a person can add, such as authors and their ORCID, is not
invented: it is absent.
"""

import json
import mimetypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from study.data.sources import ROOT, Source
from study.data.storage import file_sha256, write_csv
from study.scoreboard import published
from wmtlib import __version__

NAME = "results/manifest.csv"
COLUMNS = ["file", "paper", "item", "notebook", "data", "sha256"]
# Paper and item are those that the name of the file, or of its folder, says; where it
# says no item, items.csv of data/published does.
NAMED = (
    r"^(?:results|figures)/"
    r"(?P<stem>(?:(?P<paper>[a-z]+20\d\d)-)?(?P<item>(?:table|figures?)-[\d-]*\d)?[^/.]*)"
)
TITLE = "wmtlib: human rankings of machine translation systems, reproduced"
PAPERS = {
    "lopez2012": "https://aclanthology.org/W12-3101/",
    "hopkins2013": "https://aclanthology.org/P13-1139/",
    "knowles2021": "https://aclanthology.org/2021.wmt-1.56/",
}
FORMAT = "https://w3id.org/ro/crate/1.1"
RELEASED = "2026-11-23"


def output_folder(source: Source, *, committed: bool) -> Path:
    """Folder of what a run writes: `$WMTLIB_OUTPUT` if that is set.

    Parameters
    ----------
    source : Source
    committed : bool
        True for results/ and figures/: a run on raw data writes them into the
        repository itself. False for executed notebooks and the scoreboard of each,
        which always go below build/.
    """
    if folder := os.environ.get("WMTLIB_OUTPUT"):
        return Path(folder)
    return ROOT if committed and source.kind == "raw" else ROOT / "build" / source.kind


def list_written(path: Path) -> None:
    """Add a file to the list of what this run wrote, `$WMTLIB_WRITTEN`, if any."""
    if written := os.environ.get("WMTLIB_WRITTEN"):
        with open(written, "a", encoding="utf-8") as file:
            file.write(f"{path}\n")


def write_manifest(folder: Path, lists: Iterable[Path], source: Source) -> None:
    """List what a run has left in results/ and figures/ of a folder.

    Columns: file; paper, and its table or figure if the file is of one; the notebook
    that wrote the file, empty if it is of no single one; hash of the data; SHA-256 of
    the file.

    Parameters
    ----------
    folder : Path
    lists : files
        Each is named after a notebook and lists what that wrote, a path a line.
    source : Source
    """
    written = {"results/scoreboard.csv": ""}
    for path in lists:
        for line in path.read_text("utf-8").splitlines():
            written[os.path.relpath(line, folder)] = path.stem
    table = pd.DataFrame(sorted(written.items()), columns=["file", "notebook"])
    named = table["file"].str.extract(NAMED)
    table = table.join(named).dropna(subset="stem")
    table["item"] = table["item"].fillna(table["stem"].map(published.lookup("items")))
    hashes = [file_sha256(folder / name) for name in table["file"]]
    table = table.assign(data=source.sha256, sha256=hashes)
    write_csv(table[COLUMNS], folder / NAME)


def faults(folder: Path) -> list[tuple[str | None, str]]:
    """Every file that is missing, is not in the manifest, or has changed since.

    Returns
    -------
    list of (notebook, line)
        The notebook that wrote the file, None if it is not known; what is wrong, in a
        line.
    """
    if not (folder / NAME).is_file():
        return [(None, f"{NAME} is missing; make reproduce writes it")]
    listed = pd.read_csv(folder / NAME, dtype=str, index_col="file", na_filter=False)
    paths = [*folder.glob("results/**/[!.]*.*"), *folder.glob("figures/**/[!.]*.*")]
    hashes = {path.relative_to(folder).as_posix(): file_sha256(path) for path in paths}
    lines: list[tuple[str | None, str]] = []
    for name in sorted({*listed.index, *hashes} - {NAME}):
        if name not in listed.index:
            lines.append((None, f"{name} is not in {NAME}: no notebook writes it"))
        elif hashes.get(name) != listed["sha256"][name]:
            fault = f"{name} is missing; {NAME} lists it"
            if name in hashes:
                fault = f"{name} is not the file that make reproduce wrote (SHA-256 in"
                fault += f" {NAME})"
            lines.append((listed["notebook"][name], fault))
    return lines


# --- for archives ---------------------------------------------------------------------


def write_metadata(folder: Path) -> None:
    """Write both files for archives into the folder of the manifest."""
    import yaml

    table = pd.read_csv(folder / NAME, dtype=str, keep_default_na=False)
    text = yaml.safe_dump(codecheck(table), sort_keys=False, allow_unicode=True)
    (folder / "codecheck.yml").write_text(f"---\n{text}", "utf-8")
    text = json.dumps(crate(table), indent=1, ensure_ascii=False)
    (folder / "ro-crate-metadata.json").write_text(f"{text}\n", "utf-8")


def codecheck(table: pd.DataFrame) -> dict[str, Any]:
    """The files of the papers, each with the table, figure or section it is of."""
    manifest = [
        {"file": row.file, "comment": f"{row.paper}, {row.item} ({row.notebook})"}
        for row in table.itertuples()
        if row.paper
    ]
    lopez, *others = PAPERS.values()
    return {
        "version": "https://codecheck.org.uk/spec/config/2.0/",
        "paper": {"title": TITLE, "reference": lopez, "reference-other": others},
        "manifest": manifest,
    }


def crate(table: pd.DataFrame) -> dict[str, Any]:
    """Every file as an entity, based on its notebook and its paper."""
    files = []
    for row in table.itertuples():
        bases = [PAPERS.get(row.paper)]
        bases.append(row.notebook and f"notebooks/{row.notebook}.ipynb")
        entity = {
            "@id": row.file,
            "@type": "File",
            "description": f"{row.paper} {row.item}".strip(),
            "encodingFormat": mimetypes.guess_type(row.file)[0],
            "isBasedOn": [{"@id": name} for name in bases if name],
            "sha256": row.sha256,
        }
        files.append(entity)
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": TITLE,
        "description": "Three papers on ranking translation systems, recomputed.",
        "datePublished": RELEASED,
        "license": "https://spdx.org/licenses/MIT",
        "version": __version__,
        "hasPart": [{"@id": name} for name in table["file"]],
    }
    itself = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": FORMAT},
    }
    return {"@context": f"{FORMAT}/context", "@graph": [itself, root, *files]}
