"""Serial ports of this machine, the adapter of each, and the programs that have them open."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice

DEV, PROC = Path("/dev"), Path("/proc")


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port.

    Attributes
    ----------
    device
        Such as ``/dev/ttyUSB1``.
    usb
        Its adapter; None: it has none on the USB, as a pseudo terminal.
    interface
        Which interface of the adapter it is: an FT2232H has two.
    by_id
        Its name that stays, in /dev/serial/by-id.
    """

    device: str
    usb: UsbDevice | None = None
    interface: int | None = None
    by_id: str | None = None

    @property
    def name(self) -> str:
        """The name for a bench file: the one that stays, if there is one."""
        return self.by_id or self.device


def ports(sys: Path | None = None, dev: Path = DEV) -> tuple[Port, ...]:
    """The serial ports of USB adapters, in the order of the adapters' paths and their interfaces."""
    sys = sys or tree.root()
    names = {link.resolve().name: str(link) for link in sorted((dev / "serial" / "by-id").glob("*"))}
    adapters = []
    for entry in sorted((sys / "class" / "tty").glob("tty*")):
        folder = (entry / "device").resolve()
        adapter = tree.of_folder(folder)
        if adapter is not None:
            adapters.append(Port(str(dev / entry.name), adapter, _interface(folder), names.get(entry.name)))
    return tuple(sorted(adapters, key=lambda port: (port.usb.path if port.usb else "", port.interface or 0)))


def adapter(device: str, sys: Path | None = None) -> UsbDevice | None:
    """The USB device that a serial port is on; None of other ports."""
    return tree.of_folder(((sys or tree.root()) / "class" / "tty" / Path(device).resolve().name / "device").resolve())


def holders(device: str, proc: Path = PROC) -> tuple[str, ...]:
    """The programs that have a port open, as far as this user may see them; the server of a pseudo terminal has not."""
    target = os.path.realpath(device)
    programs = []
    for process in proc.glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            files = [str(file.readlink()) for file in (process / "fd").iterdir()]
            if target in files and not _serves(process, target):
                programs.append(f"{(process / 'comm').read_text().strip()} ({process.name})")
        except OSError:  # another user's, or it has ended
            continue
    return tuple(sorted(programs))


def _serves(process: Path, target: str) -> bool:
    """Whether a process has the other end of a pseudo terminal (proc(5), fdinfo; Linux, drivers/tty/pty.c)."""
    number = re.fullmatch(r"/dev/pts/(\d+)", target)
    if number is None:
        return False
    line = f"tty-index:\t{number[1]}\n"
    return any(line in file.read_text() for file in (process / "fdinfo").iterdir())


def _interface(folder: Path) -> int | None:
    for parent in (folder, *folder.parents):
        if (parent / "bInterfaceNumber").is_file():
            return int((parent / "bInterfaceNumber").read_text(), 16)
    return None
