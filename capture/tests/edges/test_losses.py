"""Lost samples: found by heartbeats and by the host's clock, and put into a recording as gaps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sync_lines import line
from sync_lines import recording as sync_recording

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.losses import Loss, disjoint, put_in
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_writer import SegmentWriter
from gpiorig.capture.sigrok.conclusion import conclude
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.capture.sigrok.stream import Headroom
from gpiorig.capture.sigrok.wall_clock import WallClock
from gpiorig.capture.sync import coded_losses, heartbeat

RATE_HZ = 24_000_000
PERIOD = 24_000  # samples
PERIOD_NS = 1_000_000


def square(
    count: int, *, ppm: float = 0, lost: Sequence[tuple[int, int]] = (), noise: float = 0, glitch: int | None = None
) -> Edges:
    """A square wave of this many periods on channel "hb", without the samples `lost` (from, how many)."""
    random = np.random.default_rng(1)
    instants = np.arange(1, 2 * count) * (PERIOD / 2) * (1 + ppm * 1e-6) + random.normal(0, noise, 2 * count - 1)
    samples = np.append(0, np.rint(instants).astype(np.int64))
    levels = np.arange(2 * count) % 2
    if glitch is not None:
        samples, levels = np.append(samples, [glitch, glitch + 5]), np.append(levels, [1, 0])
        order = np.argsort(samples)
        samples, levels = samples[order], levels[order]
    for start, size in sorted(lost, reverse=True):
        inside = (samples < start) | (samples >= start + size)
        samples, levels = samples[inside], levels[inside]
        samples = np.where(samples >= start, samples - size, samples)
    changed = np.append(True, np.diff(levels) != 0)
    samples, levels = samples[changed], levels[changed].astype(np.uint64)
    return Edges.from_blocks(
        [(samples, levels)], samplerate_hz=Fraction(RATE_HZ), channels=["hb"], end=int(samples[-1]) + 1
    )


def in_pieces(edges: Edges, rows: int) -> Waveform:
    """The same in blocks of this many rows."""

    def blocks() -> list[Block]:
        cuts = range(0, len(edges.samples), rows)
        ends = [*(int(edges.samples[cut]) for cut in cuts[1:]), edges.end]
        return [
            Block(edges.samples[cut : cut + rows], edges.levels[cut : cut + rows], end)
            for cut, end in zip(cuts, ends, strict=True)
        ]

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=lambda: iter(blocks()))


@settings(deadline=None, max_examples=40)
@given(
    ppm=st.integers(-10_000, 10_000),
    start=st.integers(10 * PERIOD, 4000 * PERIOD),
    size=st.integers(7, PERIOD // 2 * 3),
    rows=st.integers(100, 20_000),
)
# 1 + 3625 ppm: a period of 24087.0 samples whose edges are between two samples, so intervals alternate by two
@example(ppm=3625, start=10 * PERIOD, size=10, rows=1000)
@example(ppm=3625, start=2001 * PERIOD + 7, size=10, rows=100)
@example(ppm=3625, start=10 * PERIOD, size=12, rows=1000)
@example(ppm=3625, start=3000 * PERIOD, size=24087 + 7, rows=20_000)
@example(ppm=-3625, start=10 * PERIOD, size=10, rows=1000)
@example(ppm=-3625, start=4000 * PERIOD, size=7, rows=333)
def test_a_lost_block_is_found_with_its_size(ppm: int, start: int, size: int, rows: int) -> None:
    """Within its uncertainty, modulo the period, wherever it is and however the source's clock runs."""
    period = PERIOD * (1 + ppm * 1e-6)
    if min(size % period, -size % period) <= heartbeat.SPREADS:
        return  # a loss of complete periods cannot be seen
    result = heartbeat.read(in_pieces(square(5000, ppm=ppm, lost=[(start, size)]), rows), "hb", period_ns=PERIOD_NS)
    (loss,) = result.losses
    error = (loss.samples - size + period / 2) % period - period / 2

    assert loss.start <= start <= loss.end
    assert abs(error) <= loss.uncertainty <= heartbeat.SPREADS
    assert abs(loss.modulo - period) < 1
    assert abs(result.period_samples - period) < 1
    assert result.limit_samples <= heartbeat.SPREADS + 1


def test_several_lost_blocks(tmp_path: Path) -> None:
    lost = [(1_000_000, 5_000), (20_000_000, 100), (50_000_000, 20)]
    result = heartbeat.read(waveform_of(square(5000, lost=lost)), "hb", period_ns=PERIOD_NS)

    assert [5_000, 100, 20] == [loss.samples for loss in result.losses]


def test_noise_of_the_source_raises_the_limit() -> None:
    """A source that jitters by 3 samples shows no loss that is not there, and reports its limit."""
    result = heartbeat.read(waveform_of(square(5000, noise=3, lost=[(1_000_000, 200)])), "hb", period_ns=PERIOD_NS)
    (loss,) = result.losses

    assert 6 * 3 < result.limit_samples < 6 * 3 * 2
    assert abs(200 - loss.samples) <= loss.uncertainty


def test_a_glitch_is_no_loss() -> None:
    result = heartbeat.read(waveform_of(square(5000, glitch=40 * PERIOD + 100)), "hb", period_ns=PERIOD_NS)

    assert ((), 1) == (result.losses, result.glitches)


def test_the_clock_tells_whole_periods() -> None:
    """Modulo the period 100 samples were lost; the clock knows that it was about 5.0 ms, so it was 5 periods more."""
    size = 5 * PERIOD + 100
    clock = [Loss(start=900_000, end=1_100_000, samples=size + 3000, uncertainty=8000, found_by="the host's clock")]
    result = heartbeat.read(waveform_of(square(5000, lost=[(1_000_000, size)])), "hb", period_ns=PERIOD_NS, clock=clock)

    assert [(size, 0)] == [(loss.samples, loss.modulo) for loss in result.losses]


def test_what_the_clock_does_not_see_is_less_than_its_limit() -> None:
    """100 samples, and not a period more, because the clock would have shown that."""
    waveform = waveform_of(square(5000, lost=[(1_000_000, 100)]))
    fine, coarse = (
        Bound(start=0, end=waveform.edges().end, limit_samples=limit, found_by="clock")
        for limit in (PERIOD, 2 * PERIOD)
    )
    sure = heartbeat.read(waveform, "hb", period_ns=PERIOD_NS, clock_bounds=[fine])
    unsure = heartbeat.read(waveform, "hb", period_ns=PERIOD_NS, clock_bounds=[coarse])

    assert [(100, 0)] == [(loss.samples, loss.modulo) for loss in sure.losses]
    assert [(100, PERIOD)] == [(loss.samples, loss.modulo) for loss in unsure.losses]


def test_no_heartbeat_is_an_error() -> None:
    with pytest.raises(CaptureError, match=r"no heartbeat of 16800\.0 samples"):
        heartbeat.read(waveform_of(square(100)), "hb", period_ns=700_000)
    with pytest.raises(CaptureError, match="there is no channel x; available channels: hb"):
        heartbeat.read(waveform_of(square(100)), "x", period_ns=PERIOD_NS)
    with pytest.raises(CaptureError, match=r"only 2\.4 samples per period"):
        heartbeat.read(waveform_of(square(100)), "hb", period_ns=100)
    shortest = Edges.from_blocks(
        [(2 * np.arange(200), (np.arange(200) % 2).astype(np.uint64))],
        samplerate_hz=Fraction(20_000_000),
        channels=["hb"],
        end=400,
    )
    assert 4.0 == heartbeat.read(waveform_of(shortest), "hb", period_ns=200).period_samples


def test_the_sync_line_tells_the_size_absolutely() -> None:
    """A loss of more than ten pulses: from the numbers of the pulses on both sides."""
    rises, falls = line(100, 400, ppm=30)
    lost = 12 * 10_000 + 3_000
    cut = rises[200] - 50
    keep = (rises < cut) | (rises >= cut + lost)
    rises, falls = rises[keep], falls[keep]
    shift = np.where(rises >= cut, lost, 0)
    result = coded_losses.read(waveform_of(sync_recording(rises - shift, falls - shift)), "sync")
    (loss,) = result.losses

    assert abs(loss.samples - lost) <= loss.uncertainty <= 10
    assert 0 == loss.modulo


def arrivals(
    seconds: int,
    *,
    ppm: float = 0,
    ppm_per_minute: float = 0,
    lost: Sequence[tuple[float, int]] = (),
    late_us: float = 300,
) -> WallClock:
    """Pieces of 10 ms, late by a random time of this mean; samples `lost` (second, how many)."""
    random = np.random.default_rng(2)
    clock = WallClock(RATE_HZ)
    for number in range(1, seconds * 100):
        at_s = number / 100
        gone = sum(size for second, size in lost if at_s >= second)
        late_s = random.exponential(late_us) / 1e6
        mean_ppm = ppm + ppm_per_minute * at_s / 60 / 2
        clock.note(round(at_s * RATE_HZ * (1 + mean_ppm * 1e-6)) - gone, round((at_s + late_s) * 1e9) + 12345)
    return clock


@pytest.mark.parametrize("ppm", [-200, 0, 35])
def test_the_clock_finds_a_lost_block(ppm: int) -> None:
    """A block of 100 ms, although the analyzer's crystal is off by as much in ten minutes."""
    check = arrivals(60, ppm=ppm, lost=[(30.3, 2_400_000)]).check()
    (loss,) = check.losses
    rate_ppm = check.rate_ppm
    assert rate_ppm is not None
    assert check.rate_uncertainty_ppm is not None

    assert abs(loss.samples - 2_400_000) <= loss.uncertainty < 100_000
    assert loss.start <= 30.3 * RATE_HZ <= loss.end + 2_400_000
    assert abs(rate_ppm - ppm) < check.rate_uncertainty_ppm < 20


@pytest.mark.parametrize("late_us", [10, 300, 5000])
def test_the_clock_finds_nothing_where_nothing_is_lost(late_us: int) -> None:
    """However late blocks are; the limit that it states follows from that."""
    check = arrivals(60, ppm=-50, late_us=late_us).check()

    assert () == check.losses
    assert all(bound.limit_samples >= RATE_HZ / 1000 for bound in check.bounds if bound.is_checked)


def test_a_short_capture_has_no_rate_and_finds_losses() -> None:
    """3 s: the rate is not known, but a loss of 5 ms is found, where it was, and one of 2 ms would have been."""
    check = arrivals(3, lost=[(1.5, RATE_HZ // 200)]).check()
    (loss,) = check.losses
    clean = arrivals(3).check()
    *_, bound = clean.bounds

    assert (None, ()) == (clean.rate_ppm, clean.losses)
    assert abs(loss.samples - RATE_HZ // 200) <= loss.uncertainty
    assert loss.start <= 1.5 * RATE_HZ <= loss.end < 1.8 * RATE_HZ
    assert bound.shows(RATE_HZ // 500)


@pytest.mark.parametrize("drift", [-30.0, 0.0, 4.0])
def test_the_clock_shows_a_drift_with_its_uncertainty(drift: float) -> None:
    """Over five minutes; with a lost block, or in less than 16 s, it is not known."""
    check = arrivals(300, ppm=20, ppm_per_minute=drift).check()
    assert check.drift_ppm_per_minute is not None
    assert check.drift_uncertainty_ppm_per_minute is not None
    assert abs(check.drift_ppm_per_minute - drift) < check.drift_uncertainty_ppm_per_minute < 2
    assert arrivals(300, lost=[(30.3, 2_400_000)]).check().drift_ppm_per_minute is None
    assert arrivals(15).check().drift_ppm_per_minute is None


def test_the_clock_takes_constant_memory() -> None:
    """With more windows than it keeps, they become longer."""
    clock = WallClock(1000.0)
    for second in range(100_000):
        clock.note(second * 1000, second * 10**9)

    assert clock.check().windows < 40_000


def rows(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    return [pair for block in blocks for pair in zip(block.samples.tolist(), block.levels.tolist(), strict=True)]


LOSS = Loss(start=21, end=40, samples=100, uncertainty=1, found_by="test")
ROWS = [(0, 0), (10, 1), (20, 0), (30, 1), (40, 3), (50, 2), (60, 0)]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_loss_becomes_a_gap_on_reading(size: int) -> None:
    """Rows inside are dropped, later ones are renumbered, and the levels after the gap are those at its end."""
    parts = [ROWS[at : at + size] for at in range(0, len(ROWS), size)]
    ends = [*(part[0][0] for part in parts[1:]), 70]
    blocks = [
        Block(np.array([s for s, _ in part]), np.array([v for _, v in part], dtype=np.uint64), end)
        for part, end in zip(parts, ends, strict=True)
    ]
    result = list(put_in(blocks, [LOSS]))
    edges = Waveform(samplerate_hz=Fraction(1), channels=("a", "b"), read=lambda: iter(result)).edges()

    assert [(0, 0), (10, 1), (20, 0), (140, 3), (150, 2), (160, 0)] == rows(result)
    assert ([[21, 140]], 170) == (edges.gaps.tolist(), edges.end)
    assert all(a.end <= b.end for a, b in itertools.pairwise(result))


def test_of_two_losses_in_one_place_the_better_known_counts() -> None:
    coarse = Loss(start=0, end=1000, samples=90, uncertainty=50, found_by="clock")

    assert (LOSS,) == disjoint([coarse, LOSS])


def test_a_place_and_a_size_of_one_loss_are_put_together() -> None:
    """A lost transfer has the place, a heartbeat the size; where their sizes do not agree the narrower one stands."""
    place = Loss(start=500, end=500, samples=512, uncertainty=90, found_by="transfer")
    beat = Loss(start=401, end=500, samples=530, uncertainty=2, found_by="heartbeat")
    more = msgspec.structs.replace(beat, samples=700)

    (both,) = disjoint([beat, place])
    assert (500, 500, 530, 2) == (both.start, both.end, both.samples, both.uncertainty)
    assert (place,) == disjoint([place, more])
    assert (place, msgspec.structs.replace(beat, start=501, end=600)) == disjoint(
        [place, msgspec.structs.replace(beat, start=501, end=600)]
    )


def test_a_recording_with_a_lost_block_is_incomplete_and_has_a_gap(tmp_path: Path) -> None:
    """From the heartbeat to `recording.toml`, and to a reader of the recording."""
    edges = square(1000, lost=[(1_000_000, 5_000)])
    info = RecordingInfo(
        samplerate=f"{RATE_HZ}/1", channels=("hb",), epoch=Epoch(wall="2026-11-21T00:00:00+00:00"), virtual=False
    )
    recording = Recording.create(tmp_path / "run", info)
    writer = SegmentWriter(recording.edges_folder)
    writer.append(edges.samples, edges.levels, watermark=edges.end)
    writer.close()
    room = Headroom(reader_busy=0, writer_busy=0, pipe_fullest=0, queue_fullest=0)
    result = CaptureResult(samples=edges.end, size_bytes=0, wall_s=1, edges=0, in_order=True, stderr="", headroom=room)
    finished, beats = conclude(recording, result, heartbeats={"hb": PERIOD_NS})
    read_back = Recording.open(tmp_path / "run").edges()
    ((start, end),) = read_back.gaps.tolist()

    assert "incomplete" == finished.info.state
    assert "5000 ± 2 samples were lost at 0.04" in finished.info.reason
    assert beats[0].losses == finished.info.losses
    assert start < 1_000_000 < end
    assert edges.end + 5_000 == read_back.end
    assert edges.samples[-1] + 5_000 == read_back.samples[-1]
    with pytest.raises(CaptureError, match="no heartbeat"):
        heartbeat.read(waveform_of(read_back.window(0, 1000)), "hb", period_ns=PERIOD_NS)
