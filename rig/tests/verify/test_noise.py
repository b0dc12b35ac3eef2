"""Noise that an analyzer makes: edges at one place of each block of samples, made up here."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench import benches
from gpiorig.rig.verify import judgement, noise

RATE_HZ = 24_000_000
SAMPLES = 4_800_000
RANDOM = np.random.default_rng(7)


def edges_at(samples: np.ndarray) -> Edges:
    """Edges of one analyzer with two channels, of which the second one changes at these samples."""
    samples = np.unique(np.append(0, samples)).astype(np.int64)
    return Edges(
        samplerate_hz=Fraction(RATE_HZ),
        channels=("a.strobe", "a.tap.irq"),
        samples=samples,
        levels=(np.arange(len(samples)) % 2 * 2).astype(np.uint64),
        gaps=np.empty((0, 2), dtype=np.int64),
        start=0,
        end=SAMPLES,
    )


def noisy(block: int, *, at: int, width: int = 8) -> np.ndarray:
    """Random samples of the noisy places of each block, as of a board whose levels are random there."""
    blocks = np.arange(SAMPLES // block) * block + at
    places = blocks[:, np.newaxis] + np.arange(width)
    return np.asarray(places[RANDOM.random(places.shape) < 0.5])


def signal(period_s: float, *, ppm: float = 0.0) -> np.ndarray:
    """A square wave of a clock that is not the analyzer's."""
    period = period_s * RATE_HZ * (1 + ppm * 1e-6)
    return np.round(np.arange(1, SAMPLES / period) * period).astype(np.int64)


@pytest.mark.parametrize(("block", "at"), [(2048, 0), (2048, 1000), (512, 0), (512, 300)])
def test_noise_has_its_block_and_its_place(block: int, at: int) -> None:
    """Also beneath a signal that is as dense."""
    place = noise.place(edges_at(np.concatenate([noisy(block, at=at), signal(10e-6, ppm=13)])))

    assert place is not None
    assert block == place[0]
    assert abs(place[1] - at) <= noise.CELL
    assert place[2] > 0.8


@pytest.mark.parametrize(
    "samples",
    [
        np.empty(0),
        signal(1e-3),
        signal(1 / 115_200),
        signal(2048 / RATE_HZ, ppm=200),  # a clock of a block's length, on a board of its own
        RANDOM.integers(0, SAMPLES, 50_000),
        np.arange(0, SAMPLES, 9),  # a line that changes all the time
    ],
)
def test_signals_are_not_noise(samples: np.ndarray) -> None:
    """Whatever their rate: they wander through the block, or are everywhere in it."""
    assert None is noise.place(edges_at(samples))


BENCH = """
name = "x"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.a]
board = "iotlab-m3"
serial = "/dev/ttyA"
bus_width = 1
lines = { strobe = "D0", d0 = "D1", "tap.irq" = "D2" }
"""


def test_a_noisy_analyzer_is_named_in_place_of_leads() -> None:
    """A tap that changes while its board rests is WRONG, and so is the analyzer, which is to be looked at first."""
    edges = edges_at(noisy(2048, at=8))
    edges = dataclasses.replace(edges, channels=("a.strobe", "a.tap.irq", "a.d0"))
    (analyzer,) = noise.findings("la", edges)
    judged = judgement.judge(benches.loads(BENCH), edges, {"a": (1000, 50_000)}, set(), noisy={"la"})
    tap = next(finding for finding in judged.findings if finding.about == "nodes.a.lines.tap.irq")

    assert ("analyzers.la", "wrong") == (analyzer.about, analyzer.verdict)
    assert "its blocks of 2048 samples have edges at sample 8 to 16" in analyzer.what
    assert "wrong" == tap.verdict
    assert "times each second while the boards rest" in tap.what
    assert tap.what.endswith("first look at analyzers.la: it is noisy")


def test_a_tap_that_rests_is_not_judged() -> None:
    """Some edges of a stranger's frames are not a fault; those while a board is asked do not count."""
    frames = signal(1e-3)
    assert 900 < noise.rest_edges_s(frames, [(0, SAMPLES // 4)], end=SAMPLES, rate_hz=RATE_HZ) < 1100
    assert 0.0 == noise.rest_edges_s(frames, [(0, SAMPLES)], end=SAMPLES, rate_hz=RATE_HZ)
    assert 0.0 == noise.rest_edges_s(frames, [], end=SAMPLES, rate_hz=RATE_HZ)
