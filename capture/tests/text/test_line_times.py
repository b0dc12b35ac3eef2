"""Logs whose lines carry their time: each way to write it, the fields of time and node, what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import cooja_log, module, recognise, text_log
from gpiorig.capture.text import clock_text, line_times
from gpiorig.capture.text.node_lines import LineBlock

MS = 1_000_000
Y2025 = 1_765_394_241_511 * MS  # date -u -d '2025-12-10T19:17:21.511Z' +%s%3N


def read(path: Path, text: str, **columns: str) -> LineBlock:
    path.write_text(text, encoding="utf-8", newline="")
    log = module(recognise(path)).read(path, ReadOptions(columns=columns))
    return log.all()


@pytest.mark.parametrize(
    ("first", "second", "at_ns", "text"),
    [
        ("0.001 node1 send 1", "0.002 node1 recv 1", MS, "node1 send 1"),
        ("[    1.234567] usb 1-1: x", "[   11.000001] y", 1_234_567_000, "usb 1-1: x"),
        ("2025-12-10T19:17:21.511 boot", "2025-12-10T19:17:22.000 x", Y2025, "boot"),
        ("2025-12-10 19:17:21,511 INFO boot", "2025-12-10 19:17:22,000 INFO x", Y2025, "INFO boot"),
        ("[2025-12-10T19:17:21.511] boot", "[2025-12-10T19:17:22.000] x", Y2025, "boot"),
        ("2025-12-10T20:17:21.511+01:00 boot", "2025-12-10T20:17:22.000+01:00 x", Y2025, "boot"),
        ("[2025-12-10T19:17:21.511000Z] boot", "[2025-12-10T19:17:22.000000Z] x", Y2025, "boot"),
        ("[00:00:01.123,456] <inf> app: a", "[00:00:02.000,000] <inf> app: b", 1_123_456_000, "<inf> app: a"),
        ("I (1234) tag: a", "W (1244) tag: b", 1234 * MS, "tag: a"),
        ("\x1b[0;32mI (1234) tag: a\x1b[0m", "\x1b[0;31mE (1244) tag: b\x1b[0m", 1234 * MS, "tag: a"),
        ("I (00:00:01.234) tag: a", "I (00:00:01.244) tag: b", 1234 * MS, "tag: a"),
        ("[  1234][I][main.cpp:12] loop(): a", "[ 11244][E][main.cpp:12] loop(): b", 1234 * MS, "[I][main.cpp:12]"),
        ("[12:34:56.789][I][tag:1]: a", "[12:34:57.000][I][tag:1]: b", 45_296_789 * MS, "[I][tag:1]: a"),
        ("01:02.003 a", "01:02.500 b", 62_003 * MS, "a"),
        ("0.5: a b", "0.75: c d", 500 * MS, "a b"),
        ("0.5;m3-1;send 1", "0.75;m3-1;recv 1", 500 * MS, "m3-1;send 1"),
        ("0.5 a;b", "0.75 c;d", 500 * MS, "a;b"),
        ("[1, 2, 3]\t0:00:01.5", "[1, 2, 4]\t0:00:01.75", 1500 * MS, "[1, 2, 3]"),
    ],
)
def test_times_as_logs_have_them(tmp_path: Path, first: str, second: str, at_ns: int, text: str) -> None:
    """The instant to the last digit, the text without it; a line without a time is counted, whatever its end."""
    block = read(tmp_path / "x.log", f"{first}\r\nrst:0x1 boot\r\n{second}\r\n{second}\r\n")

    assert (at_ns, 3) == (block.stamps_ns[0], len(block.texts))
    assert block.texts[0].startswith(text)
    assert {"line without a timestamp": 1} == dict(block.dirt)


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("12 a\n13 b\n", {"unit": "us"}, [(12_000, "", "a"), (13_000, "", "b")]),
        ("2 a\n3 b\n", {"unit": "10ms"}, [(20 * MS, "", "a"), (30 * MS, "", "b")]),
        ("0.5 n1 a b\n0.6 n2 c\n", {"node": "2"}, [(500 * MS, "n1", "a b"), (600 * MS, "n2", "c")]),
        ("0.5;n1;a b\n0.6;n2;c d\n", {"node": "2"}, [(500 * MS, "n1", "a b"), (600 * MS, "n2", "c d")]),
        ("n1|0.5|a|b\nn2|0.6|c|d\n", {"time": "2", "node": "1"}, [(500 * MS, "n1", "a|b"), (600 * MS, "n2", "c|d")]),
        ("a\t0.5\tx y\nb\t0.6\tz\n", {"time": "2", "node": "3"}, [(500 * MS, "x y", "a"), (600 * MS, "z", "b")]),
        ("4\t00:01.5\ta\n7\t00:02.5\tb\n", {}, [(1500 * MS, "", "4\ta"), (2500 * MS, "", "7\tb")]),
    ],
)
def test_fields_are_named_by_options(
    tmp_path: Path, text: str, columns: dict[str, str], rows: list[tuple[int, str, str]]
) -> None:
    path = tmp_path / "x.log"
    path.write_text(text, encoding="utf-8")

    block = text_log.read(path, ReadOptions(columns=columns)).all()

    assert rows == list(zip(block.stamps_ns.tolist(), block.nodes, block.texts, strict=True))


@pytest.mark.parametrize(
    ("text", "problem", "columns"),
    [
        ("12 a\n13 b\n", "integers", {"unit": "ms"}),
        ("[12] a\n[13] b\n", "integers", {"unit": "ms"}),
        ("00:01.5\t00:01.6\ta\n00:02.5\t00:02.6\tb\n", "fields 1 and 2", {"time": "1"}),
        ("0.5\t00:01.6\ta\n0.6\t00:02.6\tb\n", "fields 1 and 2", {"time": "1"}),
    ],
)
def test_what_is_not_clear_is_refused(tmp_path: Path, text: str, problem: str, columns: dict[str, str]) -> None:
    """With the option that the error names, the same file is read."""
    with pytest.raises(FormatError, match=problem) as refused:
        read(tmp_path / "x.log", text)

    assert f"--columns {next(iter(columns))}=" in str(refused.value)
    assert 2 == len(read(tmp_path / "x.log", text, **columns).texts)


@pytest.mark.parametrize(
    "text",
    [
        "0.5 1 13.2\n0.6 2 13.5\n",  # a table of numbers
        "0.1;INT1;1\n0.2;INT1;0\n",  # a capture: `csv` states what it lacks
        "once upon a time\nthere was a text\n",
        '{"time": "2025-12-10T19:17:21"}\n',
        "00:1a:2b:3c ff\n00:1a:2b:3d fe\n",
        "10.0.0.1 - - GET\n10.0.0.2 - - GET\n",
    ],
)
def test_other_text_is_not_a_log(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(FormatError):
        recognise(path)


@pytest.mark.parametrize(
    ("name", "text", "stamps_us"),
    [
        ("a.txt", "00:00.523\tID:2\tab c\n-- note\n01:00:00.000\tID:11\tc\n", [523_000, 3_600_000_000]),
        ("a.txt", "-- Log Listener [s]: Started at x\n523\tID:2\tab c\n600\tID:11\tc\n", [523_000, 600_000]),
        ("COOJA.testlog", "2|523|ab c\n11|600|cd\n2|700|cd\nTEST OK\n", [523, 600, 700]),
        ("COOJA.testlog", "Random seed: 1\n523 2 ab c\n600 11 cd\nTEST OK\n", [523, 600]),
        ("b.log", "Starting COOJA logger\n523 node-2 ab c\n600 node-11 cd\n", [523, 600]),
        ("b.testlog", "523:2:ab c\n600:11:cd\n", [523, 600]),
    ],
)
def test_logs_of_cooja(tmp_path: Path, name: str, text: str, stamps_us: list[int]) -> None:
    block = read(tmp_path / name, text)

    assert "cooja_log" == recognise(tmp_path / name)
    assert [1000 * at_us for at_us in stamps_us] == block.stamps_ns.tolist()
    assert (("2", "11"), "ab c") == (block.nodes[:2], block.texts[0])


def test_two_numbers_of_a_script_of_cooja(tmp_path: Path) -> None:
    """Where both fields grow, either may be the time; the error's option decides."""
    path, text = tmp_path / "COOJA.testlog", "1|523|ab\n2|600|cd\n"
    with pytest.raises(FormatError, match="--columns time=2 for node"):
        read(path, text)

    block = cooja_log.read(path, ReadOptions(columns={"time": "2"})).all()

    assert [523_000, 600_000] == block.stamps_ns.tolist()


def test_the_latest_timestamps_fit_into_64_bits() -> None:
    """The end of the year 2262 in ns; a second later is not a timestamp."""
    latest = clock_text.stamp_ns(str(clock_text.LATEST_S), "9999999999")
    assert (clock_text.LATEST_S + 1) * 10**9 - 1 == latest < 2**63
    assert clock_text.stamp_ns(str(clock_text.LATEST_S + 1), "0") is None


def test_complete_lines_of_a_head() -> None:
    """One that was cut is not; a single one is all that there is."""
    assert ["a", "b"] == line_times.lines_of(b"a\r\n\n\x1b[1mb\x1b[0m\nc")
    assert ["a"] == line_times.lines_of(b"a")


@pytest.mark.parametrize(
    ("line", "columns", "step_ns"),
    [
        ("0.5 a", {}, 10**8),
        ("0.0000005 a", {}, 100),
        ("0.00000000005 a", {}, 1),
        ("12 a", {"unit": "us"}, 1000),
        ("0.25 a", {"unit": "ms"}, 10**4),
        ("12 a", {"unit": "10ms"}, 10**7),
        ("00:01.5 a", {}, 10**8),
        ("2025-12-10T19:17:21.511 a", {}, 10**6),
    ],
)
def test_the_step_in_which_times_are_printed(tmp_path: Path, line: str, columns: dict[str, str], step_ns: int) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"{line}\n")
    assert step_ns == text_log.read(path, ReadOptions(columns=columns)).resolution_ns


@pytest.mark.parametrize("other", ["x y", "0.5 7"])
@pytest.mark.parametrize(("times", "is_log"), [(2, True), (1, False)])
def test_most_lines_of_a_log_have_a_time_and_a_text(other: str, times: int, is_log: bool) -> None:
    """Half of them are not enough."""
    lines = [*["0.5 a b"] * times, other]
    assert is_log == (line_times.layout_of(Path("a"), lines, {}) is not None)


def test_a_tab_in_one_line_does_not_make_fields_of_all(tmp_path: Path) -> None:
    """Nor are numbers in the second field times; those of a clock are."""
    lines = ["0.5 00:00:01.5 a", "0.6 00:00:01.6 a", "0.7 00:00:01.7\ta"]
    layout = line_times.layout_of(tmp_path, lines, {})
    assert layout is not None and (1, line_times.SECONDS) == (layout.place, layout.kind)
    assert None is line_times.layout_of(tmp_path, ["a\t0.5\tx", "b\t0.6\ty"], {})


def test_fields_of_a_log_are_numbered_up_to_99(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("0.5 a\n")
    for number in ("0", "100", "x"):
        with pytest.raises(FormatError, match=f"'{number}' is not the number of a field; .*--columns time=2"):
            text_log.read(path, ReadOptions(columns={"time": number}))
    with pytest.raises(FormatError, match="has no lines that begin with a time"):
        text_log.read(path, ReadOptions(columns={"time": "99"}))


def test_a_text_keeps_its_end(tmp_path: Path) -> None:
    """Where the time is in a later field, what is behind it is not split."""
    path = tmp_path / "a.log"
    path.write_text("a;0.5;x;y;\nb;0.6;;zz\n")
    block = text_log.read(path, ReadOptions(columns={"time": "2", "separator": ";"})).all()
    assert ("a;x;y;", "b;;zz") == tuple(block.texts)


def test_the_latest_number_of_a_log(tmp_path: Path) -> None:
    """The last ns of 64 bits; one more is a line without a time."""
    path = tmp_path / "a.log"
    path.write_text(f"1 a\n{10**18 - 1} b\n")
    assert [1, 10**18 - 1] == text_log.read(path, ReadOptions(columns={"unit": "ns"})).all().stamps_ns.tolist()
    unit = Fraction(line_times.LATEST, 10**17)
    for excess in (0, 1):
        number = line_times.SECONDS.to_ns((f"{line_times.LATEST - 1 + excess}",), Fraction(1))
        assert (None if excess else line_times.LATEST - 1) == number
    assert None is line_times.INTEGERS.to_ns((f"{10**17}",), unit)


def test_a_date_with_a_fraction() -> None:
    at_ns = 1_765_394_241 * 10**9
    assert at_ns + 250_000_000 == clock_text.date_ns("2025-12-10T19:17:21", "25", "")
    assert at_ns + 1 == clock_text.date_ns("2025-12-10T20:17:21", "000000001", "+01:00")
    assert at_ns == clock_text.date_ns("2025-12-10T19:17:21", "", "")


def test_a_summary_states_the_second_in_which_a_log_begins(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("2025-12-10T19:17:21.511 a\n2025-12-10T19:17:23.011 b\n")
    (words, *_) = text_log.read(path, ReadOptions()).summary().for_people()
    assert "2 lines in 1.500000 s from 2025-12-10T19:17:21+00:00" in words
