"""Signatures name versions, of a checkout that is not installed, too."""

from importlib.metadata import PackageNotFoundError

import wmtlib
from wmtlib.report import signature


def test_versions_of_a_checkout_that_is_not_installed(monkeypatch):
    def version(name):
        if name == "wmtlib":
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(signature, "version", version)
    versions = signature.versions.__wrapped__()
    assert versions == {"wmtlib": wmtlib.__version__, "numpy": "1.0", "scipy": "1.0"}
