"""What the errors about unclear tables advise: with the options that they name, the same table is read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import module
from gpiorig.capture.text.table_columns import refusal

ROWS = [(0, 0), (10, 1), (25, 0), (30, 1), (70, 0)]  # time, level: each table has these


def refused(path: Path, text: str, columns: dict[str, str]) -> str:
    path.write_text(text)
    with pytest.raises(FormatError) as error:
        module("csv").read(path, ReadOptions(columns=columns)).edges()
    return str(error.value)


def advised(message: str, columns: dict[str, str]) -> ReadOptions:
    """The first options that a message names, as the command line takes them."""
    words = shlex.split(re.search(r"--(?:columns|channels) .*", message)[0].split("; else ")[0])  # type: ignore[index]
    options = dict(zip(words[::2], (word.rstrip(",;") for word in words[1::2]), strict=False))
    pairs = (pair.split("=", 1) for pair in options.get("--columns", "").split(",") if pair)
    channels = tuple(name for name in options.get("--channels", "").split(",") if name)
    return ReadOptions(columns=columns | dict(pairs), channels=channels)


@pytest.mark.parametrize(
    ("form", "columns", "names"),
    [
        pytest.param("when,A,note\n{t},{l},x y\n", {}, ("x y",), id="a text beside"),
        pytest.param("time,note,A\n{t},5.5,{l}\n", {}, ("A",), id="a number beside"),
        pytest.param("time,A,B,note\n{t},{l},{l},7.5\n", {}, ("A", "B"), id="two channels"),
        pytest.param("note,count,A\n-3.5,{t},{l}\n", {"time": "count"}, ("A",), id="the time is given"),
        pytest.param("{t}.5,LED,{l}\n", {}, ("LED",), id="a channel by name"),
        pytest.param("{t}.5,7,LED,{l}\n", {}, ("7.LED",), id="a channel of a node"),
        pytest.param("{t}.5,LED,7,{l}\n", {}, ("LED",), id="a number after the channel"),
        pytest.param("{t}.5,7.5,LED,{l}\n", {}, ("LED",), id="a fraction before the channel"),
        pytest.param("time,what,A\n{t},LED,{l}\n", {"level": "A"}, ("LED",), id="a level alone"),
        pytest.param("time,what,A\n{t},LED,{l}\n", {"channel": "what"}, ("LED",), id="a channel alone"),
        pytest.param("time,port\n{t},{l}1\n", {}, ("port[0]", "port[1]"), id="a port"),
        pytest.param('time,"a,b"\n{t},{l}1\n', {}, ("a,b[0]", "a,b[1]"), id="a port with a comma"),
        pytest.param("5,{t}.5,{l}1\n", {}, ("D[0]", "D[1]"), id="a port without a name"),
    ],
)
def test_the_advised_options_read_the_table(
    tmp_path: Path, form: str, columns: dict[str, str], names: tuple[str, ...]
) -> None:
    """Each of them, with the channels and the levels that are there."""
    *head, row = form.splitlines()
    text = "\n".join([*head, *(row.format(t=time, l=level) for time, level in ROWS)]) + "\n"
    options = advised(refused(tmp_path / "a.csv", text, columns), columns)
    edges = module("csv").read(tmp_path / "a.csv", options).edges()

    assert names == edges.channels
    level = [int(bits) >> (len(names) - 1) & 1 for bits in edges.levels]
    assert [level for _, level in ROWS] == level
    steps = (edges.samples - edges.samples[0]) / float(edges.samplerate_hz)
    assert [time for time, _ in ROWS] == steps.round(6).tolist()


@pytest.mark.parametrize(
    ("form", "columns", "channels"),
    [
        ("group,time,A\n{g},{t},{l}\n", {}, 1),
        ("time,A,group\n{t},{l},{g}\n", {}, 1),
    ],
)
def test_groups_whose_times_begin_again(tmp_path: Path, form: str, columns: dict[str, str], channels: int) -> None:
    """The number of the column is named, and groups follow each other then, with a gap of one sample between them."""
    head, row = form.splitlines()
    text = "\n".join([head, *(row.format(g=group, t=time, l=level) for group in (-5, 6, 7) for time, level in ROWS)])
    path = tmp_path / "a.csv"
    message = refused(path, text + "\n", columns)
    place = re.search(r"group=(\w+)", message)
    assert place is not None
    waveform = module("csv").read(path, ReadOptions(columns=columns | {"group": place[1]}))
    edges = waveform.edges()

    begins = [0, 72, 144]  # 71 samples, of 1 s, and one between
    assert [begin + time for begin in begins for time, _ in ROWS] == edges.samples.tolist()
    assert [[71, 72], [143, 144]] == edges.gaps.tolist()
    assert channels == len(edges.channels)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("n,latency_ms,note\n1,5.5,a\n2,6.25,b\n", 1),
        ("n,other,x\n1,5.5,a\n2,6.25,b\n", 1),
        ("a,b\n5,7\n8,9\n", 1),
        ("time,rtt,c\n5.5,7,8.5\n6.5,9,9.5\n", 1),
        ("5.5\n6.5\n", 0),
    ],
)
def test_a_column_of_delays_is_found_by_its_pattern(tmp_path: Path, text: str, place: int) -> None:
    """What `--value` names finds the numbers: of the column named so, else one with fractions, else the last one."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    error = refusal(path, text.encode())
    assert error is not None
    words = shlex.split(re.search(r"`(gpiorig latency .*?)`", str(error))[1])  # type: ignore[index]
    pattern = re.compile(words[words.index("--value") + 1])

    assert ("--time-unit" in words) == ("latency_ms" not in text)
    assert ("value_ms" in pattern.groupindex) == ("latency_ms" in text)
    rows = [line for line in text.splitlines() if line[0].isdigit()]
    assert [line.split(",")[place] for line in rows] == [pattern.match(line)[1] for line in rows]  # type: ignore[index]


def test_what_does_not_look_like_a_table_is_not_refused_as_one(tmp_path: Path) -> None:
    """Rows as wide as the header; a header alone is none; a list of numbers is one."""
    path = tmp_path / "a.csv"
    for text in ("a,b\n1,2,3\n", "a,b\n", "a\nx\n", "a,b\n1,2\n3\n"):
        path.write_text(text)
        assert refusal(path, text.encode()) is None
    for text in ("1\n2\n", "a\n1\n2\n", "a,b\n1,2\n3,4\n"):
        path.write_text(text)
        assert refusal(path, text.encode()) is not None


def test_at_most_64_columns_are_channels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for width in (64, 65):
        names = [f"c{number}" for number in range(width)]
        path.write_text(f"time,{','.join(names)}\n" + "".join(f"{t}{f',{t % 2}' * width}\n" for t in range(3)))
        if width == 64:
            assert tuple(names) == module("csv").read(path, ReadOptions()).edges().channels
        else:
            message = refused(path, path.read_text(), {})
            assert "choose at most 64 with --channels" in message
            few = module("csv").read(path, ReadOptions(channels=("c1", "c64"))).edges()
            assert ("c1", "c64") == few.channels
    for width in (64, 65):
        path.write_text("time,port\n" + "".join(f"{t},{str(t % 2) * width}\n" for t in range(3)))
        options = ReadOptions(columns={"levels": "2"})
        if width == 64:
            assert [0, 2**64 - 1, 0] == module("csv").read(path, options).edges().levels.tolist()
        else:
            with pytest.raises(FormatError, match="not the bits of a port"):
                module("csv").read(path, options)
