"""A recording may begin with any event: its values are those of the same events later, after a frame of others.

So nothing takes sample 0, or the first event, packet, visit or hop, for one that is not there.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from network import Network

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

MS = 24_000
LATER = 50 * MS
QUANTITIES = (
    "app.tx -> app.rx at a",
    "app.tx -> app.rx at c",
    "mac.tx -> mac.rx at a",
    "mac.tx -> driver.exec at a",
    "mac.tx -> app.rx at a",
    "request.app.tx -> reply.app.rx at a",
    "mac.rx -> mac.tx at b",
    "air.start -> irq at a",
    "driver.exec -> radio.tx_end at a",
    "driver.exec -> irq.tx_end at a",
    "driver.load -> driver.load.exit at a",
    "mac.rx -> app.rx.exit at c",
    "driver.exec -> radio.tx_no_ack at a",
    "interval of app.tx at a",
    "span of driver.load at a",
    "gap of mac.tx at a",
    "spread of mac.rx at a",
    "goodput at a",
    "loss at a",
    "delivery at a",
    "retried at a",
    "self time of mac tx at a",
    "rate of app.tx at a",
    "rtt",
)


def way_and_back(network: Network, at: int, id_: int, *, lost: bool = False) -> None:
    """A request from a over b to c, whose driver sends it twice, and the reply; unless b's frame is lost."""
    first = network.frame(at, "a", id_, {"b": "relay"}, outcome="no_ack")
    again = network.frame(first.end + MS, "a", id_, {"b": "drop"}, by="bare")
    if lost:
        network.frame(again.end + MS, "b", id_, {}, by="relay", outcome="no_ack")
        return
    request = network.frame(again.end + MS, "b", id_, {"c": "deliver"}, by="relay")
    reply = network.frame(request.end + MS, "c", id_, {"b": "relay"})
    network.frame(reply.end + MS, "b", id_, {"a": "deliver"}, by="relay")


def values(network: Network, *, later: int) -> dict[str, list[tuple[object, ...]] | str]:
    """Series by quantity: values, starts, ids of the packets and of those that lack a value; or what is refused."""
    stages = analysis.analyse(
        network.events(names="deabc"),
        {},
        header_ns=network.headers(),
        destinations={"a": ("c",), "c": ("a",), "d": ("e",)},
        ends=("a", "c"),
    )
    measured = Recorded(stages, {"payload": 20, "train": 2}, network.headers())
    found: dict[str, list[tuple[object, ...]] | str] = {}
    for text in QUANTITIES:
        try:
            series = series_of(text, measured)
        except QuantityError as error:
            found[text] = str(error).partition(";")[0]
            continue
        ids = measured.packets().packets.ids
        found[text] = [
            (
                one.node,
                one.values.tolist(),
                (one.starts - later).tolist(),
                [int(ids[row]) for row in one.packets if row >= 0],
                (one.lacking, ids[one.lacking_packets].tolist()),
            )
            for one in series
        ]
    return found


@pytest.fixture(scope="module")
def network() -> Network:
    made = Network("abcde")
    for n in (1, 2, 3):
        way_and_back(made, n * 100 * MS, n, lost=n == 1)
    made.log.sort(key=lambda row: row[0])
    return made


KINDS = (
    "app.tx.enter",
    "mac.tx.enter",
    "driver.prepare.enter",
    "driver.load.enter",
    "driver.load.exit",
    "driver.exec.enter",
    "driver.exec.exit",
    "tap.frame_timestamp.enter",
    "tap.irq.enter",
    "isr.radio.enter",
    "driver.rx_read.exit",
    "mac.rx.enter",
    "app.rx.enter",
    "radio.tx_no_ack",
    "driver.confirm",
)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_recording_begins_with_changes_no_value(network: Network, kind: str) -> None:
    """The first event of a kind is the first of the recording, at sample 0."""
    first = next(place for place, (_, _, event, _) in enumerate(network.log) if event == kind)
    start = network.log[first][0]
    begun = replace(network, log=[(at - start, *row) for at, *row in network.log[first:]], end=network.end - start)
    late = replace(begun, log=[(at + LATER, *row) for at, *row in begun.log], end=begun.end + LATER)
    late.frame(0, "d", 9, {"e": "deliver"})
    assert values(begun, later=0) == values(late, later=LATER)
