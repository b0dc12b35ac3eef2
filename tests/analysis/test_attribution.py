"""Attribution on the virtual bench: what each run was given to make jitter is what its steps are found to wait for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from directbench import record

from gpiorig.analysis.attribution.activities import activities
from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import PREEMPTED, begins, covariates
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.processor.occupancy import Occupancy
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow
BENCH = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
RADIO_WAITS = ("request: radio wait: exec done to first bit on air", "reply: radio wait: exec done to first bit on air")
WORKER = 6  # docs/reference/reference-firmware.md, Processing tasks


@dataclass(frozen=True)
class Attributed:
    """A route of a run and what was found on it."""

    route: Route
    events: Events
    attributions: dict[str, Attribution]

    def of(self, step: str, kind: str) -> Finding:
        """The finding of a kind on a step."""
        return next(finding for finding in self.attributions[step].findings if finding.kind == kind)

    def kinds(self, step: str) -> set[str]:
        return {finding.kind for finding in self.attributions[step].findings}


def round_trips(folder: Path, **settings: int) -> Attributed:
    """300 round trips with a task of the most urgent priority at the initiator, or without one."""
    worker = NodeRole(**settings) if settings else NodeRole()
    given = Settings(interval_us=20_137, events_task=True, events_sched=True, events_queue=True)
    experiment = Experiment(
        name="task",
        initiator="initiator",
        responder="responder",
        packets=300,
        kernel="threads",
        settings=given,
        nodes={"initiator": worker},
    )
    result = analyse(open_recording(record(folder, BENCH, experiment)))
    route = result.routes[0]
    preempted = Occupancy((), np.zeros((0, 0)), worked(result.events, route), np.ones(len(route.steps.steps), bool))
    attributions = attribute(
        route,
        covariates=covariates(result.round_trips, route, preempted),
        activities=activities(result.events),
    )
    return Attributed(route, result.events, {attribution.step: attribution for attribution in attributions})


def worked(events: Events, route: Route) -> np.ndarray:
    """int64[k, s], how long the worker of the initiator ran within each of its steps: the plain sum of overlaps."""
    of = (events.nodes == events.node("initiator")) & (events.ids == WORKER)
    enters = events.samples[of & (events.codes == BY_NAME["task.run.enter"].code)]
    exits = events.samples[of & (events.codes == BY_NAME["task.run.exit"].code)][: len(enters)]
    enters = enters[: len(exits)]
    low, preempted = begins(route), np.zeros(route.steps.samples.shape, dtype=np.int64)
    high = low + route.steps.samples
    for column, step in enumerate(route.steps.steps):
        if step.node == "initiator":
            for row in range(len(route)):
                inside = np.minimum(exits, high[row, column]) - np.maximum(enters, low[row, column])
                preempted[row, column] = np.maximum(inside, 0).sum()
    return preempted


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Attributed:
    return round_trips(tmp_path_factory.mktemp("attribution") / "plain")


@pytest.fixture(scope="session")
def ticking(tmp_path_factory: pytest.TempPathFactory) -> Attributed:
    """With 100 us of work every millisecond."""
    folder = tmp_path_factory.mktemp("attribution") / "ticking"
    return round_trips(folder, worker_a_on_us=100, worker_a_period_us=1000, worker_a_priority=1)


def test_the_radio_wait_is_a_lattice_of_320_us(plain: Attributed) -> None:
    """8 levels per end, 15 of the round trip (aUnitBackoffPeriod, IEEE 802.15.4-2006 7.4.1: 20 symbols of 16 us).

    The analyzer is 3 ppm slow and the radios' crystals are fast (boards 0 and 1 of oscillator.rs; its test has the
    same numbers), so that 320 us are 319.986 and 319.991 on its scale. The round trip has both.
    """
    initiator_ns, responder_ns = (320_000 * (1 - 3e-6 - ppb * 1e-9) for ppb in (39_629, 26_455))
    waits = ((RADIO_WAITS[0], 8, initiator_ns, initiator_ns), (RADIO_WAITS[1], 8, responder_ns, responder_ns))
    for step, levels, least_ns, most_ns in (*waits, ("total", 15, initiator_ns, responder_ns)):
        finding = plain.of(step, "lattice")
        assert levels == finding.numbers["levels"]
        assert finding.numbers["period_ns"].low <= most_ns
        assert least_ns <= finding.numbers["period_ns"].high
        assert finding.numbers["period_ns"].high - finding.numbers["period_ns"].low < 20
        assert finding.share > 0.99
        assert {"lattice"} == plain.kinds(step)


def test_nothing_else_is_found(plain: Attributed) -> None:
    assert {RADIO_WAITS[0], RADIO_WAITS[1], "total"} == {step for step in plain.attributions if plain.kinds(step)}
    interrupts = [plain.attributions[step.name] for step in plain.route.steps.steps if step.kind is path.Kind.INTERRUPT]
    assert 4 == len(interrupts)
    assert all("Does not vary" in attribution.sentence for attribution in interrupts)


def test_a_1_khz_beat_is_found(ticking: Attributed) -> None:
    """On the initiator's steps, with the worker by name; not on the responder's."""
    beats = {step: ticking.of(step, "beat") for step in ticking.attributions if "beat" in ticking.kinds(step)}
    names = {step.name: step.node for step in ticking.route.steps.steps}
    assert {"initiator"} == {names[step] for step in beats}
    assert len(beats) >= 12
    for beat_finding in beats.values():
        assert "initiator: task 6" == beat_finding.numbers["activity"]
        # 12 ppm fast, seen by an analyzer that is 3 ppm slow.
        assert 1e6 * (1 - 15e-6) == pytest.approx(beat_finding.numbers["period_ns"].value, rel=1e-6)
    assert beats["reply: read the frame"].share > 0.9


def test_the_phase_shows_when_the_task_runs(ticking: Attributed) -> None:
    """Reading a frame takes 128 us: it meets the task when it begins in the last 128 us of the millisecond."""
    step = "reply: read the frame"
    task = activities(ticking.events)[str(ticking.of(step, "beat").numbers["activity"])]
    column = [attribution.name for attribution in ticking.route.steps.steps].index(step)
    turns = task.phase(begins(ticking.route)[:, column])
    known = np.isfinite(turns)
    phase, delays = turns[known] % 1, ticking.route.steps.samples[known, column]
    longer = delays > np.median(delays) + 1000
    assert longer.sum() >= 20
    assert 0.84 < phase[longer].min() and phase[longer].max() < 1.0
    assert not longer[(phase > 0.2) & (phase < 0.84)].any()


def test_a_preempting_task_is_found(ticking: Attributed) -> None:
    """A step is longer by what the task runs in it, and by the two switches with their events: 100 us make 138."""
    finding = ticking.of("reply: read the frame", "dependence")
    assert PREEMPTED == finding.numbers["on"]
    assert 1000 < finding.numbers["slope"].value < 1500
    assert finding.share > 0.99


def test_without_known_activities_a_search_finds_the_millisecond(ticking: Attributed) -> None:
    attributions = {attribution.step: attribution for attribution in attribute(ticking.route)}
    attribution = next(f for f in attributions["reply: interrupt: ISR to driver"].findings if f.kind == "beat")
    assert attribution.numbers["period_ns"].low <= 1e6 * (1 - 15e-6) <= attribution.numbers["period_ns"].high
    assert "" == attribution.numbers["activity"]


def test_a_bimodal_queue_is_found(tmp_path: Path) -> None:
    """Pairs of packets handed down at once: the first goes, the second waits in the MAC until the first is out."""
    experiment = Experiment(
        name="pairs",
        initiator="initiator",
        responder="responder",
        packets=300,
        settings=Settings(app="train", fire="sleep", train=2, gap_us=0, interval_us=30_000, csma=False),
    )
    recording = record(tmp_path, BENCH, experiment)
    events = analyse(open_recording(recording)).events
    marks = []
    for point in ("app.tx.enter", "mac.tx.enter", "driver.prepare.enter", "driver.exec.enter"):
        of = (events.codes == BY_NAME[point].code) & (events.nodes == events.node("initiator"))
        at = dict(zip(events.ids[of].tolist(), events.samples[of].tolist(), strict=True))
        marks.append([at[id_] for id_ in sorted(at)])
    samples = np.array(marks).T
    names = ("app to mac", "mac to driver", "driver")
    end = path.Milestone("request.m", "mac.tx.enter", 0, False, path.Source.ID)
    steps = tuple(Step("", name, end, end, path.Kind.SOFTWARE, ("initiator",)) for name in names)
    bench_run = Steps(steps, np.arange(len(samples)), np.diff(samples, axis=1), events.samplerate_hz)
    route = Route("one way", bench_run, np.arange(len(samples), dtype=np.int32), samples[:, 0], 0, 0)
    attribution = {one.step: one for one in attribute(route)}["mac to driver"]
    modes = next(finding for finding in attribution.findings if finding.kind == "modes")
    assert 2 == modes.numbers["modes"]
    assert (0.5, 0.5) == pytest.approx((modes.numbers["weight_1"], modes.numbers["weight_2"]), abs=0.01)
    # At least the frame of the first: 32 bytes of payload at 32 us each.
    assert modes.numbers["place_2_ns"] - modes.numbers["place_1_ns"] > 1e6
    assert modes.share > 0.99
