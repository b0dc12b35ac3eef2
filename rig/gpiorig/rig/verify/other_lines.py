"""Lines that are not of the symbol bus, taps and the console's: what a verification sees of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import count_text
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.verify import noise, wiring

Samples = NDArray[np.int64]

CONSOLE = "uart_tx"
AT_REST = "not seen: it rests while no packets are sent; the first packets of a run show it"


def findings(
    bench: Bench,
    name: str,
    edges: Mapping[str, Samples],
    asked: Mapping[str, tuple[int, int]],
    silent: Set[str],
    resting: Mapping[str, float] | None = None,
) -> Iterator[Finding]:
    """Whether each other line of a node was seen, and whether its console's shows its own answers.

    Parameters
    ----------
    bench, name
        The bench, and the node.
    edges
        int64, shape (n,), by channel, of the entire capture.
    asked
        When each node was asked: first sample, and one past the last; empty if that is not known.
    silent
        Nodes that do not answer on their port.
    resting
        Edges each second while no board is asked, by channel.
    """
    for line in bench.nodes[name].lines:
        if line in wiring.bus(bench, name):
            continue
        about, place = f"nodes.{name}.lines.{line}", f"channel {bench.nodes[name].lines[line]}"
        seen = edges[f"{name}.{line}"]
        active = [node for node, (start, end) in asked.items() if np.any((seen >= start) & (seen < end))]
        edges_s = (resting or {}).get(f"{name}.{line}", 0.0)
        if line != CONSOLE and edges_s > noise.MAX_REST_EDGES_S:
            what = f"{place} changes {edges_s:.0f} times each second while the boards rest: it floats; {wiring.CLIP}"
            yield Finding(about, "wrong", what)
        elif line != CONSOLE or name in silent or name not in asked:
            what = f"{place}: seen, {count_text(len(seen), 'edge')}" if len(seen) else f"{place}: {AT_REST}"
            yield Finding(about, "right" if len(seen) else "unknown", what)
        elif name in active:
            yield Finding(about, "right", f"{place} shows the answers of the board")
        elif active:
            what = f"{place} changes when {', '.join(active)} answers, and not when its board does: leads are swapped"
            yield Finding(about, "wrong", what)
        else:
            yield Finding(about, "wrong", f"{place} does not change when its board answers: {wiring.CLIP}")
