"""Waiting for a retransmission against the record of the losses: a responder that answers repeated requests."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import repeatedrequests
from depth import DEEP, most
from repeatedrequests import Waits

from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.occurrences import NONE
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.receptions import FROM_ONE
from gpiorig.analysis.report import conclusions
from gpiorig.analysis.report.data import ReportData
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import report
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.headline import Numbers
from gpiorig.vbench.boards.truth import FrameOnAir

pytestmark = pytest.mark.slow  # each seed is a run of the virtual bench

SEEDS = range(1, 21) if DEEP else (1, 3)
PACKETS = 100
REPEAT_US = 60_000
SAMPLES_PER_PS = 24e-6 * (1 - 3e-6)  # the bench's analyzer is 3 ppm slow
US = 24  # samples
MEAN_ERROR, VARIANCE_ERROR = 0.01, 0.03  # of 20 seeds the largest are 0.007 and 0.022


@dataclasses.dataclass(frozen=True)
class Case:
    """One seed: the report, and what its retransmissions cost by the record of the losses."""

    data: ReportData
    numbers: Numbers
    truth: Waits
    frames: list[FrameOnAir]

    @property
    def evaluation(self) -> RouteEvaluation:
        """Of the round trips."""
        return self.data.evaluation.routes[0]


def step_name(case: Case, column: int) -> str:
    """Of a column of the route."""
    return case.evaluation.route.steps.steps[column].name


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """Each seed once."""
    every = []
    for seed in SEEDS:
        folder = tmp_path_factory.mktemp(f"seed{seed}")
        recording, path = repeatedrequests.run(folder, seed=seed, packets=PACKETS, repeat_us=REPEAT_US)
        reported = report.of(recording)
        data = reported.data
        log = data.analysis.logs["initiator"]
        got = (log.sent_us >= 0) & (log.received_us >= 0) & ~log.lost
        logged_us = dict(zip(log.sequences[got].tolist(), (log.received_us - log.sent_us)[got].tolist(), strict=True))
        frames = repeatedrequests.frames_on_air(path, recording)
        every.append(Case(data, reported.numbers, repeatedrequests.true_waits(frames, logged_us), frames))
    return every


def test_shares_are_those_of_the_record(cases: list[Case]) -> None:
    """Of the mean and of the variance of the round trip; an interval of 95 % may miss one share in twenty."""
    outside = 0
    for case in cases:
        (group,) = (group for group in case.evaluation.budget.by_kind if group.of is Kind.RETRANSMISSION)
        mean, variance = case.truth.shares()
        assert len(case.truth.ids) >= 0.98 * len(case.evaluation.route)
        assert mean == pytest.approx(group.time.value, abs=MEAN_ERROR)
        assert variance == pytest.approx(group.variance.value, abs=VARIANCE_ERROR)
        numbers = case.numbers.shares["round trip"]["retransmission"]
        assert (group.time.value, group.variance.value) == (numbers.mean, numbers.variance)
        outside += not group.variance.low <= variance <= group.variance.high
    assert outside <= most(len(cases), 0.05)


def test_the_sentences_name_retransmissions(cases: list[Case]) -> None:
    """As the kind that makes most of the variance, and as the cause; it is the only cause."""
    for case in cases:
        kinds = case.evaluation.numbers.by_kind("variance")
        assert Kind.RETRANSMISSION is max(kinds, key=lambda kind: kinds[kind])
        assert sum(kinds.values()) == pytest.approx(1)
        assert "most of the variance: waiting for a retransmission" in conclusions.budget_sentence(case.evaluation)
        cause = conclusions.largest_cause(case.evaluation)
        assert cause is not None and "retransmission" == cause.finding.kind
        waiting = max(case.evaluation.parts, key=lambda wait: wait.retransmission.sum())
        findings = next(a.findings for a in case.evaluation.attributions if a.step == step_name(case, waiting.column))
        assert findings[0].numbers["retransmitted_packets"] == np.count_nonzero(waiting.retransmission)


def test_turn_arounds_are_those_of_the_responder_s_clock(cases: list[Case]) -> None:
    """From the delivery that was answered: by its own timestamps all are equal, to the microsecond of their ticks."""
    for case in cases:
        log, steps = case.data.analysis.logs["responder"], case.evaluation.route.steps
        answered_us = (log.sent_us - log.received_us)[(log.sent_us >= 0) & (log.received_us >= 0)]
        assert np.ptp(answered_us) <= 1
        (column,) = (i for i, step in enumerate(steps.steps) if step.turn_around)
        turn_us = steps.samples[:, column] / float(steps.samplerate_hz) * 1e6
        assert np.ptp(turn_us) < 1 and abs(np.median(turn_us) - np.median(answered_us)) < 10


def test_steps_add_up_and_waits_of_the_application_are_whole(cases: list[Case]) -> None:
    """Each packet's milestones sum to its round trip; a request that was repeated waited for `repeat_us` or more."""
    repeated = 0
    for case in cases:
        lines = case.data.analysis.timelines
        assert lines is not None and timelines.steps_add_up(lines, timelines.steps(lines))
        steps = case.evaluation.route.steps
        for column in [i for i, step in enumerate(steps.steps) if step.kind is Kind.RETRANSMISSION]:
            waited_us = steps.samples[:, column] / float(steps.samplerate_hz) * 1e6
            assert (waited_us[waited_us > 0] >= 0.999 * REPEAT_US).all()
            repeated += int(np.count_nonzero(waited_us))
    assert repeated == sum(int(np.count_nonzero(case.truth.application)) for case in cases) > 0


def test_packets_that_an_application_read_again_are_counted(cases: list[Case]) -> None:
    """No fewer than those that the responder answered again."""
    for case in cases:
        trips, log = case.data.analysis.round_trips, case.data.analysis.logs["responder"]
        assert trips is not None
        answered = log.sequences[log.sent_us >= 0]
        assert trips.read_again[0] >= len(answered) - len(np.unique(answered))
        assert trips.deliveries[:, 0].sum() == len(trips) + trips.read_again[0]
        assert trips.replies.min() >= 0
        assert case.numbers.read_again["responder"] == trips.read_again[0]


def test_frames_readings_and_interrupts_are_of_the_packets_of_the_record(cases: list[Case]) -> None:
    """Each frame on the air is in one transmission with its id and number, and each reading is of one that arrived.

    A line of the other node rises 9 us after a frame (AT86RF231 datasheet 8111C, 12.4): the event is of its packet, or,
    where no driver read the frame, of none.
    """
    interrupts = readings = 0
    for case in cases:
        hops = case.data.analysis.hops
        assert hops is not None
        events, sent, read = hops.events, hops.transmissions, hops.receptions
        rise = events.codes == BY_NAME["tap.irq.enter"].code
        packets = np.append(hops.packets.ids, NONE)[hops.packet_of]
        for frame in (frame for frame in case.frames if frame.psdu[0] & 7 == repeatedrequests.DATA):
            node, id_ = events.node(frame.node), repeatedrequests.id_of(frame)
            begin, end = (ps * SAMPLES_PER_PS for ps in (frame.start_ps, frame.end_ps))
            (row,) = np.flatnonzero((sent.nodes == node) & (sent.begins <= begin) & (sent.ends >= end))
            assert (id_, frame.psdu[2]) == (sent.ids[row], sent.sequences[row])
            (of,) = np.nonzero((read.nodes != node) & (read.ends > end) & (read.ends < end + 20 * US))
            assert len(of) == 0 or (not frame.lost_at and [row] == read.transmissions[of].tolist())
            readings += len(of)
            (at,) = np.nonzero(
                rise & (events.nodes != node) & (events.samples > end) & (events.samples < end + 20 * US)
            )
            if not frame.lost_at and len(at):
                assert set(packets[at].tolist()) <= {id_, NONE} and (len(of) == 0 or [id_] == packets[at].tolist())
                interrupts += 1
        assert len(read) == np.count_nonzero(read.origins == FROM_ONE)
    assert readings == sum(len(case.data.analysis.hops.receptions) for case in cases if case.data.analysis.hops)
    assert interrupts >= readings > 200 * len(cases)


def test_without_losses_nothing_is_a_retransmission(tmp_path: Path) -> None:
    """The same steps as without repetitions."""
    names = []
    for repeat_us in (REPEAT_US, 0):
        recording, _ = repeatedrequests.run(
            tmp_path / f"{repeat_us}", seed=1, packets=40, repeat_us=repeat_us, lost_ppm=0
        )
        result = analyse(open_recording(recording))
        assert result.round_trips is not None and (0, 0) == result.round_trips.read_again
        names.append([step.name for step in result.routes[0].steps.steps])
    assert names[0] == names[1]
    assert not any("retransmission" in name for name in names[0])
