"""What Linux would show of a modelled USB in sysfs and in /dev/bus/usb: folders and files of each device.

Linux, Documentation/ABI/testing/sysfs-bus-usb. A device that is plugged in again, or that renumerates, has another
number, and its folder is made again.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

CONTROLLER = "devices/platform/modelled-usb"
_USBFS_MB = "module/usbcore/parameters/usbfs_memory_mb"
_HIGH_SPEED = "480"


@dataclass(frozen=True, slots=True)
class PluggedDevice:
    """A device on the bus: its path of ports, its number, vendor and product."""

    path: str
    address: int
    vendor: str
    product: str

    @property
    def bus(self) -> int:
        """Number of its bus."""
        return int(self.path.partition("-")[0])

    @property
    def attributes(self) -> dict[str, str]:
        """Its files in sysfs."""
        numbers = {"busnum": str(self.bus), "devnum": str(self.address), "speed": _HIGH_SPEED}
        return {"idVendor": self.vendor, "idProduct": self.product, **numbers}


class UsbTree:
    """The files of a bus, in the folders `sys` and `dev`.

    Parameters
    ----------
    sys, dev
        In place of /sys and /dev/bus/usb.
    usbfs_mb
        Memory for transfers of all programs.
    """

    def __init__(self, sys: Path, dev: Path, *, usbfs_mb: int) -> None:
        self._sys, self._dev = sys, dev
        self._links = sys / "bus/usb/devices"
        self._links.mkdir(parents=True)
        limit = sys / _USBFS_MB
        limit.parent.mkdir(parents=True)
        limit.write_text(f"{usbfs_mb}\n")
        self._devices: dict[str, PluggedDevice] = {}

    def update(self, devices: Collection[PluggedDevice]) -> None:
        """Show these devices; those that were there already stay untouched."""
        plugged = {device.path: device for device in devices}
        for path, device in list(self._devices.items()):
            if plugged.get(path) != device:
                self._remove(device)
        for path, device in plugged.items():
            if path not in self._devices:
                self._add(device)

    def _folder(self, device: PluggedDevice) -> Path:
        bus, _, ports = device.path.partition("-")
        hops = ports.split(".")
        ways = [f"{bus}-{'.'.join(hops[:count])}" for count in range(1, len(hops) + 1)]
        return self._sys.joinpath(CONTROLLER, f"usb{bus}", *ways)

    def _file(self, device: PluggedDevice) -> Path:
        return self._dev / f"{device.bus:03}" / f"{device.address:03}"

    def _remove(self, device: PluggedDevice) -> None:
        (self._links / device.path).unlink()
        shutil.rmtree(self._folder(device))
        self._file(device).unlink()
        del self._devices[device.path]

    def _add(self, device: PluggedDevice) -> None:
        folder, file = self._folder(device), self._file(device)
        folder.mkdir(parents=True)
        for name, text in device.attributes.items():
            (folder / name).write_text(f"{text}\n")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        (self._links / device.path).symlink_to(folder)  # the last: a device that is listed has its files
        self._devices[device.path] = device
