"""Modes of the reference firmware on any boards: all within range of each other, one analyzer on their buses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import directbench

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

TAPS = ("tap.irq", "tap.frame_timestamp")


OUT_OF_RANGE_DBM = -120  # below any radio's sensitivity


def assert_frames_complete(result: Analysis) -> None:
    """No frame of a symbol bus was damaged, and as many arrived as each node states."""
    assert 0 == len(result.events.damaged)
    for node, seen, sent in checks.frame_counts(result.events, result.logs):
        assert sent == seen, node


def bench_text(nodes: Mapping[str, str], *, loss_ppm: int = 0, apart: Collection[tuple[str, str]] = ()) -> str:
    """A virtual bench with these nodes, name to board; the taps of as many as the analyzer has channels for.

    `apart` has pairs of nodes of which the second does not receive the first.
    """
    channels = iter(BEAGLELOGIC_CHANNELS)
    lines = {
        name: {line: next(channels) for line in ("strobe", *boards.load(board).data_lines)}
        for name, board in nodes.items()
    }
    for name, board in nodes.items():
        for tap in TAPS:
            if tap in boards.load(board).pins and (channel := next(channels, None)):
                lines[name][tap] = channel
    text = ['name = "modes"', "[analyzers.la]", "samplerate_hz = 24_000_000"]
    for name, board in nodes.items():
        text += [f"[nodes.{name}]", f'board = "{board}"', f"[nodes.{name}.lines]"]
        text += [f'"{line}" = "{channel}"' for line, channel in lines[name].items()]
    text += ["[virtual]", "seed = 1", "[virtual.analyzers.la]", "clock_ppb = -3_000"]
    for number, name in enumerate(nodes):
        text += [f"[virtual.nodes.{name}]", f"clock_ppb = {12_000 - 9_000 * number}"]
    for sender, receiver in permutations(nodes, 2):
        text += ["[[virtual.links]]", f'from = "{sender}"', f'to = "{receiver}"', "delay_ps = 10_000"]
        text += [f"loss_ppm = {loss_ppm}"] if loss_ppm else []
        text += [f"rssi_dbm = {OUT_OF_RANGE_DBM}"] if (sender, receiver) in apart else []
    return "\n".join(text) + "\n"


@dataclass(frozen=True, slots=True)
class Mode:
    """A recording, and the content of its logs and its pins."""

    recording: Recording
    found: Analysis

    def log(self, node: str) -> NodeLog:
        """What a node logged."""
        return self.found.logs[node]

    @property
    def virtual_s(self) -> float:
        """Length of the recording."""
        return float((self.found.events.end - self.found.events.start) / self.found.events.samplerate_hz)


def record(
    folder: Path,
    nodes: Mapping[str, str],
    experiment: Experiment,
    *,
    loss_ppm: int = 0,
    apart: Collection[tuple[str, str]] = (),
) -> Mode:
    """Run an experiment on these boards."""
    recording = directbench.record(folder, bench_text(nodes, loss_ppm=loss_ppm, apart=apart), experiment)
    return Mode(recording, analyse(open_recording(recording)))
