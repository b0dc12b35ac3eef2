from __future__ import annotations

import bz2
import json
import struct
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from saleae_files import RATE, channel, code, session, version_0, version_1

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import RateOrigin
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import recognise, sal, saleae_bin, sr

NAMES = ReadOptions()


def test_a_folder_of_version_0(tmp_path: Path) -> None:
    """Channels of a folder are in the order of their numbers; the samplerate is derived and the samples are exact."""
    at = [sample / RATE for sample in (-24, 1, 7, 24_000_001, 72_000_000_001)]
    (tmp_path / "digital_10.bin").write_bytes(version_0(1, -1e-5, 3000.1, at))
    (tmp_path / "digital_2.bin").write_bytes(version_0(0, -1e-5, 3000.1, [1 / RATE]))
    assert recognise(tmp_path) == "saleae_bin"
    waveform = saleae_bin.read(tmp_path, NAMES)
    edges = waveform.edges()

    assert waveform.channels == ("Channel 2", "Channel 10")
    assert "derived" in waveform.source
    assert waveform.samplerate_hz == RATE
    assert edges.samples.tolist() == [-240, -24, 1, 7, 24_000_001, 72_000_000_001]
    assert edges.levels.tolist() == [0b10, 0b00, 0b11, 0b01, 0b11, 0b01]
    assert edges.end == round(3000.1 * RATE)


def test_a_rate_that_is_given(tmp_path: Path) -> None:
    """Times that no usual rate explains need the rate, by an error; then they are put on its samples."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_0(0, 0.0, 1.0, [n / 7_654_321 for n in (1, 1000, 7_000_001)]))
    with pytest.raises(FormatError, match="--samplerate"):
        saleae_bin.read(path, NAMES)
    edges = saleae_bin.read(path, ReadOptions(samplerate_hz=Fraction(7_654_321), channels=("clk",))).edges()

    assert edges.samples.tolist() == [0, 1, 1000, 7_000_001]


def test_chunks_of_version_1_with_a_gap(tmp_path: Path) -> None:
    """Between chunks nothing is known; the level after the gap is the next chunk's first."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_1((1, 0.0, 100 / RATE, [10 / RATE]), (1, 200 / RATE, 300 / RATE, [250 / RATE])))
    edges = saleae_bin.read(path, NAMES).edges()

    assert edges.samplerate_hz == RATE
    assert edges.samples.tolist() == [0, 10, 200, 250]
    assert edges.levels.tolist() == [1, 0, 1, 0]
    assert edges.gaps.tolist() == [[100, 200]]
    assert edges.end == 300


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (version_0(0, 0.0, 1.0, [0.5])[:-3], "cut short"),
        (version_0(0, 0.0, 1.0, [0.5])[:30], "cut short"),
        (version_0(2, 0.0, 1.0, [0.5]), "damaged"),
        (version_0(0, 0.0, 1.0, [0.5, 0.25]), "back in time"),
        (version_0(0, 0.0, 1.0, [float("nan")]), "."),
        (version_1((0, 0.0, 1.0, []), rate=-5.0), "a samplerate of -5 Hz is out of range"),
        (version_1((0, 0.0, 1.0, []), rate=5e-324), "a samplerate of 4.94066e-324 Hz is out of range"),
        (version_1((0, 0.0, 1.0, []), rate=float("nan")), "a samplerate of nan Hz is out of range"),
        (version_1(), "claims 0 chunks"),
        (struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 2) + bytes(48), "a samplerate of 0 Hz"),
        (struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 3) + bytes(48), "claims 3 chunks"),
        (version_0(0, 0.0, 1e9, []), "is damaged before byte 44"),
        (version_0(0, -1e9, 0.0, []), "is damaged before byte 44"),
        (version_0(0, float("nan"), 0.0, []), "is damaged before byte 44"),
        (version_0(0, 1.0, 0.5, []), "is damaged before byte 44"),
        (version_0(0, 0.0, 1.0, [0.5, 1e9]), "has a time that is not a time"),
        (version_0(0, 0.0, 1.0, [0.5]) + bytes(8), "has 8 bytes after what its header counts"),
        (struct.pack("<8sii", b"<SALEAE>", 7, 0), "version 7"),
        (struct.pack("<8sii", b"<SALEAE>", 0, 1), "voltages"),
        (struct.pack("<8siiQ", b"<SALEAE>", 1, 0, 2**60), "chunks"),
    ],
)
def test_damage_is_one_error(tmp_path: Path, data: bytes, message: str) -> None:
    """Each fault is one error."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        saleae_bin.read(path, ReadOptions(samplerate_hz=Fraction(RATE))).edges()


@pytest.mark.parametrize(("rate", "hertz"), [(24e6, 24_000_000), (24e6 + 1e-4, 24_000_000), (0.5, 0.5), (1.25, 1.25)])
def test_a_rate_in_the_file(tmp_path: Path, rate: float, hertz: float) -> None:
    """It is not derived, and float64's last digits are not part of it; a channel may cover no sample."""
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_1((1, 4.0, 4.0, []), rate=rate))
    waveform = saleae_bin.read(path, NAMES)

    assert (hertz, RateOrigin.FILE) == (waveform.samplerate_hz, waveform.rate_origin)
    assert "Saleae binary export digital_0.bin" == waveform.source
    assert 0 == waveform.edges().samples.size


def test_the_fastest_rate(tmp_path: Path) -> None:
    path = tmp_path / "digital_0.bin"
    path.write_bytes(version_0(0, 0.0, 1.0, []))
    fastest = Fraction(saleae_bin.FASTEST_HZ)
    assert fastest == saleae_bin.read(path, ReadOptions(samplerate_hz=fastest)).edges().end
    with pytest.raises(FormatError, match=r"9e\+09 Hz is too fast; at most 9e\+09 Hz fit"):
        saleae_bin.read(path, ReadOptions(samplerate_hz=fastest + 1))


def test_a_capture_of_logic_2(tmp_path: Path) -> None:
    """Runs of all lengths, chunks, names, samplerate and epoch."""
    runs = [[1, 63, 64, 65, 66], [8191, 8192, 8193], [128, 1 << 20, 7]]
    flat = np.cumsum([run for chunk in runs for run in chunk])
    path = session(tmp_path / "a.sal", channel(1, runs), channel(0, [[int(flat[-1])]], version=2))
    assert recognise(path) == "sal"
    waveform = sal.read(path, NAMES)
    edges = waveform.edges()

    assert waveform.channels == ("Channel 0", "CS")
    assert waveform.samplerate_hz == 50_000_000
    assert waveform.epoch == "2021-06-29T19:43:13.493744+00:00"
    assert edges.samples.tolist() == [0, *flat[:-1].tolist()]
    assert edges.channel("Channel 0")[1].tolist() == [index & 1 for index in range(len(flat) - 1)]
    assert edges.end == flat[-1]


@settings(max_examples=50, deadline=None)
@given(
    chunks=st.lists(st.lists(st.integers(1, 2**40), min_size=1, max_size=6), min_size=1, max_size=4),
    level=st.integers(0, 1),
)
def test_any_runs(tmp_path_factory: pytest.TempPathFactory, chunks: list[list[int]], level: int) -> None:
    """Transitions of a channel are the ends of its runs."""
    path = session(tmp_path_factory.getbasetemp() / "runs.sal", channel(level, chunks))
    edges = sal.read(path, NAMES).edges()
    ends = np.cumsum([run for chunk in chunks for run in chunk]).tolist()

    assert edges.samples.tolist() == [0, *ends[:-1]]
    assert edges.end == ends[-1]


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (channel(0, [[5]], version=4), "version 4 of"),
        (channel(0, [[5, 900]])[:-1], "cut short"),
        (channel(0, [[5]])[:-1] + b"\x06", "do not fill"),
        (channel(0, [[5]])[:-1] + b"\x90", "run lengths"),
        (b"<SALEAE>", "no Saleae channel"),
    ],
)
def test_what_is_not_known_of_logic_2_is_refused(tmp_path: Path, blob: bytes, message: str) -> None:
    """An encoding that does not add up is an error whose remedy is an export, never wrong edges."""
    path = session(tmp_path / "a.sal", blob)
    with pytest.raises(FormatError, match=f"{message}.*export"):
        sal.read(path, NAMES).edges()


INDEX_EVERY = 128  # bytes of run lengths, or more, between two entries of a chunk's index


def header(version: int, chunks: int, rate: float = 10e6) -> bytes:
    """The header that all versions of `digital-N.bin` share."""
    return (
        struct.pack("<8sIIBdQd", b"<SALEAE>", version, 100, 1, rate, 1_600_000_000_123, 0.5)
        + bytes(2 if version else 0)
        + struct.pack("<Q", chunks)
    )


def indexed(
    version: int, level: int, chunks: list[list[int]], *, borders: tuple[int, ...] = (), rate: int = 10_000_000
) -> bytes:
    """A `digital-N.bin` of encoding 0 or 1; an edge is at the start of the chunks in `borders`."""
    data, at = header(version, len(chunks), rate), 0
    for number, runs in enumerate(chunks):
        level ^= number in borders
        body, index, entered = b"", [(0, 0, level)], 0
        for done, run in enumerate(runs):
            if len(body) - entered >= INDEX_EVERY:
                entered = len(body)
                index.append((sum(runs[:done]), entered, level ^ done & 1))
            body += code(run)
        length = sum(runs)
        data += struct.pack("<6Q", at, at + length, length, rate, 1, len(body)) + body
        data += struct.pack("<Q", len(index)) + b"".join(struct.pack("<QQI", *entry) for entry in index)
        at += length
        level ^= len(runs) - 1 & 1
    return data


def old_session(path: Path, *blobs: bytes) -> Path:
    """A `.sal` file in the container of the first versions."""
    meta = {
        "session": {
            "channelSettings": [
                {"type": "Analog", "index": 1, "name": "U"},
                {"type": "Digital", "index": 1, "name": "CS"},
            ],
            "captureSettings": {"connectedDevice": {"settings": {"sampleRate": {"digital": 10_000_000}}}},
        },
        "rapidDataStore": {
            "captureStartTime": {"unixTimeMilliseconds": 1_600_000_000_123, "fractionalMilliseconds": 0.5}
        },
        "binData": [{"type": "Digital", "index": n, "file": f"digital-{n}.bin"} for n in range(len(blobs))],
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", json.dumps(meta))
        for number, blob in enumerate(blobs):
            archive.writestr(f"digital-{number}.bin", blob)
    return path


@pytest.mark.parametrize("version", [0, 1])
def test_the_first_encodings(tmp_path: Path, version: int) -> None:
    """A constant channel; one chunk; several, with an edge on a border and one of a single sample; many entries."""
    dense = np.random.default_rng(5).integers(1, 9, 4000).tolist()
    total = sum(dense) + 1
    chunks = [[total - 1000 - 1, 400], [1], [100, 500]]
    path = old_session(
        tmp_path / "a.sal",
        indexed(version, 1, [[total]]),
        indexed(version, 0, chunks, borders=(1, 2)),
        indexed(version, 0, [dense, [1]]),
    )
    waveform = sal.read(path, NAMES)
    edges = waveform.edges()

    assert (("Channel 0", "CS", "Channel 2"), 10_000_000) == (waveform.channels, waveform.samplerate_hz)
    assert "2020-09-13T12:26:40.123500+00:00" == waveform.epoch
    assert total == edges.end
    assert 0 == edges.channel("Channel 0")[0].size
    assert [total - 1001, total - 601, total - 600, total - 500] == edges.channel("CS")[0].tolist()
    assert np.cumsum(dense)[:-1].tolist() == edges.channel("Channel 2")[0].tolist()


@settings(max_examples=50, deadline=None)
@given(
    chunks=st.lists(st.lists(st.integers(1, 2**40), min_size=1, max_size=60), min_size=1, max_size=4),
    level=st.integers(0, 1),
    borders=st.sets(st.integers(1, 3)),
)
def test_any_runs_of_the_first_encodings(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[list[int]], level: int, borders: set[int]
) -> None:
    """Edges are the ends of all runs but a chunk's last, and the borders at which the level differs."""
    path = old_session(tmp_path_factory.getbasetemp() / "r.sal", indexed(0, level, chunks, borders=tuple(borders)))
    edges = sal.read(path, NAMES).edges()
    expected, at = [], 0
    for number, runs in enumerate(chunks):
        expected += [at] if number in borders else []
        expected += (at + np.cumsum(runs)[:-1]).tolist()
        at += sum(runs)

    assert expected == edges.samples.tolist()[1:]
    assert at == edges.end


def changed(blob: bytes, at: int, value: bytes) -> bytes:
    """Some bytes replaced; a negative place counts from the end."""
    at %= len(blob)
    return blob[:at] + value + blob[at + len(value) :]


FIRST = indexed(1, 0, [[3, 4] * 200, [5]])
CHUNK_AT = 51


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        pytest.param(changed(FIRST, 8, b"\4"), "version 4 of the undocumented encoding", id="version"),
        pytest.param(changed(FIRST, 12, b"\x65"), "type 101,", id="analog"),
        pytest.param(changed(FIRST, 41, b"\1"), "not the one that is known", id="padding"),
        pytest.param(changed(FIRST, 17, bytes(8)), "samplerate of 0 Hz", id="rate"),
        pytest.param(changed(FIRST, CHUNK_AT, b"\1"), "chunk of 1400 samples at", id="length"),
        pytest.param(changed(FIRST, CHUNK_AT + 32, b"\2"), "the flag 2", id="flag"),
        pytest.param(changed(FIRST, CHUNK_AT + 24, b"\0"), "chunk of 1400 samples at 9999872 Hz", id="chunk's rate"),
        pytest.param(changed(FIRST, CHUNK_AT + 48, b"\3"), "index of a chunk contradicts", id="runs"),
        pytest.param(changed(FIRST, -28, bytes(8)), "0 entries in its index", id="no entries"),
        pytest.param(changed(FIRST, -28, b"\xff" * 8), "18446744073709551615 entries", id="many entries"),
        pytest.param(changed(FIRST, -4, b"\2"), "do not follow each other", id="level"),
        pytest.param(changed(FIRST, -20, b"\1"), "contradicts its runs", id="the first entry's sample"),
        pytest.param(changed(indexed(1, 0, [[3, 4]]), -29, b"\4"), "do not fill", id="the last run"),
        pytest.param(FIRST + b"\0", "bytes after the last chunk", id="bytes behind"),
        pytest.param(FIRST[:-1], "cut short", id="cut"),
    ],
)
def test_what_does_not_check_out_in_the_first_encodings_is_refused(tmp_path: Path, blob: bytes, message: str) -> None:
    """In one step: nothing is asked for before."""
    path = old_session(tmp_path / "a.sal", blob)
    with pytest.raises(FormatError, match=f"{message}.*export"):
        sal.read(path, NAMES).edges()


def test_each_entry_of_an_index_is_checked(tmp_path: Path) -> None:
    blob = indexed(1, 0, [[3, 4] * 200])
    (count,) = struct.unpack_from("<Q", blob, CHUNK_AT + 48 + 400)
    assert 4 == count
    for entry in range(count):
        for field in (0, 8, 16):
            at = CHUNK_AT + 48 + 400 + 8 + 20 * entry + field
            with pytest.raises(FormatError, match=r"contradicts its runs|not in order|follow each other"):
                sal.read(old_session(tmp_path / "a.sal", changed(blob, at, bytes([blob[at] ^ 1]))), NAMES).edges()


def test_channels_that_tell_other_rates_are_refused(tmp_path: Path) -> None:
    path = old_session(tmp_path / "a.sal", indexed(1, 0, [[5]]), indexed(1, 0, [[5]], rate=20_000_000))
    with pytest.raises(
        FormatError,
        match=r"several samplerates: 10000000 and 20000000 Hz; .*--samplerate 20000000Hz",
    ):
        sal.read(path, NAMES)


@pytest.mark.parametrize("rate", [1e-300, 1e300, -1.0])
def test_a_samplerate_that_cannot_be_is_refused(tmp_path: Path, rate: float) -> None:
    path = tmp_path / "a.sal"
    meta = {"data": {"legacySettings": {"sampleRate": {"digital": rate}}}, "binData": []}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", json.dumps(meta))
    with pytest.raises(FormatError, match=r"a\.sal: a samplerate of .* Hz is out of range"):
        sal.read(path, NAMES)


def test_a_name_in_the_directory_that_is_not_utf_8_is_damage(tmp_path: Path) -> None:
    path = session(tmp_path / "a.sal", channel(0, [[5]]))
    data = bytearray(path.read_bytes())
    at = data.rindex(b"digital-0.bin")
    data[at - 46 + 9] |= 8  # flag 0x800: names are UTF-8
    data[at] = 0xA3
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.sal: is cut short or damaged"):
        sal.read(path, NAMES)


@pytest.mark.parametrize(
    ("start", "epoch"),
    [
        ({"unixTimeMilliseconds": 1000, "fractionalMilliseconds": 0.25}, "1970-01-01T00:00:01.000250+00:00"),
        ({"unixTimeMilliseconds": 1000}, "1970-01-01T00:00:01+00:00"),
        ({"fractionalMilliseconds": 0.25}, ""),
        ({"unixTimeMilliseconds": "1000"}, ""),
        ("2024-01-01", ""),
    ],
)
def test_when_a_capture_began(tmp_path: Path, start: object, epoch: str) -> None:
    """A start of another kind is not guessed."""
    path = session(tmp_path / "a.sal", channel(0, [[5]]), start=start)
    assert epoch == sal.read(path, NAMES).epoch


@pytest.mark.parametrize("excess", [0, 1])
def test_the_largest_description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    path = session(tmp_path / "a.sal", channel(0, [[5]]))
    with zipfile.ZipFile(path) as archive:
        monkeypatch.setattr(sal, "META_BYTES", archive.getinfo("meta.json").file_size - excess)
    if excess:
        with pytest.raises(FormatError, match=r"has a meta\.json that is too large"):
            sal.read(path, NAMES)
    else:
        assert 5 == sal.read(path, NAMES).edges().end


def test_a_zip_is_a_capture_by_its_name(tmp_path: Path) -> None:
    """A .sr file begins with the same bytes, and a text that is named .sal is not a zip."""
    path = session(tmp_path / "a.sal", channel(0, [[5]]))
    head = path.read_bytes()

    assert sal.recognises(Path("a.SAL"), head)
    assert not sal.recognises(Path("a.sr"), head)
    assert not sal.recognises(Path("a.sal"), b"text")
    assert sr.recognises(Path("a.sr"), head)
    assert not sr.recognises(path, head)
    assert not sr.recognises(Path("a.sr"), b"text")


def test_what_bzip2_refuses_is_one_error(tmp_path: Path) -> None:
    """Its error has no number of the operating system, so that its own text is what there is."""
    path = tmp_path / "a.sal"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("meta.json", "{}" * 99)
    data = bytearray(path.read_bytes())
    data[data.index(bz2.compress(b"")[:3]) + 4] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.sal: cannot be read: Invalid data stream"):
        sal.read(path, NAMES)
