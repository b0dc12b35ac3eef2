"""The table of silicon: published measurements, and what the virtual boards give for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from silicon import programs

POINTS = Path(__file__).with_name("points.toml")
CRATE = Path(__file__).parents[2] / "vboards" / "src"


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="program", tag_field="kind"):
    """A sequence of programs.S: cycles = (pass or edges - `less`) / `divide` - `minus`.

    Attributes
    ----------
    edges
        Edges of a pass; 0: the pass is measured, not its edges.
    rounds
        Of ``cipher_rounds``: the passes of the two numbers of rounds are subtracted.
    less
        The sequence whose pass is subtracted.
    """

    name: str
    wait_states: int
    edges: int = 0
    ram: bool = False
    rounds: tuple[int, int] | None = None
    less: str = ""
    divide: int = 1
    minus: int = 0

    def cycles(self, timing: Mapping[str, int]) -> tuple[float, ...]:
        """By the offset of the first instruction in a line of the flash (`programs.OFFSETS`)."""
        return tuple(self._at(offset, timing) for offset in programs.OFFSETS)

    def _at(self, offset: int, timing: Mapping[str, int]) -> float:
        where = (offset, self.wait_states)
        if self.edges:
            elf = programs.image(self.name, *where, ram=self.ram)
            return self.edges * programs.of_an_edge(elf, timing) / self.divide
        if self.rounds:
            more, fewer = (
                programs.of_a_pass(programs.image(self.name, *where, rounds=rounds), timing) for rounds in self.rounds
            )
            return (more - fewer) / self.divide
        cycles = programs.of_a_pass(programs.image(self.name, *where, ram=self.ram), timing)
        if self.less:
            cycles -= programs.of_a_pass(programs.image(self.less, *where), timing)
        return cycles / self.divide - self.minus


class ByHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="by hand", tag_field="kind"):
    """A value obtained with programs of others, built outside of the repository; `before`: by the model of then."""

    value: float
    before: float
    date: str
    program: str


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="constant", tag_field="kind"):
    """A constant of the models: file below rig/vbench/vboards/src, name, and how many of it make one of the point."""

    file: str
    name: str
    per: int = 1

    def value(self) -> float:
        """In the point's unit."""
        found = re.search(rf"const {self.name}: u64 = ([\d_]+)( \* US)?;", (CRATE / self.file).read_text())
        assert found, f"{self.file}: no constant {self.name}"
        return int(found[1].replace("_", "")) / (1 if found[2] else self.per)


class Absent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="none", tag_field="kind"):
    """No value was obtained, and why."""

    reason: str


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published measurement or a number of a data sheet."""

    id: str
    chip: str
    quantity: str
    value: float
    unit: str
    uncertainty: float
    uncertainty_kind: str
    kind: str
    source: str
    section: str
    conditions: str
    model: Program | ByHand | Constant | Absent
    note: str = ""

    def deviation(self, value: float) -> float:
        """Of a value of the model, relative."""
        return value / self.value - 1


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    point: list[Point]


def load() -> list[Point]:
    """Every point of points.toml."""
    return msgspec.toml.decode(POINTS.read_bytes(), type=_Table).point
