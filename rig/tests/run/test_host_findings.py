"""What `bench check --live` finds on this machine, in a made sysfs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from usbtree import UsbTree

from gpiorig.rig.bench import benches
from gpiorig.rig.host import permissions
from gpiorig.rig.run import host_findings

BENCH = """
name = "M3"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.a]
board = "iotlab-m3"
serial = "/dev/ttyUSB1"
debug = "FT1ABCD"
lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
"""


@pytest.fixture
def tree(tmp_path: Path) -> UsbTree:
    """The board's adapter, the analyzer, and its firmware in the folder of the devices."""
    tree = UsbTree(tmp_path)
    tree.device("1-2.3", "0403:6010", serial="FT1ABCD")
    tree.device("1-5", "0925:3881", product="FX2")
    (tree.dev / "fx2lafw-saleae-logic.fw").touch()
    return tree


def wrong(tree: UsbTree, text: str = BENCH, *, may_use: bool = True) -> dict[str, str]:
    """What is wrong, by its subject."""
    findings = host_findings.of_bench(
        benches.loads(text), sys=tree.sys, dev=tree.dev, places=[tree.dev], may_use=lambda file: may_use
    )
    return {finding.about: finding.what for finding in findings if finding.verdict == "wrong"}


def test_a_machine_that_is_ready(tree: UsbTree) -> None:
    """Nothing is wrong, and everything was looked at."""
    findings = host_findings.of_bench(benches.loads(BENCH), sys=tree.sys, dev=tree.dev, places=[tree.dev])

    looked_at = {"sigrok-cli", "analyzers.la", "USB bus 1", "priority", "nodes.a.debug", "disk"}
    assert looked_at == {item.about for item in findings}
    assert {} == wrong(tree)


def test_permissions(tree: UsbTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding has the file, and the group to join; the udev rule, too, where the device is root's."""
    monkeypatch.setattr(permissions, "group", lambda file: "root")
    of_root = wrong(tree, may_use=False)
    monkeypatch.setattr(permissions, "group", lambda file: "plugdev")
    of_group = wrong(tree, may_use=False)

    assert ["analyzers.la", "nodes.a.debug"] == sorted(of_root) == sorted(of_group)
    rule = 'ATTR{idVendor}=="0925", ATTR{idProduct}=="3881", MODE="0660", GROUP="plugdev"'
    assert [True, False] == [rule in findings["analyzers.la"] for findings in (of_root, of_group)]
    for findings in (of_root, of_group):
        assert "bus/usb/001/005" in findings["analyzers.la"]
        assert "sudo adduser $USER plugdev" in findings["analyzers.la"]


def test_firmware_that_is_missing(tree: UsbTree) -> None:
    """With the package that has it."""
    (tree.dev / "fx2lafw-saleae-logic.fw").unlink()

    assert "apt-get install sigrok-firmware-fx2lafw" in wrong(tree)["analyzers.la"]


def test_an_analyzer_on_a_slow_port(tree: UsbTree) -> None:
    """Full speed is too slow for any of them."""
    (tree.sys / "bus/usb/devices/1-5/speed").write_text("12\n")

    assert "is on the USB at 12 Mbit/s" in wrong(tree)["analyzers.la"]


def test_two_analyzers_on_one_bus(tree: UsbTree) -> None:
    """Two FX2 are more than a bus carries (48 MB/s); an analyzer that the bench does not name is mentioned."""
    tree.device("1-6", "1d50:608c")
    (tree.dev / "fx2lafw-sigrok-fx2-8ch.fw").touch()
    both = BENCH.replace('"fx2lafw"', '"fx2lafw:conn=1.5"\nsync = "D7"').replace('"D', '"la:D').replace("la:D7", "D7")
    both += '[analyzers.lb]\ndriver = "fx2lafw:conn=usb:1-6"\nsamplerate_hz = 24_000_000\nsync = "D0"\n'

    what = wrong(tree, both)["USB bus 1"]
    assert "la, lb send 48.0 MB/s on this bus of 0000:00:14.0; USB 2 carries 41.0 MB/s: plug one into" in what
    findings = host_findings.of_bench(
        benches.loads(BENCH.replace('"fx2lafw"', '"fx2lafw:conn=usb:1-6"')), sys=tree.sys, dev=tree.dev
    )
    (alone,) = (finding for finding in findings if finding.about == "USB bus 1")
    assert ("right", True) == (
        alone.verdict,
        "usb:1-5 (FX2 0925:3881) is on it, too, and not of this bench" in alone.what,
    )


def test_usb_memory(tree: UsbTree) -> None:
    """What this kernel gives, and the command that gives more, which is run here on the tree."""
    parameter = tree.sys / "module/usbcore/parameters/usbfs_memory_mb"
    parameter.parent.mkdir(parents=True)
    parameter.write_text("7\n")
    what = wrong(tree)["USB memory"]
    command = what.partition("`")[2].partition("`")[0]
    subprocess.run(command.replace("sudo ", ""), shell=True, check=True, stdout=subprocess.DEVNULL)

    assert "need 7.3 MB for their transfers together, and this kernel gives 7 MB to all devices" in what
    assert "usbcore.usbfs_memory_mb=" in what
    assert {} == wrong(tree)
    parameter.write_text("0\n")
    assert {} == wrong(tree)


def test_debug_adapters(tree: UsbTree) -> None:
    """One that is absent, and a serial number that two have."""
    assert "no USB device has usb:1-9" in wrong(tree, BENCH.replace("FT1ABCD", "usb:1-9"))["nodes.a.debug"]

    tree.device("1-7", "0403:6010", serial="FT1ABCD")
    assert "2 USB devices have the serial number FT1ABCD: write usb:1-2.3, usb:1-7" in wrong(tree)["nodes.a.debug"]
