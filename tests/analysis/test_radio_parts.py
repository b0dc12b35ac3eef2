"""Parts of the radio wait on virtual benches: each within its stated uncertainty of what was on the virtual air."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from interference import BENCH
from radiowaits import Run, Waits, bench_text, links, run

from gpiorig.analysis.compare import comparison, delays, limits, thresholds
from gpiorig.analysis.delays import budget, radio_parts
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.tables import registry
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results import report
from gpiorig.rig.results.analyse import analyse

M3 = {"initiator": "iotlab-m3", "responder": "iotlab-m3"}
TELOSB = {"initiator": "telosb", "responder": "telosb"}
NRF52840 = {"initiator": "nrf52840dk", "responder": "nrf52840dk"}
BOTH_WAYS = (("initiator", "responder"), ("responder", "initiator"))
pytestmark = pytest.mark.slow


def experiment(packets: int, settings: Settings, **nodes: NodeRole) -> Experiment:
    """Ping-pong between the two nodes."""
    return Experiment(
        name="waits", initiator="initiator", responder="responder", packets=packets, settings=settings, nodes=nodes
    )


def settings(**given: object) -> Settings:
    """Packets far enough apart for four attempts each way."""
    return Settings(**{"interval_us": 80_000, "timeout_us": 75_000} | given)


def assert_within(waits: Waits) -> None:
    """Every part of every packet that is divided, and its attempts, as on the virtual air."""
    divided = waits.parts.divided
    error_ns = np.abs(waits.samples_ns[:, :5] - waits.true_ns)
    assert (error_ns <= waits.expanded_ns[:, :5])[divided].all()
    assert (waits.parts.attempt_count == waits.true_attempts)[divided].all()


def assert_adds_up(recorded: Run) -> None:
    """Each packet's parts are its step, exactly."""
    for waits in recorded.waits.values():
        samples = waits.parts.samples
        assert (samples >= 0).all()
        assert (recorded.route.steps.samples[:, waits.parts.column] == samples.sum(axis=1)).all()


@pytest.fixture(scope="module")
def beside_others(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two M3 next to a third one that sends every 10 ms."""
    folder = tmp_path_factory.mktemp("others")
    bench = BENCH.replace("seed = 1\n", f'seed = 1\ntruth = "{folder / "truth"}"\n')
    noise = NodeRole(start=True, app="interferer", interval_us=10_137, payload=64)
    return run(folder, bench, experiment(200, settings(interval_us=40_000, timeout_us=35_000), noise=noise))


def test_other_nodes_frames_are_measured(beside_others: Run) -> None:
    """Frames of the interferer that a wait met; a packet that collided where no line shows it is not divided."""
    assert_adds_up(beside_others)
    for waits in beside_others.waits.values():
        assert_within(waits)
        assert waits.samples_ns[:, radio_parts.OTHERS].mean() > 300e3
        assert (waits.true_attempts[~waits.parts.divided] > 0).all()


def test_shares_of_the_budget_add_up_to_the_step(beside_others: Run) -> None:
    """Time, variance and tail of the study's budget, and its rows."""
    route = beside_others.route
    (evaluation,) = report.of(beside_others.recording).data.evaluation.routes
    assert len(route) == evaluation.budget.packets
    for wait in evaluation.parts:
        parts = [part for part in evaluation.budget.parts if part.step == wait.column]
        for kind in ("time", "variance", "tail"):
            whole = getattr(evaluation.budget, kind)[wait.column]
            assert whole.value == pytest.approx(sum(getattr(part, kind).value for part in parts), abs=1e-12)
    table = budget.as_table(evaluation.budget)
    rows = [row for row in table.to_pylist() if row["part"]]
    assert list(PART_NAMES) * 2 == [row["part"] for row in rows]


def test_assertions_and_comparisons_name_the_parts(beside_others: Run) -> None:
    """By the name of the step and the part; the tables of a report and an analysis from scratch give the same."""
    name, recording = next(iter(beside_others.waits)), beside_others.recording
    asserted = [f"{name}: backoff.max < 1 us", f"{name}: backoff.p50 < 1 s"]
    reported = report.of(recording, asserted=asserted)
    assert any(f"{name}: backoff.p50 < 1 s: holds" in sentence for sentence in reported.sentences)
    assert any("backoff.max < 1 us: does not hold" in note for note in reported.data.notes)
    fresh, _ = comparing.load(recording, fresh=True)
    stages = analyse(open_recording(recording))
    trips, steps = (registry.table(stages, name) for name in ("round_trips", "steps"))
    (evaluation,) = reported.data.evaluation.routes
    read = delays.from_tables(trips, steps, radio_parts.as_table(evaluation.parts, evaluation.route))
    assert list(fresh.parts) == list(read.parts)
    assert all(np.array_equal(fresh.parts[part], read.parts[part]) for part in fresh.parts)
    limit = limits.threshold(f"{name}: other nodes' frames.mean +1 us")
    assert () == thresholds.judge(limit, fresh, read, comparison.compare(fresh, read)).exceeded


def test_attempts_that_another_line_shows_are_measured(tmp_path: Path) -> None:
    """TX_ARET with lost frames and acknowledgements; a third node's line shows what the receiver did not receive."""
    nodes = {**M3, "witness": "iotlab-m3"}
    lines = {"witness": ("strobe", "d0", "d1", "tap.frame_timestamp")}
    bench = bench_text(tmp_path, nodes, lines=lines) + links(nodes, dict.fromkeys(BOTH_WAYS, 80_000))
    recorded = run(tmp_path, bench, experiment(150, settings()))
    assert_adds_up(recorded)
    request, reply = recorded.waits.values()
    for waits in (request, reply):
        assert_within(waits)
    assert request.parts.divided.all() and request.parts.attempt_count.sum() > 5
    # A reply may meet the repeated request, whose acknowledgement was lost: then either node may have sent a frame.
    assert any("may be the packet's own or another node's" in note for note in reply.parts.notes)


def test_attempts_that_no_line_shows_are_not_taken_for_the_backoff(tmp_path: Path) -> None:
    """TX_ARET between two nodes: a lost frame leaves no trace but a wait that is not one backoff."""
    bench = bench_text(tmp_path, M3) + links(M3, dict.fromkeys(BOTH_WAYS, 50_000))
    recorded = run(tmp_path, bench, experiment(250, settings()))
    assert_adds_up(recorded)
    for waits in recorded.waits.values():
        assert_within(waits)
        assert np.count_nonzero(waits.true_attempts) and not waits.parts.attempt_count.any()
        assert 0.75 * np.count_nonzero(waits.true_attempts) <= np.count_nonzero(~waits.parts.divided)
        assert "an attempt that no line shows is part of the backoff" in waits.parts.notes[0]


@pytest.mark.parametrize(
    ("nodes", "finish", "loss_ppm"),
    [
        (TELOSB, "interrupt", dict.fromkeys(BOTH_WAYS, 80_000)),
        (TELOSB, "busy", dict.fromkeys(BOTH_WAYS, 80_000)),
        # An acknowledgement that is lost is on its sender's line alone, which is 24 us off there.
        (NRF52840, "interrupt", {BOTH_WAYS[0]: 160_000}),
    ],
    ids=["TelosB", "TelosB, busy", "nRF52840"],
)
def test_attempts_of_the_driver_are_all_known(
    tmp_path: Path, nodes: dict[str, str], finish: str, loss_ppm: dict[tuple[str, str], int]
) -> None:
    """CSMA in software: the commands show every attempt, whoever received it; frames of the other node, too."""
    bench = bench_text(tmp_path, nodes) + links(nodes, loss_ppm)
    recorded = run(
        tmp_path, bench, experiment(60, settings(interval_us=150_000, timeout_us=140_000, finish=finish)), exact=False
    )
    assert_adds_up(recorded)
    for waits in recorded.waits.values():
        assert_within(waits)
        assert waits.parts.divided.all()
        assert ("The driver's commands show every attempt.",) == waits.parts.notes
    assert sum(waits.true_attempts.sum() for waits in recorded.waits.values()) > 2
