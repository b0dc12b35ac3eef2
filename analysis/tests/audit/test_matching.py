"""In-order matching of lists of lines and packets that lack entries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.audit.matching import NONE, same_text
from gpiorig.analysis.clocks.pairing import same_packet


def test_equal_lists_match_entry_by_entry():
    assert [0, 1, 2] == same_text(["a", "a", "a"], ["a", "a", "a"]).tolist()


def test_a_garbled_line_has_no_partner_and_its_neighbours_have_one():
    pin = ["ready", "seq=1", "seq=2", "ok", "seq=3", "ok"]
    host = ["ready", "seq=1", "s@q=2", "ok", "seq=3", "ok"]
    assert [0, 1, NONE, 3, 4, 5] == same_text(host, pin).tolist()


def test_lines_missing_on_either_side():
    assert [1, 3, 4, NONE] == same_text(["b", "d", "e", "f"], ["a", "b", "c", "d", "e"]).tolist()


def test_what_is_ambiguous_has_no_partner():
    """One of three equal lines is missing, it is unknown which; none has a partner, and their neighbours have."""
    pin, host = ["a", "ok", "ok", "ok", "b"], ["a", "ok", "ok", "b"]
    assert [0, NONE, NONE, 4] == same_text(host, pin).tolist()
    assert [0, NONE, NONE, NONE, 3] == same_text(pin, host).tolist()


def test_nothing_in_common():
    assert [NONE, NONE] == same_text(["a", "b"], ["c"]).tolist()
    assert [] == same_text([], ["c"]).tolist()


@given(st.lists(st.integers(0, 30), max_size=40), st.data())
def test_matches_are_equal_and_in_order(complete, data):
    """Partners are equal entries, and none crosses another, whatever is missing on either side."""
    presence = st.lists(st.booleans(), min_size=len(complete), max_size=len(complete))
    lines = [x for x, present in zip(complete, data.draw(presence), strict=True) if present]
    others = [x for x, present in zip(complete, data.draw(presence), strict=True) if present]
    places = same_text(lines, others)
    rows = np.flatnonzero(places != NONE)
    assert [lines[row] for row in rows] == [others[at] for at in places[rows]]
    assert (np.diff(places[rows]) > 0).all()


@pytest.mark.slow
@given(st.integers(1, 60), st.data())
def test_unique_entries_all_find_their_partner(n, data):
    """With entries that occur once the answer is known: their places."""
    presence = st.lists(st.booleans(), min_size=n, max_size=n)
    in_lines, in_others = data.draw(presence), data.draw(presence)
    lines = [x for x in range(n) if in_lines[x]]
    others = [x for x in range(n) if in_others[x]]
    assert [others.index(x) if x in others else NONE for x in lines] == same_text(lines, others).tolist()


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def test_packets_match_by_number_also_out_of_order():
    assert [1, 0, 2, NONE] == same_packet(ids(2, 1, 3, 5), ids(1, 2, 3, 4)).tolist()


def test_a_wrap_of_the_number_merges_nothing():
    """After 65535 comes 0; a number of the next round is another packet."""
    seen = (65_530 + np.arange(70_000)) % 65_536
    present = np.array([0, 3, 8, 20, 30_000, 60_000, 65_536, 65_543])
    assert present.tolist() == same_packet(seen[present].astype(np.int32), seen.astype(np.int32)).tolist()
    assert [7] == same_packet(ids(1), ids(65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 0, 1)).tolist()


def test_duplicates_are_matched_in_their_order():
    assert [0, 2] == same_packet(ids(4, 4), ids(4, 5, 4)).tolist()


def test_no_packet_on_one_side():
    assert [NONE, NONE] == same_packet(ids(1, 2), ids()).tolist()
    assert [] == same_packet(ids(), ids(1)).tolist()
