"""USB devices and serial ports from sysfs, and who has a port open."""

from __future__ import annotations

import os
import subprocess
import sys
import tty
from collections.abc import Iterator

import pytest
from usbtree import UsbTree

from gpiorig.capture.usb import tree as usb
from gpiorig.rig.host import ports


def test_devices(tree: UsbTree) -> None:
    """In the order of their ports; a key is the serial number, or the path of a device without one."""
    devices = {device.path: device for device in usb.devices(tree.sys)}

    assert ["1-2", "1-2.3", "1-2.10", "1-5"] == list(devices)
    m3 = devices["1-2.3"]
    assert usb.UsbDevice("1-2.3", "0403:6010", "FT1ABCD", "M3", 480.0, 1, 3, "0000:00:14.0") == m3
    assert ("FT1ABCD", "usb:1-2.10") == (m3.key, devices["1-2.10"].key)
    assert tree.dev / "bus/usb/001/003" == m3.file(tree.dev)


def test_a_machine_without_usb(tree: UsbTree) -> None:
    """Has no devices and no ports, which is valid."""
    assert () == usb.devices(tree.dev) == ports.ports(tree.dev, tree.dev)


def test_ports(tree: UsbTree) -> None:
    """Each has its adapter and its interface, and the name that stays where udev has made one."""
    listed = [
        (port.name, port.usb.path if port.usb else "", port.interface) for port in ports.ports(tree.sys, tree.dev)
    ]

    by_id = tree.dev / "serial/by-id"
    assert [
        (str(tree.dev / "ttyACM0"), "1-2.10", 2),
        (str(by_id / "usb-M3_FT1ABCD-if00-port0"), "1-2.3", 0),
        (str(by_id / "usb-M3_FT1ABCD-if01-port0"), "1-2.3", 1),
    ] == listed


@pytest.fixture
def terminal() -> Iterator[str]:
    """A pseudo terminal whose other end this process has."""
    master, node = os.openpty()
    tty.setraw(node)
    yield os.ttyname(node)
    os.close(node)
    os.close(master)


def test_holders(terminal: str) -> None:
    """Another program that has a port open is named; we are not."""
    assert () == ports.holders(terminal)

    script = "import sys; port = open(sys.argv[1]); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, terminal]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        (holder,) = ports.holders(terminal)
        other.communicate()

    assert f"({other.pid})" in holder
