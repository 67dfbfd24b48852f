"""What a release says of itself: its version, what only a person can add, and that its
workflows run what they name.
"""

import re
import subprocess

import pytest
import yaml

from wmtlib import __version__
from wmtlib.study.releases.sources import ROOT
from wmtlib.study.running import manifest

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
        for step in job["steps"]:
            action = step.get("uses", "")
            assert not action or re.search(r"@[0-9a-f]{40}$", action), action
            if action.startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}


def test_the_paper_has_the_sections_and_cites_what_its_list_of_references_has():
    _, head, text = text_of("paper/paper.md").split("---\n", 2)
    settings = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date"} <= {*settings}
    assert re.findall(r"(?m)^# (.*)$", text) == SECTIONS
    assert len(text.split()) in WORDS
    bibliography = text_of(f"paper/{settings['bibliography']}")
    cited = set(re.findall(r"@([\w-]+)", text))
    assert cited == set(re.findall(r"(?m)^@\w+\{([\w-]+),", bibliography))
