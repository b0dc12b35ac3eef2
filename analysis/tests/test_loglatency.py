from __future__ import annotations

from gpiorig.analysis.loglatency import Mark, pair


def request(stamp_ns: int, key: str, node: str = "a") -> Mark:
    return Mark(stamp_ns, (node, key), node, is_response=False)


def response(stamp_ns: int, key: str, node: str = "a") -> Mark:
    return Mark(stamp_ns, (node, key), node, is_response=True)


def test_a_response_closes_the_latest_request_of_its_key():
    """A repeated request leaves the first one unpaired; a second response has nothing to answer."""
    found = pair([request(10, "1"), request(20, "1"), response(25, "1"), response(30, "1")])

    assert [20] == found.stamps_ns.tolist()
    assert [5] == found.delays_ns.tolist()
    assert ({"a": 1}, {"a": 1}) == (found.unpaired_requests, found.unpaired_responses)


def test_requests_may_overlap_and_are_counted_by_node():
    found = pair(
        [
            request(1, "1"),
            request(2, "2"),
            request(3, "1", "b"),
            response(9, "2"),
            response(10, "1"),
            response(5, "1", "b"),
        ]
    )

    assert [7, 9, 2] == found.delays_ns.tolist()
    assert [7, 9] == found.of("a").tolist()
    assert {"a": 0, "b": 0} == found.unpaired_requests
    assert 1 == found.backsteps


def test_ids_that_wrap_are_told_apart_by_their_order():
    """The same id again, after its response, is another request."""
    found = pair([request(0, "7"), response(3, "7"), request(100, "7"), response(104, "7")])

    assert [3, 4] == found.delays_ns.tolist()
