"""What the tests of "Try it" share."""

import pytest


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What one Try it has computed without the raw files, the next one reads."""
    return tmp_path_factory.mktemp("kept")
