"""A capture that runs, followed in a thread: its newest update, and the packets since a request."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.report.packet_columns import columns_of
from gpiorig.capture.errors import Error
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.live import view
from gpiorig.rig.live.watch import Update, Watch

INTERVAL_S = 2.0
WINDOW_S, SETTLE_S = Fraction(30), Fraction(2)
KEPT = 10_000  # packets that a page which is opened later still gets


class LiveFeed:
    """The results of a capture so far, as `gpiorig view --follow` computes them.

    Parameters
    ----------
    recording
        The recording; its capture runs.

    Attributes
    ----------
    ended
        Whether the capture has ended.
    """

    def __init__(self, recording: Recording) -> None:
        self._watch = Watch(recording, window_s=WINDOW_S, settle_s=SETTLE_S, routes_to=self._take)
        self._changed = threading.Lock()
        self._update: Update | None = None
        self._failure = ""
        self._parts: deque[tuple[int, Route]] = deque()  # packets before each part, and the part
        self._packets = 0
        self.ended = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()

    def answer(self, after: int) -> dict[str, Any]:
        """The table of the newest update, and the packets after the first `after` ones as columns for the page."""
        with self._changed:
            update, failure, packets = self._update, self._failure, self._packets
            new = [_from(route, after - before) for before, route in self._parts if before + len(route) > after]
        shown: dict[str, Any] = {
            "head": failure or "The capture is being read.", "sentence": "", "failed": [], "tables": [], "remarks": [],
        }  # fmt: skip
        if update is not None:
            shown = {
                "head": failure or view.head(update),
                "sentence": update.sentence,
                "failed": view.failed(update),
                "tables": view.tables(update),
                "remarks": view.remarks(update),
            }
        columns = columns_of(_joined(new)) if new else None
        drawn = None if columns is None else {"header": columns.header, "letters": columns.letters}
        return {**shown, "last": self.ended.is_set(), "after": packets, "columns": drawn}

    def _follow(self) -> None:
        try:
            for update in self._watch.updates(INTERVAL_S):
                with self._changed:
                    self._update = update
        except (Error, OSError) as error:
            with self._changed:
                self._failure = str(error)
        self.ended.set()

    def _take(self, route: Route) -> None:
        """Take packets that were counted; with other steps than those before, they replace them."""
        with self._changed:
            if self._parts and self._parts[-1][1].steps.steps != route.steps.steps:
                self._parts.clear()
            self._parts.append((self._packets, route))
            self._packets += len(route)
            while len(self._parts) > 1 and self._packets - self._parts[1][0] >= KEPT:
                self._parts.popleft()


def _from(route: Route, place: int) -> Route:
    return route if place <= 0 else route.select(np.arange(place, len(route)))


def _joined(routes: list[Route]) -> Route:
    """Parts of a route, one after the other."""
    samples, rows = (np.concatenate([getattr(route.steps, name) for route in routes]) for name in ("samples", "rows"))
    return replace(
        routes[0],
        steps=replace(routes[0].steps, samples=samples, rows=rows),
        ids=np.concatenate([route.ids for route in routes]),
        starts=np.concatenate([route.starts for route in routes]),
        places=None,
    )
