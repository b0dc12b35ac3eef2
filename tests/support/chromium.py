"""Debian's Chromium, headless, driven by playwright."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from playwright import sync_api


@contextmanager
def launched() -> Iterator[sync_api.Browser]:
    """A browser."""
    chromium = shutil.which("chromium")
    assert chromium, "Debian's chromium is missing: `tools/debian.sh test` installs it"
    with tempfile.TemporaryDirectory() as home, sync_api.sync_playwright() as driver:  # settings of crash reports
        environment: dict[str, str | float | bool] = {**os.environ, "HOME": home}
        browser = driver.chromium.launch(executable_path=chromium, env=environment)
        yield browser
        browser.close()
