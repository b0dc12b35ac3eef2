"""Delays that are counted as they are read: the numbers of single ones, in memory that does not grow with theirs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from gpiorig.analysis.statistics import tally
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import Block, Waveform
from gpiorig.rig.measure import edge_specs
from gpiorig.rig.measure.edge_specs import Spec
from gpiorig.rig.measure.measured import Measured, measure

BLOCKS, ROWS = 100, 1 << 15
SPECS = [
    edge_specs.period("A"),
    edge_specs.width("A:low"),
    edge_specs.between("A:rise", "B:edge"),
]


def blocks() -> Iterator[Block]:
    """Two channels that change at random, 3 M edges, with lost samples in every tenth block."""
    draw = np.random.default_rng(1)
    start = 0
    for number in range(BLOCKS):
        samples = start + np.cumsum(draw.integers(1, 20, ROWS))
        end = int(samples[-1]) + 1
        gaps = np.array([[end, end + 7]]) if number % 10 == 0 else no_gaps()
        start = end + 7 * len(gaps)
        yield Block(samples, np.cumsum(draw.integers(1, 4, ROWS)).astype(np.uint64) & np.uint64(3), start, gaps)


def measured(spec: Spec, *, counted: bool) -> tuple[Measured, float]:
    """What is measured, and the peak of memory in MiB."""
    waveform = Waveform(samplerate_hz=Fraction(24_000_000), channels=("A", "B"), read=blocks)
    tracemalloc.start()
    result = measure(waveform, None, spec, counted=counted, longest_s=Fraction(1, 1_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, peak / (1 << 20)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.way)
def test_counted_delays_have_the_numbers_of_single_ones(monkeypatch: pytest.MonkeyPatch, spec: Spec) -> None:
    monkeypatch.setattr(tally, "TOGETHER", ROWS)
    (single, _), (counted, mib) = (measured(spec, counted=counted) for counted in (False, True))

    assert single.count > 400_000
    pairs = single.measurements[""].pairs
    assert pairs.too_long + pairs.across_gaps > 10
    assert single.numbers() == counted.numbers()
    assert mib < 6 < single.count * 16 / (1 << 20)  # starts and delays would be more than that
