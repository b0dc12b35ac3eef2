"""The files that Linux would show of a modelled USB, as gpiorig reads those of a real one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from gpiorig.capture.usb import tree as sysfs
from gpiorig.vbench.ends.usb_tree import PluggedDevice, UsbTree

FRESH = PluggedDevice("1-3", 5, "0925", "3881")
LOADED = dataclasses.replace(FRESH, address=6)
BEHIND_A_HUB = PluggedDevice("2-1.4", 9, "2a0e", "0020")


def test_a_device_that_renumerates_has_its_path_and_another_number(tmp_path: Path) -> None:
    """Gone in between; a second device on another bus is unchanged."""
    tree = UsbTree(tmp_path / "sys", tmp_path / "dev", usbfs_mb=16)

    def shown(*devices: PluggedDevice) -> list[tuple[str, str, int, int]]:
        tree.update(devices)
        devices_shown = sysfs.devices(tmp_path / "sys")
        assert sorted(f"{device.bus:03}/{device.address:03}" for device in devices) == sorted(
            str(file.relative_to(tmp_path / "dev")) for file in (tmp_path / "dev").rglob("*") if file.is_file()
        )
        return [(device.path, device.ids, device.bus, device.address) for device in devices_shown]

    other = ("2-1.4", "2a0e:0020", 2, 9)
    assert [("1-3", "0925:3881", 1, 5), other] == shown(FRESH, BEHIND_A_HUB)
    assert [other] == shown(BEHIND_A_HUB)
    assert [("1-3", "0925:3881", 1, 6), other] == shown(LOADED, BEHIND_A_HUB)
    assert [] == shown()
