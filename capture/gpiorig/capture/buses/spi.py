"""SPI out of edges: words and transfers, as sigrok's decoder `spi` has them, block by block.

A transfer is the time chip select is active. A word begins at the first of its sampling clock edges and ends one bit
time after the last, taking the last bit for as long as the one before it. Bits left over when chip select changes are
dropped and counted.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import POINTER, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.edges import MAX_CHANNELS, Edges
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError

ROWS = 1 << 16  # edges in one call of the kernel: its output is as long
MAX_SAMPLE = 2**63 - 1
NOT_CONNECTED = 255  # capture/native/src/spi.rs, as all below
CUT_START, CUT_END, LEFT_OVER = 1, 2, 1 << 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SpiLines:
    """Where the lines of an SPI bus are, and how it is used.

    Attributes
    ----------
    clk, mosi, miso, select
        Channel numbers; None: not connected. Without `select` there are words but no transfers.
    mode
        0 to 3: 2 * CPOL + CPHA.
    word_bits
        1 to 64.
    lsb_first
        The least significant bit of a word comes first.
    select_active
        Level of chip select during a transfer.
    """

    clk: int
    mosi: int | None = None
    miso: int | None = None
    select: int | None = None
    mode: int = 0
    word_bits: int = 8
    lsb_first: bool = False
    select_active: int = 0

    def __post_init__(self) -> None:
        """Refuse a bus that cannot be."""
        used = [line for line in (self.clk, self.mosi, self.miso, self.select) if line is not None]
        if len(set(used)) != len(used) or not all(0 <= line < MAX_CHANNELS for line in used):
            raise CaptureError(f"the channels {used} are not different numbers below {MAX_CHANNELS}")
        if self.mosi is None and self.miso is None:
            raise CaptureError("an SPI bus without data lines", remedy="connect mosi, miso or both")
        if self.mode not in range(4) or not 1 <= self.word_bits <= 64 or self.select_active not in (0, 1):
            raise CaptureError(
                f"SPI mode {self.mode} with {self.word_bits} bits and select_active {self.select_active}",
                remedy="modes are 0 to 3, words have 1 to 64 bits, levels are 0 and 1",
            )


def lines_of(channels: Sequence[str], node: str) -> SpiLines:
    """Return where the SPI bus of a node's radio is in a recording; all radios of this project use mode 0.

    Parameters
    ----------
    channels
        Names of the recorded channels: `node.spi_clk`, `node.spi_mosi`, `node.tap.select`, and `node.spi_miso`, without
        which there is nothing of what the radio answers.
    node
        The node.
    """

    def place(line: str) -> int:
        name = f"{node}.{line}"
        if name not in channels:
            raise CaptureError(f"the recording has no channel {name}", remedy="name the line in the bench file")
        return channels.index(name)

    miso = place("spi_miso") if f"{node}.spi_miso" in channels else None
    return SpiLines(clk=place("spi_clk"), mosi=place("spi_mosi"), miso=miso, select=place("tap.select"))


@dataclass(frozen=True, slots=True, eq=False)
class Transfers:
    """Transfers of one SPI bus, and their words.

    Attributes
    ----------
    start, end
        int64, shape (n,): samples at which chip select became active, inactive.
    offsets
        int64, shape (n + 1,): the words of transfer i are those from offsets[i] to offsets[i + 1] - 1.
    flags
        int64, shape (n,): CUT_START, CUT_END: the transfer goes beyond the capture or into a gap.
    left_over
        int64, shape (n,): bits after the last complete word.
    word_start, word_end
        int64, shape (m,): samples.
    mosi, miso
        uint64, shape (m,): the words; 0 for a line that is not connected.
    gaps
        int64, shape (k, 2): sample ranges (from, to) that were lost; transfers may be missing there.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    offsets: NDArray[np.int64]
    flags: NDArray[np.int64]
    left_over: NDArray[np.int64]
    word_start: NDArray[np.int64]
    word_end: NDArray[np.int64]
    mosi: NDArray[np.uint64]
    miso: NDArray[np.uint64]
    gaps: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.start.size)

    @property
    def empty(self) -> int:
        """Transfers without a bit: glitches of chip select, or pulses of it that wake a chip."""
        return int(np.sum((np.diff(self.offsets) == 0) & (self.left_over == 0)))


class _State(ctypes.Structure):
    """`State` of capture/native/src/spi.rs."""

    _fields_ = (
        *((name, c_uint8) for name in ("clk", "mosi", "miso", "select")),
        *((name, c_uint8) for name in ("sampling", "selected", "lsb_first", "word_bits", "started", "open")),
        ("bits", c_uint16),
        ("reserved", c_uint32),
        *((name, c_uint64) for name in ("level", "mosi_word", "miso_word")),
        *((name, c_int64) for name in ("word_start", "last_bit", "transfer_start", "transfer_words", "transfer_flags")),
    )


_ARRAYS = ("word_start", "word_end", "mosi", "miso", "start", "end", "count", "flags")


class _Output(ctypes.Structure):
    """`SpiOutput` of capture/native/src/ffi/spi.rs."""

    _fields_ = (
        *((name, c_void_p) for name in _ARRAYS),
        ("capacity", c_size_t),
        ("words", c_size_t),
        ("transfers", c_size_t),
    )


class SpiDecoder:
    """Decodes one bus from blocks of edges; what is returned are complete transfers.

    Words of a transfer that is still open are kept until it ends, so memory grows with the longest transfer.
    """

    def __init__(self, lines: SpiLines) -> None:
        self._feed = native.kernel(
            "gpiorig_spi_feed", POINTER(_State), c_void_p, c_void_p, c_size_t, c_uint32, c_int64, POINTER(_Output)
        )
        line = [NOT_CONNECTED if line is None else line for line in (lines.clk, lines.mosi, lines.miso, lines.select)]
        sampling = 1 if lines.mode in (0, 3) else 0  # mode 0 and 3: data is valid at the rising edge
        self._state = _State(*line, sampling, lines.select_active, int(lines.lsb_first), lines.word_bits)
        self._has_select = lines.select is not None
        self._open_words: list[tuple[NDArray[Any], ...]] = []  # words of the open transfer

    def feed(self, block: Block, *, is_last: bool = False) -> Transfers:
        """Decode the next block; with `is_last` nothing comes after it, and an open transfer is cut there."""
        transfers: list[tuple[NDArray[Any], ...]] = []
        native.column(block.samples, np.int64, name="samples")
        native.column(block.levels, np.uint64, name="levels", count=block.samples.size)
        native.number(block.end, name="an end of", low=-MAX_SAMPLE, high=MAX_SAMPLE)
        at = 0
        for gap in block.gaps[np.argsort(block.gaps[:, 0], kind="stable")]:
            to = int(np.searchsorted(block.samples, gap[0]))
            self._run(block.samples[at:to], block.levels[at:to], int(gap[0]), transfers)
            at = to
        self._run(block.samples[at:], block.levels[at:], block.end if is_last else None, transfers)
        return self._collect(transfers, block.gaps, is_last=is_last)

    def _run(
        self,
        samples: NDArray[np.int64],
        levels: NDArray[np.uint64],
        end: int | None,
        transfers: list[tuple[NDArray[Any], ...]],
    ) -> None:
        samples, levels = np.ascontiguousarray(samples), np.ascontiguousarray(levels)
        for at in range(0, max(1, samples.size), ROWS):
            rows, row_levels = samples[at : at + ROWS], levels[at : at + ROWS]
            arrays = [np.empty(rows.size + 1, np.uint64 if name in ("mosi", "miso") else np.int64) for name in _ARRAYS]
            output = _Output(*(array.ctypes.data for array in arrays), rows.size + 1, 0, 0)
            finish = end is not None and at + ROWS >= samples.size
            native.checked(
                self._feed(
                    ctypes.byref(self._state),
                    rows.ctypes.data,
                    row_levels.ctypes.data,
                    rows.size,
                    int(finish),
                    end if finish else 0,
                    ctypes.byref(output),
                )
            )
            self._open_words.append(tuple(array[: output.words].copy() for array in arrays[:4]))
            transfers.append(tuple(array[: output.transfers].copy() for array in arrays[4:]))

    def _collect(
        self, transfers: list[tuple[NDArray[Any], ...]], gaps: NDArray[np.int64], *, is_last: bool
    ) -> Transfers:
        start, end, count, flags = (np.concatenate(arrays) for arrays in zip(*transfers, strict=True))
        words = tuple(np.concatenate(arrays) for arrays in zip(*self._open_words, strict=True))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(count, dtype=np.int64)])
        done = int(offsets[-1]) if self._has_select and not is_last else words[0].size
        self._open_words = [tuple(array[done:] for array in words)]
        word_start, word_end, mosi, miso = (array[:done] for array in words)
        return Transfers(
            start=start,
            end=end,
            offsets=offsets,
            flags=flags % LEFT_OVER,
            left_over=flags // LEFT_OVER,
            word_start=word_start,
            word_end=word_end,
            mosi=mosi,
            miso=miso,
            gaps=gaps,
        )


def read(waveform: Waveform, lines: SpiLines) -> Iterator[Transfers]:
    """Decode a capture block by block; every block holds complete transfers, in the order of time."""
    decoder = SpiDecoder(lines)
    end = 0
    for block in waveform.read():
        end = block.end
        yield decoder.feed(block)
    nothing = np.empty(0, np.int64)
    yield decoder.feed(Block(nothing, nothing.astype(np.uint64), end), is_last=True)


def decode(edges: Edges, lines: SpiLines) -> Transfers:
    """Decode what is in memory."""
    return joined(list(read(waveform_of(edges), lines)))


def joined(parts: Sequence[Transfers]) -> Transfers:
    """One after the other."""
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
    columns = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Transfers)
        if field.name != "offsets"
    }
    return Transfers(**columns, offsets=np.cumsum(counts))
