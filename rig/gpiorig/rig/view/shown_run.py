"""One recording that is shown: its page, and the answers that are computed from its analysis and its edges."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.figures.packet_window import PacketWindows
from gpiorig.analysis.report import served_page
from gpiorig.analysis.report.served_blocks import EdgesPanel, Served
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.progress import stage
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results.manifest import Options
from gpiorig.rig.results.report import Reported
from gpiorig.rig.view.answers import NoAnswerError, no_capture, no_packets
from gpiorig.rig.view.edges import EdgeWindows, of_recording
from gpiorig.rig.view.live_feed import LiveFeed


class ShownRun:
    """One recording.

    Parameters
    ----------
    recording
        The recording.
    name
        What the pages call it.
    given, asked
        What was stated about the recording, and asked for in addition to its experiment.
    stacks
        Decoders to run on its edges.

    Attributes
    ----------
    working
        Held while an answer about it is computed.
    """

    def __init__(
        self, recording: Recording, name: str, *, given: Given, asked: Options, stacks: Sequence[Stack] = ()
    ) -> None:
        self.recording, self.name = recording, name
        self._stacks = stacks
        self._given, self._asked = given, asked
        self.working = threading.Lock()
        self.feed = LiveFeed(recording) if recording.state == "capturing" else None

    @property
    def is_captured(self) -> bool:
        """Whether its capture runs."""
        return self.feed is not None and not self.feed.ended.is_set()

    @property
    def folder(self) -> str:
        """Where its recording is, for commands that its pages name."""
        return str(self.recording.folder.resolve())

    @property
    def panel(self) -> EdgesPanel:
        """Its edges on a page; raises as `analysis`."""
        return self._edges.panel

    @cached_property
    def reported(self) -> Reported:
        """Its report; analysed when it is first asked for."""
        recording = self._given.open(self.recording.folder)
        return reporting.of(recording, asserted=self._asked.asserted, asked=self._asked.quantities)

    @property
    def analysis(self) -> Analysis:
        """Its analysis.

        Raises
        ------
        NoAnswerError
            Its capture runs, or it has no bench.
        """
        self._check_ended()
        if not self.recording.info.bench:
            raise no_packets(self.name)
        return self.reported.data.analysis

    @cached_property
    def _windows(self) -> PacketWindows:
        return PacketWindows(self.analysis)

    @cached_property
    def _edges(self) -> EdgeWindows:
        self._check_ended()
        return EdgeWindows(of_recording(Recording.open(self.recording.folder)), self._stacks)

    def _check_ended(self) -> None:
        if self.is_captured:
            raise NoAnswerError(HTTPStatus.CONFLICT, f"{self.name}: its capture runs; ask again after its end.")

    def write_page(self, path: Path, served: Served) -> None:
        """Write its page: that of its capture while it runs, that of its report, without a bench its edges alone."""
        info = self.recording.info
        if self.is_captured:
            served_page.write_live(path, title=self.name, virtual=bool(info.virtual), served=served)
        elif not info.bench:
            panel = replace(self.panel, text=self._edges.text)
            served_page.write_edges(path, panel, title=self.name, virtual=bool(info.virtual), served=served)
        else:
            data = self.reported.data
            with stage("page"):
                served_page.write_run(path, data, self.panel, served=served)

    def packet(self, identity: int, at: int | None) -> dict[str, Any]:
        """A packet for the viewer: its steps, and all spans and instants of every node around it.

        Raises
        ------
        NoAnswerError
            The recording does not have it.
        """
        view = self._windows.view(identity, at=at)
        if view is None:
            when = "" if at is None else f" that was sent at sample {at}"
            raise NoAnswerError(HTTPStatus.NOT_FOUND, f"{self.name} has no packet {identity}{when}.")
        return view.as_dict()

    def edges(self, from_ns: float, to_ns: float, *, bins: int) -> dict[str, Any]:
        """A window of its edges; see `EdgeWindows.window`."""
        return self._edges.window(from_ns, to_ns, bins=bins)

    def live(self, after: int) -> dict[str, Any]:
        """The newest results of its capture; see `LiveFeed.answer`.

        Raises
        ------
        NoAnswerError
            It was complete when it was opened.
        """
        if self.feed is None:
            raise no_capture(self.name)
        return self.feed.answer(after)
