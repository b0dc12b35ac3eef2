"""Pages shown in the browser of whoever runs a command."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path

from gpiorig.rig.verbosity import note

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def show(page: Path) -> None:
    """Open a page; where no browser can be started, print its path."""
    _show(page.resolve().as_uri(), str(page.resolve()))


def show_address(address: str) -> None:
    """Open an address; where no browser can be started, print it."""
    _show(address, address)


def _show(address: str, shown: str) -> None:
    has_display = sys.platform != "linux" or any(os.environ.get(name) for name in DISPLAYS)
    if not (has_display and webbrowser.open(address)):
        note(f"no browser can be opened here; open {shown} in one.")
