"""Recording directly gives the recording that is made through sigrok-cli and ptys."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from twoanalyzers import DEMO, EXPERIMENT, two_analyzers

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images as firmware
from gpiorig.rig.run import runner
from gpiorig.vbench.serving import direct

pytestmark = pytest.mark.slow  # runs virtual benches

DIFFERENT = ("epoch", "analyzer", "capture", "bounds", "files")  # when and through what it was recorded
LOSSY = DEMO.read_text().replace("delay_ps = 10_000", "delay_ps = 10_000\nloss_ppm = 200_000")
IMPERFECT = LOSSY.replace(
    "phase_ps = 11_000",
    "phase_ps = 11_000\nwindow_ps = 2_000\ndrift_ppb = 900\ndrift_period_ms = 400\n"
    "thresholds.P8_45 = { rise_ps = 5_000 }",
)
FAULTS = """
[[virtual.faults]]
kind = "glitch"
channel = "P8_46"
width_ps = [20_000, 200_000]
every_us = 50_000
[[virtual.faults]]
kind = "swapped"
channel = "P8_44"
other = "P8_42"
from_us = 400_000
[[virtual.faults]]
kind = "garbled"
node = "responder"
ppm = 300
"""
BENCHES = {"one analyzer": lambda: IMPERFECT + FAULTS, "two analyzers": two_analyzers}


@pytest.fixture(scope="module", params=BENCHES)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """The same experiment through sigrok-cli, and directly."""
    folder = tmp_path_factory.mktemp("both")
    bench_file, experiment_file = folder / "bench.toml", folder / "experiment.toml"
    bench_file.write_text(BENCHES[request.param]())
    experiment_file.write_text(EXPERIMENT)
    bench = benches.load(bench_file)
    experiment = experiments.load(experiment_file, bench, packets=None)
    images = firmware.images(bench, experiment, bench_file=bench_file)
    real = runner.run(bench, experiment, bench_file=bench_file, output=folder / "real", firmware=images)
    directly = direct.run(bench, experiment, bench_file=bench_file, output=folder / "direct", firmware=images)
    return [real, directly]


def test_edges_are_equal(both: list[Recording]) -> None:
    """Sample by sample, to the same end."""
    real, direct = (recording.edges() for recording in both)
    assert np.array_equal(real.samples, direct.samples)
    assert np.array_equal(real.levels, direct.levels)
    assert (real.start, real.end, real.gaps.tolist()) == (direct.start, direct.end, direct.gaps.tolist())


def test_serial_records_are_equal(both: list[Recording]) -> None:
    """Byte by byte with their stamps; reads of a pty may cut a chunk, so the stamp of each byte counts."""
    real, direct = both
    assert real.nodes == direct.nodes
    for node in real.nodes:
        records = [recording.serial(node) for recording in both]
        assert records[0].data == records[1].data
        stamps = [np.repeat(record.stamps_ns, np.diff(record.ends, prepend=0)) for record in records]
        assert np.array_equal(*stamps)


def test_descriptions_are_equal(both: list[Recording]) -> None:
    """All but when and through what it was recorded; both are complete, and their files are as described."""
    real, direct = (msgspec.to_builtins(recording.info) for recording in both)
    for description in (real, direct):
        for note in description["alignments"]:
            note.pop("analyzer")
    differing = {key for key in real if real[key] != direct[key]}
    assert {"epoch", "analyzer", "files"} <= differing <= set(DIFFERENT)
    assert "complete" == direct["state"]
    assert () == both[1].verify()


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ('pace = "real-time"', "has the pace of a clock"),
        ('[[virtual.faults]]\nkind = "stalls"\nat_us = 1000', "has a fault of an analyzer"),
    ],
)
def test_a_bench_that_needs_its_ends_is_refused(extra: str, why: str) -> None:
    """Before anything is recorded."""
    text = DEMO.read_text()
    text = text.replace("[virtual]", f"[virtual]\n{extra}") if "pace" in extra else f"{text}\n{extra}\n"
    with pytest.raises(BenchError, match=why):
        direct.refuse_real_ends(benches.loads(text))
