"""Recordings that are served in this process, for tests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from unittest.mock import patch

from matplotlib.figure import Figure

from gpiorig.analysis.report.blocks import Picture
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results.manifest import Options
from gpiorig.rig.view.server import address, server
from gpiorig.rig.view.shown_run import ShownRun
from gpiorig.rig.view.site import Site


def blank_figures() -> AbstractContextManager[object]:
    """Figures are drawn without content while it is open: most of the time of a page."""
    return patch.object(Picture, "drawn", lambda _: Figure(figsize=(1, 1)))


@contextmanager
def serving(folders: Sequence[Path], pages: Path, given: Given | None = None) -> Iterator[tuple[str, list[ShownRun]]]:
    """Serve recordings as `gpiorig view` does, with blank figures: the address without its last `/`, and the runs."""
    given = given or Given()
    with contextlib.ExitStack() as stack:
        stack.enter_context(blank_figures())
        runs = [ShownRun(given.open(folder), folder.name, given=given, asked=Options()) for folder in folders]
        pages.mkdir()
        site = Site(runs, pages)
        site.prepare()
        listening = stack.enter_context(server(site.answer, port=0))
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        stack.callback(thread.join)
        stack.callback(listening.shutdown)
        yield address(listening).rstrip("/"), runs
