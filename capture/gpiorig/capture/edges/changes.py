"""From changes of single channels, as files list them, to the blocks of a waveform."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.extractor import ALL_CHANNELS
from gpiorig.capture.edges.waveform import Block
from gpiorig.capture.errors import FormatError


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Changes of channels and their instants.

    Attributes
    ----------
    times
        int64, shape (n,): sample numbers, not decreasing.
    masks
        uint64, shape (n,): the channels that are spoken of; 0 for an instant at which nothing changes.
    values
        uint64, shape (n,): their levels from then on.
    unknown
        uint64, shape (n,): those of them whose level is not known from then on.
    """

    times: NDArray[np.int64]
    masks: NDArray[np.uint64]
    values: NDArray[np.uint64]
    unknown: NDArray[np.uint64]

    def __getitem__(self, part: slice | NDArray[np.int64]) -> Changes:
        return Changes(self.times[part], self.masks[part], self.values[part], self.unknown[part])


def changes(times: NDArray[np.int64], masks: int, values: NDArray[np.uint64]) -> Changes:
    """Return changes of always the same channels, all of them known.

    Parameters
    ----------
    times
        int64, shape (n,): sample numbers.
    masks
        The channels.
    values
        uint64, shape (n,): their levels.
    """
    return Changes(times, np.full(times.size, masks, dtype=np.uint64), values, np.zeros(times.size, dtype=np.uint64))


def merged(parts: Sequence[Iterator[Changes]]) -> Iterator[Changes]:
    """Yield the changes of several sources, each of them in the order of time, in the order of time.

    Memory is that of one part of each source.
    """
    heads = [head for head in (_Head(part) for part in parts) if head.advance()]
    while len(heads) > 1:
        limit = min(int(head.rows.times[-1]) for head in heads)
        yield _in_order([head.take(limit) for head in heads])
        heads = [head for head in heads if head.rows.times.size or head.advance()]
    for head in heads:
        yield head.rows
        yield from head.source


class _Head:
    def __init__(self, source: Iterator[Changes]) -> None:
        self.source = source

    def advance(self) -> bool:
        for rows in self.source:
            if rows.times.size:
                self.rows = rows
                return True
        return False

    def take(self, limit: int) -> Changes:
        count = int(np.searchsorted(self.rows.times, limit, side="right"))
        part, self.rows = self.rows[:count], self.rows[count:]
        return part


def _in_order(parts: list[Changes]) -> Changes:
    times, masks, values, unknown = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("times", "masks", "values", "unknown")
    )
    return Changes(times, masks, values, unknown)[np.argsort(times, kind="stable")]


class _State(ctypes.Structure):
    """`changes::State` of the native crate."""

    _fields_ = (
        *((name, c_uint64) for name in ("levels", "unknown", "used", "shown", "before", "before_unknown")),
        *((name, c_int64) for name in ("time", "gap_from", "undone", "gaps", "disorder")),
        *((name, c_uint32) for name in ("gap_if_all", "pending", "started", "in_gap", "changed", "reserved")),
    )


class Assembler:
    """Puts changes together into blocks: one row for each instant at which a level changed, and the gaps.

    A change that is undone in the same instant is in no row; `undone` counts both, it and what undoes it.

    Parameters
    ----------
    used
        Mask of the channels that are in use; changes of others are dropped.
    levels
        Levels before the first change.
    unknown
        Channels of which nothing is known before their first change.
    gap_if_all
        A gap is where no channel is known, and a single one that is not known reads low; otherwise, a gap is where any
        channel is not known.
    """

    def __init__(self, *, used: int, levels: int = 0, unknown: int = 0, gap_if_all: bool = False) -> None:
        for name, mask in (("used", used), ("levels", levels), ("unknown", unknown)):
            native.number(mask, name=f"a mask `{name}` of", low=0, high=ALL_CHANNELS)
        arrays = (c_void_p,) * 4
        self._feed = native.kernel(
            "gpiorig_changes_feed", POINTER(_State), *arrays, c_size_t, c_void_p, c_void_p, c_void_p, c_uint32
        )
        self._state = _State(
            levels=levels,
            unknown=unknown & used,
            used=used,
            before=levels,
            before_unknown=unknown & used,
            gap_if_all=gap_if_all,
            disorder=-1,
        )

    @property
    def undone(self) -> int:
        """Changes that make no edge, since the same instant undoes them; complete after `finish`."""
        return int(self._state.undone)

    def feed(self, changes: Changes) -> Block:
        """Take changes.

        Raises
        ------
        FormatError
            They go back in time.
        """
        block = self._call(changes, finish=False)
        if self._state.disorder >= 0:
            at = int(changes.times[self._state.disorder])
            raise FormatError(f"goes back in time, to sample {at} from sample {self._state.time}")
        return block

    def finish(self, end: int | None = None) -> Block:
        """Complete the last instant.

        Parameters
        ----------
        end
            One past the last sample of the capture. If None: the last instant, or one past it where a channel
            changes at it.
        """
        has_changed, time = bool(self._state.changed), int(self._state.time)
        empty = np.empty(0, dtype=np.int64)
        nothing = empty.view(np.uint64)
        block = self._call(Changes(empty, nothing, nothing, nothing), finish=True)
        if end is None:
            end = time + has_changed if self._state.started else 0
        if self._state.in_gap:
            end = int(self._state.gap_from)
        elif self._state.started and block.samples.size:
            end = max(end, int(block.samples[-1]) + 1)
        return Block(block.samples, block.levels, end, block.gaps)

    def _call(self, changes: Changes, *, finish: bool) -> Block:
        times = native.column(changes.times, np.int64, name="times")
        count = times.size
        sets = {"masks": changes.masks, "values": changes.values, "unknown": changes.unknown}
        bits = [native.column(array, np.uint64, name=name, count=count) for name, array in sets.items()]
        samples = np.empty(count + 1, dtype=np.int64)
        levels = np.empty(count + 1, dtype=np.uint64)
        gaps = np.empty((count + 1, 2), dtype=np.int64)
        rows = native.checked(
            self._feed(
                ctypes.byref(self._state),
                *(array.ctypes.data for array in (times, *bits)),
                count,
                samples.ctypes.data,
                levels.ctypes.data,
                gaps.ctypes.data,
                finish,
            )
        )
        end = int(self._state.time) if self._state.pending else 0
        if self._state.in_gap:
            end = int(self._state.gap_from)
        return Block(samples[:rows].copy(), levels[:rows].copy(), end, gaps[: self._state.gaps].copy())


def assembled(
    parts: Iterable[Changes], assembler: Assembler, *, remarks: list[str], end: int | None = None
) -> Iterator[Block]:
    """Yield the blocks of a waveform from the changes in a file.

    Parameters
    ----------
    parts
        Changes in the order of time.
    assembler
        A new one.
    remarks
        Gets a line about changes that share an instant, if there are any.
    end
        As of `Assembler.finish`.
    """
    for changes in parts:
        block = assembler.feed(changes)
        if block.samples.size or block.gaps.size:
            yield block
    block = assembler.finish(end)
    if assembler.undone:
        remarks.append(f"changes that make no edge, since the same instant undoes them: {assembler.undone}")
    if block.end or block.samples.size:
        yield block
