"""Radios, followed by the accesses to their registers and buffers over SPI."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.radio.radio_frames import FCS_BYTES, UNKNOWN_RSSI, RadioFrames, fcs_is_right, sequence_number


class Radio(ABC):
    """Follows the accesses to one radio."""

    def __init__(self, *, has_miso: bool) -> None:
        self.has_miso = has_miso
        self._rows: list[tuple[int, int, bool, bool, int, int, int, int]] = []
        self._psdus: list[bytes] = []

    @abstractmethod
    def matters(self, first_bytes: NDArray[np.uint8], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Flags of the accesses that may matter, by their first byte and their length."""

    @abstractmethod
    def forget(self) -> None:
        """Samples were lost: drop frames in transit; the registers are assumed unchanged."""

    @abstractmethod
    def access(self, start: int, end: int, mosi: bytes, miso: bytes) -> None:
        """Follow an access of at least one byte."""

    def add(
        self,
        start: int,
        end: int,
        psdu: bytes,
        *,
        sent: bool,
        has_fcs: bool = False,
        crc: int = -1,
        lqi: int = -1,
        rssi_dbm: int = UNKNOWN_RSSI,
    ) -> None:
        """Add a complete frame."""
        body = psdu
        if has_fcs and len(psdu) >= FCS_BYTES:
            crc, body = int(fcs_is_right(psdu)), psdu[:-FCS_BYTES]
        self._rows.append((start, end, sent, has_fcs, crc, lqi, rssi_dbm, sequence_number(body)))
        self._psdus.append(psdu)

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


class At86rf2xx(Radio):
    """Atmel 8111C, 6.2 (accesses) and 8.2 (FCS); register addresses and bits as in decoders/at86rf2xx."""

    TRX_STATE, TRX_CTRL_1, PHY_TX_PWR, PART_NUM = 0x02, 0x04, 0x05, 0x1C
    TX_START, AT86RF230 = 0x02, 0x02
    TX_AUTO_CRC_ON, TX_AUTO_CRC_ON_230 = 0x20, 0x80
    BUFFER = 128  # length byte and the longest PSDU

    def __init__(self, *, has_miso: bool) -> None:
        super().__init__(has_miso=has_miso)
        self._part = -1
        self._auto_crc = True
        self._sram: dict[int, int] = {}
        self._sram_span = (0, 0)

    def matters(self, first_bytes: NDArray[np.uint8], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """All but most of the register accesses."""
        registers = (self.TRX_STATE, self.TRX_CTRL_1, self.PHY_TX_PWR, self.PART_NUM)
        return (first_bytes < 0x80) | np.isin(first_bytes & 0x3F, np.array(registers, np.uint8))

    def forget(self) -> None:
        """Drop frames loaded by SRAM accesses."""
        self._sram = {}

    def access(self, start: int, end: int, mosi: bytes, miso: bytes) -> None:
        """Follow an access, by the three highest bits of its first byte."""
        kind = mosi[0] >> 5
        if kind & 0b100:
            self._register(mosi, miso, written=bool(kind & 0b010))
        elif kind == 0b001:
            self._read(start, end, miso)
        elif kind == 0b011:
            self._sram = {}
            self._send(start, end, mosi[1:])
        elif kind == 0b010 and len(mosi) > 1 and mosi[1] < self.BUFFER:
            self._sram_span = (self._sram_span[0] if self._sram else start, end)
            for place, byte in enumerate(mosi[2:], mosi[1]):
                if place < self.BUFFER:
                    self._sram[place] = byte

    def _register(self, mosi: bytes, miso: bytes, *, written: bool) -> None:
        if len(mosi) < 2 or not (written or self.has_miso):
            return
        address, value = mosi[0] & 0x3F, mosi[1] if written else miso[1]
        if address == self.PART_NUM and not written:
            self._part = value
        elif address == self.TRX_CTRL_1 and self._part != self.AT86RF230:
            self._auto_crc = value & self.TX_AUTO_CRC_ON != 0
        elif address == self.PHY_TX_PWR and self._part == self.AT86RF230:
            self._auto_crc = value & self.TX_AUTO_CRC_ON_230 != 0
        elif address == self.TRX_STATE and written and value & 0x1F == self.TX_START and 0 in self._sram:
            count = next(place for place in range(self.BUFFER + 1) if place not in self._sram)
            data = bytes(self._sram[place] for place in range(count))
            self._sram = {}
            self._send(*self._sram_span, data)

    def _read(self, start: int, end: int, miso: bytes) -> None:
        length = miso[1] & 0x7F if self.has_miso and len(miso) > 1 else 0
        if length and len(miso) >= 2 + length:
            lqi = miso[2 + length] if len(miso) > 2 + length else -1
            self.add(start, end, miso[2 : 2 + length], sent=False, has_fcs=True, lqi=lqi)

    def _send(self, start: int, end: int, data: bytes) -> None:
        length = data[0] & 0x7F if data else 0
        payload = length - FCS_BYTES if self._auto_crc else length
        if 0 < payload < len(data):
            self.add(start, end, data[1 : 1 + payload], sent=True, has_fcs=not self._auto_crc)


class Cc2420(Radio):
    """TI SWRS041, sections 13, 14 and 16."""

    MDMCTRL0, AUTOCRC = 0x11, 0x20
    TXFIFO, RXFIFO = 0x3E, 0x3F
    SFLUSHRX, SFLUSHTX = 0x08, 0x09
    RSSI_OFFSET_DB = -45

    def __init__(self, *, has_miso: bool) -> None:
        super().__init__(has_miso=has_miso)
        self._auto_crc = True
        self._tx, self._tx_start, self._tx_added = b"", 0, False
        self._rx, self._rx_start = bytearray(), 0

    def matters(self, first_bytes: NDArray[np.uint8], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Not RAM accesses, and of single bytes only the two strobes that flush."""
        flushes = np.isin(first_bytes & 0x3F, np.array((self.SFLUSHRX, self.SFLUSHTX), np.uint8))
        return (first_bytes < 0x80) & ((counts > 1) | flushes)

    def forget(self) -> None:
        """Drop the contents of both FIFOs."""
        self._tx = b""
        self._rx.clear()

    def access(self, start: int, end: int, mosi: bytes, miso: bytes) -> None:
        """Strobes and registers may follow each other in one access."""
        at = 0
        while at < len(mosi):
            address, read = mosi[at] & 0x3F, mosi[at] & 0x40 != 0
            if mosi[at] & 0x80:
                return
            if address <= 0x0F:
                self._strobe(address)
                at += 1
            elif address == self.TXFIFO:
                return self._write(start, end, b"" if read else mosi[at + 1 :])
            elif address == self.RXFIFO:
                return self._read(start, end, miso[at + 1 :] if read and self.has_miso else b"")
            else:
                low = (miso if read else mosi)[at + 2 : at + 3]
                if address == self.MDMCTRL0 and low and (self.has_miso or not read):
                    self._auto_crc = low[0] & self.AUTOCRC != 0
                at += 3

    def _strobe(self, address: int) -> None:
        if address == self.SFLUSHTX:
            self._tx = b""
        elif address == self.SFLUSHRX:
            self._rx.clear()

    def _write(self, start: int, end: int, data: bytes) -> None:
        if not data:
            return
        if self._tx_added:
            self._tx, self._tx_added = b"", False
        if not self._tx:
            self._tx_start = start
        self._tx += data
        length = self._tx[0] & 0x7F
        payload = length - FCS_BYTES if self._auto_crc else length
        if 0 < payload < len(self._tx):
            self.add(self._tx_start, end, self._tx[1 : 1 + payload], sent=True, has_fcs=not self._auto_crc)
            self._tx_added = True

    def _read(self, start: int, end: int, data: bytes) -> None:
        at = 0
        while at < len(data):
            if not self._rx:
                self._rx_start = start
                if not data[at] & 0x7F:
                    at += 1
                    continue
                self._rx.append(data[at])
                at += 1
            more = data[at : at + 1 + (self._rx[0] & 0x7F) - len(self._rx)]
            self._rx += more
            at += len(more)
            if len(self._rx) > self._rx[0] & 0x7F:
                self._received(end, bytes(self._rx[1:]))
                self._rx.clear()

    def _received(self, end: int, psdu: bytes) -> None:
        if not self._auto_crc:
            self.add(self._rx_start, end, psdu, sent=False, has_fcs=True)
        elif len(psdu) > FCS_BYTES:
            rssi = psdu[-2] - 256 if psdu[-2] & 0x80 else psdu[-2]
            self.add(
                self._rx_start,
                end,
                psdu[:-FCS_BYTES],
                sent=False,
                crc=psdu[-1] >> 7,
                lqi=psdu[-1] & 0x7F,
                rssi_dbm=max(-128, rssi + self.RSSI_OFFSET_DB),
            )


class Spirit1(Radio):
    """ST's SPIRIT1 library, MCU_Interface.h (accesses); data sheet DocID022758, table 21 (commands)."""

    COMMAND, READ = 0x80, 0x01
    FIFO = 0xFF
    TX, SRES, FLUSHTXFIFO = 0x60, 0x70, 0x72

    def __init__(self, *, has_miso: bool) -> None:
        super().__init__(has_miso=has_miso)
        self._tx, self._tx_span = b"", (0, 0)

    def matters(self, first_bytes: NDArray[np.uint8], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Commands, and accesses with data."""
        return (counts > 2) | (first_bytes >= self.COMMAND) & (counts > 1)

    def forget(self) -> None:
        """Drop the contents of the TX FIFO."""
        self._tx = b""

    def access(self, start: int, end: int, mosi: bytes, miso: bytes) -> None:
        """After a command another access may follow."""
        at = 0
        while at + 1 < len(mosi):
            header, address = mosi[at], mosi[at + 1]
            at += 2
            if header & self.COMMAND:
                self._command(address)
                continue
            if address == self.FIFO and at < len(mosi):
                self._fifo(start, end, mosi[at:], miso[at:], read=header & self.READ != 0)
            return

    def _command(self, code: int) -> None:
        if code == self.TX and self._tx:
            self.add(*self._tx_span, self._tx, sent=True)
        if code in (self.TX, self.SRES, self.FLUSHTXFIFO):
            self._tx = b""

    def _fifo(self, start: int, end: int, mosi: bytes, miso: bytes, *, read: bool) -> None:
        if not read:
            self._tx_span = (self._tx_span[0] if self._tx else start, end)
            self._tx += mosi
        elif self.has_miso:
            self.add(start, end, miso, sent=False)


CHIPS: dict[str, type[Radio]] = {"at86rf2xx": At86rf2xx, "cc2420": Cc2420, "spirit1": Spirit1}
