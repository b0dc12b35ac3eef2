"""Disassembled probes of all targets, with the cycles of each instruction."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware-gpio-probes"
CROSS = "arm-none-eabi-"


def try_compile(folder: Path, compiler: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]
    command += [f"-I{FIRMWARE}/include", f"-I{FIRMWARE}/ports", *options, "-c", "-o", str(folder / "out.o")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class Target:
    """What the timing of a board's port depends on."""

    port: str
    cpu: str
    cpu_hz: int
    # Cycles in which the flash gives 8 bytes: wait states and one (RM0008 3.3.3, RM0351 3.3.3).
    line_cycles: int
    # What a wider bus than the board's own takes.
    wide: tuple[str, ...]
    # On 1 and 2 lines a symbol keeps its time even with the flash's prefetch off.
    keeps_without_prefetch: bool
    # Lines that the board has by default.
    own_width: int = 2
    # A quiet of this length ends a frame; symbols are held for less by a sample of 24 MHz at least.
    frame_gap_ns: int = 400
    longest_ns: int = 300
    longest_on_4_ns: int = 300
    quiet_ns: int = 500


def cycles(instruction: str) -> tuple[int, int]:
    """The least and the most a straight-line instruction takes, without wait states."""
    return (1, 2) if re.match(r"(ldr|str)", instruction) else (1, 1)


def stores_of_symbols(body: list[tuple[int, str]]) -> list[int]:
    """Which instructions of a function that sends a frame show a symbol: a register has the address of the pins."""
    return [at for at, (_, text) in enumerate(body) if re.match(r"str(\.w)?\t\w+, \[\w+(, #0)?\]", text)]


EVENT = '#include "gpiorig/probe.h"\nvoid event(void);\nvoid event(void)\n{\n    GPIORIG_EVENT(RADIO_RX_START);\n}\n'


def quiet_cycles(folder: Path, target: Target, body: list[tuple[int, str]], *more: str) -> int:
    """Least cycles from the last store of a frame to the first of the next one by the same function.

    To the instruction that unmasks interrupts; a return, which is shorter than an exception entry (12); the test of the
    mask and the call; what the function does before its first store. A taken branch takes 2 at the least.
    """
    stores = stores_of_symbols(body)
    tail = [text for _, text in body[stores[-1] :]]
    end = next(at for at, text in enumerate(tail) if text.startswith("msr\tPRIMASK")) + 1
    (folder / "event.c").write_text(EVENT)
    caller = [text for _, text in disassemble(folder, target, 2, *more, "-Os", source=folder / "event.c")["event"]]
    call = next(at for at, text in enumerate(caller) if re.match(r"(b|bl|b\.w|b\.n)\t", text))
    straight = [*tail[:end], *caller[:call], *(text for _, text in body[: stores[0]])]
    return sum(cycles(text)[0] for text in straight) + 2 + 2


def disassemble(
    folder: Path, target: Target, width: int, *more: str, source: Path = FIRMWARE / "src/probe.c"
) -> dict[str, list[tuple[int, str]]]:
    """Function name -> (size in bytes, text) of its instructions."""
    options = [f"-mcpu={target.cpu}", "-mthumb", f"-DGPIORIG_PORT={target.port}", f"-DGPIORIG_WIDTH={width}"]
    options += [*(target.wide if width > target.own_width else ()), *more]
    done = try_compile(folder, CROSS + "gcc", *options, str(source))
    assert "" == done.stderr
    text = subprocess.run(
        [CROSS + "objdump", "-d", folder / "out.o"], capture_output=True, text=True, check=True
    ).stdout
    functions: dict[str, list[tuple[int, str]]] = {}
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            functions[head[1]] = []
        elif code := re.match(r" +[0-9a-f]+:\t([0-9a-f ]+?)\s*\t([a-z].*)", line):
            if not code[2].startswith(".word"):
                functions[next(reversed(functions))].append((len(code[1].replace(" ", "")) // 2, code[2]))
    return functions
