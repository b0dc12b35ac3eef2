"""Owners of frames against the rules of their module, written out frame by frame."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gpiorig.analysis.attribution.airtime import Intervals
from gpiorig.analysis.attribution.frame_lines import FrameLines
from gpiorig.analysis.attribution.frame_owners import TX_START, _Finder, _Waits
from gpiorig.analysis.packets.receptions import APART_NS

BYTE = 32
APART, REPORTED = 8, 400


def intervals(*pairs: tuple[int, int]) -> Intervals:
    return Intervals(np.array([a for a, _ in pairs], dtype=np.int64), np.array([b for _, b in pairs], dtype=np.int64))


def frames_of(reports: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, int]:
    """The last frame that ended within 400 samples before each report, if as long before as usual."""
    places = [max((i for i, e in enumerate(ends.tolist()) if r - REPORTED <= e <= r), default=-1) for r in reports]
    late = [r - ends[place] if place >= 0 else None for r, place in zip(reports.tolist(), places, strict=True)]
    usual = int(np.median([wait for wait in late if wait is not None] or [0]))
    near = [p if w is not None and abs(w - usual) <= APART else -1 for p, w in zip(places, late, strict=True)]
    return np.array(near, dtype=np.int64), usual


@pytest.mark.parametrize("seed", range(8))
def test_a_frame_is_reported_the_usual_time_after_its_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = 1000 * np.arange(1, 20)
    reports = np.sort(rng.choice(ends, 12) + rng.choice([100, 105, 108, 109, 92, 91, 300, 401], 12))
    lines = SimpleNamespace(_apart=APART, _reported=REPORTED)
    expected, usual = frames_of(reports, ends)
    found = FrameLines.frames_of(lines, reports, ends)  # type: ignore[arg-type]
    assert (expected.tolist(), usual) == (found[0].tolist(), found[1])
    none = FrameLines.frames_of(lines, reports, ends + 10**6)  # type: ignore[arg-type]
    assert ([-1] * 12, 0) == (none[0].tolist(), none[1])


def finder(
    *,
    read: tuple[int, ...] = (),
    senders: tuple[str, ...] = ("s",),
    completed: dict[str, list[int]] | None = None,
    transactions: dict[str, Intervals] | None = None,
    commands: tuple[int, ...] = (),
) -> _Finder:
    recorded = SimpleNamespace(
        byte_samples=BYTE,
        samples=lambda ns: APART if ns == APART_NS else 50,
        completed={node: np.array(ends) for node, ends in (completed or {}).items()},
        transactions=transactions or {},
        frames_of=frames_of,
        events=SimpleNamespace(instants=lambda name, node: np.array(commands, dtype=np.int64)),
    )
    return _Finder(recorded, np.array(read, dtype=np.int64), senders)  # type: ignore[arg-type]


def waits(*pairs: tuple[int, int], length: int = 1000) -> _Waits:
    both = intervals(*pairs)
    return _Waits(both.starts, both.ends, np.full(len(pairs), length), "s")


@pytest.mark.parametrize(("count", "steady"), [(9, True), (8, False)])
def test_commands_show_every_attempt_where_nine_in_ten_are_steady(count: int, steady: bool) -> None:
    """A constant time before the first bit, to the tolerance, and within the wait."""
    packets = waits(*[(10_000 * i + 1000, 10_000 * i + 5000) for i in range(10)])
    late = [200] * count + [200 + APART + 1] * (10 - count)
    commands = tuple(int(end) - early for end, early in zip(packets.ends, late, strict=True))
    found = finder(commands=commands)._commands(packets, TX_START)
    assert (found is not None) == steady
    assert found is None or found[1] == 200
    edge = tuple(int(end) - 200 - APART * (i > 5) for i, end in enumerate(packets.ends))
    assert finder(commands=edge)._commands(packets, TX_START) is not None
    assert finder()._commands(packets, TX_START) is None
    assert finder(commands=commands[1:])._commands(packets, TX_START) is None
    whole = waits(*[(10_000 * i + 4800, 10_000 * i + 5000) for i in range(10)])
    assert (finder(commands=commands)._commands(whole, TX_START) is not None) == steady
    later = waits(*[(10_000 * i + 4801, 10_000 * i + 5000) for i in range(10)])
    assert finder(commands=commands)._commands(later, TX_START) is None


def test_an_attempt_lies_where_a_line_shows_it_else_where_it_was_commanded() -> None:
    packets = waits((1000, 9000), (20_000, 25_000))
    commands = np.array([2000, 8800, 21_000, 22_500, 24_790])
    lines = {"s": intervals((2203, 3300)), "r": intervals((2205, 3100), (21_190, 22_000), (22_692, 23_692))}
    attempts, unsteady, bits = finder()._commanded((commands, 200), packets, lines)
    assert [(2203, 3300), (21_200, 22_200), (22_692, 23_692)] == list(
        zip(attempts.starts.tolist(), attempts.ends.tolist(), strict=True)
    )
    assert [False, True] == unsteady.tolist()
    assert (commands + 200).tolist() == bits.tolist()


def test_a_frame_as_long_as_the_packets_is_an_attempt() -> None:
    """To half a byte, within the wait, not another node's; not if other frames on the line are as long."""
    packets = waits((1000, 9000), (20_000, 29_000), (40_000, 49_000))
    line = intervals((1500, 2516), (3000, 4017), (9000, 10_000), (21_000, 22_000), (28_500, 29_500), (45_000, 46_000))
    found, unclear = finder(read=(9000,))._attempts_on("r", {"r": line}, packets)
    # The frame at 3000 is 17 samples too long, that at 9000 was read; of those that end in no wait one is as long.
    assert ([False] * 6, [True] * 3) == (found.tolist(), unclear.tolist())
    lonely = intervals((1500, 2516), (3000, 4017), (21_000, 22_000), (45_000, 46_000))
    found, unclear = finder()._attempts_on("r", {"r": lonely}, packets)
    assert ([True, False, True, True], [False] * 3) == (found.tolist(), unclear.tolist())
    for others, identified in ((99, False), (100, True)):  # one of them is as long
        outside = [(60_000 + 3000 * i, 60_000 + 3000 * i + (1000 if not i else 700)) for i in range(others)]
        mixed = intervals((1500, 2500), *outside)
        found, unclear = finder()._attempts_on("r", {"r": mixed}, packets)
        assert (identified, not identified) == (bool(found[0]), bool(unclear[0])), others
        assert not found[1:].any() and not unclear[1:].any()


def test_frames_of_other_nodes_are_assigned_to_them() -> None:
    """By the frame that ended with the report of a node of which the line shows four in five; or that was read."""
    line = intervals(*[(1000 * i, 1000 * i + 500) for i in range(10)])
    reports = [1000 * i + 600 for i in range(4)]
    assert [True] * 4 + [False] * 6 == finder(completed={"o": reports})._assigned(line, ("s", "r")).tolist()
    assert not finder(completed={"s": reports, "r": reports})._assigned(line, ("s", "r")).any()
    for missing, seen in ((1, True), (2, False)):
        lost = reports + [90_000 + 1000 * i for i in range(missing)]
        assert seen == finder(completed={"o": lost})._assigned(line, ("s", "r")).any()
    assert [3] == np.flatnonzero(finder(read=(3016,))._assigned(line, ("s", "r"))).tolist()
    assert not finder(read=(3017,))._assigned(line, ("s", "r")).any()


def test_what_the_receiver_did_not_receive_lies_before_its_report() -> None:
    """As long as the node's other frames, if they all are; of unknown length otherwise."""
    for last, placed in ((500, True), (500 + BYTE, True), (500 + BYTE + 1, False)):
        line = intervals(*[(1000 * i, 1000 * i + 500) for i in range(5)], (5000, 5000 + last))
        reports = [int(end) + 70 for end in line.ends] + [50_570]
        found = finder(completed={"o": reports, "s": [77_000], "r": [88_000]})._unreceived(line, "s", "r")
        missing = found[0] if placed else found[1]
        assert [(50_000, 50_500)] == list(zip(missing.starts.tolist(), missing.ends.tolist(), strict=True))
        assert not len(found[1].starts if placed else found[0].starts)
    quiet = finder(completed={"o": [570, 50_570, 60_570]})._unreceived(line, "s", "r")
    assert not len(quiet[0].starts) and not len(quiet[1].starts)


def test_nodes_that_no_line_shows_are_unseen() -> None:
    """Sending during the wait, but for the time of the report."""
    packets = waits((1000, 2000), (5000, 6000), (9000, 9500))
    sending = {"o": intervals((1900, 2500), (4000, 5050), (9499, 9800)), "s": intervals((5200, 5400))}
    found = finder(transactions=sending)._unseen({}, packets, ("s",))
    assert [True, False, True] == found.tolist()
    line = intervals((1900, 2430), (4000, 4980), (9499, 9730))
    shown = finder(transactions=sending, completed={"o": [2500, 5050, 9800]})
    assert not shown._unseen({"r": line}, packets, ("s",)).any()
    assert shown._unseen({"o": line}, packets, ("s",)).any()
    assert finder(transactions=sending)._unseen({}, packets, ("o",)).tolist() == [False, True, False]
