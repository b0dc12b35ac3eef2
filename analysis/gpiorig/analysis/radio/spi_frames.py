"""Frames that went over the SPI bus between a microcontroller and its radio, out of the transfers of that bus.

The same frames as the sigrok decoders `at86rf2xx`, `cc2420` and `spirit1` give (docs/guide/decoders.md), at a
fraction of the time: transfers without a frame are skipped before the others are decoded one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.radio.radio_frames import RadioFrames
from gpiorig.analysis.radio.spi_radios import CHIPS, Radio
from gpiorig.capture.buses.spi import CUT_END, CUT_START, SpiLines, Transfers
from gpiorig.capture.buses.spi import read as read_spi
from gpiorig.capture.edges.waveform import Waveform


def read(waveform: Waveform, lines: SpiLines, *, chip: str, node: str = "") -> RadioFrames:
    """Decode a radio's SPI bus of a capture; raises `EventError` for an unknown chip."""
    return frames(read_spi(waveform, lines), chip=chip, node=node, samplerate_hz=waveform.samplerate_hz, lines=lines)


def frames(
    transfers: Iterable[Transfers], *, chip: str, samplerate_hz: Fraction, lines: SpiLines, node: str = ""
) -> RadioFrames:
    """Find the frames in transfers; `lines` contains MOSI, MISO or both.

    A frame that was in transit when samples were lost is omitted.
    """
    if chip not in CHIPS:
        raise EventError(f"unknown radio `{chip}`; use one of {', '.join(CHIPS)}.")
    if lines.word_bits != 8 or lines.mosi is None or lines.select is None:
        raise EventError("a radio's SPI bus needs words of 8 bits, MOSI and chip select.")
    radio = CHIPS[chip](has_miso=lines.miso is not None)
    resumed: list[int] = []  # ends of gaps without an access after them yet
    for part in transfers:
        resumed += part.gaps[:, 1].tolist()
        for start, end, mosi, miso in _accesses(part, radio):
            if resumed and start >= resumed[0]:
                resumed = [sample for sample in resumed if sample > start]
                radio.forget()
            radio.access(start, end, mosi, miso)
    return radio.frames(samplerate_hz=samplerate_hz, node=node, chip=chip)


def _accesses(part: Transfers, radio: Radio) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Start, end, MOSI and MISO of the transfers that may matter for frames."""
    counts = np.diff(part.offsets)
    complete = np.flatnonzero((part.flags & (CUT_START | CUT_END) == 0) & (counts > 0))
    mosi, miso = part.mosi.astype(np.uint8), part.miso.astype(np.uint8)
    relevant = complete[radio.matters(mosi[part.offsets[complete]], counts[complete])]
    out, back = mosi.tobytes(), miso.tobytes()
    columns = (part.start[relevant], part.end[relevant], part.offsets[relevant], part.offsets[relevant + 1])
    for start, end, data_start, data_end in zip(*(column.tolist() for column in columns), strict=True):
        yield start, end, out[data_start:data_end], back[data_start:data_end]
