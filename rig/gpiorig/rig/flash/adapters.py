"""The USB adapter that leads to a board."""

from __future__ import annotations

from collections.abc import Sequence

from gpiorig.capture.usb import tree
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench.flashing import DebugEnd
from gpiorig.rig.flash.job import WrongBoardError


def chosen(ids: Sequence[str], end: DebugEnd | None) -> UsbDevice | None:
    """The one adapter that `debug` of a node names, or the only one; None where nothing is known of them.

    Parameters
    ----------
    ids
        Vendor and product of those that the board may have.
    end
        What `debug` names; None: nothing.

    Raises
    ------
    WrongBoardError
        There is none, or there are several.
    """
    if not (tree.root() / "bus" / "usb").is_dir():
        return None
    there = [device for device in tree.devices() if device.ids in ids]
    fitting = [device for device in there if end is None or is_named(device, end)]
    if len(fitting) == 1:
        return fitting[0]
    listed = "; ".join(map(described, there)) or "none"
    condition = f"with {end}" if end else f"of {' or '.join(ids)}"
    if not fitting:
        raise WrongBoardError(
            f"no adapter {condition} is connected. Plug it in, or correct `debug`. Those that are there: {listed}."
        )
    raise WrongBoardError(
        f"there are {len(fitting)} adapters {condition}. Name one by its USB path in `debug`: {listed}."
    )


def is_named(device: UsbDevice, end: DebugEnd) -> bool:
    """Whether it is the adapter with this serial number or USB path."""
    return end.value == (device.serial if end.kind == "serial number" else device.path)


def described(device: UsbDevice) -> str:
    """An adapter as a message names it."""
    serial = f"serial number {device.serial}" if device.serial else "no serial number"
    return f"{device.ids} at usb:{device.path}, {serial}"
