from __future__ import annotations

import functools
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from depth import by_depth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from saleae_files import channel, session, version_0, version_1
from sigrok_vcd import counted_by_sigrok, counted_by_us
from vcd_files import HEAD, capture

from gpiorig.capture import formats
from gpiorig.capture.edges.changes import Assembler, Changes, merged
from gpiorig.capture.edges.counts import count
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform, waveform_of
from gpiorig.capture.errors import MAX_CHARACTERS, CaptureError, FormatError
from gpiorig.capture.formats.sr import write_sr

RATE = Fraction(24_000_000)


def random_edges(seed: int, rows: int, channels: int, unit: int = 50) -> Edges:
    """Edges of random channels at random samples."""
    generator = np.random.default_rng(seed)
    samples = np.concatenate([[0], np.cumsum(generator.integers(1, unit, rows))]).astype(np.int64)
    levels = generator.integers(0, 2**channels, rows + 1).astype(np.uint64)
    names = tuple(f"n{bit // 4}.d{bit}" for bit in range(channels))
    return Edges.from_blocks([(samples, levels)], samplerate_hz=RATE, channels=names, end=int(samples[-1]) + unit)


def test_an_error_is_one_line_of_a_length_that_people_read() -> None:
    """Whatever a file puts into it; its beginning and its end stay."""
    error = FormatError("it says " + "x\n" * 5000 + "at its end", where="file", remedy="do this")

    assert 1 == len(str(error).splitlines())
    assert MAX_CHARACTERS > len(error.what) > MAX_CHARACTERS / 2
    assert str(error).startswith("file: it says x")
    assert str(error).endswith("at its end; do this")


def test_every_format_has_what_a_format_has() -> None:
    """A module in the package is a format: no table lists it."""
    assert {
        "csv",
        "flocklab_gpio",
        "flocklab_raw",
        "raw",
        "sal",
        "saleae_bin",
        "saleae_csv",
        "sigrok_csv",
        "sr",
        "vcd",
    } <= set(formats.names())
    for name in formats.names():
        module = formats.module(name)
        assert module.SUMMARY and all(suffix.startswith(".") for suffix in module.SUFFIXES)
        assert any(hasattr(module, name) for name in ("MAGIC", "HEADER", "recognises")) and callable(module.read)
    with pytest.raises(FormatError, match="use one of"):
        formats.module("none")


@pytest.mark.parametrize("unitsize", [1, 2, 3])
def test_sigrok_cli_counts_the_same_edges(tmp_path: Path, unitsize: int) -> None:
    """Edges per channel, first, last and initial level of raw samples and .sr: ours and sigrok-cli's are equal."""
    edges = random_edges(unitsize, 300, 8 * unitsize - 1)
    write_sr(tmp_path / "a.sr", edges)
    expected = counted_by_us(waveform_of(edges))

    assert counted_by_sigrok(tmp_path / "a.sr", tmp_path) == expected
    raw = tmp_path / "a.bin"
    subprocess.run(["sigrok-cli", "-i", tmp_path / "a.sr", "-O", "binary", "-o", raw], check=True, capture_output=True)
    options = ReadOptions(samplerate_hz=RATE, unitsize=unitsize, channels=edges.channels)
    assert formats.recognise(raw) == "raw"
    assert counted_by_us(formats.module("raw").read(raw, options)) == expected


@pytest.mark.parametrize("options", ["csv", "csv:time=true", "csv:time=true:dedup=true", "csv:label=channel"])
def test_sigrok_clis_own_tables(tmp_path: Path, options: str) -> None:
    """Its times are wrong at 24 MHz (41 ns are added for each sample), yet the samples are found."""
    edges = random_edges(9, 200, 5)
    write_sr(tmp_path / "a.sr", edges)
    path = tmp_path / "a.csv"
    subprocess.run(["sigrok-cli", "-i", tmp_path / "a.sr", "-O", options, "-o", path], check=True, capture_output=True)

    assert formats.recognise(path) == "sigrok_csv"
    waveform = formats.module("sigrok_csv").read(path, ReadOptions())
    assert counted_by_us(waveform) == counted_by_us(waveform_of(edges))
    assert waveform.samplerate_hz == RATE


def test_our_vcd_is_read_by_sigrok_cli(tmp_path: Path) -> None:
    """sigrok-cli's VCD input sees the levels that we wrote, on the timescale that we wrote."""
    edges = random_edges(5, 40, 3)
    at_10_mhz = Waveform(samplerate_hz=Fraction(10**7), channels=edges.channels, read=waveform_of(edges).read)
    path = tmp_path / "a.vcd"
    assert formats.module("vcd").write(path, at_10_mhz) == ""
    raw = tmp_path / "a.bin"
    command = ["sigrok-cli", "-I", "vcd", "-i", path, "-O", "binary", "-o", raw]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    waveform = formats.module("raw").read(raw, ReadOptions(channels=edges.channels))

    assert waveform.samplerate_hz == 10**7  # by the line that sigrok-cli puts before the samples
    assert counted_by_us(waveform) == counted_by_us(at_10_mhz)


def test_edges_are_counted_block_by_block() -> None:
    """Counts are those of the edges in memory, wherever the blocks are cut."""
    edges = random_edges(3, 500, 9)

    def read() -> object:
        for at in range(0, edges.samples.size, 7):
            part = waveform_of(edges.window(int(edges.samples[at]), edges.end))
            block = next(part.read())
            yield type(block)(block.samples[:7], block.levels[:7], int(block.samples[:7][-1]) + 1)

    counts = count(Waveform(samplerate_hz=RATE, channels=edges.channels, read=read))  # type: ignore[arg-type]
    for one in counts.channels:
        at, _ = edges.channel(one.name)
        assert (one.edges, one.first_edge, one.last_edge) == (len(at), int(at[0]), int(at[-1]))
        assert one.initial_level == edges.initial_level(one.name)


def test_a_flocklab_observers_file(tmp_path: Path) -> None:
    """Ticks add up over blocks, 0 ends the file, and pins have fl_logic.c's names."""
    records = [(0, 0b1), (5, 0b11), (2**24 - 1, 0b10), (1, 0b10), (1, 0b1000_0010)]
    words = [ticks << 8 | pins for ticks, pins in records]
    path = tmp_path / "trace.dat"
    path.write_bytes(struct.pack("<7I", *words, 0, 0xFFFFFFFF))
    assert formats.recognise(path) == "flocklab_raw"
    edges = formats.module("flocklab_raw").read(path, ReadOptions()).edges()

    assert edges.samples.tolist() == [0, 5, 2**24 + 4, 2**24 + 6]
    assert edges.channels[:2] == ("LED1", "LED2")
    assert edges.channel("nRST")[0].tolist() == [2**24 + 6]
    assert edges.samplerate_hz == 10**7


@given(st.lists(st.lists(st.integers(0, 50), max_size=20), min_size=1, max_size=4), st.integers(1, 5))
def test_sources_are_merged_in_the_order_of_time(sources: list[list[int]], piece: int) -> None:
    """All changes come out, in order, whatever the blocks are."""

    def changes(times: list[int], mask: int) -> object:
        for at in range(0, len(times), piece):
            part = np.array(times[at : at + piece], dtype=np.int64)
            yield Changes(part, *(np.full(part.size, value, dtype=np.uint64) for value in (mask, mask, 0)))

    parts = [changes(sorted(times), 1 << bit) for bit, times in enumerate(sources)]
    rows = [(int(t), int(m)) for piece_ in merged(parts) for t, m in zip(piece_.times, piece_.masks, strict=True)]  # type: ignore[arg-type]

    assert [time for time, _ in rows] == sorted(time for times in sources for time in times)
    assert sorted(rows) == sorted((time, 1 << bit) for bit, times in enumerate(sources) for time in times)


def test_changes_that_go_back_in_time_are_refused() -> None:
    """Nothing is sorted in silence."""
    one = np.ones(2, dtype=np.uint64)
    with pytest.raises(FormatError, match="to sample 4 from sample 5"):
        Assembler(used=1).feed(Changes(np.array([5, 4]), one, one, one * 0))


@functools.cache
def seeds(folder: Path) -> dict[str, bytes]:
    """A good file of each format that is recognised by its content."""
    example = capture(([5, 70, 900], [1, 2, 3, 4], RATE, 3), gap=True)
    without_gap = capture(([5, 70, 900], [1, 2, 3, 4], RATE, 3), gap=False)
    contents = {"vcd2": (HEAD + '#0 $dumpvars 1! b0101 " $end\n#5 0!\n').encode()}
    for name, content in (("vcd", example), ("csv", example), ("flocklab_gpio", without_gap)):
        formats.module(name).write(folder / "seed", content)
        contents[name] = (folder / "seed").read_bytes()
    contents["saleae_csv"] = b"Time [s],A,B\n0.1,0,X\n0.25,1,1\n0.5,X,X\n"
    contents["saleae_bin"] = version_1((1, 0.0, 1e-3, [1e-6, 2e-6]), (0, 2e-3, 3e-3, []))
    contents["saleae_bin0"] = version_0(0, 0.0, 1e-3, [1e-6, 2e-6])
    contents["sal"] = session(
        folder / "seed.sal", channel(0, [[5, 900], [70000]]), channel(1, [[5, 900, 70000]])
    ).read_bytes()
    contents["sigrok_csv"] = (
        b"; CSV generated by libsigrok 0.5.2\n; Channels (2/2): a, b\n; Samplerate: 1 MHz\nlogic,logic\n1,0\n0,1\n"
    )
    contents["flocklab_raw"] = struct.pack("<4I", 1, 0x502, 0x7703, 0)
    return contents


@settings(max_examples=by_depth(40, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_give_an_error_or_a_capture(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A file cut short, with bytes changed, taken out or put in, is read or refused; nothing else happens."""
    folder = tmp_path_factory.getbasetemp()
    known = seeds(folder)
    name = data.draw(st.sampled_from(sorted(known)))
    content = bytearray(known[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        new = data.draw(
            st.sampled_from([b"", b"\0", b"\xff", b"9" * 20, b"\n", b",", b"$end ", b"x", b"-", b"\x80\x7f"])
        )
        content[at : at + data.draw(st.integers(0, 9))] = new
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    path = folder / ("damaged.sal" if name == "sal" else "damaged.dat" if name == "flocklab_raw" else "damaged.csv")
    path.write_bytes(content)
    options = ReadOptions(samplerate_hz=RATE) if data.draw(st.booleans()) else ReadOptions()
    module = name.rstrip("02")
    try:
        if data.draw(st.booleans()):
            module = formats.recognise(path)
        content_ = formats.module(module).read(path, options)
        if isinstance(content_, Waveform):
            content_.edges()
    except CaptureError as error:
        assert str(error)
