"""What goes wrong on a USB, one case each: devices and faults of a modelled bus, and a capture on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from modelledusb import HALF_PERIOD_NS, Captured, captured, plugged
from usbtruth import counter

LOADED = "device model=fx2 port=3 firmware=loaded"
AT = "at_s=0.3"


@dataclass(frozen=True)
class Case:
    """A bus, a capture of its device, and what comes of it.

    Attributes
    ----------
    lines
        Of the file of the bus.
    status
        Exit status of the capture.
    message
        Regular expression that its output matches.
    words, driver, rate, duration
        Of the capture.
    usbfs_mb
        Memory of Linux for transfers.
    half_period_ns
        Of the counter that the device sees; it repeats itself after 256 of these, which must be longer than the
        uncertainty of a restart.
    is_silent
        Nothing that the driver gets shows it.
    """

    lines: tuple[str, ...]
    status: int
    message: str
    words: tuple[str, ...] = ()
    driver: str = "fx2lafw"
    rate: str = "24MHz"
    duration: str = "0.6s"
    usbfs_mb: int = 16
    half_period_ns: int = HALF_PERIOD_NS
    is_silent: bool = False

    def captured(self, folder: Path) -> Captured:
        """The capture."""
        with plugged(*self.lines, usbfs_mb=self.usbfs_mb) as bus:
            return captured(
                bus,
                folder,
                *self.words,
                driver=self.driver,
                rate=self.rate,
                duration=self.duration,
                signal=counter(self.half_period_ns),
            )

    def is_named(self, result: Captured) -> bool:
        """Whether the capture named what went wrong."""
        return re.search(self.message, result.done.stdout + result.done.stderr) is not None


def _fault(text: str, status: int, message: str) -> Case:
    return Case((LOADED, f"fault {text} {AT}"), status, message)


CASES: dict[str, Case] = {
    "no fault": Case((LOADED,), 0, "complete"),
    "512 bytes vanish": Case((LOADED, f"fault kind=lost n=512 {AT}"), 0, "complete", is_silent=True),
    "a transfer fails": _fault("kind=failed", 1, "samples were lost .*a USB transfer ended with LIBUSB_TRANSFER_ERROR"),
    "three transfers fail": _fault("kind=failed n=3", 1, "3 USB transfers ended with LIBUSB_TRANSFER_ERROR"),
    "a transfer overflows": _fault("kind=overflow", 1, "samples were lost .*ended with LIBUSB_TRANSFER_OVERFLOW"),
    "the endpoint stalls": _fault("kind=stall", 1, "the last 65 USB transfers ended with LIBUSB_TRANSFER_STALL"),
    "transfers hang": _fault("kind=hang", 1, "no sample for 2 s"),
    "80 transfers have no data": _fault("kind=empty n=80", 1, "its FIFO was full"),
    "the FIFO is full": _fault("kind=fifo", 1, "its FIFO was full, as this computer had not fetched its samples"),
    "the host stalls for 0.2 s": Case((LOADED, f"host stall {AT} for_s=0.2"), 0, "complete"),
    "the host stalls for 0.5 s": Case((LOADED, f"host stall {AT} for_s=0.5"), 1, "its FIFO was full", duration="1.2s"),
    "unplugged": _fault("kind=unplug", 1, "it was unplugged"),
    "unplugged for 0.5 s, `--restart`": Case(
        ("device model=fx2 port=3 half_period_ns=5000000", f"fault kind=unplug back_s=0.5 {AT}"),
        1,
        "a pause .*it was unplugged.*, by the host's clock",
        words=("--restart", "20s"),
        driver="fx2lafw:conn=usb:1-3",
        duration="4s",
        half_period_ns=5_000_000,
    ),
    "no permission": Case((f"{LOADED} open_error=ACCESS",), 2, "no permission for the analyzer .*plugdev"),
    "in use": Case((f"{LOADED} claim_error=BUSY",), 2, "in use by another program"),
    "4 MB of usbfs memory": Case((LOADED,), 2, "no memory left for USB transfers; .*usbfs_memory_mb", usbfs_mb=4),
    "no firmware file": Case(
        ("device model=dslogic port=3",),
        2,
        "firmware is missing",
        words=("-c", "0,1", "--config", "continuous=on"),
        driver="dreamsourcelab-dslogic",
        rate="25MHz",
    ),
    "noise": Case((f"{LOADED} noise_samples=8",), 0, "complete"),
}
