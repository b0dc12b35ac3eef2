"""What `gpiorig latency` makes of the lines of logs: pairs of all kinds, numbers of all kinds, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import gpiorig

from gpiorig.analysis.tables import stages

MS = 1_000_000


def latency(path: Path, text: str, *words: str | Path) -> Any:
    """The numbers of a log of this text."""
    path.write_text(text, encoding="utf-8")
    done = gpiorig("latency", path, *words, "--json")
    assert (0, "") == (done.status, done.stderr)
    return done.numbers


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "node.log"


def test_pairs_without_an_id(log: Path) -> None:
    """The next response of the node; one that no request awaits is unpaired."""
    text = "0.0 a ask\n0.1 b ask\n0.3 a got\n0.4 a got\n0.9 b got\n1.0 a ask\n"
    words = ["--request", r"(?P<node>\w) ask", "--response", r"(?P<node>\w) got"]

    numbers = latency(log, text, *words)

    assert {"a": 300 * MS, "b": 800 * MS} == {node: part["median_ns"] for node, part in numbers["nodes"].items()}
    assert (2, 1, 1) == (numbers["n"], numbers["unpaired_request"], numbers["unpaired_response"])
    assert (False, None) == (numbers["has_ids"], numbers["unpaired_ids"]["request"])
    assert "latest request of its node" in gpiorig("latency", log, *words).stdout


def test_an_offset_between_ids(log: Path) -> None:
    """RX k belongs to TX k + 1."""
    text = "0.0 tx 1\n0.1 rx 0\n0.5 tx 2\n0.7 rx 1\n0.9 rx x\n"

    numbers = latency(log, text, "--request", r"tx (?P<id>\w+)", "--response", r"rx (?P<id>\w+)", "--id-offset", "-1")

    assert (2, 100 * MS, 200 * MS, 1) == tuple(numbers[key] for key in ("n", "min_ns", "max_ns", "unusable_lines"))


@pytest.mark.parametrize(
    ("rows", "delays_ms"),
    [([], [20, 10]), (["--rows", "first:last"], [90, 10]), (["--rows", "last:last"], [70, 10])],
)
def test_the_first_or_last_row_of_an_id(log: Path, rows: list[str], delays_ms: list[int]) -> None:
    """A packet that is sent twice and received three times."""
    text = "0.00 tx 1\n0.02 tx 1\n0.04 rx 1\n0.07 rx 1\n0.09 rx 1\n0.10 tx 2\n0.11 rx 2\n"

    numbers = latency(log, text, "--request", r"tx (?P<id>\d)", "--response", r"rx (?P<id>\d)", *rows)

    assert delays_ms == [round(numbers[key] / MS) for key in ("max_ns", "min_ns")]
    assert (3 if rows else 0) == numbers["omitted_rows"]


def test_the_last_row_of_each_id_of_a_table(log: Path) -> None:
    """Of each id of a table of delays the last row counts; the others are omitted and counted."""
    words = ["--value", r"^(?P<id>\d+),(?P<value_ms>\d+)", "--rows", "last"]

    numbers = latency(log, "1,5\n1,7\n2,9\n", *words)

    assert (2, 7 * MS, 9 * MS, 1) == tuple(numbers[key] for key in ("n", "min_ns", "max_ns", "omitted_rows"))
    assert "1 line omitted by --rows" in gpiorig("latency", log, *words).stdout


@pytest.mark.parametrize(
    ("pattern", "line", "unit", "ns"),
    [
        (r"(?P<time_us>\d+) {} (?P<id>\d+)", "{0} {1} 7", "s", 250_000),
        (r"(?P<time>\d+) {} (?P<id>\d+)", "{0} {1} 7", "10ms", 2500 * MS),
        (r"(?P<time_hex>[\da-f]+) {} (?P<id>\d+)", "{0:x} {1} 7", "us", 250_000),
        (r"(?P<time_ms_be>[\d, ]+) {} (?P<id>\d+)", "{2}, {3} {1} 7", "s", 250 * MS),
    ],
)
def test_times_by_the_names_of_groups(log: Path, pattern: str, line: str, unit: str, ns: int) -> None:
    """A unit, a slot, hexadecimal digits, and a counter in a list of bytes."""
    rows = [line.format(at, word, at >> 8, at & 255) for at, word in ((300, "tx"), (550, "rx"))]
    sides = ["--request", pattern.replace("{}", "tx"), "--response", pattern.replace("{}", "rx")]

    assert ns == latency(log, "\n".join(rows) + "\n", *sides, "--time-unit", unit)["median_ns"]


@pytest.mark.parametrize(
    ("group", "first", "second", "missing"),
    [
        ("id_le", "[255, 1]", "[2, 2]", 2),
        ("id_be", "1 255", "2 2", 2),
        ("id_le_hex", "ff 01", "02 02", 2),
        ("id_be_hex", "01ff", "0202", 2),
        ("id_be", "0x01,0xff", "0x02,0x02", 2),
        ("id_hex", "1ff", "202", 2),
        ("id_le", "256 1", "2 2", 0),
    ],
)
def test_counters_in_bytes(log: Path, group: str, first: str, second: str, missing: int) -> None:
    """511 and 514 in every form; a byte above 255 is not one, and is not counted."""
    numbers = latency(log, f"{first}; 5\n{second}; 6\n", "--value", rf"(?P<{group}>[^;]+); (?P<value_ms>\d)")

    assert missing == numbers["missing_ids"]
    assert (514, 511 if missing else 514) == (numbers["largest_id"], numbers["least_id"])


def test_ids_before_the_first_one(log: Path) -> None:
    """The range that was sent is known: what is missing before, between and after is counted."""
    text = "0.1 tx 3\n0.2 rx 3\n0.3 tx 5\n0.4 tx 8\n"
    words = ["--request", r"tx (?P<id>\d+)", "--response", r"rx (?P<id>\d+)", "--ids", "0:9"]

    numbers = latency(log, text, *words)

    keys = ("missing_ids", "missing_before", "missing_after", "least_id", "largest_id")
    assert (7, 3, 1, 3, 8) == tuple(numbers[key] for key in keys)
    assert "7 ids missing: 3 before 3, 1 after 8, 3 between" in gpiorig("latency", log, *words).stdout


def test_a_delay_against_the_length_of_the_frame(log: Path) -> None:
    """352 us and 32 us for each byte, with 3 us of noise: pooled, and of both nodes."""
    random = np.random.default_rng(1)
    rows = []
    for k in range(300):
        length, sent_us = int(random.integers(10, 128)), 100_000 * k
        got_us = sent_us + 352 + 32 * length + round(random.normal(0, 3))
        rows += [f"{sent_us / 1e6:.6f} n{k % 2} tx {k} len={length}", f"{got_us / 1e6:.6f} n{k % 2} rx {k}"]
    words = [r"(?P<node>n\d) tx (?P<id>\d+) len=(?P<against>\d+)", r"(?P<node>n\d) rx (?P<id>\d+)"]

    numbers = latency(log, "\n".join(rows) + "\n", "--request", words[0], "--response", words[1])

    for part in (numbers, *numbers["nodes"].values()):
        line = part["fit"]
        assert line["slope_uncertainty_ns"] < 30
        assert abs(line["slope_ns"] - 32_000) <= line["slope_uncertainty_ns"]
        assert abs(line["intercept_ns"] - 352_000) <= line["intercept_uncertainty_ns"]
        assert (1000, 3000) == (line["step_ns"], pytest.approx(line["residual_std_ns"], rel=0.2))
    assert [300, 150, 150] == [part["fit"]["n"] for part in (numbers, *numbers["nodes"].values())]


def test_the_period_of_lines_in_ppm(log: Path) -> None:
    """A line each second of a clock that is 20 ppm slow."""
    words = ["--request", "tick", "--response", "tick", "--nominal", "1s"]

    numbers = latency(log, "".join(f"{k * 1.00002:.6f} tick\n" for k in range(101)), *words)

    assert (100, 1) == (numbers["n"], numbers["deviation"]["runs"])
    deviation = numbers["deviation"]
    assert 20.0 == pytest.approx(deviation["ppm"], abs=deviation["ends_ppm"] + deviation["scatter_ppm"])
    assert deviation["ends_ppm"] + deviation["scatter_ppm"] < 0.1
    assert 200 / 3**0.5 == pytest.approx(deviation["clock_ppm"]), "a clock of which nothing is known"
    assert "ppm from 1 s" in gpiorig("latency", log, *words).stdout


def test_a_mean_whose_uncertainty_is_not_known(log: Path) -> None:
    """Equal delays of a table, of which no step is known: ± is that of the clock alone."""
    log.write_text("1.25 ms\n1.25 ms\n", encoding="utf-8")

    done = gpiorig("latency", log, "--value", r"(?P<value_ms>[\d.]+)", "--nominal", "1ms")

    assert (0, True) == (
        done.status,
        "mean +250000 ± 120 ppm from 1 ms (k = 2; ends ± 0, scatter ± 0, the clock of" in done.stdout,
    )


def test_the_period_of_edges_in_ppm(tmp_path: Path) -> None:
    """The recorder's limit, 50 ppm of Saleae's, is in ±, and --clock-ppm replaces it."""
    path = tmp_path / "pins.csv"
    path.write_text("Time[s],A\n" + "".join(f"{k * 0.01000002:.8f},{k % 2}\n" for k in range(101)), encoding="utf-8")
    words = ["measure", path, "--period", "A", "--nominal", "20ms", "--json"]

    assumed, known = (gpiorig(*words, *more).numbers["deviation"] for more in ([], ["--clock-ppm", "0"]))

    assert 2.0 == pytest.approx(known["ppm"], abs=known["uncertainty_ppm"])
    assert known["uncertainty_ppm"] < 0.1
    assert 100 / 3**0.5 == pytest.approx(assumed["uncertainty_ppm"] - known["uncertainty_ppm"])


def test_delays_and_figure_are_written(log: Path, tmp_path: Path) -> None:
    """As `measure` writes them: each delay with its node, its id and its ±."""
    table, figure = tmp_path / "d.csv", tmp_path / "d.png"
    words = ["--request", r"tx (?P<id>\d) (?P<against>\d+)?", "--response", r"rx (?P<id>\d)"]

    latency(log, "0.100 tx 1 20\n0.200 rx 1\n0.300 tx 2 \n0.350 rx 2\n", *words, "-o", table, "--figure", figure)

    rows = stages.read(table).to_pydict()
    assert ([100 * MS, 300 * MS], [100 * MS, 50 * MS]) == (rows["start_ns"], rows["delay_ns"])
    assert (["1", "2"], [20.0, None]) == ([str(key) for key in rows["id"]], rows["against"])
    assert [0.95 * MS + 2e-4 * ms * MS / 3**0.5 for ms in (100, 50)] == pytest.approx(rows["uncertainty_ns"])
    assert b"\x89PNG" == figure.read_bytes()[:4]
    refused = gpiorig("latency", log, *words, "-o", table)
    assert (2, True) == (refused.status, "give --force" in refused.stderr)
    assert 0 == gpiorig("latency", log, *words, "-o", table, "--force").status


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--request", "tx", "--response", "rx", "--ids", "1:9"], "--ids: the patterns have no group (?P<id>…)"),
        (["--request", "tx", "--response", "rx", "--id-offset", "1"], "--id-offset: the patterns have no group"),
        (["--request", "tx", "--response", "rx", "-o", "d.txt"], "one of .csv, .parquet, .arrow"),
        (["--request", "tx", "--response", "rx", "--rows", "second"], "write first or last"),
        (["--request", "tx", "--response", "rx", "--ids", "9:1"], "is not a range of ids"),
        (["--request", "tx", "--response", "rx", "--time-unit", "0ms"], "is not a unit of time"),
        (["--value", r"(?P<value>\d)", "--rows", "last"], "put the id in a group"),
        (["--value", r"(?P<value>\d)", "--figure", "d.gif"], "one of .png, .svg, .pdf"),
    ],
)
def test_wrong_use_is_one_clear_error(log: Path, words: list[str], text: str) -> None:
    log.write_text("0.1 tx 1\n0.2 rx 1\n", encoding="utf-8")

    done = gpiorig("latency", log, *words)

    assert (2, 1, True) == (done.status, len(done.stderr.splitlines()), text in done.stderr)
