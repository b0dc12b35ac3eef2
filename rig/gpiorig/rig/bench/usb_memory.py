"""Receive buffers that sigrok's drivers keep at the USB, and what the kernel gives for them.

The kernel limits what all programs have in flight on all devices together: usbfs_memory_mb, 16 MB by default (Linux,
drivers/usb/core/devio.c). What is in flight is also how long the host may stall before the analyzer's FIFO is full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.rig.bench import drivers

DEFAULT_MB = 16
PARAMETER = "module/usbcore/parameters/usbfs_memory_mb"  # below the root of sysfs
MAX_TRANSFERS = 32  # NUM_SIMUL_TRANSFERS of the three drivers
TRANSFER_MS = 10
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Transfers:
    """Transfers that a driver keeps submitted: how many, their size, and the time that they hold."""

    count: int
    size_bytes: int
    held_s: float

    @property
    def total_bytes(self) -> int:
        """What they take of the kernel's memory."""
        return self.count * self.size_bytes


def transfers(driver: str, channels: Sequence[str], rate_hz: int) -> Transfers | None:
    """Return the transfers of a driver, None of one that is not known here.

    get_buffer_size and get_number_of_transfers of libsigrok 0.5.2, src/hardware/fx2lafw/protocol.c,
    dreamsourcelab-dslogic/protocol.c and saleae-logic16/api.c: transfers of 10 ms in complete blocks, 500 ms together
    (DSLogic: 100 ms), 32 at most. fx2lafw counts samples there, whatever their width.
    """
    described = drivers.known(driver)
    match driver.partition(":")[0]:
        case "fx2lafw":
            per_ms, block_bytes, held_ms = rate_hz // 1000, 512, 500
        case "saleae-logic16":
            per_ms, block_bytes, held_ms = rate_hz * len(channels) // 8000, 512, 500
        case "dreamsourcelab-dslogic":
            per_ms, block_bytes, held_ms = rate_hz * len(channels) // 8000, 512 * len(channels), 100
        case _:
            return None
    if described is None or not per_ms:
        return None
    size_bytes = -(-TRANSFER_MS * per_ms // block_bytes) * block_bytes
    count = -(-held_ms * per_ms // size_bytes) if held_ms == 100 else held_ms * per_ms // size_bytes
    count = min(count, MAX_TRANSFERS)
    return Transfers(count, size_bytes, count * size_bytes / described.bytes_s(channels, rate_hz))


def need(needed_bytes: int) -> str:
    """What the analyzers of a bench need."""
    return f"the analyzers need {needed_bytes / MEGABYTE:.1f} MB for their transfers together"


def remedy(needed_bytes: int, root: str) -> str:
    """The command that gives so much memory until the next start, and what gives it for good; `root`: of sysfs."""
    megabytes = -(-needed_bytes * 5 // 4 // MEGABYTE // DEFAULT_MB) * DEFAULT_MB  # a quarter to spare
    return (
        f"`echo {megabytes} | sudo tee {root}/{PARAMETER}`; for good add usbcore.usbfs_memory_mb={megabytes} to the "
        "kernel's command line"
    )
