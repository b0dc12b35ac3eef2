"""Unmodified drivers of libsigrok on the modelled USB bus: every sample against the truth, each fault once."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from usbbus import Bus, Entry, counter, edges_of, expected_edges

HALF_PERIOD_NS = 50_000
SIGNAL = f"half_period_ns={HALF_PERIOD_NS}"


def hold(bus: Bus, samples: np.ndarray, *, run: int = 1) -> Entry:
    """Hold the samples of one start against the truth; returns its end."""
    start, end = (next(entry for entry in bus.truth(kind) if entry["run"] == run) for kind in ("start", "end"))
    losses = [entry for entry in bus.truth("lost") if entry["run"] == run]
    times_ns, levels = counter(start, half_period_ns=HALF_PERIOD_NS, samples=end["sample"])
    places, expected = expected_edges(start, times_ns, levels, samples=samples.size, losses=losses)
    seen, seen_levels = edges_of(samples)
    assert places.tolist() == seen.tolist()
    assert expected.tolist() == seen_levels.tolist()
    return end


def test_fresh_board(tmp_path: Path) -> None:
    """A scan loads the firmware of a board, which leaves the bus and is back at another address; every sample holds."""
    bus = Bus(tmp_path, f"device model=fx2 port=1.3 renumerate_s=0.3 ppm=37 {SIGNAL}")
    before = bus.devices()[0]
    assert ("none", "1") == (before["firmware"], before["present"])
    assert "Saleae Logic with 8 channels" in bus.sigrok("-d", "fx2lafw", "--scan").stdout
    during = bus.devices()[0]
    assert ("loaded", "0", "1.3") == (during["firmware"], during["present"], during["port"])
    time.sleep(0.3)
    after = bus.devices()[0]
    assert "1" == after["present"] and after["address"] != before["address"]
    samples, _ = bus.capture("-d", "fx2lafw", "-c", "samplerate=24m", "--time", "1000")
    assert 24_000_000 == samples.size
    assert "cancelled" == hold(bus, samples).keys["kind"]
