"""Power traces: their files as instruments and sigrok write them, and what is refused."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gpiorig.capture.errors import FormatError
from gpiorig.capture.power import files, jls, sr
from gpiorig.capture.power.channels import Named
from gpiorig.capture.power.instruments import Instrument
from gpiorig.capture.power.trace import PowerTrace

MILLI = 1e-3


def read(path: Path, **named: str) -> tuple[PowerTrace, list[int], np.ndarray, np.ndarray]:
    """A trace, the samples that it has, their currents and their voltages."""
    trace = files.read(path, Named(**named))
    blocks = list(trace.read())
    samples = [block.start + place for block in blocks for place in range(len(block.amperes))]
    return (
        trace,
        samples,
        *(np.concatenate([getattr(block, name) for block in blocks]) for name in ("amperes", "volts")),
    )


def rocketlogger(path: Path, rows: list[tuple[int, int, int, int]], *, version: int = 4) -> Path:
    """A file by rl_file.h with one input, the flag of the low range, I1L (10 pA), I1H (1 nA) and V1 (10 nV).

    Each row is flag, I1L, I1H, V1. Links to the flag count from 1 up to version 2, from 0 later.
    """
    link = 1 + (version < 3)
    channels = [(3, 0, 0, 65535, "DI1"), (4, 0, 0, 65535, "I1L_valid")]
    channels += [(2, -11, 4, link, "I1L"), (2, -9, 4, 65535, "I1H"), (1, -8, 4, 65535, "V1")]
    head = b"".join(struct.pack("<IiHH16s", *fields[:4], fields[4].encode()) for fields in channels)
    lead = struct.pack("<4sHHIIQH6s", b"%RLD", version, 56 + len(head), 100, 1, len(rows), 1000, bytes(6))
    content = lead + struct.pack("<qqIHH", 1_700_000_000, 0, 0, 2, 3) + head + struct.pack("<qqqq", 0, 0, 7, 0)
    path.write_bytes(content + b"".join(struct.pack("<Iiii", flag << 1, *row) for flag, *row in rows))
    return path


@pytest.mark.parametrize("version", [2, 4])
def test_rocketlogger_takes_the_range_that_is_valid(tmp_path: Path, version: int) -> None:
    """Where the flag is set the low range counts, elsewhere the high one; the links' origin is that of the version."""
    rows = [(1, 100_000, 999, 300_000_000), (0, -1, 5_000_000, 310_000_000), (1, 200_000, 1, 300_000_000)]

    trace, samples, amperes, volts = read(rocketlogger(tmp_path / "a.rld", rows, version=version))

    assert [0, 1, 2] == samples
    assert np.allclose([1e-6, 5e-3, 2e-6], amperes, rtol=1e-12)
    assert np.allclose([3.0, 3.1, 3.0], volts, rtol=1e-12)
    assert Fraction(1000 * 100_000_000, 49 * 2_048_000) == trace.samplerate_hz
    assert trace.pins is not None
    assert ("DI1",) == trace.pins.channels
    assert 1e-9 == pytest.approx(trace.step_a)
    scaled, _, doubled, tripled = read(tmp_path / "a.rld", amperes="I1*-2", volts="V1*3")
    assert (-2 * amperes).tolist() == pytest.approx(doubled.tolist())
    assert (3 * volts).tolist() == pytest.approx(tripled.tolist())
    assert 2e-9 == pytest.approx(scaled.step_a)


@pytest.mark.parametrize(("bit", "is_read"), [(1, True), (31, True), (32, False), (65535, False)])
def test_rocketlogger_states_where_its_range_is_shown(tmp_path: Path, bit: int, is_read: bool) -> None:
    """In one of its 32 bits; where a current has one range, no bit is needed."""
    path = rocketlogger(tmp_path / "a.rld", [(0, 1, 5_000_000, 1), (1, 1, 7_000_000, 1)])
    content, at = bytearray(path.read_bytes()), 56 + 2 * 28
    struct.pack_into("<H", content, at + 10, bit)
    path.write_bytes(content)
    if is_read:
        assert [5e-3, 7e-3 if bit != 1 else 1e-11] == pytest.approx(read(path)[2].tolist())
    else:
        with pytest.raises(FormatError, match="does not show which range of I1 is valid"):
            read(path)
    struct.pack_into("<16s", content, at + 12, b"I2H")
    path.write_bytes(content)
    assert [5e-3, 7e-3] == pytest.approx(read(path, amperes="I1")[2].tolist())


def test_rocketlogger_may_have_its_high_range_first(tmp_path: Path) -> None:
    """A channel's place in the file says nothing of its range."""
    path = rocketlogger(tmp_path / "a.rld", [(0, 100_000, 200_000, 1), (1, 100_000, 200_000, 1)])
    content = path.read_bytes().replace(b"I1L\0", b"I1x\0").replace(b"I1H\0", b"I1L\0").replace(b"I1x\0", b"I1H\0")
    path.write_bytes(content)
    assert "does not show which range" in _problem(path)
    path.write_bytes(bytes(content[: 56 + 3 * 28 + 10]) + struct.pack("<H", 1) + content[56 + 3 * 28 + 12 :])
    assert [1e-6, 2e-4] == pytest.approx(read(path)[2].tolist())


def _problem(path: Path) -> str:
    with pytest.raises(FormatError) as error:
        read(path)
    return str(error.value)


def test_what_is_named_is_what_is_there(tmp_path: Path) -> None:
    """A channel that the file does not have, or a factor that is not a number, is refused with those that it has."""
    path = rocketlogger(tmp_path / "a.rld", [(1, 1, 1, 1)])

    for named, problem in {
        ("amperes", "I2"): "no channel 'I2'; give amperes=NAME, of I1",
        ("volts", "V9"): "no channel 'V9'; give volts=NAME, of V1",
        ("amperes", "I1*x"): "'x' is not a number; write amperes=NAME",
    }.items():
        with pytest.raises(FormatError, match=problem.replace("*", r"\*")):
            read(path, **dict([named]))
    assert np.allclose([2e-11], read(path, amperes="I1*2", volts="3")[2])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")
@pytest.mark.parametrize("logic", [0, 2])
def test_analog_channels_of_sigrok(tmp_path: Path, logic: int) -> None:
    """A session that sigrok-cli recorded of its driver demo is as sigrok-cli prints it, with and without logic."""
    path = tmp_path / "a.sr"
    device = ["-d", f"demo:logic_channels={logic}:analog_channels=2", "--config", "samplerate=100k"]
    subprocess.run(["sigrok-cli", *device, "--samples", "3000", "-o", path], check=True, timeout=60)
    printed = subprocess.run(
        ["sigrok-cli", "-i", path, "-O", "analog"], capture_output=True, text=True, check=False, timeout=60
    ).stdout.splitlines()  # its status is 1 of any session with analog channels

    trace, samples, amperes, volts = read(path, amperes="A1*0.5", volts="A0")

    assert list(range(3000)) == samples
    rows = [line.split() for line in printed if line.startswith("A1:")]
    expected = [float(value) * (MILLI if unit == "mV" else 1) for _, value, unit, *_ in rows]
    assert np.allclose(0.5 * np.array(expected), amperes, atol=0.005)  # it prints two decimals
    assert not np.array_equal(amperes, volts)
    assert (100_000, logic > 0) == (trace.samplerate_hz, trace.pins is not None)


def session(path: Path, currents_ua: list[float]) -> Path:
    """A session of a PPK2; D0 is high with the currents above 1 mA."""
    raw = b"".join(
        struct.pack("<f", current) + struct.pack(">H", 0x5556 if current > 1000 else 0x5555) for current in currents_ua
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.raw", raw)
        archive.writestr("metadata.json", json.dumps({"metadata": {"samplesPerSecond": 100_000}}))
    return path


def test_ppk2(tmp_path: Path) -> None:
    """A session, whose sample that was not received is lost, and the export, whose missing row is; at 3.3 V."""
    _, samples, amperes, volts = read(session(tmp_path / "a.ppk2", [10.0, 2000.0, 0.2, 20.0]), volts="3.3")
    assert [0, 1, 3] == samples
    assert np.allclose([10e-6, 2e-3, 20e-6], amperes)
    assert set(volts.tolist()) == {3.3}
    trace = files.read(tmp_path / "a.ppk2", Named(volts="3.3"))
    assert [0, 3] == [block.start for block in trace.read()]
    assert trace.pins is not None

    export = tmp_path / "a.csv"
    export.write_text("Timestamp(ms),Current(uA)\n0,10.0\n0.01,2000.0\n0.03,20.0\n")
    trace, samples, amperes, _ = read(export, volts="3.3")
    assert ([0, 1, 3], 100_000, None) == (samples, trace.samplerate_hz, trace.pins)
    assert [0, 3] == [block.start for block in trace.read()]
    assert np.allclose([10e-6, 2e-3, 20e-6], amperes)
    export.write_text("Timestamp(ms),Current(uA),D0-D7\n0,10.0,00000001\n0.01,2000.0,00000000\n")
    assert read(export, volts="3.3")[0].pins is not None
    with pytest.raises(FormatError, match="has times that do not increase"):
        export.write_text("Timestamp(ms),Current(uA)\n0,10.0\n0.01,1.0\n0.02,1.0\n0.02,2.0\n")
        read(export, volts="3.3")
    export.write_text("Timestamp(ms),Current(uA)\n0,10.0\n0.01,2000.0\n0.03,20.0\n")

    with pytest.raises(FormatError, match=r"has no voltage; give the supply's, for instance volts=3\.3"):
        read(export)


def test_flocklab(tmp_path: Path) -> None:
    """One node of a test with two, by its name; a row that is missing; version 1 has no voltage."""
    rows = [f"{1_600_000_000 + at / 1000:.7f},{node},{node},{at + node},3.0" for at in (0, 1, 2, 4) for node in (6, 7)]
    path = tmp_path / "powerprofiling.csv"
    path.write_text("\n".join(["timestamp,observer_id,node_id,current_mA,voltage_V", *rows, ""]))

    trace, samples, amperes, volts = read(path, node="7")

    assert [0, 1, 2, 4] == samples
    assert [0, 4] == [block.start for block in trace.read()]
    assert np.allclose([7e-3, 8e-3, 9e-3, 11e-3], amperes)
    assert set(volts.tolist()) == {3.0}
    assert abs(trace.samplerate_hz - 1000) < 0.1
    with pytest.raises(FormatError, match="is of the nodes 6, 7; name one: node=NODE_ID"):
        read(path)

    jitter = [0.0, 0.4, 2.0, 3.4, 3.6, 5.0, 9.0]  # ms; rows that are half a sample off follow each other all the same
    rows = [f"{1_600_000_000 + at / 1000:.7f},6,6,5,3.0" for at in jitter]
    path.write_text("\n".join(["timestamp,observer_id,node_id,current_mA,voltage_V", *rows, ""]))
    _, samples, _, _ = read(path)
    assert sorted(set(samples)) == samples
    assert 7 == len(samples)

    path.write_text(
        "\n".join(["# timestamp,observer_id,node_id,value_mA", "1600000000.0,6,6,5", "1600000000.5,6,6,7", ""])
    )
    _, samples, amperes, volts = read(path, volts="3.3")
    assert ([0, 1], {3.3}) == (samples, set(volts.tolist()))
    assert np.allclose([5e-3, 7e-3], amperes)


def test_the_supply_of_flocklab_is_the_file_s_or_the_given_one(tmp_path: Path) -> None:
    """A given voltage goes before that of the file; without either, and with a single row, nothing is read."""
    path, head = tmp_path / "powerprofiling.csv", "timestamp,observer_id,node_id,"
    rows = "1600000000.0,6,6,5{0}\n1600000000.5,6,6,7{0}\n"
    path.write_text(f"{head}current_mA,voltage_V\n{rows.format(',3.0')}")
    assert {5.0} == set(read(path, volts="5")[3].tolist())
    for content, problem in (
        (f"# {head}value_mA\n{rows.format('')}", "has no voltage; give the supply's"),
        (f"{head}current_mA,voltage_V\n1600000000.0,6,6,5,3.0\n", "has no two samples of node 6"),
        (f"{head}current_mA,voltage_V\n", "has no two samples"),
    ):
        path.write_text(content)
        with pytest.raises(FormatError, match=problem):
            read(path)


def test_joulescope(tmp_path: Path) -> None:
    """Current and voltage of a file that pyjls writes."""
    pyjls = pytest.importorskip("pyjls")
    path = tmp_path / "a.jls"
    values = np.linspace(0, 0.01, 1000, dtype=np.float32)
    with pyjls.Writer(str(path)) as writer:
        writer.source_def(source_id=1, name="js", vendor="", model="", version="", serial_number="")
        for number, (name, unit, samples) in enumerate((("current", "A", values), ("voltage", "V", values + 3)), 1):
            writer.signal_def(
                signal_id=number, source_id=1, sample_rate=100_000, name=name, units=unit, data_type=pyjls.DataType.F32
            )
            writer.fsr(number, 0, samples)

    trace, samples, amperes, volts = read(path)

    assert (list(range(1000)), 100_000, None) == (samples, trace.samplerate_hz, trace.pins)
    assert np.array_equal(values, amperes.astype(np.float32))
    assert np.array_equal(values + 3, volts.astype(np.float32))


def test_joulescope_of_the_time_that_both_signals_cover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the later begin to the earlier end, in blocks, with factors; integers in amperes are not a current."""
    pyjls = pytest.importorskip("pyjls")
    monkeypatch.setattr(jls, "CHUNK", 300)
    path = tmp_path / "a.jls"
    values = np.arange(1000, dtype=np.float32)

    def write(volts_hz: int) -> None:
        kinds = (("current", "A", "F32", 100_000), ("raw", "A", "I16", 100_000), ("voltage", "V", "F32", volts_hz))
        with pyjls.Writer(str(path)) as writer:
            writer.source_def(source_id=1, name="js", vendor="", model="", version="", serial_number="")
            for number, (name, unit, kind, rate_hz) in enumerate(kinds, 1):
                options = {"name": name, "units": unit, "data_type": getattr(pyjls.DataType, kind)}
                writer.signal_def(signal_id=number, source_id=1, sample_rate=rate_hz, **options)
            writer.fsr(1, 50, values)
            writer.fsr(2, 0, values.astype(np.int16))
            writer.fsr(3, 20, values[:900])

    write(100_000)
    trace, samples, amperes, volts = read(path, amperes="current*0.5", volts="voltage*4")
    assert (list(range(870)), [0, 300, 600]) == (samples, [block.start for block in trace.read()])
    assert np.array_equal(np.arange(870) * 0.5, amperes)
    assert np.array_equal(np.arange(30, 900) * 4.0, volts)
    assert np.array_equal(np.arange(870) * 0.5, read(path, amperes="*0.5")[2])
    write(50_000)
    with pytest.raises(FormatError, match="has signals of several samplerates"):
        read(path)


def test_a_session_of_two_analog_channels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In chunks of any size, with factors; the voltage is the channel that is not the current."""
    monkeypatch.setattr(sr, "CHUNK", 16)
    path = tmp_path / "a.sr"
    about = "[device 1]\nsamplerate=1 kHz\ntotal analog=2\nanalog1=A0\nanalog2=A1\n"
    values = np.arange(80, dtype="<f4").reshape(2, 40)

    def write(metadata: str) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("version", b"2")
            archive.writestr("metadata", metadata)
            for channel in (0, 1):
                for chunk, part in enumerate((slice(0, 25), slice(25, 40)), 1):
                    archive.writestr(f"analog-1-{channel + 1}-{chunk}", values[channel, part].tobytes())

    write(about)
    trace, samples, amperes, volts = read(path, amperes="A1*0.5", volts="*4")
    assert (list(range(40)), [0, 16, 32]) == (samples, [block.start for block in trace.read()])
    assert np.array_equal(values[1] * 0.5, amperes)
    assert np.array_equal(values[0] * 4.0, volts)
    filled = about + "#" * (sr.METADATA_BYTES - len(about))
    write(filled)
    assert 40 == len(read(path, amperes="A1")[1])
    for metadata, problem in (
        (filled + "#", "has metadata that are too large"),
        ("[device 1]\nsamplerate=1 kHz\n", "has no analog channels"),
        ("[device 1]\nanalog1=A0\n", "has no samplerate"),
    ):
        write(metadata)
        assert problem in _problem(path)


def test_limits_without_a_document_are_unwitnessed() -> None:
    limits = "±(0.01 of the power, 1e-06 A, 0 V)"
    for source, text in (("", "unwitnessed"), ("its manual", "its manual")):
        instrument = Instrument(name="meter", gain=0.01, offset_a=1e-6, source=source)
        assert f"meter, {limits}: {text}" == instrument.standing


def test_what_has_no_power_is_refused(tmp_path: Path) -> None:
    """A file of edges, and a session whose chunk is missing, or that ends within a sample."""
    edges = tmp_path / "a.vcd"
    edges.write_text("$timescale 1 ns $end\n$var wire 1 ! D0 $end\n$enddefinitions $end\n#0\n0!\n#5\n1!\n")
    with pytest.raises(FormatError, match=r"no power trace that can be read \(it is of the format vcd\); give a \.sr"):
        read(edges)

    path = tmp_path / "a.sr"
    about = "[device 1]\nsamplerate=1 kHz\ntotal analog=1\nanalog1=A0\n"
    for members, problem in (
        ({"analog-1-1-2": bytes(8)}, "lacks the chunk analog-1-1-1; it is damaged"),
        ({"analog-1-1-1": bytes(7)}, "ends within a sample; it is damaged"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in {"version": b"2", "metadata": about.encode(), **members}.items():
                archive.writestr(name, content)
        with pytest.raises(FormatError, match=problem):
            read(path, volts="3.3")


def good_files(folder: Path) -> dict[Path, dict[str, str]]:
    """A file of each format, and what must be named to read it."""
    flocklab = folder / "powerprofiling.csv"
    rows = [f"{1_600_000_000 + at / 1000:.7f},6,6,{at},3.0" for at in range(40)]
    flocklab.write_text("\n".join(["timestamp,observer_id,node_id,current_mA,voltage_V", *rows, ""]))
    export = folder / "b.csv"
    export.write_text(
        "Timestamp(ms),Current(uA),D0-D7\n" + "".join(f"{at / 100},{at}.5,00000000\n" for at in range(40))
    )
    analog = folder / "a.sr"
    with zipfile.ZipFile(analog, "w") as archive:
        archive.writestr("version", "2")
        archive.writestr("metadata", "[device 1]\nsamplerate=1 kHz\ntotal analog=1\nanalog1=A0\n")
        archive.writestr("analog-1-1-1", np.arange(40, dtype="<f4").tobytes())
    loggers = rocketlogger(folder / "a.rld", [(at % 2, at, at, at) for at in range(40)])
    ppk2 = session(folder / "a.ppk2", [10.0 * at for at in range(40)])
    supply = {"volts": "3.3"}
    return {flocklab: {}, export: supply, analog: supply, loggers: {}, ppk2: supply}


@pytest.mark.slow
def test_damage_is_an_error_of_its_file(tmp_path: Path) -> None:
    """Of files that are cut short or have other bytes, each is read, or refused with a FormatError."""
    rng, refused, read_again = np.random.default_rng(1), 0, 0
    for path, named in good_files(tmp_path).items():
        content = path.read_bytes()
        assert 40 == len(read(path, **named)[1])
        for number in range(60):
            damaged = bytearray(content)
            if number % 3:
                for place in rng.integers(0, len(content), number % 5 + 1):
                    damaged[place] = rng.integers(0, 256)
            else:
                del damaged[int(rng.integers(0, len(content))) :]
            path.write_bytes(damaged)
            try:
                for block in files.read(path, Named(**named)).read():
                    assert len(block.volts) == len(block.amperes)
                read_again += 1
            except FormatError:
                refused += 1
        path.write_bytes(content)
    assert refused > 50
    assert read_again > 50
