"""Every "Try it" runs: the notebooks beside the papers."""

import pytest
from try_it import cases, tried

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name, changes, source", [*cases("0456")])
def test_what_a_notebook_proposes_runs(name, changes, source, kept, monkeypatch):
    assert tried(name, changes, source, kept, monkeypatch)
