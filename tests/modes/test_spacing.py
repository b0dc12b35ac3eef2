"""When the reference firmware's packets and tasks are due: drawn distances, and phases, on the virtual bench."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from modebench import Mode, record
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.results import checks

M3 = "iotlab-m3"
MEAN_US = 20_000
STREAM = 0x73706163  # SPACING_STREAM, app.c
WORD = 2**32
WORKERS = (6, 7)  # enum actor_id, kernel.h
pytestmark = pytest.mark.slow


def run(folder: Path, packets: int = 40, kernel: Any = "events", **settings: Any) -> Mode:
    """One way from initiator to responder; nothing is lost or damaged."""
    experiment = Experiment(
        name="spacing",
        initiator="initiator",
        responder="responder",
        packets=packets,
        kernel=kernel,
        settings=Settings(**{"interval_us": MEAN_US} | settings),
    )
    mode = record(folder, {"initiator": M3, "responder": M3}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    return mode


def sent_us(mode: Mode) -> NDArray[np.float64]:
    """When the packets were sent, since the first, in us on the pins."""
    events = mode.found.events
    samples = events.instants("app.tx.enter", node="initiator")
    return np.asarray((samples - samples[0]) / float(events.samplerate_hz) * 1e6)


def drawn_us(seed: int, address: int, count: int) -> NDArray[np.float64]:
    """Distances as they ought to be drawn: xorshift from a hash of seed and address (seed.h), and the logarithm."""
    x = ((seed ^ STREAM) + address * 0x9E3779B1) % WORD
    x ^= x >> 15
    x = x * 0x85EBCA6B % WORD
    x ^= x >> 13
    x |= 1
    distances = []
    for _ in range(count):
        x ^= x << 13 & (WORD - 1)
        x ^= x >> 17
        x ^= x << 5 & (WORD - 1)
        distances.append(-math.log(x / WORD) * MEAN_US)
    return np.array(distances)


@pytest.mark.parametrize("app", ["broadcast", "interferer"])
def test_distances_follow_from_seed_and_address(tmp_path: Path, app: str) -> None:
    """The same in each run, those of the formula, others with another seed; a packet that is late moves no other."""
    first = sent_us(run(tmp_path / "first", app=app, csma=False, spacing="poisson"))
    expected = np.cumsum(drawn_us(1, 1, len(first)))[1:] - drawn_us(1, 1, 1)
    free = np.diff(np.concatenate([[0], expected])) > 5_000  # the packet before has gone, however late it was
    assert np.count_nonzero(free) > 25
    assert np.abs(first[1:] - expected)[free].max() < 0.001 * MEAN_US + 20e-6 * expected.max()
    again = sent_us(run(tmp_path / "again", app=app, csma=False, spacing="poisson"))
    assert np.abs(first - again).max() < 2
    other = sent_us(run(tmp_path / "other", app=app, csma=False, spacing="poisson", seed=2))
    assert np.abs(first - other).max() > MEAN_US


def test_a_sender_draws_the_time_from_one_packet_settled_to_the_next(tmp_path: Path) -> None:
    """Each distance from the end of a packet is that of the formula."""
    text = run(tmp_path, app="sender", spacing="poisson").recording.serial("initiator").data.decode()
    sent, settled = np.array(re.findall(r" tx_us=(\d+) done_us=(\d+)", text), dtype=float).T
    assert drawn_us(1, 1, len(sent))[1:] == pytest.approx(sent[1:] - settled[:-1], abs=200)


@pytest.mark.parametrize("kernel", ["events", "threads"])
def test_phases_are_from_the_start(tmp_path: Path, kernel: str) -> None:
    """First run of a task and first packet are due at their phases; without them after a period and an interval."""
    tasks = {"worker_a_on_us": 300, "worker_a_period_us": 11_000, "worker_b_on_us": 100, "worker_b_period_us": 9_000}
    phases = {"phase_us": 31_500, "worker_a_phase_us": 2_000, "worker_b_phase_us": 5_500}

    def firsts(mode: Mode) -> list[float]:
        events = mode.found.events
        due = (events.codes == BY_NAME["task.due"].code) & (events.nodes == events.node("initiator"))
        first = [events.samples[due & (events.ids == task)][0] for task in WORKERS]
        first.append(events.instants("app.tx.enter", node="initiator")[0])
        return [float((at - first[0]) / events.samplerate_hz * 1e6) for at in first[1:]]

    given = run(tmp_path / "given", 3, kernel, app="sender", events_task=True, **tasks, **phases)
    assert firsts(given) == pytest.approx([3_500, 29_500], abs=150)
    usual = run(tmp_path / "usual", 3, kernel, app="sender", events_task=True, **tasks)
    assert firsts(usual)[0] == pytest.approx(-2_000, abs=150)
    assert firsts(usual)[1] == pytest.approx(MEAN_US - 11_000, abs=150)
