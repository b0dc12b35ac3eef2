"""RIOT's application as a program of this machine, and a node that runs it."""

from __future__ import annotations

import select
import subprocess
from collections.abc import Sequence
from pathlib import Path

import compilers
import riotglue
from patience import PATIENCE_S

APP = riotglue.RIOT / "app"
STUB = riotglue.FOREIGN / "riot"


class Node:
    """The application, and its serial line."""

    def __init__(self, program: Path, *, folder: Path | None = None) -> None:
        self.process = subprocess.Popen([program], cwd=folder, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def line(self) -> str:
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert readable, "it says nothing"
        return self.process.stdout.readline().decode().rstrip("\n")

    def until(self, start: str) -> list[str]:
        """All lines up to the first one that begins so."""
        lines = [self.line()]
        while not lines[-1].startswith(start):
            assert lines[-1] != "", lines
            lines.append(self.line())
        return lines

    def ask(self, command: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n".encode())
        return self.line() if not command.startswith(("request", "tick")) else ""


def build(program: Path, *below: Path, table: str = "1234abcd", modules: Sequence[str] = ()) -> Path:
    """The application over what is below it, with these modules of RIOT."""
    sources = [APP / f"{name}.c" for name in ("main", "app", "console", "selftest", "settings", "rounds", "oneway")]
    sources += [*(riotglue.FIRMWARE / "src").glob("*.c"), STUB / "posix.c", *below]
    options = ["-DGPIORIG_PORT=host", "-DGPIORIG_LOG=256", "-DGPIORIG_SELFTEST"]
    options += [f"-I{APP}", '-DRIOT_BOARD="pc"', f"-DTABLE_CRC=0x{table}u", "-DDEFAULT_APP=APP_pingpong"]
    options += [f"-DMODULE_{module}" for module in modules]
    options += riotglue.includes()
    done = compilers.link(["cc", "-pthread", *riotglue.WARNINGS, "-O1", *options], sources, program)
    assert (0, "") == (done.returncode, done.stderr)
    return program
