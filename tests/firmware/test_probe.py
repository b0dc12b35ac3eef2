"""The probe library: what it puts on the lines, with the very same probe.c on the PC, and its timing on the boards."""

from __future__ import annotations

import itertools
import math
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import compilers
import pytest
from disassembly import CROSS, FIRMWARE, Target, cycles, disassemble, quiet_cycles, stores_of_symbols, try_compile

SOURCES = sorted((FIRMWARE / "src").glob("*.c"))
WIDTHS = (1, 2, 4, 8)


def rotl4(nibble: int) -> int:
    return (nibble << 1 | nibble >> 3) & 0xF


def symbols(width: int, code: int, identifier: int | None) -> list[int]:
    """One event as docs/reference/line-code.md has it, bit by bit."""
    header = code if identifier is None else code | 0x80
    data = f"{header:08b}" if identifier is None else f"{header:08b}{identifier:016b}"
    check = 9
    for at in range(0, len(data), 4):
        check = rotl4(check) ^ int(data[at : at + 4], 2)
    tail = f"{~check & 0xF:04b}{check:04b}" if width == 8 else f"{check:04b}"
    bits = data + tail
    return [int(bits[at : at + width], 2) for at in range(0, len(bits), width)]


def samples(width: int, events: Sequence[tuple[int, int | None]], hold: int, gap: int) -> list[int]:
    """The sample stream emit is to write: bit 0 the strobe, the symbol above it."""
    stream, strobe = [0] * gap, 0
    for code, identifier in events:
        frame = symbols(width, code, identifier)
        for position, symbol in enumerate(frame):
            strobe ^= 1
            last = position == len(frame) - 1
            stream += [symbol << 1 | strobe] * (gap if last else hold)
    return stream


def compile_emit(folder: Path, width: int) -> Path:
    program = folder / f"emit-w{width}"
    command = ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=undefined"]
    command += [f"-I{FIRMWARE}/include", f"-I{FIRMWARE}/ports", "-DGPIORIG_PORT=host", f"-DGPIORIG_WIDTH={width}"]
    done = compilers.link(command, [FIRMWARE / "host/emit.c", *SOURCES], program)
    assert (0, "") == (done.returncode, done.stderr)
    return program


@pytest.fixture(scope="module", params=WIDTHS)
def emitter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    width = request.param
    return width, compile_emit(tmp_path_factory.mktemp(f"w{width}"), width)


def emit(program: Path, text: str, *options: str) -> list[int]:
    done = subprocess.run([program, *options], input=text.encode(), capture_output=True, check=True)
    assert b"" == done.stderr
    return [word[0] | word[1] << 8 for word in zip(done.stdout[::2], done.stdout[1::2], strict=True)]


@pytest.mark.slow
def test_every_code_and_random_ids_are_framed_as_documented(emitter: tuple[int, Path]) -> None:
    """Frames equal an encoder written from docs/reference/line-code.md, sample by sample."""
    width, program = emitter
    choose = random.Random(width)
    events: list[tuple[int, int | None]] = [(code, None) for code in range(1, 128)]
    events += [(code, identifier) for code in range(1, 128) for identifier in (0, 0xFFFF, choose.randrange(0x10000))]
    choose.shuffle(events)
    text = "".join(f"{code}\n" if identifier is None else f"{code} {identifier}\n" for code, identifier in events)
    for hold, gap in ((4, 16), (3, 12)):
        options = ("--hold", str(hold), "--gap", str(gap))
        assert samples(width, events, hold, gap) == emit(program, text, *options)


def test_default_spacing(emitter: tuple[int, Path]) -> None:
    """Four samples a symbol, sixteen from frame to frame."""
    width, program = emitter
    assert samples(width, [(6, 7), (1, None)], 4, 16) == emit(program, "6 7\n\n# a comment\n1\n")


def test_calibration_counts_up_from_zero(emitter: tuple[int, Path]) -> None:
    width, program = emitter
    assert samples(width, [(2, n) for n in range(5)], 4, 16) == emit(program, "calibrate 5\n")


def test_wiring_proof_names_each_line(emitter: tuple[int, Path]) -> None:
    """Line i pulses alone i + 1 times, the strobe resting, in order; then comes rig.boot."""
    width, program = emitter
    stream = emit(program, "wiring\n")
    boot = samples(width, [(1, None)], 4, 16)[16:]
    assert boot == stream[-len(boot) :]
    before = stream[: -len(boot)]
    pulses = [now for last, now in itertools.pairwise(before) if now != last and now != 0]
    assert [2 << line for line in range(width) for _ in range(line + 1)] == pulses


def test_a_bad_code_is_refused(emitter: tuple[int, Path]) -> None:
    _, program = emitter
    done = subprocess.run([program], input=b"128\n", capture_output=True, check=False)
    assert 2 == done.returncode
    assert b"emit: not a number, or out of range: 128\n" == done.stderr


# The build


M3, NUCLEO, TELOSB = (f"-DGPIORIG_PORT={port}" for port in ("iotlab-m3", "nucleo-l476rg", "telosb"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no port chosen"),
        (["-DGPIORIG_PORT=abacus"], "unknown port"),
        (["-DGPIORIG_PORT=host", "-DGPIORIG_WIDTH=3"], "GPIORIG_WIDTH must be 0, 1, 2, 4 or 8"),
        (
            ["-DGPIORIG_PORT=host", "-DGPIORIG_LOG=100"],
            "GPIORIG_LOG is the number of records of the log, a power",
        ),
        (["-DGPIORIG_PORT=host", "-DGPIORIG_VARIANT_EMPTY", "-DGPIORIG_VARIANT_DOUBLED"], "exclude each other"),
        ([M3, "-DGPIORIG_HOLD_NS=62"], "GPIORIG_HOLD_NS is below GPIORIG_MIN_HOLD_NS"),
        ([NUCLEO, "-DGPIORIG_HOLD_NS=124"], "GPIORIG_HOLD_NS is below GPIORIG_MIN_HOLD_NS"),
        ([TELOSB, "-DGPIORIG_WIDTH=8"], "the TelosB has four data lines at most"),
        ([TELOSB, "-DGPIORIG_D0=GPIORIG_PIN_P6(1)"], "four data lines on P6.0 to P6.3 only"),
        ([M3, "-DGPIORIG_WIDTH=4", "-DGPIORIG_D0=GPIORIG_PIN_B(13)"], "the port ends before the bus"),
        ([M3, "-DGPIORIG_D0=GPIORIG_PIN_A(3)"], "data line 0 must be on the strobe's port"),
        ([M3, "-DGPIORIG_D1=GPIORIG_PIN_A(3)"], "data line 1 must be on the strobe's port"),
        # A pin that two lines claim
        ([M3, "-DGPIORIG_WIDTH=8"], "the strobe and data line 4 are on the same pin"),
        ([NUCLEO, "-DGPIORIG_WIDTH=8"], "the strobe and data line 6 are on the same pin"),
        ([M3, "-DGPIORIG_D1=GPIORIG_PIN_B(9)"], "the strobe and data line 1 are on the same pin"),
        ([M3, "-DGPIORIG_D1=GPIORIG_PIN_B(5)"], "data line 0 and data line 1 are on the same pin"),
        (
            [M3, "-DGPIORIG_SPAN_ISR_RADIO=GPIORIG_PIN_B(6)"],
            "data line 1 and the span line of ISR_RADIO are on the same pin",
        ),
        (
            [NUCLEO, *(f"-DGPIORIG_SPAN_{point}=GPIORIG_PIN_A(8)" for point in ("ISR_TIMER", "ISR_RADIO"))],
            "the span line of ISR_RADIO and the span line of ISR_TIMER are on the same pin",
        ),
        (
            [TELOSB, *(f"-DGPIORIG_{line}=GPIORIG_PIN_P6(7)" for line in ("HEARTBEAT_LINE", "SPAN_APP_TX"))],
            "the heartbeat line and the span line of APP_TX are on the same pin",
        ),
        ([TELOSB, "-DGPIORIG_SPAN_APP_TX=GPIORIG_PIN_P6(6)"], "the strobe and the span line of APP_TX are on the same"),
        # A pin that the board needs
        ([M3, "-DGPIORIG_SPAN_APP_TX=GPIORIG_PIN_A(2)"], "the span line of APP_TX is on PA2, the SLP_TR of the radio"),
        ([M3, "-DGPIORIG_D1=GPIORIG_PIN_B(7)"], "data line 1 is on PB7, I2C SDA"),
        ([M3, "-DGPIORIG_WIDTH=4"], "data line 2 is on PB7, I2C SDA"),
        (
            [TELOSB, "-DGPIORIG_SPAN_ISR_RADIO=GPIORIG_PIN_P3(1)"],
            "ISR_RADIO is on P3.1, the SPI data to radio",
        ),
        ([TELOSB, "-DGPIORIG_HEARTBEAT_LINE=GPIORIG_PIN_P3(3)"], "heartbeat line is on P3.3, the SPI clock"),
        ([NUCLEO, "-DGPIORIG_SPAN_APP_TX=GPIORIG_PIN_A(13)"], "the span line of APP_TX is on PA13, SWD"),
    ],
)
def test_wrong_configurations_do_not_build(tmp_path: Path, options: list[str], message: str) -> None:
    done = try_compile(tmp_path, "cc", *options, str(FIRMWARE / "src/probe.c"))
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize("compiler", ["cc", CROSS + "gcc"])
def test_off_leaves_nothing(tmp_path: Path, compiler: str) -> None:
    """With GPIORIG_OFF neither the library nor a program that uses all of it has a symbol of ours."""
    user = tmp_path / "user.c"
    user.write_text(
        """#include "gpiorig/probe.h"
unsigned use(unsigned id);
unsigned use(unsigned id)
{
    gpiorig_init();
    gpiorig_wiring_proof();
    gpiorig_calibrate(id);
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_EVENT_ID(RIG_MARKER, id);
    GPIORIG_ENTER(ISR_RADIO);
    GPIORIG_EXIT_ID(APP_TX, id);
    return gpiorig_frames();
}
"""
    )
    nm = compiler.removesuffix("gcc") + "nm" if compiler.endswith("gcc") else "nm"
    for source in (FIRMWARE / "src/probe.c", user):
        done = try_compile(tmp_path, compiler, "-DGPIORIG_OFF", str(source))
        assert "" == done.stderr
        listing = subprocess.run([nm, tmp_path / "out.o"], capture_output=True, text=True, check=True).stdout
        assert "gpiorig" not in listing


# Time on the boards with a Cortex-M. Cycles of a Cortex-M3: ARM 100165 (TRM r2p1) table 3-1, and of a Cortex-M4:
# ARM 100166 table 3-1; a load or store may take one less than 2.


SAMPLERATE_HZ = 24_000_000
BARE_M3 = ("-DGPIORIG_STROBE=GPIORIG_PIN_B(1)", "-DGPIORIG_ANY_PIN")
TARGETS = (
    Target(
        "iotlab-m3",
        "cortex-m3",
        72_000_000,
        3,
        ("-DGPIORIG_STROBE=GPIORIG_PIN_B(1)", "-DGPIORIG_ANY_PIN"),
        True,
        frame_gap_ns=280,
        longest_ns=250,
        longest_on_4_ns=250,
        quiet_ns=312,
    ),
    Target(
        "nucleo-l476rg",
        "cortex-m4",
        80_000_000,
        5,
        ("-DGPIORIG_D0=GPIORIG_PIN_C(0)",),
        False,
        longest_on_4_ns=350,
    ),
    # A miss of its cache: 4 cycles for 8 bytes at the most (docs/evidence/virtual-boards.md).
    Target("nrf52840dk", "cortex-m4", 64_000_000, 4, (), False, longest_on_4_ns=350),
)


def from_flash(target: Target, size: int) -> int:
    """Cycles from a store to the one `size` bytes on, when the flash with its prefetch is the slower of the two.

    The first store lies `start` bytes into its line, which so came at least `start` / 4 cycles before. Each further
    line comes `line_cycles` after the one before; in the last one, two bytes take a cycle, and a store may take two.
    """
    return max(
        target.line_cycles * ((start + size) // 8) - start // 4 + (start + size) % 8 // 2 + 2 for start in (0, 2, 4, 6)
    )


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.port)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("function", ["gpiorig_send", "gpiorig_send_id"])
def test_symbols_and_gaps_keep_their_time(tmp_path: Path, target: Target, width: int, function: str) -> None:
    """Held 125 ns at least and for less than the frame gap whatever the flash does; quiet for longer after the last."""
    body = disassemble(tmp_path, target, width)[function]
    stores = stores_of_symbols(body)
    bits = (8 if function == "gpiorig_send" else 24) + (8 if width == 8 else 4)
    assert bits // width == len(stores)
    gap = math.ceil(target.frame_gap_ns * SAMPLERATE_HZ / 1e9)
    longest_ns = target.longest_on_4_ns if width == 4 else target.longest_ns
    assert math.ceil(longest_ns * SAMPLERATE_HZ / 1e9) < gap <= math.floor(target.quiet_ns * SAMPLERATE_HZ / 1e9)
    for here, there in itertools.pairwise(stores):
        between = body[here:there]
        assert not any(re.match(r"(b|cb|it)", text) for _, text in between), "a branch between two symbols"
        least, most = (sum(cycles(text)[which] for _, text in between) for which in (0, 1))
        assert least * 1e9 / target.cpu_hz >= 125
        slowest = max(most, from_flash(target, sum(size for size, _ in between)))
        assert slowest * 1e9 / target.cpu_hz <= longest_ns
        if width <= 2 and target.keeps_without_prefetch:  # every line waits
            lines = sum(size for size, _ in between) // 8 + 1
            assert (most + (target.line_cycles - 1) * lines) * 1e9 / target.cpu_hz <= longest_ns
    assert quiet_cycles(tmp_path, target, body) * 1e9 / target.cpu_hz >= target.quiet_ns


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.port)
def test_a_longer_hold_scales_all(tmp_path: Path, target: Target) -> None:
    """With 250 ns: held for that time, and quiet for twice the default; the frame gap is between the two."""
    body = disassemble(tmp_path, target, 2, "-DGPIORIG_HOLD_NS=250")["gpiorig_send_id"]
    stores = stores_of_symbols(body)
    ns = 1e9 / target.cpu_hz
    for here, there in itertools.pairwise(stores):
        between = body[here:there]
        least, most = (sum(cycles(text)[which] for _, text in between) for which in (0, 1))
        assert least * ns >= 250
        assert max(most, from_flash(target, sum(size for size, _ in between))) * ns < 2 * target.frame_gap_ns
    assert quiet_cycles(tmp_path, target, body, "-DGPIORIG_HOLD_NS=250") * ns >= 2 * target.quiet_ns


def test_63_ns_for_48_mhz(tmp_path: Path) -> None:
    """The M3 holds a symbol for three samples of 48 MHz at least; the frame gap is that of 125 ns."""
    target, hz, gap_ns = TARGETS[0], 48_000_000, TARGETS[0].frame_gap_ns
    body = disassemble(tmp_path, target, 2, "-DGPIORIG_HOLD_NS=63")["gpiorig_send_id"]
    stores = stores_of_symbols(body)
    assert 14 == len(stores)
    for here, there in itertools.pairwise(stores):
        between = body[here:there]
        least, most = (sum(cycles(text)[which] for _, text in between) for which in (0, 1))
        assert least * hz / target.cpu_hz >= 3
        slowest = max(most, from_flash(target, sum(size for size, _ in between)))
        assert math.ceil(slowest * hz / target.cpu_hz) < math.ceil(gap_ns * hz / 1e9)
    quiet = quiet_cycles(tmp_path, target, body, "-DGPIORIG_HOLD_NS=63")
    assert math.floor(quiet * hz / target.cpu_hz) >= math.ceil(gap_ns * hz / 1e9)
