"""The sysfs of the tests of this room."""

from __future__ import annotations

from pathlib import Path

import pytest
from usbtree import UsbTree


@pytest.fixture
def tree(tmp_path: Path) -> UsbTree:
    """An IoT-LAB M3 and a Nucleo at a hub, and an FX2 clone."""
    tree = UsbTree(tmp_path)
    tree.device("1-2", "05e3:0608", product="USB2.0 Hub")
    m3 = tree.device("1-2.3", "0403:6010", product="M3", serial="FT1ABCD")
    tree.port(m3, 0, "ttyUSB0", by_id="usb-M3_FT1ABCD-if00-port0")
    tree.port(m3, 1, "ttyUSB1", by_id="usb-M3_FT1ABCD-if01-port0")
    nucleo = tree.device("1-2.10", "0483:374b", product="STM32 STLink")
    tree.port(nucleo, 2, "ttyACM0")
    tree.device("1-5", "0925:3881")
    return tree
