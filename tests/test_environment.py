"""One source of versions, pyproject.toml; the other files follow it."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import chain, product

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from examples import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
# What `make reproduce` and `make lab` need, and what `make test` adds to it.
LOCKS = {
    name: (ROOT / name).read_text()
    for name in ("requirements.lock", "requirements-dev.lock")
}
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
# Where conda-forge has another name than PyPI.
CONDA_NAMES = {"duckdb": "python-duckdb", "igraph": "python-igraph"}
PIP_ONLY = ["choix>=0.4.1"]
PYTHONS = ["3.11.0", "3.12.0", "3.13.0", "3.14.0"]

EXTRAS = PROJECT["optional-dependencies"]
GROUPS = PYPROJECT["dependency-groups"]


def requirements(*lists):
    """Parse requirements, without the package itself, which names its extras."""
    texts = [text for text in chain(*lists) if isinstance(text, str)]
    declared = [Requirement(text) for text in texts]
    return [one for one in declared if one.name != PROJECT["name"]]


OF_STUDY = requirements(
    PROJECT["dependencies"], EXTRAS["study"], EXTRAS["lab"], GROUPS["build"]
)
DECLARED = requirements(PROJECT["dependencies"], *EXTRAS.values(), *GROUPS.values())


def pins_of(lock):
    """Parse a lock file: a requirement starts its line, hashes are indented."""
    lines = re.findall(r"(?m)^[a-zA-Z].*$", lock)
    return [Requirement(line.rstrip("\\ ")) for line in lines]


PINS = {name: pins_of(lock) for name, lock in LOCKS.items()}


def test_conda_environment_is_the_project_under_condas_names():
    *packages, pip = CONDA["dependencies"]
    found = {r.name: r.specifier for r in map(Requirement, packages)}
    expected = {
        CONDA_NAMES.get(name := canonicalize_name(r.name), name): r.specifier
        for r in DECLARED
        if str(r) not in PIP_ONLY
    }
    assert (
        found.pop("python")
        == Requirement(f"python{PROJECT['requires-python']}").specifier
    )
    assert not found.pop("pip")
    assert found == expected
    assert pip == {"pip": [*PIP_ONLY, "-e ."]}
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]


def versions(lock, name, python):
    """List what a lock file installs of a package under a version of Python."""
    here = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
    return [
        next(iter(pin.specifier)).version
        for pin in PINS[lock]
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate(here))
    ]


@pytest.mark.parametrize(
    "lock, declared",
    [("requirements.lock", OF_STUDY), ("requirements-dev.lock", DECLARED)],
)
def test_lock_pins_one_version_within_the_declared_range(lock, declared):
    for requirement, python in product(declared, PYTHONS):
        [version] = versions(lock, requirement.name, python)
        assert requirement.specifier.contains(version), (requirement, python)


def test_tools_leave_the_versions_of_the_study_as_they_are():
    study, tools = PINS.values()
    pinned = {(pin.name, str(pin.specifier)) for pin in tools}
    of_any_python = [pin for pin in study if pin.marker is None]
    assert {(pin.name, str(pin.specifier)) for pin in of_any_python} <= pinned


@pytest.mark.parametrize("name", LOCKS)
def test_lock_pins_exact_versions_by_hash(name):
    for pin in PINS[name]:
        assert [s.operator for s in pin.specifier] == ["=="], str(pin)
    blocks = re.split(r"(?m)^(?=[a-zA-Z])", LOCKS[name])[1:]
    assert len(blocks) == len(PINS[name])
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block.split()[0]


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_the_extras_that_packages_ask_of_each_other(name):
    """pip before 24 takes "coverage[toml]" for another package than "coverage"."""
    pins = {canonicalize_name(pin.name): pin for pin in PINS[name]}
    for package, pin in pins.items():
        try:
            texts = requires(package) or []
        except PackageNotFoundError:  # of another system, or another Python
            continue
        if version(package) not in pin.specifier:  # the lowest one that is allowed
            continue
        for asked in map(Requirement, texts):
            wanted = [{"extra": extra} for extra in pin.extras or {""}]
            if asked.marker is None or any(map(asked.marker.evaluate, wanted)):
                asked_pin = pins[canonicalize_name(asked.name)]
                assert asked.extras <= asked_pin.extras, package


@pytest.mark.parametrize("name", LOCKS)
def test_lock_names_no_host(name):
    """The user's own pip settings say where packages come from."""
    hosts = r"://|--(index-url|extra-index-url|find-links|trusted-host)|@ "
    assert not re.search(hosts, LOCKS[name])
