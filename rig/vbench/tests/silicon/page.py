"""The tables of docs/evidence/silicon.md; `python -m silicon.page` with PYTHONPATH=rig/vbench/tests writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from silicon.points import Absent, ByHand, Constant, Point, Program, load

PAGE = Path(__file__).parents[4] / "docs" / "evidence" / "silicon.md"
START, END = "<!-- silicon.page: start -->\n", "<!-- silicon.page: end -->\n"
# The timing model until 2026-11-28, on the STM32F103.
BEFORE = {
    "apb1_wait_cycles": 4,
    "apb2_wait_cycles": 2,
    "refill_decoded": 2,
    "refill_ram": 0,
    "refill_unaligned": 0,
    "branch_keeps_line": 1,
    "branch_waits": 0,
    "it_folds": 0,
    "address_interlock": 0,
    "store_load": 0,
}


@dataclass(frozen=True, slots=True)
class Row:
    """A point with what the model gives for it: by alignment, or one value; and what it gave before."""

    point: Point
    values: tuple[float, ...]
    before: tuple[float, ...]

    @property
    def deviation(self) -> float:
        """Relative, of the value nearest to silicon: the alignment of what was measured is not published."""
        return min((self.point.deviation(value) for value in self.values), key=abs)


def rows() -> list[Row]:
    """Every point that has values, worst first."""
    measured = (_row(point) for point in load())
    return sorted((row for row in measured if row.values), key=lambda row: -abs(row.deviation))


def _row(point: Point) -> Row:
    match point.model:
        case Program() as program:
            return Row(point, program.cycles({}), program.cycles(BEFORE))
        case ByHand(value, before):
            return Row(point, (value,), (before,))
        case Constant() as constant:
            return Row(point, (constant.value(),), (constant.value(),))
        case Absent():
            return Row(point, (), ())


def text() -> str:
    """The tables in Markdown."""
    measured = rows()
    lines = ["| point | silicon | model | nearest | model before |", "| -- | -: | -: | -: | -: |"]
    lines += [
        f"| {row.point.id} | {row.point.value:.6g} {row.point.unit} | {_values(row.values)} "
        f"| {_percent(row.deviation)} | {_values(row.before)} |"
        for row in measured
    ]
    far = sum(abs(row.deviation) > 0.05 for row in measured)
    lines += ["", f"{len(measured)} points, {far} of them farther than 5 % from silicon. By hand:"]
    lines += ["", *(f"- {line}" for line in _by_hand(measured))]
    lines += ["", "Published, not obtained here:", ""]
    missing = [point for point in load() if isinstance(point.model, Absent)]
    for reason in dict.fromkeys(point.model.reason for point in missing if isinstance(point.model, Absent)):
        points = (f"{point.id} {point.value:.6g} {point.unit}" for point in missing if point.model == Absent(reason))
        lines.append(f"- {reason}: {', '.join(points)}")
    return "\n".join(lines) + "\n"


def _by_hand(measured: Sequence[Row]) -> list[str]:
    models = {row.point.id: row.point.model for row in measured}
    lines: dict[str, list[str]] = {}
    for name, model in models.items():
        if isinstance(model, ByHand):
            lines.setdefault(f"{model.program}, {model.date}", []).append(name)
    return [f"{', '.join(names)}: {program}" for program, names in lines.items()]


def _values(values: Sequence[float]) -> str:
    same = len({f"{value:.4g}" for value in values}) == 1
    return ", ".join(f"{value:.6g}" if value > 1e4 else f"{value:.4g}" for value in (values[:1] if same else values))


def _percent(ratio: float) -> str:
    return f"{100 * ratio:+.1f} %".replace("+0.0", "0.0").replace("-0.0", "0.0")


def split(page: str) -> tuple[str, str, str]:
    """What is before the tables, the tables, what is after them."""
    head, _, rest = page.partition(START)
    tables, _, tail = rest.partition(END)
    return head + START, tables, END + tail


def main() -> None:
    """Write the tables into the page."""
    head, _, tail = split(PAGE.read_text())
    PAGE.write_text(head + "\n" + text() + "\n" + tail)


if __name__ == "__main__":
    main()
