"""The log of a recording: it describes this machine, and is a file in the recording's folder."""

from __future__ import annotations

import contextlib
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from gpiorig.capture import log
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.host import machine, permissions, ports

GROUPS = ("dialout", "plugdev")
_USBFS = Path("module/usbcore/parameters/usbfs_memory_mb")  # linux/drivers/usb/core/devio.c; below sysfs


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Keep the log in the folder of a recording meanwhile."""
    log.LOG.info("%s", "\n".join(["this machine:", *facts()]))
    with log.writing(folder / log.NAME):
        yield


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Keep the log in a file that is replaced, such as next to a certificate."""
    path.unlink(missing_ok=True)
    log.LOG.info("%s", "\n".join(["this machine:", *facts()]))
    with log.writing(path):
        yield


def saved(output: Path, error: Exception) -> Path | None:
    """Write the log next to where a recording should have been; where it is, None if it cannot be."""
    path = of_failure(output)
    log.LOG.info("%s", "\n".join(["this machine:", *facts()]))
    log.LOG.info("ended by %s: %s", type(error).__name__, error)
    with contextlib.suppress(OSError, CaptureError):
        log.save(path)
        return path
    return None


def of_failure(recording: Path) -> Path:
    """The log of a recording that was not begun: next to its place."""
    return recording.with_name(f"{recording.name}.{log.NAME}")


def of_certificate(certificate: Path) -> Path:
    """The log of a verification: next to its certificate."""
    return certificate.with_name(f"{certificate.stem}.{log.NAME}")


def facts(sys_folder: Path | None = None) -> list[str]:
    """Versions, kernel, groups and the limit of usbfs, then USB devices and serial ports, a line each."""
    lacking = permissions.lacking_groups(GROUPS)
    return [
        f"gpiorig {version('gpiorig')}, Python {platform.python_version()} ({sys.implementation.name})",
        f"{', '.join(machine.facts().values())}; {platform.version()}",
        f"groups: not in {', '.join(lacking)}" if lacking else f"groups: root, or in {', '.join(GROUPS)}",
        f"usbfs: {_text((sys_folder or tree.root()) / _USBFS) or 'an unknown number of'} MB for all transfers",
        *(described(device) for device in tree.devices(sys_folder)),
        *(f"port {port.name}: {port.device}, {_access(Path(port.device))}" for port in ports.ports(sys_folder)),
    ]


def described(device: UsbDevice) -> str:
    """A device of the USB tree: its place, what it is, its speed, its controller, and whether it may be used."""
    serial = f", serial {device.serial}" if device.serial else ""
    return (
        f"usb {device.path}: {device.ids} {device.name}{serial}, {device.mbps:g} Mbit/s, address "
        f"{device.bus}.{device.address}, controller {device.controller}, {_access(device.file())}"
    )


def _access(file: Path) -> str:
    return "usable" if permissions.may_use(file) else f"no permission, group {permissions.group(file)}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
