"""The real OpenOCD on the debug connector of a virtual board: halting, reading, resetting, flashing."""

from __future__ import annotations

import re
import shlex
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import serial
from commandline import gpiorig
from depth import by_depth
from patience import PATIENCE_S
from virtualbench import bench_text, served

from gpiorig.rig.experiments.images import reference_image
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode
from gpiorig.vbench.ends.bus_pirate import BusPirate
from gpiorig.vbench.serving.process import VirtualBenchProcess

# Three messages of the Bus Pirate for each word of an image of 35 KB, and each waits for its turn of a processor: 6 s
# on two idle cores, 62 s and 125 s at loads of 5.5 and 6.3.
FLASHING_S = 3 * PATIENCE_S
EMPTY = Path("/dev/null")  # a board with an erased flash
IMAGE = reference_image("iotlab-m3")
M3 = ("iotlab-m3", "stm32f1x", ())
# remote_bitbang has no speed to set, which the script's event would do after a reset.
NRF52840 = ("nrf52840dk", "nrf52", ())
NUCLEO = ("nucleo-l476rg", "stm32l4x", ("stm32l4x.cpu configure -event reset-start {}",))


def openocd(
    process: VirtualBenchProcess, target: str, *commands: str, deadline_s: float = PATIENCE_S
) -> subprocess.CompletedProcess[str]:
    """Runs OpenOCD on the node; its messages are on standard error."""
    adapter = process.endpoints["debug"]["node"]["openocd"]
    words = ["openocd", "-c", adapter, "-f", f"target/{target}.cfg"]
    for command in (*commands, "shutdown"):
        words += ["-c", command]
    return subprocess.run(words, capture_output=True, text=True, timeout=deadline_s, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(("board", "target", "before"), by_depth([M3], [M3, NUCLEO, NRF52840]))
def test_flashing(tmp_path: Path, board: str, target: str, before: tuple[str, ...]) -> None:
    """An erased board takes an image through OpenOCD's own flash driver, verifies, and runs it."""
    image = reference_image(board)
    text = bench_text().replace('"iotlab-m3"', f'"{board}"')
    with served(tmp_path, text, EMPTY) as process:
        with serial.Serial(process.endpoints["serial"]["node"]["path"], timeout=PATIENCE_S) as console:
            program = (*before, f"program {{{image}}} verify", "reset run", "sleep 50", "halt")
            done = openocd(process, target, *program, deadline_s=FLASHING_S)
            assert 0 == done.returncode, done.stderr
            assert "** Verified OK **" in done.stderr
            assert f"boot board={board} firmware=reference\n".encode() == console.readline()


@pytest.mark.slow
def test_halting(tmp_path: Path) -> None:
    """Reset to the first instruction, one step, a breakpoint: the program counters are those of the image."""
    reset_vector = "[format 0x%08x [expr {[lindex [read_memory 0x08000004 32 1] 0] & ~1}]]"
    say = 'echo "at [dict get [get_reg pc] pc]"'
    with served(tmp_path, bench_text(), IMAGE) as process:
        done = openocd(
            process, "stm32f1x", "init", "reset halt", say, f"echo \"vector {reset_vector}\"", "step", say,
            "bp 0x08000400 2 hw", "rbp all", "flash info 0",
        )  # fmt: skip
        assert 0 == done.returncode, done.stderr
        registers = dict(
            line.split() for line in reversed(done.stderr.splitlines()) if line.startswith(("at ", "vector "))
        )
        assert registers["at"] == registers["vector"]
        assert "halted due to single-step" in done.stderr
        assert "device id = 0x10030414" in done.stderr  # STM32F103xE, revision Y (RM0008 31.6.1)


@pytest.mark.slow
def test_erasing_by_nordics_access_port(tmp_path: Path) -> None:
    """`nrf52_recover` of OpenOCD finds CTRL-AP and erases the flash by it; the core starts at nothing then."""
    image = reference_image("nrf52840dk")
    with served(tmp_path, bench_text().replace('"iotlab-m3"', '"nrf52840dk"'), image) as process:
        words = 'echo "words [read_memory 0x0 32 1] [read_memory 0x10001208 32 1]"'
        done = openocd(process, "nrf52", "init", "reset halt", words, "nrf52_recover", "sleep 200", words)
        assert 0 == done.returncode, done.stderr
        assert "has been successfully erased and unlocked" in done.stderr
        before, after = (line for line in done.stderr.splitlines() if line.startswith("words "))
        assert before != after
        assert "words 0xffffffff 0xffffffff" == after


LOCKED = "nRF52 device has AP lock engaged (see UICR APPROTECT register)."


@pytest.mark.slow
@pytest.mark.parametrize("build_code", ["D0", "F0"])
def test_a_locked_chip(tmp_path: Path, build_code: str) -> None:
    """OpenOCD meets what it met on real ones until it has erased it; `gpiorig flash` names the command that does it.

    Its words are those of logs of locked nRF52: devzone.nordicsemi.com, 87635, and SolidRun's wiki, page 1190756364.
    """
    text = bench_text(virtual=f'[virtual.nodes.node]\nbuild_code = "{build_code}"').replace("iotlab-m3", "nrf52840dk")
    image = reference_image("nrf52840dk")
    bench = tmp_path / "boards.toml"
    with served(tmp_path, text, image) as process:
        debug = process.endpoints["debug"]["node"]
        node = f'[nodes.node]\nboard = "nrf52840dk"\nserial = "/dev/ttyACM0"\ndebug = "{debug["url"]}"\n'
        bench.write_text(f'name = "boards"\n[analyzers.la]\ndriver = "fx2lafw"\nsamplerate_hz = 24_000_000\n{node}')
        if build_code == "D0":  # the word APPROTECT is written as NVMC does it
            lock = ("mww 0x4001e504 1", "mww 0x10001208 0xffffff00", "sleep 10", "reset run", "sleep 100")
            assert LOCKED in openocd(process, "nrf52", "init", "reset halt", *lock).stderr
        done = openocd(process, "nrf52", "init", "halt")
        assert (1, True) == (done.returncode, LOCKED in done.stderr)
        assert "Error: [nrf52.cpu] Could not find MEM-AP to control the core" in done.stderr

        run = gpiorig("flash", bench)
        assert 1 == run.status
        remedy = re.search(r"Run `(openocd .*)`, which erases all", run.stdout)
        assert remedy is not None, run.stdout
        erased = subprocess.run(
            shlex.split(remedy[1]), capture_output=True, text=True, timeout=PATIENCE_S, check=False
        ).stderr
        assert "Waiting for chip erase...\nnrf52.cpu device has been successfully erased and unlocked.\n" in erased
        after = openocd(process, "nrf52", "init", "reset halt", "echo [read_memory 0x10001208 32 1]")
        assert (0, False, True) == (after.returncode, LOCKED in after.stderr, "0xffffffff\n" in after.stderr)


@pytest.mark.slow
def test_the_reference_firmware_opens_the_port(tmp_path: Path) -> None:
    """Of a chip of build code F0: it writes UICR, which a reset reads, and then APPROTECT.DISABLE after each one."""
    text = bench_text(virtual='[virtual.nodes.node]\nbuild_code = "F0"').replace("iotlab-m3", "nrf52840dk")
    with served(tmp_path, text, reference_image("nrf52840dk")) as process:
        reset = ("nrf52.dap apreg 1 0 1", "nrf52.dap apreg 1 0 0")  # RESET of CTRL-AP, which always answers
        assert LOCKED in openocd(process, "nrf52", "init", "sleep 100", *reset, "sleep 100").stderr
        done = openocd(process, "nrf52", "init", "halt", "echo [read_memory 0x10001208 32 1]")
        assert (0, False, True) == (done.returncode, LOCKED in done.stderr, "0xffffff5a\n" in done.stderr), done.stderr


def test_a_client_that_reads_late_gets_every_answer() -> None:
    """More than a pty takes at once: to each zero of the binary mode `BBIO1`."""
    asked = 0
    with closing(VirtualBoards(seed=1)) as boards:
        board = boards.add_board("nrf52840dk", b"", VirtualNode())
        with closing(BusPirate(boards, board)) as pirate, Path(pirate.path).open("r+b", buffering=0) as client:
            while not pirate.has_pending:
                asked += client.write(bytes(1000))
                pirate.receive(time_passes=False)
            answers = b""
            while len(answers) < 5 * asked:
                answers += client.read(4096)
                pirate.receive(time_passes=False)
            assert (asked * b"BBIO1", False) == (answers, pirate.has_pending)


@pytest.mark.slow
def test_wrong_idcode(tmp_path: Path) -> None:
    """The script of another chip finds another identification code, in OpenOCD's own words."""
    with served(tmp_path, bench_text(), IMAGE) as process:
        done = openocd(process, "stm32l4x", "init")
    warning = "JTAG tap: stm32l4x.cpu       UNEXPECTED: 0x3ba00477"  # the Cortex-M3's (RM0008 31.6.3)
    error = "JTAG tap: stm32l4x.cpu  expected 1 of 1: 0x4ba00477"
    assert [True, True] == [text in done.stderr for text in (warning, error)], done.stderr
