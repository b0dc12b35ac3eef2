"""The numbers of a point: its quantities without the warm-up, the checks and the assertions, from its recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis.compare import assertions
from gpiorig.analysis.compare.limits import Assertion, assertion
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.quantities import values
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.node_numbers import image_bytes
from gpiorig.analysis.quantities.series import Series
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments import image_memory
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks, quantities
from gpiorig.rig.results.analyse import analyse
from gpiorig.studies.points.warmup import Warmup

WARMUP, WARMUP_END = "warmup", "warmup_end_sample"  # parameters of a recording


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers of a point.

    Parameters
    ----------
    table
        As `analysis.quantities.values.table`.
    checks
        Checks that failed, a sentence each.
    verdicts
        By assertion: empty if it holds, else why not.
    reasons
        By quantity: empty if the recording shows it, else why not.
    warmup_end_sample
        First sample that counts; None without a warm-up.
    """

    table: pa.Table
    checks: tuple[str, ...]
    verdicts: dict[str, str]
    reasons: dict[str, str]
    warmup_end_sample: int | None


def numbers(recording: Recording, names: Iterable[str], asserted: Sequence[str], warmup: Warmup | None) -> Numbers:
    """Analyse a recording; nothing but its description is written, which gets the end of the warm-up."""
    opened = open_recording(recording)
    analysis = analyse(opened)
    end = None if warmup is None else _end(warmup, analysis, str(recording.info.parameters["initiator"]))
    recorded = dataclasses.replace(quantities.recorded(opened, analysis), begin=end or 0)
    if warmup is not None and recording.info.parameters.get(WARMUP_END) != end:
        recording.update(parameters={**recording.info.parameters, WARMUP: warmup.text, WARMUP_END: end})
    made = _numbers(
        names,
        asserted,
        lambda name: tuple(_after(end, one, analysis) for one in values.series_of(name, recorded)),
        analysis,
    )
    failed = tuple(checks.failed_checks(analysis, recording))
    return dataclasses.replace(made, checks=failed, warmup_end_sample=end)


def numbers_of_images(paths: Mapping[str, Path], names: Iterable[str], asserted: Sequence[str]) -> Numbers:
    """The numbers of a point whose quantities are all of the images of its nodes: nothing is recorded for them."""
    images = image_memory.of_images(paths, {})
    return _numbers(names, asserted, lambda name: image_bytes(parse(name), images), None)


def _numbers(
    names: Iterable[str],
    asserted: Sequence[str],
    series_of: Callable[[str], tuple[Series, ...]],
    analysis: Analysis | None,
) -> Numbers:
    """The table of the quantities, reasons for those that are not there, and what becomes of the assertions."""
    series: dict[str, tuple[Series, ...]] = {}
    reasons = {}
    for name in names:
        try:
            series[name] = series_of(name)
        except QuantityError as error:
            reasons[name] = str(error)
    parsed = [assertion(text) for text in asserted]
    return Numbers(
        table=values.table(values.once(one for own in series.values() for one in own), analysis),
        checks=(),
        verdicts={
            one.text: _verdict(one, series.get(one.quantity, ()), reasons.get(one.quantity, "")) for one in parsed
        },
        reasons={name: reasons.get(name, "") for name in names},
        warmup_end_sample=None,
    )


def _end(warmup: Warmup, analysis: Analysis, initiator: str) -> int:
    """The first sample that counts: all packets that are sent from then on do."""
    events = analysis.events
    first = int(events.samples[0]) if len(events) else 0
    sent = np.zeros(0, dtype=np.int64)
    if analysis.hops is not None and initiator in events.node_names:
        packets = analysis.hops.packets
        own = packets.accounted & (packets.origins == events.node(initiator))
        sent = np.sort(packets.starts[own & ~_is_reply(analysis)])
    if warmup.packets:
        return (
            int(sent[warmup.packets])
            if warmup.packets < len(sent)
            else int(events.samples[-1] + 1 if len(events) else 0)
        )
    return int(sent[0] if len(sent) else first) + round(warmup.seconds * events.samplerate_hz)


def _is_reply(analysis: Analysis) -> NDArray[np.bool_]:
    """bool[packets]."""
    requests = _requests(analysis)
    replies: NDArray[np.bool_] = requests != np.arange(len(requests))
    return replies


def _requests(analysis: Analysis) -> NDArray[np.int64]:
    """int64[packets], row of the request of a reply; of any other packet its own."""
    assert analysis.hops is not None
    own = np.arange(len(analysis.hops.packets))
    if analysis.round_trips is None:
        return own
    request_of = analysis.round_trips.request_of
    return np.where(request_of >= 0, request_of, own)


def _after(end: int | None, one: Series, analysis: Analysis) -> Series:
    """A series without the packets that were sent before the warm-up's end, and without what else began before it.

    A quantity of which a node has one value begins there already (`Recorded.begin`); what a node counted itself is of
    the complete run.
    """
    if end is None or (one.quantity.kind.single and not one.quantity.kind.of_packets):
        return one
    begins, lacking_begin = one.starts, np.full(len(one.lacking_packets), end, dtype=np.int64)
    if analysis.hops is not None:
        sent = analysis.hops.packets.starts[_requests(analysis)]
        begins = np.where(one.packets >= 0, sent[one.packets], one.starts)
        lacking_begin = sent[one.lacking_packets]
    counted, lacking = begins >= end, lacking_begin >= end
    return dataclasses.replace(
        one,
        values=one.values[counted],
        starts=one.starts[counted],
        packets=one.packets[counted],
        weights=None if one.weights is None else one.weights[counted],
        lacking=one.lacking - int(np.count_nonzero(~lacking)),
        lacking_packets=one.lacking_packets[lacking],
    )


def _verdict(asserted: Assertion, series: Sequence[Series], reason: str) -> str:
    """Empty if the assertion holds, else which values do not."""
    if not series:
        return f"assert {asserted.text}: does not hold: {reason}"
    intervals = {one.name: one.interval(asserted.statistic) for one in series}
    broken = [
        f"{name}: {assertions.interval_text(interval, asserted.unit)}"
        for name, interval in intervals.items()
        if not asserted.is_met(interval.value)
    ]
    return f"assert {asserted.text}: does not hold: {'; '.join(broken)}" if broken else ""
