from __future__ import annotations

from gpiorig.analysis.measure.log_lines import IdCounts, counts


def test_ids_that_are_missing_and_that_come_again() -> None:
    assert IdCounts(5, 9, 0, 2, 0, 1) == counts([5, 7, 7, 9])
    assert IdCounts(5, 9, 5, 2, 1, 0) == counts([5, 7, 9], known=(0, 10))
    assert IdCounts(5, 9, 0, 1, 0, 0) == counts([5, 7, 9], known=(7, 9)), "those outside are not counted"
    assert IdCounts(5, 5, 3, 0, 0, 0) == counts([5], known=(0, 2))
    assert IdCounts(1, 1, 0, 0, 3, 0) == counts([1], known=(3, 5))
    assert counts([]) is None
    assert 5 + 2 + 1 == IdCounts(5, 9, 5, 2, 1, 0).missing
