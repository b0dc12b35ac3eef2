"""Tables that are damaged, hostile, or not tables of levels: one error each, and nothing invented."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import module, recognise
from gpiorig.capture.text.table_parser import KEY, KEYS_BYTES, LEVEL, NEW_KEYS, TIME, Layout, TableParser

# A child, since a write beyond a buffer ends the process; it has 4 GB.
CHILD = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from gpiorig.capture.errors import FormatError
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.formats import module
try:
    module(sys.argv[1]).read(Path(sys.argv[2]), ReadOptions()).edges()
except FormatError as error:
    print(error)
"""


def refused(path: Path, name: str = "csv") -> str:
    """The error of a file."""
    with pytest.raises(FormatError) as raised:
        module(name).read(path, ReadOptions()).edges()
    return str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("format_name", ["csv", "flocklab_gpio"])
@pytest.mark.parametrize("byte", [b"\xff", b"n"])
def test_many_long_names_stay_inside_their_buffer(tmp_path: Path, format_name: str, byte: bytes) -> None:
    """Names that grow as they are decoded, and ones that fill the buffer: an error, and no process that dies."""
    path = tmp_path / "a.csv"
    names = [byte * 16_000 + b"%02d" % number for number in range(70)]
    if format_name == "csv":
        rows = [b"time,channel,level", *(b"%d,a,%d" % (number, number & 1) for number in range(9000))]
        rows += [b"%d,%s,1" % (9000 + number, name) for number, name in enumerate(names)]
    else:
        rows = [b"timestamp,observer_id,node_id,pin_name,value"]
        rows += [b"%d.0000000,1,1,LED1,%d" % (1_700_000_000 + number, number & 1) for number in range(4000)]
        rows += [b"1700004000.0000000,1,1,%s,1" % name for name in names]
    path.write_bytes(b"\n".join(rows) + b"\n")
    child = subprocess.run(
        [sys.executable, "-c", CHILD, format_name, str(path)], capture_output=True, text=True, timeout=60, check=True
    )

    assert "a.csv, line " in child.stdout
    assert ("not UTF-8" if byte == b"\xff" else "bytes of them") in child.stdout


def test_an_empty_name_is_an_error_of_its_line(tmp_path: Path) -> None:
    """It once gave the edges of a channel to another."""
    path = tmp_path / "a.csv"
    rows = ["0,a,0", "1,a,1", "2,,1", "3,b,1", "4,b,0", "5,b,1", "6,c,1", "7,c,0"]
    path.write_text("\n".join(["time,channel,level", *rows]) + "\n")
    assert "line 4: the name of a channel is empty" in refused(path)
    path.write_text("\n".join(["time,channel,level", *rows[:2], *rows[3:]]) + "\n")
    edges = module("csv").read(path, ReadOptions()).edges()

    assert [[1], [3, 4, 5], [6, 7]] == [edges.channel(name)[0].tolist() for name in "abc"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("2,b,1,1", "line 4: there are more fields than columns"),
        ("2,b,1,, ", ""),
        ("2026-01-02T03:04:05,b,1", "line 4: a time is a date where those before are numbers"),
    ],
)
def test_a_row_that_is_not_like_those_before(tmp_path: Path, row: str, message: str) -> None:
    """Two lines in one, and a clock of another kind; empty fields at the end are none."""
    path = tmp_path / "a.csv"
    path.write_text(f"time,channel,level\n0,a,0\n1,b,0\n{row}\n3,a,1\n")

    if message:
        assert message in refused(path)
    else:
        assert [2] == module("csv").read(path, ReadOptions()).edges().channel("b")[0].tolist()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b.c", "ä", "x y"]), st.integers(0, 1)), min_size=1, max_size=20))
def test_further_names_never_change_the_edges_of_others(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]]
) -> None:
    """With rows of other channels between its rows, a channel has the same edges."""
    path = tmp_path_factory.getbasetemp() / "names.csv"
    lines = [f"{number},{name},{level}\n" for number, (name, level) in enumerate(rows)]
    path.write_text("time,channel,level\n-1,k,0\n" + "".join(lines))
    alone = module("csv").read(path, ReadOptions()).edges()
    path.write_text("time,channel,level\n-1,k,0\n" + "".join(f"{line}{line[0]},n{line[0]},1\n" for line in lines))
    among = module("csv").read(path, ReadOptions()).edges()

    for name in alone.channels:
        assert alone.channel(name)[0].tolist() == among.channel(name)[0].tolist()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=9), max_size=9))
def test_names_come_back_from_the_kernel(names: list[str]) -> None:
    """Names that are set come back; and more than fits is an error, not a write beyond the buffer."""
    layout = Layout(roles=(TIME, KEY, LEVEL))
    parser = TableParser(Path("x"), layout, scanning=NEW_KEYS, digits=0)
    parser.know(tuple(names), [0] * len(names))
    assert tuple(names) == parser.keys
    with pytest.raises(FormatError, match="bytes of them"):
        parser.know(("n" * KEYS_BYTES,), [0])


def test_very_many_names_are_refused_at_once(tmp_path: Path) -> None:
    """More than any table of pins has: it is a column of something else."""
    path = tmp_path / "a.csv"
    path.write_text("time,channel,level\n" + "".join(f"{number},name{number},1\n" for number in range(9000)))

    assert "line 4098: there are more than 4096 names" in refused(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        *((f"0.1,0\n{time},1\n", "line 3: a time") for time in ("nan", "inf", "1e400", "0." + "1" * 5000, "0x1", "\0")),
        ("0.1,0\n0000-01-01T00:00:00,1\n", "line 3: a time"),
        *((f"0.1,0\n0.2,{level}\n", "line 3: a level") for level in ("nan", "2", "\0", "10")),
        (f"0.1,0\n0.2,{'1' * 10_000_000}\n", "a line of more than"),
    ],
)
def test_damage_in_a_row_is_one_error(tmp_path: Path, rows: str, message: str) -> None:
    """Whatever a number is, it is not an overflow and no traceback."""
    path = tmp_path / "a.csv"
    path.write_text("time,A\n" + rows)

    assert message in refused(path)


def test_very_many_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    names = [f"n{number}" for number in range(5000)]
    path.write_text("time," + ",".join(names) + "\n" + "0" + ",0" * len(names) + "\n")

    assert "has 5000 channels; choose at most 64" in refused(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t_s,lost,delay_ms\n0.25,0,8.15\n0.35,1,9.40\n", "table of numbers that are not levels: column 'delay_ms'"),
        ("1, 52.4\n2, 53.1\n", "table of numbers that are not levels: column 2 holds '52.4'"),
        ("time,name,value\n1,temp,23.5\n2,temp,23.6\n", "table of numbers that are not levels: column 'value'"),
        ("time,what,note\n1,0,begun\n2,1,went on\n", "column 'note' holds 'begun', which is not a level"),
        ('{"time": 1.0, "n": 150}\n', "is JSON, and not a capture; `gpiorig clocks`"),
        ('{"time": 1.0, "n": 150}, {"time": 2.0, "n": 151}\n', "is JSON, and not a capture; `gpiorig clocks`"),
        ("No.,Time,Source,Destination,Protocol,Info\n1,0.0,a,b,UDP,x\n", "table of frames.*give the capture itself"),
        ("once upon a time, there was\na table\n", "no known format; if it is text with times, `gpiorig clocks`"),
        ("\1\2\3\4" * 9, "no known format; export it as VCD, CSV or .sr"),
    ],
)
def test_what_is_not_a_table_of_levels_is_refused_with_the_next_step(tmp_path: Path, text: str, message: str) -> None:
    """No channel is invented; what the file is, and what can be done with it."""
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        recognise(path)


def test_columns_that_are_not_levels_are_left_out_when_others_are_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,irq,volt\n0,0,3.31\n1,1,3.29\n")
    edges = module("csv").read(path, ReadOptions(channels=("irq",))).edges()

    assert (("irq",), [0, 1]) == (edges.channels, edges.samples.tolist())
