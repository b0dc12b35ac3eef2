"""The TelosB's bootstrap loader: the tool that flashes real boards flashes a virtual one."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
import serial
from depth import by_depth
from msp430image import elf, sender
from patience import PATIENCE_S
from virtualbench import served

LIMIT_S = 150
# python-msp430-tools 0.10.0 calls TelosBTarget.start_bsl with an argument that the method does not take, so its own
# `python -m msp430.bsl.target.telosb` fails before it has sent anything. This is the same program without that slip.
# It changes DTR and RTS hundreds of times; its serial port looks every ms, not every 50 ms, whether that is confirmed.
TOOL = """
import time
from types import SimpleNamespace
from msp430.bsl.target.telosb import TelosBTarget
from serial import rfc2217
rfc2217.time = SimpleNamespace(time=time.time, sleep=lambda s: time.sleep(0.001 if s == 0.05 else s))
start = TelosBTarget.start_bsl
TelosBTarget.start_bsl = lambda self, prompt_before_release=False: start(self)
TelosBTarget().main()
"""
BENCH = """
name = "test"
[analyzers.la]
samplerate_hz = 24_000_000
[nodes.node]
board = "telosb"
[nodes.node.lines]
strobe = "P8_45"
d0 = "P8_46"
d1 = "P8_43"
d2 = "P8_44"
d3 = "P8_41"
[virtual]
pace = "{pace}"
"""
MALFORMED = b"\xff\xfa\x2c\x01\x00\xff\xf0"  # IAC SB COM-PORT SET-BAUDRATE, one octet of four, IAC SE (RFC 2217)
# pyserial 3.5 calls setDaemon and setName of Thread, both deprecated in Python 3.10.
pytestmark = pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
OLD, NEW = b"the old image", b"the new image"


def ti_text(content: dict[int, bytes]) -> str:
    """The same in TI-Text; the tool takes only ELF files with section headers."""
    return "".join(f"@{address:04x}\n{data.hex(' ')}\n" for address, data in content.items()) + "q\n"


def image(folder: Path, text: bytes) -> Path:
    """The program as an executable, or an empty file without a text."""
    path = folder / "node.elf"
    path.write_bytes(elf(sender(text)) if text else b"")
    return path


@pytest.mark.slow
@pytest.mark.timeout(LIMIT_S + 30)
@pytest.mark.parametrize("before", by_depth([b""], [b"", OLD]))
def test_the_real_tool_flashes_a_telosb(tmp_path: Path, before: bytes) -> None:
    """Entry by DTR and RTS, mass erasure, programming, verification, reset; then the new image runs from its vector.

    The board is erased before, or has another image.
    """
    new = tmp_path / "new.txt"
    new.write_text(ti_text(sender(NEW)))
    with served(tmp_path, BENCH.format(pace="fast"), image(tmp_path, before)) as process:
        url = process.endpoints["serial"]["node"]["rfc2217"]
        tool = [sys.executable, "-W", "ignore", "-c", TOOL, "-p", url, "-e", "-P", "-V", "-r", "-i", "titext", new]
        done = subprocess.run(tool, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        assert 0 == done.returncode, done.stdout + done.stderr
        assert "Verify by file: OK" in done.stdout + done.stderr
        with serial.serial_for_url(url, timeout=PATIENCE_S) as console:
            output = console.read_until(NEW)
        assert output.endswith(NEW)
        assert OLD not in output


@pytest.mark.slow
def test_one_reader_at_a_time(tmp_path: Path) -> None:
    """A client at the RFC 2217 port has the console instead of the pty, which has it again afterwards."""
    with served(tmp_path, BENCH.format(pace="real-time"), image(tmp_path, OLD)) as process:
        end = process.endpoints["serial"]["node"]
        with serial.Serial(end["path"], timeout=PATIENCE_S) as pty:
            assert pty.read_until(OLD).endswith(OLD)
            with serial.serial_for_url(end["rfc2217"], timeout=PATIENCE_S) as client:
                assert client.read_until(OLD).endswith(OLD)
                pty.reset_input_buffer()
                assert client.read_until(OLD).endswith(OLD)
                assert 0 == pty.in_waiting
            assert pty.read_until(OLD).endswith(OLD)


@pytest.mark.slow
def test_malformed_options(tmp_path: Path) -> None:
    """Bytes that are not RFC 2217 end the connection and not the bench."""
    with served(tmp_path, BENCH.format(pace="real-time"), image(tmp_path, OLD)) as process:
        end = process.endpoints["serial"]["node"]
        host, port = end["rfc2217"].removeprefix("rfc2217://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as client:
            client.sendall(MALFORMED)
            while client.recv(4096):
                pass
        with serial.Serial(end["path"], timeout=PATIENCE_S) as pty:
            assert pty.read_until(OLD).endswith(OLD)
