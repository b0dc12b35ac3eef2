"""How long a real MRF24J40MA takes from the trigger of a frame to its interrupt.

`python tests/studies/mrf24j40_silicon.py SIGROK-DUMPS` prints the rows of docs/evidence/silicon.md, of recordings in
spi/mrf24j40 of https://github.com/sigrokproject/sigrok-dumps. Back-offs are multiples of 320 us, so times are taken
modulo that; they are spread over one or two ticks of the chip, of 16 us, so a row has their mean. A time that is
further off than two ticks has another cause, such as a channel that was busy.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.buses import spi
from gpiorig.capture.buses.spi import SpiLines
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.formats.sr import read_sr

BACKOFF_US, TICK_US = 320.0, 16.0
LENGTH = (0x80, 0x30)  # address of the second byte of the TX normal FIFO, to be written
TRIGGER, INTSTAT, TXSTAT = 0x1B << 1 | 1, 0x31 << 1, 0x24 << 1
TX_DONE, ACKNOWLEDGED, FAILED = 0x01, 0x04, 0x01
ECG = ("ecg/mrf24j40ma_no_txfails.sr", "ecg/mrf24j40ma_many_txfails.sr")
FCS = 2


@dataclass(frozen=True)
class Sending:
    """A transmission: octets with FCS, is it to be acknowledged, TXSTAT (None: not read), from the trigger to INT."""

    octets: int
    asks: bool
    status: int | None
    delay_us: float


@dataclass(frozen=True)
class Row:
    """Transmissions of one kind: how many, how many of them are left out, and the mean of their times."""

    name: str
    count: int
    left_out: int
    mean_us: float

    def cells(self) -> list[str]:
        """As the document has them."""
        return [self.name, f"{self.count} (+ {self.left_out})", f"{self.mean_us:.1f}"]


def sendings(folder: Path, name: str) -> Iterator[Sending]:
    """The transmissions of a recording."""
    edges = read_sr(folder / "spi/mrf24j40" / name)
    at = {channel.strip("#").removeprefix("n"): number for number, channel in enumerate(edges.channels)}
    lines = SpiLines(clk=at["SCK"], mosi=at["SDI"], miso=at["SDO"], select=at["CS"])
    transfers = spi.decode(edges, lines)
    falls = np.array(_falls(edges, at["INT"]))
    rate_hz = float(edges.samplerate_hz)
    octets, trigger, sending = 0, (0, 0), None
    for number in range(len(transfers.start)):
        sent, back = (part[slice(*transfers.offsets[number : number + 2])] for part in (transfers.mosi, transfers.miso))
        if tuple(sent[:2]) == LENGTH:
            octets = int(sent[2]) + FCS
        elif sent[0] == TRIGGER and sent[1] & 1:
            trigger = int(transfers.end[number]), int(sent[1])
            sending = None
        elif sent[0] == INTSTAT and back[1] & TX_DONE and trigger[0]:
            fall = falls[np.searchsorted(falls, transfers.start[number]) - 1]
            sending = Sending(octets, bool(trigger[1] & ACKNOWLEDGED), None, (fall - trigger[0]) / rate_hz * 1e6)
            trigger = 0, 0
            if not sending.asks:
                yield sending
        elif sent[0] == TXSTAT and sending and sending.asks:
            yield Sending(sending.octets, True, int(back[1]), sending.delay_us)
            sending = None


def _falls(edges: Edges, line: int) -> NDArray[np.int64]:
    levels = edges.levels >> np.uint64(line) & np.uint64(1)
    return edges.samples[1:][(levels[1:] == 0) & (levels[:-1] == 1)]


def row(name: str, delays_us: list[float], *, is_least: bool) -> Row:
    """The mean of times modulo 320 us; `is_least`: of the times without a back-off."""
    times = np.array(delays_us)
    angles = np.exp(2j * np.pi * times / BACKOFF_US)
    middle = float(np.angle(angles.mean())) / (2 * np.pi) * BACKOFF_US
    off = (times - middle + BACKOFF_US / 2) % BACKOFF_US - BACKOFF_US / 2
    near = np.abs(off) <= 2 * TICK_US
    mean = middle + float(off[near].mean())
    shift = round((times[near].min() - mean) / BACKOFF_US) * BACKOFF_US if is_least else 0.0
    return Row(name, int(near.sum()), int((~near).sum()), (mean + shift) if is_least else mean % BACKOFF_US)


def rows(folder: Path) -> list[Row]:
    """The rows of the document."""
    ecg = [sending for name in ECG for sending in sendings(folder, name)]
    asked = [sending for sending in ecg if sending.octets == 33]

    def times(status: int) -> list[float]:
        return [sending.delay_us for sending in asked if sending.status == status]

    return [
        row("21 octets", [sending.delay_us for sending in ecg if not sending.asks], is_least=True),
        row("33 octets, acknowledged", times(0x00), is_least=True),
        *(row(f"33 octets, retry {n}", times(n << 6), is_least=False) for n in (1, 2, 3)),
        row("33 octets, given up", times(0xC0 | FAILED), is_least=False),
    ]


def single_us(folder: Path) -> float:
    """The one transmission at 250 kb/s, of 33 octets, acknowledged; sensormote."""
    (sending,) = sendings(folder, "sensormote/mrf24j40-wake-tx-ack.sr")
    return sending.delay_us


if __name__ == "__main__":
    for made in rows(Path(sys.argv[1])):
        print("| " + " | ".join(made.cells()) + " |")
    print(f"250 kb/s: {single_us(Path(sys.argv[1])):.1f} us")
