"""Logic analyzers on the USB: sigrok's driver of each, and the firmware files that it loads into them.

Where libsigrok looks for firmware: libsigrok 0.5.2, src/resource.c. An analyzer with its firmware in place may have
other ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench import drivers
from gpiorig.rig.bench.drivers import UsbId


@dataclass(frozen=True, slots=True)
class UsbAnalyzer:
    """An analyzer that sigrok knows by its USB ids: driver, name, firmware files, where these come from."""

    driver: str
    name: str
    firmware: tuple[str, ...]
    remedy: str


def attached(devices: Iterable[UsbDevice]) -> dict[UsbDevice, UsbAnalyzer]:
    """The devices that are analyzers."""
    plugged = list(devices)
    entries = drivers.of_usb(device.ids for device in plugged)
    return {device: _analyzer(*entries[device.ids]) for device in plugged if device.ids in entries}


def folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where libsigrok looks for firmware."""
    home = environment.get("HOME", "/root")
    user = environment.get("XDG_DATA_HOME") or f"{home}/.local/share"
    shared = (environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    places = [Path(place) / "sigrok-firmware" for place in (user, "/usr/share", *shared)]
    chosen = environment.get("SIGROK_FIRMWARE_DIR")
    return [Path(chosen), *places] if chosen else places


def missing(analyzer: UsbAnalyzer, places: Iterable[Path]) -> list[str]:
    """The firmware files of an analyzer that are in none of the folders."""
    searched = list(places)
    return [name for name in analyzer.firmware if not any((place / name).is_file() for place in searched)]


def _analyzer(driver: str, entry: UsbId) -> UsbAnalyzer:
    known = drivers.known(driver)
    return UsbAnalyzer(driver, entry.name, entry.firmware, known.firmware_from if known else "")
