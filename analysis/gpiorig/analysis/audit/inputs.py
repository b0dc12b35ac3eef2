"""Input of an audit: the log of each node, its lines as the host received them, and its lines on the pin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.buses.uart_lines import UartLine

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class PinLines:
    """A node's lines as they were on its TX pin.

    Parameters
    ----------
    starts, ends
        int64[p]: samples of the first start bit's edge and of the end of the last stop bit.
    texts
        The lines, without their end.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostLines:
    """A node's lines as the host received them, in their order.

    Parameters
    ----------
    timestamps_ns
        int64[h], end of the read that completed each line, as a careful logger records it.
    first_ns
        int64[h], end of the read that brought its first byte.
    aggregator_ns
        int64[h], time at which IoT-LAB's serial_aggregator would have logged it (`capture.serial.aggregator`, a model),
        on the same clock; -1 where it would not have.
    texts
        The lines, without their end.
    same_zero
        Whether the host's clock and the analyzer's begin together (the virtual bench). If not, delays up to the host
        are known only relative to the fastest line.
    """

    timestamps_ns: NDArray[np.int64]
    first_ns: NDArray[np.int64]
    aggregator_ns: NDArray[np.int64]
    texts: tuple[str, ...]
    same_zero: bool


@dataclass(frozen=True, slots=True, eq=False)
class NodeRecord:
    """Input of an audit for one node, without its events on the pins.

    Parameters
    ----------
    log
        Its log, parsed from the same text as `host`, so that `NodeLog.lines` are places in `host`.
    host, pins
        None where the port was not recorded, or the TX pin is not on the analyzer.
    reference
        Name of the clock that the node's and the host's are compared with.
    """

    log: NodeLog
    host: HostLines | None = None
    pins: PinLines | None = None
    reference: str = "analyzer"

    @property
    def node(self) -> str:
        """Name of the node."""
        return self.log.node


def pin_lines(lines: Iterable[UartLine]) -> PinLines:
    """Collect the lines of a pin (`capture.buses.uart`); those with damaged characters match no line of the host's."""
    pin = list(lines)
    return PinLines(
        starts=np.array([line.start for line in pin], dtype=np.int64),
        ends=np.array([line.end for line in pin], dtype=np.int64),
        texts=tuple(line.text for line in pin),
    )


Clock = Literal["node", "host", "host, minimum delay", "serial_aggregator"]
