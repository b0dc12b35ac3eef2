"""Owner of the processor: against a processor model with the owner of every sample."""

from __future__ import annotations

import numpy as np
import pytest
from processor import NODE, Processor, events_of

from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import spans
from gpiorig.analysis.processor import ownership
from gpiorig.analysis.processor.ownership import TimeOf


def build(events, packet_of=None):
    packet_of = np.full(len(events), -1, dtype=np.int32) if packet_of is None else packet_of
    enters, exits = spans.pairs(events)
    threads = bool(len(events.instants("sched.switch", node=NODE)))
    names = [BY_CODE[code].name for code in events.codes[enters].tolist()]
    wanted = np.isin(names, ownership.enters(threads=threads))
    order = np.argsort(enters[wanted])
    pairs = (enters[wanted][order], exits[wanted][order])
    return ownership.build(events, 0, spans=pairs, packet_of=packet_of, threads=threads)


@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize("seed", range(15))
def test_every_sample_has_the_owner_it_had(seed, threads):
    """Threads switched anywhere, in interrupts too; tasks inside tasks; nested interrupts with spans; sleep."""
    processor = Processor(seed, threads)
    events = processor.run(300)
    owned = build(events)
    assert NODE == owned.node
    assert events.start == owned.starts[0]
    assert events.end - events.start == owned.durations.sum()
    actual = []
    for occupant, span, duration in zip(owned.occupants, owned.spans, owned.durations, strict=True):
        actual += [(ownership.name_of(owned.keys[occupant]), int(span))] * int(duration)
    first = processor.log[0][0]
    expected = [(name, stack[-1] if stack else -1) for name, stack in processor.truth]
    assert expected[first:] == actual[first:]


@pytest.mark.parametrize("seed", range(4))
def test_times_of_labels_are_sums_over_samples(seed):
    """Any label in any range, against counting samples."""
    owned = build(Processor(seed, threads=True).run(200))
    random = np.random.default_rng(seed)
    labels = random.integers(-1, 4, len(owned.starts))
    by_sample = np.repeat(labels, owned.durations)
    ends = np.sort(random.integers(0, len(by_sample), (50, 2)), axis=1)
    wanted = random.integers(0, 5, 50)
    expected = [int(np.count_nonzero(by_sample[a:b] == label)) for (a, b), label in zip(ends, wanted, strict=True)]
    assert expected == TimeOf(owned, labels).within(wanted, ends[:, 0], ends[:, 1]).tolist()


def test_crossing_spans_are_the_latest_that_is_open():
    """Two spans of one thread that do not nest."""
    log = [(10, "udp.tx.enter", 1), (20, "mac.tx.enter", 2), (30, "udp.tx.exit", 1), (40, "mac.tx.exit", 2)]
    owned = build(events_of(log, end=50))
    assert [-1, 0, 1, 1, -1] == owned.spans.tolist()


def test_lost_samples_make_the_thread_unknown():
    """Which thread runs is not known after a gap until the next switch."""
    log = [(10, "sched.switch", 3), (20, "sched.switch", 4), (50, "isr.uart.enter", -1), (60, "isr.uart.exit", -1)]
    log += [(70, "sched.switch", 4)]
    owned = build(events_of(log, gaps=[(30, 40)], end=80))
    named = [ownership.name_of(owned.keys[occupant]) for occupant in owned.occupants]
    assert ["nothing seen", "thread 3", "thread 4", "isr.uart", "nothing seen", "thread 4"] == named


def test_lost_samples_make_sleep_unknown():
    """Who slept before the gap may have woken in it."""
    log = [(10, "sched.sleep.enter", -1), (50, "udp.tx.enter", 1), (60, "udp.tx.exit", 1)]
    owned = build(events_of(log, gaps=[(30, 40)], end=80))
    named = [ownership.name_of(owned.keys[occupant]) for occupant in owned.occupants]
    assert ["nothing seen", "sleep", "stack, in no known task", "nothing seen"] == named


def test_a_reset_ends_sleep_and_thread():
    """Until the next event of the scheduler."""
    log = [(10, "sched.switch", 3), (20, "sched.sleep.enter", -1), (30, "rig.boot", -1), (40, "udp.tx.enter", 1)]
    log += [(50, "udp.tx.exit", 1), (60, "sched.switch", 4)]
    owned = build(events_of(log, end=80))
    named = [ownership.name_of(owned.keys[occupant]) for occupant in owned.occupants]
    unknown = ["nothing seen", "stack, in no known task", "nothing seen"]
    assert ["nothing seen", "thread 3", "sleep", *unknown, "thread 4"] == named
