"""A release: its version, files for archives, workflows, and the paper's draft."""

import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from rocrate.rocrate import ROCrate

from examples import ROOT
from wmtlib import __version__

# The Journal of Open Source Software asks for these sections, and for so many words.
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
]
WORDS = range(750, 1751)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# hatchling and what it needs
BUILD_TOOLS = ["hatchling", "packaging", "pathspec", "pluggy", "trove-classifiers"]
PLACEHOLDERS = re.compile(
    r"\b(TODO|FIXME|XXX|lorem ipsum|AUTHOR-[A-Z]+|AI-USAGE|FUNDING)\b"
    r"|0000-0000-0000-0000|example\.(org|com)/wmtlib"
)


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_file_names_this_version_and_one_day():
    cff = yaml.safe_load(text_of("CITATION.cff"))
    newest = re.search(r"(?m)^## (\d.*)$", text_of("CHANGELOG.md")).group(1)
    assert newest == f"{__version__} ({cff['date-released']})"
    assert cff["version"] == __version__
    assert f"version = {{{__version__}}}" in text_of("docs/citation.bib")
    assert text_of("docs/citation.bib").count("@") == 1 + len(cff["references"])


def written():
    """List the files that git knows, or those of a source distribution."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_delivered_file_has_a_placeholder():
    texts = {".md", ".toml", ".cff", ".bib", ".yml", ".yaml", ".json", ".py"}
    names = [name for name in written() if (ROOT / name).suffix in texts]
    delivered = [name for name in names if not name.startswith("tests/")]
    assert [name for name in delivered if PLACEHOLDERS.search(text_of(name))] == []


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Write the files of `make archive` into a folder."""
    folder = tmp_path_factory.mktemp("archive")
    subprocess.run([sys.executable, ROOT / ".ci" / "archive.py", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def listed():
    return pd.read_csv(ROOT / "results" / "manifest.csv", keep_default_na=False)


def test_codecheck_lists_every_file_of_a_paper_with_its_item(archive, listed):
    check = yaml.safe_load((archive / "codecheck.yml").read_text("utf-8"))
    of_papers = listed[listed["paper"] != ""]
    assert [entry["file"] for entry in check["manifest"]] == [*of_papers["file"]]
    # What a person has to supply is absent, not invented.
    assert "authors" not in check["paper"] and "codechecker" not in check


def test_crate_is_read_by_its_library_and_knows_every_file(archive, listed):
    name = "ro-crate-metadata.json"
    graph = json.loads((archive / name).read_text("utf-8"))["@graph"]
    for row in listed.itertuples():  # its library looks for the files
        (archive / row.file).parent.mkdir(parents=True, exist_ok=True)
        (archive / row.file).touch()
    crate = ROCrate(archive)
    assert crate.name.startswith("wmtlib: ")
    assert {entity.id for entity in crate.get_by_type("File")} == set(listed["file"])
    hashes = {entity["@id"]: entity.get("sha256") for entity in graph}
    assert all(hashes[row.file] == row.sha256 for row in listed.itertuples())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_checkouts_keep_no_credentials(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job.get("uses", "./").startswith("./")
        for step in job.get("steps", ()):
            action = step.get("uses", "")
            assert not action or re.search(r"@[0-9a-f]{40}$", action), action
            if action.startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}


def test_release_passes_the_gate_and_is_built_by_hashed_tools(tmp_path):
    folder = ROOT / ".github" / "workflows"
    release = yaml.safe_load((folder / "release.yml").read_text("utf-8"))["jobs"]
    gate = yaml.safe_load((folder / "gate.yml").read_text("utf-8"))
    assert release["gate"] == {"uses": "./.github/workflows/gate.yml"}
    assert (
        release["build"]["needs"] == "gate" and release["publish"]["needs"] == "build"
    )
    assert "workflow_call" in gate[True]  # YAML takes "on" for a truth value
    # In a workflow that is called, both would be one group, and wait for each other.
    assert "github.workflow" not in gate["concurrency"]["group"].partition("#")[0]
    commands = [step["run"] for step in release["build"]["steps"] if "run" in step]
    for command in commands:
        assert "install" not in command or "--require-hashes" in command, command
    [select] = [command for command in commands if "requirements.lock" in command]
    variables = {**os.environ, "RUNNER_TEMP": str(tmp_path)}
    subprocess.run(["sh", "-c", select], cwd=ROOT, check=True, env=variables)
    lock = (tmp_path / "build.lock").read_text("utf-8")
    assert re.findall(r"(?m)^[^\s#]+==", lock) == [f"{name}==" for name in BUILD_TOOLS]
    assert "--hash=sha256:" in lock


def test_dependabot_watches_everything_that_is_fetched():
    updates = yaml.safe_load(text_of(".github/dependabot.yml"))["updates"]
    watched = {update["package-ecosystem"]: update["directory"] for update in updates}
    assert watched == {
        "github-actions": "/",
        "pip": "/",
        "docker": "/.github/workflows",
        "npm": "/tests/axe",
    }
    assert (ROOT / "tests" / "axe" / "package.json").exists()


def test_archives_workflow_takes_no_address_for_an_option():
    text = text_of(".github/workflows/archives.yml")
    assert re.search(r'curl [^\n]* -- "\$address"', text)


def test_paper_has_the_sections_and_cites_its_references():
    _, head, text = text_of("docs/paper/paper.md").split("---\n", 2)
    settings = yaml.safe_load(head)
    assert {"title", "tags", "date"} <= {*settings}
    assert re.findall(r"(?m)^# (.*)$", text) == SECTIONS
    assert len(text.split()) in WORDS
    bibliography = text_of(f"docs/paper/{settings['bibliography']}")
    cited = set(re.findall(r"@([\w-]+)", text))
    assert cited == set(re.findall(r"(?m)^@\w+\{([\w-]+),", bibliography))
