"""Limits of an experiment: read from its file, kept in the recording, read again."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.quantities.delay_names import ONE_WAY
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import limits
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.results import quantities

PINGPONG = 'name = "x"\ninitiator = "initiator"\nresponder = "responder"\npackets = 10\n'


def load(tmp_path: Path, text: str) -> Experiment:
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    return experiments.load(path, benches.load(Path(str(files("gpiorig.vbench") / "benches" / "demo.toml"))))


def test_limits_reach_the_recording_and_come_back(tmp_path):
    text = PINGPONG + 'assert = ["rtt.p99 < 20 ms", "loss < 1 %"]\nthresholds = ["rtt.p99 +5 %"]\n'
    experiment = load(tmp_path, text)
    assert ("rtt.p99 < 20 ms", "loss < 1 %") == experiment.assertions
    info = RecordingInfo(
        samplerate="24000000/1",
        channels=("",),
        epoch=Epoch(wall="2026-01-01T00:00:00+00:00"),
        virtual=True,
        parameters=limits.parameters(experiment),
    )
    recording = Recording.open(Recording.create(tmp_path / "run", info).folder)
    assert experiment.assertions == limits.recorded(recording, limits.ASSERT)
    assert experiment.thresholds == limits.recorded(recording, limits.THRESHOLDS)


def test_quantities_reach_the_recording_and_come_back(tmp_path):
    """And those of the command line come after them, each once."""
    experiment = load(tmp_path, PINGPONG + 'quantities = ["mac.tx -> mac.rx", "goodput"]\n')
    info = RecordingInfo(
        samplerate="24000000/1",
        channels=("",),
        epoch=Epoch(wall="2026-01-01T00:00:00+00:00"),
        virtual=True,
        parameters=limits.parameters(experiment),
    )
    recording = Recording.create(tmp_path / "run", info)
    assert ("mac.tx -> mac.rx", "goodput", "share of sleep") == quantities.checked(
        recording, ["goodput", "share of sleep"]
    )
    assert {} == limits.parameters(load(tmp_path, PINGPONG))


def test_an_experiment_without_limits_leaves_no_parameter(tmp_path):
    assert {} == limits.parameters(load(tmp_path, PINGPONG))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('assert = ["rtt.p99 < 20"]', "the unit is missing; it must be ns or us"),
        ('assert = ["p99 of the rtt"]', "not understood; write it like `rtt.p99 < 20 ms`"),
        ('assert = "rtt.p99 < 20 ms"', "Expected `array`, got `str` at `assert`"),
        ('thresholds = ["rtt.p99 5 %"]', "not understood; write it like `rtt.p99 +5 %`"),
        ('quantities = ["mac.txx -> mac.rx"]', "did you mean `mac.tx`?"),
        ('quantities = ["goodput at x"]', "no node `x`; the bench has initiator, responder"),
        ('quantities = ["goodput"]\nprobes = "off"', "without probes the pins show none of them"),
        ('asert = ["rtt.p99 < 20 ms"]', "unknown key `asert`; did you mean `assert`?"),
        (
            'assert = ["rtt.p99 < 20 ms"]\n[settings]\napp = "broadcast"',
            "of `broadcast` is called `delay`",
        ),
        (
            'thresholds = ["delay.p99 +5 %"]',
            "thresholds: `delay.p99 +5 %`: the total delay of `pingpong` is called `rtt`",
        ),
        ('assert = ["rtt.p99 < 20 ms"]\nprobes = "off"', "without probes there are no delays on the pins"),
    ],
)
def test_what_cannot_be_is_refused_with_the_file(tmp_path, line, message):
    with pytest.raises(BenchError) as error:
        load(tmp_path, PINGPONG + line + "\n")
    assert message in str(error.value)
    assert "experiment.toml" in str(error.value)


def test_of_a_recording_without_delays_nothing_holds(tmp_path):
    """And what a recording asserts is judged once, also if it is asserted again."""
    info = RecordingInfo(
        samplerate="24000000/1",
        channels=("",),
        epoch=Epoch(wall="2026-01-01T00:00:00+00:00"),
        virtual=True,
        parameters={"app": "broadcast", "assert": "delay.p99 < 1 ms; loss < 1 %"},
    )
    recording = Recording.create(tmp_path / "run", info)
    nothing = Delays({ONE_WAY: np.zeros(0, dtype=np.int64)}, {}, sent=0, lost=0, samplerate_hz=Fraction(24_000_000))
    verdicts = limits.verdicts(recording, nothing, ("delay.p99 < 1 ms",))
    assert [False, False] == [verdict.holds for verdict in verdicts]
    assert "delay.p99 < 1 ms: does not hold: no packet is complete on the pins" == verdicts[0].sentence
    assert "loss < 1 %: does not hold: not defined (no packets)" == verdicts[1].sentence
