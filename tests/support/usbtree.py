"""A sysfs with USB devices in a temporary folder, laid out as Linux has it; not taken from hardware."""

from __future__ import annotations

from pathlib import Path

CONTROLLER = "devices/pci0000:00/0000:00:14.0"


class UsbTree:
    """The root of the tree is `sys`; files of devices are in `dev`."""

    def __init__(self, folder: Path) -> None:
        self.sys, self.dev = folder / "sys", folder / "dev"
        (self.sys / "bus/usb/devices").mkdir(parents=True)
        (self.sys / "class/tty").mkdir(parents=True)
        (self.dev / "serial/by-id").mkdir(parents=True)

    def device(self, path: str, ids: str, *, serial: str = "", product: str = "", mbps: str = "480") -> Path:
        """Plug a device in at a path; its number on the bus is that of its last port."""
        bus = path.partition("-")[0]
        folder = self.sys / CONTROLLER / f"usb{bus}"
        ports = path.partition("-")[2].split(".")
        for count in range(1, len(ports) + 1):
            folder /= f"{bus}-{'.'.join(ports[:count])}"
        folder.mkdir(parents=True)
        vendor, _, model = ids.partition(":")
        attributes = {"idVendor": vendor, "idProduct": model, "busnum": bus, "devnum": ports[-1], "speed": mbps}
        optional = {name: text for name, text in {"serial": serial, "product": product}.items() if text}
        for name, text in (attributes | optional).items():
            (folder / name).write_text(f"{text}\n")
        (self.sys / "bus/usb/devices" / path).symlink_to(folder)
        file = self.dev / f"bus/usb/{int(bus):03}/{int(ports[-1]):03}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        return folder

    def port(self, device: Path, interface: int, name: str, *, by_id: str = "") -> None:
        """A serial port on an interface of a device: ttyUSB has a folder of its own there, ttyACM has not."""
        folder = device / f"{device.name}:1.{interface}"
        folder.mkdir()
        (folder / "bInterfaceNumber").write_text(f"{interface:02x}\n")
        (self.sys / "bus/usb/devices" / folder.name).symlink_to(folder)
        parent = folder / name if name.startswith("ttyUSB") else folder
        (parent / "tty" / name).mkdir(parents=True)
        (parent / "tty" / name / "device").symlink_to(parent)
        (self.sys / "class/tty" / name).symlink_to(parent / "tty" / name)
        (self.dev / name).touch()
        if by_id:
            (self.dev / "serial/by-id" / by_id).symlink_to(self.dev / name)


def with_ports(folder: Path, *devices: tuple[str, str, str]) -> Path:
    """The root of a tree with these devices (path, ids, serial number), each with a port: ttyUSB0, ttyUSB1, ..."""
    tree = UsbTree(folder)
    for number, (path, ids, serial) in enumerate(devices):
        tree.port(tree.device(path, ids, serial=serial), 1, f"ttyUSB{number}")
    return tree.sys
