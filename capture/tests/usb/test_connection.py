"""Ports of the USB in place of addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from usbtree import UsbTree

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.usb import connection


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsbTree:
    """Two analyzers, one on a hub; a device's address is its last port."""
    tree = UsbTree(tmp_path)
    tree.device("1-2", "05e3:0608", product="USB2.0 Hub")
    tree.device("1-2.7", "0925:3881")
    tree.device("1-5", "1d50:608c", product="fx2lafw")
    monkeypatch.setenv("SYSFS_PATH", str(tree.sys))
    return tree


@pytest.mark.parametrize(
    ("driver", "address"),
    [
        ("fx2lafw:conn=usb:1-5", "fx2lafw:conn=1.5"),
        ("fx2lafw:conn=usb:1-2.7", "fx2lafw:conn=1.7"),
        ("fx2lafw", "fx2lafw"),
        ("fx2lafw:conn=0925.3881", "fx2lafw:conn=0925.3881"),
        ("beaglelogic:conn=tcp-raw/127.0.0.1/5555", "beaglelogic:conn=tcp-raw/127.0.0.1/5555"),
        ("raspberrypi-pico:conn=/dev/ttyACM0", "raspberrypi-pico:conn=/dev/ttyACM0"),
    ],
)
def test_a_port_and_its_address(driver: str, address: str, tree: UsbTree) -> None:
    """Either stands for the other; what names neither stays."""
    assert (address, driver) == (connection.by_address(driver), connection.by_port(address))


def test_after_it_was_plugged_in_again(tree: UsbTree) -> None:
    """The port has another address, which is looked up each time."""
    (tree.sys / "bus/usb/devices/1-5/devnum").write_text("23\n")

    assert "fx2lafw:conn=1.23" == connection.by_address("fx2lafw:conn=usb:1-5")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "1-6",
            r"nothing is plugged in at USB port 1-6; on the USB: .*7 \(0925:3881\), usb:1-5 \(fx2lafw 1d50:608c\)",
        ),
        ("nonsense", "nothing is plugged in at USB port nonsense"),
        ("1-2", r"a hub is plugged in at USB port 1-2; name one of usb:1-2\.7 \(0925:3881\)"),
    ],
)
def test_what_a_port_may_have_instead(path: str, message: str, tree: UsbTree) -> None:
    """Nothing, or several devices on a hub: with what is there, as a driver string names it."""
    with pytest.raises(AnalyzerError, match=message):
        connection.by_address(f"fx2lafw:conn=usb:{path}")


def test_a_machine_without_usb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has nothing at any port, and addresses stay as they are."""
    monkeypatch.setenv("SYSFS_PATH", str(tmp_path))

    assert "fx2lafw:conn=1.5" == connection.by_port("fx2lafw:conn=1.5")
    with pytest.raises(AnalyzerError, match="on the USB: nothing"):
        connection.by_address("fx2lafw:conn=usb:1-5")
