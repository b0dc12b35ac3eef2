"""The modelled USB of a virtual bench: analyzers as USB devices, which unmodified programs find (rig/vbench/usbbus).

A program is on this bus where environment variables lead it there: the loader's to a libusb-1.0 that is ours, that of
the library to the folder of the bus, libsysfs's to the files that Linux would show, libusb 0.1's to those of devices.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.rig.host import sigrok_usb
from gpiorig.vbench.description import section
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.modelled_usb import (
    MODELS,
    AnyUsbFault,
    Model,
    UsbEmpty,
    UsbFailed,
    UsbFifoFull,
    UsbHang,
    UsbLost,
    UsbStall,
    UsbUnplug,
)
from gpiorig.vbench.ends import usbbus
from gpiorig.vbench.ends.usb_tree import UsbTree

FOLDER_VARIABLE = "GPIORIG_USB"
LOADER_VARIABLE = "LD_LIBRARY_PATH"
_FIRMWARE_VARIABLE = "SIGROK_FIRMWARE_DIR"  # libsigrok 0.5.2, src/resource.c
_LOOK_S = 0.02  # a device that comes or goes is seen within this
_PORT = 1  # each analyzer is on a bus of its own
_KINDS = {
    UsbLost: "lost",
    UsbFailed: "failed",
    UsbStall: "stall",
    UsbHang: "hang",
    UsbEmpty: "empty",
    UsbFifoFull: "fifo",
    UsbUnplug: "unplug",
}


class UsbBus:
    """A bus, from its making to `close`; `update` keeps the files that Linux would show.

    Parameters
    ----------
    lines
        Its devices and faults (rig/vbench/usbbus/src/config.rs).
    usbfs_mb
        Memory of Linux for transfers of all programs.

    Attributes
    ----------
    folder
        What the library reads and writes: `bus`, `state`, `truth`.
    """

    def __init__(self, lines: Sequence[str], *, usbfs_mb: int = usbbus.USBFS_MB) -> None:
        library = usbbus.library_file()
        self._root = Path(tempfile.mkdtemp(prefix="gpiorig-usb-"))
        self.folder, libraries = self._root / "bus", self._root / "lib"
        self._sys, self._dev = self._root / "sys", self._root / "dev"
        for path in (self.folder, libraries, self._sys, self._dev):
            path.mkdir()
        (libraries / "libusb-1.0.so.0").symlink_to(library)
        (self.folder / "bus").write_text(
            "".join(f"{line}\n" for line in (*lines, f"host usbfs_mb={usbfs_mb}")), encoding="utf-8"
        )
        self._tree = UsbTree(self._sys, self._dev, usbfs_mb=usbfs_mb)
        self._looked_s = 0.0
        try:
            self.update()
        except VirtualBenchError:  # the library does not understand a line
            self.close()
            raise

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which a program is on this bus."""
        firmware = {_FIRMWARE_VARIABLE: str(path)} if (path := self._root / "firmware").is_dir() else {}
        libraries = [str(self._root / "lib"), os.environ.get(LOADER_VARIABLE, "")]
        return {
            FOLDER_VARIABLE: str(self.folder),
            LOADER_VARIABLE: ":".join(filter(None, libraries)),
            "SYSFS_PATH": str(self._sys),
            "USB_DEVFS_PATH": str(self._dev),
            **firmware,
        }

    def update(self) -> None:
        """Show what is on the bus now, unless this was done a moment ago."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            self._tree.update(usbbus.devices(self.folder))

    def add_firmware(self, names: Sequence[str]) -> None:
        """Put placeholders where firmware is not free and this machine lacks it: a modelled device takes any."""
        folder = self._root / "firmware"
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).write_bytes(bytes(1024))

    def close(self) -> None:
        """Delete its files."""
        shutil.rmtree(self._root, ignore_errors=True)


def of_bench(bench: Bench, ports: Mapping[str, int]) -> UsbBus | None:
    """The bus of a bench whose analyzers are served at these TCP ports; None: none of them is on the USB."""
    if not drivers_of(bench):
        return None
    bus = UsbBus(_lines(bench, ports))
    if absent := _absent_firmware(bench):
        bus.add_firmware(absent)
    return bus


def drivers_of(bench: Bench) -> dict[str, str]:
    """Sigrok's driver of each analyzer on the USB, with the path of ports to it."""
    return {
        name: f"{model.driver}:conn=usb:{number}-{_PORT}"
        for number, (name, model) in enumerate(_models(bench).items(), 1)
    }


def _models(bench: Bench) -> dict[str, Model]:
    """The analyzers on the USB, in the order of the file."""
    given = section.of(bench).analyzers
    models = {name: given.get(name, VirtualAnalyzer()).usb for name in bench.analyzers}
    return {name: MODELS[model] for name, model in models.items() if model is not None}


def _lines(bench: Bench, ports: Mapping[str, int]) -> list[str]:
    """The file `bus` of a bench: a device for each analyzer, and the faults."""
    models = _models(bench)
    devices = [
        f"device model={model.device} bus={number} port={_PORT} signal=beaglelogic 127.0.0.1:{ports[name]}"
        for number, (name, model) in enumerate(models.items(), 1)
    ]
    faults = section.of(bench).faults
    numbers = {name: number for number, name in enumerate(models)}
    lines = [_fault_line(fault, numbers) for fault in faults if isinstance(fault, AnyUsbFault)]
    return [*devices, *lines]


def _fault_line(fault: AnyUsbFault, numbers: Mapping[str, int]) -> str:
    device = numbers[fault.analyzer or next(iter(numbers))]
    line = f"fault kind={_KINDS[type(fault)]} device={device} run={fault.capture} at_s={fault.at_us / 1e6:.6f}"
    if isinstance(fault, UsbUnplug):
        return line if fault.back_s is None else f"{line} back_s={fault.back_s}"
    if isinstance(fault, UsbLost):
        return f"{line} n={fault.lost_bytes}"
    return f"{line} n={fault.transfers}" if isinstance(fault, UsbFailed | UsbEmpty) else line


def _absent_firmware(bench: Bench) -> list[str]:
    """Firmware of the bench's analyzers that is not free: all of an analyzer of which this machine lacks a file."""
    places = sigrok_usb.folders()
    needed = {model.driver: model.closed_firmware for model in _models(bench).values()}
    return [
        name
        for names in needed.values()
        for name in names
        if not all(any((place / file).is_file() for place in places) for file in names)
    ]
