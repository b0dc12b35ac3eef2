"""The TelosB's part of the firmware: the time its probe library keeps, and the arithmetic it brings along."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
from pathlib import Path

import pytest

from gpiorig.rig.bench import boards

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware-gpio-probes"
BOARD = FIRMWARE / "reference/boards/telosb"
COMPILER = ["clang-16", "--target=msp430", "-mmcu=msp430f1611", "-mhwmult=none", "-ffreestanding", "-fno-builtin"]
CPU_HZ = 4_000_000
DCO_ERROR = 0.005  # one modulation step is 0.35 % (clock.c), and the oscillator wanders
P6OUT = "&53"
CONSTANTS = {
    "#0",
    "#1",
    "#2",
    "#4",
    "#8",
    "#-1",
}  # from the constant generator, as quick as a register (SLAU049F 3.2.4)
ISR_CYCLES = 6 + 5 * 3 + 5  # interrupt, five pushes and the call in startup.S (SLAU049F tables 3-14 to 3-16)


def cycles(text: str) -> int:
    """Cycles of an instruction: SLAU049F tables 3-15 (format II) and 3-16 (format I)."""
    name, _, operands = text.partition("\t")
    fixed = {"push": 3, "pop": 2, "ret": 3, "call": 5, "nop": 1, "dint": 1, "eint": 1, "clrc": 1}
    if name in fixed:
        return fixed[name]
    *sources, destination = operands.split(", ")
    source = sources[0] if sources else "r0"
    if re.fullmatch(r"r\d+", source) or source in CONSTANTS:
        fetch = 1
    else:
        fetch = 2 if source[0] in "#@" else 3
    return fetch if re.fullmatch(r"r\d+", destination) else fetch + 3


def test_cycles_are_those_of_the_table() -> None:
    cases = {"mov.b\tr11, &53": 4, "and.b\t#240, r15": 2, "mov.b\t&53, r15": 3, "xor\t#1, &0": 4, "rra\tr9": 1}
    assert cases == {text: cycles(text) for text in cases}


def functions(folder: Path) -> dict[str, list[str]]:
    """Instructions of the probe library as the firmware has it, by function."""
    command = [*COMPILER, "-std=c11", "-O2", f"-I{FIRMWARE}/include", f"-I{FIRMWARE}/ports", "-DGPIORIG_PORT=telosb"]
    subprocess.run([*command, "-c", "-o", folder / "probe.o", FIRMWARE / "src/probe.c"], check=True)
    listing = subprocess.run(
        ["llvm-objdump-16", "-d", "--no-show-raw-insn", folder / "probe.o"], capture_output=True, text=True, check=True
    ).stdout
    calls: dict[str, list[str]] = {}
    for line in listing.splitlines():
        if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            calls[head[1]] = []
        elif code := re.match(r" +[0-9a-f]+: +\t(.*)", line):
            calls[next(reversed(calls))].append(code[1].strip())
    return calls


def test_symbols_and_gaps_keep_their_time(tmp_path: Path) -> None:
    """They are as in the board file, with the DCO's error; a gap is longer than any symbol within a frame."""
    board = boards.load("telosb")
    sends = functions(tmp_path)
    held, heads, tails = [], [], []
    for name, count in (("gpiorig_send", 3), ("gpiorig_send_id", 7)):
        body = sends[name]
        stores = [at for at, text in enumerate(body) if text.startswith("mov.b") and text.endswith(P6OUT)]
        assert count == len(stores)
        assert not any(text.startswith("j") for text in body)
        held += [sum(map(cycles, body[here + 1 : there + 1])) for here, there in itertools.pairwise(stores)]
        heads.append(sum(map(cycles, body[: stores[0] + 1])))
        unlocked = next(at for at, text in enumerate(body) if at > stores[-1] and re.match(r"mov\tr\d+, r2", text)) + 1
        tails.append((sum(map(cycles, body[stores[-1] + 1 :])), sum(map(cycles, body[stores[-1] + 1 : unlocked]))))
    call = 5
    gap = min(min(back + call for back, _ in tails), min(masked + ISR_CYCLES for _, masked in tails)) + min(heads)
    ns = 1e9 / CPU_HZ
    assert min(held) * ns * (1 - DCO_ERROR) >= board.symbol_ns
    assert max(held) * ns * (1 + DCO_ERROR) < board.frame_gap_ns < gap * ns * (1 - DCO_ERROR)


# Arithmetic: run on mspdebug's simulator

PROGRAM = """
#include <stdint.h>
#include <string.h>
extern const uint32_t pairs[][2];
extern const uint16_t count;
volatile uint32_t results[{pairs}][9];
volatile uint16_t strings[4];
static char text[8];
int main(void)
{{
    for (uint16_t i = 0; i < count; i++) {{
        uint32_t a = pairs[i][0], b = pairs[i][1];
        results[i][0] = a * b;
        results[i][1] = a / b;
        results[i][2] = a % b;
        results[i][3] = a << (b & 31u);
        results[i][4] = a >> (b & 31u);
        results[i][5] = (uint32_t)((int32_t)a >> (b & 31u));
        results[i][6] = (uint16_t)((uint16_t)a * (uint16_t)b);
        results[i][7] = (uint16_t)b == 0 ? 0 : (uint16_t)a / (uint16_t)b;
        results[i][8] = (uint16_t)((uint16_t)a << (b & 15u)) + ((uint32_t)((uint16_t)a >> (b & 15u)) << 16);
    }}
    memset(text, 'a', 3);
    memcpy(text + 3, "bcd", 4);
    strings[0] = strlen(text);
    strings[1] = (uint16_t)(strchr(text, 'c') - text);
    strings[2] = strncmp(text, "aaaX", 3) == 0 && strncmp(text, "aaaX", 4) > 0;
    strings[3] = memcmp(text, "aaabcd", 7) == 0 && strchr(text, 'x') == NULL;
    for (;;) {{
    }}
}}
"""


def pairs() -> list[tuple[int, int]]:
    choose = random.Random(430)
    edges = [0, 1, 2, 9, 10, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    drawn = [(a, b) for a in edges for b in (1, 10, 0xFFFF, 0x8001, 0x10000, 0x80000000, 0xFFFFFFFF)]
    while len(drawn) < 150:
        drawn.append((choose.getrandbits(choose.randint(1, 32)), choose.getrandbits(choose.randint(1, 32)) | 1))
    return drawn


def expected(a: int, b: int) -> list[int]:
    shift, low_a, low_b = b % 32, a % 2**16, b % 2**16
    signed = a - 2**32 if a >= 2**31 else a
    halves = (low_a << b % 16) % 2**16 + ((low_a >> b % 16) << 16)
    return [
        *(a * b % 2**32, a // b, a % b, (a << shift) % 2**32, a >> shift, (signed >> shift) % 2**32),
        *(low_a * low_b % 2**16, low_a // low_b if low_b else 0, halves % 2**32),
    ]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the program left in `results` and `strings`."""
    folder = tmp_path_factory.mktemp("arithmetic")
    numbers = pairs()
    (folder / "main.c").write_text(PROGRAM.format(pairs=len(numbers)))
    table = ", ".join(f"{{{a}u, {b}u}}" for a, b in numbers)
    (folder / "table.c").write_text(
        f"#include <stdint.h>\nconst uint32_t pairs[][2] = {{{table}}};\nconst uint16_t count = {len(numbers)};\n"
    )
    handlers = "port1_handler timer_b0_handler timer_b1_handler usart1_rx_handler usart1_tx_handler fault".split()
    (folder / "handlers.c").write_text("".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in handlers))
    sources = [*(folder / name for name in ("main.c", "table.c", "handlers.c")), BOARD / "string.c"]
    objects = []
    for source in (*sources, BOARD / "startup.S", BOARD / "arithmetic.S"):
        objects.append(folder / f"{source.stem}.o")
        subprocess.run([*COMPILER, "-std=c11", "-Os", f"-I{BOARD}", "-c", "-o", objects[-1], source], check=True)
    image = folder / "image.elf"
    subprocess.run(["ld.lld-16", "-T", BOARD / "msp430f1611.ld", "-o", image, *objects], check=True)
    listing = subprocess.run(["llvm-nm-16", "-S", image], capture_output=True, text=True, check=True).stdout
    places = {line.split()[3]: line.split()[:2] for line in listing.splitlines() if len(line.split()) == 4}
    dumps = {name: [f"0x{word}" for word in places[name]] for name in ("results", "strings")}
    commands = [f"prog {image}", "reset", "step 1500000", *(f"md {at} {size}" for at, size in dumps.values())]
    output = subprocess.run(["mspdebug", "-q", "sim", *commands], capture_output=True, text=True, check=True).stdout
    content: dict[int, int] = {}
    for address, row in re.findall(r"^ +([0-9a-f]+): ((?:[0-9a-f]{2} )+)", output, re.MULTILINE):
        content |= {int(address, 16) + at: int(value, 16) for at, value in enumerate(row.split())}
    return {
        name: bytes(content[int(at, 16) + offset] for offset in range(int(size, 16)))
        for name, (at, size) in dumps.items()
    }


@pytest.mark.slow
def test_arithmetic(memory: dict[str, bytes]) -> None:
    """Product, quotient, remainder and shifts of 16 and 32 bits are Python's."""
    words = [int.from_bytes(memory["results"][at : at + 4], "little") for at in range(0, len(memory["results"]), 4)]
    got = [words[at : at + 9] for at in range(0, len(words), 9)]
    assert [expected(a, b) for a, b in pairs()] == got


def test_strings(memory: dict[str, bytes]) -> None:
    assert [6, 4, 1, 1] == [int.from_bytes(memory["strings"][at : at + 2], "little") for at in range(0, 8, 2)]
