"""What commands count, on third-party files: one meaning in all of them."""

from __future__ import annotations

import struct
from pathlib import Path

import pandas as pd
import pytest
from commandline import gpiorig

GAPS = "time,a,b\n0,0,0\n.001,1,0\n.002,X,X\n.003,0,1\n.004,0,0\n.005,1,0\n"
GROUPS = "packet,time,a\n" + "".join(f"{group},{row * 1e-3:.3f},{row % 2}\n" for group in range(3) for row in range(4))


def capture(path: Path, *records: bytes, link_type: int) -> Path:
    """A pcap file."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    path.write_bytes(head + b"".join(struct.pack("<IIII", 1, 0, len(data), len(data)) + data for data in records))
    return path


@pytest.mark.slow
def test_a_level_that_differs_after_a_gap_is_an_edge_to_no_command(tmp_path: Path) -> None:
    """`info` of the table, of a recording of it and of what is exported, `measure`, and pandas as the guide has it."""
    table, run, exported = tmp_path / "a.csv", tmp_path / "run", tmp_path / "a.parquet"
    table.write_text(GAPS)
    assert 1 == gpiorig("import", table, "-o", run).status  # what is in the gap is missing
    assert 0 == gpiorig("export", table, "-o", exported).status

    for source in (table, run, exported):
        a, b = gpiorig("info", source, "--json").numbers["channels"]
        assert (2, 1, 1, 5) == (a["edges"], a["across_gaps"], a["first_edge"], a["last_edge"])
        assert (1, 1, 4, 4) == (b["edges"], b["across_gaps"], b["first_edge"], b["last_edge"])
        done = gpiorig("measure", source, "--period", "a:edge")
        assert "no pair; 2 of 2 start and 2 of 2 end edges unpaired (1 pair across gaps)" in done.stdout
    edges = pd.read_parquet(exported)
    known = edges["known"] & edges["known"].shift(fill_value=False)
    changes = {name: edges["sample"][known & (edges[name].astype(int).diff() != 0)].tolist() for name in "ab"}
    assert {"a": [1, 5], "b": [4]} == changes


def test_nothing_is_lost_between_groups(tmp_path: Path) -> None:
    """Of a table and of the recording that is made of it."""
    table, run = tmp_path / "a.csv", tmp_path / "run"
    table.write_text(GROUPS)
    groups = ("--columns", "group=packet")

    assert 0 == gpiorig("import", table, *groups, "-o", run).status
    for words in ((table, *groups), (run,)):
        numbers = gpiorig("info", *words, "--json").numbers
        assert (3, 2, 0) == tuple(numbers[key] for key in ("groups", "gaps", "lost_samples"))
        assert "2 gaps between groups\n" in gpiorig("info", *words).stdout
        assert 3 == gpiorig("measure", *words, "--width", "a:low", "--json").numbers["n"]


def test_a_capture_without_frames_is_not_described(tmp_path: Path) -> None:
    """One of another network is refused with what it has; an empty one has nothing."""
    done = gpiorig("info", capture(tmp_path / "a.pcap", bytes(60), bytes(60), link_type=105))
    assert (2, "") == (done.status, done.stdout)
    assert "a.pcap: has no frame of IEEE 802.15.4: 2 of link type 105." in done.stderr
    empty = capture(tmp_path / "b.pcap", link_type=195)
    assert f"{empty}: no frames of IEEE 802.15.4\n" == gpiorig("info", empty).stdout


@pytest.mark.slow
def test_lines_are_complete_and_not_endless(tmp_path: Path) -> None:
    """No semicolon with nothing after it; the names of many nodes take several lines."""
    table, copy = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text(GAPS)
    assert f"{copy}: samples 0 to 6 of {table}\n" == gpiorig("export", table, "-o", copy).stdout
    log, run = tmp_path / "a.log", tmp_path / "run"
    log.write_text("".join(f"1700000000.{number:06};m3-{number};x\n" for number in range(1, 230)))
    gpiorig("import", log, "-o", run)
    text = gpiorig("info", run).stdout
    assert "serial ports of 229 nodes: m3-1, " in text
    assert max(map(len, text.splitlines())) <= max(120, len(str(run)) + 60)


@pytest.mark.parametrize("first", ["1", "0"])
def test_rows_that_make_no_edge(tmp_path: Path, first: str) -> None:
    """Of 1, 0 in the first instant and 0, 1, 0, 1 in another one edge comes; four changes come to nothing."""
    table = tmp_path / "a.csv"
    rows = [("1", first), ("1", "0"), *(("3", level) for level in "0101")]
    table.write_text("time,a\n" + "".join(f"{time},{level}\n" for time, level in rows))
    numbers = gpiorig("info", table, "--json").numbers

    assert 1 == numbers["channels"][0]["edges"]
    undone = 4 if first == "1" else 2
    assert f"changes that make no edge, since the same instant undoes them: {undone}" in numbers["remarks"]
