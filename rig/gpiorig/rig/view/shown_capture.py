"""What `gpiorig view` shows of a capture that is a file: its edges, and annotations of decoders."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.analysis.report import served_page
from gpiorig.analysis.report.served_blocks import EdgesPanel, Served
from gpiorig.rig.view.answers import no_capture, no_packets
from gpiorig.rig.view.edges import EdgeWindows, Source


class ShownCapture:
    """One file, with the answers of a `ShownRun` that has no bench.

    Parameters
    ----------
    path
        The file.
    name
        What the pages call it.
    source
        Its edges.
    stacks
        Decoders to run on it.

    Attributes
    ----------
    working
        Held while an answer about it is computed.
    is_captured
        Whether its capture runs: never.
    """

    is_captured = False

    def __init__(self, path: Path, name: str, source: Source, stacks: Sequence[Stack]) -> None:
        self.name, self.folder = name, str(path.resolve())
        self.working = threading.Lock()
        self._virtual = bool(source.reading(0).virtual)
        self._edges = EdgeWindows(source, stacks)

    @property
    def panel(self) -> EdgesPanel:
        """Its edges on a page."""
        return replace(self._edges.panel, text=self._edges.text)

    @property
    def analysis(self) -> NoReturn:
        """There is none: `NoAnswerError`."""
        raise no_packets(self.name)

    @property
    def reported(self) -> NoReturn:
        """There is none: `NoAnswerError`."""
        raise no_packets(self.name)

    def write_page(self, path: Path, served: Served) -> None:
        """Write its page: its edges alone."""
        served_page.write_edges(path, self.panel, title=self.name, virtual=self._virtual, served=served)

    def packet(self, identity: int, at: int | None) -> NoReturn:
        """There is none: `NoAnswerError`."""
        raise no_packets(self.name)

    def edges(self, from_ns: float, to_ns: float, *, bins: int) -> dict[str, Any]:
        """A window of its edges; see `EdgeWindows.window`."""
        return self._edges.window(from_ns, to_ns, bins=bins)

    def live(self, after: int) -> dict[str, Any]:
        """No capture runs: `NoAnswerError`."""
        raise no_capture(self.name)
