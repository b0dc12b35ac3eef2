"""What the probes of a planned bench take at most: events of the reference firmware's round trip, and their cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from gpiorig.analysis.delays.calibration import LAST_BUS_CODE
from gpiorig.analysis.events.table import EVENT_TYPES
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import Node
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import parse

ALWAYS = "rig"  # the group that no image lacks: wiring proof, calibration, identity
GROUPS = tuple(dict.fromkeys(event.name.partition(".")[0] for event in EVENT_TYPES if event.code <= LAST_BUS_CODE))
Counts = dict[str, dict[str, tuple[int, int]]]  # by radio and group: events with an id and without


@dataclass(frozen=True, slots=True)
class NodeEffect:
    """A node's half of a round trip.

    Attributes
    ----------
    events
        Events that it sends on its bus.
    most_ns
        What they take its processor together; those during a wait of the radio, or after the packet has left, do not
        delay it. None: the cost of an event on this board was not measured.
    symbols
        Symbols of these events.
    """

    events: float
    most_ns: float | None
    symbols: float


def groups_of(words: Iterable[str]) -> frozenset[str]:
    """Groups of events by name; raises `BenchError` for one that does not exist."""
    chosen = frozenset(words)
    if unknown := sorted(chosen - set(GROUPS)):
        raise BenchError(f"--events {unknown[0]}: no such group of events; valid are {', '.join(GROUPS)}.")
    return chosen | {ALWAYS}


def of_node(bench: Bench, name: str, groups: frozenset[str] | None) -> NodeEffect | None:
    """What a node's probes take; None where its bus is not wired, or its radio's events were not counted."""
    node = bench.nodes[name]
    counted = _counts().get(node.described_board.radio_name)
    if not node.has_bus or counted is None:
        return None
    chosen = [pair for group, pair in counted.items() if groups is None or group in groups]
    with_id, without_id = (sum(pair[kind] for pair in chosen) / 2 for kind in (0, 1))
    bus = node.described_board.bus(node.width)
    symbols, most_ns = _symbols(node, with_id, without_id), None
    if bus.event_ns is not None and bus.event_with_id_ns is not None:
        longer_ns = symbols * (node.held_ns - bus.symbol_ns)
        most_ns = with_id * bus.event_with_id_ns + without_id * bus.event_ns + longer_ns
    return NodeEffect(with_id + without_id, most_ns, symbols)


def uncounted(groups: frozenset[str] | None) -> list[str]:
    """Groups that are asked for, and that the reference firmware's ping-pong does not send."""
    sent = {group for counted in _counts().values() for group in counted} | {ALWAYS}
    return sorted((groups or frozenset()) - sent)


def _symbols(node: Node, with_id: float, without_id: float) -> float:
    """Header, id and check of frames on a bus of its width (docs/reference/line-code.md)."""
    bits = 8 + (8 if node.width == 8 else 4)
    return (with_id * (bits + 16) + without_id * bits) / node.width


@cache
def _counts() -> Counts:
    text = (files("gpiorig.rig") / "planning" / "round_trip.toml").read_text(encoding="utf-8")
    return parse(text, Counts, what="round_trip.toml")
