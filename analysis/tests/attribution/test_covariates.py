"""Covariates of round trips, and the figures of the findings."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import tripcases

from gpiorig.analysis.attribution import activities, attribute
from gpiorig.analysis.attribution.covariates import PREEMPTED, QUEUED, begins, covariates, step_covariates
from gpiorig.analysis.packets import round_trips
from gpiorig.analysis.processor.occupancy import Occupancy

RATE_HZ = Fraction(24_000_000)


@pytest.fixture
def trips(new_bench):
    """40 round trips of a synthetic bench, some of whose posts wait while the next step runs."""
    bench = new_bench(seed=3)
    for id_ in range(1, 41):
        marks = bench.round_trip(id_)
        for k in range(id_ % 3):  # posted before the request reaches UDP, fetched when the reply is there
            bench.log.append((0, marks["request.udp.tx"] - 3 - k, "queue.post", 3))
            bench.log.append((0, marks["reply.app.rx"] + 3 + k, "queue.fetch", 3))
    events = bench.events()
    round_trips_ = tripcases.trips(events)
    return round_trips_, round_trips.route(round_trips_)


def test_steps_begin_where_the_one_before_ends(trips) -> None:
    _, route = trips
    at = begins(route)
    assert route.starts.tolist() == at[:, 0].tolist()
    assert (at[:, 1:] - at[:, :-1]).tolist() == route.steps.samples[:, :-1].tolist()


def test_messages_queued_are_counted_when_a_step_begins(trips) -> None:
    values_by_name, route = trips
    given = covariates(values_by_name, route)
    queued = given[QUEUED]
    steps = [step.name for step in route.steps.steps]
    expected = [id_ % 3 for id_ in range(1, 41)]
    assert [0] * 40 == queued[:, steps.index("request: app to udp")].tolist()
    assert expected == queued[:, steps.index("request: udp to ipv6")].tolist()
    assert expected == queued[:, steps.index("reply: udp to app")].tolist()
    assert np.isnan(queued[:, steps.index("reply: udp to ipv6")]).all()  # the responder shows no queue


def test_what_never_varies_is_left_out(trips) -> None:
    values_by_name, route = trips
    assert {QUEUED} == set(covariates(values_by_name, route))
    none = Occupancy((), np.zeros((0, 0)), np.zeros(route.steps.samples.shape, dtype=np.int64), np.ones(39, dtype=bool))
    assert {QUEUED} == set(covariates(values_by_name, route, none))
    assert {QUEUED} == set(step_covariates(values_by_name.events, route))


def test_retries_and_air_time_are_those_of_the_packets(trips) -> None:
    """Counts of the packets' rows; air time in bytes above the shortest frame, not moved by a sample's jitter."""
    values_by_name, route = trips
    air = [step.name for step in route.steps.steps].index("request: air: first bit to radio interrupt")
    route.steps.samples[:, air] = 42_624 + 768 * (np.arange(40) % 4) + np.arange(40) % 2  # 55.5 bytes and more
    values_by_name.transmissions[:, 0] += np.arange(40, dtype=np.int32) % 3
    given = covariates(values_by_name, route)
    assert (np.arange(40) % 4).tolist() == given["request longer air time, 32 µs"].tolist()
    assert (np.arange(40) % 3).tolist() == given["request retries"].tolist()
    assert "reply retries" not in given


def test_preempted_time_is_in_microseconds_where_it_is_known(trips) -> None:
    values_by_name, route = trips
    count = len(route.steps.steps)
    samples = np.arange(40 * count).reshape(40, count)
    given = covariates(values_by_name, route, Occupancy((), np.zeros((0, 0)), samples, np.arange(count) % 2 == 0))
    assert (samples[:, 0] / 24).tolist() == given[PREEMPTED][:, 0].tolist()
    waits = next(k for k, step in enumerate(route.steps.steps) if "radio wait" in step.name)
    assert 0 == waits % 2
    assert np.isnan(given[PREEMPTED][:, waits]).all()
    assert np.isnan(given[PREEMPTED][:, 1]).all()


@pytest.mark.slow
def test_unknown_covariates_are_not_tested(trips) -> None:
    values_by_name, route = trips
    given = covariates(values_by_name, route)
    result = {finding.step: finding for finding in attribute.attribute(route, covariates=given)}
    steps = [step.name for step in route.steps.steps]
    waits = result["request: radio wait: exec done to first bit on air"]
    assert waits.tests >= 4
    assert len(steps) + 1 == len(result)


@pytest.mark.parametrize(("early", "steady"), [(4, True), (5, False)])
def test_a_period_is_kept_by_four_fifths_of_its_intervals(early: int, steady: bool) -> None:
    """Of twenty some are of two periods; an instant 5 % off is of the period, one further off is not."""
    turns = np.where(np.arange(20) % 4 == 1, 2, 1) if early == 5 else np.where(np.arange(20) % 5 == 1, 2, 1)
    found = activities.periodic("a", np.concatenate([[0], np.cumsum(1000 * turns)]))
    assert steady == (found is not None)
    if found is not None:
        assert (1000.0, 24) == (found.period_samples, found.cycles[-1])
    for off, kept in ((50, 21), (51, 20)):
        instants = np.arange(21) * 1000
        instants[-1] += off
        even = activities.periodic("a", instants)
        assert even is not None
        assert kept == len(even.instants)
