"""Which adapter is a node's, on trees of sysfs as Linux makes them; no adapter is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from usbtree import with_ports

from gpiorig.capture.usb.tree import SYSFS_PATH, UsbDevice
from gpiorig.rig.bench.flashing import DebugEnd, debug_end
from gpiorig.rig.flash import adapters
from gpiorig.rig.flash.job import WrongBoardError
from gpiorig.rig.host import ports

M3 = ("0403:6010",)


def _key(device: UsbDevice | None) -> tuple[str, str | None]:
    """Path and serial number of a device that must be there."""
    assert device is not None
    return device.path, device.serial


@pytest.fixture(autouse=True)
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of these tests in place of the machine's."""
    monkeypatch.setenv(SYSFS_PATH, str(tmp_path / "sys"))


@pytest.mark.parametrize("debug", ["FT1", "usb:1-2.3"])
def test_an_adapter_by_each_key(tmp_path: Path, debug: str) -> None:
    """By serial number and by USB path, among others of its kind."""
    with_ports(tmp_path, ("1-2.3", M3[0], "FT1"), ("1-2.4", M3[0], "FT2"), ("1-3", "0483:374b", "066D"))

    assert ("1-2.3", "FT1") == _key(adapters.chosen(M3, debug_end(debug)))


def test_the_only_adapter_needs_no_key(tmp_path: Path) -> None:
    """One of the board's kind, next to others."""
    with_ports(tmp_path, ("1-2", M3[0], ""), ("1-3", "0483:374b", "066D"))

    assert ("1-2", None) == _key(adapters.chosen(M3, None))


@pytest.mark.parametrize(
    ("debug", "message"),
    [
        (None, "there are 3 adapters of 0403:6010. Name one by its USB path in `debug`: 0403:6010 at usb:1-1, serial"),
        ("FT1", "there are 2 adapters with serial number FT1. Name one by its USB path"),
        (
            "FT9",
            "no adapter with serial number FT9 is connected. Plug it in, or correct `debug`. Those that are there: ",
        ),
        ("usb:1-4", "no adapter with usb 1-4"),
    ],
)
def test_adapters_that_are_refused(tmp_path: Path, debug: str | None, message: str) -> None:
    """None, or several with the same key: a device of another kind is none, whatever its key."""
    with_ports(tmp_path, ("1-1", M3[0], "FT1"), ("1-2", M3[0], "FT1"), ("1-3", M3[0], ""), ("1-4", "0483:374b", "FT9"))

    with pytest.raises(WrongBoardError, match=f"^{re.escape(message)}"):
        adapters.chosen(M3, debug_end(debug) if debug else None)


def test_without_sysfs_nothing_is_known() -> None:
    """OpenOCD looks for the adapter itself."""
    assert adapters.chosen(M3, DebugEnd("serial number", "FT1")) is None


def test_the_adapter_of_a_port(tmp_path: Path) -> None:
    """By the kernel's name of the port, or by a link to it as udev makes them; a pty is on none."""
    with_ports(tmp_path, ("1-1", "0403:6001", "MX1"), ("1-2.1", "0403:6001", "MX2"))
    link = tmp_path / "by-id"
    link.symlink_to("/dev/ttyUSB1")

    assert ("1-2.1", "MX2") == _key(ports.adapter("/dev/ttyUSB1"))
    assert ("1-2.1", "MX2") == _key(ports.adapter(str(link)))
    assert ports.adapter("/dev/pts/3") is None
