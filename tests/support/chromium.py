"""Debian's Chromium, headless, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright import sync_api


@contextmanager
def launched() -> Iterator[sync_api.Browser]:
    """A browser."""
    chromium = shutil.which("chromium")
    assert chromium, "Debian's chromium is missing: tools/debian.sh installs it"
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()
