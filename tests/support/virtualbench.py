"""A virtual bench for tests: one board that never sleeps, analyzers as wanted, and sigrok-cli on them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.vbench.serving.process import VirtualBenchProcess

TICK_SOURCE = ROOT / "rig" / "vbench" / "tests" / "data" / "tick.c"
TICK_NS = 1_000_000  # tick.c: PB9 toggles this often
DEADLINE_S = 60

# `{la}` is the prefix of the analyzer that the board's lines are on.
BENCH = """
name = "test"
{analyzers}
[nodes.node]
board = "iotlab-m3"
[nodes.node.lines]
strobe = "{la}{channels[0]}"
d0 = "{la}{channels[1]}"
d1 = "{la}{channels[2]}"
uart_tx = "{la}{channels[3]}"
[virtual]
{virtual}
"""
ONE = "[analyzers.la]\nsamplerate_hz = 24_000_000\n"


CHANNELS = ("P8_45", "P8_46", "P8_43", "P8_42")


def bench_text(*, analyzers: str = ONE, la: str = "", virtual: str = "", channels: Sequence[str] = CHANNELS) -> str:
    """A bench file; `channels` are those of the board's four lines."""
    return BENCH.format(analyzers=analyzers, la=la, virtual=virtual, channels=channels)


def build_tick(folder: Path) -> Path:
    """The image of tick.c."""
    image = folder / "tick.elf"
    flags = ["-mcpu=cortex-m3", "-mthumb", "-O1", "-ffreestanding", "-nostdlib", "-Wl,-Ttext=0x08000100"]
    places = ["-Wl,--section-start=.vectors=0x08000000", "-Wl,-Tbss=0x20000000", "-Wl,--defsym=stack_top=0x20001000"]
    subprocess.run(["arm-none-eabi-gcc", *flags, *places, "-Wl,-e,reset_handler", "-o", image, TICK_SOURCE], check=True)
    return image


@pytest.fixture(scope="session")
def tick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image of tick.c."""
    return build_tick(tmp_path_factory.mktemp("tick"))


@contextmanager
def served(folder: Path, text: str, image: Path) -> Iterator[VirtualBenchProcess]:
    """The bench, running."""
    path = folder / "bench.toml"
    path.write_text(text)
    with VirtualBenchProcess(path, firmware={"node": image}) as process:
        yield process


class Sigrok:
    """A sigrok-cli that captures into a file, so that several can run at once."""

    def __init__(self, driver: str, *words: str, rate_hz: int = 24_000_000) -> None:
        command = ["sigrok-cli", "-d", driver, "-c", f"samplerate={rate_hz}", *words, "-O", "binary"]
        self._file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self._file, stderr=subprocess.PIPE)

    def samples(self, unitsize: int, *, deadline_s: float = DEADLINE_S) -> NDArray[np.uint16]:
        """Wait for its end, or end it after the deadline; what it has captured."""
        try:
            self.process.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        with self._file:
            self._file.seek(0)
            return np.frombuffer(self._file.read(), "<u2" if unitsize == 2 else "u1").astype(np.uint16)


def capture(
    process: VirtualBenchProcess, analyzer: str, *, samples: int, rate_hz: int = 24_000_000
) -> NDArray[np.uint16]:
    """A one-shot capture of all 14 channels; exactly the given number of samples."""
    got = Sigrok(process.endpoints["analyzers"][analyzer], "--samples", str(samples), rate_hz=rate_hz).samples(2)
    assert samples == got.size
    return got


def edges(samples: NDArray[np.uint16], *, rate_hz: int = 24_000_000, names: Sequence[str] = ()) -> Edges:
    """Samples as a recording has them."""
    block = EdgeExtractor(unitsize=2).feed(samples.astype("<u2").tobytes())
    return Edges.from_blocks(
        [block], samplerate_hz=Fraction(rate_hz), channels=names or BEAGLELOGIC_CHANNELS, end=samples.size
    )


def changes(samples: NDArray[np.uint16], channel: str) -> NDArray[np.int64]:
    """Sample numbers at which a channel changes."""
    level = samples >> BEAGLELOGIC_CHANNELS.index(channel) & 1
    return np.flatnonzero(np.diff(level)) + 1
