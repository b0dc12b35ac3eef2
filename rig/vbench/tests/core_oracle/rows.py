"""The encodings of ARMv7E-M with FPv4-SP as a table of its own (ARM DDI 0403E, chapters A5 to A7).

A row is a bit pattern: `0` and `1` are fixed, `-` and `+` are written (0) and (1) in the manual (any other value there
is UNPREDICTABLE, section A5.1.1), letters are fields. Its rules list the UNPREDICTABLE values of the fields; they
come from the line "if ... then UNPREDICTABLE" of the instruction's decode pseudocode in section A7.7, which each rule
quotes. Nothing is excluded because the two machines disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Fields:
    """Fields of many encodings of one row, and the word itself."""

    word: Words
    values: dict[str, Words]

    def __getattr__(self, name: str) -> Words:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


Rule = Callable[[Fields], Mask]


def bad(letters: str) -> Rule:
    """`if d IN {13,15}` for each of the fields: SP and PC."""
    return lambda f: np.logical_or.reduce([(f.values[r] == 13) | (f.values[r] == 15) for r in letters])


def pc(letters: str) -> Rule:
    """`if n == 15`."""
    return lambda f: np.logical_or.reduce([f.values[r] == 15 for r in letters])


def sp(letters: str) -> Rule:
    """`if n == 13`."""
    return lambda f: np.logical_or.reduce([f.values[r] == 13 for r in letters])


def same(a: str, b: str) -> Rule:
    """`if d == n`."""
    return lambda f: f.values[a] == f.values[b]


def write_back(base: str, targets: str) -> Rule:
    """`if wback && (n == t || n == t2)`."""
    return lambda f: (f.W == 1) & np.logical_or.reduce([f.values[base] == f.values[t] for t in targets])


def few(f: Fields) -> Mask:
    """`if BitCount(registers) < 2`."""
    return np.bitwise_count(f.word & 0xFFFF) < 2


def discards(f: Fields) -> Mask:
    """`if d == 13 || (d == 15 && S == '0')`: d = 15 with S is TST, TEQ, CMN, CMP."""
    return (f.d == 13) | ((f.d == 15) & (f.S == 0))


def only_bad_destination(f: Fields) -> Mask:
    """`if d == 15 && S == '0'`, the forms with SP as base."""
    return (f.d == 15) & (f.S == 0)


def far_sp(f: Fields) -> Mask:
    """`if d == 13 && (shift_t != SRType_LSL || shift_n > 3)` of ADD and SUB (SP, register)."""
    amount = (f.i << 2) | f.j
    return (f.d == 13) & ((f.y != 0) | (amount > 3))


def empty_byte(f: Fields) -> Mask:
    """ThumbExpandImm: `if imm12<7:0> == '00000000' then UNPREDICTABLE` for the replicated bytes (A5.3.2)."""
    return (f.k == 0) & (f.i >= 1) & (f.i <= 3) & (f.j == 0)


def moves(f: Fields) -> Mask:
    """MOV (register) T3, and with a shift LSL, LSR, ASR, ROR, RRX (immediate)."""
    plain = (f.i == 0) & (f.j == 0) & (f.y == 0)
    d_bad, m_bad = (f.d == 13) | (f.d == 15), (f.m == 13) | (f.m == 15)
    either = d_bad | m_bad
    quiet = (f.d == 15) | (f.m == 15) | ((f.d == 13) & (f.m == 13))
    return np.where(plain & (f.S == 0), quiet, either)


@dataclass
class Row:
    """One encoding. `access` names the fields of the address (see `vectors`), `traits` what needs care."""

    name: str
    pattern: str
    rules: tuple[Rule, ...] = ()
    access: str = ""
    traits: frozenset[str] = frozenset()
    mask: int = field(init=False)
    value: int = field(init=False)
    should: tuple[int, int] = field(init=False)
    letters: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        bits = self.pattern.replace(" ", "")
        width = len(bits)
        if width not in (16, 32):
            raise ValueError(f"{self.name}: {width} bits")
        self.mask = self.value = mask = value = 0
        self.letters = {}
        for place, bit in zip(range(width - 1, -1, -1), bits, strict=True):
            if bit in "01":
                self.mask |= 1 << place
                self.value |= int(bit) << place
            elif bit in "-+":
                mask |= 1 << place
                value |= int(bit == "+") << place
            else:
                self.letters.setdefault(bit, []).append(place)
        self.should = (mask, value)

    @property
    def wide(self) -> bool:
        return len(self.pattern.replace(" ", "")) == 32

    def fields(self, words: Words) -> Fields:
        """The fields of encodings of this row; the bits of a letter are joined from left to right."""
        values = {}
        for letter, places in self.letters.items():
            value = np.zeros_like(words)
            for place in places:
                value = value << 1 | words >> place & 1
            values[letter] = value
        return Fields(words, values)

    def unpredictable(self, words: Words) -> Mask:
        """Which of the encodings the manual calls UNPREDICTABLE."""
        fields = self.fields(words)
        result = (words & self.should[0]) != self.should[1]
        for rule in self.rules:
            result |= rule(fields)
        return result


def row(name: str, pattern: str, *rules: Rule, access: str = "", traits: str = "") -> Row:
    return Row(name, pattern, rules, access, frozenset(traits.split()))
