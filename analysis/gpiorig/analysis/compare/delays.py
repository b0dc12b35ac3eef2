"""The delays of one run by name, for assertions and comparisons: the round trip, its steps, steps of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from gpiorig.analysis.delays import model_doubt, radio_parts
from gpiorig.analysis.delays.model_doubt import Range, Shift
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.delays.uncertainty import DelayUncertainty
from gpiorig.analysis.errors import QuantityError, TableError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.packets.timelines import LOST, STATUS, Timelines
from gpiorig.analysis.quantities import delay_names
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT
from gpiorig.analysis.quantities.delays import NONE_COMPLETE, main_route
from gpiorig.analysis.statistics import intervals
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.tables import stages


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well a delay is known: ± of the instruments (k = 2), and the shifts of a virtual bench's timing model."""

    expanded_ns: float
    shifts: tuple[Shift, ...] = ()

    @property
    def model(self) -> Range:
        """By how much hardware may be faster and slower than the model."""
        return model_doubt.combined(self.shifts)

    @classmethod
    def joined(cls, parts: Sequence[Accuracy]) -> Accuracy:
        """Of several steps as one; ± of them are added, as their ends are not known to be independent."""
        shifts = model_doubt.summed(shift for part in parts for shift in part.shifts)
        return cls(sum(part.expanded_ns for part in parts), shifts)


@dataclass(frozen=True, slots=True, eq=False)
class Delays:
    """Delays by name.

    Parameters
    ----------
    values
        int64[n] each, in samples, in the order of sending: `RTT` of all packets that have one (of a one-way route
        `ONE_WAY`), every step of the packets that have all steps.
    kinds
        Kinds of the steps.
    sent, lost
        Packets.
    samplerate_hz
        Exact samplerate.
    route
        Nodes on the route of packets that go one way; empty for round trips.
    parts
        Parts of the radio waits, ``STEP: PART``, int64[n] each; of the packets that have all steps.
    cut
        The state of a recording that is not complete: how many packets were sent and lost is not known then.
    accuracies
        Of the total and of every step, by name; empty where only tables were read.
    virtual
        Whether they are of a virtual bench.
    """

    values: Mapping[str, NDArray[np.int64]]
    kinds: Mapping[str, Kind]
    sent: int
    lost: int
    samplerate_hz: Fraction
    route: str = ""
    parts: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    cut: str = ""
    accuracies: Mapping[str, Accuracy] = field(default_factory=dict)
    virtual: bool = False

    def samples(self, name: str) -> NDArray[np.int64]:
        """int64[n], a delay or a part of one by its full name."""
        return self.values[name] if name in self.values else self.parts[name]

    @property
    def complete(self) -> int:
        """Packets of which a delay is known."""
        return max(map(len, self.values.values()), default=0)

    @property
    def period_ns(self) -> float:
        """One sample in ns."""
        return float(NS_PER_S / self.samplerate_hz)

    def named(self, quantity: str) -> tuple[str, ...]:
        """The names of the delays that a quantity stands for.

        Raises
        ------
        QuantityError
            This run has no such delay.
        """
        if not self.complete:
            raise QuantityError(NONE_COMPLETE)
        return delay_names.matching(quantity, self.values, self.kinds, self.parts)

    def loss(self) -> Interval:
        """The share of packets that were lost; exact for losses that are independent of each other."""
        return intervals.for_share(self.lost, self.sent, what="losses")


def from_analysis(analysis: Analysis) -> Delays:
    """The delays of the round trips; without round trips, of the route with the most packets."""
    route, rate = main_route(analysis), analysis.events.samplerate_hz
    if route is None:
        return Delays({ONE_WAY: np.zeros(0, dtype=np.int64)}, {}, sent=0, lost=0, samplerate_hz=rate)
    return from_route(route) if analysis.timelines is None else from_round_trips(analysis.timelines, route)


def from_round_trips(lines: Timelines, route: Route) -> Delays:
    """The delays of round trips; the round-trip time also where a step is not known."""
    one_way = from_route(route)
    steps = {name: values for name, values in one_way.values.items() if name != ONE_WAY}
    return replace(one_way, values={RTT: lines.rtt[lines.timelined]} | steps, sent=len(lines), route="")


def from_route(route: Route) -> Delays:
    """The delays of packets that went one way."""
    return Delays(
        values={ONE_WAY: route.totals}
        | {step.name: route.steps.column(column) for column, step in enumerate(route.steps.steps)},
        kinds={step.name: step.kind for step in route.steps.steps},
        sent=len(route) + route.lost + route.partial,
        lost=route.lost,
        samplerate_hz=route.steps.samplerate_hz,
        route=route.name,
    )


def accuracies(run: Delays, uncertainties: Sequence[DelayUncertainty]) -> dict[str, Accuracy]:
    """The accuracies of a run's delays from those of its route, of which the last is that of the total."""
    total = RTT if RTT in run.values else ONE_WAY
    names = [*(uncertainty.name for uncertainty in uncertainties[:-1]), total]
    return {
        name: Accuracy(uncertainty.expanded_ns, uncertainty.shifts)
        for name, uncertainty in zip(names, uncertainties, strict=True)
    }


def from_tables(round_trips: pa.Table, steps: pa.Table, waits: pa.Table | None = None) -> Delays:
    """The delays in the tables `round_trips`, `steps` and `radio_parts` of an analysed recording of round trips.

    The tables do not contain the kind of a step. Its name shows it, except for steps over a missing milestone.

    Raises
    ------
    TableError
        The tables are not those of one recording of round trips.
    """
    try:
        rtt = round_trips["rtt_samples"].drop_null().to_numpy()
        lost = pc.sum(pc.equal(round_trips["status"], STATUS[LOST])).as_py() or 0
        steps = steps.filter(pc.equal(steps["route"], ROUND_TRIP))
        rows, names, durations = (steps[name] for name in ("packet_row", "step", "duration_samples"))
    except KeyError as error:
        raise TableError(
            f"a table lacks the column {error}; analyse the recording again (`gpiorig report`)."
        ) from error
    order = list(dict.fromkeys(names.slice(0, _first_packet(rows.to_numpy())).to_pylist()))
    samples = durations.to_numpy().reshape(-1, len(order)) if order else np.zeros((0, 0), dtype=np.int64)
    return Delays(
        values={RTT: rtt.astype(np.int64)}
        | {name: np.ascontiguousarray(samples[:, column]) for column, name in enumerate(order)},
        kinds={name: kind for name in order if (kind := _kind(name)) is not None},
        sent=len(round_trips),
        lost=int(lost),
        samplerate_hz=stages.samplerate_hz(steps),
        parts=_parts(waits) if waits is not None else {},
    )


def _parts(waits: pa.Table) -> dict[str, NDArray[np.int64]]:
    every = {
        f"{step}: {part}": waits.filter(pc.equal(waits["step"], step))[f"{column}_samples"].to_numpy()
        for step in pc.unique(waits["step"]).to_pylist()
        for part, column in zip(PART_NAMES, radio_parts.COLUMNS, strict=True)
    }
    return {name: samples for name, samples in every.items() if samples.any()}


def _first_packet(rows: NDArray[np.int32]) -> int:
    """Number of rows of the first packet, which every packet has."""
    width = int(np.count_nonzero(rows == rows[0])) if len(rows) else 0
    if width and (len(rows) % width or (rows.reshape(-1, width) != rows[::width, None]).any()):
        raise TableError("the table of steps does not have equal steps for every packet; analyse the recording again.")
    return width


def _kind(name: str) -> Kind | None:
    if name.startswith("turn-around"):
        return Kind.APPLICATION
    known = dict(path.STEPS.values()) | dict.fromkeys(path.RETRANSMISSIONS, Kind.RETRANSMISSION)
    return known.get(name.partition(": ")[2])
