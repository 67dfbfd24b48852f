"""Every "Try it" runs: the notebooks of Lopez (2012)."""

import pytest
from try_it import cases, tried

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name, changes, source", [*cases("1")])
def test_what_a_notebook_proposes_runs(name, changes, source, kept, monkeypatch):
    assert tried(name, changes, source, kept, monkeypatch)
