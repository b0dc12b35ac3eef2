"""USB adapters on this machine, by Linux' sysfs, and the one that leads to a board."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.bench.flashing import DebugEnd
from gpiorig.rig.flash.job import WrongBoardError

SYSFS = Path("/sys")

_DEVICE = re.compile(r"\d+-\d+(?:\.\d+)*")  # not of hubs' root ports (usb1) or interfaces (1-2:1.0)


@dataclass(frozen=True, slots=True)
class Adapter:
    """A USB device: where it is plugged in, vendor and product, serial number ("" if it has none)."""

    path: str
    ids: str
    serial: str

    def __str__(self) -> str:
        """As a message names it."""
        return f"{self.ids} at usb:{self.path}, {f'serial number {self.serial}' if self.serial else 'no serial number'}"


def present(ids: Sequence[str], *, root: Path = SYSFS) -> list[Adapter] | None:
    """The devices with one of these vendors and products; None where there is no sysfs."""
    folder = root / "bus" / "usb" / "devices"
    if not folder.is_dir():
        return None
    devices = [_read(path) for path in sorted(folder.iterdir()) if _DEVICE.fullmatch(path.name)]
    return [device for device in devices if device.ids in ids]


def of_port(port: str, *, root: Path = SYSFS) -> Adapter | None:
    """The USB device that a serial port is on; None of other ports."""
    device = (root / "class" / "tty" / Path(port).resolve().name / "device").resolve()
    return next((_read(path) for path in device.parents if (path / "idVendor").is_file()), None)


def chosen(ids: Sequence[str], end: DebugEnd | None, *, root: Path = SYSFS) -> Adapter | None:
    """The one adapter that `debug` of a node names, or the only one; None where nothing is known of them.

    Raises
    ------
    WrongBoardError
        There is none, or there are several.
    """
    there = present(ids, root=root)
    if there is None:
        return None
    fitting = [adapter for adapter in there if end is None or is_named(adapter, end)]
    if len(fitting) == 1:
        return fitting[0]
    listed = "; ".join(map(str, there)) or "none"
    wanted = f"with {end}" if end else f"of {' or '.join(ids)}"
    if not fitting:
        raise WrongBoardError(
            f"there is no adapter {wanted}. Plug it in, or correct `debug`. Those that are there: {listed}."
        )
    raise WrongBoardError(f"there are {len(fitting)} adapters {wanted}. Name one by its USB path in `debug`: {listed}.")


def is_named(adapter: Adapter, end: DebugEnd) -> bool:
    """Whether it is the adapter with this serial number or USB path."""
    return end.value == (adapter.serial if end.kind == "serial number" else adapter.path)


def _read(path: Path) -> Adapter:
    def text(name: str) -> str:
        try:
            return (path / name).read_text(errors="replace").strip()
        except OSError:
            return ""

    return Adapter(path.name, f"{text('idVendor')}:{text('idProduct')}", text("serial"))
