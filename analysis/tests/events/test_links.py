"""Causes of radio completions on nodes that report little, starts of frames, and lost samples, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from madeevents import events_of_rows
from numpy.typing import NDArray

from gpiorig.analysis.events import completions, frame_starts, polled
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index

US = 24
Positions = NDArray[np.int64]


def positions(*values: int) -> Positions:
    return np.array(values, dtype=np.int64)


def at_samples(*samples: int) -> Events:
    """Events at these samples, whatever they are."""
    return events_of_rows([(at, 0, "app.tx.enter", None) for at in samples], ("a",), end=max(samples, default=0) + 1)


@pytest.mark.parametrize(
    ("spans_us", "waited"),
    [
        ([400, 360, 351], [0, 1]),
        ([352, 352, 9], [0, 1]),
        ([400, 351, 351], []),  # in the median no longer than a frame
        ([352], [0]),
        ([], []),
    ],
)
def test_commands_that_wait_for_their_frame(spans_us: list[int], waited: list[int]) -> None:
    """Those of 352 us, the shortest frame, or more."""
    samples = [at for n, us in enumerate(spans_us) for at in (100_000 * n, 100_000 * n + us * US)]
    events = at_samples(*samples)
    marks = {
        "driver.exec.enter": positions(*range(0, len(samples), 2)),
        "driver.exec.exit": positions(*range(1, len(samples), 2)),
    }
    assert polled.waits(events, marks.__getitem__) == bool(waited)
    if not waited:
        return
    begun, over = polled.waiting_commands(events, marks.__getitem__)
    assert [2 * n for n in waited] == begun.tolist()
    assert [2 * n + 1 for n in waited] == over.tolist()
    # An end that is reported within the command is that of the driver.
    left, _ = polled.unreported_commands(events, marks.__getitem__, positions(2 * waited[0] + 1))
    assert [2 * n for n in waited] == left.tolist()
    inside = np.append(begun[:1], over[:1]).mean()
    left, _ = polled.unreported_commands(events, marks.__getitem__, np.array([inside]))
    assert [2 * n for n in waited[1:]] == left.tolist()


def test_commands_without_an_end() -> None:
    """One that is begun again before it is over has none, and neither has the last one."""
    events = at_samples(0, 10_000, 20_000, 40_000, 60_000)
    marks = {"driver.exec.enter": positions(0, 1, 3), "driver.exec.exit": positions(2)}
    begun, over = polled.waiting_commands(events, marks.__getitem__)
    assert ([1], [2]) == (begun.tolist(), over.tolist())


@pytest.mark.parametrize(
    ("rises", "routines", "reads", "listens", "reported", "since", "expected"),
    [
        ([5], [7], [10], [], [12], [-1], [(7, 5)]),
        ([5], [20], [10], [], [12], [-1], [(20, 5)]),  # answered after the reading
        ([5, 15], [20], [10], [], [12], [-1], [(-1, 5)]),  # that answers another rise
        ([5], [], [10], [], [12], [-1], [(-1, 5)]),
        ([11], [], [10], [], [12], [-1], [(-1, -1)]),  # it rose after the reading had begun
        ([5, 28], [7, 29], [10], [], [12, 30], [-1, 25], [(7, 5), (29, 28)]),
        ([5, 24], [7, 29], [10], [], [12, 30], [-1, 25], [(7, 5), (-1, -1)]),  # before the command
        ([5], [7], [10, 14], [], [12, 16], [-1, -1], [(7, 5), (-1, -1)]),  # before the reading before
        ([5, 11], [7], [10, 14], [], [12, 16], [-1, -1], [(7, 5), (-1, 11)]),
        ([0], [1], [2], [], [3], [-1], [(1, 0)]),
        ([], [7], [10], [3], [12], [-1], [(7, -1)]),
        ([], [7], [10], [8], [12], [-1], [(-1, -1)]),
        ([], [7], [], [], [12], [-1], [(7, -1)]),
    ],
)
def test_the_line_and_the_routine_of_each_end(
    rises: list[int], routines: list[int], reads: list[int], listens: list[int],
    reported: list[int], since: list[int], expected: list[tuple[int, int]],
) -> None:  # fmt: skip
    """The latest rise since what was before; its routine is the next one, whenever that ran."""
    marks = {polled.IRQ: rises, polled.ISR: routines, polled.READ: reads, polled.LISTEN: listens}
    found = polled.links(lambda name: positions(*marks[name]), positions(*reported), positions(*since))
    assert expected == list(zip(found[polled.ISR].tolist(), found[polled.IRQ].tolist(), strict=True))


def test_the_first_position_of_a_later_sample() -> None:
    events = at_samples(3, 3, 5, 7, 7)
    assert [2, 2, 3, 4] == polled.after_this_sample(events, positions(0, 1, 2, 3)).tolist()


@pytest.mark.parametrize(
    ("starts", "turns", "ends", "expected"),
    [
        ([5], [4, 9], [12], [5]),
        ([5], [4], [12], []),
        ([5, 10], [4, 9], [12], [5]),
        ([5], [], [12], []),
        ([5], [4], [], [5]),
        ([5, 15], [4, 14], [12], [15]),
    ],
)
def test_starts_in_a_turn_of_their_own(
    starts: list[int], turns: list[int], ends: list[int], expected: list[int]
) -> None:
    """Those that are reported in another turn of the driver than the end after them, or have none after them."""
    assert expected == frame_starts.apart(positions(*starts), positions(*turns), positions(*ends)).tolist()


@pytest.mark.parametrize(("rise", "end", "expected"), [(5, 9, 6), (6, 9, -1), (-1, 9, -1), (5, 6, -1), (0, 9, 6)])
def test_a_start_between_the_rise_and_the_end(rise: int, end: int, expected: int) -> None:
    assert [expected] == frame_starts.taken_late(positions(6), positions(rise), positions(end)).tolist()


@pytest.mark.parametrize(
    ("age", "is_sent", "commands", "expected"),
    [
        (100, False, [], [8, 8]),
        (101, False, [], [3, 8]),
        (100, True, [], [8, 8]),
        (100, True, [5], [3, 8]),
        (100, True, [2], [8, 8]),
        (100, False, [5], [8, 8]),
    ],
)
def test_the_frame_of_a_start(age: int, is_sent: bool, commands: list[int], expected: list[int]) -> None:
    """That of the next end, if a frame can take that long, and no command of its node lies between."""
    samples = [0, 0, 50, 60, 60, 60, 60, 50 + age, 60 + age]
    found = frame_starts.replaced(
        at_samples(*sorted(samples)),
        positions(3, 8),
        np.array([True, False]),
        np.array([False, is_sent]),
        [positions(2, 7), positions(-1, -1)],
        positions(*commands),
        longest=100,
    )
    assert expected == found.tolist()


def test_samples_that_are_lost_between_two_instants() -> None:
    """Or at them: a gap is from its first lost sample to the first that is there again."""
    gaps = [(10, 20), (30, 31)]
    events = events_of_rows((), ("a",), end=50, gaps=gaps)
    pairs = [(start, end) for start in range(45) for end in range(start, 45)]
    starts, ends = np.array(pairs).T
    expected = [any(first <= end and again > start for first, again in gaps) for start, end in pairs]
    assert expected == events.loses(starts, ends).tolist()
    assert [2, 24_000_000] == [events.samples_in(ns) for ns in (100, 1_000_000_000)]


IRQ, ISR, TURN, TURN_ENDS = "tap.irq.enter", "isr.radio.enter", "driver.isr.enter", "driver.isr.exit"
READ, READ_ENDS, MARK, COMMAND = (
    "driver.rx_read.enter",
    "driver.rx_read.exit",
    "tap.frame_timestamp.enter",
    "driver.exec.enter",
)
LONGEST = (128 * 32 + 100) * US  # a frame of 127 bytes and its length, and 0.1 ms


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ([IRQ, ISR, TURN, READ, READ_ENDS, TURN_ENDS], [4, 4, 4, 4, 4, 4]),
        ([TURN, READ, READ_ENDS, TURN_ENDS], [2, 2, 2, 2]),
        ([TURN, TURN_ENDS, READ_ENDS], [-1, -1, 2]),  # the turn had ended
        ([TURN, TURN_ENDS, TURN, READ, READ_ENDS], [-1, -1, 4, 4, 4]),
        ([IRQ, ISR, TURN, READ_ENDS, READ, READ_ENDS], [3, 3, 3, 3, -1, 5]),  # a turn is of one end
        ([IRQ, ISR, ISR, TURN, READ_ENDS], [-1, -1, 4, 4, 4]),  # the line is older than the routine before
        ([IRQ, ISR, IRQ, TURN, READ_ENDS], [4, 4, -1, 4, 4]),  # the line rises after the routine
        ([ISR, TURN, "radio.rx_complete", "driver.rx_drop"], [3, 3, 3, 3]),
        ([MARK, IRQ, TURN, READ_ENDS], [3, 3, 3, 3]),
        ([COMMAND, MARK, IRQ, TURN, "radio.tx_complete"], [-1, 4, 4, 4, 4]),
        ([MARK, COMMAND, IRQ, TURN, "radio.tx_complete"], [-1, -1, 4, 4, 4]),  # of a frame before the command
        ([MARK, COMMAND, IRQ, TURN, READ_ENDS], [4, -1, 4, 4, 4]),
        ([READ, TURN, READ, READ_ENDS], [-1, 3, 3, 3]),
        ([TURN, READ_ENDS, TURN_ENDS, TURN, READ_ENDS], [1, 1, 1, 4, 4]),
    ],
)
def test_causes_of_completions(log: list[str], expected: list[int]) -> None:
    """Backwards from the end, each link the latest before the next one; of another end or turn it is refused."""
    rows = [(10 * (at + 1), 0, name, 7 if name in (READ_ENDS, COMMAND) else None) for at, name in enumerate(log)]
    events = events_of_rows(rows, ("a",), end=1000)
    assert expected == completions.find(events, Index(events)).of.tolist()


@pytest.mark.parametrize(("age", "expected"), [(LONGEST, 3), (LONGEST + 1, -1)])
def test_a_mark_is_of_a_frame_that_can_take_that_long(age: int, expected: int) -> None:
    rows = [(5, 0, MARK, None), (5 + age, 0, IRQ, None), (7 + age, 0, TURN, None), (9 + age, 0, READ_ENDS, 7)]
    events = events_of_rows(rows, ("a",), end=10 + age)
    assert [expected, 3, 3, 3] == completions.find(events, Index(events)).of.tolist()
