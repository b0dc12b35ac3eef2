"""A modelled USB for tests: any devices and faults, for commands in this process and those that they start."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import usbtruth
from commandline import Finished, gpiorig
from usbtruth import Comparison, Signal

from gpiorig.capture.recording.recording import Recording
from gpiorig.vbench.ends import usbbus
from gpiorig.vbench.ends.usb_bus import UsbBus

LOOK_S = 0.02
HALF_PERIOD_NS = 500_000  # of the counter that a device sees unless its line states another one


@contextmanager
def plugged(*lines: str, usbfs_mb: int = usbbus.USBFS_MB) -> Iterator[UsbBus]:
    """A bus with these devices and faults (lines of its file), which this process and its children are on."""
    bus, ended = UsbBus(lines, usbfs_mb=usbfs_mb), threading.Event()

    def follow() -> None:
        while not ended.wait(LOOK_S):
            bus.update()

    follower = threading.Thread(target=follow)
    follower.start()
    try:
        with patch.dict(os.environ, bus.environment):
            yield bus
    finally:
        ended.set()
        follower.join()
        bus.close()


@dataclass(frozen=True)
class Captured:
    """A finished `gpiorig capture`, its recording if there is one, and what that is against the truth.

    `lost`: first and number of the samples that were never handed over, in all starts.
    """

    done: Finished
    recording: Recording | None = None
    against_truth: Comparison | None = None
    lost: tuple[tuple[int, int], ...] = ()


def captured(
    bus: UsbBus,
    folder: Path,
    *words: str,
    driver: str = "fx2lafw",
    rate: str = "24MHz",
    duration: str = "2s",
    device: int = 0,
    signal: Signal | None = None,
) -> Captured:
    """A capture of a device of the bus, as a user makes it, held against the truth."""
    asked = ["-d", driver, "--samplerate", rate, "--duration", duration, "-o", folder, *words]
    done = gpiorig("capture", *asked)
    if not (folder / "recording.toml").exists():
        return Captured(done)
    recording = Recording.open(folder)
    starts = usbtruth.read(bus.folder, device)
    compared = usbtruth.compare(recording.edges(), starts, signal or usbtruth.counter(HALF_PERIOD_NS))
    return Captured(done, recording, compared, tuple(loss for start in starts for loss in start.lost))
