"""Flashing several nodes without boards: plans, what is refused, and that one failure does not stop the others."""

from __future__ import annotations

import socket
from importlib.resources import files
from pathlib import Path

import pytest
from commandline import gpiorig
from msp430image import FLASH, elf
from usbtree import with_ports

from gpiorig.capture.usb.tree import SYSFS_PATH
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.flash import nodes
from gpiorig.rig.flash.job import WrongBoardError

BENCH = """
name = "test"
[analyzers.la]
samplerate_hz = 24_000_000
driver = "fx2lafw"
[nodes.m3]
board = "iotlab-m3"
serial = "/dev/ttyUSB0"
{m3}
lines = {{ strobe = "D0", d0 = "D1", d1 = "D2" }}
[nodes.sky]
board = "telosb"
serial = "{port}"
{sky}
lines = {{ "tap.irq" = "D3" }}
"""
FT2232, FT232 = "0403:6010", "0403:6001"


def bench(*, m3: str = "", sky: str = "", port: str = "/dev/ttyUSB1") -> str:
    """A bench file, with `debug` of its nodes and the port of the TelosB."""
    m3, sky = (f'debug = "{debug}"' if debug else "" for debug in (m3, sky))
    return BENCH.format(m3=m3, sky=sky, port=port)


@pytest.fixture(autouse=True)
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of these tests in place of the machine's."""
    monkeypatch.setenv(SYSFS_PATH, str(tmp_path / "sys"))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An image for a TelosB."""
    path = tmp_path / "sky.elf"
    path.write_bytes(elf({FLASH: b"abcd"}))
    return path


@pytest.mark.parametrize(
    ("debug", "key"), [("FT1", "-c 'adapter serial FT1' -c 'adapter usb location 1-2'"), ("usb:1-2", "location 1-2'")]
)
def test_the_adapter_in_the_commands(tmp_path: Path, tick: Path, debug: str, key: str) -> None:
    """Serial number and USB path must both match, after the adapter's script and before the target's."""
    with_ports(tmp_path, ("1-1", FT2232, "FT0"), ("1-2", FT2232, "FT1"))

    line, *steps = nodes.plan(benches.loads(bench(m3=debug)), {"m3": tick}, "m3", only_different=True)

    assert f"{key} -f target/stm32f1x.cfg -c 'reset_config trst_and_srst connect_assert_srst'" in line
    assert line.index("iotlab-usb.cfg") < line.index("usb location")
    assert ["init", "reset init", "reset run"] == [*steps[:2], steps[-1]]
    assert ["read_memory", "read_memory", "dump_image", "dump_image", "flash", "dump_image", "dump_image"] == [
        step.split()[0] for step in steps[2:-1]
    ]


@pytest.mark.parametrize(
    ("given", "port"),
    [
        ({"sky": "MX2"}, "/dev/ttyUSB1"),
        ({"sky": "usb:1-2"}, "/dev/ttyUSB1"),
        ({"port": "/dev/serial/by-id/usb-FTDI_MX2"}, "/dev/serial/by-id/usb-FTDI_MX2"),
        ({"sky": "rfc2217://127.0.0.1:4000"}, "rfc2217://127.0.0.1:4000"),
    ],
)
def test_the_port_of_a_loader(tmp_path: Path, image: Path, given: dict[str, str], port: str) -> None:
    """The node's, if it is on the adapter that is named or its name stays with the adapter; or one of its own."""
    with_ports(tmp_path, ("1-1", FT232, "MX1"), ("1-2", FT232, "MX2"))

    first, *_ = nodes.plan(benches.loads(bench(**given)), {"sky": image}, "sky")

    assert f"loader on {port} by DTR" in first


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("sky", {}, "there are 2 adapters of 0403:6001. Name one"),
        (
            "sky",
            {"sky": "MX1"},
            "/dev/ttyUSB1 is on 0403:6001 at usb:1-2, serial number MX2, `debug` names serial number",
        ),
        ("sky", {"sky": "MX1", "port": "/dev/pts/0"}, "/dev/pts/0 is on no USB adapter, `debug` names"),
        ("sky", {"sky": "remote_bitbang://127.0.0.1:4000"}, "`debug` is the address of a JTAG adapter"),
        ("m3", {}, "no adapter of 0403:6010 is connected"),
        ("m3", {"m3": "/dev/ttyUSB0"}, "`debug` is /dev/ttyUSB0, a serial port"),
    ],
)
def test_what_is_not_flashed(
    tmp_path: Path, image: Path, tick: Path, name: str, given: dict[str, str], message: str
) -> None:
    """A board that nothing names, or that is named by two things which differ."""
    with_ports(tmp_path, ("1-1", FT232, "MX1"), ("1-2", FT232, "MX2"))

    with pytest.raises(WrongBoardError, match=f"^{message}"):
        nodes.plan(benches.loads(bench(**given)), {"sky": image, "m3": tick}, name)


def test_no_key_and_no_sysfs(tmp_path: Path, tick: Path) -> None:
    """Which adapter OpenOCD would take is unknown."""
    with pytest.raises(WrongBoardError, match=r"the node has no `debug`, and which adapters are there cannot be seen"):
        nodes.plan(benches.loads(bench()), {"m3": tick}, "m3")


def test_a_node_that_fails_does_not_stop_the_others(tmp_path: Path, tick: Path) -> None:
    """An adapter that does not answer is tried twice, an image of another board once."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    text = bench(m3=f"remote_bitbang://127.0.0.1:{port}", sky="rfc2217://127.0.0.1:1")

    m3, sky = nodes.flash(benches.loads(text), {"m3": tick, "sky": tick}, ["m3", "sky"])

    assert [("failed", 2), ("failed", 1)] == [(result.verdict, result.attempts) for result in (m3, sky)]
    assert m3.what.startswith("OpenOCD, `init`: Error on socket 'Failed to connect'")
    assert f"Is the virtual bench still served at 127.0.0.1:{port}" in m3.what
    assert "outside of the board's flash memory, 0x4000 to 0xffff" in sky.what


def test_the_command_line(tmp_path: Path) -> None:
    """A failure is a line and status 1; what cannot be is status 2."""
    file = tmp_path / "bench.toml"
    file.write_text(bench(m3="FT1"))

    failed = gpiorig("flash", file, "m3", "--attempts", "1")
    assert 1 == failed.status
    assert failed.stdout.startswith("FAILED: m3 (iotlab-m3): ")
    unknown = gpiorig("flash", file, "m4")
    assert (2, True) == (unknown.status, "no node is named `m4`; the bench has m3, sky." in unknown.stderr)
    virtual = gpiorig("flash", "demo")
    assert (2, True) == (virtual.status, "gpiorig bench virtual BENCH --bench-file FILE" in virtual.stderr)


def test_boards_of_a_virtual_bench() -> None:
    """They load their images themselves."""
    demo = benches.loads((files("gpiorig.vbench") / "benches" / "demo.toml").read_text())
    with pytest.raises(BenchError, match="load their images themselves"):
        nodes.chosen(demo, [], what="demo")
