"""What a planned bench takes of the USB, the kernel's memory and the disk, and which losses it notices."""

from __future__ import annotations

from dataclasses import dataclass

from gpiorig.capture.recording.segment_format import ROW_BYTES
from gpiorig.capture.sigrok.loss_by_clock import FLOOR_NS
from gpiorig.capture.sigrok.wall_clock import FEWEST_WINDOWS, SLOPE_WINDOW_NS
from gpiorig.rig.bench import drivers, usb_memory
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning import probe_effect
from gpiorig.rig.planning.request import Request
from gpiorig.rig.run import usb_load

MIN_RATE_S = FEWEST_WINDOWS * SLOPE_WINDOW_NS // 10**9  # of a shorter recording the analyzer's rate is not checked
MIN_LOSS_NS = FLOOR_NS  # the smallest loss that the host's clock shows
SPI_SAMPLES = 4  # in a period of a clock, two for each level: one may fall on the edge
_SYMBOL_ROWS = 2  # at most: strobe and data lines of one store may be seen a sample apart
_TAP_ROWS = 4  # of each tap in a round trip: a frame sent and one received, or the interrupts of both
_SERIAL_ROWS = 64 * 5  # of a serial line: the firmware prints a line of some 60 bytes, of 10 bits each (unverified)


@dataclass(frozen=True, slots=True)
class Load:
    """What an analyzer asks of the host.

    Attributes
    ----------
    channels
        Channels that it sends.
    bytes_s, bus_bytes_s
        What it sends each second; what its bus carries: None where that is not USB 2.
    transfer_bytes
        The kernel's memory for its transfers; None where that is not known.
    stall_s
        How long the host may stall before its capture ends; None where that is not known.
    """

    channels: int
    bytes_s: int
    bus_bytes_s: int | None
    transfer_bytes: int | None
    stall_s: float | None


def load(bench: Bench, analyzer: str) -> Load:
    """What an analyzer of the bench asks of the host."""
    driver, rate_hz = str(bench.analyzers[analyzer].driver), bench.analyzers[analyzer].samplerate_hz
    channels = usb_load.channels(bench, analyzer)
    described, transfers = drivers.known(driver), usb_memory.transfers(driver, channels, rate_hz)
    return Load(
        channels=len(channels),
        bytes_s=usb_load.bytes_s(bench, analyzer),
        bus_bytes_s=drivers.HIGH_SPEED_BYTES_S if described and described.streams_on_usb else None,
        transfer_bytes=transfers.total_bytes if transfers else None,
        stall_s=transfers.held_s if transfers else None,
    )


def disk_bytes(bench: Bench, asked: Request) -> int:
    """What the edges of a recording take at most: a round trip in each interval, by the reference firmware."""
    rows = 0.0
    for name, node in bench.nodes.items():
        effect = probe_effect.of_node(bench, name, asked.groups)
        rows += _SYMBOL_ROWS * effect.symbols if effect else 0.0
        rows += _TAP_ROWS * sum(line.startswith("tap.") for line in node.lines)
        rows += _SERIAL_ROWS * ("uart_tx" in node.lines)
    return round(float(asked.duration_s / asked.interval_s) * rows * ROW_BYTES)
