"""Logic analyzers on the USB: vendor and product, sigrok's driver, and the firmware files that it loads into them.

From libsigrok 0.5.2: src/hardware/fx2lafw/api.c, dreamsourcelab-dslogic/api.c and protocol.c, saleae-logic16/api.c and
protocol.c; where it looks for firmware: src/resource.c. An analyzer with its firmware in place may have other ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.host.usb import UsbDevice

_FX2LAFW = "apt install sigrok-firmware-fx2lafw"
_NOT_FREE = "put them into ~/.local/share/sigrok-firmware (https://sigrok.org/wiki/Firmware; not free, so no package)"


@dataclass(frozen=True, slots=True)
class UsbAnalyzer:
    """An analyzer that sigrok knows by its USB ids: driver, name, firmware files, where these come from."""

    driver: str
    name: str
    firmware: tuple[str, ...]
    remedy: str


def _fx2(name: str, firmware: str) -> UsbAnalyzer:
    return UsbAnalyzer("fx2lafw", name, (f"fx2lafw-{firmware}.fw",), _FX2LAFW)


def _dslogic(name: str, model: str, *fpga: str) -> UsbAnalyzer:
    files = tuple(f"dreamsourcelab-{model}-{part}.fw" for part in ("fx2", *fpga))
    return UsbAnalyzer("dreamsourcelab-dslogic", f"DreamSourceLab {name}", files, _NOT_FREE)


KNOWN = {
    "0925:3881": _fx2("Saleae Logic or a clone", "saleae-logic"),
    "04b4:8613": _fx2("Cypress FX2 without EEPROM", "cypress-fx2"),
    "1d50:608c": _fx2("sigrok FX2 LA (8ch)", "sigrok-fx2-8ch"),
    "1d50:608d": _fx2("sigrok FX2 LA (16ch)", "sigrok-fx2-16ch"),
    "08a9:0014": _fx2("CWAV USBee AX", "cwav-usbeeax"),
    "2a0e:0001": _dslogic("DSLogic", "dslogic", "fpga-3v3", "fpga-5v"),
    "2a0e:0003": _dslogic("DSLogic Pro", "dslogic-pro", "fpga"),
    "2a0e:0020": _dslogic("DSLogic Plus", "dslogic-plus", "fpga"),
    "2a0e:0021": _dslogic("DSLogic Basic", "dslogic-basic", "fpga"),
    "21a9:1001": UsbAnalyzer(
        "saleae-logic16",
        "Saleae Logic16",
        ("saleae-logic16-fx2.fw", "saleae-logic16-fpga-18.bitstream", "saleae-logic16-fpga-33.bitstream"),
        _NOT_FREE,
    ),
}


def attached(devices: Iterable[UsbDevice]) -> dict[UsbDevice, UsbAnalyzer]:
    """The devices that are analyzers."""
    return {device: KNOWN[device.ids] for device in devices if device.ids in KNOWN}


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
