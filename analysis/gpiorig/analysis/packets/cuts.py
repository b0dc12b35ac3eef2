"""Packets that are cut by the end of the recording: it ends before it shows whether they arrive.

A packet that has not arrived is lost if more time is left after its last event than any packet that has arrived took
from such an event to its arrival. With less it is cut. Where none has arrived, nothing states how long one takes, and
all of them are lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.packets.occurrences import NONE, Positions
from gpiorig.analysis.packets.visits import Visits

_NEVER = np.iinfo(np.int64).max
_TABLE = 1 << 22  # of instants: 32 MB


def of_packets(
    events: Events, visits: Visits, visit_of: NDArray[np.int32], *, arrived: Positions, final: Positions
) -> NDArray[np.bool_]:
    """bool[p], packets that are cut.

    Parameters
    ----------
    visit_of
        int32[n], the visit of each event, -1 for none.
    arrived
        Rows of the visits at which a packet arrived.
    final
        int64[p], position of the last event of each packet.
    """
    packets = len(visits.kinds)
    place = np.where(visits.deliveries >= 0, visits.deliveries, visits.positions)[arrived]
    arrived_at = _earliest(visits.packets[arrived], events.samples[place], packets)
    open_ended = (arrived_at == _NEVER) & (final != NONE)
    left = np.where(open_ended, events.end - events.samples[final], _NEVER)
    codes, of_packet = np.unique(events.codes[final[open_ended]], return_inverse=True)
    cut = np.zeros(packets, dtype=bool)
    cut[open_ended] = left[open_ended] < _longest(events, visits, visit_of, arrived_at, codes=codes)[of_packet]
    return cut


def of_milestones(samples: Positions, *, end: int) -> NDArray[np.bool_]:
    """bool[n], rows without the last of their milestones that are cut.

    Parameters
    ----------
    samples
        int64[n, m], instant of each milestone, `NONE` missing; the first one is known.
    end
        One past the last sample of the recording.
    """
    arrived = samples[:, -1] != NONE
    rows = np.flatnonzero(~arrived)
    latest = samples.shape[1] - 1 - np.argmax(samples[rows, ::-1] != NONE, axis=1)
    cut = np.zeros(len(samples), dtype=bool)
    for column in np.unique(latest).tolist():
        begun = arrived & (samples[:, column] != NONE)
        longest = (samples[begun, -1] - samples[begun, column]).max(initial=0)
        ended = rows[latest == column]
        cut[ended] = end - samples[ended, column] < longest
    return cut


def _longest(
    events: Events, visits: Visits, visit_of: NDArray[np.int32], arrived_at: Positions, *, codes: NDArray[np.generic]
) -> Positions:
    """int64[k], samples from the first event with each code to the arrival of a packet: the most that one took, or 0.

    All events are read once for as many codes as have a table with the packets that arrived within `_TABLE`.
    """
    has_arrived = np.flatnonzero(arrived_at != _NEVER)
    row_of = np.full(len(arrived_at), NONE, dtype=np.int64)
    row_of[has_arrived] = np.arange(len(has_arrived))
    took = np.zeros(len(codes), dtype=np.int64)
    together = max(1, _TABLE // max(1, len(has_arrived)))
    for low in range(0, len(codes), together):
        sought = codes[low : low + together]
        begun = np.full(len(has_arrived) * len(sought), _NEVER, dtype=np.int64)
        for part in slices(len(visit_of)):
            at = part.start + np.flatnonzero((visit_of[part] >= 0) & np.isin(events.codes[part], sought))
            rows = row_of[visits.packets[visit_of[at]]]
            places = rows * len(sought) + np.searchsorted(sought, events.codes[at])
            np.minimum.at(begun, places[rows != NONE], events.samples[at[rows != NONE]])
        table = begun.reshape(len(has_arrived), len(sought))
        lasted = np.where(table == _NEVER, 0, arrived_at[has_arrived, None] - table)
        took[low : low + together] = lasted.max(axis=0, initial=0)
    return took


def _earliest(packets: NDArray[np.int32], samples: Positions, count: int) -> Positions:
    """int64[count], the first sample of each packet, `_NEVER` without one."""
    earliest = np.full(count, _NEVER, dtype=np.int64)
    np.minimum.at(earliest, packets, samples)
    return earliest
