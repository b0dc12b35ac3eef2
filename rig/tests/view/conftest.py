"""Two recordings that are served."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import growing
import pytest
from servedruns import serving

from gpiorig.rig.view.shown_run import ShownRun


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording with losses on the air, not to be written to."""
    return growing.recorded(tmp_path_factory)


@pytest.fixture(scope="module")
def served(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[ShownRun]]]:
    """Two runs, the second a copy of the first."""
    folder = tmp_path_factory.mktemp("view")
    shutil.copytree(recorded, folder / "copy")
    with serving([recorded, folder / "copy"], folder / "pages") as (at, runs):
        yield at, runs
