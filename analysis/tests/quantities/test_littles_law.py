"""Little's law: exact for queues of any history, with messages at both ends and lost samples; a fault is reported."""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import replace

import pytest
from madeevents import events_of_rows

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.quantities import littles_law
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of


def recorded(rows, *, end, gaps=(), **parameters):
    events = events_of_rows(rows, ("a", "b"), end=end, gaps=gaps)
    return Recorded(analysis.analyse(events, {}, header_ns={}), parameters)


@pytest.mark.parametrize("seed", range(6))
def test_the_account_is_even(seed):
    """Against a walk sample by sample; the queue is not empty at first, some events fall on one sample."""
    rng = random.Random(seed)
    held = deque[int]([-1] * rng.randrange(4))
    at, rows, waits, history = 0, [], [], []
    for _ in range(120):
        at += rng.randrange(0, 30)
        if held and rng.random() < 0.5:
            posted = held.popleft()
            waits += [at - posted] if posted >= 0 else []
            rows.append((at, 0, "queue.fetch", 3))
        else:
            held.append(at)
            rows.append((at, 0, "queue.post", 3))
        history.append((at, len(held)))
    gap = (rows[60][0] + 1, rows[60][0] + 5) if seed % 2 and rows[61][0] - rows[60][0] > 6 else None
    end = at + 40
    (one,) = littles_law.accounts(recorded(rows, end=end, gaps=[gap] if gap else []))
    assert (0, "") == (one.left_over, one.problem)
    if gap is None:
        ends = [*(at for at, _ in history[1:]), end]
        least = min(length for _, length in history)
        area = sum((length - least) * (until - at) for (at, length), until in zip(history, ends, strict=True))
        assert end - rows[0][0] == one.observed
        assert area == one.held
        if least == 0:
            assert (len(waits), sum(waits)) == (one.messages, one.waited)


def test_a_queue_of_two_messages_by_hand():
    rows = [(0, 0, "queue.post", 3), (10, 0, "queue.post", 3), (30, 0, "queue.fetch", 3), (60, 0, "queue.fetch", 3)]
    (one,) = littles_law.accounts(recorded([*rows, (5, 0, "queue.post", None)], end=100, gaps=()))
    assert (30 + 50, 80, 100, 2) == (one.waited, one.held, one.observed, one.most)
    assert one.product == one.mean_length == 0.8
    assert 2 * 24_000_000 / 100 == one.rate_per_s
    assert 40 * 1e9 / 24e6 == pytest.approx(one.mean_wait_ns)


def test_the_id_of_a_queue_may_be_0_and_no_message_may_have_come_out():
    (one,) = littles_law.accounts(recorded([(10, 0, "queue.post", 0)], end=30))
    assert (0, 0, 1, 20, 20) == (one.queue, one.messages, one.most, one.held, one.at_edges)
    assert math.isnan(one.mean_wait_ns)


def test_messages_left_and_messages_before():
    rows = [(10, 0, "queue.fetch", 3), (20, 0, "queue.post", 3), (25, 0, "queue.post", 3), (30, 0, "queue.fetch", 3)]
    (one,) = littles_law.accounts(recorded([*rows, (0, 1, "timer.set", None)], end=50))
    assert (10, 25, 0) == (one.waited, one.at_edges, one.left_over)


@pytest.mark.parametrize("has_ids", [True, False])
def test_all_queues_of_a_node_are_served_by_priority(has_ids):
    """Against a scheduler walked event by event: waits, rate, lengths; without ids of fetches the mean stays exact."""
    rng = random.Random(5)
    held, rows, waits, lengths, at = {1: deque(), 4: deque()}, [], [], [], 0
    for turn in range(200):
        at += rng.randrange(1, 30)
        ready = [queue for queue, messages in held.items() if messages]
        if ready and (turn > 150 or rng.random() < 0.5):
            waits.append(at - held[min(ready)].popleft())
            rows.append((at, 0, "queue.fetch", min(ready) if has_ids else None))
        elif turn <= 150:
            queue = rng.choice([1, 4])
            held[queue].append(at)
            rows.append((at, 0, "queue.post", queue))
        lengths.append(sum(map(len, held.values())))
    measured = recorded(rows, end=at + 7)
    (wait,), (rate,), (length,) = (series_of(f"{name} of queue at a", measured) for name in ("wait", "rate", "length"))
    assert (len(waits), sum(waits)) == (len(wait.values), wait.values.sum())
    assert (sorted(waits) == sorted(wait.values.tolist())) == has_ids
    assert (len(waits), max(lengths)) == (rate.values[0], length.values.max())
    assert sum(waits) == (length.values * length.weights).sum()


def test_waits_that_are_wrong_are_a_fault():
    rows = [(0, 0, "queue.post", 3), (10, 0, "queue.post", 3), (30, 0, "queue.fetch", 3), (60, 0, "queue.fetch", 3)]
    (one,) = littles_law.accounts(recorded(rows, end=100))
    wrong = replace(one, waited=one.waited - 24)
    assert "Queue 3 of a: the mean length 0.8 and rate times wait 0.56 differ by 1.00 µs" in wrong.problem


def test_without_queues_there_is_no_account_and_the_reason_is_given():
    rows = [(0, 0, "timer.set", None)]
    assert () == littles_law.accounts(recorded(rows, end=10))
    for parameters, part in [
        ({}, "set `events_queue = true` in the experiment"),
        ({"events_queue": True, "kernel": "threads"}, "no message was put into a queue"),
        ({"events_queue": True, "kernel": "events"}, 'use `kernel = "threads"`'),
    ]:
        for name in ("wait", "length", "rate"):
            with pytest.raises(QuantityError) as error:
                series_of(f"{name} of queue 3", recorded(rows, end=10, **parameters))
            assert part in str(error.value)
