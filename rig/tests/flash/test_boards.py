"""Boards of a served virtual bench, flashed as real ones are: the real OpenOCD, the real python-msp430-tools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import serial
from commandline import gpiorig
from msp430image import elf, sender
from patience import PATIENCE_S

from gpiorig.rig.bench import benches
from gpiorig.rig.experiments.images import reference_image
from gpiorig.rig.flash.content import load
from gpiorig.vbench.serving import real_bench
from gpiorig.vbench.serving.process import VirtualBenchProcess

EMPTY = Path("/dev/null")  # a board with an erased flash
FLASH = range(0x0800_0000, 0x0808_0000)
LA = 'name = "test"\n[analyzers.la]\nsamplerate_hz = 24_000_000\n'
STM32 = f"""{LA}
[nodes.l4]
board = "nucleo-l476rg"
lines = {{ strobe = "P8_44", d0 = "P8_41", d1 = "P8_42" }}
[nodes.m3]
board = "iotlab-m3"
lines = {{ strobe = "P8_45", d0 = "P8_46", d1 = "P8_43" }}
[virtual]
"""
TELOSB = f"""{LA}
[nodes.sky]
board = "telosb"
lines = {{ strobe = "P8_45", d0 = "P8_46", d1 = "P8_43", d2 = "P8_44", d3 = "P8_41" }}
[virtual]
"""


@contextmanager
def served(folder: Path, text: str, firmware: dict[str, Path]) -> Iterator[Path]:
    """The bench file of a virtual bench that runs."""
    virtual, file = folder / "virtual.toml", folder / "bench.toml"
    virtual.write_text(text)
    with VirtualBenchProcess(virtual, firmware=firmware) as process:
        real_bench.write(file, benches.loads(text), virtual, process.endpoints)
        yield file


@pytest.mark.slow
def test_boards_with_a_debug_port(tmp_path: Path, tick: Path) -> None:
    """Erased boards take their images and run them; then they hold them; another chip is refused."""
    with served(tmp_path, STM32, {"m3": EMPTY, "l4": EMPTY}) as file:
        m3 = ("--firmware", f"m3={tick}")
        with serial.Serial(benches.load(file).nodes["l4"].serial, timeout=PATIENCE_S) as console:
            done = gpiorig("flash", file, *m3, "--json")
            assert 0 == done.status, done.stdout
            assert b"boot board=nucleo-l476rg firmware=reference\n" == console.readline()
        results = done.numbers["nodes"]
        wanted = [load(image, FLASH).sha256 for image in (reference_image("nucleo-l476rg"), tick)]
        assert wanted == [result["read_back_sha256"] for result in results]
        assert ["flashed", "flashed"] == [result["verdict"] for result in results]
        assert ["0x415, 1024 KiB", "0x414, 512 KiB"] == [result["chip"] for result in results]
        assert 2 == len({result["uid"] for result in results if len(result["uid"]) == 24})

        (again,) = gpiorig("flash", file, "m3", *m3, "--only-different", "--json").numbers["nodes"]
        assert ("same", results[1]["uid"]) == (again["verdict"], again["uid"])

        file.write_text(file.read_text().replace('"iotlab-m3"', '"nucleo-l476rg"'))
        (wrong,) = gpiorig("flash", file, "m3", "--json").numbers["nodes"]
        assert ("failed", 1) == (wrong["verdict"], wrong["attempts"])
        assert "identity of the chip is 0x414, in the board file 0x415" in wrong["what"]


@pytest.mark.slow
# pyserial 3.5 calls setDaemon and setName of Thread, both deprecated in Python 3.10.
@pytest.mark.filterwarnings("ignore:set(Daemon|Name):DeprecationWarning")
def test_a_board_with_a_bootstrap_loader(tmp_path: Path) -> None:
    """A TelosB that holds another image is erased, takes the new one and runs it; then it holds that."""
    old, new = tmp_path / "old.elf", tmp_path / "new.elf"
    old.write_bytes(elf(sender(b"the old image")))
    new.write_bytes(elf(sender(b"the new image")))
    with served(tmp_path, TELOSB, {"sky": old}) as file:
        results = []
        for _ in range(2):
            done = gpiorig("flash", file, "--firmware", f"sky={new}", "--only-different", "--json")
            assert 0 == done.status, done.stdout
            results += done.numbers["nodes"]
        with serial.serial_for_url(benches.load(file).nodes["sky"].debug, timeout=PATIENCE_S) as console:
            assert console.read_until(b"the new image").endswith(b"the new image")

    assert ["flashed", "same"] == [result["verdict"] for result in results]
    assert [load(new, range(0x4000, 0x10000)).sha256] * 2 == [result["read_back_sha256"] for result in results]
