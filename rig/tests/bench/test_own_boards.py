"""Boards that are files of their own: found next to the bench file, and part of a recording."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from gpiorig.rig.bench import benches, boards
from gpiorig.rig.errors import BenchError

M3 = (files("gpiorig.rig") / "boards/iotlab-m3.toml").read_text()
BENCH = """
name = "one M3 of another wiring"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.a]
board = "./mine.toml"
serial = "/dev/ttyUSB1"
lines = { strobe = "D0", d0 = "D1", d1 = "D2", "isr.radio" = "D3" }
"""


@pytest.fixture
def bench_file(tmp_path: Path) -> Path:
    """A bench file next to the file of its board."""
    (tmp_path / "mine.toml").write_text(M3.replace('strobe = "PB9"', 'strobe = "PB8"').replace("500_000", "9_600"))
    (tmp_path / "bench.toml").write_text(BENCH)
    return tmp_path / "bench.toml"


def test_a_recording_has_the_board_with_it(bench_file: Path) -> None:
    """The bench of the text that is recorded equals that of the file; the board's file is not read again."""
    bench = benches.load(bench_file)
    text = benches.recorded_text(bench_file)
    (bench_file.parent / "mine.toml").unlink()

    assert ("PB8", 9_600) == (bench.nodes["a"].described_board.pins["strobe"], bench.nodes["a"].bits_per_second)
    assert bench.nodes == benches.loads(text).nodes
    assert text.startswith(BENCH.rstrip())


def test_a_bench_of_known_boards_is_recorded_as_it_is(bench_file: Path) -> None:
    bench_file.write_text(BENCH.replace("./mine.toml", "iotlab-m3"))

    assert bench_file.read_text() == benches.recorded_text(bench_file)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("", r"bench\.toml: nodes\.a\.board: board file .*mine\.toml: Object missing required field `name`"),
        (M3.replace("bus_width = 2", "bus_width = 8"), r"mine\.toml: bus_width is 8; \[buses\] has 1, 2\. Add it"),
        (M3.replace("AT86RF231", "AT86"), r"unknown radio `AT86`; radios with a description: "),
        (
            M3.replace("min_hold_ns", "least_ns"),
            r"mine\.toml: unknown key `least_ns`; known keys: baudrate, b",
        ),
    ],
)
def test_a_wrong_board_file_is_refused(bench_file: Path, board: str, message: str) -> None:
    """With both files, the key and what would be valid."""
    (bench_file.parent / "mine.toml").write_text(board)

    with pytest.raises(BenchError, match=message):
        benches.load(bench_file)


def test_a_board_without_a_model_cannot_be_virtual(bench_file: Path) -> None:
    text = benches.recorded_text(bench_file).replace('name = "iotlab-m3"', 'name = "my board"')
    virtual = (
        text.replace('"D', '"P8_4').replace("P8_40", "P8_45").replace("[analyzers.la]", "[virtual]\n[analyzers.la]")
    )

    with pytest.raises(BenchError, match=r"nodes\.a\.board: no model of my board exists; use one of iotlab-m3, "):
        benches.loads(virtual)
    assert "iotlab-m3" in boards.names()


def test_a_variant_has_what_its_file_leaves_out_from_the_board_it_is_like(bench_file: Path) -> None:
    """Keys of its own win; a board that it cannot be like is refused with those that there are."""
    text = 'name = "iotlab-m3"\nlike = "iotlab-m3"\nbaudrate = 9_600\n'
    (bench_file.parent / "mine.toml").write_text(text)

    variant, base = benches.load(bench_file).nodes["a"].described_board, boards.load("iotlab-m3")
    assert (9_600, base.pins, base.flash, base.buses) == (variant.baudrate, variant.pins, variant.flash, variant.buses)
    assert benches.load(bench_file).nodes == benches.loads(benches.recorded_text(bench_file)).nodes

    (bench_file.parent / "mine.toml").write_text(text.replace('like = "iotlab-m3"', 'like = "iotlab-m4"'))
    with pytest.raises(BenchError, match=r"unknown board `iotlab-m4`; boards with a description: iotlab-m3, "):
        benches.load(bench_file)
