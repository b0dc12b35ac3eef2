"""The three-clock audit: the same events on the pins, by the node's timer, and by the host that reads serial lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks.clock_fit import ClockFit
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import Summary


@dataclass(frozen=True, slots=True)
class Matching:
    """Entries of one list with and without a partner in another.

    Parameters
    ----------
    node
        Name of the node.
    what
        Kind of the entries, such as ``lines at the host, on the pin``.
    matched
        Pairs.
    unmatched
        Entries without a partner, per reason; reasons that do not occur count 0.
    """

    node: str
    what: str
    matched: int
    unmatched: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One quantity by one clock, against the same by the pins.

    Parameters
    ----------
    quantity
        Name of the quantity, such as ``round trip``, ``interval between send calls``, ``reception spread``.
    clock
        ``node``: the timestamps in the lines, fitted to the analyzer where those of several nodes are compared;
        ``host``: the host's raw timestamps of the lines; ``host, minimum delay``: after the fit to the fastest lines;
        ``serial_aggregator``: the timestamps that IoT-LAB's program would give the lines, a model.
    n, unmatched
        Values compared, and values that only one of the two has.
    pins, other
        Statistics of the quantity by the pins and by the clock.
    error
        Statistics of clock minus pins, packet by packet.
    skew_ns
        Median of the errors: the shift of the quantity by the clock.
    added_jitter_ns
        Peak-to-peak by the clock minus peak-to-peak by the pins.
    errors_ns
        float64[n], clock minus pins, in the order of the events.
    """

    quantity: str
    clock: str
    n: int
    unmatched: int
    pins: Summary
    other: Summary
    error: Summary
    skew_ns: Interval
    added_jitter_ns: Interval
    errors_ns: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a log line, from the call that prints it to the line with its timestamp.

    Parameters
    ----------
    name
        Name of the stage, such as ``print call to start bit``.
    node
        Node of the lines.
    delay
        Its statistics over the lines.
    """

    name: str
    node: str
    delay: Summary


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of a recording.

    Parameters
    ----------
    fits
        Fits of node timers and host timestamps to the analyzer.
    matchings, comparisons, stages, stability
        See their classes.
    notes
        Reasons why something could not be audited, a sentence each.
    foreign
        Logs that are not of this recording; their timestamps are omitted. A sentence each.
    flags
        Clocks that were set, restarted or wander. A sentence each.
    """

    fits: tuple[ClockFit, ...]
    matchings: tuple[Matching, ...]
    comparisons: tuple[Comparison, ...]
    stages: tuple[Stage, ...]
    stability: tuple[Stability, ...]
    notes: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
