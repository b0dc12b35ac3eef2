"""Random test vectors as arrays: encodings of every row of the tables, and states that make them worth running."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core_oracle.rows import Fields, Mask, Row, Words
from core_oracle.rows16 import ROWS_16
from core_oracle.rows32 import ROWS_32
from core_oracle.rows_float import ROWS_FLOAT

FLASH = 0x0800_0000
FLASH_BYTES = 1 << 20
RAM = 0x2000_0000
RAM_BYTES = 4096
WINDOW = RAM + 0x400
WINDOW_WORDS = 64
CODE_WORDS = 5
HALF_END = 0xE800  # from here on encodings have 32 bits (section A5.1)
# Single instructions stand anywhere here, among random words.
SINGLES = FLASH + 0x4000
SINGLES_BYTES = 0x1_0000
# Sequences stand here, among branches to themselves: wherever one branches to, it stays.
SEQUENCE = FLASH + 0xA_0000
SPIN = 0xE7FE
SPIN_FROM = FLASH + 0x2_0000
SPIN_BYTES = 0x6_0000

VECTOR = np.dtype(
    [
        ("address", "<u4"),
        ("end", "<u4"),
        ("code", "<u2", (2 * CODE_WORDS,)),
        ("r", "<u4", (15,)),
        ("psr", "<u4"),
        ("s", "<u4", (32,)),
        ("fpscr", "<u4"),
        ("window", "<u4", (WINDOW_WORDS,)),
    ]
)
# APSR.Q.
Q = 1 << 27
ROWS = [*ROWS_16, *ROWS_32, *ROWS_FLOAT]
NO_ROW = len(ROWS)
# Accesses that must be aligned (section A3.2.1); QEMU does not check it.
ALIGNED = ("LDM", "STM", "LDRD", "STRD", "LDREX", "STREX", "VL", "VS")

CORE_VALUES = [0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF,
               0x8000_8000, 0x7FFF_7FFF, 0x8000_7FFF, 0x80FF_7F01]  # fmt: skip
# Zero, denormals, the least normal, one and its neighbours, powers near 2**31 and 2**15, the largest, infinity, NaNs,
# half-precision pairs.
FLOAT_VALUES = [0, 1, 0x3FFFFF, 0x7FFFFF, 0x800000, 0x800001, 0x3F800000, 0x3F7FFFFF, 0x3F800001, 0x3F000000,
                0x3FC00000, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x46FFFE00, 0x477FE000, 0x477FF000,
                0x33000000, 0x33800000, 0x38800000, 0x387FC000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FA00000,
                0x7FC00000, 0x7FFFFFFF, 0x7C010001, 0x03FF7E00]  # fmt: skip


@dataclass
class Batch:
    """Vectors, the row of each (of the instruction that matters), and which are not comparable and why."""

    vectors: npt.NDArray[np.void]
    rows: npt.NDArray[np.int64]
    unpredictable: Mask


def classify(words: Words, wide: Mask) -> npt.NDArray[np.int64]:
    """Number of the first row that matches each encoding; NO_ROW: UNDEFINED, or another coprocessor's."""
    result = np.full(words.shape, NO_ROW, dtype=np.int64)
    for number in range(NO_ROW - 1, -1, -1):
        row = ROWS[number]
        result[((words & row.mask) == row.value) & (wide == row.wide)] = number
    return result


def unpredictable(words: Words, rows: npt.NDArray[np.int64]) -> Mask:
    """Which encodings have a rule against them, or are not compared."""
    result = np.zeros(words.shape, dtype=bool)
    for number in np.unique(rows[rows != NO_ROW]):
        chosen = rows == number
        row = ROWS[number]
        result[chosen] = row.unpredictable(words[chosen]) | ("skip" in row.traits)
    return result


def random_words(rng: np.random.Generator, count: int) -> tuple[Words, Mask]:
    """Encodings: seven eighths by row, each as often; the rest anything that is wide, which hits what no row has."""
    words = rng.integers(0xE800_0000, 1 << 32, count, dtype=np.int64)
    wide = np.ones(count, dtype=bool)
    choice = rng.integers(0, NO_ROW * 8 // 7, count)
    noise = rng.integers(0, 1 << 32, count, dtype=np.int64)
    for number, row in enumerate(ROWS):
        chosen = choice == number
        size = 0xFFFF_FFFF if row.wide else 0xFFFF
        # The should-be bits stand as they should, most of the time.
        fixed = row.mask | row.should[0]
        words[chosen] = (noise[chosen] & (size & ~fixed)) | row.value | row.should[1]
        wide[chosen] = row.wide
        if "short" in row.traits:
            words[chosen] &= ~np.where(noise[chosen] & 0x6000_0000, 0xE0, 0)
    return words, wide


def acceptable(rng: np.random.Generator, count: int) -> tuple[Words, Mask, npt.NDArray[np.int64]]:
    """Random encodings without the UNPREDICTABLE ones: words, widths, rows."""
    words, wide = random_words(rng, 2 * count)
    rows = classify(words, wide)
    good = np.flatnonzero(~unpredictable(words, rows))
    if len(good) < count:
        return acceptable(rng, count)
    good = good[:count]
    return words[good], wide[good], rows[good]


def offset_and_index(row: Row, f: Fields, address: Words) -> tuple[Words, Words | None, Words]:
    """What the access adds to its base: a constant, the index register or None, the index's shift."""
    zero = np.zeros_like(f.word)
    sign = np.where(f.U == 1, 1, -1) if "U" in f.values else zero + 1
    kind = row.access
    if kind.startswith(("n+i", "sp+i")):
        scale = int(kind.partition("*")[2] or 1)
        return f.i * scale * sign, None, zero
    if kind == "n8":
        return np.where(f.P == 1, f.i * sign, 0), None, zero
    if kind.startswith("n+m"):
        return zero, f.m, f.j if "j" in f.values else zero
    if kind == "table":
        return zero, f.m, f.H
    if kind.endswith("-"):
        listed = np.bitwise_count(f.word & (0x1FF if kind == "sp-" else 0xFFFF))
        count = np.where(f.word & 0x0F00_0000 == 0x0D00_0000, f.i, listed) if "D" in f.values else listed
        return -4 * count.astype(np.int64), None, zero
    return zero, None, zero


def point(rng: np.random.Generator, vectors: npt.NDArray[np.void], where: Words, row: Row, words: Words) -> None:
    """Sets the registers of the accesses of one row so that they fall into the window, and the window's contents."""
    f = row.fields(words)
    count = len(words)
    size = np.where(rng.random(count) < 0.6, 4, 1)
    if "words" in row.traits or row.name.startswith(ALIGNED) or row.access.startswith(("sp", "n-")):
        size = np.full(count, 4)
    at = WINDOW + rng.integers(4, 4 * WINDOW_WORDS - 136, count) // size * size
    if "words" in row.traits:
        targets = SPIN_FROM + 2 * rng.integers(0, SPIN_BYTES // 2, (count, WINDOW_WORDS)) | 1
        vectors["window"][where] = targets
    if row.access in ("", "literal"):
        return
    constant, index, shift = offset_and_index(row, f, at)
    base = np.full(count, 13) if row.access.startswith("sp") else f.n
    value = at - constant
    registers = vectors["r"]
    if index is not None:
        amount = rng.integers(0, 24, count) if row.access == "table" else rng.integers(-16, 16, count)
        usable = index < 15
        registers[where[usable], index[usable]] = amount[usable] & 0xFFFF_FFFF
        value = value - (amount << shift)
    usable = base < 15
    registers[where[usable], base[usable]] = value[usable] & 0xFFFF_FFFF


def point_branches(
    rng: np.random.Generator, vectors: npt.NDArray[np.void], where: Words, row: Row, words: Words
) -> None:
    """Targets of branches to a register: odd addresses of the flash; for ADD PC a distance."""
    f = row.fields(words)
    usable = f.m < 15
    distance = 2 * rng.integers(0, 0x8000, len(words))
    value = distance if "addpc" in row.traits else (SPIN_FROM + distance) | 1
    vectors["r"][where[usable], f.m[usable]] = value[usable]


def states(rng: np.random.Generator, count: int) -> npt.NDArray[np.void]:
    """Vectors with random registers, flags, modes and memory, without code."""
    vectors = np.zeros(count, dtype=VECTOR)
    special = rng.choice(np.array(CORE_VALUES, dtype=np.uint32), (count, 15))
    noise = rng.integers(0, 1 << 32, (count, 15), dtype=np.uint32)
    vectors["r"] = np.where(rng.random((count, 15)) < 0.4, special, noise)
    vectors["r"][:, 13] &= 0xFFFF_FFFC
    vectors["psr"] = rng.integers(0, 32, count) << 27 | rng.integers(0, 16, count) << 16 | 1 << 24
    vectors["s"] = float_values(rng, count)
    # Modes and flags; half of the vectors run with the modes of reset.
    modes = np.where(rng.random(count) < 0.5, 0xF7C0_009F, 0xF000_0000)
    vectors["fpscr"] = rng.integers(0, 1 << 32, count, dtype=np.int64) & modes
    vectors["window"] = np.where(
        rng.random((count, WINDOW_WORDS)) < 0.5,
        rng.integers(0, 1 << 32, (count, WINDOW_WORDS), dtype=np.uint32),
        rng.choice(np.array(FLOAT_VALUES, dtype=np.uint32), (count, WINDOW_WORDS)),
    )
    return vectors


def float_values(rng: np.random.Generator, count: int) -> npt.NDArray[np.uint32]:
    """Special values, values of like magnitude (which cancel and round), anything; either sign."""
    shape = (count, 32)
    special = rng.choice(np.array(FLOAT_VALUES, dtype=np.uint32), shape)
    near = (rng.integers(115, 140, shape) << 23 | rng.integers(0, 1 << 23, shape)).astype(np.uint32)
    noise = rng.integers(0, 1 << 32, shape, dtype=np.uint32)
    kind = rng.random(shape)
    values = np.where(kind < 0.4, special, np.where(kind < 0.75, near, noise))
    return values ^ (rng.integers(0, 2, shape).astype(np.uint32) << np.uint32(31))


def prepare(rng: np.random.Generator, vectors: npt.NDArray[np.void], words: Words, rows: npt.NDArray[np.int64]) -> None:
    """Registers and memory as each instruction needs them."""
    for number in np.unique(rows[rows != NO_ROW]):
        row = ROWS[number]
        where = np.flatnonzero(rows == number)
        if "nearest" in row.traits:
            vectors["fpscr"][where] &= 0xFF3F_FFFF
        if "special" in row.traits:
            # Unicorn refuses to be made privileged again: MSR does not write nPRIV.
            vectors["r"][where] &= 0xFFFF_FFFE
        if row.traits & {"target", "addpc"}:
            point_branches(rng, vectors, where, row, words[where])
        elif row.access:
            point(rng, vectors, where, row, words[where])


def put_code(vectors: npt.NDArray[np.void], words: Words, wide: Mask, at: Words) -> Words:
    """Writes one instruction per vector at halfword `at` of the code; the halfword after it."""
    every = np.arange(len(words))
    vectors["code"][every, at] = np.where(wide, words >> 16, words)
    second = every[wide]
    vectors["code"][second, at[wide] + 1] = words[wide] & 0xFFFF
    return at + 1 + wide


def singles(rng: np.random.Generator, count: int, halves: Sequence[int] = ()) -> Batch:
    """Single instructions; `halves`: these 16-bit encodings once each, instead of random ones."""
    if halves:
        words = np.array(halves, dtype=np.int64)
        wide = np.zeros(len(words), dtype=bool)
        rows = classify(words, wide)
    else:
        words, wide, rows = acceptable(rng, count)
    vectors = states(rng, len(words))
    vectors["address"] = SINGLES + 4 * rng.integers(0, SINGLES_BYTES // 4, len(words))
    literals = FLASH | rng.integers(0, FLASH_BYTES, (len(words), CODE_WORDS)) | 1
    vectors["code"] = literals.astype("<u4").view("<u2")
    # A literal that is a branch target must be one, and not the code of another vector.
    to_pc = (words & 0xFF7F_F000 == 0xF85F_F000) & wide
    vectors["address"][to_pc] = np.where(words[to_pc] & 0x80_0000, SINGLES + SINGLES_BYTES + 32, SINGLES - 32)
    put_code(vectors, words, wide, np.zeros(len(words), dtype=np.int64))
    prepare(rng, vectors, words, rows)
    vectors["psr"][overflows_early(vectors, words, rows)] |= Q
    exclusive = rows_with(rows, "store_exclusive")
    return Batch(vectors, rows, unpredictable(words, rows) | exclusive)


def rows_with(rows: npt.NDArray[np.int64], trait: str) -> Mask:
    having = np.array([trait in row.traits for row in ROWS] + [False])
    return having[rows]


def overflows_early(vectors: npt.NDArray[np.void], words: Words, rows: npt.NDArray[np.int64]) -> Mask:
    """SMLAD whose two products make 2**31, which a negative accumulator brings back into 32 bits.

    `result = product1 + product2 + SInt(R[a]); if result != SInt(result<31:0>) then APSR.Q = '1'` (section A7.7) is
    about the entire sum; QEMU 5 sets Q for the sum of the products as well. Q is sticky: set before, it is the same in
    both. SMUAD has no accumulator, and the difference of two products (SMLSD) always fits.
    """
    early = rows_with(rows, "early_q") & (words >> 12 & 15 != 15)
    every = np.arange(len(words))
    n, m, a = (vectors["r"][every, np.minimum(words >> shift & 15, 14)] for shift in (16, 0, 12))
    return early & (n == 0x8000_8000) & (m == 0x8000_8000) & (a >= 0x8000_0000)


def writes_sp(words: Words, rows: npt.NDArray[np.int64]) -> Mask:
    """Whether an instruction could leave SP with nonzero bits 1..0, which a later one would hide (see `compare`)."""
    result = np.zeros(words.shape, dtype=bool)
    for number in np.unique(rows[rows != NO_ROW]):
        row = ROWS[number]
        chosen = rows == number
        fields = row.fields(words[chosen]).values
        for letter in set("dt") & set(fields):
            high = 8 * fields["D"] if not row.wide and "D" in fields else 0
            result[chosen] |= fields[letter] + high == 13
        if "n" in row.letters and row.access:
            result[chosen] |= fields["n"] == 13
    return result


def blocks(rng: np.random.Generator, count: int, dsp: bool) -> Batch:
    """IT and one to four instructions, of which only the last may write PC (section A7.7.38)."""
    vectors = states(rng, count)
    vectors["address"] = SEQUENCE
    vectors["code"] = SPIN
    condition = rng.integers(0, 15, count)
    length = rng.integers(1, 5, count)
    # The mask: the lowest bits of the further conditions, then a one, then zeros; AL has no "else".
    further = rng.integers(0, 16, count)
    further = np.where(condition == 14, 0, further ^ np.where(condition & 1, 15, 0))
    mask = (further & (0x10 - (1 << (5 - length)))) | 1 << (4 - length)
    mask = np.where(condition == 14, 1 << (4 - length), mask)
    at = put_code(vectors, 0xBF00 | condition << 4 | mask, np.zeros(count, dtype=bool), np.zeros(count, dtype=np.int64))
    chosen = np.full(count, NO_ROW)
    modes, left_out = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    for place in range(4):
        there = place < length
        words, wide, rows = acceptable(rng, count)
        last = place == length - 1
        refused = rows_with(rows, "noit") | rows_with(rows, "store_exclusive") | (rows == NO_ROW)
        refused |= rows_with(rows, "special") | (~last & rows_with(rows, "flow"))
        # A branch with an immediate of its own goes forward and stays near: back, it could go into an instruction.
        words = np.where(rows_with(rows, "far"), words & ~0x07FF_0000 | 0x2800, words)
        words = np.where(rows_with(rows, "near"), words & ~0x0400, words)
        refused |= writes_sp(words, rows) | (rows_with(rows, "dsp") & (not dsp))
        words = np.where(refused, 0x4048, words)  # EORS r0, r1
        wide &= ~refused
        rows = np.where(refused, NO_ROW, rows)
        prepare(rng, vectors, words, np.where(there, rows, NO_ROW))
        # Earlier instructions may make the registers what `overflows_early` looks for.
        vectors["psr"][there & rows_with(rows, "early_q")] |= Q
        left_out |= there & rows_with(rows, "nearest") & modes
        modes |= there & rows_with(rows, "modes")
        after = put_code(vectors, words, wide, np.where(there, at, 2 * CODE_WORDS - 2))
        at = np.where(there, after, at)
        chosen = np.where(there & (chosen == NO_ROW), rows, chosen)
    vectors["end"] = SEQUENCE + 2 * at
    clean = np.arange(2 * CODE_WORDS)[None, :] >= at[:, None]
    vectors["code"][clean] = SPIN
    return Batch(vectors, chosen, left_out)


def exclusives(rng: np.random.Generator, count: int) -> Batch:
    """CLREX or a load-exclusive of the same size and address, and then the store-exclusive."""
    vectors = states(rng, count)
    vectors["address"] = SEQUENCE
    vectors["code"] = SPIN
    n, t, d = np.argsort(rng.random((count, 13)), axis=1)[:, :3].T
    size = rng.integers(0, 3, count)
    imm = rng.integers(0, 256, count)
    word_load, word_store = 0xE850_0F00 | imm, 0xE840_0000 | d << 8 | imm
    short_load, short_store = 0xE8D0_0F4F | (size & 1) << 4, 0xE8C0_0F40 | (size & 1) << 4 | d
    load = np.where(size == 2, word_load, short_load) | n << 16 | rng.integers(0, 13, count) << 12
    load = np.where((load >> 12 & 15) == n, load & ~0xF000 | t << 12, load)
    store = np.where(size == 2, word_store, short_store) | n << 16 | t << 12
    first = np.where(rng.random(count) < 0.3, 0xF3BF_8F2F, load)
    wide = np.ones(count, dtype=bool)
    at = put_code(vectors, first, wide, np.zeros(count, dtype=np.int64))
    put_code(vectors, store, wide, at)
    vectors["end"] = SEQUENCE + 8
    base = WINDOW + 4 * rng.integers(0, WINDOW_WORDS, count) - np.where(size == 2, 4 * imm, 0)
    vectors["r"][np.arange(count), n] = base
    return Batch(vectors, classify(store, wide), np.zeros(count, dtype=bool))


def flash(seed: int) -> bytes:
    """Reset vectors, random words that are odd addresses of the flash, then branches to themselves."""
    rng = np.random.default_rng(seed)
    words = (FLASH | rng.integers(0, FLASH_BYTES, FLASH_BYTES // 4) | 1).astype("<u4")
    words[(SPIN_FROM - FLASH) // 4 :] = SPIN << 16 | SPIN
    words[:2] = RAM + RAM_BYTES, FLASH | 0x101
    return words.tobytes()
