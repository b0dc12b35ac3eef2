"""USB devices of this machine, as sysfs describes them (Linux, Documentation/ABI/testing/sysfs-bus-usb)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

SYSFS_PATH = "SYSFS_PATH"  # libsysfs's variable: where sysfs is mounted, if not at /sys
USB_DEVFS_PATH = "USB_DEVFS_PATH"  # libusb 0.1's: where the files of devices are, if not in /dev/bus/usb
HIGH_SPEED_MBPS = 480.0

# A device is BUS-PORT.PORT…; names with a colon are its interfaces, usbN are the controllers' own hubs.
_DEVICE = re.compile(r"\d+-\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """A device on the USB.

    Attributes
    ----------
    path
        The ports that lead to it, such as ``1-2.3``: the same while it is plugged in there.
    ids
        Vendor and product, such as ``0403:6010``.
    serial
        Its serial number, if it has one.
    name
        Manufacturer and product, as it reports them.
    mbps
        Its speed in Mbit/s: 12 is full speed, 480 is high speed.
    bus, address
        Its numbers until it is plugged in again; sigrok's ``conn=BUS.ADDRESS``.
    controller
        The device that its bus belongs to, such as ``0000:00:14.0``.
    """

    path: str
    ids: str
    serial: str | None
    name: str
    mbps: float
    bus: int
    address: int
    controller: str

    @property
    def key(self) -> str:
        """What a bench file names it by: its serial number, or else its path."""
        return self.serial or f"usb:{self.path}"

    def file(self, dev: Path | None = None) -> Path:
        """Its file in a folder of devices."""
        folder = dev / "bus" / "usb" if dev else Path(os.environ.get(USB_DEVFS_PATH) or "/dev/bus/usb")
        return folder / f"{self.bus:03}" / f"{self.address:03}"


def root() -> Path:
    """Where sysfs is mounted."""
    return Path(os.environ.get(SYSFS_PATH) or "/sys")


def devices(sys: Path | None = None) -> tuple[UsbDevice, ...]:
    """All devices, hubs too, in the order of their paths; none where the machine has no USB."""
    folder = (sys or root()) / "bus" / "usb" / "devices"
    names = (path.name for path in folder.glob("*") if _DEVICE.fullmatch(path.name))
    return tuple(_device((folder / name).resolve()) for name in sorted(names, key=_ports))


def of_folder(folder: Path) -> UsbDevice | None:
    """The device that a folder of sysfs belongs to; None: to none."""
    for parent in (folder, *folder.parents):
        if _DEVICE.fullmatch(parent.name) and (parent / "idVendor").is_file():
            return _device(parent)
    return None


def _device(folder: Path) -> UsbDevice:
    def text(name: str) -> str:
        try:
            return (folder / name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:  # it has no such attribute, or has been unplugged
            return ""

    hub = next((parent for parent in folder.parents if parent.name.startswith("usb")), folder)
    return UsbDevice(
        path=folder.name,
        ids=f"{text('idVendor')}:{text('idProduct')}",
        serial=text("serial") or None,
        name=" ".join(filter(None, (text("manufacturer"), text("product")))),
        mbps=float(text("speed") or 0),
        bus=int(text("busnum") or 0),
        address=int(text("devnum") or 0),
        controller=hub.parent.name,
    )


def _ports(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]
