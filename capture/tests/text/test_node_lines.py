"""Logs of nodes' lines as people have them, with their dirt."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest
from depth import by_depth
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import HEAD_BYTES, flocklab_serial, iotlab_log, recognise
from gpiorig.capture.text import node_lines as lines
from gpiorig.capture.text.node_lines import LineBlock, LineKind

EPOCH = 1395240359
RECEIVED, SENT, NOTICE = LineKind

# The first two lines are of the aggregator's own documentation (iotlabaggregator/serial.py).
LOG = (
    "1395240359.286712;node46; Type Enter to stop printing this help\n"
    "1395240359.286853;node46;\n"
    "1395240359.287000;Aggregator started\n"
    "1395240359.290000;m3-1;a;b;c\r\n"
    "1395240359.291;m3-2.grenoble.iot-lab.info;progress\rdone\x0b.\n"
    "\x1b[31m1395240359.292000;\x1b[32mnode-a8-1;\x1b[1mbold\x1b[0m\x1b[39m\n"
    "1395240359.300000;m3-1;par1395240359.400000;m3-2;whole\n"
    "1395240358.000000;m3-1;back\n"
    "39.5000\n"
    "\n"
    "garbage;of;no;kind\n"
    "395240360.1;m3-1395240360.200000;m3-3;cut\n"
    "1395240361.000000;m3-1;Connection closed\n"
    "1395240361.000001;m3-1;(<class 'ConnectionRefusedError'>, ConnectionRefusedError(111, 'refused'), None)\n"
    "1395240361.500000;m3-1;ä"
).encode() + b"\xff\xfe"


def write(folder: Path, data: bytes) -> Path:
    (folder / "x.log").write_bytes(data)
    return folder / "x.log"


def rows(block: LineBlock) -> list[tuple[int, str, str, int]]:
    return list(zip(block.stamps_ns.tolist(), block.nodes, block.texts, block.kinds.tolist(), strict=True))


def test_a_log_of_the_aggregator_with_its_dirt(tmp_path: Path) -> None:
    """Nothing is guessed: each line that can be one is, and what cannot is counted by what is wrong."""
    path = write(tmp_path, LOG)
    log = iotlab_log.read(path, ReadOptions()).all()
    base = EPOCH * 10**9

    assert [
        (base + 286_712_000, "node46", " Type Enter to stop printing this help", RECEIVED),
        (base + 286_853_000, "node46", "", RECEIVED),
        (base + 287_000_000, "", "Aggregator started", NOTICE),
        (base + 290_000_000, "m3-1", "a;b;c", RECEIVED),
        (base + 291_000_000, "m3-2.grenoble.iot-lab.info", "progress\rdone\x0b.", RECEIVED),
        (base + 292_000_000, "node-a8-1", "\x1b[1mbold", RECEIVED),
        (base + 300_000_000, "m3-1", "par", RECEIVED),
        (base + 400_000_000, "m3-2", "whole", RECEIVED),
        (base - 1_000_000_000, "m3-1", "back", RECEIVED),
        (base + 1_200_000_000, "m3-3", "cut", RECEIVED),
        (base + 2_000_000_000, "m3-1", "Connection closed", NOTICE),
        (
            base + 2_000_001_000,
            "m3-1",
            "(<class 'ConnectionRefusedError'>, ConnectionRefusedError(111, 'refused'), None)",
            NOTICE,
        ),
        (base + 2_500_000_000, "m3-1", "ä\ufffd\ufffd", RECEIVED),
    ] == rows(log)
    assert {
        "timestamp before the one above it": 1,
        "line broken by another": 2,
        "line without a timestamp": 2,
        "empty line": 1,
        "bytes that are not UTF-8": 2,
        "last line without an end": 1,
    } == log.dirt
    assert iotlab_log.recognises(path, LOG[:HEAD_BYTES])


def test_a_summary_counts_by_node_and_kind(tmp_path: Path) -> None:
    summary = iotlab_log.read(write(tmp_path, LOG), ReadOptions()).summary()

    assert (1, 0, 0) == summary.nodes["node-a8-1"]
    assert (4, 0, 2) == summary.nodes["m3-1"]
    assert ((EPOCH - 1) * 10**9, EPOCH * 10**9 + 2_500_000_000) == (summary.first_ns, summary.last_ns)
    assert {"name": "m3-1", "received": 4, "sent": 0, "notice": 2} in summary.as_json()["nodes"]
    assert "13 lines in 3.500000 s from 2014-03-19T14:45:58+00:00" == summary.for_people()[0]
    assert "  m3-1: 4 received, 2 notices" in summary.for_people()


@pytest.mark.parametrize("frames", [1, 3, 40])
def test_tracebacks_do_not_count_when_a_log_is_recognised(tmp_path: Path, frames: int) -> None:
    """An aggregator that failed prints more lines of them than of its own."""
    inner = '  File "/opt/x.py", line 3, in <module>\n    main()\n' * frames
    trace = f"Traceback (most recent call last):\n{inner}ValueError: no such port\n"
    again = f"\nDuring handling of the above exception, another exception occurred:\n\n{trace}"
    log = f"1600000000.100000;Aggregator started\n1600000002.200000;m3-9;Connection closed\n{trace}{again}"
    path = write(tmp_path, log.encode())

    assert "iotlab_log" == recognise(path)
    assert 2 * (2 * frames + 2) + 1 == iotlab_log.read(path, ReadOptions()).summary().dirt["line without a timestamp"]
    prose = "a line of prose\n" * 5
    assert not iotlab_log.recognises(path, f"{log}{prose}".encode())


def test_characters_that_were_replaced_before(tmp_path: Path) -> None:
    """U+FFFD in valid UTF-8 is what the logging program has put there: other damage than bytes that are not.

    Characters and bytes are counted, not lines.
    """
    time = b"1600000000.100000;m3-9;"
    path = write(tmp_path, time + b"a\xef\xbf\xbd\xef\xbf\xbd\n" + time + b"b\xff\xc3(\xe2\x82\n")
    log = iotlab_log.read(path, ReadOptions()).all()

    assert ("a\ufffd\ufffd", "b\ufffd\ufffd(\ufffd") == log.texts
    assert {
        "characters replaced before they were logged (U+FFFD)": 2,
        "bytes that are not UTF-8": 4,
    } == log.dirt


@pytest.mark.parametrize(
    ("module", "lines", "dirt"),
    [
        (iotlab_log, ["9999999999.000000;m3-1;x", "9223372036.0;m3-1;x"], {"line whose timestamp is not a time": 2}),
        (iotlab_log, [f"{'1' * digits}.000000;m3-1;x" for digits in (30, 5000)], {"line broken by another": 2}),
        (
            flocklab_serial,
            [f"{'1' * digits}.0,1,1,r,x" for digits in (10, 18, 30, 5000)],
            {"line whose timestamp is not a time": 3},
        ),
        (flocklab_serial, ["1.0,1,../../x,r,x", "1.0,1,/x,r,x", "1.0,1,a\0b,r,x"], {"line that is not a row": 3}),
        (
            flocklab_serial,
            [f"1.0,1,{'n' * 65},r,x", f"1.0,1,{'n' * 60_000},r,x"],
            {"line of a node whose name is longer than 64 characters": 2},
        ),
    ],
)
def test_a_line_that_cannot_be_is_counted(
    tmp_path: Path, module: ModuleType, lines: list[str], dirt: dict[str, int]
) -> None:
    """Timestamps of any length and names that are not names: no traceback, and the other lines are read."""
    good = "1600000000.5;m3-1;good" if module is iotlab_log else "1600000000.5,1,1,r,good"
    path = write(tmp_path, "\n".join([good, *lines, good]).encode() + b"\n")
    log = module.read(path, ReadOptions()).all()

    assert ("good", "good") == (log.texts[0], log.texts[-1])
    assert dirt == {what: count for what, count in log.dirt.items() if what in dirt}


FLOCKLAB = (
    "{}timestamp,observer_id,node_id,direction,output\n"
    "1357000000.1234567,4,004,r,temp,21,°C\n"
    "1357000001.5,7,7,w,start\r\n"
    "1357000002,7,7,r,\n"
    "not,a,row\n"
)


@pytest.mark.parametrize("version", ["", "# "])
def test_flocklab_serial_of_both_versions(tmp_path: Path, version: str) -> None:
    path = write(tmp_path, FLOCKLAB.format(version).encode())
    log = flocklab_serial.read(path, ReadOptions()).all()

    assert [
        (1_357_000_000_123_456_700, "004", "temp,21,°C", RECEIVED),
        (1_357_000_001_500_000_000, "7", "start", SENT),
        (1_357_000_002_000_000_000, "7", "", RECEIVED),
    ] == rows(log)
    assert {"line that is not a row": 1} == log.dirt
    assert flocklab_serial.recognises(path, path.read_bytes())
    assert not iotlab_log.recognises(path, path.read_bytes())
    assert not flocklab_serial.recognises(path, LOG)


@settings(max_examples=by_depth(40, 400))
@given(
    st.integers(0, 2**33),
    st.text("0123456789", min_size=1, max_size=9),
    st.sampled_from(["m3-1", "node-a8-12"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\n\ufffd\r"), max_size=30),
)
def test_every_digit_and_every_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, seconds: int, fraction: str, node: str, text: str
) -> None:
    path = write(tmp_path_factory.getbasetemp(), f"{seconds};x\n{seconds}.{fraction};{node};{text}\n".encode())
    expected = (Fraction(seconds) + Fraction(int(fraction), 10 ** len(fraction))) * 10**9

    assert (expected, node, text, RECEIVED) == rows(iotlab_log.read(path, ReadOptions()).all())[-1]


@pytest.mark.slow
def test_a_log_is_read_in_constant_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one without any newline, such as a node's that sends garbage."""
    monkeypatch.setattr(lines, "BLOCK_LINES", 256)
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 4096)
    line = b"1395240359.286712;m3-1;a line of some length that stands for them all\n"
    count = 16 * lines.BLOCK_LINES
    path = write(tmp_path, line * count + b"\0" * (20 * lines.MAX_LINE_BYTES))
    tracemalloc.start()
    summary = iotlab_log.read(path, ReadOptions()).summary()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert {"m3-1": (count, 0, 0)} == summary.nodes
    assert 1 == summary.dirt["line too long, cut"]
    assert peak < path.stat().st_size / 2


def test_a_log_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        iotlab_log.read(tmp_path / "none.log", ReadOptions()).summary()


def test_a_summary_states_the_span_and_where_it_begins(tmp_path: Path) -> None:
    """Times from 10^8 s on are dates, those before are of the log's own clock."""
    path = tmp_path / "a"
    for begin_s, since in (
        (10**8, "1973-03-03T09:46:40+00:00"),
        (10**8 - 1, "99999999.000000 s of the log's own clock"),
    ):
        path.write_text(f"{begin_s}.000000;m3-1;a\n{begin_s + 12}.345678;m3-1;b\n")
        summary = iotlab_log.read(path, ReadOptions()).summary()
        assert f"2 lines in 12.345678 s from {since}" == summary.for_people()[0]
        assert (begin_s * 10**9, 12_345_678_000) == (summary.first_ns, (summary.last_ns or 0) - begin_s * 10**9)
    path.write_text("x;y\n" * 2)
    assert ["no lines"] == iotlab_log.read(path, ReadOptions()).summary().for_people()[:1]


def test_blocks_and_names_at_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is full with this number of lines; a node's name may have 64 characters."""
    monkeypatch.setattr(lines, "BLOCK_LINES", 2)
    builder = lines.BlockBuilder()
    for number, node in enumerate(("n" * 64, "n" * 65, "b")):
        assert not builder.is_full
        builder.append(number, node, "text")
    assert builder.is_full
    block = builder.take()
    assert (("n" * 64, "b"), [0, 2]) == (block.nodes, block.stamps_ns.tolist())
    assert 1 == sum(block.dirt.values())
    assert not builder.is_full
