"""Write what archives and journals ask for: `python .ci/archive.py FOLDER`.

From results/manifest.csv alone `codecheck.yml` has the files that a codechecker
compares (CODECHECK 2.0), and `ro-crate-metadata.json` the notebook that made each file
(RO-Crate 1.1). What only a person can add, such as authors and their ORCID, is absent.
"""

import json
import mimetypes
import sys
from pathlib import Path

import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[1]
TITLE = "wmtlib: human rankings of machine translation systems, reproduced"
PAPERS = {
    "lopez2012": "https://aclanthology.org/W12-3101/",
    "hopkins2013": "https://aclanthology.org/P13-1139/",
    "knowles2021": "https://aclanthology.org/2021.wmt-1.56/",
}
FORMAT = "https://w3id.org/ro/crate/1.1"


def main(folder):
    """Write both files into a folder."""
    table = pd.read_csv(
        ROOT / "results" / "manifest.csv", dtype=str, keep_default_na=False
    )
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(codecheck(table), sort_keys=False, allow_unicode=True)
    (target / "codecheck.yml").write_text(f"---\n{text}", "utf-8")
    text = json.dumps(crate(table, citation), indent=1, ensure_ascii=False)
    (target / "ro-crate-metadata.json").write_text(f"{text}\n", "utf-8")
    print(f"{target}/codecheck.yml\n{target}/ro-crate-metadata.json")


def codecheck(table):
    """List the files of the papers, each with its table, figure or section."""
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


def crate(table, citation):
    """List every file as an entity, based on its notebook and its paper."""
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
        "datePublished": str(citation["date-released"]),
        "license": "https://spdx.org/licenses/MIT",
        "version": citation["version"],
        "hasPart": [{"@id": name} for name in table["file"]],
    }
    itself = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": FORMAT},
    }
    return {"@context": f"{FORMAT}/context", "@graph": [itself, root, *files]}


if __name__ == "__main__":
    main(*sys.argv[1:])
