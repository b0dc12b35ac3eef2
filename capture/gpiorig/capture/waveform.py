"""A capture that is read piece by piece, in memory that does not grow with its length: what every reader gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges import Edges, no_gaps


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The next piece of a capture.

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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Waveform:
    """A capture as a stream of blocks.

    Attributes
    ----------
    samplerate_hz
        Samples per second, exact. For a file of times it is the resolution of those times.
    channels
        Name of each channel, bit 0 first; "" for a bit that is not in use.
    read
        Begins to read, at the first block, each time it is called.
    epoch
        Wall-clock time of sample 0 (ISO 8601 with offset, every digit the file has), or "" when the file has none.
    source
        What the capture was read from, and what its reader had to assume: for people.
    remarks
        What the reader came upon, for people; filled while the blocks are read, complete when all of them are.
    """

    samplerate_hz: Fraction
    channels: tuple[str, ...]
    read: Callable[[], Iterator[Block]]
    epoch: str = ""
    source: str = ""
    remarks: list[str] = field(default_factory=list)

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


def waveform_of(edges: Edges, *, epoch: str = "", source: str = "") -> Waveform:
    """Return edges in memory as a waveform of one block."""

    def read() -> Iterator[Block]:
        yield Block(edges.samples, edges.levels, edges.end, edges.gaps)

    return Waveform(samplerate_hz=edges.samplerate_hz, channels=edges.channels, read=read, epoch=epoch, source=source)
