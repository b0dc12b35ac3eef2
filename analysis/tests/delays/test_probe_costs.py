"""What probes cost the steps of a packet, on a synthetic bench whose events cost nothing, so that all is known."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from tripcases import trips

from gpiorig.analysis.delays.calibration import Price, price
from gpiorig.analysis.delays.instruments import Analyzer, Instruments, Node, seen_at
from gpiorig.analysis.delays.probe_costs import for_route
from gpiorig.analysis.events.table import BY_CODE, BY_NAME
from gpiorig.analysis.packets import path, round_trips

T_NS = 1e9 / 24e6
EVENT = 84  # samples, 3.5 us
PLAIN = Node(bus_width=2, symbol_ns=125, frame_gap_ns=400, mark_ns=192_000)
NODES = ("initiator", "responder")


def calibrated(events, cost=EVENT, nodes=NODES):
    """The events with a calibration burst of each node before them."""
    burst = np.arange(16)
    count = len(burst) * len(nodes)
    samples = np.concatenate([*(burst * cost for _ in nodes), events.samples + 10_000])
    order = np.argsort(samples, kind="stable")
    parts = {
        "nodes": np.concatenate([np.repeat([NODES.index(n) for n in nodes], len(burst)), events.nodes]),
        "codes": np.concatenate([np.full(count, BY_NAME["rig.calibrate"].code), events.codes]),
        "ids": np.concatenate([*(burst for _ in nodes), events.ids]),
    }
    kinds = {"nodes": np.uint16, "codes": np.uint8, "ids": np.int32}
    return dataclasses.replace(
        events,
        samples=samples[order],
        end=events.end + 10_000,
        **{name: values[order].astype(kinds[name]) for name, values in parts.items()},
    )


def route_of(events):
    analysis = trips(events)
    return round_trips.route(analysis)


def instruments(node=PLAIN):
    return Instruments(Analyzer(period_ns=T_NS), nodes=dict.fromkeys(NODES, node))


@pytest.fixture
def events(bench):
    return calibrated(bench.events())


@pytest.fixture
def route(events):
    return route_of(events)


def slowly(events, route, prices: Price):
    """The costs in ns, event by event: a plain second version, without leads and waits."""
    costs_ns = np.zeros((len(route), len(route.steps.steps)))
    for row, start in enumerate(route.starts):
        for column, step in enumerate(route.steps.steps):
            end = start + route.steps.samples[row, column]
            within = slice(*np.searchsorted(events.samples, (start, end)))
            if step.kind not in (path.Kind.RADIO_WAIT, path.Kind.AIR):
                for node, code, identity in zip(
                    events.nodes[within], events.codes[within], events.ids[within], strict=True
                ):
                    if NODES[node] == step.node and BY_CODE[int(code)].code < 128:
                        costs_ns[row, column] += prices.with_id if identity >= 0 else prices.without_id
            start = end
    return costs_ns


def test_a_price_is_the_mean_of_the_burst(events):
    """3.5 us; without id it costs 12 of 28 bits at least, at most 8 symbols of 125 ns (reference/line-code.md)."""
    event_price = price(events, node="initiator", known=PLAIN)

    assert EVENT * T_NS == pytest.approx(event_price.with_id)
    assert 3500 * 12 / 28 == pytest.approx(event_price.without_id - event_price.without_id_width)
    assert 3500 - 8 * 125 == pytest.approx(event_price.without_id + event_price.without_id_width)
    assert 3500 - 13 * 125 - 400 == pytest.approx(2 * event_price.lead_width)


def test_measured_costs_lie_within_the_limits():
    """Costs of docs/guide/probe-cost.md: an event without id is within the limits that one with an id gives."""
    for symbol_ns, width, with_id, without in (
        (125, 2, 3440, 1830),  # STM32F103
        (125, 2, 3100, 1610),  # STM32L476
        (2000, 4, 41_250, 20_000),  # MSP430F1611
    ):
        known = dataclasses.replace(PLAIN, symbol_ns=symbol_ns, bus_width=width)
        low, high = with_id * 12 / 28, with_id - symbol_ns * 16 / width
        assert low <= without <= high, known


def test_costs_are_those_of_every_event_in_its_step(bench):
    """Packet by packet, against a loop over all events, one of which has the id 0."""
    bench.log.append((0, bench.truth[3]["request.app.tx"] + 7, "sched.switch", 0))
    events = calibrated(bench.events())
    route = route_of(events)
    costs = for_route(events, route, instruments())
    one = price(events, node="initiator", known=PLAIN)

    leads = costs.costs_ns - slowly(events, route, one)
    assert np.allclose(leads, leads[0])
    # A step between a line and the bus differs by the time from the call to the first strobe edge; all cancel.
    assert {0.0, one.lead_width, -one.lead_width} == set(np.round(leads[0], 6))
    assert 0 == pytest.approx(leads[0].sum(), abs=1e-6)
    part = next(part for part in costs.parts if part.name == "instant within an event").standard_ns
    of_nodes = [here == there for here, there in seen_at(route.steps.steps)]
    # A step between two events on one bus has both leads alike; else that of each end on a bus is uncertain.
    assert [0.0] * 2 == part[[0, -1]].tolist()
    assert one.lead_width / math.sqrt(3) == pytest.approx(part[np.flatnonzero(np.round(leads[0], 6))])
    assert not part[:-1][np.array(of_nodes) & (np.round(leads[0], 6) == 0)].any()


def test_parts_of_the_uncertainty_by_their_equations(events, route):
    """12 % of the cost and a seventh of an event, rectangular; what the steps of a node share adds up in the total."""
    costs = for_route(events, route, instruments())
    parts = {part.name: part.standard_ns for part in costs.parts}
    one = price(events, node="initiator", known=PLAIN)
    on_bus = costs.events[:-1] > 0
    places = np.where(on_bus, one.with_id / 7 / math.sqrt(3), 0.0)
    assert [*places, math.sqrt(np.sum(places**2))] == pytest.approx(parts["place of code"])
    assert not on_bus.all()

    owners = np.array([here for here, _ in seen_at(route.steps.steps)])
    leads = costs.costs_ns - slowly(events, route, one)  # their steps cost what the events do, but for these
    ways = np.median(costs.costs_ns - leads, axis=0) * 0.12 / math.sqrt(3)
    of_nodes = [ways[owners == node].sum() for node in NODES]
    assert min(of_nodes) > 0
    assert [*ways, math.hypot(*of_nodes)] == pytest.approx(parts["event on the way"], rel=1e-4)


def test_ends_on_the_buses_of_two_nodes_share_no_lead(events, route):
    """A request alone: its first event is the sender's, its last one the receiver's."""
    until = next(i for i, step in enumerate(route.steps.steps) if step.turn_around)
    steps = dataclasses.replace(route.steps, steps=route.steps.steps[:until], samples=route.steps.samples[:, :until])
    costs = for_route(events, dataclasses.replace(route, steps=steps), instruments())
    part = next(part for part in costs.parts if part.name == "instant within an event").standard_ns

    assert _lead(events) * math.sqrt(2 / 3) == pytest.approx(part[-1])


def test_a_path_without_steps_or_of_an_unknown_node_has_no_costs(events, route):
    none = dataclasses.replace(route.steps, steps=(), samples=route.steps.samples[:, :0])
    assert for_route(events, dataclasses.replace(route, steps=none), instruments()) is None
    assert for_route(dataclasses.replace(events, node_names=("initiator", "c")), route, instruments()) is None


def test_costs_of_the_steps_add_up(events, route):
    """So the corrected steps of a packet add up to its corrected round trip."""
    costs = for_route(events, route, instruments())

    assert np.median(costs.costs_ns.sum(axis=1)) == pytest.approx(costs.cost_ns[-1])
    assert costs.events[:-1].sum() == costs.events[-1]


def test_events_of_radio_and_of_other_nodes_cost_nothing(events, route):
    """The wait before the air and the air itself have none, whatever processors send meanwhile."""
    costs = for_route(events, route, instruments())
    radio = [i for i, step in enumerate(route.steps.steps) if step.kind in (path.Kind.RADIO_WAIT, path.Kind.AIR)]

    assert 4 == len(radio)
    assert not costs.events[radio].any()


def test_without_a_burst_nothing_is_said(bench):
    """Neither of no node, nor of one only."""
    plain = bench.events()
    assert for_route(plain, route_of(plain), instruments()) is None
    one = calibrated(plain, nodes=("initiator",))
    assert for_route(one, route_of(one), instruments()) is None


def test_a_wait_swallows_what_was_spent_before_it(events, route):
    """Of the reply: with the radio busy until the driver has prepared, only what comes after delays the packet."""
    names = [step.name for step in route.steps.steps]
    column = names.index("reply: prepare the radio")
    received = names.index("request: interrupt: line to ISR")
    until = route.steps.samples[:, received : column + 1].sum(axis=1)
    busy = dataclasses.replace(PLAIN, busy_ns=int((until.min() - 1) * T_NS), poll_ns=6_000)
    # One packet, so that the radio becomes ready in its step; a little before the step's end.
    first = int(np.argmin(until))
    one = dataclasses.replace(
        route,
        steps=dataclasses.replace(
            route.steps,
            rows=route.steps.rows[first : first + 1],
            samples=route.steps.samples[first : first + 1],
        ),
        ids=route.ids[first : first + 1],
        starts=route.starts[first : first + 1],
    )
    free, waiting = for_route(events, one, instruments()), for_route(events, one, instruments(busy))

    assert 0 == pytest.approx(waiting.cost_ns[received : column + 1].sum() - _lead(events))
    assert np.allclose(np.delete(free.cost_ns[:-1], column), np.delete(waiting.cost_ns[:-1], column))
    assert waiting.cost_ns[column] < 0
    assert "end of a wait" in [part.name for part in waiting.parts]


def _lead(events):
    """From the interrupt's line to an event on the bus: the mean time from a call to its first edge."""
    return price(events, node="responder", known=PLAIN).lead_width


@pytest.mark.parametrize("late", [0.0, 0.25, 0.5, 0.75])
def test_a_wait_that_there_would_have_been_counts_in_part(events, route, late):
    """Too late to wait with probes, it would have waited without them: by what it came too early."""
    names = [step.name for step in route.steps.steps]
    column = names.index("reply: prepare the radio")
    received = names.index("request: interrupt: line to ISR")
    free = for_route(events, route, instruments())
    spent = free.costs_ns[0, received:column].sum() - _lead(events)
    arrival = route.steps.samples[0, received:column].sum() * T_NS
    busy = dataclasses.replace(PLAIN, busy_ns=round(arrival - late * spent))
    waiting = for_route(events, route, instruments(busy))

    assert (1 - late) * spent == pytest.approx(free.costs_ns[0, column] - waiting.costs_ns[0, column], abs=T_NS)


def test_a_radio_that_is_ready_as_the_step_ends_was_not_waited_for(events, route):
    """Nor one that becomes ready later: the driver did not wait for it in its step."""
    names = [step.name for step in route.steps.steps]
    received, column = names.index("request: interrupt: line to ISR"), names.index("reply: prepare the radio")
    one = route.select(np.array([0]))
    until = int(one.steps.samples[:, received : column + 1].sum())
    free = for_route(events, one, instruments())
    for later in (0, 1):
        busy = dataclasses.replace(PLAIN, busy_ns=math.ceil((until + later) * T_NS))
        assert np.array_equal(free.costs_ns, for_route(events, one, instruments(busy)).costs_ns)


def test_the_end_of_a_wait_is_uncertain_where_most_packets_waited(events, route):
    """Not where one of two did."""
    names = [step.name for step in route.steps.steps]
    received, column = names.index("request: interrupt: line to ISR"), names.index("reply: prepare the radio")
    begins, until = (route.steps.samples[:, received:end].sum(axis=1) for end in (column, column + 1))
    ready = int(np.median(until)) - 20
    busy = dataclasses.replace(PLAIN, busy_ns=round(ready * T_NS), poll_ns=6_000)
    missed, waited = np.flatnonzero(until < ready), np.flatnonzero((begins < ready) & (ready < until))
    for waits in (1, 2):
        part = route.select(np.sort([missed[0], *waited[:waits]]))
        parts = [part.name for part in for_route(events, part, instruments(busy)).parts]
        assert (waits == 2) == ("end of a wait" in parts)


def test_a_radio_that_is_ready_early_swallows_nothing(events, route):
    """Ready before the driver would have come even without probes."""
    free = for_route(events, route, instruments())
    early = for_route(events, route, instruments(dataclasses.replace(PLAIN, busy_ns=1)))

    assert np.array_equal(free.costs_ns, early.costs_ns)


def test_waits_of_the_driver_count_half(events, route):
    """More or less the other half, which is their uncertainty."""
    own = for_route(events, route, instruments(dataclasses.replace(PLAIN, waits_in_software=True)))
    waits = [i for i, step in enumerate(route.steps.steps) if step.kind is path.Kind.RADIO_WAIT]
    free = for_route(events, route, instruments())
    half = next(part for part in own.parts if part.name == "events during a wait").standard_ns

    assert (own.events[waits] > 0).all()
    gained = own.cost_ns[waits] - free.cost_ns[waits]
    assert own.events[waits] * EVENT * T_NS / 2 == pytest.approx(gained, rel=0.5)  # some of them carry no id
    assert own.events[waits] * EVENT * T_NS / 2 / np.sqrt(3) == pytest.approx(half[waits])


def test_a_node_with_slots_may_have_waited_for_one(bench, route, events):
    """What a sender does before its slot counts half, more or less the other half; a receiver's steps are as ever."""
    bench.log.append((0, 500, "slot.frame", 1))
    slotted = calibrated(bench.events())
    waiting, free = (for_route(one_run, route_of(one_run), instruments()) for one_run in (slotted, events))
    sender = [
        i
        for i, step in enumerate(route.steps.steps)
        if step.node == "initiator" and not step.start.received and step.kind is not path.Kind.RADIO_WAIT
    ]
    others = np.delete(np.arange(len(route.steps.steps)), sender)

    assert 8 == len(sender)
    assert pytest.approx(free.cost_ns[sender] / 2) == waiting.cost_ns[sender]
    assert np.array_equal(free.cost_ns[others], waiting.cost_ns[others])
    half = next(part for part in waiting.parts if part.name == "events during a wait").standard_ns
    assert pytest.approx(free.cost_ns[sender] / 2 / np.sqrt(3), rel=0.5) == half[sender]


def test_costlier_events_are_never_more_certain(bench):
    """No part shrinks when an event costs more."""
    cheap, dear = (calibrated(bench.events(), cost) for cost in (EVENT, 2 * EVENT))
    before, after = (for_route(one_run, route_of(one_run), instruments()) for one_run in (cheap, dear))

    assert [part.name for part in before.parts] == [part.name for part in after.parts]
    for low, high in zip(before.parts, after.parts, strict=True):
        assert (low.standard_ns <= high.standard_ns + 1e-9).all(), low.name


def test_no_packet_is_no_error(events, route):
    """Costs of none."""
    none = dataclasses.replace(
        route,
        steps=dataclasses.replace(route.steps, rows=route.steps.rows[:0], samples=route.steps.samples[:0]),
        ids=route.ids[:0],
        starts=route.starts[:0],
    )
    costs = for_route(events, none, instruments())

    assert (0, len(route.steps.steps)) == costs.costs_ns.shape
    assert not costs.events.any()
    assert (len(route.steps.steps) + 1,) == costs.cost_ns.shape
