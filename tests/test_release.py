"""What a release says of itself: its version, what only a person can add, and that its
workflows run what they name.
"""

import os
import re
import subprocess

import pytest
import yaml

from examples import ROOT
from study.run import manifest
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
# What waits for a person, a public place or a decision, and the files it stands in.
PLACEHOLDERS = {
    "https://example.org/wmtlib": [
        ".github/ISSUE_TEMPLATE/config.yml",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "README.md",
        "pyproject.toml",
    ],
    "The wmtlib maintainers": [
        "CITATION.cff",
        "docs/book/conf.py",
        "docs/citation.bib",
        "pyproject.toml",
    ],
    "AUTHOR-NAME": ["paper/paper.md"],
    "AUTHOR-AFFILIATION": ["paper/paper.md"],
    "0000-0000-0000-0000": ["paper/paper.md"],
    "AI-USAGE": ["paper/paper.md"],
    "FUNDING": ["paper/paper.md"],
}


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_file_names_this_version_and_one_day():
    cff = yaml.safe_load(text_of("CITATION.cff"))
    newest = re.search(r"(?m)^## (.*)$", text_of("CHANGELOG.md")).group(1)
    assert newest == f"{__version__} ({cff['date-released']})"
    assert cff["version"] == __version__
    assert f"version = {{{__version__}}}" in text_of("docs/citation.bib")
    assert str(cff["date-released"]) == manifest.RELEASED
    assert text_of("docs/citation.bib").count("@") == 1 + len(cff["references"])


def written():
    """Names of the files that git knows, or those of a source distribution."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        return [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_placeholders_are_the_known_ones():
    texts = {".md", ".toml", ".cff", ".bib", ".yml", ".yaml", ".json", ".py"}
    names = [name for name in written() if (ROOT / name).suffix in texts]
    names.remove("tests/test_release.py")
    contents = {name: text_of(name) for name in names}
    for placeholder, expected in PLACEHOLDERS.items():
        found = sorted(name for name in contents if placeholder in contents[name])
        assert found == expected, placeholder
    others = re.compile(r"\b(TODO|FIXME|XXX|lorem ipsum)\b")
    delivered = {name for name in contents if not name.startswith("tests/")}
    assert [name for name in delivered if others.search(contents[name])] == []


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


def test_what_is_released_has_passed_the_gate_and_is_built_by_a_hashed_tool(tmp_path):
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
    assert re.findall(r"(?m)^[^\s#]+==", lock) == ["flit-core=="]
    assert "--hash=sha256:" in lock


def test_updates_are_watched_of_everything_that_is_fetched():
    updates = yaml.safe_load(text_of(".github/dependabot.yml"))["updates"]
    watched = {update["package-ecosystem"]: update["directory"] for update in updates}
    assert watched == {
        "github-actions": "/",
        "pip": "/",
        "docker": "/.github/workflows",
        "npm": "/tests/axe",
    }
    assert (ROOT / "tests" / "axe" / "package.json").exists()


def test_addresses_of_archives_are_no_options():
    text = text_of(".github/workflows/archives.yml")
    assert re.search(r'curl [^\n]* -- "\$address"', text)


def test_the_paper_has_the_sections_and_cites_what_its_list_of_references_has():
    _, head, text = text_of("paper/paper.md").split("---\n", 2)
    settings = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date"} <= {*settings}
    assert re.findall(r"(?m)^# (.*)$", text) == SECTIONS
    assert len(text.split()) in WORDS
    bibliography = text_of(f"paper/{settings['bibliography']}")
    cited = set(re.findall(r"@([\w-]+)", text))
    assert cited == set(re.findall(r"(?m)^@\w+\{([\w-]+),", bibliography))
