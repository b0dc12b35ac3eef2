"""Quantities of events at a node: intervals of like events, spans, waits, blocked times, queue lengths."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.hops import packets_of
from gpiorig.analysis.quantities.names import Quantity, event_of, unknown
from gpiorig.analysis.quantities.series import NONE, Recorded, Samples, Series, number_of, plain
from gpiorig.capture.edges.nanoseconds import nearest_ns

EVENTS_KERNEL = "events"
WORKERS = "workers"  # the answer in which the reference firmware counts the missed runs of its tasks
MISSED = {6: "a_missed", 7: "b_missed"}
# The processing tasks of the reference firmware: `enum actor_id` in firmware-gpio-probes/reference/kernel/kernel.h.
_ON_US = {6: "worker_a_on_us", 7: "worker_b_on_us"}
_NS_PER_US = 1000


def intervals_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Intervals from each event of a kind to the next one on the same node; those over lost samples are counted."""
    events = recorded.events
    by_node = []
    for node in recorded.nodes(quantity):
        at = chosen(recorded, event_of(quantity.subject), quantity.number, node)
        samples = events.samples[at]
        lost = events.loses(samples[:-1], samples[1:])
        if len(at) > 1:
            begins = np.flatnonzero(~lost)
            packets = packets_at(recorded, at)[begins]
            values = np.diff(samples)[begins]
            lacking = int(lost.sum())
            series = plain(
                events.node_names[node], quantity, recorded, values, samples[begins], packets=packets, lacking=lacking
            )
            by_node.append(series)
    return shown(by_node, quantity, recorded, f"two events `{event_of(quantity.subject)}`")


def spans_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Durations from each enter of a point to its exit; enters without an exit are counted."""
    events, enter = recorded.events, f"{quantity.subject}.enter"
    by_node = []
    for node in recorded.nodes(quantity):
        entered = chosen(recorded, enter, quantity.number, node)
        both = spans.pairs_of(enter, events, recorded.index, node=node)
        both = both[np.isin(both[:, 0], entered)]
        both = both[np.argsort(both[:, 0])]
        if len(both):
            starts = events.samples[both[:, 0]]
            values = events.samples[both[:, 1]] - starts
            packets = np.maximum(*(packets_at(recorded, at) for at in both.T))
            lacking = len(entered) - len(both)
            series = plain(
                events.node_names[node], quantity, recorded, values, starts, packets=packets, lacking=lacking
            )
            by_node.append(series)
    return shown(by_node, quantity, recorded, f"a span `{quantity.subject}` with enter and exit")


def waits_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Waits of a task from due to running, or of a message from being queued to being fetched."""
    events = recorded.events
    by_node = []
    for node in recorded.nodes(quantity):
        pairs = task_waits if quantity.subject == "task" else _queue_waits
        since, until, waiting = pairs(recorded, quantity.number, node)
        if waiting:
            waiting += missed(recorded, quantity, node)
            starts = events.samples[since]
            lacking = waiting - len(since)
            values = events.samples[until] - starts
            by_node.append(plain(events.node_names[node], quantity, recorded, values, starts, lacking=lacking))
    what = "task.due" if quantity.subject == "task" else "queue.post"
    return shown(by_node, quantity, recorded, f"`{what}` with id {quantity.number}", event=what)


def lengths_of(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Numbers of messages in a queue from each post or fetch to the next, weighted by the time between."""
    events = recorded.events
    by_node = []
    for node in recorded.nodes(quantity):
        at, lengths, _ = _queue(recorded, quantity.number, node)
        if len(at):
            starts = events.samples[at]
            until = np.append(starts[1:], events.end)
            bounds = np.append(events.gaps[:, 0], events.end)
            until = np.minimum(until, bounds[np.searchsorted(bounds, starts, side="right").clip(max=len(bounds) - 1)])
            series = plain(events.node_names[node], quantity, recorded, lengths, starts)
            by_node.append(dataclasses.replace(series, scale=Fraction(1), weights=until - starts))
    return shown(by_node, quantity, recorded, f"`queue.post` with id {quantity.number}", event="queue.post")


def missed(recorded: Recorded, quantity: Quantity, node: int) -> int:
    """Runs of a task that the node itself counted as missed: they were due while an earlier one was not done."""
    log = recorded.analysis.logs.get(recorded.events.node_names[node])
    if log is None or quantity.subject != "task":
        return 0
    return log.answers.get(WORKERS, {}).get(MISSED.get(quantity.number, ""), 0)


def task_waits(recorded: Recorded, task: int, node: int) -> tuple[Samples, Samples, int]:
    """Positions of due and run, and how often the task became due; a run belongs to the last due before it."""
    due, runs = (chosen(recorded, name, task, node) for name in ("task.due", "task.run.enter"))
    if not len(due) or not len(runs):
        return due[:0], due[:0], len(due)
    place = np.searchsorted(runs, due)
    run = runs[np.minimum(place, len(runs) - 1)]
    following = np.append(due[1:], len(recorded.events))
    samples = recorded.events.samples
    good = (place < len(runs)) & (run < following) & ~recorded.events.loses(samples[due], samples[run])
    return due[good], run[good], len(due)


def _queue_waits(recorded: Recorded, queue: int, node: int) -> tuple[Samples, Samples, int]:
    """Positions of post and fetch, first in, first out, and how many were posted; not over lost samples.

    Of all queues (-1) those of each, unless a fetch has no id: then all of them are one.
    """
    posts, fetches = (recorded.events.ids[chosen(recorded, name, NONE, node)] for name in ("queue.post", "queue.fetch"))
    if queue < 0 and (np.append(posts, fetches) >= 0).all():
        each = [_waits_in(recorded, number, node) for number in np.unique(posts).tolist()]
        since, until, counts = zip(*each, strict=True) if each else ((posts[:0],), (posts[:0],), (0,))
        order = np.argsort(np.concatenate(since), kind="stable")
        return np.concatenate(since)[order], np.concatenate(until)[order], sum(counts)
    return _waits_in(recorded, queue, node)


def _waits_in(recorded: Recorded, queue: int, node: int) -> tuple[Samples, Samples, int]:
    at, lengths, posted = _queue(recorded, queue, node)
    interval = _intervals_without_loss(recorded, at)
    since, until = [at[:0]], [at[:0]]
    for number in np.unique(interval):
        own = np.flatnonzero(interval == number)
        posts, fetches = at[own[posted[own]]], at[own[~posted[own]]]
        held = int(lengths[own[0]]) - (1 if posted[own[0]] else -1)  # when the interval began
        served = fetches[held:]
        since.append(posts[: len(served)])
        until.append(served[: len(posts)])
    return np.concatenate(since), np.concatenate(until), int(posted.sum())


def _queue(recorded: Recorded, queue: int, node: int) -> tuple[Samples, Samples, NDArray[np.bool_]]:
    """Positions of posts and fetches, the length after each, and which are posts.

    Counted from the least that the queue held between lost samples: what was in it before is not known.
    """
    posts, fetches = (chosen(recorded, name, queue, node) for name in ("queue.post", "queue.fetch"))
    at = np.sort(np.concatenate([posts, fetches]))
    posted = np.isin(at, posts)
    lengths = np.zeros(len(at), dtype=np.int64)
    interval = _intervals_without_loss(recorded, at)
    for number in np.unique(interval):
        own = interval == number
        total = np.cumsum(np.where(posted[own], 1, -1))
        lengths[own] = total - min(0, int(total.min()))
    return at, lengths, posted


def _intervals_without_loss(recorded: Recorded, at: Samples) -> Samples:
    return np.searchsorted(recorded.events.gaps[:, 1], recorded.events.samples[at], side="right")


def chosen(recorded: Recorded, event: str, number: int, node: int) -> Samples:
    """Positions of an event on a node, those with an id if one is asked for."""
    at = recorded.index.positions(event, node=node)
    return at[recorded.events.ids[at] == number] if number >= 0 else at


def packets_at(recorded: Recorded, at: Samples) -> NDArray[np.int32]:
    """int32[n], row of the packet of every event, -1 for none."""
    hops = recorded.analysis.hops
    if hops is None:
        return np.full(len(at), NONE, dtype=np.int32)
    return packets_of(hops.visit_of[at], hops.visits)


def shown(
    by_node: list[Series], quantity: Quantity, recorded: Recorded, what: str, *, event: str = ""
) -> tuple[Series, ...]:
    """The series; without one a `QuantityError` with the ids that the recording has."""
    if by_node:
        return tuple(by_node)
    if event:
        nodes = recorded.nodes(quantity)
        at = np.concatenate([recorded.index.positions(event, node=node) for node in nodes])
        ids = [str(number) for number in np.unique(recorded.events.ids[at]).tolist()]
        if ids:
            raise unknown(str(quantity.number), ids, f"{quantity.subject} with the id")
        raise QuantityError(f"this recording has no `{event}`; {_remedy(quantity, recorded)}")
    where = f" at {quantity.node}" if quantity.node else ""
    raise QuantityError(f"this recording does not show {what}{where}.")


def _remedy(quantity: Quantity, recorded: Recorded) -> str:
    """What makes the events of a task or queue appear, or why they cannot."""
    needed = "events_task" if quantity.subject == "task" else "events_queue"
    keys = [f"{quantity.node}.{needed}", needed] if quantity.node else [needed]
    asked = quantity.subject == "queue" and any(recorded.parameters.get(key) for key in keys)
    if asked and recorded.parameters.get("kernel") != EVENTS_KERNEL:
        return "no message was put into a queue."
    if asked:
        return 'the events kernel runs handlers on signals, which are in no queue: use `kernel = "threads"`.'
    return f"set `{needed} = true` in the experiment."


def blocked(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Times in ns of the runs of a task that were due; runs that were not done are counted."""
    events, task = recorded.events, quantity.number
    if task not in _ON_US:
        known = " and ".join(map(str, _ON_US))
        raise QuantityError(f"a blocked time is of a processing task; the reference firmware has {known}.")
    by_node = []
    for node in recorded.nodes(quantity):
        due, run, count = task_waits(recorded, task, node)
        count += missed(recorded, quantity, node)
        both = spans.pairs_of("task.run.enter", events, recorded.index, node=node)
        both = both[np.argsort(both[:, 0])]
        _, of_run, of_span = np.intersect1d(run, both[:, 0], return_indices=True)
        if len(of_run):
            name, starts = events.node_names[node], events.samples[due[of_run]]
            took_ns = nearest_ns(events.samples[both[of_span, 1]] - starts, events.samplerate_hz)
            values = took_ns - number_of(recorded, name, _ON_US[task]) * _NS_PER_US
            one = plain(name, quantity, recorded, values, starts, lacking=count - len(of_run))
            by_node.append(replace(one, scale=Fraction(1)))
    return shown(by_node, quantity, recorded, f"`task.due` with id {task}", event="task.due")
