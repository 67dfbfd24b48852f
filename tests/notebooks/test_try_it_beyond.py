"""Every "Try it" runs: the notebooks beside the papers."""

import pytest
from try_it import cases, tried

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What one Try it has computed without the raw files, the next one reads."""
    return tmp_path_factory.mktemp("kept")


@pytest.mark.parametrize("name, changes, source", [*cases("0456")])
def test_what_a_notebook_proposes_runs(name, changes, source, kept, monkeypatch):
    assert tried(name, changes, source, kept, monkeypatch)
