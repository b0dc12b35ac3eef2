"""The firmware's log, and its comparison with the round trips on the pins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tripcases import analysed

from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import node_accounts, timelines

TEXT = b"""boot board=iotlab-m3 firmware=reference
ready
ok identify board=iotlab-m3 firmware=reference uid=0123456789abcdef01234567 address=1 table=deadbeef
ok set interval_us=20000
error unknown key: colour
ok start packets=4
packet seq=1 tx_us=123456 rx_us=130000 status=ok
packet seq=2 tx_us=143456 status=lost reason=timeout
packet seq=3 tx_us=163456 status=lost reason=no_ack
packet seq=4 rx_us=4294967295 tx_us=5 status=no_ack
done sent=4 received=2 lost=2 probes=400
"""


def test_every_kind_of_line():
    got = node_log.parse(TEXT, node="initiator")
    assert [1, 2, 3, 4] == got.sequences.tolist()
    assert [123456, 143456, 163456, 5] == got.sent_us.tolist()
    assert [130000, -1, -1, 4294967295] == got.received_us.tolist()
    assert ("ok", "timeout", "no_ack", "no_ack") == got.outcomes
    assert [False, True, True, False] == got.lost.tolist()
    assert {"sent": 4, "received": 2, "lost": 2, "probes": 400} == got.done
    assert "deadbeef" == got.identity["table"]
    assert ("unknown key: colour",) == got.errors
    assert 1 == got.boots
    assert () == got.malformed
    assert 4 == got.sent
    assert [6, 7, 8, 9] == got.lines.tolist()
    assert [0] == got.boot_lines.tolist()


@pytest.mark.parametrize(
    "line",
    [
        "packet seq=1 tx_us=1",
        "packet seq=70000 tx_us=1 status=ok",
        "packet seq=-1 tx_us=1 status=ok",
        "packet seq=1 tx_us=1 status=lost",
        "packet seq=1 tx_us=1 status=ok reason=timeout",
        "packet seq=1 seq=1 tx_us=1 status=ok",
        "packet seq=1 status=ok",
        "packet seq=1 tx_us=4294967296 status=ok",
        "packet seq=1 due_us=4294967296 tx_us=1 status=ok",
        "packet seq=1 departed_us=x tx_us=1 status=ok",
        "sent seq=70000 tx_us=1",
        "sent seq=1",
        "sent seq=1 tx_us=1 rx_us=2",
        "pack",
        "done sent=4",
        "done sent=four received=1 lost=1 probes=1",
        "\xff\xfe",
    ],
)
def test_a_malformed_line_is_kept_and_changes_nothing_else(line):
    got = node_log.parse(f"ready\n{line}\npacket seq=9 tx_us=1 status=busy\n", node="n")
    assert (line,) == got.malformed
    assert [9] == got.sequences.tolist()


def test_a_cut_last_line_is_malformed():
    got = node_log.parse(b"packet seq=1 tx_us=1 rx_us=2 status=ok\npacket seq=2 tx_us=12", node="n")
    assert [1] == got.sequences.tolist()
    assert ("packet seq=2 tx_us=12",) == got.malformed


def test_a_packet_of_a_train_has_when_it_was_due_and_when_it_left():
    """Without the departure where the driver did not know it."""
    text = (
        "packet seq=1 due_us=4294967290 departed_us=4294967295 tx_us=100 done_us=9 status=ok\n"
        "packet seq=2 due_us=20 tx_us=110 done_us=40 status=lost reason=queue\n"
    )
    got = node_log.parse(text, node="n")
    assert [4294967290, 20] == got.due_us.tolist()
    assert [4294967295, -1] == got.departed_us.tolist()
    assert [100, 110] == got.sent_us.tolist()


def test_what_is_printed_at_sending_is_no_packet_of_its_own():
    """The line has the number and the timestamp of the send call, and its place in the text."""
    text = "ready\nsent seq=1 tx_us=100\npacket seq=1 tx_us=100 rx_us=900 status=ok\nsent seq=2 tx_us=4294967295\n"
    got = node_log.parse(text, node="n")
    assert [1] == got.sequences.tolist()
    assert ([1, 2], [100, 4294967295], [1, 3]) == tuple(
        column.tolist() for column in (got.announced.sequences, got.announced.sent_us, got.announced.lines)
    )
    assert () == got.malformed


@given(st.binary(max_size=300))
def test_no_input_breaks_it(data):
    node_log.parse(data, node="n")


def lines_of(bench, **lost):
    text = ""
    for number, marks in enumerate(bench.truth, start=1):
        reason = lost.get(f"p{number}")
        text += f"packet seq={number} tx_us={marks['request.app.tx']} "
        text += f"status=lost reason={reason}\n" if reason else "rx_us=1 status=ok\n"
    return text + f"done sent={len(bench.truth)} received=0 lost=0 probes=1\n"


def reconcile(bench, text, **kwargs):
    return analysed(bench.events(**kwargs), {"initiator": node_log.parse(text, node="initiator")}).account


def test_everything_is_accounted_for(new_bench):
    """Good, lost, in a gap, not logged, not seen on the pins, late: each is counted once."""
    bench = new_bench()
    for id_ in range(1, 11):
        bench.round_trip(id_, lost={3: "request", 5: "reply"}.get(id_, ""))
    text = lines_of(bench, p3="timeout", p5="no_ack", p8="timeout")
    gap = (bench.truth[5]["request.irq"], bench.truth[5]["request.irq"] + 1)
    bench.damage_frame(0, "app.tx.enter", 7)
    text = text.replace(f"packet seq=9 tx_us={bench.truth[8]['request.app.tx']} rx_us=1 status=ok\n", "")
    got = reconcile(bench, text, gaps=[gap])
    assert 10 == got.total
    assert {"no_ack": 1, "timeout": 1} == got.lost
    assert {
        node_accounts.NOT_ON_PINS: 1,
        node_accounts.NOT_LOGGED: 1,
        timelines.STATUS[timelines.GAP]: 1,
    } == got.not_arrived
    assert (5, 1, 1, 3) == (got.arrived, got.given_up, got.extra, got.unaccounted)


def test_a_reply_that_the_pins_do_not_show(new_bench):
    bench = new_bench()
    bench.round_trip(1)
    bench.round_trip(2, lost="reply")
    got = reconcile(bench, lines_of(bench))
    assert {node_accounts.NO_REPLY_ON_PINS: 1} == got.not_arrived
    assert 1 == got.unaccounted


def test_a_wrap_of_the_number_matches_in_order(new_bench):
    bench = new_bench()
    numbers = [65534, 65535, 1, 2, 3]
    for id_ in numbers:
        bench.round_trip(id_)
    text = "".join(f"packet seq={n} tx_us=1 rx_us=2 status=ok\n" for n in numbers if n != 1)
    got = reconcile(bench, text + "done sent=5 received=5 lost=0 probes=1\n")
    assert (4, {node_accounts.NOT_LOGGED: 1}, 1, 1) == (got.arrived, got.not_arrived, got.extra, got.unaccounted)


def test_too_few_sent_is_unaccounted(new_bench):
    bench = new_bench()
    bench.round_trip(1)
    bench.round_trip(2)
    text = lines_of(bench).replace("sent=2", "sent=1")
    assert -1 == reconcile(bench, text).unaccounted


def test_one_way_lines_are_understood():
    """Senders and receivers of one-way packets, what app print writes, and a report with more counts."""
    text = (
        "packet seq=1 tx_us=100 done_us=900 status=ok\n"
        "packet seq=2 tx_us=200 done_us=300 status=lost reason=queue\n"
        "packet seq=7 from=3 radio_us=400 rx_us=500 status=ok\n"
        "print seq=7 text=xxxx\n"
        "ok report sent=2 received=1 lost=1 probes=10 uart_dropped=0 errors=0 dropped=1 exhausted=0\n"
    )
    got = node_log.parse(text, node="n")

    assert [1, 2, 7] == got.sequences.tolist()
    assert [100, 200, -1] == got.sent_us.tolist()
    assert [-1, -1, 500] == got.received_us.tolist()
    assert ("ok", "queue", "ok") == got.outcomes
    assert [False, True, False] == got.lost.tolist()
    assert (1, ()) == (got.done["dropped"], got.malformed)
