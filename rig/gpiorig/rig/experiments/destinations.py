"""Destinations: which nodes the packets of each node are for, as the nodes were configured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpiorig.rig.bench.bench import Bench

TO_ALL, TO_NO_NODE = ("broadcast",), ("interferer", "ticker", "sleeper")


def of_nodes(parameters: Mapping[str, Any], bench: Bench) -> dict[str, tuple[str, ...]]:
    """Destinations by origin, from the parameters of a recording; empty for one that no experiment file made.

    The initiator and the responder are each other's peer, and all others have the initiator as theirs, unless the
    experiment sets others (docs/reference/experiments.md). A channel of its own makes a node a stranger to the
    others.
    """
    initiator, responder = (str(parameters.get(role, "")) for role in ("initiator", "responder"))
    if not {initiator, responder} <= bench.nodes.keys():
        return {}
    destinations: dict[str, tuple[str, ...]] = {}
    for node in bench.nodes:

        def setting(key: str, node: str = node) -> Any:
            return parameters.get(f"{node}.{key}", parameters.get(key))

        peer = setting("peer") or (responder if node == initiator else initiator)
        if setting("app") in TO_NO_NODE:
            destinations[node] = ()
        elif setting("app") in TO_ALL:
            destinations[node] = tuple(name for name in bench.nodes if name != node)
        elif peer in bench.nodes:
            destinations[node] = (str(peer),)
    return destinations
