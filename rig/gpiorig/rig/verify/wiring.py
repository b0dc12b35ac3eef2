"""What the wiring proofs of all boards state of the leads: findings in the words of `bench check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.verify import proof
from gpiorig.rig.verify.proof import Proof, Samples

CLIP = "check its clip, the lead and the ground of the board"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the analyzers saw.

    Attributes
    ----------
    edges
        By node, the edges of each channel (`node.line`) while this node was asked for its proof.
    high
        Channels that were high at the beginning.
    noise
        Number of edges of channels that nothing drives.
    proofs
        By node; None: there was none.
    answered
        Nodes that answered on their serial port, or were reset by another way.
    """

    edges: Mapping[str, Mapping[str, Samples]]
    high: Set[str]
    noise: Mapping[str, int]
    proofs: Mapping[str, Proof | None]
    answered: frozenset[str]


def bus(bench: Bench, name: str) -> list[str]:
    """The lines of a node's symbol bus that are recorded."""
    node = bench.nodes[name]
    return [line for line in ("strobe", *node.data_lines) if line in node.lines]


def findings(bench: Bench, name: str, seen: Seen) -> Iterator[Finding]:
    """What a board does wrong, and a verdict on each line of its bus."""
    lines = bus(bench, name)
    about = f"nodes.{name}"
    if name not in seen.answered:
        port = bench.nodes[name].serial or "its port"
        what = f"the board does not answer on {port}: look at its supply, cable, image and baud rate"
        yield Finding(about, "wrong", what)
        for line in lines:
            yield Finding(f"{about}.lines.{line}", "unknown", "the board did not answer, so its lines show nothing")
        return
    shown = seen.proofs[name]
    elsewhere = _elsewhere(bench, name, seen)
    if shown is None or not _is_on(shown, name):
        yield Finding(about, "wrong", _absent(bench, name, elsewhere, shown))
    for line in lines:
        yield _line(bench, name, line, seen)


def _is_on(shown: Proof, name: str) -> bool:
    return any(shown.roles(channel) for channel in _channels(shown) if channel.startswith(f"{name}."))


def _channels(shown: Proof) -> set[str]:
    return set(shown.strobes).union(*shown.groups.values())


def _elsewhere(bench: Bench, name: str, seen: Seen) -> dict[str, str]:
    """The lines of this board that are on channels of other nodes: the channel by line."""
    shown = seen.proofs.get(name)
    foreign = [channel for channel in sorted(_channels(shown)) if not channel.startswith(f"{name}.")] if shown else []
    return {role: channel for channel in foreign for role in (shown.roles(channel) if shown else [])}


def _absent(bench: Bench, name: str, elsewhere: dict[str, str], shown: Proof | None) -> str:
    port = bench.nodes[name].serial or "its port"
    if shown is not None and elsewhere:
        other = next(iter(elsewhere.values())).partition(".")[0]
        return (
            f"the board on {port} is on the leads of {other}: exchange `serial` of the two nodes, or their leads; "
            "`identify` of both and the label of each board state which"
        )
    return (
        f"the board on {port} answers, and none of its lines shows its proof: leads or ground are off, or its image "
        "sends no probes"
    )


def _line(bench: Bench, name: str, line: str, seen: Seen) -> Finding:
    """The verdict on one line."""
    channel, where = f"{name}.{line}", bench.nodes[name].lines[line]
    about = f"nodes.{name}.lines.{line}"
    place = f"channel {where}, pin {bench.nodes[name].described_board.pins.get(line, 'unknown')}"
    if channel in seen.noise:
        what = (
            f"{place} has {seen.noise[channel]} edges, also while the board rests: it floats, or sees pulses of "
            f"another line: {CLIP}"
        )
        return Finding(about, "wrong", what)
    touching = _touching(channel, seen.edges[name])
    if touching:
        return Finding(about, "wrong", f"{place} changes together with {touching}: the two lines touch")
    foreign = [
        f"{role} of {other}"
        for other, shown in seen.proofs.items()
        if shown is not None and other != name
        for role in shown.roles(channel)
    ]
    shown = seen.proofs[name]
    roles = shown.roles(channel) if shown else []
    if foreign:
        return Finding(about, "wrong", f"{place} carries {', '.join(foreign)}: leads of two nodes are swapped")
    if roles == [line]:
        return Finding(about, "right", f"{place} carries it")
    if line in roles:
        others = ", ".join(role for role in roles if role != line)
        return Finding(about, "wrong", f"{place} carries {others} too: the lines touch")
    if roles:
        return Finding(about, "wrong", f"{place} carries {', '.join(roles)}: leads are swapped")
    if not len(seen.edges[name][channel]):
        level = "high" if channel in seen.high else "low"
        return Finding(about, "wrong", f"{place} stays {level} during the proof: {CLIP}, and a short to a supply")
    what = (
        f"{place} changes, and shows neither the pulses of the proof nor the burst: threshold, ground, other firmware"
    )
    return Finding(about, "wrong", what)


def _touching(channel: str, edges: Mapping[str, Samples]) -> str:
    """Channels with the same edges as this one."""
    pairs = [pair for pair in proof.joined(edges) if channel in pair]
    return ", ".join(other for pair in pairs for other in pair if other != channel)
