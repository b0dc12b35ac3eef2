"""A capture that is read block by block, in memory that does not grow with its length: what every reader gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges, no_gaps

MAX_SAMPLES = 2**62  # beyond it, and its like below zero, there is no sample: two of them can be added
VIRTUAL_MARK = "virtual bench, not a hardware measurement"  # in files and figures
NO_SAMPLES = np.empty(0, dtype=np.int64)
NO_LEVELS = np.empty(0, dtype=np.uint64)


class RateOrigin(StrEnum):
    """What a samplerate is.

    Set on the analyzer; stated by the file; given with --samplerate; derived, as the lowest usual one on whose samples
    all times fall; or the resolution of times, which state none. None: instants are numbers of samples, and 1 Hz stands
    for a rate that is not known.
    """

    RECORDER = "recorder"
    FILE = "file"
    OPTION = "option"
    DERIVED = "derived"
    TIMES = "times"
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The next block of a capture.

    Attributes
    ----------
    samples
        int64, shape (n,): sample numbers, increasing from block to block. The very first is where the capture starts.
    levels
        uint64, shape (n,): bit i is the level of channel i from that sample on.
    end
        All samples before this one are known, or lost, once the block is read; it never decreases.
    gaps
        int64, shape (k, 2): sample ranges (from, to) that were lost, none of them in another block. A row at `to` gives
        the levels after a gap, in this block or the next.
    """

    samples: NDArray[np.int64]
    levels: NDArray[np.uint64]
    end: int
    gaps: NDArray[np.int64] = field(default_factory=no_gaps)


@dataclass(frozen=True, slots=True)
class TimeStep:
    """The step on which the instants of a file lie, as `time_step` estimates it.

    Attributes
    ----------
    resolution_s
        What the file can tell: its sample period, or the last digit of most of its times.
    step_s
        The coarsest step on which the instants lie; the resolution where none shows.
    possible_s
        A coarser step on which they lie, too, which the edges do not bear out; 0 without one.
    is_certain
        The capture is long enough for clocks to drift apart: the step is that of the recorder, not of a signal.
    is_rounded
        The instants are those of the step rounded to the resolution, of which it is not a multiple.
    edges
        Instants that it was estimated from.
    """

    resolution_s: Fraction
    step_s: Fraction
    possible_s: Fraction
    is_certain: bool
    is_rounded: bool
    edges: int

    @property
    def is_coarser(self) -> bool:
        """Whether the edges show a step other than the resolution."""
        return self.step_s != self.resolution_s


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Waveform:
    """A capture as a stream of blocks.

    Attributes
    ----------
    samplerate_hz
        Samples per second, exact. For a file of times it is the resolution of those times.
    rate_origin
        Which of the two, or what else it is.
    channels
        Name of each channel, bit 0 first; "" for a bit that is not in use.
    read
        Begins to read, at the first block, each time it is called.
    epoch
        Wall-clock time of sample 0 (ISO 8601 with offset, every digit the file has), or "" when the file has none.
    source
        What the capture was read from, and what its reader had to assume, as text.
    remarks
        What the reader came upon, as text; filled while the blocks are read, complete when all of them are.
    open_ended
        The file is a list of changes without the start and the end of the capture: what is before its first
        row holds before it, too, and what is after its last row continues.
    virtual
        Whether a virtual bench made it; None: that is not known, as of most files.
    groups
        How many groups of rows follow each other, whose times begin again in each: of the gaps of one sample, all but
        one of this number separate them, and nothing is lost there. 0: no groups.
    recorder
        sigrok's driver of what took it, or the beginning of its name that tells the maker; "" where that is not known.
    step
        The step of its instants, where it was estimated before.
    """

    samplerate_hz: Fraction
    channels: tuple[str, ...]
    read: Callable[[], Iterator[Block]]
    epoch: str = ""
    source: str = ""
    remarks: list[str] = field(default_factory=list)
    open_ended: bool = False
    virtual: bool | None = None
    groups: int = 0
    rate_origin: RateOrigin = RateOrigin.FILE
    recorder: str = ""
    step: TimeStep | None = None

    def edges(self) -> Edges:
        """Read all of it into memory.

        Raises
        ------
        CaptureError
            The blocks are not those of a capture.
        """
        blocks, gaps, end = [], [no_gaps()], 0
        for block in self.read():
            blocks.append((block.samples, block.levels))
            gaps.append(block.gaps)
            end = block.end
        return Edges.from_blocks(
            blocks, samplerate_hz=self.samplerate_hz, channels=self.channels, end=end, gaps=np.concatenate(gaps)
        )


def stated(note: str | None) -> bool | None:
    """Whether a note in a file is the mark of a virtual bench; None: it states nothing."""
    return True if note == VIRTUAL_MARK else None


def of_parts(marks: Iterable[bool | None]) -> bool | None:
    """Whether what is joined of such parts is of a virtual bench: one of them is enough, all are needed for no."""
    distinct = set(marks)
    return True if True in distinct else False if distinct == {False} else None


def joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Read blocks with gaps that adjoin or overlap as one gap; rows inside it are omitted.

    A gap at the end of a block waits for the next block, which may continue with it.
    """
    waiting, end = no_gaps(), 0
    for block in blocks:
        samples, levels, end = block.samples, block.levels, block.end
        if not waiting.size and not block.gaps.size:
            yield block
            continue
        gaps = _union(np.concatenate([waiting, block.gaps]))
        inside = np.searchsorted(gaps[:, 0], samples, side="right") > np.searchsorted(gaps[:, 1], samples, side="right")
        samples, levels = samples[~inside], levels[~inside]
        is_last = gaps[-1, 1] >= end and not (samples.size and samples[-1] >= gaps[-1, 1])
        gaps, waiting = (gaps[:-1], gaps[-1:]) if is_last else (gaps, no_gaps())
        yield Block(samples, levels, int(waiting[0, 0]) if is_last else end, gaps)
    if waiting.size:
        yield Block(NO_SAMPLES, NO_LEVELS, end, waiting)


def _union(gaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Gaps in order of their starts, those that adjoin or overlap as one."""
    ends = np.maximum.accumulate(gaps[:, 1])
    first = np.append(True, gaps[1:, 0] > ends[:-1])
    return np.column_stack([gaps[first, 0], ends[np.append(first[1:], True)]])


def waveform_of(edges: Edges, *, epoch: str = "", source: str = "", virtual: bool | None = None) -> Waveform:
    """Return edges in memory as a waveform of one block."""

    def read() -> Iterator[Block]:
        yield Block(edges.samples, edges.levels, edges.end, edges.gaps)

    return Waveform(
        samplerate_hz=edges.samplerate_hz,
        channels=edges.channels,
        read=read,
        epoch=epoch,
        source=source,
        virtual=virtual,
    )
