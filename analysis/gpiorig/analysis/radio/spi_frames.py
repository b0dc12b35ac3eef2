"""Frames that went over the SPI bus between a microcontroller and its radio, out of the transfers of that bus.

They are those of the radio's sigrok decoder (docs/guide/decoders.md), which is given the transfers as the decoder `spi`
gives them, at a fraction of the time: transfers that cannot concern a frame are left out before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.decoderhost.library import Kind
from gpiorig.analysis.decoderhost.sigrokdecode_module import OUTPUT_PYTHON
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.radio.radio_frames import FCS_BYTES, UNKNOWN_RSSI, RadioFrames, sequence_number
from gpiorig.capture.buses.spi import CUT_END, CUT_START, SpiLines, Transfers
from gpiorig.capture.buses.spi import read as read_spi
from gpiorig.capture.edges.waveform import Waveform

BYTE_VALUES = 256
COUNTS = 4  # of the bytes of an access: none, one, two, more


class Word(NamedTuple):
    """A word of a transfer as the sigrok decoder `spi` gives it: first sample, last sample, value.

    The samples of a frame are those of its accesses, so those of single words are left 0.
    """

    ss: int
    es: int
    val: int


WORDS = tuple(Word(0, 0, value) for value in range(BYTE_VALUES))


def read(waveform: Waveform, lines: SpiLines, *, decoder: Kind, node: str = "") -> RadioFrames:
    """Decode a radio's SPI bus of a capture; see `frames`."""
    return frames(
        read_spi(waveform, lines), decoder=decoder, node=node, samplerate_hz=waveform.samplerate_hz, lines=lines
    )


def frames(
    transfers: Iterable[Transfers], *, decoder: Kind, samplerate_hz: Fraction, lines: SpiLines, node: str = ""
) -> RadioFrames:
    """Find the frames in transfers.

    A frame that was in transit when samples were lost is omitted.

    Parameters
    ----------
    transfers
        Of the radio's bus, in the order of time.
    decoder
        The radio's, for which `Kind.is_radio` holds.
    samplerate_hz
        Exact samplerate.
    lines
        Contains MOSI and chip select, and MISO where that is connected.
    node
        Node of the radio.

    Raises
    ------
    EventError
        The bus has no MOSI, no chip select, or words of another length than 8 bits.
    """
    if lines.word_bits != 8 or lines.mosi is None or lines.select is None:
        raise EventError("a radio's SPI bus needs words of 8 bits, MOSI and chip select.")
    radio = _Radio(decoder)
    resumed: list[int] = []  # ends of gaps without an access after them yet
    for part in transfers:
        resumed += part.gaps[:, 1].tolist()
        for start, end, mosi, miso in _accesses(part, radio.concerns_frames, has_miso=lines.miso is not None):
            if resumed and start >= resumed[0]:
                resumed = [sample for sample in resumed if sample > start]
                radio.drop_frames()
            radio.decoder.decode(start, end, ["TRANSFER", mosi, miso])
    return radio.frames(samplerate_hz=samplerate_hz, node=node, chip=decoder.id)


class _Radio:
    """A radio's decoder at work, and the frames that it has given (decoders/ieee802154/spiradio.py)."""

    def __init__(self, decoder: Kind) -> None:
        self._rows: list[tuple[int, int, bool, bool, int, int, int, int]] = []
        self._psdus: list[bytes] = []
        kind: Any = decoder.type
        self.decoder: Any = kind()

        from gpiorig.analysis.decoderhost import native  # there is a decoder, so it is there; else it need not be

        native.bind(self.decoder, self)
        self.decoder.start()
        self.drop_frames = getattr(self.decoder, "drop_frames", self.decoder.reset)
        concerns = getattr(self.decoder, "concerns_frames", lambda first_byte, count: True)
        self.concerns_frames: NDArray[np.bool_] = np.array(
            [[bool(count and concerns(value, count)) for count in range(COUNTS)] for value in range(BYTE_VALUES)]
        )

    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int:
        """Each kind of output is one output."""
        return output_type

    def put(self, startsample: int, endsample: int, output_id: int, data: Any) -> None:
        """Take a frame; annotations and the like are not wanted."""
        if output_id != OUTPUT_PYTHON or data[0] != "FRAME":
            return
        sent, octets, has_fcs, crc_ok, lqi, rssi_dbm = data[1]
        psdu = bytes(octet[2] for octet in octets)
        body = psdu[:-FCS_BYTES] if has_fcs and len(psdu) >= FCS_BYTES else psdu
        crc = -1 if crc_ok is None else int(crc_ok)
        quality = -1 if lqi is None else lqi, UNKNOWN_RSSI if rssi_dbm is None else rssi_dbm
        self._rows.append((startsample, endsample, sent, has_fcs, crc, *quality, sequence_number(body)))
        self._psdus.append(psdu)

    def has_channel(self, index: int) -> bool:
        """A decoder of transfers has no pins."""
        return False

    def frames(self, *, samplerate_hz: Fraction, node: str, chip: str) -> RadioFrames:
        """All frames so far."""
        columns = list(zip(*self._rows, strict=True)) or [()] * 8
        start, end, sent, has_fcs, crc, lqi, rssi_dbm, sequence = columns
        lengths = np.array([0, *map(len, self._psdus)], dtype=np.int64)
        return RadioFrames(
            samplerate_hz=samplerate_hz,
            node=node,
            chip=chip,
            start=np.array(start, dtype=np.int64),
            end=np.array(end, dtype=np.int64),
            sent=np.array(sent, dtype=np.bool_),
            offsets=np.cumsum(lengths),
            data=np.frombuffer(b"".join(self._psdus), dtype=np.uint8),
            has_fcs=np.array(has_fcs, dtype=np.bool_),
            crc=np.array(crc, dtype=np.int8),
            lqi=np.array(lqi, dtype=np.int16),
            rssi_dbm=np.array(rssi_dbm, dtype=np.int16),
            sequence=np.array(sequence, dtype=np.int16),
        )


def _accesses(
    part: Transfers, concerns_frames: NDArray[np.bool_], *, has_miso: bool
) -> Iterator[tuple[int, int, list[Word], list[Word]]]:
    """Start, end, MOSI and MISO of the complete transfers that may concern a frame."""
    counts = np.diff(part.offsets)
    complete = np.flatnonzero((part.flags & (CUT_START | CUT_END) == 0) & (counts > 0))
    mosi, miso = part.mosi.astype(np.uint8), part.miso.astype(np.uint8)
    relevant = complete[concerns_frames[mosi[part.offsets[complete]], np.minimum(counts[complete], COUNTS - 1)]]
    out, back = mosi.tobytes(), miso.tobytes() if has_miso else b""
    columns = (part.start[relevant], part.end[relevant], part.offsets[relevant], part.offsets[relevant + 1])
    for start, end, data_start, data_end in zip(*(column.tolist() for column in columns), strict=True):
        yield (
            start,
            end,
            [WORDS[value] for value in out[data_start:data_end]],
            [WORDS[value] for value in back[data_start:data_end]],
        )
