"""Every packet's steps as columns of integers, in as few letters as a page needs: what its script draws them from."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.numbers import short_name
from gpiorig.analysis.figures.palette import KIND_CLASSES
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route

MAX_PACKETS = 100_000
MAX_LETTERS = 4_500_000  # the page of 100 000 packets has at most 6 MB, of which figures and tables take 1 MB


@dataclass(frozen=True, slots=True)
class PacketColumns:
    """The packets of a route for the script of a page.

    Parameters
    ----------
    packets, all_packets
        How many it has, and how many the route has.
    header
        The steps, and the least value and the bytes per value of each column: id, time since the packet before, steps.
    letters
        Base64 of the zlib stream of the columns: of each the lowest bytes of all values, then the next higher ones.
    """

    packets: int
    all_packets: int
    header: dict[str, Any]
    letters: str


def columns_of(route: Route) -> PacketColumns:
    """All packets of a route; of more than fit on a page those at equal distances in the order of their delays."""
    packets = min(len(route), MAX_PACKETS)
    while True:
        chosen = _chosen(route, packets)
        values = [chosen.ids.astype(np.int64), np.diff(chosen.starts, prepend=0), *chosen.steps.columns()]
        leasts = [int(column.min()) for column in values]
        widths = [_width(column - least) for column, least in zip(values, leasts, strict=True)]
        parts = [_planes(column - least, width) for column, least, width in zip(values, leasts, widths, strict=True)]
        letters = base64.b64encode(zlib.compress(b"".join(parts), 9)).decode("ascii")
        if len(letters) <= MAX_LETTERS:
            break
        packets = packets * 2 // 3
    header = {
        "packets": packets,
        "all": len(route),
        "period": float(NS_PER_S / route.steps.samplerate_hz),
        "round_trips": route.name == ROUND_TRIP,
        "steps": [[short_name(step), step.node, KIND_CLASSES[step.kind]] for step in route.steps.steps],
        "columns": list(zip(leasts, widths, strict=True)),
    }
    return PacketColumns(packets, len(route), header, letters)


def _chosen(route: Route, packets: int) -> Route:
    """As many of the packets, the fastest and the slowest among them, in the order of sending."""
    if packets == len(route):
        return route
    places = np.round(np.linspace(0, len(route) - 1, packets)).astype(np.int64)
    return route.select(np.sort(np.argsort(route.totals, kind="stable")[places]))


def _width(values: NDArray[np.int64]) -> int:
    """Bytes that hold the largest value; 0 where all are 0."""
    return (int(values.max()).bit_length() + 7) // 8


def _planes(values: NDArray[np.int64], width: int) -> bytes:
    """The lowest bytes of all values, then the next higher ones."""
    return values.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :width].T.tobytes()
