"""The values of quantities: by name, of one recording."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.quantities import (
    delays,
    energies,
    events,
    gaps,
    log_clocks,
    milestones,
    node_numbers,
    packet_shares,
    shares,
)
from gpiorig.analysis.quantities.kinds import Kind, Unit
from gpiorig.analysis.quantities.names import Quantity, parse, parse_all
from gpiorig.analysis.quantities.series import NONE, Recorded, Series

# Quantities of general use; those that a recording does not show are omitted.
DEFAULT = (
    "app.tx -> app.rx",
    "mac.tx -> mac.rx",
    "driver.exec -> isr.tx_end",
    "interval of app.tx",
    "span of udp.checksum",
    "duty of radio",
    "goodput",
)
DOUBTS = "expanded uncertainties"  # key of a table's metadata: by quantity and node, JSON
_OF: Mapping[Kind, Callable[[Quantity, Recorded], tuple[Series, ...]]] = {
    Kind.DELAY: delays.delays_of,
    Kind.LOGGED_ROUND_TRIP: log_clocks.round_trips,
    Kind.BETWEEN: milestones.between,
    Kind.INTERVAL: events.intervals_of,
    Kind.INTERVAL_ERROR: gaps.interval_errors,
    Kind.INTERVAL_DEVIATION: gaps.interval_errors,
    Kind.GAP: gaps.gaps_of,
    Kind.GAP_ERROR: gaps.gaps_of,
    Kind.SPREAD: gaps.spreads_of,
    Kind.LAG: gaps.lags_of,
    Kind.LATENESS: log_clocks.lateness_of,
    Kind.TIMESTAMP_ERROR: log_clocks.timestamp_errors,
    Kind.SPAN: events.spans_of,
    Kind.RUN: shares.processor,
    Kind.TIME: shares.times_within,
    Kind.SELF_TIME: shares.self_times,
    Kind.RATE: node_numbers.rates_of,
    Kind.COUNT: node_numbers.counts_of,
    Kind.BOUND: node_numbers.bounds,
    Kind.WAIT: events.waits_of,
    Kind.BLOCKED: events.blocked,
    Kind.LENGTH: events.lengths_of,
    Kind.SHARE: shares.processor,
    Kind.DUTY: shares.duties,
    Kind.ENERGY: energies.of_packets,
    Kind.ENERGY_IN: energies.in_divisions,
    Kind.POWER: energies.powers,
    Kind.ESTIMATED_ENERGY: energies.of_packets,
    Kind.ESTIMATED_ENERGY_IN: energies.in_divisions,
    Kind.ESTIMATED_POWER: energies.powers,
    Kind.ESTIMATED_POWER_ABOVE: energies.powers,
    Kind.ROM: node_numbers.of_images,
    Kind.RAM: node_numbers.of_images,
    Kind.GOODPUT: shares.goodput,
    Kind.LOSS: packet_shares.flags,
    Kind.DELIVERY: packet_shares.flags,
    Kind.DELIVERY_OF_ALL: packet_shares.flags,
    Kind.RETRIED: packet_shares.flags,
    Kind.FOREIGN: packet_shares.flags,
}


def series(quantity: Quantity, recorded: Recorded) -> tuple[Series, ...]:
    """The values of one quantity, by node; raises `QuantityError` with its name if the recording does not show it."""
    try:
        return _OF[quantity.kind](quantity, recorded)
    except QuantityError as error:
        raise QuantityError(f"quantity `{quantity.name}`: {error}") from error


def series_of(text: str, recorded: Recorded) -> tuple[Series, ...]:
    """The values of any name of docs/guide/quantities.md and docs/guide/compare.md, by node.

    A name that stands for several delays, such as ``stack``, gives a series for each, under its full name.

    Raises
    ------
    QuantityError
        The name is not understood, or the recording does not show the quantity.
    """
    return series(parse(text), recorded)


def all_series(texts: Iterable[str], recorded: Recorded) -> tuple[Series, ...]:
    """The values of several quantities, in the order asked for; each series once."""
    return once(measured for quantity in parse_all(texts) for measured in series(quantity, recorded))


def once(values: Iterable[Series]) -> tuple[Series, ...]:
    """The series without repetitions: two names may stand for the same delay."""
    return tuple({(measured.quantity, measured.node): measured for measured in values}.values())


def default_series(recorded: Recorded) -> tuple[Series, ...]:
    """The values of those of `DEFAULT` that the recording shows."""
    values: list[Series] = []
    for text in DEFAULT:
        try:
            values += series(parse(text), recorded)
        except QuantityError:
            continue
    return tuple(values)


def named_values(texts: Iterable[str], recorded: Recorded) -> dict[str, NDArray[np.int64]]:
    """Times of quantities in samples, by `Series.name`, in the order of time: for the values of a comparison.

    Raises
    ------
    QuantityError
        A quantity is not a time, or the recording does not show it.
    """
    values = all_series(texts, recorded)
    for quantity in (measured.quantity for measured in values):
        if quantity.kind.unit is not Unit.TIME:
            raise QuantityError(
                f"quantity `{quantity.name}`: only times are compared; this is a {quantity.kind.unit.name.lower()}."
            )
    return {measured.name: _in_samples(measured, recorded) for measured in values}


def _in_samples(times: Series, recorded: Recorded) -> NDArray[np.int64]:
    """Times in samples; those of other clocks to the nearest one."""
    if times.scale == recorded.period_ns:
        return times.values
    samples: NDArray[np.int64] = np.rint(times.values * float(times.scale / recorded.period_ns)).astype(np.int64)
    return samples


def table(values: Iterable[Series], analysis: Analysis | None) -> pa.Table:
    """One row per value, and one without a value per packet that lacks it; in the order of the series.

    `analysis` is that of the recording; None of values of images alone.

    A quantity that was asked for with its node and without it is there once: its rows would be the same.
    """
    distinct = {(measured.quantity.text, measured.node): measured for measured in values}
    parts = [_part(measured, analysis) for measured in distinct.values()]
    schema = _part_schema()
    content = pa.concat_tables([schema, *parts])
    doubts = {f"{text} at {node}": measured.doubt for (text, node), measured in distinct.items() if measured.doubt}
    metadata = {DOUBTS: json.dumps(doubts)} if doubts else {}
    if analysis is not None:
        metadata["samplerate_hz"] = str(analysis.events.samplerate_hz)
    return content.replace_schema_metadata(metadata)


def _part(measured: Series, analysis: Analysis | None) -> pa.Table:
    measured_count, lacking = len(measured.values), len(measured.lacking_packets)
    count = measured_count + lacking
    missing = np.arange(count) >= measured_count

    def padded(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.concatenate([values, np.full(lacking, NONE, dtype=np.int64)])

    packets = np.concatenate([measured.packets, measured.lacking_packets]).astype(np.int32)
    period_ns = None if analysis is None else NS_PER_S / analysis.events.samplerate_hz
    in_samples = measured.quantity.kind.unit is Unit.TIME and measured.scale == period_ns
    weights = padded(measured.weights) if measured.weights is not None else np.full(count, NONE, dtype=np.int64)
    content = {
        "quantity": pa.array([measured.quantity.text] * count, pa.string()),
        "node": pa.array([measured.node] * count, pa.string()),
        "packet_row": columns.nullable(packets),
        "packet_id": columns.nullable(_ids(packets, analysis)),
        "start_sample": columns.nullable(padded(measured.starts)),
        "samples": pa.array(padded(measured.values), mask=missing | (not in_samples)),
        "held_samples": columns.nullable(weights),
        "value": pa.array(padded(measured.values) * float(measured.scale), pa.float64(), mask=missing),
        "unit": pa.array([measured.quantity.kind.unit.value] * count, pa.string()),
    }
    return pa.table(content)


def _ids(packets: NDArray[np.int32], analysis: Analysis | None) -> NDArray[np.int32]:
    """int32[n], id of each packet, -1 for none."""
    if analysis is None or analysis.hops is None:
        return np.full(len(packets), NONE, dtype=np.int32)
    return np.where(packets >= 0, analysis.hops.packets.ids[packets], np.int32(NONE)).astype(np.int32)


def _part_schema() -> pa.Table:
    text, integer = pa.string(), pa.int64()
    fields = {
        "quantity": text,
        "node": text,
        "packet_row": pa.int32(),
        "packet_id": pa.int32(),
        "start_sample": integer,
        "samples": integer,
    }
    return pa.schema(
        list((fields | {"held_samples": integer, "value": pa.float64(), "unit": text}).items())
    ).empty_table()
