"""Asynchronous serial lines decoded from edges: characters with their start and stop instants, and lines of text.

Bits are read at the samples where sigrok's `uart` decoder reads them, and starts, ends and errors are the same as its
own (libsigrokdecode 0.5.3, decoders/uart/pd.py); `capture/tests/buses/test_uart.py` compares the two under the real
sigrok-cli.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Iterator
from ctypes import POINTER, c_double, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from enum import IntFlag
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError

BLOCK = 1 << 15  # edges per kernel call: the arrays it writes to stay in cache
MAX_SAMPLE = 2**63 - 1
NEVER = -(1 << 63)  # `uart::NEVER` of the native crate
PARITIES = ("none", "odd", "even", "space", "mark", "ignore")  # in the order of the native crate's numbers
STOP_BITS = (1.0, 1.5, 2.0)

Parity = Literal["none", "odd", "even", "space", "mark", "ignore"]


class UartState(ctypes.Structure):
    """`uart::State` of the native crate."""

    _fields_ = (
        ("bit_samples", c_double),
        ("frame_samples", c_int64),
        ("start", c_int64),
        ("low_since", c_int64),
        ("channel", c_uint32),
        ("inverted", c_uint32),
        ("data_bits", c_uint32),
        ("parity", c_uint32),
        ("msb_first", c_uint32),
        ("started", c_uint32),
        ("level", c_uint32),
        ("open", c_uint32),
        ("bit", c_uint32),
        ("value", c_uint32),
        ("flags", c_uint32),
    )


class Flag(IntFlag):
    """Faults of a character; 0: none."""

    FALSE_START = 1  # the line was high again in the middle of the start bit: not a character
    FRAMING = 2  # the stop bit was low
    PARITY = 4
    BREAK = 8  # the line was low for a frame or longer: not a character


NO_CHARACTER = Flag.FALSE_START | Flag.BREAK


@dataclass(frozen=True, slots=True, kw_only=True)
class UartFormat:
    """How characters are sent.

    Attributes
    ----------
    baudrate
        Bits per second.
    data_bits
        5 to 9.
    parity
        "space" is a bit that is always 0, "mark" always 1; "ignore" is a bit that is not checked.
    stop_bits
        1, 1.5 or 2; only the first is read. It counts for the length of a break.
    msb_first
        Whether the most significant bit comes first.
    inverted
        Whether the line rests low.
    """

    baudrate: int
    data_bits: int = 8
    parity: Parity = "none"
    stop_bits: float = 1.0
    msb_first: bool = False
    inverted: bool = False

    def __post_init__(self) -> None:
        """Refuse what is not a format."""
        if self.baudrate <= 0:
            raise CaptureError(f"a UART at {self.baudrate} baud", remedy="give its bits per second, such as 115200")
        if not 5 <= self.data_bits <= 9:
            raise CaptureError(f"a UART with {self.data_bits} data bits", remedy="use 5 to 9")
        if self.parity not in PARITIES:
            raise CaptureError(f"a UART with parity {self.parity!r}", remedy=f"use {', '.join(PARITIES)}")
        if self.stop_bits not in STOP_BITS:
            raise CaptureError(f"a UART with {self.stop_bits} stop bits", remedy="use 1, 1.5 or 2")

    def bit_samples(self, samplerate_hz: Fraction) -> float:
        """Return samples per bit, as sigrok computes it."""
        return float(samplerate_hz) / float(self.baudrate)

    def frame_samples(self, samplerate_hz: Fraction) -> int:
        """Return the samples of a complete frame, rounded up: a line that is low for as long is a break."""
        bits = 1 + self.data_bits + (self.parity != "none") + self.stop_bits
        return math.ceil(bits * self.bit_samples(samplerate_hz))


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """Characters and breaks of a line, in the order of their ends.

    Attributes
    ----------
    starts
        int64, shape (n,): falling edge of the start bit (rising on an inverted line).
    ends
        int64, shape (n,): end of the first stop bit: half a bit after the sample where it was read. Of a false start:
        end of the start bit; of a break: the edge that ended it.
    values
        uint16, shape (n,).
    flags
        uint8, shape (n,): `Flag`s.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: NDArray[np.uint16]
    flags: NDArray[np.uint8]

    @property
    def received(self) -> NDArray[np.bool_]:
        """Which rows are characters, damaged or not, and no false starts or breaks."""
        is_character: NDArray[np.bool_] = self.flags & NO_CHARACTER == 0
        return is_character

    def select(self, rows: NDArray[np.bool_] | slice) -> Characters:
        """Return some of the rows."""
        return Characters(self.starts[rows], self.ends[rows], self.values[rows], self.flags[rows])


class UartDecoder:
    """Decodes one line from blocks of edges; a character may span blocks.

    Parameters
    ----------
    channel
        Channel number of the line.
    samplerate_hz
        Samples per second.
    form
        How characters are sent.
    """

    def __init__(self, channel: int, *, samplerate_hz: Fraction, form: UartFormat) -> None:
        bit_samples = form.bit_samples(samplerate_hz)
        if not 0 <= channel < MAX_CHANNELS:
            raise CaptureError(f"channel {channel} of a UART", remedy=f"channels are 0 to {MAX_CHANNELS - 1}")
        if bit_samples < 1:
            raise CaptureError(
                f"{form.baudrate} baud at {float(samplerate_hz):g} samples/s is less than a sample per bit",
                remedy="capture at three times the baud rate or more",
            )
        frame_samples = form.frame_samples(samplerate_hz)
        native.number(frame_samples, name="samples of a character:", low=1, high=MAX_SAMPLE)
        self._feed = native.kernel(
            "gpiorig_uart_feed", POINTER(UartState), *[c_void_p] * 2, c_size_t, c_int64, *[c_void_p] * 4
        )
        self._reset = native.kernel("gpiorig_uart_reset", POINTER(UartState))
        self._state = UartState(
            bit_samples=bit_samples,
            frame_samples=frame_samples,
            low_since=NEVER,
            channel=channel,
            inverted=form.inverted,
            data_bits=form.data_bits,
            parity=PARITIES.index(form.parity),
            msb_first=form.msb_first,
        )

    def feed(self, samples: NDArray[np.int64], levels: NDArray[np.uint64], *, end: int) -> Characters:
        """Decode the next edges.

        Parameters
        ----------
        samples
            int64, shape (n,): sample numbers, increasing from call to call.
        levels
            uint64, shape (n,): levels from there on. The very first row gives the level at rest.
        end
            All samples before this one are known with these edges.
        """
        samples = native.column(samples, np.int64, name="samples")
        levels = native.column(levels, np.uint64, name="levels", count=samples.size)
        native.number(end, name="an end of", low=-MAX_SAMPLE, high=MAX_SAMPLE)
        parts = []
        for at in range(0, max(samples.size, 1), BLOCK):
            rows = slice(at, at + BLOCK)
            complete_to = end if at + BLOCK >= samples.size else int(samples[at + BLOCK])
            parts.append(self._call(samples[rows], levels[rows], complete_to))
        return joined(parts)

    def lose(self) -> None:
        """Forget the open character: samples are missing from here on. The next row fed gives the level after them."""
        native.checked(self._reset(ctypes.byref(self._state)))

    def _call(self, samples: NDArray[np.int64], levels: NDArray[np.uint64], end: int) -> Characters:
        room = samples.size + 1
        starts, ends = np.empty(room, np.int64), np.empty(room, np.int64)
        values, flags = np.empty(room, np.uint16), np.empty(room, np.uint8)
        arrays = [array.ctypes.data for array in (starts, ends, values, flags)]
        state = ctypes.byref(self._state)
        count = native.checked(self._feed(state, samples.ctypes.data, levels.ctypes.data, samples.size, end, *arrays))
        return Characters(starts[:count].copy(), ends[:count].copy(), values[:count].copy(), flags[:count].copy())


def decode(waveform: Waveform, channel: str, form: UartFormat) -> Iterator[Characters]:
    """Decode one line of a capture, block by block; after lost samples it begins again.

    Parameters
    ----------
    waveform
        The capture.
    channel
        Name of the line's channel.
    form
        How characters are sent.
    """
    if channel not in waveform.channels or not channel:
        channels = ", ".join(filter(None, waveform.channels))
        raise CaptureError(f"no channel {channel!r} in this capture", remedy=f"available channels: {channels}")
    decoder = UartDecoder(waveform.channels.index(channel), samplerate_hz=waveform.samplerate_hz, form=form)
    for block in waveform.read():
        at = 0
        for lost_from, lost_to in block.gaps.tolist():
            cut = int(np.searchsorted(block.samples, lost_to))
            yield decoder.feed(block.samples[at:cut], block.levels[at:cut], end=lost_from)
            decoder.lose()
            at = cut
        yield decoder.feed(block.samples[at:], block.levels[at:], end=block.end)


def joined(parts: Iterable[Characters]) -> Characters:
    """Put consecutive characters together."""
    empty = Characters(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16), np.empty(0, np.uint8))
    parts = [empty, *parts]
    return Characters(
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.flags for part in parts]),
    )
