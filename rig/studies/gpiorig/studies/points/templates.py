"""Virtual benches from what a study asks for: channels, analyzers, sync lines, clocks and links are dealt out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.rig.bench import boards, checks
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS, Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import convert
from gpiorig.studies.points import keys
from gpiorig.studies.points.study_file import BenchAsked

BUS = "bus"  # the strobe and all data lines
# Several analyzers share the sync line; the last channel is its.
SYNC = BEAGLELOGIC_CHANNELS[-1]

# Clock errors, chosen: within the +-20 ppm or so of an ordinary crystal, different for up to 40 nodes, and for two
# nodes those of the demo bench.
_PPB_FIRST, _PPB_STEP, _PPB_RANGE = 12_000, 21_000, 40_000
# The analyzers' own clocks and the phases of their samples, chosen; the first has those of the demo bench.
_ANALYZER_PPB, _ANALYZER_PPB_STEP, _ANALYZER_PPB_RANGE = -3_000, 7_000, 20_000
_PHASE_PS, _PHASE_STEP_PS, _PHASE_RANGE_PS = 11_000, 13_000, 40_000
DELAY_PS = 10_000  # chosen: 3 m
# Below the sensitivity of each radio: AT86RF231 -101 dBm (Atmel 8111C, page 1), CC2420 -95 dBm (SWRS041, section 4.4),
# SPIRIT1 -118 dBm
# (data sheet, page 1).
OUT_OF_RANGE_DBM = -120


def bench(asked: BenchAsked, *, what: str) -> Bench:
    """The virtual bench that a study asks for.

    Raises
    ------
    BenchError
        A board, a line or the number of channels is impossible.
    """
    if not asked.template and set(asked.nodes) - asked.boards.keys():
        raise BenchError(f"{what}: bench.template is missing; name a board: {', '.join(boards.names())}.")
    if twice := next((name for name in asked.nodes if asked.nodes.count(name) > 1), None):
        raise BenchError(f"{what}: bench.nodes has `{twice}` twice; give each node a name of its own.")
    if strange := [name for name in asked.boards if name not in asked.nodes]:
        raise BenchError(f"{what}: bench.boards: no node `{strange[0]}`; the study has {', '.join(asked.nodes)}.")
    lines = {name: wanted_lines(asked, name, what=what) for name in asked.nodes}
    analyzers = _dealt(lines, what=what)
    several = len(analyzers) > 1
    if (channels := sum(map(len, lines.values())) + several) > MAX_CHANNELS:
        raise BenchError(
            f"{what}: the nodes have {channels} channels with the sync line; {MAX_CHANNELS} fit into a recording. Ask "
            "for fewer lines or nodes."
        )
    channel_of = {
        (node, line): f"{analyzer}:{channel}" if several else channel
        for analyzer, pairs in analyzers.items()
        for (node, line), channel in zip(pairs, BEAGLELOGIC_CHANNELS, strict=False)
    }
    tree = {
        "name": name_of(asked),
        "analyzers": {
            name: {"samplerate_hz": asked.samplerate_hz} | ({"sync": SYNC} if several else {}) for name in analyzers
        },
        "nodes": {
            name: {"board": board_of(asked, name), "lines": {line: channel_of[name, line] for line in lines[name]}}
            for name in asked.nodes
        },
        "virtual": keys.merged(_virtual(asked, list(analyzers)), asked.virtual),
    }
    return checks.check(convert(tree, Bench, what=f"{what}: bench"), what=f"{what}: bench")


def name_of(asked: BenchAsked) -> str:
    """Such as ``6 virtual iotlab-m3``."""
    kinds = [board_of(asked, name) for name in asked.nodes]
    return "virtual " + ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def board_of(asked: BenchAsked, node: str) -> str:
    """The board of a node."""
    return asked.boards.get(node, asked.template)


def wanted_lines(asked: BenchAsked, node: str, *, what: str) -> list[str]:
    """The lines of a node, the bus as strobe and data lines."""
    try:
        board = boards.load(board_of(asked, node))
    except BenchError as error:
        raise BenchError(f"{what}: board of node {node}: {error}") from error
    lines = [name for line in asked.lines for name in (("strobe", *board.data_lines) if line == BUS else (line,))]
    if twice := next((line for line in lines if lines.count(line) > 1), None):
        raise BenchError(
            f"{what}: bench.lines: `{twice}` of node {node} is there twice (`{BUS}`: strobe and data); delete one."
        )
    return lines


def _dealt(lines: dict[str, list[str]], *, what: str) -> dict[str, list[tuple[str, str]]]:
    """Nodes and lines by analyzer: all on one if they fit, else each node on one of several that have the sync line."""
    every = [(node, line) for node, own in lines.items() for line in own]
    if len(every) <= len(BEAGLELOGIC_CHANNELS):
        return {"la": every}
    free = len(BEAGLELOGIC_CHANNELS) - 1
    groups: list[list[tuple[str, str]]] = []
    for node, own in lines.items():
        if len(own) > free:
            raise BenchError(
                f"{what}: node {node} has {len(own)} lines; a virtual analyzer takes {free} and the sync line. Ask for "
                "fewer lines."
            )
        if not groups or len(groups[-1]) + len(own) > free:
            groups.append([])
        groups[-1] += [(node, line) for line in own]
    return {f"la{number}": group for number, group in enumerate(groups, start=1)}


def _virtual(asked: BenchAsked, analyzers: Sequence[str]) -> dict[str, Any]:
    return {
        "analyzers": {
            name: {
                "clock_ppb": _around(_ANALYZER_PPB + number * _ANALYZER_PPB_STEP, _ANALYZER_PPB_RANGE),
                "phase_ps": (_PHASE_PS + number * _PHASE_STEP_PS) % _PHASE_RANGE_PS,
            }
            for number, name in enumerate(analyzers)
        },
        "nodes": {
            name: {"clock_ppb": _around(_PPB_FIRST + number * _PPB_STEP, _PPB_RANGE)}
            for number, name in enumerate(asked.nodes)
        },
        "links": [
            {"from": sender, "to": receiver, **_link(asked, number, other)}
            for number, sender in enumerate(asked.nodes)
            for other, receiver in enumerate(asked.nodes)
            if sender != receiver
        ],
    }


def _link(asked: BenchAsked, sender: int, receiver: int) -> dict[str, int]:
    if asked.topology == "full" or abs(sender - receiver) == 1:
        return {"delay_ps": DELAY_PS}
    return {"rssi_dbm": OUT_OF_RANGE_DBM}


def _around(value: int, width: int) -> int:
    """The value brought into -width/2 to width/2 by multiples of the width."""
    return (value + width // 2) % width - width // 2
