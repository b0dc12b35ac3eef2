"""The stub of IoT-LAB's serial_aggregator."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.formats import iotlab_log
from gpiorig.capture.serial.aggregator import (
    READ_BYTES,
    AggregatorText,
    Costs,
    Printed,
    addressed,
    errors_ns,
    log_line,
    measure_line_ns,
    replay,
)
from gpiorig.capture.serial.record import Entry, Kind

COSTS = Costs(wake_ns=1_000, read_ns=10_000, line_ns=100_000)
NODES = ("m3-1", "m3-2", "node-a8-1")


def entry(wall_ns: int, data: bytes) -> Entry:
    return Entry(wall_ns - 5, wall_ns, Kind.RECEIVED, data)


def test_a_line_is_stamped_when_its_turn_comes_to_be_printed() -> None:
    """Two nodes speak at once: the later lines carry the printing of those before."""
    records = {
        "m3-1": [entry(1_000_000, b"a\nb\npart"), entry(1_050_000, b"ial\n")],
        "m3-2": [entry(1_000_100, b"c\n"), Entry(0, 1_000_200, Kind.SENT, b"x\n")],
    }
    first = 1_000_000 + COSTS.wake_ns + COSTS.read_ns
    expected = [
        Printed(first, 1_000_000, "m3-1", "a"),
        Printed(first + 100_000, 1_000_000, "m3-1", "b"),
        Printed(first + 210_000, 1_000_100, "m3-2", "c"),
        Printed(first + 321_000, 1_050_000, "m3-1", "partial"),
    ]

    assert expected == list(replay(records, COSTS))
    assert [11_000, 111_000, 220_900, 282_000] == errors_ns(expected).tolist()


def test_nodes_are_served_as_they_became_readable_or_in_their_order() -> None:
    records = {"m3-1": [entry(500, b"late\n")], "m3-2": [entry(400, b"early\n")]}

    assert ["early", "late"] == [line.text for line in replay(records, COSTS)]
    assert ["late", "early"] == [line.text for line in replay(records, COSTS, order="poll")]


def test_a_read_takes_8192_bytes_and_lets_the_others_have_their_turn() -> None:
    records = {"m3-1": [entry(0, b"x" * READ_BYTES + b"\n")], "m3-2": [entry(0, b"short\n")]}

    assert ["short", "x" * READ_BYTES] == [line.text for line in replay(records, COSTS)]


def test_virtual_stamps_begin_at_the_epoch() -> None:
    records = {"m3-1": [Entry(7_000, 99, Kind.RECEIVED, b"a\n")]}
    (line,) = replay(records, COSTS, virtual_epoch_ns=10**18)

    assert (10**18 + 7_000, 10**18 + 18_000) == (line.read_ns, line.stamp_ns)


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ([b"a\r\n", b"b\n"], ["a\r", "b"]),
        ([b"50%\r100%\n", b"next\n"], ["100%", "next"]),  # what ends in CR is kept back, not printed
        ([b"50%\r100%\npar", b"t\n"], ["100%", "part"]),  # ... and lost when a newer rest takes its place
        ([b"a\x0bb\n", b"\n"], ["b", ""]),
        (["ä".encode()[:1], "ä".encode()[1:] + b"\n"], ["\ufffd\ufffd"]),
        ([b"no end"], []),
    ],
)
def test_text_is_cut_and_lost_as_the_aggregator_does(reads: list[bytes], expected: list[str]) -> None:
    text = AggregatorText()

    assert expected == [line for data in reads for line in text.feed(data)]


def test_lines_do_not_depend_on_how_reads_cut_plain_text() -> None:
    generator = random.Random(4)
    for _ in range(100):
        reads = [b"".join(generator.choices([b"a", b"b", b" ", b"\n"], k=generator.randrange(6))) for _ in range(8)]
        text = AggregatorText()
        *expected, _ = b"".join(reads).decode().split("\n")

        assert expected == [line for data in reads for line in text.feed(data)]


# The examples of the original's documentation (iotlabaggregator/serial.py, `extract_nodes_and_message`).
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ((), "")),
        (" ", (NODES, " ")),
        ("message", (NODES, "message")),
        ("-;message", (NODES, "message")),
        ("my_message_csv;msg", (NODES, "my_message_csv;msg")),
        ("M3,1;message", (("m3-1",), "message")),
        ("m3,1-3+5;message", (("m3-1", "m3-2", "m3-3", "m3-5"), "message")),
        ("a8,1+2;message", (("node-a8-1", "node-a8-2"), "message")),
        ("m3-1;message", (("m3-1",), "message")),
        ("A8-1;message", (("node-a8-1",), "message")),
        ("node-a8-1;message", (("node-a8-1",), "message")),
        ("a;b;c", (NODES, "a;b;c")),
    ],
)
def test_input_is_addressed_as_to_the_aggregator(line: str, expected: tuple[tuple[str, ...], str]) -> None:
    assert expected == addressed(line, NODES)


def test_what_it_prints_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    printed = [Printed(1_700_000_000_123_456_000, 0, "m3-1", "a;b"), Printed(1_700_000_001_000_001_000, 0, "m3-2", "")]
    path.write_text("".join(f"{line}\n" for line in printed))
    log = iotlab_log.read(path, ReadOptions()).all()

    assert [line.stamp_ns for line in printed] == log.stamps_ns.tolist()
    assert (("m3-1", "m3-2"), ("a;b", "")) == (log.nodes, log.texts)


def test_stamps_are_rounded_to_the_nearest_microsecond() -> None:
    assert "1.000000;m3-1;x" == log_line(999_999_500, "m3-1", "x")
    assert "0.999999;m3-1;x" == log_line(999_999_499, "m3-1", "x")


def test_a_printed_line_costs_something() -> None:
    assert measure_line_ns() > 0
