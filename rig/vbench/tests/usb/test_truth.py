"""The check of recordings against the truth of a modelled bus fails on everything that is not so."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise

import numpy as np
import usbtruth
from usbtruth import Comparison, Gap, Start

from gpiorig.capture.edges.edges import Edges, no_gaps

START = Start(run=1, rate_uhz=24_000_888_000_000, start_ns=123_456, noise=(0, 2048), samples=2_400_000, lost=(), end="")
NOISY = dataclasses.replace(START, noise=(8, 2048))
SIGNAL = usbtruth.counter(50_000)
CHANNELS = tuple(f"D{number}" for number in range(8))


def recorded(start: Start, *losses: tuple[int, int], begin: int = 0) -> Edges:
    """A recording of a start from sample `begin` on, with these samples missing: (first, count), each a gap."""
    n = np.arange(begin, start.samples)
    levels = (start.start_ns + n * (usbtruth.UHZ_NS // 10**6) // (start.rate_uhz // 10**6)) // 50_000 & 0xFF
    if start.noise[0]:
        noisy = n % start.noise[1] < start.noise[0]
        levels = np.where(noisy, levels ^ (usbtruth._random(n).astype(np.int64) & 0xFF), levels)
    changed = np.append(True, levels[1:] != levels[:-1])
    gaps = np.array(losses, dtype=np.int64).reshape(-1, 2).cumsum(axis=1)
    for first, end in gaps.tolist():
        changed[first - begin : end - begin] = False
        changed[end - begin] = True
    samples = (n[changed] - begin).astype(np.int64)
    return Edges(
        samples=samples,
        levels=levels[changed].astype(np.uint64),
        samplerate_hz=Fraction(24_000_000),
        channels=CHANNELS,
        start=0,
        end=start.samples - begin,
        gaps=gaps - begin if losses else no_gaps(),
    )


def changed(edges: Edges, **fields: object) -> Edges:
    """A recording with other content."""
    return Edges(**({field.name: getattr(edges, field.name) for field in dataclasses.fields(edges)} | fields))  # type: ignore[arg-type]


def compare(edges: Edges, *starts: Start) -> Comparison:
    return usbtruth.compare(edges, list(starts), SIGNAL)


def test_what_is_so_is_found_to_be_so() -> None:
    """Every edge, with noise too, the gap at its place and as wide as what was lost."""
    assert (0, 2000) == (compare(recorded(START), START).wrong, compare(recorded(START), START).edges)
    assert 0 == compare(recorded(NOISY), NOISY).wrong
    assert compare(recorded(NOISY), NOISY).edges > 8000

    lost = dataclasses.replace(START, lost=((1_000_000, 240_128),))
    (gap,) = compare(recorded(START, (1_000_000, 240_128)), lost).gaps
    assert (Gap(1_000_000, 1_240_128, 240_128, 0, 0), 0) == (gap, gap.too_wide)


def test_what_is_not_so_is_found() -> None:
    """An edge a sample late, one that is missing, one too many, a level that is another, a loss without a gap."""
    edges = recorded(START)
    late = edges.samples.copy()
    late[700] += 1
    other = edges.levels.copy()
    other[700] ^= np.uint64(4)
    assert 2 == compare(changed(edges, samples=late), START).wrong
    assert 2 == compare(changed(edges, levels=other), START).wrong
    assert 1 == compare(changed(edges, samples=np.delete(late, 700), levels=np.delete(other, 700)), START).wrong
    cut = np.delete(edges.samples, np.s_[500:600])
    cut[500:] -= int(edges.samples[600] - edges.samples[500])
    shorter = int(cut[-1]) + 1
    assert compare(
        changed(edges, samples=cut, levels=np.delete(edges.levels, np.s_[500:600]), end=shorter), START
    ).wrong


def test_samples_that_were_never_sent_are_counted() -> None:
    """A loss after the last edge of a recording, and a recording that is longer than its start."""
    lost = dataclasses.replace(START, lost=((START.samples - 700, 500),))
    assert (0, 0) == (compare(recorded(START), START).wrong, compare(recorded(START), START).never_sent)
    assert 500 == compare(recorded(START), lost).never_sent
    assert 300 == compare(changed(recorded(START), end=START.samples + 300), START).never_sent


def test_a_gap_that_is_elsewhere_or_of_another_size_is_measured() -> None:
    """Too early, it hides samples; 100 samples too wide, it shifts all after it."""
    lost = dataclasses.replace(START, lost=((1_000_000, 240_000),))
    early = recorded(START, (900_000, 400_000))
    (gap,) = compare(early, lost).gaps
    assert (240_000, 100_000, 60_000, 0) == (gap.lost, gap.hidden_before, gap.hidden_after, gap.too_wide)

    wide = recorded(START, (1_000_000, 240_000))
    moved = np.where(wide.samples >= 1_240_000, wide.samples + 100, wide.samples)
    against = compare(changed(wide, samples=moved, end=wide.end + 100, gaps=np.array([[1_000_000, 1_240_100]])), lost)
    assert (0, [0.0, 100.0]) == (against.wrong, [round(interval.shift, 6) for interval in against.intervals])
    assert [100] == [gap.too_wide for gap in against.gaps]


def test_a_interval_of_another_start_is_known_by_its_levels() -> None:
    """The second start begins 0.1 s and 37 samples of the first one after its end."""
    begin_ns = START.start_ns + round((START.samples + 2_400_037) * usbtruth.UHZ_NS / START.rate_uhz)
    second = dataclasses.replace(START, run=2, start_ns=begin_ns)
    one, two = recorded(START), recorded(second)
    both = changed(
        one,
        samples=np.concatenate([one.samples, two.samples + 4_800_000]),
        levels=np.concatenate([one.levels, two.levels]),
        end=7_200_000,
        gaps=np.array([[2_400_000, 4_800_000]]),
    )
    against = compare(both, START, second)
    assert ([1, 2], 0) == ([interval.run for interval in against.intervals], against.wrong)
    assert [0, -37] == [round(interval.shift) for interval in against.intervals]
    assert [] == against.gaps
    assert all(before.end <= after.begin for before, after in pairwise(against.intervals))
