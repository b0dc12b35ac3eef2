"""Node timestamps paired with the pins: by packet id and order, and by the numbers of an event log."""

from __future__ import annotations

import numpy as np
import pytest
from madeevents import events_of_rows

from gpiorig.analysis.clocks import pairing
from gpiorig.analysis.clocks.node_clock import NodeClock
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.logs import node_log

RATE_HZ = 24_000_000


def seen(rows: list[tuple[int, str, int]]) -> Events:
    """Events of one node: sample, event, id."""
    return events_of_rows(((at, 0, event, number) for at, event, number in rows), ("a",), end=10**12, rate_hz=RATE_HZ)


def packets(ids: list[int], *, period_us: int = 1000, first_us: int = 0) -> tuple[list[tuple[int, str, int]], str]:
    """Send calls on the pins, and the lines that the node logs of them."""
    rows = [(at * period_us * 24, "app.tx.enter", number) for at, number in enumerate(ids)]
    timestamps = [(first_us + at * period_us) % 2**32 for at in range(len(ids))]
    text = "".join(f"packet seq={n} tx_us={t} status=ok\n" for n, t in zip(ids, timestamps, strict=True))
    return rows, text


@pytest.mark.slow
def test_ids_wrap() -> None:
    """70 000 packets with ids of 16 bits, one lost on the pins, one line lost in the log."""
    rows, text = packets([n % 2**16 for n in range(70_000)])
    lines = text.splitlines(keepends=True)
    del rows[66_000], lines[3]
    pairs = pairing.sent(seen(rows), node_log.parse("".join(lines), node="a"))
    assert (len(pairs), pairs.unmatched_timestamps, pairs.unmatched_samples) == (69_998, 1, 1)
    assert (pairs.samples == pairs.timestamps * 24).all()


def clock(rows: list[tuple[int, str, int]], text: str) -> NodeClock:
    events = seen(rows)
    pairs = pairing.best(events, node_log.parse(text, node="a"))
    return pairing.node_clock(pairs, node="a", samplerate_hz=events.samplerate_hz)


def test_timer_of_the_node_wraps() -> None:
    """The 32 bits of its microseconds wrap after 71 minutes: the fit goes through it."""
    rows, text = packets(list(range(1, 1001)), first_us=2**32 - 500_000)
    node = clock(rows, text)
    (period,) = node.boot_periods
    assert (node.n, node.wraps, node.backsteps, len(period.segments), period.fastest) == (1000, 1, 0, 1, ())
    assert period.segments[0].ppm.value == pytest.approx(0, abs=1e-6)
    assert (node.node, node.reference, node.tick_hz) == ("a", "analyzer", 10**6)


def test_boot_lines_split_the_fit() -> None:
    """A node that boots between two packets begins a boot period there."""
    rows, text = packets(list(range(1, 201)))
    lines = text.splitlines(keepends=True)
    lines.insert(120, "boot board=x\n")
    assert [[segment.n for segment in period.segments] for period in clock(rows, "".join(lines)).boot_periods] == [
        [120],
        [80],
    ]


def event_log_text(rows: list[tuple[int, str, int]], *, skip: range = range(0)) -> str:
    """The event log of the same events, but for records that were lost."""
    text = "log lost=00000000"
    for at, (sample, name, number) in enumerate(rows):
        if at not in skip:
            ticks = sample // 24 % 2**32
            header = BY_NAME[name].code | (0 if number < 0 else 0x80)
            text += f" {at % 256:02x}{header:02x}{'' if number < 0 else f'{number:04x}'}{ticks:08x}"
    return text + "\n"


def busy(n: int) -> list[tuple[int, str, int]]:
    names = ("app.tx.enter", "udp.tx.enter", "isr.radio.enter", "isr.radio.exit")
    random = np.random.default_rng(1)
    return [
        (at * 2400, names[k], -1 if "isr" in names[k] else at % 2**16) for at, k in enumerate(random.integers(0, 4, n))
    ]


def test_event_log() -> None:
    """Records lost by the node and frames lost by the pins: the rest is paired, each with its own."""
    rows = busy(2000)
    text = event_log_text(rows, skip=range(500, 560))
    pins = rows[:1000] + rows[1003:]
    pairs = pairing.recorded(seen(pins), node_log.parse(text, node="a"))
    assert (pairs.samples // 24 == pairs.timestamps).all()
    assert pairs.unmatched_timestamps == 2000 - 60 - len(pairs)
    assert 3 <= pairs.unmatched_timestamps <= 3 + pairing.WINDOW
    assert pairs.unmatched_samples == len(pins) - len(pairs)


def test_recording_that_began_late() -> None:
    """Pins that lack the first 700 events: the log is found in them all the same."""
    rows = busy(2000)
    pairs = pairing.recorded(seen(rows[700:]), node_log.parse(event_log_text(rows), node="a"))
    assert (pairs.samples // 24 == pairs.timestamps).all()
    assert len(pairs) == 1300


def test_nothing_to_pair() -> None:
    """A silent node, or a node that is not on the pins: no fit, and the rest is counted."""
    rows, text = packets([1, 2, 3, 4])
    (period,) = clock(rows, "").boot_periods
    assert (period.n, period.segments, period.notes) == (0, (), ("fewer than 3 timestamps",))
    assert pairing.sent(seen(rows), node_log.parse(text, node="b")).unmatched_timestamps == 4
