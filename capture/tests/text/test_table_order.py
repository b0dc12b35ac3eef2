"""Tables whose rows are not in order, or whose heads are odd: what is advised is done, and the table is read."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import module, text_log
from gpiorig.capture.text import table_scan


def edges_in(path: Path, **columns: str) -> Edges:
    return module("csv").read(path, ReadOptions(columns=columns)).edges()


def refused(path: Path, **columns: str) -> str:
    with pytest.raises(FormatError) as error:
        edges_in(path, **columns)
    return str(error.value)


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("head", ["", "time{s}A\n", "# by hand\n# twice\ntime{s}A\n"])
@pytest.mark.parametrize("times", [["3", "10", "2", "1e0"], ["00:00:03.0", "00:00:10.0", "00:00:02.0", "00:00:01.0"]])
def test_the_command_that_sorts_a_table_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: list[str], head: str, separator: str
) -> None:
    """Numbers as numbers, clocks as text; lines before the rows stay where they are."""
    monkeypatch.setattr(table_scan, "MAX_RUNS", 2)
    path = tmp_path / "a b.csv"
    rows = [f"{time}{separator}{number % 2}" for number, time in enumerate(times)]
    path.write_text(head.format(s=separator) + "\n".join(rows) + "\n")
    if ":" in times[0]:
        path.write_text(path.read_text().replace("00:00:", "2026-01-02T00:00:"))
    command = re.search(r"sort its rows: `(.*)`", refused(path))
    assert command is not None
    subprocess.run(["bash", "-c", command[1]], cwd=tmp_path, check=True)
    edges = edges_in(tmp_path / "sorted.csv")

    seconds = (edges.samples - edges.samples[0]) / float(edges.samplerate_hz)
    assert [(0, 1), (1, 0), (9, 1)] == list(zip(seconds.round(6).tolist(), edges.levels.tolist(), strict=True))


def test_as_many_runs_as_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of them, put in the order of time; with a third the rows have to be sorted."""
    monkeypatch.setattr(table_scan, "MAX_RUNS", 2)
    path = tmp_path / "a.csv"
    path.write_text("time,A,B\n0,0,0\n5,1,1\n2,0,1\n7,1,0\n")
    waveform = module("csv").read(path, ReadOptions())
    assert [0, 2, 5, 7] == waveform.edges().samples.tolist()
    assert "2 slices" in waveform.source
    path.write_text("time,A\n0,0\n5,1\n7,0\n")
    waveform = module("csv").read(path, ReadOptions())
    assert "slices" not in waveform.source
    assert waveform.edges().samples.tolist() == [0, 5, 7]
    assert [] == waveform.remarks
    path.write_text("time,A,B\n0,0,0\n5,1,1\n2,0,1\n7,1,0\n1,1,1\n")
    assert "sort its rows" in refused(path)


@pytest.mark.parametrize("place", [1, 3])
def test_a_column_that_changes_where_times_go_back_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """In the remark, and in the error where there are too many: with it, groups follow each other."""
    path = tmp_path / "a.csv"
    fields = ["time", "A"]
    fields.insert(place - 1 if place == 1 else 2, "run")
    rows = [[str(time), str(time // 10 % 2)] for _ in range(3) for time in (0, 10, 20)]
    for number, row in enumerate(rows):
        row.insert(fields.index("run"), str(number // 3 - 1))
    text = "\n".join(",".join(row) for row in [fields, *rows]) + "\n"
    path.write_text(text)
    options = ReadOptions(channels=("A",))
    (remark,) = (text for text in module("csv").read(path, options).remarks if "group=" in text)
    assert f"column {place} changes, and all" in remark and f"add group={place} to --columns" in remark
    monkeypatch.setattr(table_scan, "MAX_RUNS", 2)
    with pytest.raises(FormatError, match=f"group of column {place}: add group={place} to") as error:
        module("csv").read(path, options).edges()
    group = re.search(r"group=(\d+)", str(error.value))
    assert group is not None
    columns = {"group": group[1]}
    edges = module("csv").read(path, ReadOptions(channels=("A",), columns=columns)).edges()

    assert [0, 10, 20, 22, 32, 42, 44, 54, 64] == edges.samples.tolist()
    assert [[21, 22], [43, 44]] == edges.gaps.tolist()


def test_the_line_of_a_short_row_and_columns_without_a_name(tmp_path: Path) -> None:
    """Lines count from the first of the file; a column without a name has its number, and the remark states it."""
    path = tmp_path / "a.csv"
    path.write_text("# a\n# b\ntime,A,B\n1,0\n2,1,0\n")
    assert "line 4" in refused(path)
    path.write_text("time,A,\n1,0,1\n2,1,0\n")
    waveform = module("csv").read(path, ReadOptions())
    assert ("A", "column 3") == waveform.channels
    assert any("column 3" in remark for remark in waveform.remarks)
    path.write_text("time,A,A\n1,0,1\n")
    assert "occurs twice" in refused(path)


def test_columns_are_named_or_numbered(tmp_path: Path) -> None:
    """From 1 to the last one."""
    path = tmp_path / "a.csv"
    path.write_text("0,1.5\n1,2.5\n0,4.5\n")
    assert 1 == len(edges_in(path, time="2").channels)
    for number in ("0", "3", "x"):
        assert "numbered 1 to 2" in refused(path, time=number)
    path.write_text("A,when\n0,1.5\n1,2.5\n")
    assert ("A",) == edges_in(path, time="2").channels
    assert "its columns are A, when" in refused(path, time="3")


@pytest.mark.parametrize(
    ("separator", "problem"),
    [("ab", "separator"), ("\x80", "separator"), ("\x7f", ""), (";", ""), ("\\t", "")],
)
def test_a_separator_is_one_ascii_character(tmp_path: Path, separator: str, problem: str) -> None:
    path = tmp_path / "a.csv"
    mark = separator.replace("\\t", "\t")
    path.write_text(f"time{mark}A\n1{mark}0\n2{mark}1\n")
    if problem:
        assert problem in refused(path, separator=separator)
    else:
        assert [1, 2] == edges_in(path, separator=separator).samples.tolist()


def test_times_as_dates_begin_at_a_second(tmp_path: Path) -> None:
    """Seconds from 10^8 on are those since 1970."""
    path = tmp_path / "a.csv"
    path.write_text(f"time,A\n{10**8}.0,0\n{10**8 + 1}.0,1\n")
    assert "1973-03-03T09:46:40+00:00" == module("csv").read(path, ReadOptions()).epoch
    for begin, epoch, base in ((10**8, "1973-03-03T09:46:40+00:00", 0), (10**8 - 1, "", 10**8 - 1)):
        path.write_text(f"time,A\n{begin}.5,0\n{begin + 2}.5,1\n")
        waveform = module("csv").read(path, ReadOptions())
        assert epoch == waveform.epoch
        rate = int(waveform.samplerate_hz)
        assert [base * rate + rate // 2, base * rate + 2 * rate + rate // 2] == waveform.edges().samples.tolist()


def log(path: Path, text: str, **columns: str) -> list[tuple[int, str, str]]:
    path.write_text(text)
    block = text_log.read(path, ReadOptions(columns=columns)).all()
    return list(zip(block.stamps_ns.tolist(), block.nodes, block.texts, strict=True))


def test_integers_of_a_log_keep_every_digit(tmp_path: Path) -> None:
    """Beyond 2^53, too; units of less than a ns are cut."""
    path = tmp_path / "a.log"
    assert [(900_719_925_474_099_301, "", "a"), (900_719_925_474_099_303, "", "b")] == log(
        path, "900719925474099301 a\n900719925474099303 b\n", unit="ns"
    )
    assert [(1, "", "a b"), (2, "", "c d")] == log(path, "0.0000000019 a b\n0.0000000020 c d\n")


def test_fields_of_node_and_time_beside_each_other(tmp_path: Path) -> None:
    """The node right before or after the time, or in a field that some lines do not have."""
    path = tmp_path / "a.log"
    assert [(1_500_000_000, "n1", "x y"), (2_500_000_000, "n2", "z w")] == log(
        path, "n1;1.5;x y\nn2;2.5;z w\n", time="2", node="1"
    )
    assert [(1_500_000_000, "n1", "k;x y"), (2_500_000_000, "n2", "k;z w")] == log(
        path, "k;1.5;n1;x y\nk;2.5;n2;z w\n", time="2", node="3"
    )
    assert [(1_500_000_000, "", "x y"), (2_500_000_000, "n2", "z w")] == log(path, "1.5;x y\n2.5;z w;n2\n", node="3")
    for number in ("0", "100", "x"):
        with pytest.raises(FormatError, match="not the number of a field"):
            log(path, "1.5;x y\n2.5;z w\n", time=number)
    with pytest.raises(FormatError, match="cannot be the time and the node"):
        log(path, "1.5;x y\n2.5;z w\n", time="1", node="1")
