"""What archives and journals ask for, made from `results/manifest.csv` alone.

`codecheck.yml` lists the files that a codechecker compares (CODECHECK 2.0), and
`ro-crate-metadata.json` says of every file which notebook made it (RO-Crate 1.1). What
only a person can add, such as authors and their ORCID, is not invented: it is absent.
"""

import json
import mimetypes
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib import __version__
from wmtlib.study.running.manifest import NAME

TITLE = "wmtlib: human rankings of machine translation systems, reproduced"
PAPERS = {
    "lopez2012": "https://aclanthology.org/W12-3101/",
    "hopkins2013": "https://aclanthology.org/P13-1139/",
    "knowles2021": "https://aclanthology.org/2021.wmt-1.56/",
}
FORMAT = "https://w3id.org/ro/crate/1.1"
RELEASED = "2026-11-23"


def write_metadata(folder: Path) -> None:
    """Write both files into the folder whose manifest they are made from."""
    import yaml

    table = pd.read_csv(folder / NAME, dtype=str, keep_default_na=False)
    text = yaml.safe_dump(codecheck(table), sort_keys=False, allow_unicode=True)
    (folder / "codecheck.yml").write_text(f"---\n{text}", "utf-8")
    text = json.dumps(crate(table), indent=1, ensure_ascii=False)
    (folder / "ro-crate-metadata.json").write_text(f"{text}\n", "utf-8")


def codecheck(table: pd.DataFrame) -> dict[str, Any]:
    """The files of the papers, each with the table, figure or section it is of."""
    of_papers = table[table["paper"] != ""]
    manifest = [
        {"file": row.file, "comment": f"{row.paper}, {row.item} ({row.notebook})"}
        for row in of_papers.itertuples()
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
