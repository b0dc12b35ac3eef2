"""`gpiorig export` in the formats of other tools, and those tools on what it wrote."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest
from commandline import ROOT, Demo, Finished, gpiorig
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from gpiorig.analysis.tables import registry
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.formats import arrow, parquet, pcap
from gpiorig.capture.formats.sr import read_sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import cli
from gpiorig.rig.export import pulseview_slices
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

Export = Callable[..., Finished]


@pytest.fixture
def export(capsys: pytest.CaptureFixture[str]) -> Export:
    """`gpiorig export` in this process, which has imported all it needs."""

    def run(*words: str | Path) -> Finished:
        status = cli.main(["export", *map(str, words)])
        return Finished.of(status, *capsys.readouterr())

    return run


def same(one: Edges, other: Edges) -> bool:
    """Whether all named channels change at the same samples."""
    names = [name for name in one.channels if name]
    return names == [name for name in other.channels if name] and all(
        one.channel(name)[0].tolist() == other.channel(name)[0].tolist()
        and one.initial_level(name) == other.initial_level(name)
        for name in names
    )


def test_edges_go_from_format_to_format(tmp_path: Path, demo: Demo, export: Export) -> None:
    """Recording, .sr, Parquet, Arrow: the same edges; each reports what it rounds."""
    original = Recording.open(demo.folder).edges()
    source: Path = demo.folder
    for name, read in (("a.sr", read_sr), ("b.parquet", parquet.read), ("c.arrow", arrow.read), ("d.sr", read_sr)):
        done = export(source, "-o", tmp_path / name)
        assert (0, "") == (done.status, done.stderr)
        assert "samples are exact" in done.stdout or "nothing is rounded" in done.stdout
        source = tmp_path / name
        edges = read(source)
        assert same(original, edges if isinstance(edges, Edges) else edges.edges())


def test_a_window_in_time_and_channels(tmp_path: Path, demo: Demo, export: Export) -> None:
    """From 400 ms to 500 ms, one node's lines; the numbers contain which samples these are."""
    path = tmp_path / "w.parquet"
    words = ("--from", "400ms", "--to", "0.5s", "--channels", "initiator.*", "--json")
    numbers = export(demo.folder, "-o", path, *words).numbers
    assert (9_600_000, 12_000_000) == (numbers["from_sample"], numbers["to_sample"])
    part = Recording.open(demo.folder).edges().window(9_600_000, 12_000_000)
    edges = parquet.read(path).edges()
    assert all(name.startswith("initiator.") for name in edges.channels)
    for name in edges.channels:
        assert part.channel(name)[0].tolist() == edges.channel(name)[0].tolist()


def test_a_packet_by_its_round_trip_time(tmp_path: Path, demo: Demo, export: Export) -> None:
    """`slowest` is what its id is, in samples and edges."""
    lines = analyse(open_recording(Recording.open(demo.folder))).timelines
    slowest = int(lines.ids[pulseview_slices.packet_row(lines, "slowest")])
    by_word, by_id = (
        export(demo.folder, "-o", tmp_path / f"{packet}.sr", "--packet", str(packet), "--json").numbers
        for packet in ("slowest", slowest)
    )
    assert (by_id["from_sample"], by_id["to_sample"]) == (by_word["from_sample"], by_word["to_sample"])
    assert (tmp_path / "slowest.sr").read_bytes() == (tmp_path / f"{slowest}.sr").read_bytes()


def test_tables(tmp_path: Path, demo: Demo, export: Export) -> None:
    """The tables of the report, in any table format."""
    for name in registry.NAMES:
        assert 0 == export(demo.folder, "-o", tmp_path / f"{name}.parquet", "--table", name).status
    trips = pyarrow.parquet.read_table(tmp_path / "round_trips.parquet")
    assert demo.numbers["packets_sent"] == trips.num_rows
    assert 0 == export(demo.folder, "-o", tmp_path / "s.csv", "--table", "steps").status
    steps = pyarrow.parquet.read_table(tmp_path / "steps.parquet").num_rows
    assert steps + 1 == len((tmp_path / "s.csv").read_text().splitlines())


@pytest.mark.slow
def test_traces(tmp_path: Path, demo: Demo, export: Export) -> None:
    """Perfetto's format, of all of a recording and around one packet; a virtual bench is named as one."""
    assert 0 == export(demo.folder, "-o", tmp_path / "a.pftrace").status
    assert 0 == export(demo.folder, "-o", tmp_path / "p.pftrace", "--packet", "3").status
    entire, part = ((tmp_path / name).read_bytes() for name in ("a.pftrace", "p.pftrace"))
    names = [entry.name for packet in pb.Trace.FromString(part).packet for entry in packet.interned_data.event_names]
    assert ["packet 3"] == [name for name in names if name.startswith("packet ")]
    assert len(entire) > 10 * len(part)
    assert b"not a measurement of hardware" in entire
    done = export(demo.folder, "-o", tmp_path / "a.json")
    assert (2, True) == (done.status, ".pftrace" in done.stderr)


def test_an_imported_recording_gives_edges_only(tmp_path: Path, demo: Demo, export: Export) -> None:
    """The meaning of its channels is unknown."""
    assert 0 == export(demo.folder, "-o", tmp_path / "a.sr", "--to", "10ms").status
    assert 0 == gpiorig("import", tmp_path / "a.sr", "-o", tmp_path / "run").status
    assert 0 == export(tmp_path / "run", "-o", tmp_path / "b.parquet").status
    done = export(tmp_path / "run", "-o", tmp_path / "b.pftrace")
    assert 2 == done.status
    assert "has no bench" in done.stderr


@pytest.mark.slow
def test_frames_with_their_time_on_the_air(tmp_path: Path, export: Export) -> None:
    """Wireshark dissects what went over SPI; the replies' start-of-frame times are those of the packets' timelines."""
    folder, path = tmp_path / "run", tmp_path / "run.pcapng"
    bench = ROOT / "tests" / "data" / "frames_bench.toml"
    done = gpiorig("run", bench, ROOT / "experiments" / "pingpong.toml", "-o", folder, "--packets", "5", "--no-report")
    assert 0 == done.status, done.stderr
    done = export(folder, "-o", path)
    assert (0, "") == (done.status, done.stderr)
    assert "15 frames, 2 interfaces; times to the nearest ns" in done.stdout
    fields = ("frame.interface_name", "wpan-tap.sof_ts", "frame.comment", "udp.length", "wpan.src16")
    words = [word for name in fields for word in ("-e", name)]
    shown = subprocess.run(["tshark", "-r", path, "-T", "fields", *words], capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert b"not a measurement of hardware" in path.read_bytes()[:300]
    assert 15 == len(rows)
    assert {"40"} == {row[3] for row in rows}  # 8 bytes of header, 32 of payload
    export(folder, "-o", tmp_path / "t.parquet", "--table", "timelines")
    timelines = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist()
    for row in timelines:
        stamped = [frame for frame in rows if frame[2] == f"packet {row['id']} reply"]
        assert ["responder", "initiator"] == [frame[0] for frame in stamped]
        expected = (row["reply.air.start_sample"] * 125 + 1) // 3  # ns at 24 MHz, to the nearest
        assert {str(expected)} == {frame[1] for frame in stamped}
    assert 5 == sum(row[0] == "initiator" and not row[1] for row in rows)  # requests: the responder has no such line
    again = tmp_path / "again.pcapng"
    assert 0 == export(path, "-o", again).status
    assert list(pcap.read(path).read()) == list(pcap.read(again).read())


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("x.pcapng",), "no radio's SPI bus was recorded"),
        (("x.foo",), "must be a file that ends in"),
        (("x.sr", "--as", "foo"), "no such format can be written"),
        (("x.sr", "--from", "soon"), "is not a time"),
        (("x.sr", "--from", "1ms", "--packet", "3"), "give one of them"),
        (("x.sr", "--from", "2000s"), "the window holds no samples"),
        (("x.sr", "--channels", "nobody.*"), "no channel 'nobody.*'"),
        (("x.pftrace", "--channels", "initiator.*"), "does not go with"),
        (("x.parquet", "--table", "steps", "--packet", "3"), "does not go with"),
        (("x.sr", "--table", "steps"), "a table is a file that ends in"),
    ],
)
def test_what_cannot_be_exported(tmp_path: Path, demo: Demo, export: Export, words: tuple[str, ...], part: str) -> None:
    """One clear error, status 2, and no file, not even a part of one."""
    done = export(demo.folder, "-o", tmp_path / words[0], *words[1:])
    assert (2, 1) == (done.status, len(done.stderr.splitlines()))
    assert part in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_sr_file_of_an_absurd_length_is_refused_with_the_way_out(tmp_path: Path, export: Export) -> None:
    """A second with stamps of 1 fs is 10^15 samples; at a lower rate it is written, and nothing is left over."""
    path = tmp_path / "fine.vcd"
    head = "$timescale 1 fs $end\n$var wire 1 ! a $end\n$enddefinitions $end\n"
    path.write_text(head + "".join(f"#{5 * 10**14 * index}\n{index & 1}!\n" for index in range(4)))
    done = export(path, "-o", tmp_path / "x.sr")
    assert 2 == done.status
    assert "x.sr: at least 1500000000000000 samples at 1e+15 Hz would be 1364 TiB in a .sr file" in done.stderr
    assert "--samplerate" in done.stderr
    assert [path] == list(tmp_path.iterdir())

    assert 0 == export(path, "-o", tmp_path / "x.sr", "--samplerate", "1MHz").status
    assert [0, 500_000, 1_000_000, 1_500_000] == read_sr(tmp_path / "x.sr").samples.tolist()
