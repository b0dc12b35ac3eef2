"""All packets as columns of integers for the script of a page."""

from __future__ import annotations

import base64
import zlib

import evaluations
import numpy as np
import pytest

from gpiorig.analysis.report import packet_columns


def decoded(packets):
    """The columns as the script reads them."""
    planes = zlib.decompress(base64.b64decode(packets.letters))
    n, at, columns = packets.packets, 0, []
    for least, width in packets.header["columns"]:
        column = np.full(n, least, dtype=np.int64)
        for plane in range(width):
            column += np.frombuffer(planes[at : at + n], np.uint8).astype(np.int64) << (8 * plane)
            at += n
        columns.append(column)
    assert at == len(planes)
    return columns


def test_columns_hold_every_value():
    """Ids, starts and durations come back, also where a column has one value."""
    route = evaluations.one_way(packets=300)
    packets = packet_columns.columns_of(route)
    ids, gaps, *steps = decoded(packets)
    assert route.ids.tolist() == ids.tolist()
    assert route.starts.tolist() == np.cumsum(gaps).tolist()
    assert route.steps.samples.T.tolist() == [column.tolist() for column in steps]
    assert (300, 300) == (packets.packets, packets.all_packets)


@pytest.mark.parametrize(("limit", "value"), [("MAX_PACKETS", 100), ("MAX_LETTERS", 1200)])
def test_of_more_than_a_page_takes_some_are_left_out_but_not_the_ends(monkeypatch, limit, value):
    """Those that stay are in the order of sending; fastest and slowest are among them; the page states how many."""
    route = evaluations.one_way(packets=2000)
    monkeypatch.setattr(packet_columns, limit, value)
    packets = packet_columns.columns_of(route)
    _, gaps, *steps = decoded(packets)
    totals = np.sum(steps, axis=0)
    assert packets.packets < 2000 == packets.all_packets == packets.header["all"]
    assert (route.totals.min(), route.totals.max()) == (totals.min(), totals.max())
    assert (gaps > 0).all()
    assert len(packets.letters) <= packet_columns.MAX_LETTERS
