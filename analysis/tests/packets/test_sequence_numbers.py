"""Which frame a sequence number is of, with the order of events of each system's glue."""

from __future__ import annotations

import pytest
from network import Network

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets import sequence_numbers, transmissions

# (event, id) of one node, 100 samples apart; what the transmissions' numbers are then.
SENT = {
    "reference: inside the MAC's call": (
        [("mac.tx.enter", 7), ("mac.sequence", 33), ("driver.prepare.enter", 7), ("driver.exec.enter", 7)],
        [(7, 33)],
    ),
    "reference: the MAC's call is over before the radio is free": (
        [
            *[("mac.tx.enter", 7), ("mac.sequence", 33), ("mac.tx.exit", 7)],
            *[("mac.tx.enter", 8), ("mac.sequence", 34), ("mac.tx.exit", 8)],
            *[("driver.exec.enter", 7), ("driver.exec.enter", 8)],
        ],
        [(7, 33), (8, 34)],
    ),
    "reference: a beacon, before the driver has it": (
        [
            *[("driver.rx_read.exit", 5), ("mac.rx.enter", 5), ("mac.rx.exit", 5)],
            *[("mac.sequence", 35), ("driver.prepare.enter", 0xF001), ("driver.exec.enter", 0xF001)],
        ],
        [(0xF001, 35)],
    ),
    "Contiki-NG, prepare and transmit: after the load": (
        [
            *[("driver.load.enter", 7), ("driver.load.exit", 7), ("isr.timer.enter", None), ("isr.timer.exit", None)],
            *[("mac.sequence", 36), ("driver.exec.enter", 7), ("driver.exec.exit", 7)],
        ],
        [(7, 36)],
    ),
    "Contiki-NG, send: after the frame is out": (
        [
            *[("driver.tx.enter", 7), ("driver.tx.exit", 7), ("mac.sequence", 37)],
            *[("driver.tx.enter", 8), ("driver.tx.exit", 8), ("mac.sequence", 38)],
        ],
        [(7, 37), (8, 38)],
    ),
    "Contiki-NG, TSCH: a keepalive, then a broadcast without a number": (
        [
            *[("driver.load.enter", 7), ("driver.load.exit", 7), ("mac.sequence", 36), ("driver.exec.enter", 7)],
            *[("driver.load.enter", 7), ("driver.load.exit", 7), ("driver.exec.enter", 7)],
        ],
        [(7, 36), (7, -1)],
    ),
    "RIOT: of a frame received, then of one sent": (
        [
            *[("driver.rx_read.enter", None), ("driver.rx_read.exit", 9), ("mac.sequence", 200)],
            *[("mac.tx.enter", 7), ("mac.sequence", 39), ("driver.tx.enter", 7), ("driver.exec.enter", 7)],
        ],
        [(7, 39)],
    ),
    "not reported": ([("mac.tx.enter", 7), ("driver.exec.enter", 7)], [(7, -1)]),
}


def events_of(rows: list[tuple[str, int | None]]) -> Events:
    network = Network("ab")
    network.log = [(100 * (n + 1), "a", event, id_) for n, (event, id_) in enumerate(rows)]
    network.log += [(100 * (n + 1) + 50, "b", "sched.sleep.enter", None) for n in range(len(rows))]
    return network.events()


@pytest.mark.parametrize(("rows", "expected"), SENT.values(), ids=SENT.keys())
def test_a_number_is_of_the_frame_that_it_is_told_with(
    rows: list[tuple[str, int | None]], expected: list[tuple[int, int]]
) -> None:
    events = events_of(rows)
    index = Index(events)
    numbered = sequence_numbers.find(events, index)
    sent = transmissions.find(events, index, completions.find(events, index), numbered)
    assert expected == list(zip(sent.ids.tolist(), sent.sequences.tolist(), strict=True))


def test_a_number_right_after_a_reading_is_of_that_reception() -> None:
    events = events_of([("driver.rx_read.exit", 9), ("isr.other.enter", 3), ("mac.sequence", 200), ("mac.rx.enter", 9)])
    numbered = sequence_numbers.find(events, Index(events))
    end = events.ids.tolist().index(9)
    assert ([end], [200], [-1]) == (numbered.readings.tolist(), numbered.numbers.tolist(), numbered.ids.tolist())


def test_a_number_after_a_reading_without_its_end_is_of_no_frame_that_was_sent() -> None:
    """The end's event was damaged: the number is not that of the next frame that the node sends."""
    rows = [("driver.rx_read.enter", None), ("mac.sequence", 200), ("mac.rx.enter", 9), ("mac.rx.exit", 9)]
    events = events_of([*rows, ("driver.prepare.enter", 7), ("driver.exec.enter", 7)])
    numbered = sequence_numbers.find(events, Index(events))
    assert ([-1], [-1]) == (numbered.readings.tolist(), numbered.ids.tolist())
