"""Captures so small that each sample can be looked at: joined, renumbered, cut, counted, with losses put in."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from random_capture import random_capture

from gpiorig.capture.edges.bounds import Bound, sentence, shown
from gpiorig.capture.edges.counts import count
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.join import join
from gpiorig.capture.edges.losses import Loss, disjoint, impossible, put_in
from gpiorig.capture.edges.nanoseconds import TimeRangeError, nearest_ns, rounding_text
from gpiorig.capture.edges.resample import renumbered
from gpiorig.capture.edges.select import channels, window
from gpiorig.capture.edges.waveform import MAX_SAMPLES, VIRTUAL_MARK, Block, Waveform, joined, of_parts, stated
from gpiorig.capture.errors import CaptureError

RATE = Fraction(1000)
SEEDS = range(60)


def small(seed: int, name: str = "a", *, open_ended: bool = False) -> Waveform:
    """A channel of a few rows, with up to two gaps, one of them perhaps at its end, cut into blocks anywhere."""
    random = np.random.default_rng(seed)
    start = int(random.integers(-3, 12))
    end = start + int(random.integers(6, 40))
    known = np.ones(end - start, dtype=bool)
    if not open_ended:
        for _ in range(random.integers(3)):
            low = int(random.integers(1, known.size))
            known[low : low + int(random.integers(1, 9))] = False
    levels = random.integers(0, 2, known.size)
    rows = [
        at for at in range(known.size) if known[at] and (not at or not known[at - 1] or levels[at] != levels[at - 1])
    ]
    edges_of_gaps = np.flatnonzero(np.diff(np.concatenate([[1], known, [1]]))).reshape(-1, 2)
    samples, gaps = np.array(rows) + start, (edges_of_gaps + start).astype(np.int64)
    cuts = [
        cut
        for cut in [*sorted(random.integers(start, end, 3).tolist()), end]
        if not any(low < cut < high for low, high in gaps.tolist())
    ]

    def read() -> Iterator[Block]:
        reached = start - 1
        for cut in cuts:
            part = slice(*np.searchsorted(samples, [reached, cut]).tolist())
            inside = gaps[(gaps[:, 0] >= reached) & (gaps[:, 0] < cut)]
            yield Block(samples[part], levels[np.array(rows)[part]].astype(np.uint64), cut, inside)
            reached = max(reached, cut)

    return Waveform(samplerate_hz=RATE, channels=(name,), read=read, open_ended=open_ended, source=name)


def by_sample(edges: Edges) -> dict[int, int]:
    """The levels at each sample that is known."""
    levels: dict[int, int] = {}
    rows, gaps = edges.samples.tolist(), edges.gaps.tolist()
    for at, level, end in zip(rows, edges.levels.tolist(), [*rows, edges.end][1:], strict=True):
        stop = min((low for low, _ in gaps if low >= at), default=end)
        levels |= dict.fromkeys(range(at, min(end, stop)), level)
    return levels


@pytest.mark.parametrize("kinds", [(False, False), (True, False), (True, True), (False, True, False)])
def test_a_join_has_the_levels_of_each_sample(kinds: tuple[bool, ...]) -> None:
    """Unknown where a part is; lists of changes hold before their first row and after their last one."""
    for seed in SEEDS:
        parts = [small(10 * seed + k, "abc"[k], open_ended=kind) for k, kind in enumerate(kinds)]
        read = [part.edges() for part in parts]
        known = [by_sample(edges) for edges in read]
        closed = [edges for edges, kind in zip(read, kinds, strict=True) if not kind]
        begin = max(edges.start for edges in closed) if closed else min(edges.start for edges in read)
        end = min(edges.end for edges in closed) if closed else max(edges.end for edges in read)
        expected: dict[int, int] = {}
        for sample in range(begin, end):
            levels = []
            for edges, kind, part_levels in zip(read, kinds, known, strict=True):
                levels.append(part_levels.get(min(max(sample, edges.start), edges.end - 1) if kind else sample))
            if None not in levels:
                expected[sample] = sum((level or 0) << bit for bit, level in enumerate(levels))
        if begin >= end:
            with pytest.raises(CaptureError, match="no time in common"):
                join(parts).edges()
            continue
        whole = join(parts)
        result = whole.edges()
        assert expected == by_sample(result)
        if expected:
            assert end == result.end
        cuts = {
            edges.channels[0]: (begin - edges.start, edges.end - end)
            for edges, kind in zip(read, kinds, strict=True)
            if not kind
        }
        for name, (head, tail) in cuts.items():
            remark = next((text for text in whole.remarks if text.startswith(f"{name}: ")), "")
            assert (f"the first {head / 1000:.6f} s" in remark) == (head > 0)
            assert (f"the last {tail / 1000:.6f} s" in remark) == (tail > 0)


def test_a_join_is_of_one_recorder_where_all_parts_are() -> None:
    """Otherwise its recorder is not known; 64 channels fit."""
    one, two = (dataclasses.replace(small(k, "ab"[k]), recorder="fx2lafw") for k in range(2))

    assert "fx2lafw" == join([one, two]).recorder
    assert "" == join([one, dataclasses.replace(two, recorder="ols")]).recorder
    assert 64 == len(join([dataclasses.replace(one, channels=("",) * 64)]).channels)


def losses_in(random: np.random.Generator, end: int) -> list[Loss]:
    """Losses in [0, end), disjoint; some have a place of no samples, or lost nothing that is counted."""
    cuts = sorted(set(random.integers(1, end + 1, 6).tolist()))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    losses = [
        Loss(
            start=low,
            end=low if random.integers(3) == 0 else high,
            samples=int(random.integers(1, 5)),
            uncertainty=0,
            found_by="a test",
        )
        for low, high in pairs
    ]
    return losses


def test_losses_are_put_in_sample_by_sample() -> None:
    """What was between the ends of a loss is unknown, and all that follows comes later by what was lost."""
    for seed in range(200):
        random = np.random.default_rng(seed)
        part = small(seed)
        low = part.edges().start
        part = renumbered(part, lambda samples, low=low: samples - low, samplerate_hz=RATE)  # type: ignore[misc]
        edges = part.edges()
        losses = losses_in(random, edges.end)
        before = by_sample(edges)
        shift, expected = 0, {}
        for sample in range(edges.end):
            shift = sum(loss.samples for loss in losses if loss.end <= sample)
            inside = any(loss.start <= sample < loss.end for loss in losses)
            if not inside and sample in before:
                expected[sample + shift] = before[sample]
        blocks = list(put_in(part.read(), losses))
        result = dataclasses.replace(part, read=lambda blocks=blocks: iter(blocks)).edges()  # type: ignore[misc]

        assert expected == by_sample(result)
        assert edges.end + sum(loss.samples for loss in losses) == result.end


def loss(start: int, end: int, samples: int = 10, uncertainty: int = 1, *, in_files: bool = False) -> Loss:
    return Loss(start=start, end=end, samples=samples, uncertainty=uncertainty, found_by="x", in_files=in_files)


def test_losses_that_touch_are_two_unless_a_place_is_at_the_end_of_an_interval() -> None:
    """Of a place and an interval that the files have as a gap, too, both stay."""
    for pair in ([loss(0, 5), loss(5, 9)], [loss(0, 5, in_files=True), loss(5, 5)], [loss(0, 5), loss(6, 6)]):
        assert tuple(pair) == disjoint(pair)
    for pair in ([loss(0, 5), loss(5, 5)], [loss(5, 5), loss(5, 9)], [loss(0, 5), loss(4, 9)]):
        assert 1 == len(disjoint(pair))


@pytest.mark.parametrize(
    ("wide", "samples"),
    [
        (loss(0, 9, 14, 1), 14),  # agree at the limit of 3 + 1, and it is surer
        (loss(0, 9, 15, 1), 10),  # one beyond
        (loss(0, 9, 12, 3), 10),  # as unsure
        (loss(0, 9, 0, 1), 10),  # its size is not known
        (loss(0, 9, 12, 1, in_files=True), 10),
        (msgspec.structs.replace(loss(0, 9, 12, 1), modulo=256), 10),
    ],
)
def test_the_size_of_two_losses_is_the_surer_one(wide: Loss, samples: int) -> None:
    """Where both sizes agree."""
    (both,) = disjoint([wide, loss(3, 5, 10, 3)])

    assert (3, 5, samples) == (both.start, both.end, both.samples)


def test_losses_beyond_what_can_be_counted_are_impossible() -> None:
    """Their samples and the end of the last one add up to 2^62 at most."""
    assert "" == impossible([loss(0, 5, MAX_SAMPLES - 9), loss(5, 5, 4)])
    assert "more samples" in impossible([loss(0, 5, MAX_SAMPLES - 9), loss(5, 5, 5)])
    assert "overlap" in impossible([loss(0, 5), loss(4, 9)])


def test_renumbered_rows_stay_apart() -> None:
    """Each place, a row or a bound of a gap, gets its new number, or one more than the place before."""
    for seed in SEEDS:
        part = small(seed)
        edges = part.edges()
        places = sorted({*edges.samples.tolist(), *edges.gaps.reshape(-1).tolist()})
        moved: dict[int, int] = {}
        reached = -(10**9)
        for place in places:
            reached = max(place // 3, reached + 1)
            moved[place] = reached
        result = renumbered(part, lambda samples: samples // 3, samplerate_hz=RATE / 3).edges()

        assert [moved[at] for at in edges.samples.tolist()] == result.samples.tolist()
        assert [moved[at] for at in edges.gaps.reshape(-1).tolist()] == result.gaps.reshape(-1).tolist()
        assert max(edges.end // 3, reached + (edges.end > places[-1])) == result.end


def test_a_window_has_the_samples_in_it() -> None:
    """Of the window [start, end) each sample keeps its level; one that has none known is refused."""
    for seed in SEEDS:
        part = small(seed)
        edges = part.edges()
        known = by_sample(edges)
        for start in range(edges.start - 1, edges.end, 5):
            for end in (start + 1, start + 2, start + 8):
                expected = {at: level for at, level in known.items() if start <= at < end}
                if expected:
                    assert expected == by_sample(window(part, start, end).edges())
                    assert expected == by_sample(edges.window(start, end))
                else:
                    with pytest.raises(CaptureError):
                        window(part, start, end).edges()
    with pytest.raises(CaptureError, match="from sample 5 to 5 is empty"):
        window(small(0), 5, 5)


def test_gaps_that_adjoin_or_overlap_are_one() -> None:
    """Over blocks, too; the rows inside are omitted, those at an end stay, and no gap is in two blocks."""
    for seed in range(200):
        random = np.random.default_rng(seed)
        cuts = [0, *np.cumsum(random.integers(1, 9, 4)).tolist()]
        blocks, lost, rows = [], set(), {}
        for low, high in pairwise(cuts):
            samples = np.flatnonzero(random.integers(0, 2, high - low)) + low
            bounds = np.sort(random.integers(low, high + 1, 2))
            gaps = bounds.reshape(-1, 2) if bounds[0] < bounds[1] else no_gaps()
            lost |= {at for start, end in gaps.tolist() for at in range(start, end)}
            rows |= {at: at for at in samples.tolist()}
            blocks.append(Block(samples, samples.astype(np.uint64), high, gaps))
        result = list(joined(blocks))
        ranges = [(start, end) for block in result for start, end in block.gaps.tolist()]

        assert sorted(lost) == [at for start, end in ranges for at in range(start, end)]
        assert all(end < start for (_, end), (start, _) in pairwise(ranges))
        assert [at for at in rows if at not in lost] == [at for block in result for at in block.samples.tolist()]
        assert cuts[-1] == result[-1].end
        assert all(block.gaps.max(initial=0) <= block.end for block in result)


def test_each_channel_is_counted_change_by_change() -> None:
    """Across a gap a change is counted apart; gaps of one sample, all but one of the number of groups, lost nothing."""
    for seed in range(20):
        edges, waveform = random_capture(seed)
        counts = count(waveform)
        ends = set(edges.gaps[:, 1].tolist())
        for channel in counts.channels:
            samples, _ = edges.channel(channel.name)
            inside = [at for at in samples.tolist() if at not in ends]
            assert (len(inside), len(samples) - len(inside)) == (channel.edges, channel.across_gaps)
            assert (inside[0], inside[-1]) == (channel.first_edge, channel.last_edge)
            assert edges.initial_level(channel.name) == channel.initial_level
        lengths = edges.gaps[:, 1] - edges.gaps[:, 0]
        assert (len(edges.gaps), lengths.sum()) == (counts.gaps, counts.lost)
    gaps = np.array([[3, 4], [6, 7], [9, 12]])
    groups = Waveform(
        samplerate_hz=RATE,
        channels=("a",),
        read=lambda: iter([Block(np.array([0, 4, 7, 12]), np.array([0, 1, 0, 1], dtype=np.uint64), 20, gaps)]),
    )
    assert [5, 3, 5] == [count(dataclasses.replace(groups, groups=groups_of)).lost for groups_of in (0, 3, 2)]


def test_chosen_channels_have_rows_where_they_change_and_after_gaps() -> None:
    """Of all rows of the capture, however it is cut into blocks."""
    for seed in range(40):
        edges, waveform = random_capture(seed)
        ends = set(edges.gaps[:, 1].tolist())
        rows: list[tuple[int, int]] = []
        for at, level in zip(edges.samples.tolist(), edges.levels.tolist(), strict=True):
            bits = (level >> 3 & 1) | (level & 1) << 1
            if not rows or bits != rows[-1][1] or at in ends:
                rows.append((at, bits))
        result = channels(waveform, ["b.x", "a.x"]).edges()

        assert rows == list(zip(result.samples.tolist(), result.levels.tolist(), strict=True))


def capture(samples: list[int], gaps: list[list[int]], *, start: int = 0, end: int = 20, rate: int = 1) -> Edges:
    return Edges(
        samples=np.array(samples),
        levels=np.arange(len(samples), dtype=np.uint64) % 2,
        samplerate_hz=Fraction(rate),
        channels=("a",),
        start=start,
        end=end,
        gaps=np.array(gaps, dtype=np.int64).reshape(-1, 2),
    )


def test_edges_of_no_capture_are_refused() -> None:
    """A gap may end with the capture; not overlap another one, be empty, or reach beyond."""
    assert [[5, 8], [10, 20]] == capture([0, 8], [[5, 8], [10, 20]]).gaps.tolist()
    for gaps, problem in (
        ([[5, 5]], "ranges in increasing order"),
        ([[5, 8], [7, 9]], "ranges in increasing order"),
        ([[15, 21]], "outside"),
        ([[-1, 3]], "outside"),
        ([[2, 5]], "levels after a gap"),
    ):
        with pytest.raises(CaptureError, match=problem):
            capture([0, 8], gaps)
    with pytest.raises(CaptureError, match="samplerate 0"):
        capture([0], [], rate=0)
    good = dict(samplerate_hz=RATE, channels=("a",), start=0, end=2, gaps=no_gaps())
    ints, levels = np.array([0]), np.array([0], dtype=np.uint64)
    for samples, bits in ((ints.astype(float), levels), (ints, ints)):
        with pytest.raises(CaptureError, match="must be int64"):
            Edges(samples=samples, levels=bits, **good)  # type: ignore[arg-type]
    for samples, bits in ((ints.reshape(1, 1), levels.reshape(1, 1)), (ints, np.append(levels, levels))):
        with pytest.raises(CaptureError, match="shapes"):
            Edges(samples=samples, levels=bits, **good)  # type: ignore[arg-type]


def test_instants_in_ns_are_those_of_exact_arithmetic() -> None:
    """To the nearest, halves up, for rates of any size and samples up to 292 years."""
    random = np.random.default_rng(1)
    rates = [Fraction(1), Fraction(24_000_000), Fraction(3, 7), Fraction(2 * 10**9), Fraction(10**10, 3)]
    for rate in [*rates, Fraction(10**17, 10**9 + 7), Fraction(2**63 // (2 * 10**9 + 1)), Fraction(1 << 40, 999)]:
        top = int((2**63 - 2) * rate / 10**9)
        samples = [0, 1, -1, top, -top, *(int(top * share) for share in random.uniform(-1, 1, 20))]
        samples = [min(max(sample, -(2**63)), 2**63 - 1) for sample in samples]
        expected = [
            (2 * sample * 10**9 * rate.denominator + rate.numerator) // (2 * rate.numerator) for sample in samples
        ]

        assert expected == nearest_ns(np.array(samples), rate).tolist()
    with pytest.raises(TimeRangeError):
        nearest_ns(np.array([2**63 // 10**9 + 1]), Fraction(1))
    assert "exact (a sample is 4 ns)" in rounding_text(Fraction(250_000_000))
    assert "exact (a sample is 1 ns)" in rounding_text(Fraction(10**9))
    assert "coarser" in rounding_text(Fraction(3 * 10**9))
    assert "333.333 ns" in rounding_text(Fraction(3 * 10**6))


def bound(start: int, end: int, limit: int | None) -> Bound:
    size = msgspec.UNSET if limit is None else limit
    return Bound(start=start, end=end, limit_samples=size, found_by="x")


def test_a_loss_is_shown_where_each_bound_shows_it() -> None:
    """A loss as large as the limit is; bounds that touch the interval are not asked."""
    bounds = [bound(0, 10, 99), bound(10, 20, 5), bound(20, 30, None)]

    assert shown(bounds, 10, 20, samples=5)
    assert not shown(bounds, 10, 20, samples=4)
    assert not shown(bounds, 9, 20, samples=5)
    assert not shown(bounds, 10, 21, samples=5)
    assert not shown(bounds, 25, 31, samples=500)
    assert not bound(0, 1, 5) < bound(0, 1, 5)
    assert bound(0, 1, 4) < bound(0, 1, 5) < bound(0, 1, None)


def test_sizes_from_100_samples_on_are_times_and_five_intervals_are_named() -> None:
    bounds = [bound(10 * k, 10 * k + 10, limit) for k, limit in enumerate([99, 100, 1, 1, 1])]
    text = sentence(bounds, Fraction(1000))

    assert "99 samples or more" in text
    assert "of 100 ms from" in text
    assert "and so on" not in text
    assert "and so on in 2 more intervals" in sentence([*bounds, *bounds[:2]], Fraction(1000))


def test_parts_are_virtual_where_one_is() -> None:
    """Each must be known not to be, else it is not known."""
    assert [True, None, False, None] == [of_parts(m) for m in ((True, None), (False, None), (False, False), ())]
    assert [True, None, None] == [stated(note) for note in (VIRTUAL_MARK, "", None)]
