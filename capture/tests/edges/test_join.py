from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from depth import by_depth
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.join import join
from gpiorig.capture.edges.resample import rescaled, shifted
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError

RATE = Fraction(1000)


def in_blocks(edges: Edges, cuts: list[int]) -> Waveform:
    """Edges as a waveform cut at these samples; a gap is never cut."""

    def read() -> Iterator[Block]:
        bounds = [
            cut
            for cut in (edges.start - 1, *cuts, edges.end)
            if not any(start < cut < end for start, end in edges.gaps)
        ]
        for start, end in pairwise(bounds):
            rows = slice(*np.searchsorted(edges.samples, [start, end]).tolist())
            inside = (edges.gaps[:, 0] >= start) & (edges.gaps[:, 1] <= end)
            yield Block(edges.samples[rows], edges.levels[rows], end, edges.gaps[inside & (edges.gaps[:, 0] < end)])

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read)


@st.composite
def captures(draw: st.DrawFn, names: tuple[str, ...]) -> Waveform:
    """A capture of a few rows, perhaps with a gap, cut into blocks anywhere."""
    start = draw(st.integers(-5, 20))
    end = start + draw(st.integers(30, 80))
    inner = draw(st.sets(st.integers(start + 1, end - 1), max_size=25))
    gaps = no_gaps()
    if draw(st.booleans()):
        low = draw(st.integers(start + 1, end - 10))
        high = draw(st.integers(low + 1, end - 1))
        inner = {at for at in inner if not low <= at < high} | {high}
        gaps = np.array([[low, high]])
    samples = np.array(sorted({start, *inner}), dtype=np.int64)
    levels = np.array(draw(st.lists(st.integers(0, 3), min_size=samples.size, max_size=samples.size)), dtype=np.uint64)
    edges = Edges(samples=samples, levels=levels, samplerate_hz=RATE, channels=names, start=start, end=end, gaps=gaps)
    return in_blocks(edges, sorted(draw(st.sets(st.integers(start + 1, end - 1), max_size=6))))


def at(edges: Edges, sample: int) -> int | None:
    """The levels at a sample; None where they are not known."""
    if not edges.start <= sample < edges.end or any(low <= sample < high for low, high in edges.gaps):
        return None
    return int(edges.levels[np.searchsorted(edges.samples, sample, side="right") - 1])


@settings(max_examples=by_depth(20, 400))
@given(captures(("a", "b")), captures(("c", "d")))
def test_each_sample_has_the_levels_of_both(one: Waveform, two: Waveform) -> None:
    """At each sample the joined levels are those of both captures, and unknown where one of them is."""
    joined, first, second = join([one, two]).edges(), one.edges(), two.edges()

    for sample in range(-10, 110):
        low, high = at(first, sample), at(second, sample)
        assert (None if low is None or high is None else low | high << 2) == at(joined, sample)


def test_three_times_the_samplerate() -> None:
    """Rows and ends are on every third sample, exactly."""
    edges = rescaled(changes_of([0, 5, 2**53 + 1], "a", open_ended=False), RATE * 3).edges()

    assert (RATE * 3, [0, 15, 3 * (2**53 + 1)]) == (edges.samplerate_hz, edges.samples.tolist())


@settings(max_examples=by_depth(20, 400))
@given(captures(("a", "b")), st.integers(-1000, 1000))
def test_shifted_and_rescaled_captures_are_the_same(one: Waveform, by: int) -> None:
    """Exact renumbering keeps rows, levels and gaps."""
    edges, moved = one.edges(), rescaled(shifted(one, by), RATE * 3).edges()

    assert np.array_equal((edges.samples + by) * 3, moved.samples)
    assert np.array_equal(edges.levels, moved.levels)
    assert np.array_equal((edges.gaps + by) * 3, moved.gaps)
    assert (edges.end + by) * 3 == moved.end


def test_what_does_not_go_together_is_refused() -> None:
    def capture(rate: int, *names: str) -> Waveform:
        return Waveform(samplerate_hz=Fraction(rate), channels=names, read=lambda: iter(()))

    with pytest.raises(CaptureError, match="2 samplerates"):
        join([capture(1, "a"), capture(2, "b")])
    with pytest.raises(CaptureError, match="channel a is in more than one"):
        join([capture(1, "a"), capture(1, "a")])
    with pytest.raises(CaptureError, match="66 channels"):
        join([capture(1, *("" for _ in range(33))), capture(1, *("" for _ in range(33)))])
    assert 0 == join([capture(1, "a"), capture(1, "b")]).edges().samples.size


def changes_of(samples: list[int], name: str, *, open_ended: bool) -> Waveform:
    """A channel that is high from its first sample on and toggles at each other."""
    levels = 1 - np.arange(len(samples), dtype=np.uint64) % 2
    edges = Edges(
        samples=np.array(samples),
        levels=levels,
        samplerate_hz=RATE,
        channels=(name,),
        start=samples[0],
        end=samples[-1] + 1,
        gaps=no_gaps(),
    )
    return dataclasses.replace(waveform_of(edges, source=name), open_ended=open_ended)


def test_lists_of_changes_cover_the_union_of_their_times() -> None:
    """Before their first and after their last change, nothing changed."""
    joined = join([changes_of([10, 20, 30], "a", open_ended=True), changes_of([25, 60], "b", open_ended=True)])
    edges = joined.edges()

    assert ([20, 30], [60]) == (edges.channel("a")[0].tolist(), edges.channel("b")[0].tolist())
    assert (10, 61, 3) == (edges.start, edges.end, int(edges.levels[0]))
    assert joined.open_ended and joined.remarks == []


def test_a_capture_bounds_a_list_of_changes_and_what_is_cut_is_reported() -> None:
    """Nothing is known outside a capture: other files are cut to it, with a remark."""
    joined = join([changes_of([10, 20, 30, 9000], "a", open_ended=True), changes_of([15, 60], "b", open_ended=False)])
    edges = joined.edges()

    assert ([20, 30], [60]) == (edges.channel("a")[0].tolist(), edges.channel("b")[0].tolist())
    assert (15, 61) == (edges.start, edges.end)
    assert ["a: the first 0.005000 s and the last 8.940000 s are omitted: not all files cover them"] == joined.remarks
    assert not joined.open_ended


@pytest.mark.parametrize("open_ended", [True, False])
def test_a_file_without_rows_beside_another(open_ended: bool) -> None:
    """In a list of changes nothing changed; a capture without samples covers nothing, and that is reported."""
    empty = Waveform(samplerate_hz=RATE, channels=("b",), read=lambda: iter(()), open_ended=open_ended)
    joined = join([changes_of([10, 20, 30], "a", open_ended=True), empty])
    edges = joined.edges()

    assert ([20, 30] if open_ended else []) == edges.samples[1:].tolist()
    assert [] == joined.remarks if open_ended else "a: the last 0.021000 s are omitted" in joined.remarks[0]


def test_gaps_that_meet_where_a_block_ends_are_one() -> None:
    """The one of a capture ends where that of the other begins, and so does a block."""
    edges = {
        name: Edges(
            samples=np.array([0, gap[1]]),
            levels=np.array([0, 1], dtype=np.uint64),
            samplerate_hz=RATE,
            channels=(name,),
            start=0,
            end=50,
            gaps=np.array([gap]),
        )
        for name, gap in (("a", [10, 20]), ("b", [20, 30]))
    }
    blocks = list(join([in_blocks(edges["a"], [20, 40]), in_blocks(edges["b"], [40])]).read())

    assert [[10, 30]] == [gap for block in blocks for gap in block.gaps.tolist()]
    assert [0, 30] == [at for block in blocks for at in block.samples.tolist()]


def test_a_join_tells_what_it_is_of() -> None:
    """Names of the files, of the channels of one without; how the rate is known, where that is the same of all."""
    first = dataclasses.replace(changes_of([10, 20, 30], "a", open_ended=False), rate_origin=RateOrigin.OPTION)
    second = dataclasses.replace(changes_of([15, 60], "b", open_ended=False), source="", rate_origin=RateOrigin.FILE)
    joined = join([first, second])
    joined.edges()

    assert [
        "a: the first 0.005000 s are omitted: not all files cover them",
        "b: the last 0.030000 s are omitted: not all files cover them",
    ] == joined.remarks
    assert ("a", RateOrigin.TIMES) == (joined.source, joined.rate_origin)
    assert RateOrigin.OPTION is join([first, dataclasses.replace(second, rate_origin=RateOrigin.OPTION)]).rate_origin


def test_captures_without_a_common_sample() -> None:
    """The one ends where the other begins."""
    parts = [changes_of([10, 19], "a", open_ended=False), changes_of([20, 30], "b", open_ended=False)]
    with pytest.raises(CaptureError, match=r"no time in common: a from 0\.010000 to 0\.020000 s, b from 0\.020000"):
        join(parts).edges()
    parts = [changes_of([10, 20], "a", open_ended=False), changes_of([20, 30], "b", open_ended=False)]
    assert (20, 21) == ((edges := join(parts).edges()).start, edges.end)
