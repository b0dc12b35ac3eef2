"""Logs of Cooja, of IoT-LAB and of consoles: which lines count, and where a log begins to be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.capture import formats
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import cooja_log, iotlab_log, text_log

OUTPUT = "00:01.500\tID:3\thello\n"
SCRIPT = "1500000 3 hello\n"
NOTICE = "TEST OK\n"


def read(path: Path, text: str, **columns: str) -> tuple[list[tuple[int, str, str]], dict[str, int]]:
    """Rows (ns, node, text) of a log of Cooja, and what was counted."""
    path.write_text(text)
    block = cooja_log.read(path, ReadOptions(columns=columns)).all()
    return list(zip(block.stamps_ns.tolist(), block.nodes, block.texts, strict=True)), dict(block.dirt)


@pytest.mark.parametrize(("lines", "is_log"), [(2, True), (1, False), (0, False)])
@pytest.mark.parametrize("line", [OUTPUT, "3|1500000|hello\n"])
def test_most_lines_of_a_log_of_cooja_are_of_one_form(line: str, lines: int, is_log: bool) -> None:
    """Half of them are not enough; Cooja's own lines do not count."""
    head = (NOTICE + "-- Log Listener [x]: Started\n" + line * lines + "another line\n").encode()
    assert is_log == cooja_log.recognises(Path("a.log"), head)


def test_lines_of_a_script_are_coojas_by_the_name_or_by_its_own_lines() -> None:
    assert not cooja_log.recognises(Path("a.log"), SCRIPT.encode())
    assert cooja_log.recognises(Path("a.testlog"), SCRIPT.encode())
    assert cooja_log.recognises(Path("a.log"), (SCRIPT + NOTICE).encode())


def test_a_log_of_mote_output_has_no_lines_of_a_script(tmp_path: Path) -> None:
    """Nor has one of fields; both are counted, Cooja's own lines are not."""
    path = tmp_path / "a.log"
    own = "-- Log Listener [x]: Started\n" + NOTICE
    without = {"line without a timestamp": 1}

    assert ([(1_500_000_000, "3", "hello")], without) == read(path, own + OUTPUT + SCRIPT)
    assert ([(1_500_000_000, "3", "hello")], {}) == read(path, own + SCRIPT)
    fields = "1|1500000|a\n1|1600000|b\n"
    rows = [(1_500_000_000, "1", "a"), (1_600_000_000, "1", "b")]
    assert (rows, without) == read(path, own + fields + SCRIPT)


def test_the_field_that_grows_is_the_time(tmp_path: Path) -> None:
    """A node alone does not grow, nor does a number that goes back before it is higher; two of them are refused."""
    path = tmp_path / "a.testlog"
    assert [(1000, "5", "a"), (2000, "5", "b")] == read(path, "5|1|a\n5|2|b\n")[0]
    assert [(1000, "1", "a"), (2000, "3", "b"), (3000, "2", "c")] == read(path, "1|1|a\n3|2|b\n2|3|c\n")[0]
    assert [(1000, "5", "a"), (2000, "5", "b")] == read(path, "1|5|a\n2|5|b\n")[0]
    for text in ("1|1|a\n2|2|b\n", "2|2|a\n1|1|b\n", "5|5|a\n5|5|b\n"):
        with pytest.raises(FormatError, match=r"of which either may be the time; .* --columns time=2"):
            read(path, text)
    assert [(1000, "2", "a"), (3000, "4", "b")] == read(path, "2|1|a\n4|3|b\n", time="2")[0]


def test_half_of_the_lines_are_not_the_form_of_a_log(tmp_path: Path) -> None:
    """One more makes them so."""
    path = tmp_path / "a.testlog"
    line = [(1_500_000_000, "3", "hello")]
    assert (line, {"line without a timestamp": 1}) == read(path, SCRIPT + "5|1|a\n")
    assert [(1000, "5", "a"), (2000, "5", "b")] == read(path, SCRIPT + "5|1|a\n5|2|b\n")[0]


@pytest.mark.parametrize(("notes", "is_log"), [(0, True), (1, True), (2, False)])
def test_most_lines_of_a_log_of_iot_lab_are_stamped(notes: int, is_log: bool) -> None:
    head = "1395240359.286712;m3-1;a\n" * 2 + "a line of something else\n" * notes
    assert is_log == iotlab_log.recognises(Path("a.log"), head.encode())


def test_a_log_of_notices_alone_is_not_of_iot_lab() -> None:
    assert not iotlab_log.recognises(Path("a.log"), b"1395240359.286712;Aggregator started\n" * 3)


@pytest.mark.parametrize(("size", "is_log"), [(20, True), (19, False)])
def test_a_log_has_little_noise(size: int, is_log: bool) -> None:
    """At most a twentieth of its bytes are control codes."""
    head = b"0.5 something\x01".ljust(size - 1, b"x") + b"\n"

    assert is_log == text_log.recognises(Path("a.log"), head)
    assert not text_log.recognises(Path("a.log"), b"")


@pytest.mark.parametrize(
    ("line", "columns", "place"), [("0.5 a", {}, "times"), ("a 0.5 b", {"time": "2"}, "times in field 2")]
)
def test_a_log_tells_where_its_times_are(tmp_path: Path, line: str, columns: dict[str, str], place: str) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"{line}\n")
    source = text_log.read(path, ReadOptions(columns=columns)).source
    assert f"{path}: log with {place}: decimal numbers of s" == source


@pytest.mark.parametrize("name", ["", "ABCD"])
@pytest.mark.parametrize("odd", [0, 1])
def test_what_is_not_text_is_known_by_its_control_codes(tmp_path: Path, name: str, odd: int) -> None:
    """More than a twentieth of its characters; a header is named."""
    path = tmp_path / "a.xyz"
    body = (name + "\0").ljust(20 - odd, "a")
    path.write_text(body)
    remedy = ("it has a header, 'ABCD'" if name else "if it is bare samples") if odd else "gpiorig info --formats"
    with pytest.raises(FormatError, match=f"is in no known format; .*{remedy}") as refusal:
        formats.recognise(path)
    assert odd == ("export it as VCD, CSV or .sr" in str(refusal.value))
