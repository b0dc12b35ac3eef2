from __future__ import annotations

import random

from gpiorig.analysis.measure.log_lines import Mark, pair, picked


def request(timestamp_ns: int, key: str, node: str = "a") -> Mark:
    return Mark(timestamp_ns, (node, key), node, is_response=False)


def response(timestamp_ns: int, key: str, node: str = "a") -> Mark:
    return Mark(timestamp_ns, (node, key), node, is_response=True)


def test_a_response_closes_the_latest_request_of_its_key():
    """A repeated request leaves the first one unpaired; a second response has nothing to answer."""
    pairs = pair([request(10, "1"), request(20, "1"), response(25, "1"), response(30, "1")])

    assert [20] == pairs.starts_ns.tolist()
    assert [5] == pairs.delays_ns.tolist()
    assert ({"a": 1}, {"a": 1}) == (pairs.unpaired_requests, pairs.unpaired_responses)


def test_requests_may_overlap_and_are_counted_by_node():
    pairs = pair(
        [
            request(1, "1"),
            request(2, "2"),
            request(3, "1", "b"),
            response(9, "2"),
            response(10, "1"),
            response(5, "1", "b"),
        ]
    )

    assert [7, 9, 2] == pairs.delays_ns.tolist()
    assert {"a": [7, 9], "b": [2]} == {node: delays.tolist() for node, delays in pairs.by_node().items()}
    assert {"a": 0, "b": 0} == pairs.unpaired_requests
    assert 1 == pairs.backsteps
    assert (None, None) == (pairs.unpaired_request, pairs.unpaired_response)


def test_an_example_of_each_side_without_a_partner():
    """The first response, the first request that is still open; equal timestamps are no step back."""
    lonely = [response(5, "1"), response(5, "2"), request(7, "3"), request(8, "4")]
    pairs = pair(lonely)

    assert (lonely[2], lonely[0], 0) == (pairs.unpaired_request, pairs.unpaired_response, pairs.backsteps)


def test_ids_that_wrap_are_told_apart_by_their_order():
    """The same id again, after its response, is another request."""
    pairs = pair([request(0, "7"), response(3, "7"), request(100, "7"), response(104, "7")])

    assert [3, 4] == pairs.delays_ns.tolist()


def test_a_pair_that_is_too_long_is_unpaired_on_both_sides():
    """The log lost the request of the second packet with id 7: its response does not answer the first one's."""
    marks = [request(0, "7"), response(65_003, "7"), request(65_100, "7"), response(65_104, "7")]

    pairs = pair(marks, longest_ns=1000)

    assert [4] == pairs.delays_ns.tolist()
    assert ({"a": 1}, {"a": 1}, 1) == (pairs.unpaired_requests, pairs.unpaired_responses, pairs.too_long)
    assert [65_003, 4] == pair(marks).delays_ns.tolist()


def test_pairs_are_those_of_the_rule():
    """Random marks against the rule word by word: the latest request of the key that no response has taken yet."""
    draw = random.Random(6)
    for _ in range(300):
        longest_ns = draw.choice([None, 3, 20])
        marks = [
            Mark(draw.randint(0, 50), (node, draw.choice("12")), node, draw.random() < 0.5)
            for node in draw.choices("ab", k=draw.randint(0, 25))
        ]
        expected, answered = [], set()
        for at, mark in enumerate(marks):
            if mark.is_response:
                before = [i for i in range(at) if marks[i].key == mark.key]
                if before and not marks[before[-1]].is_response and before[-1] not in answered:
                    answered.add(before[-1])
                    delay = mark.timestamp_ns - marks[before[-1]].timestamp_ns
                    expected += [delay] if longest_ns is None or delay <= longest_ns else []

        pairs = pair(marks, longest_ns=longest_ns)

        assert expected == pairs.delays_ns.tolist()
        assert sum(not mark.is_response for mark in marks) == len(expected) + sum(pairs.unpaired_requests.values())
        assert sum(mark.is_response for mark in marks) == len(expected) + sum(pairs.unpaired_responses.values())


def test_one_row_of_each_key_is_picked():
    """From the first request of an id to its last response, whatever comes between."""
    marks = [request(0, "7"), request(5, "7"), response(9, "7"), response(20, "7"), request(30, "8"), response(31, "8")]

    assert [20, 1] == pair(picked(marks, request="first", response="last")).delays_ns.tolist()
    assert [4, 1] == pair(picked(marks, request="last", response="first")).delays_ns.tolist()
    assert [4, 1] == pair(marks).delays_ns.tolist()
