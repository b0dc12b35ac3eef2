"""Packets as boxes on lanes: which of a route, in words, and as the page's viewer has them."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from gpiorig.analysis.figures import packet_boxes
from gpiorig.analysis.figures.packet_boxes import INNER, OUTER, STEP, Box, PacketView
from gpiorig.analysis.number_text import GAP
from gpiorig.analysis.packets.path import Kind, Milestone, Source
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps

MS = 1000  # samples


def route(totals, *, name="a > b"):
    ends = (Milestone(f"x.{end}", "app.tx.enter", 0, False, Source.ID) for end in "ab")
    steps = (Step("a to b", "app to mac", *ends, Kind.SOFTWARE, ("a",)),)
    samples = np.array(totals, dtype=np.int64)[:, None]
    count = len(samples)
    table = Steps(steps, np.arange(count), samples, Fraction(1_000_000))
    return Route(name, table, np.arange(count) + 7, np.arange(count) * 10 * MS, 0, 0)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, {}),
        (1, {"only packet": 0}),
        (2, {"median": 0, "slowest": 1}),
        (4, {"median": 1, "slowest": 3}),
        (100, {"median": 49, "99th percentile": 98, "slowest": 99}),
    ],
)
def test_packets_to_show(count, expected):
    """By nearest rank, as far as they are not the slowest."""
    totals = np.arange(count)
    found = packet_boxes.chosen(route(totals[::-1]))
    assert expected == {name: int(totals[::-1][row]) for name, row in found.items()}


def test_a_packet_in_words_and_numbers():
    """Its duration, and when it was sent; a packet of another route has its steps, though there are round trips."""
    (view,) = packet_boxes.for_route(route([1234]), SimpleNamespace())
    assert "Only packet: packet 7, 1.234 ms, sent 0 into the recording." == view.text.replace(GAP, " ")
    later = packet_boxes.of_row(route([1, 2345]), None, 1)
    assert "Packet 8: 2.345 ms, sent 10.0000 ms into the recording." == later.text.replace(GAP, " ")
    assert [Box(0, 0, 2345, "a to b app to mac", "kind-software")] == list(later.boxes)
    alone = packet_boxes.of_row(route([1], name="round trip"), None, 0)
    assert 1 == alone.total


def test_a_packet_for_the_viewer():
    """Times in ns, to a hundredth: beginning and length of each box, its level where it is a span."""
    ends = ((0, 3, 10, "x", "y"), (1, 6, 7, "z", "w", OUTER), (1, 1, 1, "v", "w", INNER), (1, 0, 1, "u", "w", STEP))
    view = PacketView("t", "text", (("", "l"),), tuple(Box(*end) for end in ends), 5, 30, 1000 / 24, (-2, 31))
    rows = [[0, 125.0, 291.67, "x", "y"], [1, 250.0, 41.67, "z", "w", OUTER], [1, 41.67, 0.0, "v", "w", INNER]]
    expected = {"boxes": [*rows, [1, 0.0, 41.67, "u", "w"]]}
    expected |= {"title": "t", "text": "text", "lanes": [["", "l"]], "start": 5, "total": 1250.0, "period": 1000 / 24}
    assert expected | {"window": [-83.33, 1291.67]} == view.as_dict()
    assert math.isclose(1000 / 24, view.period_ns)
