"""Several captures of the same time as one: their channels side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import MAX_CHANNELS, no_gaps
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform, of_parts
from gpiorig.capture.errors import CaptureError

NEVER = 2**63 - 1


def join(parts: Sequence[Waveform]) -> Waveform:
    """Put the channels of captures side by side, those of the first at the lowest bits.

    The result covers the time that all of them cover; lists of changes, whose begin and end are unknown
    (`open_ended`), continue beyond their rows, so that several of them cover the union of their times. What is cut is
    in the remarks of the result once it is read. Where one of them has a gap, the result has one: a level that is not
    known makes a row unknown. Memory is that of a few blocks.

    Parameters
    ----------
    parts
        Captures that number their samples alike: same samplerate, same sample 0.

    Raises
    ------
    CaptureError
        Their samplerates or channels do not go together; when it is read: they have no time in common.
    """
    rates = {part.samplerate_hz for part in parts}
    if len(rates) != 1:
        raise CaptureError(
            f"captures of {len(rates)} samplerates cannot be joined", remedy="bring them to a common one"
        )
    channels = tuple(name for part in parts for name in part.channels)
    if len(channels) > MAX_CHANNELS:
        raise CaptureError(
            f"{len(channels)} channels in all, at most {MAX_CHANNELS} fit", remedy="omit those not needed"
        )
    named = [name for name in channels if name]
    if twice := {name for name in named if named.count(name) > 1}:
        raise CaptureError(f"channel {sorted(twice)[0]} is in more than one capture", remedy="rename it in one of them")
    rate = rates.pop()
    origins = {part.rate_origin for part in parts}
    recorders = {part.recorder for part in parts}
    remarks: list[str] = []

    def read() -> Iterator[Block]:
        remarks.clear()
        opened = [_Part(part) for part in parts]
        yield from _joined(opened)
        closed = [part for part in opened if not part.open_ended and part.last]
        if len(closed) > 1 and max(part.first for part in closed) >= min(part.last for part in closed):
            spans = (
                f"{part.name} from {float(part.first / rate):.6f} to {float(part.last / rate):.6f} s" for part in closed
            )
            raise CaptureError(
                f"the captures have no time in common: {', '.join(spans)}",
                remedy="give captures of one measurement, with their epochs where they do not begin together",
            )
        remarks.extend(text for part in opened if (text := part.cut_text(rate)))

    return Waveform(
        samplerate_hz=rate,
        channels=channels,
        read=read,
        remarks=remarks,
        open_ended=all(part.open_ended for part in parts),
        epoch=next((part.epoch for part in parts if part.epoch), ""),
        source=" and ".join(part.source for part in parts if part.source),
        virtual=of_parts(part.virtual for part in parts),
        rate_origin=origins.pop() if len(origins) == 1 else RateOrigin.TIMES,
        recorder=recorders.pop() if len(recorders) == 1 else "",
    )


class _Part:
    """One of the captures, read ahead as far as was asked for."""

    def __init__(self, waveform: Waveform) -> None:
        self._blocks = waveform.read()
        self.name = waveform.source or ", ".join(name for name in waveform.channels if name)
        self.width = len(waveform.channels)
        self.open_ended = waveform.open_ended
        self.first = 0  # where its capture begins, and where it ends as far as it was read
        self.last = 0
        self.cut_begin = self.cut_end = 0
        self.samples = np.empty(0, dtype=np.int64)
        self.levels = np.empty(0, dtype=np.uint64)
        self.gaps = no_gaps()
        self.end = 0
        self.ended = False

    def advance(self) -> None:
        """Read the next block."""
        block = next(self._blocks, None)
        if block is None:
            self.ended = True
            if self.open_ended:
                self.end = NEVER
            return
        if not self.samples.size and block.samples.size:
            self.first = int(block.samples[0])
        self.samples = np.append(self.samples, block.samples)
        self.levels = np.append(self.levels, block.levels)
        self.gaps = np.append(self.gaps, block.gaps, axis=0)
        self.end = self.last = block.end

    def cover(self, begin: int) -> None:
        """Begin at the sample at which the result does; a list without changes is low."""
        if not self.samples.size:
            self.samples, self.levels = np.array([begin]), np.zeros(1, dtype=np.uint64)
        elif self.open_ended and begin < self.first:
            self.samples[0] = begin
        else:
            self.cut_begin = begin - self.first

    def finish(self, end: int) -> None:
        """Note where the result ended, and read on to what is omitted."""
        while not self.ended:
            self.advance()
            self.forget(self.last)
        self.cut_end = max(self.last - end, 0)

    def cut_text(self, rate: Fraction) -> str:
        """The part of it that is not in the result, as text."""
        places = ((self.cut_begin, "the first"), (self.cut_end, "the last"))
        cuts = [f"{place} {float(samples / rate):.6f} s" for samples, place in places if samples]
        return f"{self.name}: {' and '.join(cuts)} are omitted: not all files cover them" if cuts else ""

    def levels_at(self, samples: NDArray[np.int64]) -> NDArray[np.uint64]:
        return self.levels[np.searchsorted(self.samples, samples, side="right") - 1]

    def forget(self, before: int) -> None:
        """Drop rows and gaps that end before this sample, but for the row that holds there."""
        first = max(int(np.searchsorted(self.samples, before, side="right")) - 1, 0)
        self.samples, self.levels = self.samples[first:], self.levels[first:]
        self.gaps = self.gaps[self.gaps[:, 1] > before]


def _joined(parts: list[_Part]) -> Iterator[Block]:
    for part in parts:
        while not (part.samples.size or part.ended):
            part.advance()
    if any(part.samples.size == 0 and not part.open_ended for part in parts) or not any(
        part.samples.size for part in parts
    ):
        for part in parts:
            part.finish(part.first)
        return
    closed = [part for part in parts if not part.open_ended]
    at = max(part.first for part in closed) if closed else min(part.first for part in parts if part.samples.size)
    for part in parts:
        part.cover(at)
    begun = False
    while late := [part for part in parts if not part.ended]:
        first = min(late, key=lambda part: part.end)
        first.advance()
        if first.ended and not first.open_ended:
            until, ended = min(part.end for part in parts), True
        elif first.ended and len(late) == 1:
            until, ended = max(part.last for part in parts), True
        else:
            until, ended = min(part.end for part in parts), False
        if not ended:  # a gap that reaches so far may continue in another part
            gaps = _union(np.concatenate([part.gaps for part in parts]))
            until = min([until, *(int(start) for start, end in gaps if end >= until)])
        if until > at:
            block = _rows(parts, at, until, first=not begun)
            begun = begun or block.samples.size > 0
            if begun:
                yield block
            at = until
            for part in parts:
                part.forget(at)
        if ended:
            break
    for part in parts:
        part.finish(at)


def _rows(parts: list[_Part], at: int, until: int, *, first: bool) -> Block:
    """The rows of all parts in [at, until); the first one of all is at `at`."""
    gaps = _union(np.concatenate([np.clip(part.gaps, at, until) for part in parts]))
    if first and gaps.size and gaps[0, 0] == at:  # nothing is known before this gap, so the capture starts after it
        at, gaps = int(gaps[0, 1]), gaps[1:]
        if at == until:
            return Block(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64), until)
    rows = [part.samples[np.searchsorted(part.samples, at) : np.searchsorted(part.samples, until)] for part in parts]
    after = gaps[:, 1][gaps[:, 1] < until]
    samples = np.unique(np.concatenate([*rows, after, np.array([at] if first else [], dtype=np.int64)]))
    inside = np.searchsorted(gaps[:, 0], samples, side="right") - np.searchsorted(gaps[:, 1], samples, side="right")
    samples = samples[inside == 0]
    levels = np.zeros(samples.size, dtype=np.uint64)
    shift = 0
    for part in parts:
        levels |= part.levels_at(samples) << np.uint64(shift)
        shift += part.width
    return Block(samples, levels, until, gaps)


def _union(gaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ranges that may overlap, as ranges that do not, in order; empty ones are dropped."""
    rows: list[list[int]] = []
    for start, end in sorted(gaps[gaps[:, 0] < gaps[:, 1]].tolist()):
        if rows and start <= rows[-1][1]:
            rows[-1][1] = max(rows[-1][1], end)
        else:
            rows.append([start, end])
    return np.array(rows, dtype=np.int64).reshape(-1, 2)
