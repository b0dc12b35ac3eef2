"""Energy on recordings of virtual boards: a power trace of a known load, by the command, and estimates from states."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import directbench
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commandline import ROOT, gpiorig

from gpiorig.analysis.number_text import prefixed_text
from gpiorig.capture.recording.recording import Recording

pytestmark = pytest.mark.slow  # runs a virtual bench

DEMO = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
PIN = "responder.tap.frame_timestamp"
HIGH_UA, LOW_UA, VOLTS = 14_000.0, 500.0, 3.3
TRACE_HZ, PPM, OFFSET_S = 100_000, 35e-6, 0.0123


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    experiment = (ROOT / "experiments" / "thesis-m3-riot.toml").read_text()
    return directbench.record(tmp_path_factory.mktemp("m3") / "run", DEMO.read_text(), experiment, packets=40)


@pytest.fixture(scope="module")
def trace(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of a PPK2 whose D0 is on the responder's frame timestamp line, while the node draws more."""
    edges = recording.waveform().edges()
    samples, levels = edges.channel(PIN)
    begin_s, rate = edges.start / float(edges.samplerate_hz), TRACE_HZ * (1 + PPM)
    times = samples / float(edges.samplerate_hz) - begin_s + OFFSET_S
    bounds = np.arange(int(((edges.end - edges.start) / float(edges.samplerate_hz) + 2 * OFFSET_S) * rate)) / rate
    high = np.concatenate([[0.0], np.cumsum(np.diff(times) * levels[:-1])])
    until = np.interp(bounds, times, high)  # s for which the line was high
    share = np.diff(until) * rate
    is_high = levels[np.clip(np.searchsorted(times, bounds[:-1], side="right") - 1, 0, None)].astype(bool)
    is_high &= bounds[:-1] >= times[0]
    path = tmp_path_factory.mktemp("ppk2") / "responder.ppk2"
    rows = np.empty(len(share), dtype=[("current", "<f4"), ("bits", ">u2")])
    rows["current"] = LOW_UA + (HIGH_UA - LOW_UA) * share
    rows["bits"] = np.where(is_high, 0x5556, 0x5555)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.raw", rows.tobytes())
        archive.writestr("metadata.json", json.dumps({"metadata": {"samplesPerSecond": TRACE_HZ}}))
    assert struct.calcsize("<fH") == rows.itemsize
    return path


def energies(recording: Recording, output: Path, *options: str) -> tuple[pa.Table, dict[str, object]]:
    done = gpiorig("export", recording.folder, "-o", output, "--table", "energy", "--json", *options)
    assert (0, "") == (done.status, done.stderr)
    return pq.read_table(output), json.loads(done.stdout)


@pytest.mark.parametrize("by", [f"pin=D0:{PIN}", f"load={PIN}"])
def test_a_known_load_is_found_in_its_steps(recording: Recording, trace: Path, tmp_path: Path, by: str) -> None:
    """Aligned by a pin or by the load alone, each step has the energy that the line's time gives, within ±."""
    table, result = energies(recording, tmp_path / "a.parquet", "--power", f"responder={trace},volts={VOLTS},{by}")

    rows = [row for row in table.to_pylist() if row["of"] == "step"]
    edges = recording.waveform().edges()
    samples, levels = edges.channel(PIN)
    high = np.concatenate([[0.0], np.cumsum(np.diff(samples) * levels[:-1])])
    begins = np.array([row["start_sample"] for row in rows])
    ends = begins + np.array([row["samples"] for row in rows])
    seconds = (ends - begins) / float(edges.samplerate_hz)
    high_s = (np.interp(ends, samples, high) - np.interp(begins, samples, high)) / float(edges.samplerate_hz)
    true = VOLTS * 1e-6 * (LOW_UA * seconds + (HIGH_UA - LOW_UA) * high_s)
    found, limit = (np.array([row[name] for row in rows]) for name in ("energy_j", "uncertainty_j"))
    assert len(rows) > 200
    assert 0.95 <= (np.abs(found - true) <= limit).mean()
    long = seconds > 1e-3
    assert (np.abs(found - true)[long] <= 0.01 * true[long]).all()
    assert {"measured"} == set(table["standing"].to_pylist())
    remark = str(result["remarks"])
    assert "PPK2 session responder.ppk2 at 3.3 V" in remark
    assert "unwitnessed" in remark
    assert "responder: the trace lacks" not in remark
    total = sum(row["energy_j"] for row in table.to_pylist() if row["of"] == "node")
    assert f"responder: {prefixed_text(total, 'J')} ± " in remark


def test_estimates_are_marked(recording: Recording, tmp_path: Path) -> None:
    """Without a trace all nodes are estimated, each row is marked so, and the share that is not shown is stated."""
    table, result = energies(recording, tmp_path / "a.parquet")

    assert {"estimate, not measured"} == set(table["standing"].to_pylist())
    assert {"initiator", "responder"} == set(table["node"].to_pylist())
    assert 2 == str(result["remarks"]).count("of the time the pins do not show a state")
    by_node = {row["node"]: row for row in table.to_pylist() if row["of"] == "node"}
    for row in by_node.values():
        watts = row["energy_j"] / (row["samples"] / 24e6)
        assert 3.3 * (0.0045 + 0.0) < watts < 3.3 * (0.0405 + 0.015)


@pytest.mark.parametrize(
    ("power", "problem"),
    [
        ("responder", "write it like `NODE=FILE,pin=PIN:CHANNEL`"),
        ("responder={},volts=3.3", "give pin=PIN:CHANNEL or load=CHANNEL"),
        ("responder={},speed=1,load=x", "no key 'speed'; there are amperes, volts, node, pin, load"),
        ("relay={},volts=3.3,load=x", "no such node; the recording has initiator, responder"),
        ("responder={},load=" + PIN, "has no voltage; give the supply's, for instance volts=3.3"),
        ("responder={},volts=3.3,load=nothing", "no channel 'nothing'"),
        ("responder={},volts=3.3,load=initiator.tap.frame_timestamp", "the power does not follow the channel"),
        ("responder={},volts=3.3,pin=D1:" + PIN, "cannot be matched"),
    ],
)
def test_what_is_refused(recording: Recording, trace: Path, tmp_path: Path, power: str, problem: str) -> None:
    options = ("--table", "energy", "--power", power.format(trace))
    done = gpiorig("export", recording.folder, "-o", tmp_path / "a.parquet", *options)

    assert 2 == done.status
    assert problem in done.stderr
    assert not (tmp_path / "a.parquet").exists()


def test_a_trace_beside_a_recording_is_in_its_report(recording: Recording, trace: Path, tmp_path: Path) -> None:
    """`power.toml` names it: the page has its energies, and quantities have those of the table, with their ±."""
    place = recording.folder / "power.toml"
    place.write_text(f'responder = "{trace},volts={VOLTS},load={PIN}"\n')
    names = ("energy of packet at responder", "energy in node at responder", "energy in send", "power", "energy in udp")
    asked = [word for name in names for word in ("--quantity", name)]
    try:
        done = gpiorig("report", recording.folder, "-o", tmp_path / "page", "--json", *asked, "--assert", "power < 1 W")
        table, _ = energies(recording, tmp_path / "a.parquet")
    finally:
        place.unlink()
    assert (0, "") == (done.status, done.stderr)
    numbers = {row["quantity"]: row for row in json.loads(done.stdout)["quantities"]}
    assert {"responder"} == {row["node"] for row in numbers.values()}
    rows = table.to_pylist()
    packets = [row for row in rows if row["of"] == "packet"]
    [node] = [row for row in rows if row["of"] == "node"]
    of_packet = numbers["energy of packet at responder"]
    assert (len(packets), 0) == (of_packet["n"], of_packet["lacking"])
    for name, values in (("mean", "energy_j"), ("uncertainty", "uncertainty_j")):
        assert np.isclose(np.mean([row[values] for row in packets]), of_packet[name], rtol=1e-6)
    in_node = numbers["energy in node at responder"]
    assert np.isclose([node["energy_j"], node["uncertainty_j"]], [in_node["value"], in_node["uncertainty"]]).all()
    sending = sum(row["energy_j"] for row in rows if row["of"] == "state" and row["name"].endswith("; send"))
    assert np.isclose(sending, numbers["energy in send"]["value"], rtol=1e-6)
    assert np.isclose(node["energy_j"] / (node["samples"] / 24e6), numbers["power"]["value"], rtol=0.01)
    page = (tmp_path / "page" / "report.html").read_text()
    assert "Energy of nodes: measured" in page
    assert "PPK2 session responder.ppk2" in page


@pytest.mark.parametrize(
    ("text", "status", "problem"),
    [
        ("responder = 3", 2, "give pin=PIN:CHANNEL or load=CHANNEL"),
        ("responder = ", 2, "Write a line for each node"),
        ('responder = "absent.ppk2,volts=3.3,load=x"', 1, "No energy: "),
    ],
)
def test_a_trace_that_cannot_be_read_is_stated(recording: Recording, text: str, status: int, problem: str) -> None:
    """A file that is not understood is a wrong input; a trace that is not there a failed check."""
    place = recording.folder / "power.toml"
    place.write_text(text)
    try:
        done = gpiorig("report", recording.folder)
    finally:
        place.unlink()
    assert status == done.status
    assert problem in done.stderr
    assert "power.toml" in done.stderr or "absent.ppk2" in done.stderr


def test_a_measured_quantity_without_a_trace_names_the_remedy(recording: Recording) -> None:
    done = gpiorig("report", recording.folder, "--quantity", "energy of packet")
    assert 1 == done.status
    assert "no power trace of a node is known: name it in power.toml in the folder of the recording" in done.stderr
