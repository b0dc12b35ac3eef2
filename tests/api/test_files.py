"""`gpiorig.open` of files: arrays and tables of a capture and of a log, with the numbers of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from commandline import gpiorig as command
from matplotlib.figure import Figure

import gpiorig

VCD = """$date 2026-11-28T10:00:00+00:00 $end
$timescale 1 us $end
$var wire 1 ! request $end
$var wire 1 " reply $end
$enddefinitions $end
#0 0! 0"
#10 1!
#14 1"
#20 0!
#25 0"
#30 1!
#33 1"
#40 0!
#100 0"
"""
LOG = """1700000000.000000;m3-1;send 1
1700000000.012500;m3-1;got 1
1700000000.030000;m3-1;send 2 now=2030000
1700000000.044000;m3-1;got 2 now=2044000
1700000000.050000;m3-1;send 3 now=2050000
"""


@pytest.fixture
def vcd(tmp_path: Path) -> Path:
    """Two pins, of which each second edge is known."""
    (tmp_path / "pins.vcd").write_text(VCD)
    return tmp_path / "pins.vcd"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Lines of one node."""
    (tmp_path / "node.log").write_text(LOG)
    return tmp_path / "node.log"


def test_the_edges_of_a_channel(vcd: Path) -> None:
    """Samples, levels, seconds; as Arrow, which is what polars takes, too; and as pandas."""
    edges = gpiorig.open(vcd).edges("request")

    assert [10, 20, 30, 40] == edges.samples.tolist()
    assert ([1, 0, 1, 0], [10, 30], [20, 40]) == (edges.levels.tolist(), edges.rises.tolist(), edges.falls.tolist())
    assert [1e-05, 2e-05, 3e-05, 4e-05] == edges.times_s.tolist()
    assert pa.table(edges).equals(edges.table)
    assert list(edges.to_pandas().time_s) == edges.times_s.tolist()


def test_dates_come_from_the_epoch(tmp_path: Path) -> None:
    """Of a file with a date, to the ns, and null where an instant is not known."""
    edges = gpiorig.open(_table_of_edges(tmp_path)).edges("D0")

    assert ["sample", "level", "time_s", "time"] == edges.table.column_names
    assert pa.timestamp("ns", "UTC") == edges.table.schema.field("time").type
    assert np.datetime64("2026-11-28T10:00:00.000000041") == edges.table.column("time").to_numpy()[0]


def _table_of_edges(folder: Path) -> Path:
    """A file of edges at 24 MHz, whose sample 0 has a date."""
    (folder / "capture.csv").write_text("time,D0\n0,0\n0.000001,1\n0.000002,0\n")
    done = command("import", folder / "capture.csv", "--samplerate", "24MHz", "-o", folder / "run")
    assert 0 == done.status, done.stderr
    description = folder / "run" / "recording.toml"
    description.write_text(description.read_text().replace('wall = ""', 'wall = "2026-11-28T09:59:59.999999041+00:00"'))
    return folder / "run"


def test_measurements_are_those_of_the_command(vcd: Path, tmp_path: Path) -> None:
    """The object of --json, and the table of -o, with seconds added."""
    words = ("--start", "request:rise", "--end", "reply:rise", "--nominal", "4us", "--json")
    numbers = command("measure", vcd, *words, "-o", tmp_path / "delays.arrow").numbers
    delays = gpiorig.open(vcd).measure("request:rise", "reply:rise", nominal_s=4e-6)

    assert numbers == delays.numbers
    with pa.ipc.open_file(tmp_path / "delays.arrow") as written:
        assert written.read_all().equals(delays.table.select(written.schema.names))
    assert [4e-6, 3e-6] == delays.delays_s.tolist()
    assert (3500, 4000) == (delays.summary.median_ns, delays.statistic("max").value)
    assert "<Delays of request rise to reply rise: 2 delays, median 3.50 µs, 3.00 µs to 4.00 µs>" == repr(delays)


def test_one_measurement_is_asked_for(vcd: Path) -> None:
    """None, or two, is an error with the base of all; so are a channel, and a kind of edges, that are not there."""
    capture = gpiorig.open(vcd)
    for given in ({}, {"start": "request"}, {"period": "request", "width": "reply"}):
        with pytest.raises(gpiorig.Error, match="give one measurement: start and end, period, width, or skew"):
            capture.measure(**given)  # type: ignore[arg-type]
    with pytest.raises(gpiorig.Error, match="no channel `irq` in this capture; available channels: request, reply"):
        capture.measure(period="irq")
    with pytest.raises(gpiorig.Error, match="no channel 'irq' in this capture; available channels: request, reply"):
        capture.edges("irq")
    with pytest.raises(gpiorig.Error, match=r"request:rising: `rising` is not known here; write request:rise"):
        capture.measure(period="request:rising")


def test_all_levels_are_those_of_an_export(vcd: Path, tmp_path: Path) -> None:
    """A column for each channel; the file of `gpiorig export` has the same rows."""
    levels = gpiorig.open(vcd).levels()

    assert 0 == command("export", vcd, "-o", tmp_path / "edges.parquet").status
    written = pa.parquet.read_table(tmp_path / "edges.parquet")
    assert written.to_pydict() == levels.select(written.column_names).to_pydict()
    assert 1e-05 == levels.column("time_s")[1].as_py()


def test_a_decoder_gives_a_table(vcd: Path) -> None:
    """The outputs of `gpiorig decode --json`; an unknown decoder is an error."""
    capture, stack = gpiorig.open(vcd), "timing:data=request"
    rows = [row for row in capture.decode(stack).to_pylist() if row["kind"] == "annotation"]
    printed = command("decode", vcd, "-P", stack)

    assert len(printed.stdout.splitlines()) == len(rows) > 0
    assert all(row["text"] in line for row, line in zip(rows, printed.stdout.splitlines(), strict=True))
    with pytest.raises(gpiorig.Error, match="nosuch"):
        capture.decode("nosuch:data=request")


def test_delays_of_a_log_are_those_of_the_command(log: Path) -> None:
    """Pairs, with the object of --json; and values that lines hold."""
    words = ("--request", r"send (?P<id>\d+)", "--response", r"got (?P<id>\d+)")
    delays = gpiorig.open(log).latency(words[1], words[3])

    assert command("latency", log, *words, "--json").numbers == delays.numbers
    assert [12.5e-3, 14e-3] == delays.delays_s.tolist()
    assert ["m3-1"] == list(delays.series)
    values = gpiorig.open(log).latency(value=r"now=(?P<value_us>\d+)")
    assert command("latency", log, "--value", r"now=(?P<value_us>\d+)", "--json").numbers == values.numbers
    with pytest.raises(gpiorig.Error, match="give request and response, or value"):
        gpiorig.open(log).latency("send")
    with pytest.raises(gpiorig.Error, match="'\\(' is not a regular expression"):
        gpiorig.open(log).latency("(", "got")


def test_lines_and_clocks_of_a_log(log: Path) -> None:
    """The lines with their times; the rate of a clock, with the numbers of the command."""
    source = gpiorig.open(log)
    assert ("m3-1", "send 1", 1_700_000_000.0) == tuple(
        source.lines().select(["node", "text", "time_s"]).to_pylist()[0].values()
    )
    pattern = r"now=(?P<node_time_us>\d+)"
    (row,) = source.clocks(pattern).to_pylist()

    (period,) = command("clocks", log, "--pattern", pattern, "--json").numbers["nodes"]["m3-1"]["boot_periods"]
    assert {name: period[name] for name in ("n", "ppm", "offset_s", "residual_std_s")}.items() <= row.items()


@pytest.mark.parametrize("what", ["edges", "levels", "measure", "decode", "samplerate_hz"])
def test_a_log_has_no_edges(log: Path, what: str) -> None:
    """The error states what it has."""
    source, words = gpiorig.open(log), {"edges": ("D0",), "decode": ("uart:rx=D0",), "measure": ("a", "b")}
    with pytest.raises(gpiorig.Error, match=r"node.log: iotlab_log has no edges; `latency` is for logs"):
        getattr(source, what)(*words.get(what, ()))


def test_a_file_has_no_packets(vcd: Path) -> None:
    """The remedy of the error gives a recording, which then lacks a bench, and the error states that."""
    capture = gpiorig.open(vcd)
    with pytest.raises(gpiorig.Error, match=r"needs a recording with a bench: run `gpiorig import .* -o RUN`"):
        _ = capture.packets
    assert 0 == command("import", vcd, "-o", vcd.with_name("run")).status
    with pytest.raises(gpiorig.Error, match=r"bench"):
        _ = gpiorig.open(vcd.with_name("run")).packets


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"samplerate": "24 bananas"}, "is not a samplerate"),
        ({"bench": "demo"}, "is not a recording; bench, initiator and responder are of one"),
        ({"format": "nosuch"}, "there is no format 'nosuch'"),
        ({"asserted": ["rtt.p99 < 3 bananas"]}, "bananas"),
        ({"columns": "nosuch"}, "write WHAT=NAME"),
    ],
)
def test_what_cannot_be_opened(vcd: Path, given: dict[str, Any], message: str) -> None:
    """Is refused by `open`, with the base of all errors."""
    with pytest.raises(gpiorig.Error, match=message):
        gpiorig.open(vcd, **given)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Is noticed at once, not when its edges are asked for."""
    with pytest.raises(gpiorig.Error, match=r"missing.sr: cannot be read: No such file or directory; check the name"):
        gpiorig.open(tmp_path / "missing.sr")


def test_texts_for_people_are_short(vcd: Path, log: Path) -> None:
    """Below 200 characters also for long names; in a notebook a table with its names escaped."""
    long = vcd.with_name(f"{'<b>' * 60}.vcd")
    vcd.rename(long)
    capture = gpiorig.open(long)
    results = [capture, capture.edges("request"), capture.measure("request", "reply"), gpiorig.open(log)]
    assert [] == [repr(result) for result in results if len(repr(result)) >= 200]
    for result in results:
        assert "<table>" in result._repr_html_() and "<b>" not in result._repr_html_()


def test_delays_are_drawn_on_given_axes(vcd: Path) -> None:
    """A step for each series, and nothing else on the figure."""
    ax = Figure().subplots()
    gpiorig.open(vcd).measure("request:rise", "reply:rise").plot(ax)

    with pytest.raises(gpiorig.Error, match="no delay to draw; choose events that occur"):
        gpiorig.open(vcd).measure("request", "reply", max_gap_s=1e-7).plot(ax)
    (curve,) = ax.get_lines()
    assert [3, 3, 4] == np.round(curve.get_xdata(), 9).tolist()
    assert [0, 0.5, 1] == curve.get_ydata().tolist()
