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
    assert np.abs(period.residuals_ns()).max() <= 1
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


def plain_pairs(logged: list[int], seen_ids: list[int]) -> list[int]:
    """Each number is the nearest of the one before; the k-th of equal numbers is the k-th of those on the pins."""

    def unwrapped(ids: list[int], start: int) -> list[int]:
        numbers: list[int] = []
        for number in ids:
            before = numbers[-1] if numbers else start
            numbers.append(
                min((number + (1 << 16) * k for k in range(-4, 5)), key=lambda one: (abs(one - before), one))
            )
        return numbers

    numbers = unwrapped(logged, logged[0])
    others = unwrapped(seen_ids, numbers[0])
    places = []
    for at, number in enumerate(numbers):
        equal = [place for place, other in enumerate(others) if other == number]
        nth = numbers[:at].count(number)
        places.append(equal[nth] if nth < len(equal) else -1)
    return places


@pytest.mark.parametrize("seed", range(8))
def test_packets_are_paired_by_number_and_turn(seed: int) -> None:
    """Numbers around the end of a round, some of which come again, are lost, or are out of order."""
    random = np.random.default_rng(seed)
    walk = np.cumsum(random.choice([-3, 0, 1, 2, 20_000], 40, p=[0.15, 0.15, 0.4, 0.25, 0.05])) + (-5, 0, 3)[seed % 3]
    logged, on_pins = ([int(n) % 2**16 for n in walk[random.random(40) < 0.8]] for _ in range(2))
    places = pairing.same_packet(np.array(logged, dtype=np.int32), np.array(on_pins, dtype=np.int32))
    assert plain_pairs(logged, on_pins) == places.tolist()
    rows, _ = packets(on_pins)
    _, text = packets(logged)
    pairs = pairing.sent(seen(rows), node_log.parse(text, node="a"))
    paired = int(np.count_nonzero(places >= 0))
    assert (paired, len(logged) - paired, len(on_pins) - paired) == (
        len(pairs),
        pairs.unmatched_timestamps,
        pairs.unmatched_samples,
    )


def test_a_log_that_goes_on_after_the_recording() -> None:
    """Events that are all alike: the last record has no event on the pins."""
    rows = [(at * 2400, "isr.radio.enter", -1) for at in range(41)]
    pairs = pairing.recorded(seen(rows[:-1]), node_log.parse(event_log_text(rows), node="a"))
    assert (40, 1, 0) == (len(pairs), pairs.unmatched_timestamps, pairs.unmatched_samples)
    assert (pairs.samples // 24 == pairs.timestamps).all()


@pytest.mark.parametrize("late", ["pins", "log"])
def test_a_log_continues_where_it_was_however_late_either_began(late: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 events after the other one, more than the range in which its continuation is searched for."""
    monkeypatch.setattr(pairing, "NEAR", 100)
    rows = busy(1000)
    pins = rows[300 if late == "pins" else 0 : 600] + rows[603:]
    skip = range(300) if late == "log" else range(0)
    pairs = pairing.recorded(seen(pins), node_log.parse(event_log_text(rows, skip=skip), node="a"))
    assert (pairs.samples // 24 == pairs.timestamps).all()
    assert 700 - 3 - pairing.WINDOW <= len(pairs) <= 700 - 3


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
