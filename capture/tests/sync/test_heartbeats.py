"""Heartbeats on exact clocks, whose losses, glitches and missing edges are counted by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from sync_lines import PERIOD, line, recording

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import coded_losses, heartbeat, sync_line
from gpiorig.capture.sync.heartbeat import Heartbeat

BEAT = 100  # samples, of 1 µs


def beats(rises: NDArray[np.int64], **options: object) -> Heartbeat:
    """The heartbeat of pulses of 4 samples."""
    waveform = waveform_of(recording(np.asarray(rises), np.asarray(rises) + 4))
    return heartbeat.read(waveform, "sync", period_ns=BEAT * 1000, **options)  # type: ignore[arg-type]


def lost_by_beats(start: int, end: int, samples: int, *, modulo: int = BEAT) -> Loss:
    return Loss(start=start, end=end, samples=samples, uncertainty=2, found_by="heartbeat sync", modulo=modulo)


@pytest.mark.parametrize("seed", range(6))
def test_what_befalls_a_heartbeat_is_counted(seed: int) -> None:
    """Over three blocks of 4096 edges: pulses left out, pulses between, losses, each among edges in phase."""
    random = np.random.default_rng(seed)
    count = 3 * heartbeat.RISES
    rises = 50 + BEAT * np.arange(count)
    places = np.sort(random.choice(np.arange(1, count // 8), 60, replace=False)) * 8
    places[0] = heartbeat.RISES - 1  # the interval at the end of a block, and beyond
    left, extra = np.ones(count, dtype=bool), []
    losses, glitches, missing, shift = [], 0, 0, 0
    moved = rises.copy()
    for place in np.unique(places).tolist():
        size = int(random.integers(1, 4))
        kind = random.integers(3)
        if kind == 0:
            left[place + 1 : place + 1 + size] = False
            missing += size
        elif kind == 1:
            extra += [int(moved[place]) + 20 + 15 * k for k in range(size)]
            glitches += size
        else:
            lost = int(random.integers(10, 90))
            moved[place + 1 :] -= lost
            losses.append(lost_by_beats(int(moved[place]) + 1, int(moved[place + 1]), lost))
            shift += lost
    result = beats(np.sort(np.concatenate([moved[left], np.array(extra, dtype=np.int64)])))

    assert (glitches, missing) == (result.glitches, result.missing)
    assert tuple(losses) == result.losses
    assert (BEAT, heartbeat.MIN_JUMP + 1) == (result.period_samples, result.limit_samples)
    assert (50, moved[-1], left.sum() + len(extra)) == (result.start, result.end, result.rises)


@pytest.mark.parametrize("lost", [0, 2, 3, 4])
def test_a_jump_must_be_more_than_two_samples(lost: int) -> None:
    rises = 50 + BEAT * np.arange(40)
    rises[20:] -= lost

    assert ([lost] if lost > heartbeat.MIN_JUMP else []) == [loss.samples for loss in beats(rises).losses]


def clock_loss(start: int, end: int, uncertainty: int) -> Loss:
    return Loss(start=start, end=end, samples=730, uncertainty=uncertainty, found_by="clock")


def test_the_clock_tells_how_many_periods_were_lost() -> None:
    """30 samples and 7 periods; where it is in doubt by half a period the size is one modulo the period."""
    rises = 50 + BEAT * np.arange(40)
    rises[20:] -= 30
    start, end = int(rises[19]), int(rises[20])
    plain, sized = lost_by_beats(start + 1, end, 30), lost_by_beats(start + 1, end, 730, modulo=0)

    assert (plain,) == beats(rises).losses
    for near in ((0, start), (end, 9000), (start + 1, start + 2)):
        assert (sized,) == beats(rises, clock=[clock_loss(*near, 49)]).losses
        assert (plain,) == beats(rises, clock=[clock_loss(*near, 50)]).losses
    for far in ((0, start - 1), (end + 1, 9000)):
        assert (plain,) == beats(rises, clock=[clock_loss(*far, 1)]).losses
    assert (plain,) == beats(rises, clock=[clock_loss(0, 9000, 1)] * 2).losses
    for limit, modulo in ((130, 0), (131, BEAT)):  # one more period would have been seen, or would not
        shows = Bound(start=0, end=9000, limit_samples=limit, found_by="clock")
        (loss,) = beats(rises, clock_bounds=[shows]).losses
        assert (30, modulo) == (loss.samples, loss.modulo)


def test_bounds_of_a_heartbeat_are_where_the_clock_shows_one_period() -> None:
    """All but what a heartbeat itself shows: 100 - 3 samples; each is cut to the heartbeat."""
    rises = 50 + BEAT * np.arange(40)
    result = beats(rises)

    for limit, expected in ((97, [(50, 3950)]), (98, [])):
        bounds = result.bounds([Bound(start=0, end=9000, limit_samples=limit, found_by="clock")])
        assert expected == [(bound.start, bound.end) for bound in bounds]
    touching = [Bound(start=0, end=50, limit_samples=1, found_by="clock")]
    assert [] == list(result.bounds(touching))


def test_what_is_no_heartbeat_is_refused() -> None:
    """Four samples a period are the fewest; a quarter of the intervals may be jumps."""
    rises = 50 + BEAT * np.arange(41)
    for jumps, is_one in ((10, True), (11, False)):
        moved = rises - 30 * np.minimum((np.arange(41) + 1) // 3, jumps)
        if is_one:
            assert jumps == len(beats(moved).losses)
        else:
            with pytest.raises(CaptureError, match="no heartbeat"):
                beats(moved)
    waveform = waveform_of(recording(np.arange(4, 80, 4), np.arange(6, 82, 4)))
    assert 4 == heartbeat.read(waveform, "sync", period_ns=4000).period_samples
    with pytest.raises(CaptureError, match=r"only 3\.0 samples"):
        heartbeat.read(waveform, "sync", period_ns=3000)


def test_a_coded_heartbeat_gives_sizes_and_missing_pulses() -> None:
    """3333 samples lost after pulse 49, two periods with pulses 150 and 151, and pulse 100 not there."""
    rises, falls = line(300, 200)
    shift = np.zeros(200, dtype=np.int64)
    shift[50:] += 3333
    shift[152:] += 2 * PERIOD
    there = ~np.isin(np.arange(200), (100, 150, 151))
    moved = (rises - shift)[there], (falls - shift)[there]
    result = coded_losses.read(waveform_of(recording(*moved)), "sync")
    first, second = result.losses

    assert (int(moved[0][49]) + 1, int(moved[0][50]), 3333, 2) == (
        first.start,
        first.end,
        first.samples,
        first.uncertainty,
    )
    assert 2 * PERIOD == second.samples
    assert (1, 197, PERIOD, 3) == (result.missing, result.rises, result.period_samples, result.limit_samples)
    assert [(5000, int(moved[0][-1]))] == [(bound.start, bound.end) for bound in result.bounds()]


def test_a_gap_of_the_recording_is_not_another_loss() -> None:
    """One that begins with a pulse and ends with a later one, whose samples are counted in the files already."""
    rises, falls = line(300, 100)
    plain = recording(rises, falls)
    start, end = int(falls[40]) + 10, int(rises[44]) - 10
    inside = (plain.samples >= start) & (plain.samples < end)
    samples = np.sort(np.append(plain.samples[~inside], end))
    levels = np.insert(plain.levels[~inside], int(np.searchsorted(plain.samples[~inside], end)), 0)
    edges = Edges(
        samples=samples - 500 * (samples >= end),
        levels=levels,
        samplerate_hz=Fraction(1_000_000),
        channels=("sync",),
        start=0,
        end=plain.end,
        gaps=np.array([[start, end - 500]]),
    )

    assert () == coded_losses.read(waveform_of(edges), "sync").losses


def test_widths_within_a_fifth_are_pulses() -> None:
    """Of the width of a 0, 20 µs: less than that makes a pulse, that makes none."""
    rises, falls = line(0, 60)
    for width, damaged in ((-19, 0), (-20, 1), (19, 0), (20, 1)):
        changed = falls.copy()
        changed[30] += width
        assert damaged == sync_line.read(recording(rises, changed), "sync").damaged


@pytest.mark.parametrize("start", [3, 40_000, 65_500])
@pytest.mark.parametrize("periods", [70, 40_000, 65_535 + 50, 3 * 65_535 - 60])
@pytest.mark.parametrize("offset", [5_000, 400_000_000])
def test_numbers_count_on_over_rounds(start: int, periods: int, offset: int) -> None:
    """Between two parts of a recording, however far they are apart, by the time between them."""
    rises, falls = line(start, 40, offset=offset)
    later = line(start + periods, 40, offset=offset + periods * PERIOD + 333)
    pulses = sync_line.read(recording(np.append(rises, later[0]), np.append(falls, later[1])), "sync")

    numbers = start + np.arange(40)
    assert [*numbers.tolist(), *(numbers + periods).tolist()] == pulses.positions.tolist()


def test_a_heartbeat_is_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the recording, and of the edges that are looked at together: a loss, a glitch, a pulse that is missing."""
    rises = BEAT * np.arange(40)
    rises[11:] -= 30
    rises[29:] -= 45
    rises = np.sort(np.append(np.delete(rises, [5, 22]), rises[16] + 33))
    samples = np.sort(np.concatenate([[-10], rises, rises + 4]))
    level = (np.arange(samples.size) % 2).astype(np.uint64)

    def waveform(cuts: list[int]) -> Waveform:
        bounds = [0, *cuts, samples.size]
        blocks = [
            Block(samples[low:high], level[low:high], int(samples[high]) if high < samples.size else 4000)
            for low, high in pairwise(bounds)
        ]
        return Waveform(samplerate_hz=Fraction(1_000_000), channels=("sync",), read=lambda: iter(blocks))

    plain = heartbeat.read(waveform([]), "sync", period_ns=BEAT * 1000)
    assert (39, 1, 2, 0, int(rises[-1])) == (plain.rises, plain.glitches, plain.missing, plain.start, plain.end)
    assert [30, 45] == [loss.samples for loss in plain.losses]
    for together in (6, 7, 8, 9, 10, 11, 13):
        monkeypatch.setattr(heartbeat, "RISES", together)
        for cuts in ([], [1, 2, 23], [22, 24, 45], [10, 33, 34, 60]):
            assert plain == heartbeat.read(waveform(cuts), "sync", period_ns=BEAT * 1000)


def test_what_is_not_known_of_the_size_of_a_coded_loss() -> None:
    """The spread of the period, and its share over the periods within the loss; pulses jitter by up to two samples."""
    rises, falls = line(300, 200)
    jitter = np.random.default_rng(3).integers(-2, 3, 200)
    shift = np.zeros(200, dtype=np.int64)
    shift[50:] += 3333
    shift[152:] += 2 * PERIOD
    there = ~np.isin(np.arange(200), (150, 151))
    moved = (rises - shift + jitter)[there], (falls - shift + jitter)[there]
    result = coded_losses.read(waveform_of(recording(*moved)), "sync")
    intervals, steps = np.diff(moved[0]), np.diff((300 + np.arange(200))[there])
    single = intervals[(steps == 1) & (intervals > 9000)]
    spread = heartbeat.spread_of(single - single.mean())
    limit = int(np.ceil(heartbeat.SPREADS * spread))

    assert limit > heartbeat.MIN_JUMP
    assert (limit + 1, float(single.mean())) == (result.limit_samples, result.period_samples)
    expected = [limit + int(np.ceil(count * spread / np.sqrt(single.size))) for count in (1, 3)]
    assert expected == [loss.uncertainty for loss in result.losses]
    assert all(abs(loss.samples - size) <= 4 for loss, size in zip(result.losses, (3333, 2 * PERIOD), strict=True))


def test_three_edges_are_the_fewest_of_a_heartbeat() -> None:
    assert BEAT == beats(np.array([50, 150, 250])).period_samples
    with pytest.raises(CaptureError, match=r"no heartbeat of 100\.0 samples \(2 rising edges\)"):
        beats(np.array([50, 150]))


@pytest.mark.parametrize(("regular", "is_heartbeat"), [(60, True), (40, False)])
def test_edges_without_a_period_are_jumps(monkeypatch: pytest.MonkeyPatch, regular: int, is_heartbeat: bool) -> None:
    """Twenty of them, looked at together, are a quarter of all intervals at most, or there is no heartbeat."""
    monkeypatch.setattr(heartbeat, "RISES", 20)
    rises = 50 + np.concatenate([BEAT * np.arange(regular + 1), BEAT * regular + 37 * np.arange(1, 21)])
    if is_heartbeat:
        assert (BEAT, regular + 21) == ((result := beats(rises)).period_samples, result.rises)
    else:
        with pytest.raises(CaptureError, match="no heartbeat"):
            beats(rises)


@pytest.mark.parametrize(("off", "period"), [(0, 1000.0), (2, 1000.2), (3, 1000.0), (19, 1000.0), (20, 1000.0)])
def test_intervals_far_from_the_period_are_not_part_of_it(off: int, period: float) -> None:
    """By more than two samples of a source that is exact otherwise; two samples still belong to it."""
    intervals = np.full(40, 1000)
    intervals[[3, 11, 19, 30]] += off
    rises = 50 + np.cumsum([0, *intervals])
    waveform = waveform_of(recording(rises, rises + 4))

    assert period == pytest.approx(heartbeat.read(waveform, "sync", period_ns=1_000_000).period_samples)


@pytest.mark.parametrize(("lost", "is_loss"), [(2, False), (3, True)])
def test_a_glitch_within_the_jitter_is_not_a_loss(lost: int, is_loss: bool) -> None:
    """Between two edges that are a period apart but for two samples."""
    rises = 50 + BEAT * np.arange(40)
    rises[20:] -= lost
    result = beats(np.sort(np.append(rises, rises[19] + 40)))

    assert (0 if is_loss else 1, [lost] if is_loss else []) == (
        result.glitches,
        [loss.samples for loss in result.losses],
    )
