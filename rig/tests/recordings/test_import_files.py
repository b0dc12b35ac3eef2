from __future__ import annotations

import json
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Waveform, waveform_of
from gpiorig.capture.formats import vcd
from gpiorig.capture.formats.sr import write_sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.cli import main

SERIAL_LOG = "1700000000.000100;m3-1;a;b\n1700000000.000200;m3-2;hello\n1700000000.000300;m3-1;c\n"


def edges(rate: int, name: str, samples: list[int], end: int) -> Edges:
    """One channel that toggles at these samples."""
    at = np.array(samples, dtype=np.int64)
    levels = (np.arange(at.size) & 1).astype(np.uint64)
    return Edges.from_blocks([(at, levels)], samplerate_hz=Fraction(rate), channels=[name], end=end)


def with_epoch(traced: Edges, epoch: str) -> Waveform:
    """The edges, with a wall-clock time of sample 0."""
    return waveform_of(traced, epoch=epoch)


def info(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    """The output of `gpiorig info --json`."""
    capsys.readouterr()
    assert main(["info", str(path), "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def test_a_file_becomes_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The recording holds the file's edges, is complete, and states where it is from."""
    traced = edges(24_000_000, "a", [0, 5, 70_000], 80_000)
    write_sr(tmp_path / "a.sr", traced)
    run = tmp_path / "run"

    assert main(["import", str(tmp_path / "a.sr"), "-o", str(run)]) == 0
    recording = Recording.open(run)
    assert recording.verify() == ()
    assert recording.info.analyzer == "imported from a.sr"
    printed = info(run, capsys)
    of_file = info(tmp_path / "a.sr", capsys)
    assert printed["channels"] == of_file["channels"]
    assert (printed["samplerate_hz"], printed["samples"], printed["start"]) == (24_000_000, 80_000, 0)
    assert (printed["virtual"], printed["state"]) == (None, "complete")


def test_files_of_two_rates_and_epochs_are_laid_side_by_side(tmp_path: Path) -> None:
    """Epochs align them, the rate is a common multiple, and names that clash get their file's name."""
    vcd.write(tmp_path / "one.vcd", with_epoch(edges(10_000_000, "x", [0, 10, 30], 1000), "2024-05-06T07:08:09+00:00"))
    vcd.write(
        tmp_path / "two.vcd", with_epoch(edges(4_000_000, "x", [0, 4, 8], 1000), "2024-05-06T07:08:09.000001+00:00")
    )
    assert main(["import", str(tmp_path / "one.vcd"), str(tmp_path / "two.vcd"), "-o", str(tmp_path / "run")]) == 0
    recorded = Recording.open(tmp_path / "run").edges()

    assert recorded.samplerate_hz == 20_000_000
    assert recorded.channel("two.x")[0].tolist() == [20 + 20, 40 + 20]
    assert recorded.channel("one.x")[0].tolist() == [60]  # the first edge lies where both begin: 1 us
    assert recorded.start == 20


def test_files_without_a_common_time_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, and no recording without samples."""
    for name, second in (("one", 9), ("two", 10)):
        at = f"2024-05-06T07:08:{second:02}+00:00"
        vcd.write(tmp_path / f"{name}.vcd", with_epoch(edges(1_000_000, name, [0, 4, 8], 10), at))
    assert main(["import", str(tmp_path / "one.vcd"), str(tmp_path / "two.vcd"), "-o", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert "no time in common" in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_channels_of_files_with_one_name_have_its_ending(tmp_path: Path) -> None:
    """Where the names without endings are alike, too."""
    vcd.write(tmp_path / "one.vcd", with_epoch(edges(1_000_000, "x", [0, 4, 8], 10), ""))
    sigrok_csv = tmp_path / "one.csv"
    sigrok_csv.write_text("Time [s],x\n0.000000,0\n0.000004,1\n0.000008,0\n")
    assert main(["import", str(tmp_path / "one.vcd"), str(sigrok_csv), "-o", str(tmp_path / "run")]) == 0
    assert {"one.vcd.x", "one.csv.x"} == {name for name in Recording.open(tmp_path / "run").info.channels if name}


def test_logs_become_serial_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines keep their text and stamp; without a capture there are no channels."""
    log = tmp_path / "node.log"
    log.write_text(SERIAL_LOG)
    assert main(["import", str(log), "-o", str(tmp_path / "run")]) == 0
    recording = Recording.open(tmp_path / "run")

    assert recording.verify() == ()
    assert recording.nodes == ("m3-1", "m3-2")
    lines = recording.serial("m3-1").lines()
    assert lines.texts == ("a;b", "c")
    assert lines.wall_ns.tolist() == [1700000000_000100000, 1700000000_000300000]
    printed = info(log, capsys)
    assert printed["lines"] == 3


@pytest.mark.parametrize(
    ("name", "content", "options", "says"),
    [
        ("a.bin", b"abc", [], "--samplerate"),
        ("a.bin", b"abc", ["--samplerate", "1MHz", "--unitsize", "2"], "--unitsize"),
        ("a.csv", b"Time [s],A\n0.1,0\n0.2,9\n", [], "line 3"),
        ("a.xyz", b"\x00\x01", [], "no known format"),
        ("a.csv", b"", [], "is empty"),
        ("a.csv", b"t,A\n1,0\n", ["--columns", "when=t"], "--columns"),
        ("a.csv", b"t,A\n1,0\n", ["--format", "nonsense"], "nonsense"),
    ],
)
def test_wrong_input_is_one_error_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, options: list[str], says: str
) -> None:
    """Exit status 2, one line that states what to do, and no half recording."""
    (tmp_path / name).write_bytes(content)
    run = tmp_path / "run"
    for arguments in (["info"], ["import", "-o", str(run)]):
        assert main([*arguments, str(tmp_path / name), *options]) == 2
        error = capsys.readouterr().err
        assert says in error and error.count("\n") == 1
    assert not run.exists()


def test_a_capture_that_breaks_off_while_it_is_read_leaves_nothing(tmp_path: Path) -> None:
    """The damage lies after the first blocks: what was written so far is taken away."""
    body = "".join(f"#{number} {number & 1}!\n" for number in range(300_000))
    text = f"$timescale 1 us $end $var wire 1 ! a $end $enddefinitions $end\n{body}broken\n"
    (tmp_path / "a.vcd").write_text(text)

    assert main(["import", str(tmp_path / "a.vcd"), "-o", str(tmp_path / "run")]) == 2
    assert not (tmp_path / "run").exists()


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`gpiorig info --formats` names each format once."""
    assert main(["info", "--formats"]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert any(line.startswith("vcd ") and "read, write" in line for line in lines)
    assert len(lines) == len({line.split()[0] for line in lines})


@pytest.mark.parametrize("command", [["report"], ["compare", "RUN"], ["clocks"], ["export", "-o", "x.pcapng"]])
def test_what_needs_a_bench_says_so(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An imported recording has none: one line that states what that means, and status 2."""
    write_sr(tmp_path / "a.sr", edges(24_000_000, "a", [0, 5, 70_000], 80_000))
    run = str(tmp_path / "run")
    assert main(["import", str(tmp_path / "a.sr"), "-o", run]) == 0
    capsys.readouterr()

    assert main([command[0], run, *(run if word == "RUN" else word for word in command[1:])]) == 2
    errors = capsys.readouterr().err
    assert f"{run}: has no bench, which names what its channels carry" in errors
    assert errors.count("\n") == 1


def test_a_recording_of_packets_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`info` tells of the packets and of no samples, and `report` of what there is, not of a bench that is lacking."""
    frame = bytes.fromhex("6188 2a cdab 0200 0100") + b"payload"
    packets = b"".join(struct.pack("<IIII", 1_700_000_000 + n, 0, len(frame), len(frame)) + frame for n in range(3))
    sniffed = tmp_path / "air.pcap"
    sniffed.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 230) + packets)
    assert 0 == main(["import", str(sniffed), "-o", str(tmp_path / "run")])

    assert 3 == info(tmp_path / "run", capsys)["packets"]["air.pcap"]["frames"]  # type: ignore[index]
    assert 0 == main(["info", str(tmp_path / "run")])
    output = capsys.readouterr().out
    assert f"{tmp_path / 'run'}: no edges of an analyzer\n" in output
    assert "air.pcap: 3 frames in 2.000000 s from 2023-11-14T22:13:20" in output
    assert "samples at" not in output
    assert 2 == main(["report", str(tmp_path / "run")])
    error = capsys.readouterr().err
    assert "contains no edges of an analyzer" in error
    assert "bench" not in error


TRACE = "# timestamp,observer_id,node_id,pin_name,value\n1600000001.0000200,7,7,INT1,1\n1600000002.0000210,7,7,INT1,0\n"
ACTUATION = (
    "# timestamp_planned,timestamp_executed,observer_id,node_id,pin_name,value\n"
    "1600000000.0000000,1600000000.0000300,7,7,RST,0\n1600000001.0000000,1600000001.0000020,7,7,SIG1,1\n"
    "1600000002.0000000,1600000002.0000060,7,7,SIG1,0\n1600000003.0000000,1600000003.0000040,9,9,SIG1,1\n"
)


def test_a_flocklab_trace_and_its_actuation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They cover different times, and no row of either is lost: delays from what was done to what followed."""
    (tmp_path / "gpiotracing.csv").write_text(TRACE)
    (tmp_path / "gpioactuation.csv").write_text(ACTUATION)
    run = tmp_path / "run"
    assert (
        main(["import", *(str(tmp_path / f"{name}.csv") for name in ("gpiotracing", "gpioactuation")), "-o", str(run)])
        == 0
    )
    recorded = Recording.open(run).edges()

    assert {"7.INT1": 2, "7.RST": 1, "7.SIG1": 2, "9.SIG1": 1} == {
        name: len(recorded.channel(name)[0]) for name in recorded.channels
    }
    capsys.readouterr()
    assert main(["measure", str(run), "--start", "SIG1:edge", "--end", "INT1:edge", "--per", "node", "--json"]) == 0
    delays = json.loads(capsys.readouterr().out)["nodes"]["7"]
    assert (2, 15_000, 18_000) == (delays["n"], round(delays["min_ns"]), round(delays["max_ns"]))


def test_an_import_says_what_it_cuts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A capture that is longer than the other."""
    for name, end in (("one", 800_000), ("two", 1_000_000)):
        write_sr(tmp_path / f"{name}.sr", edges(1_000_000, name, [0, 5, 7], end))
    assert main(["import", str(tmp_path / "one.sr"), str(tmp_path / "two.sr"), "-o", str(tmp_path / "run")]) == 0

    assert "two.sr: the last 0.200000 s are omitted: not all files cover them" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["measure", "--period", "D0:edge"],
        ["measure", "--period", "D0:edge", "--json"],
        ["export", "-o", "{folder}/x.vcd"],
        ["radio", "--lines", "clk=D0,mosi=D1,select=D2", "--transfers"],
    ],
)
def test_a_command_that_reads_says_what_the_reader_remarks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """On stderr, once, so that JSON stays JSON."""
    path = tmp_path / "a.csv"
    path.write_text("0.1,0,1,0\n0.2,1,1,0\n0.3,0,1,0\nEND\n")
    words = [word.format(folder=tmp_path) for word in command[1:]]
    assert main([command[0], str(path), *words]) == 0
    remarks = capsys.readouterr().err.splitlines()

    steps = f"{path}: its times are printed in steps of 100 ms and state no samplerate"
    assert [
        f"{path}: names that the file does not have are made up: D0, D1, D2; --channels names them",
        f"{path}: line 4 and what follows are not rows, but the end: END",
    ] == remarks[:2]
    assert [steps] * (command[0] != "measure") == [remark.partition(";")[0] for remark in remarks[2:]]


def test_the_dirt_of_a_log_is_said_where_it_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`latency` and `import` omit lines, and report which."""
    path = tmp_path / "node.log"
    path.write_text(
        "".join(f"170000000{i}.000100;m3-1;tx 1\n170000000{i}.000200;m3-1;rx 1\n" for i in range(3)) + "x\n"
    )
    patterns = ["--request", r"tx (?P<id>\d)", "--response", r"rx (?P<id>\d)"]
    assert main(["latency", str(path), *patterns]) == 0
    assert [f"{path}: irregular: line without a timestamp: 1"] == capsys.readouterr().err.splitlines()
    assert main(["import", str(path), "-o", str(tmp_path / "run")]) == 0

    assert "  irregular: line without a timestamp: 1\n" in capsys.readouterr().out


def test_columns_that_are_named_make_a_table_of_a_file_of_no_known_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The remedy of the refusal works."""
    path = tmp_path / "a.csv"
    path.write_text("no, sample, port\n1, 0, 0011\n1, 5, 1011\n2, 0, 0011\n")
    assert main(["info", str(path)]) == 2
    assert "--columns time=sample,levels=port" in capsys.readouterr().err
    words = ["--columns", "time=sample,levels=port,group=no", "--samplerate", "1MHz", "--json"]
    assert main(["info", str(path), *words]) == 0

    numbers = json.loads(capsys.readouterr().out)
    assert (4, 1, 8) == (len(numbers["channels"]), numbers["gaps"], numbers["samples"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t,A\n0.1,0\n0.2,1\n", "2 steps of 100 ms,"),
        ("t,A\n0.0001,0\n0.0002,1\n", "2 steps of 100 µs,"),
        ("t,A\n0.000000001,0\n0.000000002,1\n", "2 steps of 1 ns,"),
        ("t,A\n0.1123456789013,0\n0.1123456789016,1\n", "4 steps of 0.0001 ns,"),
        ("t,A\n", "no rows"),
    ],
)
def test_the_resolution_of_times_is_no_samplerate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert main(["info", str(tmp_path / "a.csv")]) == 0

    assert capsys.readouterr().out.startswith(f"{tmp_path / 'a.csv'}: {says}")


@pytest.mark.parametrize(
    ("name", "line", "dirt"),
    [
        ("node.log", "9999999999.000000;m3-1;x", "line whose timestamp is not a time"),
        ("serial.csv", f"{'1' * 5000}.0,1,1,r,x", "line whose timestamp is not a time"),
        ("serial.csv", "1600000000.0,1,../../x,r,x", "line that is not a row"),
    ],
)
def test_a_log_with_lines_that_cannot_be_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, line: str, dirt: str
) -> None:
    """`info` counts them, and nothing is written outside of the recording."""
    header = "timestamp,observer_id,node_id,direction,output\n1600000000.5,1,1,r,good\n"
    good = "1600000000.500000;m3-1;good\n1600000000.600000;m3-1;good\n" if name == "node.log" else header
    (tmp_path / name).write_text(f"{good}{line}\n")
    assert main(["info", str(tmp_path / name), "--json"]) == 0
    assert 1 == json.loads(capsys.readouterr().out)["irregularities"][dirt]
    assert main(["import", str(tmp_path / name), "-o", str(tmp_path / "run")]) == 0

    assert {tmp_path / name, tmp_path / "run"} == set(tmp_path.iterdir())


@pytest.mark.parametrize(("share", "lost"), [(0.4, (0, 4_194_304)), (0.8, (4_194_304, 6_620_366))])
def test_a_recovered_file_is_incomplete(
    share: float, lost: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two damaged bytes of a file of two chunks, also of the first: a gap, and the state and the status follow it."""
    random = np.random.default_rng(1)
    samples = np.cumsum(random.integers(100, 1000, 12_000)).tolist()
    write_sr(tmp_path / "a.sr", edges(24_000_000, "a", samples, samples[-1] + 1))
    damaged = bytearray((tmp_path / "a.sr").read_bytes())
    at = round(len(damaged) * share)
    damaged[at : at + 2] = bytes(byte ^ 0xFF for byte in damaged[at : at + 2])
    (tmp_path / "a.sr").write_bytes(damaged)
    run = tmp_path / "run"

    assert main(["import", "--recover", str(tmp_path / "a.sr"), "-o", str(run)]) == 1
    recording = Recording.open(run)
    assert [list(lost)] == recording.segments().gaps.tolist()
    assert "incomplete" == recording.state
    assert f"{lost[1] - lost[0]} samples are missing" in recording.info.reason
    assert "gap" in capsys.readouterr().err
    (bound,) = recording.info.bounds
    assert (0, recording.edges().end, False) == (bound.start, bound.end, bound.is_checked)
