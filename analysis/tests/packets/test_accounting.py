"""Sentences of the accounting, and acknowledgements at the edge of their slot."""

from __future__ import annotations

import numpy as np
import pytest
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets import accounting, hops, receptions, transmissions

MS = 24_000
SLOT = 15 * MS


@pytest.mark.parametrize(("ids", "told"), [([], False), ([7], False), ([7, 7], True), ([7, 7, 8], False)])
def test_packets_that_only_time_distinguishes(ids: list[int], told: bool) -> None:
    sentences = accounting.equal_ids("a", np.array(ids, dtype=np.int32))
    assert told == bool(sentences)
    assert not told or sentences[0].startswith(f"All {len(ids)} packets of node a have the id 7:")


def test_nodes_that_are_silent() -> None:
    """Those without a frame, of all or of some of them."""
    events = events_of_rows([(5, 0, "app.tx.enter", 7)], ("a", "b", "c"), end=10)
    for among, silent in ((None, "bc"), (("a", "c"), "c"), ((), "")):
        sentences = accounting.silent_nodes(events, among=among)
        assert [f"Node {name} is silent" for name in silent] == [sentence.split(":")[0] for sentence in sentences]


def sentences_of(network: Network) -> str:
    return " ".join(accounting.notes(hops.build(network.events(), header_ns=network.headers())))


def test_frames_that_are_in_no_packet() -> None:
    """Sent or read without an id, one of them or both; the application that got a packet first makes no sentence."""
    for sent, read in ((0, 0), (1, 0), (0, 1), (2, 3)):
        network = Network("ab")
        network.frame(0, "a", 7, {"b": "deliver"})
        at = 100 * MS
        for _ in range(sent):
            at += MS
            network.log.append((at, "a", "driver.exec.enter", None))
        for _ in range(read):
            at += MS
            network.log += [(at, "b", "driver.rx_read.enter", None), (at + 9, "b", "driver.rx_read.exit", None)]
        network.end = at + MS
        words = sentences_of(network)
        told = f"Without an id: {sent} frame{'s' * (sent != 1)} sent, {read} reading{'s' * (read != 1)};"
        assert bool(sent or read) == (told in words) == ("Without an id" in words)
        assert "No application was seen to receive" not in words
    network.drop("app.rx")
    assert "delivered means that" in sentences_of(network)


def frames_of(
    rows: list[tuple[int, str, int | None]],
) -> tuple[Events, transmissions.Transmissions, receptions.Receptions]:
    """The transmissions and receptions of one node of two."""
    events = events_of_rows([(at, 0, event, id_) for at, event, id_ in rows], ("a", "b"), end=10**8)
    analysis = hops.build(events, header_ns={})
    return analysis.events, analysis.transmissions, analysis.receptions


READING = [(0, "driver.rx_read.enter", None), (MS, "driver.rx_read.exit", 5), (MS + 50, "mac.sequence", 33)]


@pytest.mark.parametrize(
    ("later", "id_", "number", "call", "expected"),
    [
        (SLOT, 9, 33, "", True),
        (SLOT + 1, 9, 33, "", False),
        (SLOT, 5, 33, "", False),  # a frame with the id that was read is sent on
        (SLOT, 9, 34, "", False),
        (SLOT, 9, 33, "mac.tx.enter", False),
        (SLOT, None, 33, "", True),
    ],
)
def test_an_acknowledgement_that_is_sent(later: int, id_: int | None, number: int, call: str, expected: bool) -> None:
    """Within 15 ms of the frame that was read, with its number, another id or none, and handed down by no layer."""
    at = MS + later
    rows = [*READING, (at - 400, "driver.load.enter", id_), (at - 300, "driver.load.exit", id_)]
    rows += [(at - 200, "mac.sequence", number), (at, "driver.exec.enter", id_), (at + 100, "driver.exec.exit", id_)]
    rows += [(at - 500, call, id_)] if call else []
    events, sent, _ = frames_of(rows)
    (reading,) = sent.acknowledges.tolist()
    assert expected == (reading >= 0)
    assert not expected or events.samples[reading] == MS


def test_a_number_is_of_one_command() -> None:
    """A frame whose number is not reported has not that of the command before it, although that began the report."""
    rows = [(at, f"driver.tx.{end}", 7) for at, end in ((0, "enter"), (50, "exit"))] + [(80, "mac.sequence", 33)]
    rows += [(at + MS, event, id_) for at, event, id_ in READING]
    rows += [(3 * MS, "driver.tx.enter", 9), (3 * MS + 50, "driver.tx.exit", 9)]
    assert [-1, -1] == frames_of(rows)[1].acknowledges.tolist()
    answered = frames_of([*rows, (3 * MS + 80, "mac.sequence", 33)])[1]
    assert [-1, 4 * MS // 2] == [at if at < 0 else int(frames_of(rows)[0].samples[at]) for at in answered.acknowledges]


@pytest.mark.parametrize(
    ("later", "id_", "number", "expected"),
    [(SLOT, 5, 33, 1), (SLOT + 1, 5, 33, 0), (SLOT, 7, 33, 0), (SLOT, 5, 34, 0), (SLOT, None, 33, 1)],
)
def test_an_acknowledgement_that_is_read(later: int, id_: int | None, number: int, expected: int) -> None:
    """Within 15 ms of the command, with the frame's number, and with another id or none."""
    rows = [(0, "mac.tx.enter", 7), (50, "mac.sequence", 33), (90, "mac.tx.exit", 7), (100, "driver.exec.enter", 7)]
    at = 100 + later
    rows += [(150, "driver.exec.exit", 7), (at - 50, "driver.rx_read.enter", None), (at, "driver.rx_read.exit", id_)]
    _, sent, read = frames_of([*rows, (at + 50, "mac.sequence", number)])
    assert [0] * expected == read.acknowledged.tolist()
    assert 1 - expected == len(read) + (read.without_id if id_ is None else 0)
    assert [-1] == sent.acknowledges.tolist()


def test_frames_that_are_heard_are_of_a_transmission() -> None:
    """Of the first one as of any other; those of none are counted."""
    network = Network("abc")
    network.frame(0, "a", 7, {"b": "deliver", "c": "hear"})
    assert "of no known transmission" not in sentences_of(network)
    for event, at in (("enter", 200 * MS), ("exit", 201 * MS)):
        network.log.append((at, "c", f"tap.frame_timestamp.{event}", None))
    network.end = 202 * MS
    assert "1 of 2 frames that were received, not read, are of no known transmission." in sentences_of(network)


def test_an_acknowledgement_ends_before_the_next_command() -> None:
    """Without an end of its command, what comes after the next one is of that frame."""
    at = 2 * MS
    rows = [*READING, (at, "driver.load.enter", 9), (at + 10, "driver.load.exit", 9), (at + 20, "mac.sequence", 33)]
    rows += [(at + 100, "driver.exec.enter", 9), (2 * at, "mac.tx.enter", 8), (2 * at + 10, "driver.prepare.enter", 8)]
    rows += [(2 * at + 30, "driver.exec.enter", 8), (2 * at + 90, "driver.exec.exit", 8), (3 * at, "mac.tx.exit", 8)]
    events = events_of_rows([(sample, 0, event, id_) for sample, event, id_ in rows], ("a", "b"), end=10**8)
    analysis = hops.build(events, header_ns={})
    of_reading, of_sending = (
        {int(visit) for visit, sample in zip(analysis.visit_of, events.samples, strict=True) if begin <= sample < end}
        for begin, end in ((0, 2 * at), (2 * at, 4 * at))
    )
    assert 1 == len(of_sending) and of_sending.isdisjoint(of_reading)
