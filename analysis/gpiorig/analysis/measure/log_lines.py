"""Delays by the lines of a log: from the line of a request to that of its response, by the host's timestamps.

And the integer ids in its lines: those that are missing, those that come again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Mark(NamedTuple):
    """A line that is a request or a response.

    Parameters
    ----------
    timestamp_ns
        Time in the log.
    key
        Key that a response shares with its request.
    node
        Node that the delay is counted for.
    is_response
        Whether it is a response.
    id
        The id as the log has it; "" without one.
    against
        The number that the delay is compared with; NaN without one.
    """

    timestamp_ns: int
    key: tuple[str, ...]
    node: str
    is_response: bool
    id: str = ""
    against: float = math.nan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Delays:
    """Delays that lines hold, or that lie between lines.

    Parameters
    ----------
    delays_ns
        int64[n].
    nodes, ids
        Node and id of each, "" where the line has none.
    against
        float64[n]: the number that each is compared with; NaN without one.
    starts_ns
        int64[n]: when each begins; empty where that is not known.
    """

    delays_ns: Integers
    nodes: tuple[str, ...]
    ids: tuple[str, ...]
    against: NDArray[np.float64]
    starts_ns: Integers

    def places(self) -> dict[str, NDArray[np.intp]]:
        """Places of the delays of each node that has some, in their order."""
        lists: dict[str, list[int]] = {}
        for place, node in enumerate(self.nodes):
            lists.setdefault(node, []).append(place)
        return {node: np.array(places, dtype=np.intp) for node, places in lists.items()}

    def by_node(self) -> dict[str, Integers]:
        """int64, the delays of each node that has some."""
        return {node: self.delays_ns[places] for node, places in self.places().items()}

    def has_against(self) -> bool:
        """Whether some delay has a number to be compared with."""
        return bool(np.isfinite(self.against).any())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Latencies(Delays):
    """Delays between requests and their responses, in the order of the responses.

    Parameters
    ----------
    unpaired_requests, unpaired_responses
        By node: requests without a response, or repeated before it; responses without an open request; both of a pair
        that is too long.
    too_long
        Pairs refused because they are longer than the longest delay allowed.
    backsteps
        Lines with an earlier timestamp than the line before them.
    unpaired_request, unpaired_response
        A mark of either side that has no partner; None if there is none.
    """

    unpaired_requests: dict[str, int]
    unpaired_responses: dict[str, int]
    too_long: int
    backsteps: int
    unpaired_request: Mark | None = None
    unpaired_response: Mark | None = None


def picked(marks: Sequence[Mark], *, request: str, response: str) -> list[Mark]:
    """Of the requests and of the responses of each key only the ``first`` or the ``last``, in the order of the log."""
    chosen: dict[tuple[object, ...], int] = {}
    for place, mark in enumerate(marks):
        key = (mark.is_response, *mark.key)
        if (response if mark.is_response else request) == "last" or key not in chosen:
            chosen[key] = place
    return [marks[place] for place in sorted(chosen.values())]


def pair(marks: Iterable[Mark], *, longest_ns: int | None = None) -> Latencies:
    """Pair each response with the latest request of its key before it, which it closes.

    A request that is repeated before its response has no response of its own: the first is unpaired. Requests are held
    until they are answered, so memory grows with those without an answer.

    Parameters
    ----------
    marks
        In the order of the log. A delay is negative where that is not the order of the timestamps.
    longest_ns
        Longest delay that is a pair. Where ids are used again, a response whose own request the log has lost would
        else answer an old one.
    """
    open_at: dict[tuple[str, ...], Mark] = {}
    timestamps, delays, nodes, ids, against = [], [], [], [], []
    requests: dict[str, int] = {}
    responses: dict[str, int] = {}
    too_long = backsteps = 0
    last = lonely = None
    for mark in marks:
        backsteps += last is not None and mark.timestamp_ns < last
        last = mark.timestamp_ns
        if not mark.is_response:
            requests[mark.node] = requests.get(mark.node, 0) + 1
            open_at[mark.key] = mark
            continue
        request = open_at.pop(mark.key, None)
        long = request is not None and longest_ns is not None and mark.timestamp_ns - request.timestamp_ns > longest_ns
        too_long += long
        if request is None or long:
            responses[mark.node] = responses.get(mark.node, 0) + 1
            lonely = lonely or mark
            continue
        requests[request.node] -= 1
        timestamps.append(request.timestamp_ns)
        delays.append(mark.timestamp_ns - request.timestamp_ns)
        nodes.append(request.node)
        ids.append(request.id)
        against.append(mark.against if math.isnan(request.against) else request.against)
    return Latencies(
        starts_ns=np.array(timestamps, dtype=np.int64),
        delays_ns=np.array(delays, dtype=np.int64),
        nodes=tuple(nodes),
        ids=tuple(ids),
        against=np.array(against, dtype=np.float64),
        unpaired_requests=requests,
        unpaired_responses=responses,
        too_long=too_long,
        backsteps=backsteps,
        unpaired_request=next(iter(open_at.values()), None),
        unpaired_response=lonely,
    )


@dataclass(frozen=True, slots=True)
class IdCounts:
    """The ids of one node.

    Attributes
    ----------
    least, largest
        The ends of what was seen.
    before, between, after
        Ids that were not seen: below the least and above the largest one, within the known range; between the two.
    repeated
        Lines whose id another line before them has.
    """

    least: int
    largest: int
    before: int
    between: int
    after: int
    repeated: int

    @property
    def missing(self) -> int:
        """All that were not seen."""
        return self.before + self.between + self.after


def counts(ids: Iterable[int], *, known: tuple[int, int] | None = None) -> IdCounts | None:
    """Count the ids of a node's lines; None without one.

    Parameters
    ----------
    ids
        Of the lines; an id may come again.
    known
        The first and the last id that were sent. Without it nothing is known of those outside of what was seen.
    """
    seen = Counter(ids)
    if not seen:
        return None
    least, largest = min(seen), max(seen)
    within = len(seen)
    before = after = 0
    low, high = least, largest
    if known is not None:
        low, high = max(least, known[0]), min(largest, known[1])
        within = sum(known[0] <= number <= known[1] for number in seen)
        before, after = max(0, min(least, known[1] + 1) - known[0]), max(0, known[1] - max(largest, known[0] - 1))
    between = max(0, high - low + 1) - within
    return IdCounts(least, largest, before, between, after, seen.total() - len(seen))
