"""The wiring proof in edges that are made up here, as the three ports send it."""

from __future__ import annotations

import numpy as np
import pytest
from wiringproof import FRAME_GAP, REST, shown

from gpiorig.rig.verify import proof


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_right_wiring(width: int) -> None:
    """Each line has its role, and the number of symbols is that of the width."""
    seen = proof.find(shown(width), frame_gap=FRAME_GAP)

    assert seen is not None
    assert width == seen.width
    assert {name: seen.roles(name) for name in shown(width)} == {name: [name] for name in shown(width)}


@pytest.mark.parametrize("other", ["d1", "strobe"])
def test_swapped_lines(other: str) -> None:
    """The channels show each other's role."""
    edges = shown(2)
    edges["d0"], edges[other] = edges[other], edges["d0"]
    seen = proof.find(edges, frame_gap=FRAME_GAP)

    assert seen is not None
    assert ([other], ["d0"]) == (seen.roles("d0"), seen.roles(other))


@pytest.mark.parametrize("dead", ["strobe", "d0", "d1"])
def test_dead_line(dead: str) -> None:
    """A dead line takes no other's role away."""
    edges = shown(2) | {dead: np.empty(0, dtype=np.int64)}
    seen = proof.find(edges, frame_gap=FRAME_GAP)

    assert seen is not None
    assert [[] if name == dead else [name] for name in edges] == [seen.roles(name) for name in edges]


def test_lines_that_touch() -> None:
    """With the high level winning both show both groups; with the low level their edges are the same."""
    edges = shown(2)
    levels = {name: np.searchsorted(edges[name], np.arange(20_000), side="right") % 2 for name in ("d0", "d1")}
    high, low = (
        np.flatnonzero(np.diff(both)) + 1 for both in (levels["d0"] | levels["d1"], levels["d0"] & levels["d1"])
    )
    seen = proof.find(edges | {"d0": high, "d1": high}, frame_gap=FRAME_GAP)

    assert seen is not None
    assert ["d0", "d1"] == seen.roles("d0") == seen.roles("d1")
    assert [("d0", "d1")] == proof.joined({"d0": low, "d1": low, "strobe": edges["strobe"]})


def test_a_line_that_a_frame_left_high() -> None:
    """Its first edge is a fall, and no pulse."""
    edges = shown(2)
    edges["d1"] = np.concatenate([[1000 - REST], edges["d1"]])
    seen = proof.find(edges, frame_gap=FRAME_GAP, high={"d1"})

    assert seen is not None
    assert [["d0"], ["d1"]] == [seen.roles("d0"), seen.roles("d1")]


def test_no_board() -> None:
    """A proof needs a burst."""
    assert proof.find({"strobe": np.empty(0, dtype=np.int64)}, frame_gap=FRAME_GAP) is None


def test_noise() -> None:
    """A line that nothing drives changes while the others rest; a burst is not noise."""
    random = np.sort(np.random.default_rng(1).integers(0, 24_000_000, 200))

    assert {"d1": 200} == proof.noisy(shown(2) | {"d1": random}, samplerate_hz=24e6)
    assert {} == proof.noisy(shown(2), samplerate_hz=24e6)
