"""Edges to events."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from madeevents import events_of_rows

from gpiorig.analysis.errors import EventError, WiringError
from gpiorig.analysis.events import completions, events, frame_starts, polled
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.events.wiring import Bus, NodeLines


def test_edges_give_back_the_events_they_were_made_from(bench, wiring):
    bench.check_spacing()
    bench.damage_frame(1, "udp.rx.enter", 7)
    expected, actual = bench.events(), events.from_edges(bench.edges(), wiring)
    for name in ("samples", "nodes", "codes", "ids"):
        np.testing.assert_array_equal(getattr(expected, name), getattr(actual, name))
        assert getattr(expected, name).dtype == getattr(actual, name).dtype
    np.testing.assert_array_equal(expected.damaged.samples, actual.damaged.samples)
    assert [13] == actual.damaged.symbols.tolist()
    assert [1] == actual.damaged.nodes.tolist()


def test_frames_counts_what_the_firmware_counts(bench, wiring):
    bench.damage_frame(1, "udp.rx.enter", 7)
    got = events.from_edges(bench.edges(), wiring)
    for node, name in enumerate(("initiator", "responder")):
        sent = sum(n == node and not event.startswith("tap.") for n, _, event, _ in bench.log)
        assert sent == got.frames(name)


def test_a_level_that_changed_in_a_gap_is_no_event(bench, wiring):
    edges = bench.edges()
    samples, levels = edges.channel("r_irq")
    assert levels[0] == 1
    rise = int(samples[0])
    keep = (edges.samples <= rise - 500) | (edges.samples >= rise)
    gapped = dataclasses.replace(
        edges,
        samples=edges.samples[keep],
        levels=edges.levels[keep],
        gaps=np.array([[rise - 499, rise]], dtype=np.int64),
    )
    before, after = (events.from_edges(e, wiring).instants("tap.irq.enter", node="responder") for e in (edges, gapped))
    assert before.tolist()[1:] == after.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (NodeLines(name="n", bus=Bus(strobe="no", data=("i_d0",), frame_gap_ns=400)), "channel `no` was not recorded"),
        (NodeLines(name="n", lines={"tap.irq": "no"}), "channel `no` was not recorded"),
        (NodeLines(name="n", lines={"tap.none": "i_irq"}), "no span of that name"),
    ],
)
def test_a_wrong_wiring_is_refused(bench, lines, message):
    with pytest.raises(WiringError, match=message):
        events.from_edges(bench.edges(), [lines])


def test_the_events_of_some_types_are_counted_and_taken_together(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By slices of events: the same as of all events, by their codes and nodes."""
    monkeypatch.setattr(events, "SLICE_EVENTS", 7)
    every, names = bench.events(), ("udp.rx.enter", "driver.isr.exit")
    codes = [BY_NAME[name].code for name in names]
    counts, some = every.counts(), every.only(*names)
    assert (len(every.node_names), 256) == counts.shape
    for node in range(len(every.node_names)):
        for code in range(256):
            assert counts[node, code] == np.count_nonzero((every.nodes == node) & (every.codes == code))
    assert len(some) > 0
    for name in ("samples", "nodes", "codes", "ids"):
        np.testing.assert_array_equal(getattr(every, name)[np.isin(every.codes, codes)], getattr(some, name))
        assert getattr(every, name).dtype == getattr(some, name).dtype
    assert (every.gaps.tolist(), every.end) == (some.gaps.tolist(), some.end)


def test_an_unknown_node_is_named(bench):
    with pytest.raises(EventError, match="initiator, responder"):
        bench.events().node("sink")


def test_the_end_of_a_polled_transmission_is_linked_to_what_came_before() -> None:
    """The line rose at 4. An end that a command waited for, from 0 on, does not begin with the reading at 3."""

    def rise(since: int) -> list[int]:
        positions = {polled.READ: [3], polled.IRQ: [4], polled.ISR: [], polled.LISTEN: []}
        linked = polled.links(lambda name: np.array(positions[name], dtype=np.int64), np.array([5]), np.array([since]))
        return linked[polled.IRQ].tolist()

    assert ([4], [4], [-1]) == (rise(0), rise(1), rise(-1))


def test_a_cause_is_of_the_first_effect_after_it() -> None:
    """Of positions 3 and 7 the effect at 5 has had the first; an effect at 0 leaves both."""
    for effects, expected in (([5], [-1, 7]), ([0], [3, 7]), ([], [3, 7]), ([8], [-1, -1])):
        left = completions._only_after_previous(np.array([3, 7]), np.array([10, 10]), np.array(effects, dtype=np.int64))
        assert expected == left.tolist()


@pytest.mark.parametrize(("longest", "completion"), [(9, 0), (10, 1), (11, 1)])
def test_a_start_is_of_the_end_that_follows_within_a_frame(longest: int, completion: int) -> None:
    """Of a start at sample 100 and an end at 110."""
    rows = [(100, 0, "radio.rx_start", None), (110, 0, "radio.rx_complete", None)]
    seen = events_of_rows(rows, ("a",), end=200)
    ends, flags = np.array([0, 1]), np.array([True, False])
    none = np.zeros(0, dtype=np.int64)
    found = frame_starts.replaced(seen, ends, flags, np.zeros(2, dtype=bool), [], none, longest=longest)
    assert [completion, 1] == found.tolist()
