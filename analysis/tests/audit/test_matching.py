"""Which line is which, which packet is which: in-order matching of lists that lack entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.audit.matching import NONE, same_packet, same_text


def test_equal_lists_match_entry_by_entry():
    assert [0, 1, 2] == same_text(["a", "a", "a"], ["a", "a", "a"]).tolist()


def test_a_garbled_line_has_no_partner_and_its_neighbours_keep_theirs():
    pin = ["ready", "seq=1", "seq=2", "ok", "seq=3", "ok"]
    host = ["ready", "seq=1", "s@q=2", "ok", "seq=3", "ok"]
    assert [0, 1, NONE, 3, 4, 5] == same_text(host, pin).tolist()


def test_lines_missing_on_either_side():
    assert [1, 3, 4, NONE] == same_text(["b", "d", "e", "f"], ["a", "b", "c", "d", "e"]).tolist()


def test_what_is_ambiguous_has_no_partner():
    """Of three equal lines one is missing; which, nobody can say, so none has a partner, and their neighbours have."""
    pin, host = ["a", "ok", "ok", "ok", "b"], ["a", "ok", "ok", "b"]
    assert [0, NONE, NONE, 4] == same_text(host, pin).tolist()
    assert [0, NONE, NONE, NONE, 3] == same_text(pin, host).tolist()


def test_nothing_in_common():
    assert [NONE, NONE] == same_text(["a", "b"], ["c"]).tolist()
    assert [] == same_text([], ["c"]).tolist()


@given(st.lists(st.integers(0, 30), max_size=40), st.data())
def test_matches_are_equal_and_in_order(whole, data):
    """Whatever is missing on either side: partners are equal entries, and none crosses another."""
    keep = st.lists(st.booleans(), min_size=len(whole), max_size=len(whole))
    mine = [x for x, kept in zip(whole, data.draw(keep), strict=True) if kept]
    theirs = [x for x, kept in zip(whole, data.draw(keep), strict=True) if kept]
    found = same_text(mine, theirs)
    rows = np.flatnonzero(found != NONE)
    assert [mine[row] for row in rows] == [theirs[at] for at in found[rows]]
    assert (np.diff(found[rows]) > 0).all()


@pytest.mark.slow
@given(st.integers(1, 60), st.data())
def test_unique_entries_all_find_their_partner(n, data):
    """With entries that occur once the answer is known: their places."""
    keep = st.lists(st.booleans(), min_size=n, max_size=n)
    ours, others = data.draw(keep), data.draw(keep)
    mine = [x for x in range(n) if ours[x]]
    theirs = [x for x in range(n) if others[x]]
    assert [theirs.index(x) if x in theirs else NONE for x in mine] == same_text(mine, theirs).tolist()


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def test_packets_match_by_number_also_out_of_order():
    assert [1, 0, 2, NONE] == same_packet(ids(2, 1, 3, 5), ids(1, 2, 3, 4)).tolist()


def test_a_wrap_of_the_number_merges_nothing():
    """After 65535 comes 0; a number of the next round is another packet."""
    seen = (65_530 + np.arange(70_000)) % 65_536
    kept = np.array([0, 3, 8, 20, 30_000, 60_000, 65_536, 65_543])
    assert kept.tolist() == same_packet(seen[kept].astype(np.int32), seen.astype(np.int32)).tolist()
    assert [7] == same_packet(ids(1), ids(65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 0, 1)).tolist()


def test_duplicates_are_matched_in_their_order():
    assert [0, 2] == same_packet(ids(4, 4), ids(4, 5, 4)).tolist()


def test_no_packet_on_one_side():
    assert [NONE, NONE] == same_packet(ids(1, 2), ids()).tolist()
    assert [] == same_packet(ids(), ids(1)).tolist()
