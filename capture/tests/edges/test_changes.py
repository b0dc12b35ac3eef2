from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.capture.edges.changes import Assembler, Changes

ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=40)


def plain_undone(rows: list[tuple[int, int, int, int]]) -> int:
    """Listed changes of two channels, less those that an instant leaves."""
    levels: list[int | None] = [0, 0]
    undone = 0
    for _, instant in itertools.groupby(rows, key=lambda row: row[0]):
        before = list(levels)
        for _, mask, values, unknown in instant:
            for bit in (0, 1):
                if mask >> bit & 1:
                    level = None if unknown >> bit & 1 else values >> bit & 1
                    undone += level is not None and level != levels[bit]
                    levels[bit] = level
        undone -= sum(now is not None and now != then for now, then in zip(levels, before, strict=True))
    return undone


@given(ROWS, st.integers(1, 9))
def test_changes_that_an_instant_undoes_are_counted(rows: list[tuple[int, int, int, int]], size: int) -> None:
    """As by the plain rule, wherever blocks are cut."""
    rows.sort(key=lambda row: row[0])
    assembler = Assembler(used=3)
    for at in range(0, len(rows), size):
        times, *masks = np.array(rows[at : at + size], dtype=np.int64).T
        assembler.feed(Changes(times, *(column.astype(np.uint64) for column in masks)))
    assembler.finish()

    assert plain_undone(rows) == assembler.undone
