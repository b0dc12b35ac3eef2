"""Programs that gpiorig starts, or that its firmware is built with: the version of each, or that it is absent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from gpiorig.capture import log

_DEADLINE_S = 20.0
# XDG Base Directory Specification 0.8: each may be set apart from HOME.
_HOME_FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
_NUMBER = re.compile(r"\d+\.\d[\w.+-]*")


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its command, what it is for, how it is installed, and whether captures need it."""

    name: str
    purpose: str
    remedy: str
    needed: bool = False

    def version(self) -> str | None:
        """The version that it reports, ``?`` where it reports none; None: it is absent."""
        path = shutil.which(self.name)
        if path is None:
            return None
        with tempfile.TemporaryDirectory(prefix="gpiorig-home-", ignore_cleanup_errors=True) as home:
            command, began_s = [path, "--version"], time.monotonic()
            log.runs(command)
            try:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    timeout=_DEADLINE_S,
                    stdin=subprocess.DEVNULL,
                    env=_environment(home),
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired):
                return "?"
        log.ended(self.name, done.returncode, began_s=began_s, messages=done.stdout + done.stderr)
        match = _NUMBER.search(done.stdout + done.stderr)
        return match[0] if match else "?"


def _environment(home: str) -> dict[str, str]:
    """Ours with another home: asked for its version only, PulseView writes its settings, and Qt makes a folder."""
    folders = dict.fromkeys(("HOME", *_HOME_FOLDERS), home)
    return os.environ | folders | {"LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}


SIGROK = Program("sigrok-cli", "captures", "apt install sigrok-cli", needed=True)
OPENOCD = Program("openocd", "flashes boards with an STM32", "apt install openocd")
PROGRAMS = (
    SIGROK,
    Program("pulseview", "shows packets and captures", "apt install pulseview"),
    OPENOCD,
    Program("arm-none-eabi-gcc", "builds firmware for an STM32", "apt install gcc-arm-none-eabi"),
    Program("clang-16", "builds firmware for an MSP430", "apt install clang-16 lld-16 llvm-16"),
    Program("make", "builds firmware", "apt install make"),
)
MSP430_TOOLS = "python-msp430-tools"
MSP430_REMEDY = f"pip install {MSP430_TOOLS}"


def msp430_tools() -> str | None:
    """The version of the tools that flash a TelosB; None: they are absent."""
    try:
        return version(MSP430_TOOLS)
    except PackageNotFoundError:
        return None
