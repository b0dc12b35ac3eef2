"""Delays by the lines of a log: from the line of a request to that of its response, by the host's timestamps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


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
    """

    timestamp_ns: int
    key: tuple[str, ...]
    node: str
    is_response: bool


@dataclass(frozen=True, slots=True, eq=False)
class Latencies:
    """Delays between requests and their responses.

    Parameters
    ----------
    timestamps_ns, delays_ns
        int64[n]: timestamp of each request, and delay to that of its response; in the order of the responses.
    nodes
        Node of each request.
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

    timestamps_ns: NDArray[np.int64]
    delays_ns: NDArray[np.int64]
    nodes: tuple[str, ...]
    unpaired_requests: dict[str, int]
    unpaired_responses: dict[str, int]
    too_long: int
    backsteps: int
    unpaired_request: Mark | None = None
    unpaired_response: Mark | None = None

    def by_node(self) -> dict[str, NDArray[np.int64]]:
        """int64, the delays of each node that has some."""
        lists: dict[str, list[int]] = {}
        for node, delay in zip(self.nodes, self.delays_ns.tolist(), strict=True):
            lists.setdefault(node, []).append(delay)
        return {node: np.array(delays, dtype=np.int64) for node, delays in lists.items()}


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
    timestamps, delays, nodes = [], [], []
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
    return Latencies(
        np.array(timestamps, dtype=np.int64),
        np.array(delays, dtype=np.int64),
        tuple(nodes),
        requests,
        responses,
        too_long,
        backsteps,
        next(iter(open_at.values()), None),
        lonely,
    )
