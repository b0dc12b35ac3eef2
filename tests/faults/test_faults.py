"""A fixed share of the corpus of damaged input; `make faults` scores all of it."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from . import corpus
from .case import Case

CASES = corpus.cases()
SHARE = 60  # one in N of those that are many and alike
RARE = 150  # cases of a format and verdict, all of which are run


def some() -> list[Case]:
    """All cases that are few of their kind, and a share of the others; none that needs a process of its own."""
    kinds: dict[tuple[str, str], list[Case]] = {}
    for case in CASES:
        if not case.memory:
            kinds.setdefault((case.format, case.verdict), []).append(case)
    return [
        case
        for alike in kinds.values()
        for case in alike
        if len(alike) < RARE or zlib.crc32(case.name.encode()) % SHARE == 0
    ]


@pytest.mark.slow
@pytest.mark.parametrize("format_", sorted({case.format for case in CASES}))
def test_damage_comes_to_what_is_expected(tmp_path: Path, format_: str) -> None:
    """Each case gives the same result, an error that names it, or a loss that is named."""
    cases = [case for case in some() if case.format == format_]
    seen = {case.name: corpus.score(case, tmp_path / str(number)) for number, case in enumerate(cases)}

    assert {} == {name: what for name, what in seen.items() if what}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["60 names of 16 KB of 0xFF", "metadata of 128 MB of zeros", "300 variables of 999 999 bits"]
)
def test_memory_is_safe_and_bounded(tmp_path: Path, name: str) -> None:
    """Files that overflowed a buffer, or filled the memory, end in one error within the limits."""
    (case,) = (case for case in CASES if case.name == name)

    assert "" == corpus.score(case, tmp_path / "case")


def test_no_two_cases_are_one() -> None:
    """A case is known by its format and name."""
    names = [(case.format, case.name) for case in CASES]

    assert sorted(set(names)) == sorted(names)


def test_the_document_has_the_table() -> None:
    """docs/evidence/reliability.md counts the cases as `make faults` does."""
    assert corpus.table(CASES) == corpus.documented(), "run `make faults`"
