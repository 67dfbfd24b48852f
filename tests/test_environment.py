"""One source of versions, pyproject.toml; environment.yml and requirements.lock follow
it.
"""

import re
import tomllib
from itertools import chain, product

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wmtlib import __version__
from wmtlib.study.releases.sources import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
# Where conda-forge has another name than PyPI, or has not got it, so that pip has to.
CONDA_NAMES = {"duckdb": "python-duckdb", "igraph": "python-igraph"}
PIP_ONLY = {"evalica"}
PYTHONS = ["3.11.0", "3.12.0", "3.13.0", "3.14.0"]

EXTRAS = PROJECT["optional-dependencies"]
DECLARED = [Requirement(r) for r in chain(PROJECT["dependencies"], *EXTRAS.values())]
# In the lock file a requirement starts its line; its hashes and comments are indented.
PINS = [
    Requirement(line.rstrip("\\ ")) for line in re.findall(r"(?m)^[a-zA-Z].*$", LOCK)
]


def test_conda_environment_is_the_project_under_condas_names():
    *packages, pip = CONDA["dependencies"]
    found = {r.name: r.specifier for r in map(Requirement, packages)}
    expected = {
        CONDA_NAMES.get(name := canonicalize_name(r.name), name): r.specifier
        for r in DECLARED
        if r.name not in PIP_ONLY
    }
    assert (
        found.pop("python")
        == Requirement(f"python{PROJECT['requires-python']}").specifier
    )
    assert not found.pop("pip")
    assert found == expected
    assert pip == {"pip": [*(str(r) for r in DECLARED if r.name in PIP_ONLY), "-e ."]}
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]


def test_lock_pins_one_version_within_the_declared_range():
    for declared, python in product(DECLARED, PYTHONS):
        here = {
            "python_full_version": python,
            "python_version": python.rpartition(".")[0],
        }
        versions = [
            next(iter(pin.specifier)).version
            for pin in PINS
            if canonicalize_name(pin.name) == canonicalize_name(declared.name)
            and (pin.marker is None or pin.marker.evaluate(here))
        ]
        assert len(versions) == 1 and declared.specifier.contains(versions[0]), (
            declared,
            python,
        )


def test_lock_pins_exact_versions_by_hash():
    for pin in PINS:
        assert [s.operator for s in pin.specifier] == ["=="], str(pin)
    blocks = re.split(r"(?m)^(?=[a-zA-Z])", LOCK)[1:]
    assert len(blocks) == len(PINS)
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block.partition(" ")[
            0
        ]


def test_lock_names_no_host():
    """The user's own pip settings say where packages come from."""
    assert not re.search(
        r"://|--(index-url|extra-index-url|find-links|trusted-host)|@ ", LOCK
    )


def test_both_forms_of_the_citation_name_this_version():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    bibtex = (ROOT / "docs" / "citation.bib").read_text(encoding="utf-8")
    assert cff["version"] == __version__ and f"version = {{{__version__}}}" in " ".join(
        bibtex.split()
    )
    assert bibtex.count("@") == 1 + len(cff["references"])
