"""The ARMv7-M core of the virtual bench against Unicorn (QEMU's Cortex-M3) on random instructions and states.

Registers, flags, PC and memory are compared after every vector. The random numbers have fixed seeds.
"""

import os
import random
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import unicorn
from unicorn import arm_const as arm

FLASH = 0x0800_0000
CODE = FLASH + 0x1000
RAM = 0x2000_0000
WINDOW = RAM + 0x400
WINDOW_BYTES = 128
FLAGS = 0xF800_0000
VECTORS_PER_CLASS = 600
REGISTERS = [getattr(arm, f"UC_ARM_REG_R{n}") for n in range(13)] + [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR]
INTERESTING = [0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]


@dataclass
class Vector:
    """One test: code, how many instructions of it to run, and the state before."""

    name: str
    halves: list[int]
    registers: list[int]
    flags: int
    window: bytes
    count: int = 1
    address: int = 0

    @property
    def code(self) -> bytes:
        return b"".join(struct.pack("<H", half) for half in self.halves)


@dataclass
class Maker:
    """Random choices for one vector, and the registers they need to hold certain values."""

    rng: random.Random
    wanted: dict[int, int] = field(default_factory=dict)
    count: int = 1

    def low(self) -> int:
        return self.rng.randrange(8)

    def reg(self) -> int:
        """A register that every 32-bit encoding allows: not SP, not PC."""
        return self.rng.choice([*range(13), 14])

    def distinct(self, number: int, *, low: bool = False) -> list[int]:
        return self.rng.sample(range(8) if low else [*range(13), 14], number)

    def bits(self, width: int) -> int:
        return self.rng.getrandbits(width)

    def inside(self, size: int, *, aligned: bool = False) -> int:
        """An address whose access of `size` bytes, and 32 bytes around, lies in the window."""
        address = WINDOW + self.rng.randrange(36, WINDOW_BYTES - 40)
        return address & ~(size - 1) if aligned else address

    def point(self, register: int, address: int) -> None:
        self.wanted[register] = address & 0xFFFF_FFFF


Encoder = Callable[[Maker], list[int]]
CLASSES: dict[str, Encoder] = {}


def encoder(function: Encoder) -> Encoder:
    """Registers a class of instructions under the function's name."""
    CLASSES[function.__name__] = function
    return function


# --- 16-bit encodings -------------------------------------------------------------------------------------------


@encoder
def t16_shift_add_sub_mov_cmp(m: Maker) -> list[int]:
    return [m.rng.randrange(0x0000, 0x4000)]


@encoder
def t16_data_processing(m: Maker) -> list[int]:
    return [0x4000 | m.bits(10)]


@encoder
def t16_high_registers(m: Maker) -> list[int]:
    op, d, s = m.rng.choice([0, 1, 2]), m.reg(), m.reg()
    if op == 1 and d < 8 and s < 8:
        d = 8 + d % 5  # CMP T2 with two low registers is unpredictable
    return [0x4400 | op << 8 | (d & 8) << 4 | s << 3 | d & 7]


@encoder
def t16_branch_register(m: Maker) -> list[int]:
    s = m.reg()
    m.point(s, CODE + 2 * m.bits(12) | 1)
    return [0x4700 | m.bits(1) << 7 | s << 3]


@encoder
def t16_pc_relative(m: Maker) -> list[int]:
    return [m.rng.choice([0x4800, 0xA000]) | m.bits(11)]


@encoder
def t16_load_store_register(m: Maker) -> list[int]:
    n, i = m.distinct(2, low=True)
    offset = m.rng.randrange(-30, 30)
    m.point(i, offset)
    m.point(n, m.inside(4) - offset)
    return [0x5000 | m.bits(3) << 9 | i << 6 | n << 3 | m.low()]


@encoder
def t16_load_store_immediate(m: Maker) -> list[int]:
    op, n, imm = m.rng.choice([12, 13, 14, 15, 16, 17]), m.low(), m.bits(5)
    scale = {12: 4, 13: 4, 14: 1, 15: 1, 16: 2, 17: 2}[op]
    m.point(n, m.inside(4) - imm * scale)
    return [op << 11 | imm << 6 | n << 3 | m.low()]


@encoder
def t16_sp_relative(m: Maker) -> list[int]:
    kind = m.rng.randrange(4)
    if kind == 0:
        return [0xA800 | m.bits(11)]
    if kind == 1:
        return [0xB000 | m.bits(8)]
    imm = m.bits(8)
    m.point(13, (m.inside(4, aligned=True)) - 4 * imm)
    return [(0x9000, 0x9800)[kind - 2] | m.low() << 8 | imm]


@encoder
def t16_extend_reverse(m: Maker) -> list[int]:
    return [m.rng.choice([0xB200, 0xB240, 0xB280, 0xB2C0, 0xBA00, 0xBA40, 0xBAC0]) | m.bits(6)]


@encoder
def t16_push_pop(m: Maker) -> list[int]:
    m.point(13, m.inside(4, aligned=True))
    return [m.rng.choice([0xB400, 0xB500, 0xBC00]) | m.bits(8) | 1 << m.low()]


@encoder
def t16_multiple(m: Maker) -> list[int]:
    n, listed = m.low(), m.bits(8) | 1 << m.low()
    store = m.bits(1)
    if store and listed & (1 << n):
        listed &= ~((1 << n) - 1)  # the base is stored as it was only if it is the first
    m.point(n, m.inside(4, aligned=True))
    return [(0xC800, 0xC000)[store] | n << 8 | listed]


@encoder
def t16_branches(m: Maker) -> list[int]:
    kind = m.rng.randrange(3)
    if kind == 0:
        return [0xD000 | m.rng.randrange(14) << 8 | m.bits(8)]
    if kind == 1:
        return [0xE000 | m.bits(11)]
    if m.bits(1):
        m.point(n := m.low(), 0)
        return [m.rng.choice([0xB100, 0xB900]) | m.bits(1) << 9 | m.bits(5) << 3 | n]
    return [m.rng.choice([0xB100, 0xB900]) | m.bits(1) << 9 | m.bits(8)]


@encoder
def it_block(m: Maker) -> list[int]:
    """IT with one to four 16-bit or 32-bit data-processing instructions, all of them run."""
    length = m.rng.randrange(1, 5)
    cond = m.rng.randrange(14)
    mask = m.bits(3) << 1 & 0xF & ~((1 << (5 - length)) - 1) | 1 << (4 - length)
    halves = [0xBF00 | cond << 4 | mask]
    for _ in range(length):
        halves += m.rng.choice([t16_shift_add_sub_mov_cmp, t16_data_processing, dp_modified_immediate])(m)
    m.count = 1 + length
    return halves


# --- 32-bit encodings -------------------------------------------------------------------------------------------


@encoder
def dp_modified_immediate(m: Maker) -> list[int]:
    op = m.rng.choice([0, 1, 2, 3, 4, 8, 10, 11, 13, 14])
    s = m.bits(1)
    n, d, imm = m.reg(), m.reg(), m.bits(12)
    if op in (2, 3) and m.bits(1):
        n = 15
    if op in (0, 4, 8, 13) and s and m.bits(1):
        d = 15
    if imm & 0xC00 == 0 and imm & 0xFF == 0:
        imm |= 1  # a replicated byte of zero is unpredictable
    return [0xF000 | (imm >> 11) << 10 | op << 5 | s << 4 | n, (imm >> 8 & 7) << 12 | d << 8 | imm & 0xFF]


@encoder
def dp_shifted_register(m: Maker) -> list[int]:
    op = m.rng.choice([0, 1, 2, 3, 4, 8, 10, 11, 13, 14])
    s = m.bits(1)
    n, d = m.reg(), m.reg()
    if op in (2, 3) and m.bits(1):
        n = 15
    if op in (0, 4, 8, 13) and s and m.bits(1):
        d = 15
    return [0xEA00 | op << 5 | s << 4 | n, m.bits(3) << 12 | d << 8 | m.bits(4) << 4 | m.reg()]


@encoder
def dp_plain_immediate(m: Maker) -> list[int]:
    op = m.rng.choice([0x00, 0x04, 0x0A, 0x0C])
    n = 15 if op in (0x00, 0x0A) and m.bits(2) == 0 else m.reg()
    return [0xF200 | m.bits(1) << 10 | op << 4 | n, m.bits(3) << 12 | m.reg() << 8 | m.bits(8)]


@encoder
def bitfield(m: Maker) -> list[int]:
    op = m.rng.choice([0x14, 0x16, 0x1C])
    lsb = m.rng.randrange(32)
    width = m.rng.randrange(1, 33 - lsb)
    low = lsb + width - 1 if op == 0x16 else width - 1
    n = 15 if op == 0x16 and m.bits(1) else m.reg()
    return [0xF200 | op << 4 | n, (lsb >> 2) << 12 | m.reg() << 8 | (lsb & 3) << 6 | low]


@encoder
def saturate(m: Maker) -> list[int]:
    op = m.rng.choice([0x10, 0x12, 0x18, 0x1A])
    amount = m.rng.randrange(1, 32) if op & 2 else m.rng.randrange(32)
    return [0xF200 | op << 4 | m.reg(), (amount >> 2) << 12 | m.reg() << 8 | (amount & 3) << 6 | m.bits(5)]


@encoder
def shift_by_register(m: Maker) -> list[int]:
    return [0xFA00 | m.bits(3) << 4 | m.reg(), 0xF000 | m.reg() << 8 | m.reg()]


@encoder
def extend(m: Maker) -> list[int]:
    return [m.rng.choice([0xFA0F, 0xFA1F, 0xFA4F, 0xFA5F]), 0xF080 | m.reg() << 8 | m.bits(2) << 4 | m.reg()]


@encoder
def reverse_and_count(m: Maker) -> list[int]:
    s = m.reg()
    op1, op2 = m.rng.choice([(9, 8), (9, 9), (9, 10), (9, 11), (11, 8)])
    return [0xFA00 | op1 << 4 | s, 0xF000 | m.reg() << 8 | op2 << 4 | s]


@encoder
def multiply(m: Maker) -> list[int]:
    kind = m.rng.randrange(3)
    accumulator = 15 if kind == 0 else m.reg()
    return [0xFB00 | m.reg(), accumulator << 12 | m.reg() << 8 | (kind == 2) << 4 | m.reg()]


@encoder
def long_multiply_divide(m: Maker) -> list[int]:
    op1, op2 = m.rng.choice([(0, 0), (1, 15), (2, 0), (3, 15), (4, 0), (6, 0)])
    low, high = m.distinct(2)
    return [0xFB80 | op1 << 4 | m.reg(), (15 if op2 else low) << 12 | high << 8 | op2 << 4 | m.reg()]


def single(m: Maker) -> tuple[int, int]:
    """First half without the base, and the transfer register, of a random size and direction."""
    return m.rng.choice([0xF800, 0xF810, 0xF820, 0xF830, 0xF840, 0xF850, 0xF910, 0xF930]), m.reg()


@encoder
def load_store_imm12(m: Maker) -> list[int]:
    first, t = single(m)
    n, imm = m.reg(), m.bits(12)
    m.point(n, m.inside(4) - imm)
    return [first | 0x80 | n, t << 12 | imm]


@encoder
def load_store_imm8(m: Maker) -> list[int]:
    """Offset, pre-indexed, post-indexed and unprivileged forms."""
    first, _ = single(m)
    n, t = m.distinct(2)
    imm, form = m.bits(8), m.rng.choice([1, 3, 4, 5, 6, 7])
    offset = imm if form & 2 else -imm
    m.point(n, m.inside(4) - (offset if form & 4 else 0))
    return [first | n, t << 12 | 0x800 | form << 8 | imm]


@encoder
def load_store_indexed(m: Maker) -> list[int]:
    first, t = single(m)
    n, i = m.distinct(2)
    offset, shift = m.rng.randrange(-30, 30), m.bits(2)
    m.point(i, offset)
    m.point(n, m.inside(4) - (offset << shift))
    return [first | n, t << 12 | shift << 4 | i]


@encoder
def load_literal(m: Maker) -> list[int]:
    first = m.rng.choice([0xF81F, 0xF83F, 0xF85F, 0xF91F, 0xF93F])
    return [first | m.bits(1) << 7, m.reg() << 12 | m.bits(9)]


@encoder
def double(m: Maker) -> list[int]:
    n, t, t2 = m.distinct(3)
    form, imm = m.rng.choice([2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]), m.bits(8)
    pre, up, write_back = form >> 3, form >> 2 & 1, form >> 1 & 1
    if not pre and not write_back:
        write_back = 1
    offset = 4 * imm * (1 if up else -1)
    m.point(n, m.inside(8, aligned=True) - (offset if pre else 0))
    first = 0xE840 | pre << 8 | up << 7 | write_back << 5 | (form & 1) << 4 | n
    return [first, t << 12 | t2 << 8 | imm]


@encoder
def multiple(m: Maker) -> list[int]:
    n = m.reg()
    listed = 0
    for register in m.rng.sample([r for r in [*range(13), 14] if r != n], m.rng.randrange(2, 9)):
        listed |= 1 << register
    m.point(n, m.inside(4, aligned=True))
    return [m.rng.choice([0xE880, 0xE890, 0xE8A0, 0xE8B0, 0xE900, 0xE910, 0xE920, 0xE930]) | n, listed]


@encoder
def exclusive_pair(m: Maker) -> list[int]:
    """A load-exclusive and its store-exclusive to the same place, of one size."""
    n, t, d = m.distinct(3)
    m.count = 2
    size = m.rng.choice([None, 4, 5])
    m.point(n, m.inside(4, aligned=True))
    if size is None:
        return [0xE850 | n, t << 12 | 0xF00, 0xE840 | n, t << 12 | d << 8]
    return [0xE8D0 | n, t << 12 | 0xF0F | (size << 4) & 0xF0, 0xE8C0 | n, t << 12 | 0xF00 | size << 4 | d]


@encoder
def table_branch(m: Maker) -> list[int]:
    n, i = m.distinct(2)
    half = m.bits(1)
    index = m.rng.randrange(8)
    m.point(n, m.inside(2, aligned=True))
    m.point(i, index)
    return [0xE8D0 | n, 0xF000 | half << 4 | i]


@encoder
def branch_wide(m: Maker) -> list[int]:
    if m.bits(1):
        # The target stays inside the mapped flash.
        return [0xF000 | m.rng.randrange(14) << 6 | m.bits(3), 0x8000 | m.bits(11)]
    return [0xF000 | m.bits(6), m.rng.choice([0x9000, 0xD000]) | 0x2800 | m.bits(11)]


@encoder
def special_registers(m: Maker) -> list[int]:
    if m.bits(1):
        return [0xF380 | m.reg(), 0x8800]  # MSR APSR_nzcvq
    return [0xF3EF, 0x8000 | m.reg() << 8]  # MRS APSR


# --- running ----------------------------------------------------------------------------------------------------


def make(name: str, index: int) -> Vector:
    """The vector number `index` of a class; the same in every run."""
    rng = random.Random(f"{name} {index}")
    maker = Maker(rng)
    halves = CLASSES[name](maker)
    registers = [rng.choice(INTERESTING) if rng.random() < 0.4 else rng.getrandbits(32) for _ in range(15)]
    registers[13] = rng.getrandbits(32) & ~3
    for register, value in maker.wanted.items():
        registers[register] = value
    window = rng.randbytes(WINDOW_BYTES)
    return Vector(name, halves, registers, rng.getrandbits(5) << 27, window, maker.count)


def core_step() -> Path:
    """The example program that runs vectors through our core."""
    root = Path(__file__).resolve().parents[2]
    path = Path(os.environ.get("GPIORIG_CORE_STEP", root / "target" / "release" / "examples" / "core_step"))
    if not path.exists():
        pytest.fail(f"{path} is absent: run `cargo build --release --example core_step -p vboards`")
    return path


def run_core(vectors: list[Vector]) -> list[str]:
    lines = []
    for v in vectors:
        state = " ".join(f"{value:x}" for value in [*v.registers, v.flags | 1 << 24])
        lines.append(f"{v.address:x} {v.code.hex()} {v.count:x} {state} {v.window.hex()}\n")
    done = subprocess.run([core_step()], input="".join(lines), capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def run_unicorn(vectors: list[Vector]) -> list[str]:
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
    uc.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M3)
    uc.mem_map(FLASH, 1 << 20)
    uc.mem_map(RAM, 4096)
    for v in vectors:  # all of them first: a literal may lie in the code of another vector
        uc.mem_write(v.address, v.code)
    answers = []
    for v in vectors:
        uc.mem_write(WINDOW, v.window)
        for register, value in zip(REGISTERS, v.registers, strict=True):
            uc.reg_write(register, value)
        uc.reg_write(arm.UC_ARM_REG_XPSR, v.flags | 1 << 24)
        try:
            # The end address, too, because the count leaves out instructions that an IT block skips.
            uc.emu_start(v.address | 1, v.address + len(v.code), count=v.count)
        except unicorn.UcError as error:
            answers.append(f"fault {error}")
            continue
        registers = [uc.reg_read(register) for register in [*REGISTERS, arm.UC_ARM_REG_PC]]
        psr = uc.reg_read(arm.UC_ARM_REG_XPSR) & FLAGS
        window = uc.mem_read(WINDOW, WINDOW_BYTES).hex()
        answers.append(" ".join(f"{value:x}" for value in [*registers, psr]) + " " + window)
    return answers


def comparable(answer: str) -> str:
    """An answer with only the flags of xPSR."""
    fields = answer.split(" ")
    if fields[0] != "fault":
        fields[16] = f"{int(fields[16], 16) & FLAGS:x}"
    return " ".join(fields)


@pytest.mark.parametrize("name", CLASSES)
def test_core_agrees_with_unicorn(name: str) -> None:
    """Every vector of the class leaves registers, PC, flags and memory as Unicorn leaves them."""
    vectors = [make(name, index) for index in range(VECTORS_PER_CLASS)]
    for index, vector in enumerate(vectors):
        # Every vector has its own place: Unicorn caches what it translated.
        vector.address = CODE + 0x800 + 32 * index
    expected = run_unicorn(vectors)
    actual = [comparable(answer) for answer in run_core(vectors)]
    assert len(expected) == len(actual)
    for vector, want, have in zip(vectors, expected, actual, strict=True):
        shown = f"{vector.code.hex()} at {vector.address:x}, registers {[hex(r) for r in vector.registers]}"
        assert want == have, f"{name}: {shown}, flags {vector.flags:x}"
