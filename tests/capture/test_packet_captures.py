"""Third-party packet captures in the commands: the report on their timestamps, and the delays of their frames."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.analysis.tables import stages

USELESS = (
    "80 frames last 0.17 s on the air at least, their timestamps span 0.000007 s: these are not the times of the frames"
)


def capture(path: Path, frames: list[tuple[int, bytes]]) -> Path:
    """A pcap file of frames without FCS (link type 230) at these times in us since 1970."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 230)
    for stamp_us, frame in frames:
        content += struct.pack("<IIII", *divmod(stamp_us, 10**6), len(frame), len(frame)) + frame
    path.write_bytes(content)
    return path


def data(sequence: int) -> bytes:
    """A frame of 0x0001 that asks for an acknowledgement."""
    return bytes([0x61, 0x88, sequence]) + bytes.fromhex("cdab00000100")


def exchange(path: Path, *, late_us: int = 0) -> Path:
    """Ten frames, a second apart, acknowledged after 1 ms."""
    frames = []
    for number in range(10):
        at_us = 1_700_000_000_000_000 + number * 10**6 + late_us
        frames += [(at_us, data(number)), (at_us + 1000, bytes([2, 0, number]))]
    return capture(path, frames)


def test_useless_stamps_are_said_by_every_command(tmp_path: Path) -> None:
    path = capture(
        tmp_path / "a.pcap", [(1_600_000_000_000_000 + number // 10, bytes([1] * 60)) for number in range(80)]
    )
    for words in (
        ["info", path],
        ["import", path, "-o", tmp_path / "run"],
        ["export", path, "-o", tmp_path / "b.pcapng"],
    ):
        done = gpiorig(*words)
        assert (0, "") == (done.status, done.stderr)
        assert USELESS in done.stdout
        assert "times are exact" not in done.stdout
    path = capture(tmp_path / "old.pcap", [((2000 + number) * 10**6, bytes([1] * 60)) for number in range(80)])
    done = gpiorig("info", path)
    assert "begins in 1970: the clock was not set, or its unit is another" in done.stdout
    assert 79.0 == gpiorig("info", path, "--json").numbers["duration_s"]


def test_latency_of_frames(tmp_path: Path) -> None:
    left, right = exchange(tmp_path / "left.pcap"), exchange(tmp_path / "right.pcap", late_us=40)
    done = gpiorig("latency", left)
    assert (0, "") == (done.status, done.stderr)
    assert "0x0001 acknowledged after: n 10, min 1.0000 ms, p5 1.0000 ms, median 1.0000 ms" in done.stdout
    assert "0x0001 interval: n 9, min 1.00000 s, p5 1.00000 s" in done.stdout

    numbers = gpiorig("latency", left, right, "--json").numbers
    (way,) = numbers["ways"]
    assert ("left", "right", 2, 0, 0, 0) == tuple(
        way[key] for key in ("from", "to", "clocks", "only_from", "only_to", "ambiguous")
    )
    assert (10, 40_000.0, 40_000.0) == tuple(way["delays"]["0x0001"][key] for key in ("n", "min_ns", "max_ns"))
    assert 10 == numbers["views"]["right"]["ack"]["0x0001"]["n"]
    assert "the difference of two clocks is in these delays" in gpiorig("latency", left, right).stdout


def test_delays_of_frames_are_written(tmp_path: Path) -> None:
    """A row for each delay, with its view, kind and source; options that are for lines are refused."""
    path, table, figure = exchange(tmp_path / "left.pcap"), tmp_path / "d.parquet", tmp_path / "d.svg"

    done = gpiorig("latency", path, "-o", table, "--figure", figure, "--json")

    rows = stages.read(table).to_pydict()
    assert done.numbers["views"]["left"]["ack"]["0x0001"]["n"] == rows["kind"].count("ack")
    assert {("left", "0x0001")} == set(zip(rows["view"], rows["source"], strict=True))
    assert [1_000_000] * 10 == [ns for ns, kind in zip(rows["delay_ns"], rows["kind"], strict=True) if kind == "ack"]
    assert "<svg" in figure.read_text()
    refused = gpiorig("latency", path, "--nominal", "1s")
    assert (2, True) == (refused.status, "--nominal: " in refused.stderr)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.pcap", "a.log"], "packet captures do not go with other logs"),
        (["a.pcap", "a.pcap"], "a packet capture is given twice"),
        (["none.pcap"], "none.pcap: holds no frame"),
        (["a.log"], "give --request and --response, or --value"),
    ],
)
def test_what_latency_of_frames_refuses(tmp_path: Path, names: list[str], expected: str) -> None:
    exchange(tmp_path / "a.pcap")
    capture(tmp_path / "none.pcap", [])
    (tmp_path / "a.log").write_text("1.0 tx 1\n")
    done = gpiorig("latency", *(tmp_path / name for name in names))
    assert 2 == done.status
    assert expected in done.stderr
