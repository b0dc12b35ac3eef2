"""Images of Contiki-NG's glue, built against the stub."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from commandline import ROOT

GLUE = ROOT / "firmware-gpio-probes" / "contiki-ng"
STAND_IN = ROOT / "tests" / "glue" / "foreign" / "contiki"


@dataclass(frozen=True, slots=True)
class Target:
    """A target of the stub, its board, and how many times slower than the port's clock its core runs."""

    name: str
    board: str
    slower: int
    compiler: tuple[str, ...]


# The cores run at their clocks after reset: 8 of 72 MHz (RM0008 7.2.2), some 0.75 of 4 MHz (SLAS368, f(DCO43)).
M3 = Target("iotlab", "iotlab-m3", 9, ("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb"))


def make(project: Path, folder: Path, target: Target, *options: str) -> subprocess.CompletedProcess[str]:
    """Build a project with its own Makefile, as its users do; by a relative path, since make takes none with blanks."""
    where = [f"CONTIKI={os.path.relpath(STAND_IN, project)}", f"BUILD_DIR={folder}"]
    command = ["make", "-s", *where, f"TARGET={target.name}", *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def image(project: Path, folder: Path, target: Target, *options: str) -> bytes:
    """The image of a project that builds without a word."""
    done = make(project, folder, target, *options)
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    return next(folder.glob(f"{target.name}/*.{target.name}")).read_bytes()
