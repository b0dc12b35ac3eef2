"""The backoff of a MAC in software on nRF52840: the analysis against the truth of the virtual boards and their air."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from riotrecording import NODES, Truth, unpacked

from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import TIMES
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.steps import Step
from gpiorig.analysis.report.cause_words import named_causes
from gpiorig.analysis.report.lead import lead_sentence
from gpiorig.rig.results import report
from gpiorig.rig.results.report import Reported

PACKETS = 40
UNIT_PS = 320_000_000  # aUnitBackoffPeriod, 20 symbols of 16 us (IEEE 802.15.4-2006, table 85)
PS_PER_NS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Riot:
    """The stored recording: its report and its truth, packet by packet in one order."""

    report: Reported
    truth: Truth

    @property
    def evaluation(self) -> RouteEvaluation:
        return self.report.data.evaluation.routes[0]

    @property
    def backoffs(self) -> list[tuple[int, Step]]:
        """The steps, and the places of their columns."""
        return [(i, step) for i, step in enumerate(self.evaluation.route.steps.steps) if step.is_backoff]

    def seen_ns(self, column: int) -> NDArray[np.float64]:
        steps = self.evaluation.route.steps
        return steps.column(column) * float(10**9 / steps.samplerate_hz)

    def until_air_ps(self, column: int, step: Step) -> NDArray[np.int64]:
        """From the true beginning of a backoff to the first bit of the sender's next frame."""
        before = list(self.truth.steps.values())[:column]
        begins = self.truth.starts + np.sum(before, axis=0)
        first_bits = self.truth.frames[step.node][:, 0]
        return first_bits[np.searchsorted(first_bits, begins)] - begins


@pytest.fixture(scope="module")
def riot(tmp_path_factory: pytest.TempPathFactory) -> Riot:
    recording, truth = unpacked(tmp_path_factory.mktemp("riot"))
    results = report.of(recording)
    assert truth.ids.tolist() == results.data.evaluation.routes[0].route.ids.tolist()
    return Riot(results, truth)


def test_its_steps_are_within_their_stated_uncertainty(riot: Riot) -> None:
    """All packets each way, and no statement is ten times too wide; the names are those of the truth, in order."""
    assert list(riot.truth.steps) == [step.name for step in riot.evaluation.route.steps.steps]
    assert [("request", "initiator"), ("reply", "responder")] == [(step.way, step.node) for _, step in riot.backoffs]
    for column, step in riot.backoffs:
        seen = riot.seen_ns(column)
        errors = np.abs(seen - riot.truth.steps[step.name] / PS_PER_NS)
        stated = riot.evaluation.uncertainties[column].expanded_of(seen)
        assert PACKETS == len(errors)
        assert (errors <= stated).all()
        assert errors.max() > 0.1 * stated.max()


def test_the_frames_were_on_the_air_when_it_was_over(riot: Riot) -> None:
    """The step, the command and the wait of the radio end with the first bit, within their uncertainties together.

    On the air the backoffs are 0 to 7 unit periods and a constant, to the 8 us that RIOT's timer makes of none.
    """
    for column, step in riot.backoffs:
        parts = range(column, column + 3)
        assert riot.evaluation.route.steps.steps[parts[-1]].ends_on_air
        true_ps = riot.until_air_ps(column, step)
        stated = sum(riot.evaluation.uncertainties[i].expanded_of(riot.seen_ns(i)) for i in parts)
        error = np.abs(sum(riot.seen_ns(i) for i in parts) - true_ps / PS_PER_NS)
        assert (error <= stated).all()
        drawn = np.rint((true_ps - true_ps.min()) / UNIT_PS)
        assert set(range(8)) == set(drawn.astype(int))
        assert np.ptp(true_ps - drawn * UNIT_PS) < 10_000_000


def test_it_is_the_cause_with_the_share_that_it_has_on_the_air(riot: Riot) -> None:
    """The first sentence of the page, the share of the variance of the round trips, and the kind in the budget."""
    waits = sum(riot.until_air_ps(column, step) for column, step in riot.backoffs)
    total = np.sum(list(riot.truth.steps.values()), axis=0)
    true_share = float(np.cov(waits, total)[0, 1] / np.var(total, ddof=1))
    (cause,) = named_causes(riot.evaluation)
    assert true_share == pytest.approx(cause.share, abs=1e-3)
    assert {Kind.RADIO_WAIT} == cause.kinds
    assert true_share == pytest.approx(riot.evaluation.numbers.by_kind("variance")[Kind.RADIO_WAIT], abs=1e-3)
    sentence = lead_sentence(riot.report.data)
    assert re.match(rf"Jitter 4\.\d+ ms: .* CSMA backoff, 0 to 7 {TIMES} 3(19|20) µs each way", sentence)
    assert "driver" not in sentence


def test_what_the_radio_waits_is_no_attempt_of_its_own(riot: Riot) -> None:
    """Below a MAC in software every attempt is a command: the notes say so, and no part is waiting for another one."""
    waits = riot.evaluation.parts
    assert len(NODES) == len(waits)
    for wait in waits:
        assert ("The driver's commands show every attempt.",) == wait.notes
        assert wait.divided.all() and not wait.attempt_count.any()
