"""The table of energies: a row per packet, step and node, and what each layer, state and node had in all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.columns import nullable
from gpiorig.analysis.energy.node_energy import NodeTime
from gpiorig.analysis.energy.segments import Energies, Segments
from gpiorig.analysis.evaluation.analysis import Analysis

Samples = NDArray[np.int64]
NONE = -1
STEP, PACKET, OUTSIDE, LAYER, STATE, NODE = ("step", "packet", "outside steps", "layer", "state", "node")


def table(analysis: Analysis, nodes: Iterable[tuple[NodeTime, Segments, str]]) -> pa.Table:
    """The energies of nodes.

    One row per packet, step and node; per packet and node, the sum of its steps there; then of each node its time
    outside steps, its layers, its states, and its sum. `energy_j` of steps and `outside steps`, of layers, and of
    states each add up to that of the node.

    Parameters
    ----------
    analysis
        Analysis of the recording.
    nodes
        A node's time, the energy of its segments, and whether that is measured or estimated, as text.
    """
    parts = [part for time, measured, kind in nodes for part in _of_node(analysis, time, measured, kind)]
    return pa.concat_tables(parts).replace_schema_metadata({"samplerate_hz": str(analysis.events.samplerate_hz)})


def _of_node(analysis: Analysis, time: NodeTime, measured: Segments, kind: str) -> Iterator[pa.Table]:
    owners, energies = time.owners, time.of_steps(measured)
    offsets = np.cumsum([0, *(len(route.steps.steps) for route in analysis.routes)])
    names = [step.name for route in analysis.routes for step in route.steps.steps]
    step_names = [names[place] for place in (offsets[owners.routes] + owners.columns).tolist()]
    rows = (owners.packets, owners.ids, owners.begins, owners.ends - owners.begins)
    yield _rows(STEP, step_names, time.node, energies, kind, rows)

    packets, starts, groups = np.unique(owners.packets, return_index=True, return_inverse=True)
    begins = np.full(len(packets), np.iinfo(np.int64).max)
    np.minimum.at(begins, groups, owners.begins)
    lengths = np.bincount(groups, owners.ends - owners.begins, len(packets)).astype(np.int64)
    of_packets = energies.summed(groups, len(packets))
    yield _rows(
        PACKET, [PACKET] * len(packets), time.node, of_packets, kind, (packets, owners.ids[starts], begins, lengths)
    )

    divisions: tuple[tuple[str, tuple[str, ...], Samples], ...] = (
        (OUTSIDE, (OUTSIDE,), np.minimum(time.shares, 1)),
        (LAYER, *time.layers),
        (STATE, *time.states),
        (NODE, (NODE,), np.zeros_like(time.durations)),
    )
    for of, group_names, labels in divisions:
        count = len(group_names)
        lengths = np.bincount(np.where(labels < count, labels, count), time.durations, count + 1)[:count].astype(
            np.int64
        )
        none = np.full(count, NONE)
        content = _rows(of, group_names, time.node, measured.labelled(labels, count), kind, (none, none, none, lengths))
        yield content.filter(pa.array(lengths > 0))


def _rows(
    of: str,
    names: Sequence[str],
    node: str,
    energies: Energies,
    kind: str,
    packets: tuple[Samples, Samples, Samples, Samples],
) -> pa.Table:
    """Rows with what they are of; `packets` are rows, ids, first samples and lengths in samples."""
    rows, ids, starts, samples = packets
    lacks = np.isnan(energies.joules)
    count = len(names)
    return pa.table(
        {
            "of": pa.array([of] * count, pa.string()),
            "name": pa.array(names, pa.string()),
            "node": pa.array([node] * count, pa.string()),
            "packet_row": nullable(rows),
            "packet_id": nullable(ids),
            "start_sample": nullable(starts),
            "samples": pa.array(samples),
            "energy_j": pa.array(energies.joules, pa.float64(), mask=lacks),
            "uncertainty_j": pa.array(energies.expanded, pa.float64(), mask=lacks),
            "standing": pa.array([kind] * count, pa.string()),
        }
    )
