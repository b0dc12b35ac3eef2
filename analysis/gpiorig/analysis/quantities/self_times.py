"""Time that a layer itself took for each packet, by node (docs/guide/occupancy.md)."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.quantities.names import Quantity
from gpiorig.analysis.quantities.series import Recorded, Series, plain


def self_times(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """Self-times of a layer, of the packets of every route whose steps are known; of both ways unless one is named.

    Raises
    ------
    QuantityError
        No node shows the layer with its enter and its exit.
    """
    hops, analysis = recorded.packets(), recorded.analysis
    chosen = {recorded.events.node_names[node] for node in recorded.nodes(quantity)}
    wanted, _, way = quantity.subject.partition(" ")
    routes = [route for route in analysis.routes if len(route)]
    times = occupancy.for_routes(recorded.events, routes, packet_of=analysis.packet_of, ways=hops.ways)
    by_node: dict[str, list[tuple[np.ndarray, ...]]] = {}
    known = dict[str, None]()
    for route, (layers, _) in zip(routes, times, strict=True):
        columns = layers.layers if layers is not None else ()
        known |= dict.fromkeys(f"{layer} {direction}" for _, layer, direction in columns)
        for node in dict.fromkeys(node for node, *_ in columns if node in chosen):
            own = [
                column
                for column, (at, layer, direction) in enumerate(columns)
                if at == node and layer == wanted and way in ("", direction)
            ]
            if own and layers is not None:
                samples = layers.self_samples[:, own].sum(axis=1, dtype=np.int64)
                by_node.setdefault(node, []).append((route.starts, samples, route.steps.rows.astype(np.int32)))
    if not by_node:
        raise QuantityError(f"no node shows `{quantity.subject}`; the layers are {', '.join(known) or 'not shown'}.")
    series = []
    for node, parts in by_node.items():
        starts, samples, rows = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.argsort(starts, kind="stable")
        series.append(plain(node, quantity, recorded, samples[order], starts[order], packets=rows[order]))
    return tuple(series)
