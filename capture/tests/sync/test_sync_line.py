"""The sync line's code: maximal length, and read back whatever the clock, the start and the damage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sync_lines import LONG, PERIOD, RATE_HZ, SHORT, line, recording

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import sync_line


def test_every_window_is_there_once() -> None:
    """The polynomial is primitive: all 65535 windows of 16 bits but zero occur once in a round."""
    bits = np.append(sync_line.code(), sync_line.code()[:15]).astype(np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(bits, 16) @ (1 << np.arange(16))

    assert np.array_equal(np.arange(1, 2**16), np.sort(windows))


def test_the_sequence_of_the_document() -> None:
    """The first bits as docs/reference/sync-line.md prints them."""
    assert "0000000000000001000100010001101" == "".join(map(str, sync_line.code()[:31]))


@settings(deadline=None, max_examples=50)
@given(first=st.integers(0, sync_line.LENGTH - 1), count=st.integers(16, 60), ppm=st.integers(-200, 200))
def test_positions_are_found(first: int, count: int, ppm: int) -> None:
    """Wherever a recording begins, each pulse gets its number; beyond the end of a round it continues counting."""
    rises, falls = line(first, count, ppm=ppm)
    pulses = sync_line.read(recording(rises, falls), "sync")

    assert rises.tolist() == pulses.samples.tolist()
    assert (first + np.arange(count)).tolist() == pulses.positions.tolist()
    assert 0 == pulses.damaged


def test_missing_pulsesand_glitches() -> None:
    """A pulse that is lost, one that a glitch cuts in two and a short pulse between leave the others in place."""
    rises, falls = line(1000, 60)
    cut = falls[20] - SHORT // 2
    keep = np.arange(60) != 10
    rises = np.sort(np.concatenate([rises[keep], [cut + 1, rises[30] + 5_000]]))
    falls = np.sort(np.concatenate([falls[keep], [cut, rises[31] + 5_003]]))
    pulses = sync_line.read(recording(rises, falls), "sync")

    expected = [1000 + n for n in range(60) if n not in (10, 20)]
    assert set(expected) >= set(pulses.positions.tolist())
    assert len(pulses.positions) >= 57
    assert pulses.damaged >= 2


def test_lost_samples() -> None:
    """Where an analyzer has lost samples, the pulses after the loss get their right numbers all the same."""
    rises, falls = line(500, 60)
    shift = np.where(np.arange(60) >= 30, 3_333, 0)
    pulses = sync_line.read(recording(rises - shift, falls - shift), "sync")

    assert (500 + np.arange(60)).tolist() == pulses.positions.tolist()
    assert (rises - shift).tolist() == pulses.samples.tolist()


def test_beginning_within_a_pulse() -> None:
    """A recording that begins while a pulse is high: that pulse is omitted."""
    rises, falls = line(7, 30, offset=-50)
    samples = np.concatenate([[0], np.sort(np.concatenate([rises[1:], falls]))])
    levels = np.concatenate([[1], np.tile([0, 1], 30)[:59]]).astype(np.uint64)
    edges = Edges.from_blocks(
        [(samples, levels)], samplerate_hz=Fraction(RATE_HZ), channels=("sync",), end=int(samples[-1]) + 1
    )

    assert (8 + np.arange(29)).tolist() == sync_line.read(edges, "sync").positions.tolist()


def test_a_loss_of_whole_periods_shows_in_the_code() -> None:
    """Samples of 7 periods are lost, so the pulses continue evenly: their positions jump by 7."""
    rises, falls = line(0, 200)
    left = np.r_[0:80, 87:200]
    moved = np.where(np.arange(200) < 80, 0, 7 * PERIOD)[left]

    pulses = sync_line.read(recording(rises[left] - moved, falls[left] - moved), "sync")

    assert set(pulses.positions) <= set(left.tolist())
    assert len(pulses.positions) >= len(left) - sync_line.STAGES
    assert np.array_equal((rises - np.where(np.arange(200) < 80, 0, 7 * PERIOD))[pulses.positions], pulses.samples)


@pytest.mark.parametrize("count", [0, 1, 15])
def test_too_few_pulses(count: int) -> None:
    """Fewer than 16 pulses do not give their position: an error with the time to record."""
    with pytest.raises(CaptureError, match=r"no 16 sync pulses in a row.*record longer than 170 ms"):
        sync_line.read(recording(*line(0, count)), "sync")


def test_another_signal() -> None:
    """A square wave is not a sync line, nor are pulses of random widths."""
    rises, _ = line(0, 200)
    with pytest.raises(CaptureError, match="no 16 sync pulses"):
        sync_line.read(recording(rises, rises + PERIOD // 2), "sync")
    random = np.random.default_rng(1).integers(0, 2, 200)
    with pytest.raises(CaptureError, match="contradicts itself"):
        sync_line.read(recording(rises, rises + np.where(random, LONG, SHORT)), "sync")


def test_unknown_channel() -> None:
    """The channels that there are, are named."""
    with pytest.raises(CaptureError, match="no channel clock; available channels: sync"):
        sync_line.read(recording(*line(0, 20)), "clock")


def test_pulses_after_a_loss_that_are_too_few() -> None:
    """Fifteen of them have no place in the code and are omitted; sixteen have one."""
    for count in (15, 16):
        rises, falls = line(500, 40 + count)
        shift = np.where(np.arange(40 + count) >= 40, 3_333, 0)
        pulses = sync_line.read(recording(rises - shift, falls - shift), "sync")

        assert (500 + np.arange(40 if count < 16 else 56)).tolist() == pulses.positions.tolist()
        assert (15 if count < 16 else 0) == pulses.damaged
