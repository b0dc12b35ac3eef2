"""Two recordings that are served, and what they are."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import growing
import pytest
from matplotlib.figure import Figure

from gpiorig.analysis.report.blocks import Picture
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.view.server import address, server
from gpiorig.rig.view.shown_run import ShownRun
from gpiorig.rig.view.site import Site


@contextmanager
def serving(folders: Sequence[Path], pages: Path) -> Iterator[tuple[str, list[ShownRun]]]:
    """Serve recordings as `gpiorig view` does, with blank figures: the address without its last `/`, and the runs."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.object(Picture, "figure", Figure(figsize=(1, 1))))
        runs = [ShownRun(Recording.open(folder), folder.name) for folder in folders]
        pages.mkdir()
        site = Site(runs, pages)
        site.prepare()
        listening = stack.enter_context(server(site.answer, port=0))
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(listening.shutdown)
        yield address(listening).rstrip("/"), runs


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
