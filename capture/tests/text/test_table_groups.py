"""Tables of groups whose times begin again in each."""

from __future__ import annotations

import subprocess
import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from depth import by_depth
from hypothesis import given, settings
from hypothesis import strategies as st
from random_capture import assert_same

from gpiorig.capture.edges.changes import Changes
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import csv
from gpiorig.capture.text.table_groups import one_after_the_other
from gpiorig.capture.text.table_parser import Slice, TableParser

Group = list[tuple[int, str, str]]  # of rows: time, and the fields of two channels, or a channel's name and its level
LEVELS = st.sampled_from(["0", "1", "", "X"])
COLUMNS = st.tuples(st.integers(0, 9), LEVELS, LEVELS)
KEYED = st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.sampled_from("01"))
GROUPS = st.one_of(st.lists(st.lists(row, min_size=1, max_size=6), min_size=1, max_size=6) for row in (COLUMNS, KEYED))


def read(path: Path, text: str, **columns: str) -> Edges:
    path.write_text(text)
    return csv.read(path, ReadOptions(columns={"unit": "us", **columns})).edges()


def as_one_table(groups: list[Group], *, is_keyed: bool) -> str:
    """The same with the times as they follow each other, every gap and every level before a group's first row."""
    begin = 0
    lines = []
    for number, group in enumerate(groups):
        shift = begin - group[0][0] if number else 0
        instant = [row for row in group if row[0] == group[0][0]]
        if number:
            lines += [f"{begin - 1},{name}X" for name in (("a,", "b,") if is_keyed else ("X,",))]
        if is_keyed:
            lines += [f"{begin},{name},0" for name in "ab" if number and name not in {row[1] for row in instant}]
        elif number:
            lows = ["0" if not any(row[bit] for row in instant) else "" for bit in (1, 2)]
            lines.append(f"{begin},{','.join(lows)}")
        lines += [f"{time + shift},{one},{two}" for time, one, two in group]
        begin = group[-1][0] + shift + 2
    return "".join(f"{line}\n" for line in lines)


@settings(max_examples=by_depth(40, 400))
@given(groups=GROUPS, block_bytes=st.sampled_from([16, 40, 1 << 20]))
def test_groups_follow_each_other_as_rows_of_one_table(
    tmp_path_factory: pytest.TempPathFactory, groups: list[Group], block_bytes: int
) -> None:
    """Of channels in columns and of channels that rows name, wherever blocks are cut."""
    is_keyed = groups[0][0][1] in ("a", "b")
    complete: Group = [(0, "a", "0"), (0, "b", "0")] if is_keyed else [(0, "0", "0")]
    groups = [complete, *(sorted(group, key=lambda row: row[0]) for group in groups)]
    header = "time,pin,level" if is_keyed else "time,a,b"
    path = tmp_path_factory.mktemp("groups") / "a.csv"
    rows = [f"{n % 3 - 1},{time},{one},{two}" for n, group in enumerate(groups) for time, one, two in group]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TableParser.__init__.__kwdefaults__, "block_bytes", block_bytes)
        grouped = read(path, f"packet,{header}\n" + "\n".join(rows) + "\n", group="packet")

    assert_same(read(path, f"{header}\n{as_one_table(groups, is_keyed=is_keyed)}"), grouped)


def test_memory_does_not_grow_with_the_number_of_groups(tmp_path: Path) -> None:
    peaks = []
    for length in (1000, 10):
        rows = (f"{row // length},{row % length},{row % 4:02b}\n" for row in range(20_000))
        path = tmp_path / f"{length}.csv"
        path.write_text("packet,time,port\n" + "".join(rows))
        waveform = csv.read(path, ReadOptions(columns={"levels": "port", "group": "packet"}))
        tracemalloc.start()
        count = sum(len(block.gaps) for block in waveform.read())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert 20_000 // length - 1 == count == waveform.groups - 1

    assert peaks[1] < 1.2 * peaks[0]


def test_a_line_that_cannot_be_read_is_named_by_its_number(tmp_path: Path) -> None:
    """In whichever group it is."""
    with pytest.raises(FormatError, match="line 5: the number of a group is not an integer"):
        read(tmp_path / "a.csv", "packet,time,a\n1,0,0\n1,5,1\n2,0,0\nx,1,0\n", group="packet")


@pytest.mark.parametrize("header", ["time,run,a,b\n", ""])
def test_rows_of_groups_are_sorted_as_the_remedy_states(tmp_path: Path, header: str) -> None:
    """By the number of the group, then by time; a header stays where it is."""
    rows, columns = ["10,9,0,1", "30,9,0,0", "20,9,1,1", "5,10,1,0"], {"group": "2"}
    path = tmp_path / "a.csv"
    with pytest.raises(FormatError) as error:
        read(path, header + "\n".join(rows) + "\n", **columns)
    command = str(error.value).partition("`")[2].rpartition("`")[0]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, timeout=30)
    sorted_text = (tmp_path / "sorted.csv").read_text()
    assert header + "\n".join([rows[0], rows[2], rows[1], rows[3]]) + "\n" == sorted_text
    assert read(path, sorted_text, **columns).samples.size


@given(
    groups=st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=5), min_size=1, max_size=5),
    cuts=st.sets(st.integers(1, 24)),
)
def test_groups_may_be_cut_anywhere(groups: list[list[int]], cuts: set[int]) -> None:
    """Rows of a slice, or of many, get the same times and gaps; a group is one sample apart from the one before."""
    rows = [(time, number) for number, group in enumerate(groups) for time in sorted(group)]
    times, numbers = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    ones = np.ones(len(rows), dtype=np.uint64)

    def put(bounds: list[int]) -> list[tuple[int, int]]:
        slices = [
            Slice(Changes(times[part], ones[part], ones[part], ones[part] * 0), times[part], numbers[part])
            for low, high in pairwise(bounds)
            if (part := slice(low, high)) and low < high
        ]
        out = list(one_after_the_other(slices, 1))
        return [pair for part in out for pair in zip(part.times.tolist(), part.unknown.tolist(), strict=True)]

    expected, end = [], None
    for group in groups:
        shift = 0 if end is None else end + 2 - min(group)
        expected += [(min(group) + shift - 1, 1)] if end is not None else []
        expected += [(time + shift, 0) for time in sorted(group)]
        end = max(group) + shift
    assert expected == put([0, len(rows)])
    assert expected == put([0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)])
