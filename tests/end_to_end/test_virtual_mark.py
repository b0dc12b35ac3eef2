"""A served virtual bench is used as one of boards, and everything that comes of it states that it is virtual."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig, gpiorig_running
from matplotlib.text import Text

import gpiorig as interface
from gpiorig.capture.edges.waveform import VIRTUAL_MARK
from gpiorig.rig.bench import benches, written
from gpiorig.rig.recordings.provenance import NOT_ASKED, VIRTUAL

BENCH = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
PACKETS = "6"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the file that the served bench has written, `marked.toml`, and the same without a mark."""
    folder = tmp_path_factory.mktemp("served")
    serving = ("bench", "virtual", BENCH, "--pace", "real-time", "--json", "--bench-file", folder / "marked.toml")
    with gpiorig_running(*serving) as process:
        assert process.stdout is not None
        process.stdout.readline()
        text = (folder / "marked.toml").read_text()
        unmarked = [line for line in text.splitlines() if not line.startswith(("simulated", "debug"))]
        (folder / "unmarked.toml").write_text("\n".join(unmarked) + "\n")
        yield folder


def record(folder: Path, file: str) -> Path:
    """A recording on the served bench; one by real time may notice that the host was slow."""
    output = folder / f"run-{file}"
    done = gpiorig("run", folder / f"{file}.toml", "pingpong", "-o", output, "--packets", PACKETS, "--no-report")
    assert done.status in (0, 1), done.stderr
    return output


@pytest.mark.slow
@pytest.mark.parametrize("file", ["marked", "unmarked"])
def test_everything_states_that_it_is_virtual(served: Path, file: str) -> None:
    """With the mark in the file and without it: recording, certificate, terminal, page, figure, API, exports."""
    bench = benches.load(served / f"{file}.toml")
    assert (bench.virtual, bench.states_virtual) == (None, file == "marked")
    recording = record(served, file)
    assert "virtual = true\n" in (recording / "recording.toml").read_text()

    verified = gpiorig("bench", "verify", served / f"{file}.toml", "--duration", "100ms", "--json")
    assert verified.numbers["virtual"] is True
    assert json.loads((served / f"{file}.certificate.json").read_text())["virtual"] is True

    report = gpiorig("report", recording)
    assert VIRTUAL in report.stdout
    assert VIRTUAL_MARK in (recording / "report/report.html").read_text()
    run = interface.open(recording)
    assert run.virtual
    assert VIRTUAL_MARK in {text.get_text() for text in run.figure(next(iter(run.figures))).findobj(Text)}

    for suffix in ("sr", "csv", "vcd", "parquet", "pftrace"):
        export = served / f"{file}.{suffix}"
        exported = gpiorig("export", recording, "-o", export, "--to", "200ms")
        assert 0 == exported.status, exported.stderr
        if suffix == "pftrace":
            assert VIRTUAL.encode() in export.read_bytes()
            continue
        again = served / f"{file}-{suffix}"
        assert 0 == gpiorig("import", export, "-o", again).status
        assert gpiorig("info", again, "--json").numbers["virtual"] is True


@pytest.mark.slow
def test_what_was_not_asked_is_not_called_hardware(served: Path) -> None:
    """No mark in the file, and lines recorded without a question to the boards: not known, which is stated."""
    recording = served / "lines"
    captured = gpiorig("capture", "--bench", served / "unmarked.toml", "--duration", "300ms", "-o", recording)
    assert captured.status in (0, 1), captured.stderr
    assert "\nvirtual =" not in (recording / "recording.toml").read_text()
    assert gpiorig("info", recording, "--json").numbers["virtual"] is None
    assert NOT_ASKED in gpiorig("report", recording).stdout


def test_a_debug_port_of_a_simulator_is_a_mark() -> None:
    """OpenOCD's `remote_bitbang` states it as well as the line of the file does; a serial number of an adapter not."""
    bench = benches.load(ROOT / "rig/gpiorig/rig/benches/fx2-two-m3.toml")
    text = written.text(bench)
    assert not benches.loads(text).states_virtual
    assert benches.loads(f"simulated = true\n{text}").states_virtual
    assert not benches.loads(
        text.replace('board = "iotlab-m3"\n', 'board = "iotlab-m3"\ndebug = "FT1ABCD"\n', 1)
    ).states_virtual
    simulated = 'board = "iotlab-m3"\ndebug = "remote_bitbang://127.0.0.1:4711"\n'
    assert benches.loads(text.replace('board = "iotlab-m3"\n', simulated, 1)).states_virtual
