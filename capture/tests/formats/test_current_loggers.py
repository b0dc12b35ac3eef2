"""The digital channels of instruments that record currents: RocketLogger, Nordic's PPK2, Joulescope."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import jls, recognise, rld
from gpiorig.capture.formats import ppk2 as ppk_format

NS = 10**9


def rocketlogger(
    levels: list[int], *, block: int = 4, lost_after: int = 0, lost: int = 1, version: int = 4, rate: int = 1000
) -> bytes:
    """A file by the structs of rl_file.h: inputs DI1 to DI6, a range flag, one current of 4 bytes.

    `lost`: so many blocks are missing after `lost_after` of them.
    """
    names = [*((3, f"DI{n}", 0) for n in range(1, 7)), (4, "I1L_valid", 0), (2, "I1L", 4)]
    channels = b"".join(struct.pack("<IiHH16s", unit, -9, size, 65535, name.encode()) for unit, name, size in names)
    comment = b"by a test\0\0\0"
    length = 56 + len(comment) + len(channels)
    blocks = -(-len(levels) // block)
    head = struct.pack("<4sHHIIQH6s", b"%RLD", version, length, block, blocks, len(levels), rate, b"\1\2\3\4\5\6")
    head += struct.pack("<qqIHH", 1_700_000_000, 250_000_000, len(comment), 7, 1)
    data, period_ns = head + comment + channels, Fraction(block * NS * 49 * 2_048_000, rate * 100_000_000)
    for number in range(blocks):
        at = round((number + lost * (number >= lost_after > 0)) * period_ns) + 7 * NS + number % 2 * 1_000_000
        data += struct.pack("<qqqq", 1_700_000_000, 0, at // NS, at % NS)
        data += b"".join(struct.pack("<Ii", level, -level) for level in levels[block * number : block * (number + 1)])
    return data


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_rocketlogger(tmp_path: Path) -> None:
    """Levels, names, the converter's true rate, a last block that is not full."""
    levels = [0, 1, 1, 3, 3, 2, 0, 64, 65, 0]
    path = write(tmp_path / "a.rld", rocketlogger(levels))

    waveform = rld.read(path, ReadOptions())
    edges = waveform.edges()

    assert "rld" == recognise(path)
    assert tuple(f"DI{n}" for n in range(1, 7)) == waveform.channels
    assert Fraction(1000 * 100_000_000, 49 * 2_048_000) == waveform.samplerate_hz
    assert "2023-11-14T22:13:20.250000000+00:00" == waveform.epoch
    assert ([0, 1, 3, 5, 6, 8, 9], [0, 1, 3, 2, 0, 1, 0]) == (edges.samples.tolist(), edges.levels.tolist())
    assert (10, 0) == (edges.end, len(edges.gaps))
    assert [0, 3, 6] == rld.read(path, ReadOptions(channels=("DI2",))).edges().samples.tolist()


def test_a_lost_buffer_of_rocketlogger_is_a_gap(tmp_path: Path) -> None:
    """The blocks' timestamps show it; jitter of a millisecond does not."""
    path = write(tmp_path / "a.rld", rocketlogger([1] * 400 + [0] * 400, block=100, lost_after=2))

    waveform = rld.read(path, ReadOptions())
    edges = waveform.edges()

    assert ([[200, 300]], 900) == (edges.gaps.tolist(), edges.end)
    assert [(0, 1), (300, 1), (500, 0)] == list(zip(edges.samples.tolist(), edges.levels.tolist(), strict=True))
    assert ["missing by the timestamps of the blocks, of 100 samples each: 1"] == waveform.remarks


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (rocketlogger([0, 1])[:50], "cut short within its header"),
        (rocketlogger([0, 1])[:90], "header whose parts do not add up"),
        (rocketlogger([0, 1], version=9), "of version 9; 1 to 4 are known"),
        (rocketlogger([0, 1], rate=1)[:24] + bytes(2) + rocketlogger([0, 1])[26:], "states 0 Hz"),
        (rocketlogger([0, 1] * 8)[:-3], "cut short: it has 15 of 16 samples"),
        (rocketlogger([0, 1] * 8).replace(struct.pack("<I", 3), struct.pack("<I", 4)), "has no digital inputs"),
    ],
)
def test_damage_of_rocketlogger(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        rld.read(write(tmp_path / "a.rld", content), ReadOptions())


def test_remedies_of_rocketlogger(tmp_path: Path) -> None:
    """What was cut short is read with --recover; a timestamp that is damaged is an error."""
    good = rocketlogger([0, 1] * 8)
    assert 15 == rld.read(write(tmp_path / "a.rld", good[:-3]), ReadOptions(recover=True)).edges().end

    damaged = bytearray(good)
    damaged[-(32 + 32) + 16 + 8 : -(32 + 32) + 16 + 16] = b"\xff" * 8
    with pytest.raises(FormatError, match="block, of sample 12, whose timestamp is not one"):
        rld.read(write(tmp_path / "b.rld", bytes(damaged)), ReadOptions()).edges()


def test_a_long_outage_of_rocketlogger_is_exact(tmp_path: Path) -> None:
    """The number of missing blocks follows the converter's true rate, also over a thousand of them and seconds."""
    path = write(tmp_path / "a.rld", rocketlogger([1] * 400 + [0] * 400, block=100, lost_after=2, lost=1000))

    assert [[200, 100_200]] == rld.read(path, ReadOptions()).edges().gaps.tolist()


def test_the_longest_outage_of_rocketlogger_that_is_believed(tmp_path: Path) -> None:
    most = rld.MAX_LOST // 4
    path = write(tmp_path / "a.rld", rocketlogger([1] * 4 + [0] * 4, lost_after=1, lost=most))
    assert [[4, 4 + rld.MAX_LOST]] == rld.read(path, ReadOptions()).edges().gaps.tolist()

    path = write(tmp_path / "b.rld", rocketlogger([1] * 4 + [0] * 4, lost_after=1, lost=most + 1))
    with pytest.raises(FormatError, match="block, of sample 4, whose timestamp is not one"):
        rld.read(path, ReadOptions()).edges()


@pytest.mark.parametrize(("ns", "is_time"), [(7_000_000, True), (NS - 1, True), (NS, False), (-1, False)])
def test_a_timestamp_of_rocketlogger_has_less_than_a_second_of_ns(tmp_path: Path, ns: int, is_time: bool) -> None:
    """Also a block that has the stamp of the one before is read: rounding and jitter do that."""
    content = bytearray(rocketlogger([1, 0] * 4, rate=1))
    first, second = len(content) - 2 * (32 + 4 * 8) + 16, len(content) - (32 + 4 * 8) + 16
    for at in (first, second):
        struct.pack_into("<qq", content, at, 7, ns)
    path = write(tmp_path / "a.rld", bytes(content))
    if is_time:
        assert (8, 0) == ((edges := rld.read(path, ReadOptions()).edges()).end, len(edges.gaps))
    else:
        with pytest.raises(FormatError, match="block, of sample 0, whose timestamp is not one"):
            rld.read(path, ReadOptions()).edges()


@pytest.mark.parametrize("count", [64, 65])
def test_rocketlogger_has_up_to_64_inputs(tmp_path: Path, count: int) -> None:
    """As many as levels have bits; the names are those that each input has, or its number."""
    channels = b"".join(struct.pack("<IiHH16s", 3, 0, 0, 65535, b"same" if bit < 2 else b"") for bit in range(count))
    head = struct.pack("<4sHHIIQH6s", b"%RLD", 4, 56 + len(channels), 2, 1, 2, 1000, bytes(6))
    head += struct.pack("<qqIHH", 0, 0, 0, count, 0)
    rows = (1 << 63 | 1).to_bytes(8, "little") + (1 << 32).to_bytes(8, "little")
    path = write(tmp_path / "a.rld", head + channels + bytes(32) + rows)
    if count > 64:
        with pytest.raises(FormatError, match="states 1000 Hz, blocks of 2 samples and 65 digital channels"):
            rld.read(path, ReadOptions())
        return
    edges = rld.read(path, ReadOptions()).edges()
    assert [1 << 63 | 1, 1 << 32] == edges.levels.tolist()
    assert ("same", "same (1)", *(f"D{bit}" for bit in range(2, 64))) == edges.channels


def ppk2(path: Path, rows: list[tuple[float, str]], *, session: bytes | None = None, metadata: str = "") -> Path:
    """A session as the Power Profiler saves it, of currents and states of D0 to D7."""
    pairs = {"0": 1, "1": 2, "X": 3, "-": 0}
    raw = b"".join(
        struct.pack("<f", current) + struct.pack(">H", sum(pairs[state] << 2 * bit for bit, state in enumerate(states)))
        for current, states in rows
    )
    about = {"metadata": {"samplesPerSecond": 100_000, "startSystemTime": 1_700_000_000_250.5}, "formatVersion": 2}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.raw", raw if session is None else session)
        archive.writestr("metadata.json", metadata or json.dumps(about))
        archive.writestr("minimap.raw", b"{}")
    return path


STATES = ["00000000", "10000000", "1X000000", "11000000", "1X000000", "11000000", "01000001"]


def test_a_session_of_a_ppk2(tmp_path: Path) -> None:
    """A level that is both within a sample counts from the next one on; a sample that was lost is a gap."""
    rows = [(12.5, states) for states in STATES]
    path = ppk2(tmp_path / "a.ppk2", [*rows, (0.2, "00000000"), (12.5, "01000001")])

    waveform = ppk_format.read(path, ReadOptions())
    edges = waveform.edges()

    assert "ppk2" == recognise(path)
    assert (100_000, "2023-11-14T22:13:20.250500+00:00") == (waveform.samplerate_hz, waveform.epoch)
    assert ([0, 1, 3, 6, 8], [0, 1, 3, 130, 130]) == (edges.samples.tolist(), edges.levels.tolist())
    assert ([[7, 8]], 9) == (edges.gaps.tolist(), edges.end)
    assert ["samples that were not received: 1", "samples within which a channel changed: 2"] == [
        remark.partition(";")[0] for remark in waveform.remarks
    ]
    assert [0, 6, 8] == ppk_format.read(path, ReadOptions(channels=("D7",))).edges().samples.tolist()


@pytest.mark.parametrize("together", [True, False])
def test_the_export_of_a_ppk2(tmp_path: Path, together: bool) -> None:
    """The channels in a column each, or in one; the range begins at 2.5 ms; rows that are missing are a gap."""
    names = "D0-D7" if together else ",".join(f"D{bit}" for bit in range(8))
    at_ms = [2.5, 2.51, 2.52, 2.53, 2.54, 2.55, 2.59]
    rows = [f"{ms},12.345,{states if together else ','.join(states)}" for ms, states in zip(at_ms, STATES, strict=True)]
    path = tmp_path / "ppk.csv"
    path.write_text("\n".join([f"Timestamp(ms),Current(uA),{names}", *rows, ""]))

    waveform = ppk_format.read(path, ReadOptions())
    edges = waveform.edges()

    assert ("ppk2", 100_000) == (recognise(path), waveform.samplerate_hz)
    assert ([250, 251, 253, 259], [0, 1, 3, 130]) == (edges.samples.tolist(), edges.levels.tolist())
    assert ([[256, 259]], 260) == (edges.gaps.tolist(), edges.end)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Timestamp(ms),Current(uA)\n0,1.000\n", "lacks the timestamps or the digital channels"),
        ("Timestamp(ms),D0-D7\n0,00000000\n0.5,00000000\n", "rows 0.5 ms apart, which is none of the rates"),
        ("Timestamp(ms),D0-D7\n0,00000000\n1,0000000\n", "row from line 2 on without eight levels"),
        ("Timestamp(ms),D0-D7\n0,00000000\n1,0000000?\n", "row from line 2 on without eight levels"),
        (
            "Timestamp(ms),D0-D7\n0,00000000\n2,00000000\n1,00000000\n2,00000000\n",
            "times from line 2 on that are not those",
        ),
        (
            "Timestamp(ms),D0-D7\n0,00000000\n0,00000000\n1,00000000\n",
            "times from line 2 on that are not those of its samples",
        ),
        ("Timestamp(ms),D0-D7\n0,00000000\n1,00000000\nx,00000000\n", "cut short or damaged"),
    ],
)
def test_damage_of_an_export_of_a_ppk2(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "ppk.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=problem):
        ppk_format.read(path, ReadOptions()).edges()


def test_the_remedy_for_the_rate_of_an_export(tmp_path: Path) -> None:
    path = tmp_path / "ppk.csv"
    path.write_text("Timestamp(ms),D0-D7\n0,00000000\n0.5,10000000\n")

    assert [0, 1] == ppk_format.read(path, ReadOptions(samplerate_hz=Fraction(2000))).edges().samples.tolist()


def test_damage_of_a_session_of_a_ppk2(tmp_path: Path) -> None:
    """A cut zip, a damaged member, a part of a sample, a samplerate that is missing: one error each."""
    good = ppk2(tmp_path / "a.ppk2", [(1.0, "00000000")] * 500).read_bytes()
    damaged = bytearray(good)
    damaged[45] ^= 0xFF
    paths = [write(tmp_path / "b.ppk2", good[:-30]), write(tmp_path / "c.ppk2", bytes(damaged))]
    paths += [ppk2(tmp_path / "d.ppk2", [], session=bytes(9)), ppk2(tmp_path / "e.ppk2", [], metadata="[]")]
    paths.append(ppk2(tmp_path / "f.ppk2", [], session=bytes(3)))
    problems = ["cut short or damaged", "cut short or damaged", "ends within sample 1", "without a samplerate"]
    problems.append("ends within sample 0")
    for path, problem in zip(paths, problems, strict=True):
        with pytest.raises(FormatError, match=problem):
            ppk_format.read(path, ReadOptions()).edges()


@pytest.mark.parametrize(
    ("start", "epoch"),
    [
        (1, "1970-01-01T00:00:00.001000+00:00"),
        (0, ""),
        (-1, ""),
        (ppk_format.MAX_START_MS - 1, "2286-11-20T17:46:39.999000+00:00"),
        (ppk_format.MAX_START_MS, ""),
        ("now", ""),
        (None, ""),
    ],
)
def test_when_a_session_of_a_ppk2_began(tmp_path: Path, start: object, epoch: str) -> None:
    """A start that is not a time of the wall clock is none."""
    metadata = json.dumps({"metadata": {"samplesPerSecond": 1000, "startSystemTime": start}})
    waveform = ppk_format.read(ppk2(tmp_path / "a.ppk2", [(1.0, STATES[0])], metadata=metadata), ReadOptions())

    assert (epoch, 1000) == (waveform.epoch, waveform.samplerate_hz)


@pytest.mark.parametrize("excess", [0, 1])
def test_the_largest_metadata_of_a_ppk2(tmp_path: Path, excess: int) -> None:
    metadata = json.dumps({"metadata": {"samplesPerSecond": 1000}}).ljust(ppk_format.METADATA_BYTES + excess)
    path = ppk2(tmp_path / "a.ppk2", [(1.0, STATES[0])], metadata=metadata)
    if excess:
        with pytest.raises(FormatError, match=r"metadata\.json that is too large"):
            ppk_format.read(path, ReadOptions())
    else:
        assert 1 == ppk_format.read(path, ReadOptions()).edges().end


def test_what_a_ppk2_wrote(tmp_path: Path) -> None:
    """A zip by its name or by its first member, a table by all of its columns."""
    head = ppk2(tmp_path / "a.ppk2", [(1.0, STATES[0])]).read_bytes()
    zipped = head.replace(b"session.raw", b"another.raw")
    table = ",".join(["Timestamp(ms)", "Current(uA)", "D0-D7", *(f"D{bit}" for bit in range(8))])

    assert ppk_format.recognises(Path("a.zip"), head)
    assert ppk_format.recognises(Path("a.PPK2"), zipped)
    assert not ppk_format.recognises(Path("a.zip"), zipped)
    assert ppk_format.recognises(Path("a.csv"), f"{table}\n".encode())
    assert not ppk_format.recognises(Path("a.csv"), f"{table},E\n".encode())
    assert not ppk_format.recognises(Path("a.csv"), b"Current(uA),D0-D7\n")
    assert not ppk_format.recognises(Path("a.csv"), b"time,D0-D7\n")


@pytest.mark.parametrize(("at_ms", "is_sample"), [("0.05", True), ("0.06", False), ("0.94", False)])
def test_how_far_off_its_sample_a_row_of_a_ppk2_may_be(tmp_path: Path, at_ms: str, is_sample: bool) -> None:
    """A twentieth of a sample; farther, the remedy is the rate."""
    path = tmp_path / "ppk.csv"
    path.write_text(f"Timestamp(ms),D0-D7\n{at_ms},00000000\n2,10000000\n")
    waveform = ppk_format.read(path, ReadOptions(samplerate_hz=Fraction(1000)))
    if is_sample:
        assert [0, 2] == waveform.edges().samples.tolist()
        return
    with pytest.raises(FormatError, match=r"times from line 2 on that are not those of its samples; .* --samplerate"):
        waveform.edges()
    rate = Fraction(100_000)
    edges = ppk_format.read(path, ReadOptions(samplerate_hz=rate)).edges()
    assert [round(float(at_ms) * 100), 200] == edges.samples.tolist()


def joulescope(
    path: Path,
    inputs: dict[str, list[int]],
    *,
    rate: dict[str, int] | None = None,
    offset: int = 0,
    start: int | None = 200_000_000 << 30,
) -> Path:
    """A file of Joulescope's own writer, with inputs of one bit and a current; skips where pyjls is not installed."""
    pyjls = pytest.importorskip("pyjls")
    with pyjls.Writer(str(path)) as writer:
        writer.source_def(source_id=1, name="js220", vendor="jetperch", model="js220", version="1", serial_number="1")
        names = {"current": [0], **inputs}
        for number, (name, levels) in enumerate(names.items(), 1):
            writer.signal_def(
                signal_id=number,
                source_id=1,
                signal_type=pyjls.SignalType.FSR,
                data_type=pyjls.DataType.F32 if name == "current" else pyjls.DataType.U1,
                sample_rate=(rate or {}).get(name, 1_000_000),
                name=name,
                units="",
            )
            if name != "current":
                first = offset * number
                writer.fsr(number, first, np.packbits(np.array(levels, dtype=np.uint8), bitorder="little"))
                if start is not None:
                    writer.utc(number, first, start + (first << 30) // 1_000_000)
    return path


def test_joulescope(tmp_path: Path) -> None:
    """Two inputs that begin 8 samples apart: what both cover; the wall clock of the first sample."""
    a, b = [0, 0, 1, 1] * 40, [1, 0] * 80
    path = joulescope(tmp_path / "a.jls", {"gpi[0]": a, "gpi[1]": b}, offset=8)

    waveform = jls.read(path, ReadOptions())
    edges = waveform.edges()

    assert ("jls", ("gpi[0]", "gpi[1]"), 1_000_000) == (recognise(path), waveform.channels, waveform.samplerate_hz)
    assert [a[n + 8] | b[n] << 1 for n in range(152)] == [int(edges.levels[n]) for n in range(152)]
    assert (152, list(range(152))) == (edges.end, edges.samples.tolist())
    assert "2024-05-03T19:33:20." == waveform.epoch[:20]
    assert abs(int(waveform.epoch[20:29]) - 24_000) <= 2, "to two units of its clock, 2^-30 s"
    assert ["samples that not all of the inputs cover are omitted: 16"] == waveform.remarks


@pytest.mark.parametrize(
    ("start", "epoch"),
    [
        (None, ""),
        ((200_000_000 << 30) + (1 << 30) - 200, "2024-05-03T19:33:20.999999814+00:00"),
    ],
)
def test_the_wall_clock_of_joulescope(tmp_path: Path, start: int | None, epoch: str) -> None:
    """None where the file has none; the second is not rounded up."""
    path = joulescope(tmp_path / "a.jls", {"gpi[0]": [0, 1] * 8}, start=start)

    assert epoch == jls.read(path, ReadOptions()).epoch


def test_what_joulescope_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was not closed is not repaired without being asked; damage, rates, and the missing package."""
    path = joulescope(tmp_path / "a.jls", {"gpi[0]": [0, 1] * 40000, "gpi[1]": [0, 1] * 8}, rate={"gpi[1]": 1000})
    with pytest.raises(FormatError, match="several samplerates; choose those of one with --channels"):
        jls.read(path, ReadOptions())
    assert 80000 == jls.read(path, ReadOptions(channels=("gpi[[]0]",))).edges().end

    good = path.read_bytes()
    cut = write(tmp_path / "b.jls", good[:-100])
    with pytest.raises(FormatError, match="was not closed, or is cut short"):
        jls.read(cut, ReadOptions())
    assert good[:-100] == cut.read_bytes()
    subprocess.run([sys.executable, "-m", "pyjls", "info", cut], check=True, capture_output=True, timeout=60)
    assert 0 < jls.read(cut, ReadOptions(channels=("gpi[[]0]",))).edges().end <= 80000

    for at in range(32, len(good), 997):
        damaged = bytearray(good)
        damaged[at] ^= 0x10
        try:
            jls.read(write(tmp_path / "c.jls", bytes(damaged)), ReadOptions(channels=("gpi[[]0]",))).edges()
        except FormatError as error:
            assert "damaged" in str(error) or "no channel" in str(error) or "no digital" in str(error)

    monkeypatch.setitem(sys.modules, "pyjls", None)
    with pytest.raises(FormatError, match=r"pip install 'gpiorig\[joulescope\]'"):
        jls.read(path, ReadOptions())
