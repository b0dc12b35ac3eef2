"""The corpus: all cases, how one is scored, and the table of docs/evidence/reliability.md."""

from __future__ import annotations

import shutil
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from . import archives, binaries, damage, descriptions, recordings, tables, waveforms
from .case import Case, Verdict

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "reliability.md"
FAMILIES = (archives, binaries, tables, recordings, descriptions, waveforms, damage)
BEGIN, END = "<!-- table of `make faults` -->\n\n", "\n<!-- end of the table -->\n"


def cases() -> list[Case]:
    """All cases."""
    return [case for family in FAMILIES for case in family.cases()]


def score(case: Case, folder: Path) -> str:
    """Run a case in a folder of its own; returns what came of it instead of what should, or ""."""
    folder.mkdir()
    try:
        return case.check(folder)
    except Exception as error:
        return "".join(traceback.format_exception(error)[-3:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(cases: Sequence[Case]) -> str:
    """Cases per format and verdict, as Markdown."""
    counts = Counter((case.format, case.verdict) for case in cases)
    verdicts = [verdict for verdict in Verdict if any(verdict == outcomes for _, outcomes in counts)]
    rows = [["Input", *verdicts, "all"]]
    for name in dict.fromkeys(sorted(case.format for case in cases)):
        numbers = [counts[name, verdict] for verdict in verdicts]
        rows.append([name, *(str(number or "") for number in numbers), str(sum(numbers))])
    sums = [sum(case.verdict is verdict for case in cases) for verdict in verdicts]
    rows.append(["all", *map(str, sums), str(len(cases))])
    rows.insert(1, ["--", *["-:"] * (len(verdicts) + 1)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def documented() -> str:
    """The table that the document has."""
    return DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def write_document(cases: Sequence[Case]) -> None:
    """Put the table into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    DOCUMENT.write_text(head + BEGIN + table(cases) + END + rest.partition(END)[2], encoding="utf-8")
