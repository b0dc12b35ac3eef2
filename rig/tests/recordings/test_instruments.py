"""What is known of a recording's instruments: bench file, alignments, boards."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from gpiorig.capture.recording.recording import AlignmentNote, Epoch, Recording, RecordingInfo
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.recordings.opened import open_recording

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
TWO = """
name = "two"
[analyzers.slow]
driver = "fx2lafw:conn=1.12"
samplerate_hz = 16_000_000
sync = "D7"
[analyzers.fast]
driver = "dreamsourcelab-dslogic"
samplerate_hz = 100_000_000
sync = "7"
clock_ppm = 2.5
skew_ns = 1
[nodes.a]
board = "iotlab-m3"
serial = "/dev/ttyUSB1"
lines = { strobe = "slow:D0", d0 = "slow:D1", d1 = "slow:D2" }
[nodes.b]
board = "telosb"
serial = "/dev/ttyUSB3"
lines = { strobe = "fast:0", d0 = "fast:1", d1 = "fast:2", d2 = "fast:3", d3 = "fast:4", "tap.irq" = "fast:5" }
"""


NOTE = AlignmentNote(
    analyzer="fx2lafw:conn=1.12",
    channels=("a.strobe", "a.d0", "a.d1"),
    pulses=100,
    rate_ppb=43_000.0,
    pieces=1,
    residual_std_ns=20.0,
    residual_max_ns=60.0,
    uncertainty_ns=22.0,
)


def recording(folder: Path, bench: str, **changes: object) -> Recording:
    fields = {"samplerate": "24000000/1", "channels": ("x",), "epoch": Epoch(wall=""), "virtual": False} | changes
    return Recording(folder, RecordingInfo(bench=bench, **fields))


def test_virtual_analyzers_are_of_a_class_like_any(tmp_path: Path) -> None:
    """What the virtual bench sets its clock to is not looked at."""
    one = open_recording(recording(tmp_path, DEMO)).instruments
    other = open_recording(recording(tmp_path, DEMO.replace("-3_000", "-40_000"))).instruments

    assert one == other
    assert 50.0 == one.reference.clock_ppm
    assert {"initiator", "responder"} == set(one.nodes)
    assert {"tap.irq", "tap.frame_timestamp"} == one.node("initiator").lines
    assert 201_000 == one.node("initiator").mark_ns
    assert 1_000 == one.node("initiator").mark_uncertainty_ns
    assert "" == one.node("initiator").mark_unwitnessed


def test_what_no_other_source_confirms_is_named_with_its_half_width(tmp_path: Path) -> None:
    """The CC2420's delay counts as 3 ± 3 us: the 3 us of users and the less than 1 us of TinyOS' wiki are in it."""
    telosb = DEMO.replace('board = "iotlab-m3"', 'board = "telosb"\nbus_width = 2')
    node = open_recording(recording(tmp_path, telosb)).instruments.node("responder")

    assert (163_000, 3_000) == (node.mark_ns, node.mark_uncertainty_ns)
    assert "CC2420: the receiver's delay, 3 ± 3 µs" == node.mark_unwitnessed
    assert "3 µs, the receiver's delay (" in node.mark_source
    assert "unwitnessed" in node.mark_source


def test_a_bench_file_says_more_of_an_analyzer(tmp_path: Path) -> None:
    """The reference is the fastest; channels of the other carry it and how well it was laid over."""
    known = open_recording(recording(tmp_path, TWO, samplerate="100000000/1", alignments=(NOTE,))).instruments

    assert (10.0, 2.5, 1.0) == (known.reference.period_ns, known.reference.clock_ppm, known.reference.skew_ns)
    assert "bench file" == known.reference.source("clock_ppm")
    assert {"a.strobe", "a.d0", "a.d1"} == set(known.others)
    analyzer, uncertainty_ns = known.others["a.strobe"]
    assert (62.5, 100.0, 22.0) == (analyzer.period_ns, analyzer.clock_ppm, uncertainty_ns)
    assert known.node("b").waits_in_software


def test_without_a_bench_the_driver_counts(tmp_path: Path) -> None:
    """An imported file, or a bare capture."""
    known = open_recording(recording(tmp_path, "", analyzer="beaglelogic:conn=tcp-raw/x/1")).instruments

    assert (50.0, 1e9 / 24e6) == (known.reference.clock_ppm, known.reference.period_ns)
    assert {} == known.nodes


def test_merged_captures_without_a_bench(tmp_path: Path) -> None:
    """The alignment holds the sampling of both: 41.7 ns and a standard uncertainty of 22 ns leave 63.8 ns at most."""
    known = open_recording(recording(tmp_path, "", analyzer="beaglelogic, fx2lafw", alignments=(NOTE,))).instruments

    analyzer, uncertainty_ns = known.others["a.strobe"]
    assert analyzer is known.others["a.d0"][0]
    assert 63.8 == round(analyzer.period_ns, 1)
    assert (100.0, 22.0) == (analyzer.clock_ppm, uncertainty_ns)


@pytest.mark.parametrize("line", ["clock_ppm = -1", 'skew_ns = "1 ns"', "aperture_ns = 1e9", "clock_ppb = 1"])
def test_limits_that_cannot_be_are_refused(line: str) -> None:
    """Negative, a text, beyond reason, an unknown key: with the place."""
    with pytest.raises(BenchError, match="analyzers"):
        benches.loads(DEMO.replace("samplerate_hz = 24_000_000", f"samplerate_hz = 24_000_000\n{line}"))
