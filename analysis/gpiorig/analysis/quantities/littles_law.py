"""Little's law as a check of the queues: the mean length is the rate times the mean wait.

From the first event of a queue to the end of the recording it holds exactly, once the messages that were in the queue
at the start, or are in it at the end, are accounted for: the sum of the lengths, each times how long it held, is the
sum of the waits, of which these messages count with the part in between. Lost samples end the account and begin a new
one. Lengths and waits are found by different rules (`quantities.events`): what is left over is a fault of the analysis.

J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9 (3), 1961, pp. 383-387.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.analysis.quantities.events import chosen, lengths_of, waits_of
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Recorded, Samples

POST, FETCH = "queue.post", "queue.fetch"


@dataclass(frozen=True, slots=True)
class Account:
    """The account of one queue.

    Parameters
    ----------
    node, queue
        Where it is, and its id.
    messages
        Messages with a known wait.
    most
        Largest length.
    observed, held, waited
        Samples: the time of the account; the lengths, each times how long it held; the waits.
    at_edges
        Samples that messages waited within the time of the account that were in the queue at its start or at its end.
    samplerate_hz
        Exact samplerate.
    """

    node: str
    queue: int
    messages: int
    most: int
    observed: int
    held: int
    waited: int
    at_edges: int
    samplerate_hz: Fraction

    @property
    def left_over(self) -> int:
        """Samples by which lengths and waits differ; 0 if the analysis is right."""
        return self.held - self.waited - self.at_edges

    @property
    def rate_per_s(self) -> float:
        """Messages with a known wait per second."""
        return float(self.messages * self.samplerate_hz / max(self.observed, 1))

    @property
    def mean_wait_ns(self) -> float:
        """Mean of the waits; NaN without one."""
        if not self.messages:
            return float("nan")
        return float(Fraction(self.waited, self.messages) * NS_PER_S / self.samplerate_hz)

    @property
    def mean_length(self) -> float:
        """Mean of the lengths, weighted by time."""
        return self.held / max(self.observed, 1)

    @property
    def product(self) -> float:
        """Rate times mean wait."""
        return self.waited / max(self.observed, 1)

    @property
    def problem(self) -> str:
        """The failed check, as a sentence; empty if the account is even."""
        if not self.left_over:
            return ""
        over = time_text(abs(float(self.left_over * NS_PER_S / self.samplerate_hz)))
        return (
            f"Queue {self.queue} of {self.node}: the mean length {self.mean_length:.4g} and rate times wait "
            f"{self.product:.4g} differ by {over} of waiting that no message at the start or the end accounts for."
        )


def accounts(recorded: Recorded) -> tuple[Account, ...]:
    """The account of every queue of every node; empty where no node shows a queue."""
    events = recorded.events
    posts = np.flatnonzero(events.codes == BY_NAME[POST].code)
    queues = np.unique(np.stack([events.nodes[posts], events.ids[posts]]), axis=1).T.tolist()
    return tuple(_account(recorded, events.node_names[node], queue) for node, queue in queues if queue >= 0)


def _account(recorded: Recorded, node: str, queue: int) -> Account:
    (lengths,) = lengths_of(parse(f"length of queue {queue} at {node}"), recorded)
    (waits,) = waits_of(parse(f"wait of queue {queue} at {node}"), recorded)
    assert lengths.weights is not None
    return Account(
        node=node,
        queue=queue,
        messages=len(waits.values),
        most=int(lengths.values.max()),
        observed=int(lengths.weights.sum()),
        held=int((lengths.values * lengths.weights).sum()),
        waited=int(waits.values.sum()),
        at_edges=_at_edges(recorded, queue, recorded.events.node(node)),
        samplerate_hz=recorded.events.samplerate_hz,
    )


def _at_edges(recorded: Recorded, queue: int, node: int) -> int:
    """Samples that messages waited which were in the queue when an interval without lost samples began or ended."""
    events = recorded.events
    posts, fetches = (chosen(recorded, event, queue, node) for event in (POST, FETCH))
    total = 0
    for begin, end in zip([events.start, *events.gaps[:, 1]], [*events.gaps[:, 0], events.end], strict=True):
        bounds = np.searchsorted(events.samples, [begin, end])
        put, fetched = (at[(at >= bounds[0]) & (at < bounds[1])] for at in (posts, fetches))
        if len(put) + len(fetched):
            first = int(events.samples[np.concatenate([put, fetched]).min()])
            held = _at_start(put, fetched)
            before, after = events.samples[fetched[:held]], events.samples[put[len(fetched) - held :]]
            total += int((before - first).sum() + (end - after).sum())
    return total


def _at_start(put: Samples, fetched: Samples) -> int:
    """Messages that must have been in the queue before: the most by which those fetched are ahead of those put in."""
    ahead = np.arange(1, len(fetched) + 1) - np.searchsorted(put, fetched)
    return max(0, int(ahead.max(initial=0)))
