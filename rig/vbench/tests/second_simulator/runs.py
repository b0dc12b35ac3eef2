"""Runs of an image on both simulators, as what changed on the nodes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[4]
FIRMWARE = ROOT / "firmware-gpio-probes" / "build"
DRIVER = Path(__file__).with_name("SkyPins.java")
VARIABLE = "GPIORIG_MSPSIM"
_DEADLINE_S = 600


class Input(NamedTuple):
    """A line for the console of a node."""

    at_us: int
    node: int
    line: str


class Change(NamedTuple):
    """A pin, a state of a radio or a byte of a console; `cycles` are those that the processor was awake until then."""

    node: int
    cycles: int
    ps: int
    subject: str
    level: int


def missing() -> str:
    """Why MSPSim cannot be run here; empty if it can."""
    folder = os.environ.get(VARIABLE, "")
    if not folder:
        return f"{VARIABLE} names no folder with a built MSPSim (docs/guide/second-simulator.md)"
    if not (Path(folder) / "classes/se/sics/mspsim/platform/sky/SkyNode.class").is_file():
        return f"{VARIABLE}={folder}: there is no classes/se/sics/mspsim/platform/sky/SkyNode.class in it"
    return "" if shutil.which("java") else "there is no java to run MSPSim with"


def image(program: str, folder: Path) -> Path:
    """An image of the TelosB without debug information, which MSPSim's reader refuses if clang wrote it."""
    name = "telosb" if program == "reference" else f"telosb-{program}"
    stripped = folder / f"{program}.elf"
    source = FIRMWARE / name / f"{program}.elf"
    subprocess.run(["llvm-objcopy-16", "--strip-debug", source, stripped], check=True, timeout=_DEADLINE_S)
    return stripped


def on_virtual_board(image: Path, *, nodes: int, us: int, inputs: Sequence[Input] = ()) -> list[Change]:
    """What changes on virtual TelosBs."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return _changes([str(target / "release/examples/telosb_pins")], image, nodes, us, inputs)


def on_mspsim(
    image: Path, *, nodes: int, us: int, inputs: Sequence[Input] = (), takes_requests: bool = False
) -> list[Change]:
    """What changes on nodes of MSPSim, as it is or so that it takes the timers' requests that software sets."""
    folder = Path(os.environ[VARIABLE])
    ccifg = f"-Dccifg={str(takes_requests).lower()}"
    command = ["java", ccifg, "-cp", f"{folder / 'classes'}:{folder / 'lib'}/*", str(DRIVER)]
    return _changes(command, image, nodes, us, inputs)


def _changes(command: list[str], image: Path, nodes: int, us: int, inputs: Sequence[Input]) -> list[Change]:
    words = [str(word) for fed in inputs for word in fed]
    run = subprocess.run(
        [*command, str(image), str(nodes), str(us), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=_DEADLINE_S,
    )
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr}")
    rows = (line.split("\t") for line in run.stdout.splitlines() if line.count("\t") == 4)
    return [Change(int(node), int(cycles), int(ps), subject, int(level)) for node, cycles, ps, subject, level in rows]
