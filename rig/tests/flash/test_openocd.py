"""The real OpenOCD as a child, on its dummy adapter: results, failures, deadlines, its end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_S, wait_until
from usbtree import with_ports

from gpiorig.capture import log
from gpiorig.capture.usb.tree import SYSFS_PATH
from gpiorig.rig.bench import boards, flashing
from gpiorig.rig.errors import FlashError
from gpiorig.rig.flash import by_openocd
from gpiorig.rig.flash.openocd import Openocd

DUMMY = ["-c", "adapter driver dummy; adapter speed 100; transport select jtag", "-f", "target/stm32f1x.cfg"]
CHILD = f"""
import os
from gpiorig.rig.flash.openocd import Openocd
openocd = Openocd({DUMMY!r})
print(openocd.call("pid", deadline_s={PATIENCE_S}), flush=True)
os.kill(os.getpid(), 9)
"""


def test_commands_and_their_results() -> None:
    """A result, a failure with OpenOCD's words and without, a command that takes too long."""
    with Openocd(DUMMY) as openocd:
        assert "3" == openocd.call("expr 1+2", deadline_s=PATIENCE_S)
        with pytest.raises(FlashError, match=r"OpenOCD, `init`: .*JTAG-DP STICKY ERROR"):
            openocd.call("init", deadline_s=PATIENCE_S)
        with pytest.raises(FlashError, match=r"OpenOCD, `error because`: because"):
            openocd.call("error because", deadline_s=PATIENCE_S)
        with pytest.raises(FlashError, match=r"OpenOCD does not end `sleep 500` within 0 s"):
            openocd.call("sleep 500", deadline_s=0.01)


def test_the_log_has_its_commands_and_its_words() -> None:
    """The command line, each command with its result, and what it printed."""
    log.begin()
    with Openocd(DUMMY) as openocd:
        openocd.call("expr 1+2", deadline_s=PATIENCE_S)
        with pytest.raises(FlashError):
            openocd.call("error because", deadline_s=PATIENCE_S)
    text = log.recent()

    assert "runs: openocd -c" in text
    assert re.search(r"openocd: `expr 1\+2`: done after 0\.\d\d s: 3$", text, re.MULTILINE)
    assert re.search(r"openocd: `error because`: failed after 0\.\d\d s: because$", text, re.MULTILINE)
    assert re.search(r"openocd ends with status 0 .*it prints:\n    Open On-Chip Debugger", text)


def test_a_command_line_that_it_refuses() -> None:
    """It ends, with its reason."""
    with Openocd(["-f", "target/none.cfg"]) as openocd, pytest.raises(FlashError, match=r"OpenOCD ended: .*none\.cfg"):
        openocd.call("init", deadline_s=PATIENCE_S)


@pytest.mark.parametrize(
    "board", [name for name in boards.names() if isinstance(boards.load(name).flash, flashing.Openocd)]
)
@pytest.mark.parametrize("debug", ["683123456", "usb:9-9.9"])
def test_commands_of_real_adapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str, debug: str) -> None:
    """OpenOCD takes the commands of each board's adapter, with both keys, up to the adapter that is not there."""
    monkeypatch.setenv(SYSFS_PATH, str(tmp_path))
    method = boards.load(board).flash
    assert isinstance(method, flashing.Openocd)
    with Openocd(by_openocd.arguments(method, flashing.debug_end(debug))) as openocd:
        with pytest.raises(
            FlashError, match=r"OpenOCD, `init`: .*(unable to open ftdi device|open failed|No J-Link device found)"
        ):
            openocd.call("init", deadline_s=PATIENCE_S)


def test_an_adapter_that_is_not_on_the_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands are those of the adapter that `debug` names: CMSIS-DAP in place of the kit's J-Link."""
    monkeypatch.setenv(SYSFS_PATH, str(tmp_path / "sys"))
    with_ports(tmp_path, ("1-1", "1366:1051", "000683123456"), ("1-2", "0d28:0204", "0240000034544e45"))
    method = boards.load("nrf52840dk").flash
    assert isinstance(method, flashing.Openocd)

    words = by_openocd.arguments(method, flashing.debug_end("0240000034544e45"))
    assert "source [find interface/jlink.cfg]" in by_openocd.arguments(method, flashing.debug_end("usb:1-1"))
    with Openocd(words) as openocd, pytest.raises(FlashError, match=r"unable to find a matching CMSIS-DAP device"):
        openocd.call("init", deadline_s=PATIENCE_S)


def test_without_openocd(monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(FlashError, match=r"openocd is not installed\. Run `apt-get install openocd`"):
        Openocd(DUMMY)


def test_it_ends_when_we_are_killed() -> None:
    """Its standard input ends, whatever ended us."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD], stdout=subprocess.PIPE, timeout=PATIENCE_S, check=False, text=True
    )
    assert -9 == done.returncode
    pid = int(done.stdout)
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
