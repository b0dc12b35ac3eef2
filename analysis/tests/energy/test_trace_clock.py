"""The clock of a power trace: pins that cannot be matched are refused, and so is an alignment of too few instants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from energycases import ANALYZER_HZ, IDEAL, clock_of, record

from gpiorig.analysis.energy import load_pattern, trace_clock
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError


def test_regular_pulses_are_refused() -> None:
    """Pulses at one interval match in many ways; the error names what to do."""
    recorded = record(np.random.default_rng(1), rate_hz=10_000, packets=30, step_s=0.005)
    regular = {}
    for name, edges in {"pin": recorded.trace_pins, "node.line": recorded.analyzer}.items():
        toggles = np.arange(1, 200) * int(edges.samplerate_hz) // 50
        levels = (np.arange(200) % 2).astype(np.uint64)
        regular[name] = replace(edges, samples=np.append(0, toggles), levels=levels, end=int(toggles[-1]) + 1)

    with pytest.raises(CaptureError, match=r"intervals that repeat.*load=CHANNEL"):
        trace_clock.by_pins(regular["pin"], "pin", regular["node.line"], "node.line", instrument=IDEAL)


def test_other_pulses_are_refused() -> None:
    """The pulses of another run have no instants in common with it."""
    pins, analyzer = (record(np.random.default_rng(seed), rate_hz=10_000, packets=30, step_s=0.005) for seed in (2, 3))

    with pytest.raises(CaptureError, match="cannot be matched"):
        trace_clock.by_pins(pins.trace_pins, "pin", analyzer.analyzer, "node.line", instrument=IDEAL)


def test_an_edge_is_placed_as_well_as_stated() -> None:
    """The middle of each trace is where it truly is, within ± of 95 % of the traces; a lag widens ±."""
    errors = []
    for seed in range(20):
        rng = np.random.default_rng([4, seed])
        ppm, offset_s = rng.uniform(-100, 100), rng.uniform(0.1, 0.4)
        recorded = record(rng, rate_hz=10_000, packets=40, step_s=0.005, ppm=ppm, offset_s=offset_s)
        rate = 10_000 * (1 + ppm * 1e-6)
        edge = np.array([int(recorded.analyzer.samples[41])])
        position, deviation = recorded.clock().positions(edge)
        true = (edge[0] - 0.5) / float(recorded.analyzer.samplerate_hz) * rate + np.ceil(offset_s * rate)
        errors.append((position[0] - true) / deviation[0])
        lagging = replace(recorded, trace=replace(recorded.trace, instrument=replace(IDEAL, lag_samples=3.0)))
        assert np.isclose(np.hypot(deviation[0], np.sqrt(3)), lagging.clock().positions(edge)[1][0])

    assert 17 <= (np.abs(errors) <= 2).sum()  # 16 or fewer of 20 have a probability of 1.6 % at 95 %


def test_a_pin_that_is_not_there_is_named() -> None:
    recorded = record(np.random.default_rng(1), rate_hz=1000, packets=12, step_s=0.02)
    assert isinstance(recorded.trace_pins, Edges)

    with pytest.raises(CaptureError, match="available channels: pin"):
        trace_clock.by_pins(recorded.trace_pins, "DI7", recorded.analyzer, "node.line", instrument=IDEAL)


@pytest.mark.parametrize(("rate_hz", "step_s"), [(1000, 0.02), (100_000, 0.002)])
def test_a_load_places_the_trace(rate_hz: int, step_s: float) -> None:
    """By the load alone, all edges are where they truly are within ±, with noise and over clocks that differ."""
    for seed in range(3):
        rng = np.random.default_rng([5, rate_hz, seed])
        ppm, offset_s = rng.uniform(-100, 100), rng.uniform(0.2, 10) * step_s
        recorded = record(rng, rate_hz=rate_hz, packets=100, step_s=step_s, ppm=ppm, offset_s=offset_s, noise_w=0.02)
        clock = trace_clock.by_load(recorded.trace, recorded.analyzer, "node.line")

        edges = recorded.analyzer.samples[1:]
        positions, deviations = clock.positions(edges)
        rate = rate_hz * (1 + ppm * 1e-6)
        true = (edges - 0.5) / float(recorded.analyzer.samplerate_hz) * rate + np.ceil(offset_s * rate)
        assert (np.abs(positions - true) <= 3 * deviations).all()
        assert deviations.max() < 0.5


def test_a_load_of_few_pulses_is_refused() -> None:
    """What the error asks for is enough: 31 pulses are refused, 32 are aligned."""
    recorded = [record(np.random.default_rng(2), rate_hz=1000, packets=count, step_s=0.02) for count in (31, 32)]

    with pytest.raises(CaptureError, match="the channel has 31 pulses; 32 are needed"):
        trace_clock.by_load(recorded[0].trace, recorded[0].analyzer, "node.line")
    assert 8 == trace_clock.by_load(recorded[1].trace, recorded[1].analyzer, "node.line").instants


def test_a_load_of_another_run_is_refused() -> None:
    """The power of one run does not follow the channel of another one."""
    powered, analyzer = (record(np.random.default_rng(seed), rate_hz=1000, packets=60, step_s=0.02) for seed in (2, 3))

    with pytest.raises(CaptureError, match=r"load on channel node\.line: the power does not follow the channel in one"):
        trace_clock.by_load(powered.trace, analyzer.analyzer, "node.line")


def toggled(edges: Edges, toggles: list[int]) -> Edges:
    """The same with further changes of the only channel."""
    samples = np.sort(np.append(edges.samples, toggles)).astype(np.int64)
    return replace(edges, samples=samples, levels=(np.arange(len(samples)) % 2).astype(np.uint64))


@pytest.mark.parametrize(("periods", "seen"), [(1.9, 0), (2.0, 2)])
def test_levels_of_two_samples_count(periods: float, seen: int) -> None:
    """Pulses of less than two samples of the trace, and gaps in a pulse, are left out on both sides."""
    recorded = record(np.random.default_rng(1), rate_hz=10_000, packets=30, step_s=0.005, ppm=0.0)
    quiet, busy = (int(recorded.analyzer.samples[place]) for place in (10, 11))  # falls, rises
    length = round(periods * 2400)
    analyzer = toggled(recorded.analyzer, [quiet + 24_000, quiet + 24_000 + length, busy + 9600, busy + 9600 + 4000])
    quiet_pin = int(recorded.trace_pins.samples[10]) + 10
    trace = toggled(recorded.trace_pins, [quiet_pin, quiet_pin + 2] if seen else [])
    clock = trace_clock.by_pins(trace, "pin", analyzer, "node.line", instrument=IDEAL)
    assert 60 + seen == recorded.clock().instants + seen == clock.instants
    assert f"aligned by {60 + seen} instants, ±" in clock.sentence


def test_an_alignment_of_six_instants_is_refused() -> None:
    recorded = record(np.random.default_rng(3), rate_hz=10_000, packets=6, step_s=0.005)
    with pytest.raises(CaptureError, match=r"6 instants of the power trace are known .*; too few; .* needs 8"):
        recorded.clock()


def test_a_clock_whose_line_is_known() -> None:
    """Sample s of the analyzer is at (s - 0.5) / 24 MHz; ± is that of the middle, where a line is known best."""
    clock = clock_of(rate_hz=1_000_000, first=1234, end_s=2.0, ppm=40.0)
    samples = np.arange(0, 48_000_001, 4_000_000)
    positions, deviations = clock.positions(samples)
    assert np.allclose((samples - 0.5) / float(ANALYZER_HZ) * 1_000_040 + 1234, positions, rtol=0, atol=2e-3)
    assert f"trace: aligned by 64 instants, ±{2 * deviations.min():.3g} µs, +40 ppm" == clock.sentence
    assert np.isclose(1 / 1.00004, clock.scale, rtol=1e-9)


@pytest.mark.parametrize("packets", [100, 400])
def test_each_group_of_pulses_is_placed_within_half_a_sample(packets: int) -> None:
    """Of a load without noise, over more than the 10 s by which the line is found first."""
    ppm, offset_s, rate_hz = 80.0, 0.1503, 1000
    rng = np.random.default_rng([5, packets])
    recorded = record(rng, rate_hz=rate_hz, packets=packets, step_s=0.02, ppm=ppm, offset_s=offset_s)
    toggles_s = (recorded.analyzer.samples[1:] - 0.5) / float(ANALYZER_HZ)
    in_trace_s, in_analyzer_s = load_pattern.instants(recorded.trace, toggles_s)
    rate = rate_hz * (1 + ppm * 1e-6)
    errors = in_trace_s * rate_hz - (in_analyzer_s * rate + np.ceil(offset_s * rate))
    assert packets // 4 == len(errors)
    assert np.abs(errors).max() < 0.5


def test_the_correlation_is_pearson_s() -> None:
    """At each place, also where the power does not change; a channel is high for its pulses up to an instant."""
    rng = np.random.default_rng(1)
    power, pattern = rng.normal(50.0, 1.0, 40), rng.uniform(0, 1, 7)
    expected = [np.corrcoef(power[at : at + 7], pattern)[0, 1] for at in range(34)]
    assert np.allclose(expected, load_pattern._correlation(power, pattern))
    pulses_s, until_s = np.array([[1.0, 2.0], [4.0, 4.5]]), np.array([0.0, 1.0, 1.25, 2.0, 3.0, 4.25, 9.0])
    assert np.allclose([0, 0, 0.25, 1, 1, 1.25, 1.5], load_pattern._high(pulses_s, until_s))


def test_levels_that_are_too_short_are_left_out() -> None:
    """First the gaps, which joins pulses; then pulses of less than two samples."""
    toggles = [10, 12, 14, 20, 21, 30, 40, 41]
    edges = record(np.random.default_rng(1), rate_hz=1000, packets=12, step_s=0.02).trace_pins
    levels = (np.arange(len(toggles) + 1) % 2).astype(np.uint64)
    short = replace(edges, samples=np.array([0, *toggles]), levels=levels, end=50)
    frames = trace_clock._lasting(short, "pin", 2e6)
    assert ([10, 14], [2e6, 16e6]) == (frames.samples.tolist(), frames.lengths_ns.tolist())
