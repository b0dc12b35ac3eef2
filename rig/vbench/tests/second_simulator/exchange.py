"""Ping-pong of two nodes on both simulators: intervals between symbols, and the times of the radio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from statistics import median

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import from_edges
from gpiorig.analysis.events.table import EVENT_TYPES
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.edges.edges import Edges, no_gaps
from second_simulator.runs import Change, Input

INPUTS = (
    *(Input(1_500_000, node, f"set address {node + 1}") for node in (0, 1)),
    *(Input(1_700_000, node, f"set peer {2 - node}") for node in (0, 1)),
    *(Input(1_900_000, node, "set backoff 0") for node in (0, 1)),
    Input(2_100_000, 0, "start 20"),
)
RUN_US = 3_000_000
BUS = ("P6.0", "P6.1", "P6.2", "P6.3", "P6.6")
_GAP_NS = 8000  # rig/boards/telosb.toml, a bus of four data lines
_BYTE_PS = 100_000_000  # a byte of the console takes 87 us; its interrupt comes within this of an edge
_AWAKE_PS = 5_000_000  # what a wait lasts longer than its cycles
_NAMES = {event.code: event.name for event in EVENT_TYPES}


@dataclass(frozen=True, slots=True, eq=False)
class Symbols:
    """What the bus of a node has shown, an entry for each instant: cycles, instants; and the events in it."""

    cycles: NDArray[np.int64]
    ps: NDArray[np.int64]
    begins: NDArray[np.int64]  # position of the first symbol of each event
    codes: list[int]


@dataclass(frozen=True, slots=True)
class Interval:
    """The same interval on both: cycles awake; the events around it, and what else happened in it."""

    ours: int
    theirs: int
    before: str
    after: str
    causes: tuple[str, ...]


def intervals(ours: Sequence[Change], theirs: Sequence[Change], *, node: int) -> Iterator[Interval]:
    """Every interval between two symbols where both show the same sequence of events."""
    left, right = (_symbols(_of(changes, node)) for changes in (ours, theirs))
    others = [_others(_of(changes, node)) for changes in (ours, theirs)]
    hz = [_frequency(symbols) for symbols in (left, right)]
    matcher = SequenceMatcher(None, left.codes, right.codes, autojunk=False)
    for block in matcher.get_matching_blocks():
        for at in range(block.size - 1):
            places = [
                symbols.begins[start + at : start + at + 2] for symbols, start in ((left, block.a), (right, block.b))
            ]
            if np.diff(places[0]) != np.diff(places[1]):
                continue  # an id that carries a time or a count has other symbols
            before, after = (_NAMES[left.codes[block.a + at + step]] for step in (0, 1))
            for step in range(int(np.diff(places[0])[0])):
                pairs = [(symbols, place[0] + step) for symbols, place in zip((left, right), places, strict=True)]
                spans = [int(symbols.cycles[place + 1] - symbols.cycles[place]) for symbols, place in pairs]
                causes = {
                    cause
                    for (symbols, place), other, rate in zip(pairs, others, hz, strict=True)
                    for cause in _causes(symbols, place, other, rate)
                }
                yield Interval(spans[0], spans[1], before, after, tuple(sorted(causes)))


def _of(changes: Sequence[Change], node: int) -> list[Change]:
    return [change for change in changes if change.node == node]


def _symbols(changes: Sequence[Change]) -> Symbols:
    level, cycles, instants, levels = 0, [], [], []
    for change in changes:
        if change.subject in BUS:
            bit = 1 << BUS.index(change.subject)
            level = level | bit if change.level else level & ~bit
            if instants and instants[-1] == change.ps:
                levels[-1] = level
                continue
            cycles.append(change.cycles)
            instants.append(change.ps)
            levels.append(level)
    ps = np.array(instants)
    ns = ps // 1000
    edges = Edges(
        samples=np.concatenate([[0], ns]),
        levels=np.array([0, *levels], dtype=np.uint64),
        samplerate_hz=Fraction(10**9),
        channels=BUS,
        start=0,
        end=int(ns[-1]) + 10**6,
        gaps=no_gaps(),
    )
    events = from_edges(edges, [NodeLines("node", Bus(BUS[-1], BUS[:-1], frame_gap_ns=_GAP_NS))])
    return Symbols(np.array(cycles), ps, np.searchsorted(ns, events.samples), events.codes.tolist())


def _others(changes: Sequence[Change]) -> dict[str, NDArray[np.int64]]:
    """Instants of accesses to the radio, and of the console at work."""
    pins = {"SPI": ("P4.2",), "console": ("P3.6", "console")}
    return {
        cause: np.array([change.ps for change in changes if change.subject in names]) for cause, names in pins.items()
    }


def _frequency(symbols: Symbols) -> float:
    """Of the processor, in hertz: by the shortest intervals, in which it did not sleep."""
    cycles, ps = np.diff(symbols.cycles), np.diff(symbols.ps)
    short = cycles < 20
    return float(cycles[short].sum() / ps[short].sum() * 1e12)


def _causes(symbols: Symbols, place: int, others: dict[str, NDArray[np.int64]], hz: float) -> Iterator[str]:
    begin, end = int(symbols.ps[place]), int(symbols.ps[place + 1])
    for cause, margin_ps in (("SPI", 0), ("console", _BYTE_PS)):
        instants = others[cause]
        if np.searchsorted(instants, end) > np.searchsorted(instants, begin - margin_ps):
            yield cause
    awake_ps = (symbols.cycles[place + 1] - symbols.cycles[place]) / hz * 1e12
    if end - begin > awake_ps + _AWAKE_PS:
        yield "wait"


def cause(interval: Interval) -> str:
    """The cause of a difference: the first that holds, of accesses to the radio, of the console, of waits."""
    return next((name for name in ("SPI", "console", "wait") if name in interval.causes), "other")


def tally(compared: Sequence[Interval]) -> tuple[int, Counter[str]]:
    """How many intervals are equal, and how many differ for each cause."""
    differing = [interval for interval in compared if interval.ours != interval.theirs]
    return len(compared) - len(differing), Counter(cause(interval) for interval in differing)


@dataclass(frozen=True, slots=True)
class RadioTimes:
    """Of frames that node 0 sends itself: medians in us, and how many they are of."""

    strobe_to_sfd_us: float
    select_to_sfd_us: float
    sfd_us: float
    frames: int


def radio_of_ours(changes: Sequence[Change]) -> RadioTimes:
    """By the pins: the strobe holds from the eighth rising edge of SCLK, and SFD is P4.1."""
    pins = _pins(_of(changes, 0))
    rows = []
    for rise, fall in zip(pins["P4.1", 1], pins["P4.1", 0], strict=True):
        select = _before(pins["P4.2", 0], rise)
        strobe = pins["P3.3", 1][np.searchsorted(pins["P3.3", 1], select) + 7]
        if (
            340_000_000 < rise - strobe < 400_000_000 and fall - rise > 500_000_000
        ):  # neither received nor an acknowledgement
            rows.append((rise - strobe, rise - _before(pins["P4.2", 1], rise), fall - rise))
    return _times(rows)


def radio_of_mspsim(changes: Sequence[Change]) -> RadioTimes:
    """By the states: TX_CALIBRATE from the strobe on, TX_FRAME from SFD's rise, RX_CALIBRATE from its fall."""
    own = _of(changes, 0)
    pins = _pins(own)
    rows, strobe, rise = [], 0, 0
    for change in own:
        if change.subject == "TX_CALIBRATE":
            strobe, rise = change.ps, 0
        elif change.subject == "TX_FRAME":
            rise = change.ps
        elif change.subject == "RX_CALIBRATE" and strobe and rise:
            rows.append((rise - strobe, rise - _before(pins["P4.2", 1], rise), change.ps - rise))
            strobe = 0
    return _times(rows)


def _pins(changes: Sequence[Change]) -> dict[tuple[str, int], NDArray[np.int64]]:
    names = {(change.subject, change.level) for change in changes if change.subject.startswith("P")}
    return {
        (name, level): np.array([change.ps for change in changes if (change.subject, change.level) == (name, level)])
        for name, level in names
    }


def _before(instants: NDArray[np.int64], ps: int) -> int:
    return int(instants[np.searchsorted(instants, ps) - 1])


def _times(rows: Sequence[tuple[int, int, int]]) -> RadioTimes:
    strobe, select, sfd = (median(column) / 1e6 for column in zip(*rows, strict=True))
    return RadioTimes(strobe, select, sfd, len(rows))
