"""A headless browser for tests: Debian's Chromium, driven by playwright."""

import shutil
from contextlib import contextmanager

import pytest


@contextmanager
def chromium():
    """The browser that is installed, never one that playwright would download."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not (path := shutil.which("chromium")):
        pytest.skip("needs chromium on the path")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=path, args=["--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()
