"""Round trips by the timestamps of the nodes' logs, or by the host's of the lines at sending and at receiving."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from gpiorig.analysis.audit.packet_lines import node_interval_ns
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.events import chosen, packets_at, shown
from gpiorig.analysis.quantities.log_clocks import HOST_CLOCKS
from gpiorig.analysis.quantities.names import CLOCKS, Quantity
from gpiorig.analysis.quantities.series import NONE, Recorded, Series, plain

LOG = CLOCKS[0]


def round_trips(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """From a request's call to its reply in ns, at the nodes that ask; packets without both timestamps are counted."""
    times_of = recorded.log_times if quantity.subject == LOG else recorded.host_times
    by_node = []
    for node in recorded.nodes(quantity):
        name = recorded.events.node_names[node]
        if (times := times_of.get(name)) is None:
            continue
        lines = times.packets
        asked = (lines.sent != NONE) & ((lines.received == NONE) | (lines.sent < lines.received))
        good = asked & (lines.received != NONE)
        if quantity.subject == LOG:
            values = node_interval_ns(lines.log.sent_us, lines.log.received_us).astype(np.int64)
        else:
            clock = HOST_CLOCKS[quantity.subject]
            good &= (lines.reported == lines.received) & (times.announced[clock] != NONE) & (times.host[clock] != NONE)
            values = times.host[clock] - times.announced[clock]
        if good.any():
            calls = chosen(recorded, "app.tx.enter", NONE, node)
            packets = packets_at(recorded, calls[np.searchsorted(recorded.events.samples[calls], lines.sent[good])])
            lacking = int(np.count_nonzero(asked & ~good))
            one = plain(name, quantity, recorded, values[good], lines.sent[good], packets=packets, lacking=lacking)
            by_node.append(replace(one, scale=Fraction(1)))
    if not by_node and quantity.subject != LOG:
        raise QuantityError(
            "this recording has no round trip with a line at sending and one at receiving; set `announce = true` in "
            "the experiment."
        )
    return shown(by_node, quantity, recorded, "a round trip in the log of a node")
