"""The commands of the study, and its campaigns in place of a file."""

import json

import pytest

from study.__main__ import COMMANDS
from study.data.sources import ROUTES
from wmtlib import cli


def test_help_of_data_names_every_route(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["data", "--help"], COMMANDS)
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert all(route in said for route in ROUTES)


def test_simulated_campaigns_are_ranked_in_a_checkout(capsys, monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    line = ["rank", "simulated-sr-dc:qa-qb", "--bootstrap", "5", "--json"]
    assert cli.main(line) == 0
    answer = json.loads(capsys.readouterr().out)
    about = [answer[name] for name in ("task", "file", "rows")]
    assert about == ["qa-qb", "simulated-sr-dc:qa-qb", 4000]
    assert cli.main(["rank", "simulated-sr-dc:xx-yy"]) == 2
    assert "no simulated pair 'xx-yy'" in capsys.readouterr().err
