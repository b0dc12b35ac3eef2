"""Cases of waveforms that a bench damaged: lines, power, counters, clocks, blocks of samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import synthetic_events
from fuzz.decoders import QUIET, drawn, sampled
from numpy.typing import NDArray
from tripcases import trips

from gpiorig.analysis.events import events
from gpiorig.analysis.events.decoder import KNOWN_CODES
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sync import heartbeat, sync_line

from . import seeds
from .case import Case, Verdict

WIDTH = 2
SENT = [(KNOWN_CODES[n % 20], None if n % 3 else 1000 + n) for n in range(30)]
WIRING = [NodeLines("n", Bus("D0", tuple(f"D{i + 1}" for i in range(WIDTH)), 400))]
Levels = NDArray[np.uint64]


def decoded(levels: Levels, gaps: NDArray[np.int64] | None = None) -> Events:
    """The events of a bus."""
    return events.from_edges(sampled(levels, 1 + WIDTH, no_gaps() if gaps is None else gaps), WIRING)


def good() -> tuple[Levels, list[int], dict[int, tuple[int, int]]]:
    """The bus as it was, where frames begin, and what they are."""
    levels, starts = drawn(SENT, WIDTH)
    return (
        levels,
        starts,
        {at: (code, -1 if id_ is None else id_) for at, (code, id_) in zip(starts, SENT, strict=False)},
    )


def bus(name: str, verdict: Verdict, change: Callable[[Levels, list[int]], tuple[int, int]]) -> Case:
    """Damage to the samples in [start, end) that `change` returns: outside nothing changes, inside it is marked."""

    def check(folder: Path) -> str:
        levels, starts, sent = good()
        start, end = change(levels, starts)
        frames = decoded(levels)
        rows = zip(frames.samples.tolist(), frames.codes.tolist(), frames.ids.tolist(), strict=True)
        got = {at: (code, id_) for at, code, id_ in rows}
        if verdict is Verdict.SAME:
            return "" if got == sent and not frames.damaged.samples.size else f"{len(got)} events of {len(sent)}"
        outside = {at: row for at, row in sent.items() if not start - QUIET < at < end}
        invented = got.items() - sent.items()
        marked = any(start - 60 < at < end + 60 for at in frames.damaged.samples.tolist())
        if not outside.items() <= got.items():
            return "events outside the damage are lost"
        if invented:
            return f"events that were not sent, at {sorted(invented)[:5]}"
        return "" if marked else "events are lost without a mark"

    return Case("waveform", name, verdict, check)


def lines() -> list[Case]:
    """Lines of a bus."""

    def swapped(levels: Levels, starts: list[int]) -> tuple[int, int]:
        levels[:] = (
            levels & 1 | (levels >> np.uint64(1) & 1) << np.uint64(2) | (levels >> np.uint64(2) & 1) << np.uint64(1)
        )
        return 0, len(levels)

    def stuck(line: int, high: bool) -> Callable[[Levels, list[int]], tuple[int, int]]:
        def change(levels: Levels, starts: list[int]) -> tuple[int, int]:
            levels[starts[3] : starts[9]] &= np.uint64(7 ^ 1 << line)
            levels[starts[3] : starts[9]] |= np.uint64(high << line)
            return starts[3], starts[9]

        return change

    def glitch(line: int, offset: int) -> Callable[[Levels, list[int]], tuple[int, int]]:
        def change(levels: Levels, starts: list[int]) -> tuple[int, int]:
            levels[starts[5] + offset] ^= np.uint64(1 << line)
            return starts[5], starts[6] - QUIET

        return change

    def brown_out(levels: Levels, starts: list[int]) -> tuple[int, int]:
        levels[starts[4] + 10 : starts[7] + 6] = 0
        return starts[4], starts[8] - QUIET

    def dropped(levels: Levels, starts: list[int]) -> tuple[int, int]:
        levels[starts[4] + 10 : -20] = levels[starts[4] + 30 :]
        levels[-20:] = levels[-21]
        return starts[4], len(levels)

    return [
        bus("data line glitches between two strobes", Verdict.SAME, glitch(1, 3)),
        bus("data line glitches at rest", Verdict.SAME, glitch(2, -12)),
        bus("data line is wrong at a strobe", Verdict.MARK, glitch(1, 9)),
        bus("strobe glitches within a frame", Verdict.MARK, glitch(0, 6)),
        bus("strobe glitches at rest", Verdict.MARK, glitch(0, -12)),
        bus("brown-out over three frames", Verdict.MARK, brown_out),
        Case("waveform", "a block of samples dropped", Verdict.MARK, _dropped(dropped)),
        *(
            Case("waveform", f"line {line} stuck {'high' if high else 'low'}", Verdict.MARK, _mostly(stuck(line, high)))
            for line in (1, 2)
            for high in (False, True)
        ),
        Case("waveform", "data lines swapped", Verdict.MARK, _mostly(swapped)),
    ]


def _dropped(change: Callable[[Levels, list[int]], tuple[int, int]]) -> Callable[[Path], str]:
    """Later events come early by what was dropped: the codes are those that were sent, but for one damaged frame."""

    def check(folder: Path) -> str:
        levels, starts, sent = good()
        change(levels, starts)
        frames, codes = decoded(levels), [code for code, _ in sent.values()]
        left = codes[:4] + codes[5:]
        ok = frames.codes.tolist() == left and frames.damaged.samples.size == 1
        return "" if ok else f"{frames.codes.tolist()} of {codes}, {frames.damaged.samples.size} damaged"

    return check


def _mostly(change: Callable[[Levels, list[int]], tuple[int, int]]) -> Callable[[Path], str]:
    """A line that is wrong for many frames passes the check of 4 bits once in 16 at most; damage is counted."""

    def check(folder: Path) -> str:
        levels, starts, sent = good()
        start, end = change(levels, starts)
        frames = decoded(levels)
        rows = zip(frames.samples.tolist(), frames.codes.tolist(), frames.ids.tolist(), strict=True)
        wrong = sum(sent.get(at) != (code, id_) for at, code, id_ in rows)
        hit = sum(start <= at < end for at in sent)
        lost = len(sent) - (len(frames.samples) - wrong)
        accounted = frames.damaged.samples.size + wrong >= lost
        return (
            ""
            if accounted and wrong <= max(1, hit // 8)
            else f"{lost} lost, {wrong} wrong, {frames.damaged.samples.size} damaged"
        )

    return check


def square(count: int, *, lost: tuple[int, int] = (0, 0), step: int = 0) -> Edges:
    """A heartbeat of 10 ms at 1 MHz; samples lost without a mark, or the source's clock stepped by some."""
    rises = 500 + 10_000 * np.arange(count, dtype=np.int64)
    rises[count // 2 :] += step
    both = np.concatenate([[0], np.stack([rises, rises + 5000], axis=1).reshape(-1)])
    level = np.concatenate([[0], np.tile([1, 0], count)]).astype(np.uint64)
    at, size = lost
    inside = (both >= at) & (both < at + size)
    both = np.where(both >= at + size, both - size, both)[~inside]
    return Edges.from_blocks(
        [(both, level[~inside])], samplerate_hz=seeds.RATE_HZ, channels=("hb",), end=int(both[-1]) + 1
    )


def losses() -> list[Case]:
    """Samples that were lost without a mark, found by a heartbeat."""

    def check(at: int, size: int, step: int = 0) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            edges = square(400, lost=(at, size), step=step)
            gaps = heartbeat.read(waveform_of(edges), "hb", period_ns=10_000_000).losses
            if not size and not step:
                return "" if not gaps else f"{gaps}"
            near = (
                len(gaps) == 1 and abs((gaps[0].samples - (size - step) + 5000) % 10_000 - 5000) <= gaps[0].uncertainty
            )
            return "" if near else f"{gaps}"

        return run

    return [
        Case("waveform", "a heartbeat without a loss", Verdict.SAME, check(0, 0)),
        *(
            Case("waveform", f"a USB block of {size} samples dropped at {at}", Verdict.MARK, check(at, size))
            for at, size in ((1_003_000, 512), (2_000_100, 4096), (3_004_000, 16_384 - 300), (1_007_000, 8192))
        ),
        Case("waveform", "the clock of the heartbeat steps by 1 ms", Verdict.MARK, check(0, 0, step=-1000)),
    ]


def counters() -> list[Case]:
    """Counters that wrap, steps of a sync line, packets of damaged events."""

    def wrapped(folder: Path) -> str:
        events = synthetic_events.ping_pongs(40, first_id=0xFFF0)
        built = trips(events).timelines
        good_ = np.array_equal(built.samples, synthetic_events.truth(events).samples[:, : built.samples.shape[1]])
        return "" if len(built.samples) == 40 and good_ else f"{built.samples.shape}"

    def sync(change: Callable[[NDArray[np.int64]], NDArray[np.int64]], damaged: int) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            bits = sync_line.code()[100:180]
            rises = change(5000 + 10_000 * np.arange(80, dtype=np.int64))
            falls = rises + np.where(bits == 1, 200, 100)
            samples = np.concatenate([[0], np.stack([rises, falls], axis=1).reshape(-1)])
            levels = np.concatenate([[0], np.tile([1, 0], 80)]).astype(np.uint64)
            edges = Edges.from_blocks(
                [(samples, levels)], samplerate_hz=seeds.RATE_HZ, channels=("sync",), end=int(samples[-1]) + 1
            )
            try:
                pulses = sync_line.read(edges, "sync")
            except CaptureError:
                return "refused"
            numbers = dict(zip(rises.tolist(), range(100, 180), strict=True))
            wrong = [at for at, number in zip(pulses.samples.tolist(), pulses.positions.tolist(), strict=True)
                     if numbers.get(at, -1) != number]  # fmt: skip
            return (
                ""
                if not wrong and len(pulses.samples) + pulses.damaged >= 80 - damaged
                else f"{wrong[:3]}, {pulses.damaged}"
            )

        return run

    def stepped(rises: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(np.arange(80) >= 40, rises + 3000, rises)

    return [
        Case("waveform", "packet ids wrap at 16 bits", Verdict.SAME, wrapped),
        Case("waveform", "a whole sync line", Verdict.SAME, sync(lambda rises: rises, 0)),
        Case("waveform", "the clock of the sync line steps by 3 ms", Verdict.MARK, sync(stepped, 2)),
    ]


def segments() -> list[Case]:
    """An interval of a capture that is missing, with a gap, or there twice."""

    def missing(folder: Path) -> str:
        levels, starts, sent = good()
        gap = np.array([[starts[4] + 5, starts[9] + 5]], dtype=np.int64)
        frames = decoded(levels, gap)
        got = {
            at: (c, i)
            for at, c, i in zip(frames.samples.tolist(), frames.codes.tolist(), frames.ids.tolist(), strict=True)
        }
        outside = {at: row for at, row in sent.items() if at < starts[4] or at > starts[9]}
        return "" if got == outside and frames.gaps.tolist() == gap.tolist() else f"{got.keys() ^ outside.keys()}"

    def doubled(folder: Path) -> str:
        edges = seeds.capture()
        half = edges.samples.size // 2
        try:
            Edges.from_blocks(
                [(edges.samples, edges.levels), (edges.samples[half:], edges.levels[half:])],
                samplerate_hz=edges.samplerate_hz, channels=edges.channels, end=edges.end,
            )  # fmt: skip
        except CaptureError:
            return ""
        return "accepted"

    return [
        Case("waveform", "a stretch is missing, with a gap", Verdict.MARK, missing),
        Case("waveform", "a stretch is there twice", Verdict.ERROR, doubled),
    ]


def cases() -> list[Case]:
    """All of them."""
    return [*lines(), *losses(), *counters(), *segments()]
