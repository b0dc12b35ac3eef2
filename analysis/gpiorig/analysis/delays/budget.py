"""The jitter budget: the share of each step in a delay's time, in its variance, and in its upper tail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.delays import budget_shares
from gpiorig.analysis.delays.budget_shares import Rows, Samples, Shares, Summands, Total
from gpiorig.analysis.delays.part_names import PART_NAMES
from gpiorig.analysis.delays.radio_parts import RETRANSMISSION, RadioParts
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.steps import Step, Steps
from gpiorig.analysis.statistics.intervals import NAN, Interval
from gpiorig.analysis.statistics.summary import resolved
from gpiorig.analysis.statistics.value_series import ValueSeries


@dataclass(frozen=True, slots=True)
class Group:
    """Several steps together, such as all that are spent on the radio's wait.

    Parameters
    ----------
    of
        What they have in common: their kind, or the name of their node.
    steps
        Their places in `Budget.steps`; none of retransmissions by a radio, which are parts of its waits.
    time, variance, tail
        As in `Budget`: the sums of the shares of the steps, with their own intervals.
    """

    of: Kind | str
    steps: tuple[int, ...]
    time: Interval
    variance: Interval
    tail: Interval

    @property
    def name(self) -> str:
        """What they have in common, as text."""
        return self.of.text if isinstance(self.of, Kind) else self.of


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a radio wait.

    Parameters
    ----------
    name
        One of `PART_NAMES`.
    step
        Place of its step in `Budget.steps`.
    packets
        Packets that have such a part.
    mean_ns
        Its mean over all packets.
    time, variance, tail
        As in `Budget`; the shares of the parts of a step add up to those of the step.
    """

    name: str
    step: int
    packets: int
    mean_ns: float
    time: Interval
    variance: Interval
    tail: Interval

    @property
    def kind(self) -> Kind:
        """What it is spent on."""
        again = self.name in (PART_NAMES[place] for place in RETRANSMISSION)
        return Kind.RETRANSMISSION if again else Kind.RADIO_WAIT


@dataclass(frozen=True, slots=True)
class Budget:
    """Shares of every step; each set of shares adds up to 1.

    Parameters
    ----------
    steps
        In the order of the path.
    time
        One per step: its mean over the mean of the total.
    variance
        One per step: cov(step, total) / var(total). A step that is short where others are long has a negative share.
    tail
        One per step: what it adds to the mean total of the slowest packets beyond the mean total of all, as a share of
        that excess. The mean step of the slowest minus the mean step of all, over the same of the total.
    tail_packets
        Number of "the slowest" packets: those that need as long as the one at `TAIL_SHARE`, or longer.
    packets
        Packets in the budget.
    note
        Why there are no shares (all NaN), or what limits them; empty if nothing.
    by_kind, by_node
        The same for the steps of a kind and of a node together, in the order of the path. What a radio wait holds for
        the sake of a retransmission (`RadioParts.retransmission`) counts as that kind.
    parts
        The same for the parts of the radio waits; empty where no line shows frames.
    """

    steps: tuple[Step, ...]
    time: tuple[Interval, ...]
    variance: tuple[Interval, ...]
    tail: tuple[Interval, ...]
    tail_packets: int
    packets: int
    note: str = ""
    by_kind: tuple[Group, ...] = ()
    by_node: tuple[Group, ...] = ()
    parts: tuple[Part, ...] = ()

    def kinds(self, shares: Literal["time", "variance", "tail"]) -> dict[Kind, float]:
        """One of the shares of each kind, in the order of `Kind`."""
        known = {group.of: getattr(group, shares).value for group in self.by_kind}
        return {kind: known[kind] for kind in Kind if kind in known}

    def parts_of(self, step: int) -> tuple[Part, ...]:
        """The parts of one step that some packet has."""
        return tuple(part for part in self.parts if part.step == step and part.packets)


def budget(
    steps: Steps,
    *,
    starts: NDArray[np.int64] | None = None,
    parts: Sequence[RadioParts] = (),
    total: ValueSeries | None = None,
) -> Budget:
    """The budget of a route, with intervals by the block bootstrap (`resampling.resample`).

    The blocks are those that the squared distance of the total from its mean needs, for the time those of the total,
    for the tail also those that being one of the slowest needs. The shares are a property of this run, whatever the
    dependence; the intervals show how another run would differ.

    Parameters
    ----------
    steps
        Durations of the complete packets.
    starts
        int64[k], samples at which they were sent; without it they are in that order.
    parts
        The radio waits among the steps, divided.
    total
        The sum of the steps of each packet, if it is there already.
    """
    series = ValueSeries(steps.samples.sum(axis=1)) if total is None else total
    order = None
    if starts is not None and (np.diff(starts) < 0).any():
        order = np.argsort(starts, kind="stable")
        series = ValueSeries(series.values[order], series.ordered)

    def in_order(columns: Rows) -> Rows:
        return columns if order is None else lambda packets: columns(order[packets])

    of_total = Total(series)
    shares = _sets(in_order(lambda packets: steps.samples[packets]), of_total)
    kinds: list[Kind | str] = [step.kind for step in steps.steps]
    by_kind = shares
    again = [wait.retransmission for wait in parts]
    if any(samples.any() for samples in again):

        def of_kinds(packets: slice | Samples) -> Samples:
            rows = steps.samples[packets].astype(np.int64)
            repeated = np.column_stack([samples[packets] for samples in again])
            rows[:, [wait.column for wait in parts]] -= repeated
            return np.concatenate([rows, repeated], axis=1)

        by_kind = _sets(in_order(of_kinds), of_total)
        kinds += [Kind.RETRANSMISSION] * len(parts)

    def grouped(of: Sequence[Kind | str], sets: _Sets) -> tuple[Group, ...]:
        steps_of = len(steps.steps)
        return tuple(
            Group(one, tuple(member for member in members if member < steps_of), *sets.of(members))
            for one, members in _members(of).items()
        )

    by_step = [shares.of((column,)) for column in range(len(steps.steps))]
    return Budget(
        steps=steps.steps,
        time=tuple(time for time, _, _ in by_step),
        variance=tuple(variance for _, variance, _ in by_step),
        tail=tuple(tail for _, _, tail in by_step),
        tail_packets=shares.slow,
        packets=len(series),
        note=shares.note,
        by_kind=grouped(kinds, by_kind),
        by_node=grouped([step.node for step in steps.steps], shares),
        parts=_parts(parts, of_total, in_order, period_ns=NS_PER_S / steps.samplerate_hz) if parts else (),
    )


def _parts(
    waits: Sequence[RadioParts], total: Total, in_order: Callable[[Rows], Rows], *, period_ns: Fraction
) -> tuple[Part, ...]:
    columns = [samples for wait in waits for samples in wait.by_part]
    shares = _sets(in_order(lambda packets: np.column_stack([samples[packets] for samples in columns])), total)
    names = [(name, wait.column) for wait in waits for name in PART_NAMES]
    return tuple(
        Part(
            name,
            step,
            int(np.count_nonzero(samples)),
            float(samples.mean() * float(period_ns)) if len(samples) else NAN,
            *shares.of((column,)),
        )
        for column, ((name, step), samples) in enumerate(zip(names, columns, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Sets:
    """The three sets of shares, asked for the sums of some columns; and the packets of the tail."""

    time: Callable[[tuple[int, ...]], Interval]
    variance: Callable[[tuple[int, ...]], Interval]
    tail: Callable[[tuple[int, ...]], Interval]
    slow: int
    note: str

    def of(self, members: tuple[int, ...]) -> tuple[Interval, Interval, Interval]:
        """The shares of some columns together."""
        return self.time(members), self.variance(members), self.tail(members)


def _sets(columns: Rows, total: Total) -> _Sets:
    """Shares of all columns; none of the variance and the tail where the total does not vary."""

    def none(note: str) -> Callable[[tuple[int, ...]], Interval]:
        return lambda members: Interval(NAN, NAN, NAN, "none", note)

    def known(shares: Shares) -> Callable[[tuple[int, ...]], Interval]:
        return lambda members: shares.interval(members)

    if not total.samples.any():
        time = none("no packets")
    else:
        summands = Summands(columns, total)
        time = known(budget_shares.time_shares(summands))
    if not resolved(total.samples):
        note = f"the total delay of {len(total)} packets varies by no more than the analyzer resolves: no shares"
        return _Sets(time, none(note), none(note), 0, note)
    variance, tail = budget_shares.variance_shares(summands), budget_shares.tail_shares(summands)
    return _Sets(time, known(variance), known(tail), int(np.count_nonzero(total.slow)), tail.note)


def as_table(shares: Budget) -> pa.Table:
    """One row per step, followed by its parts, then one per kind and node; `part` is empty for all but parts."""
    rows = []
    for place, step in enumerate(shares.steps):
        whole = {"time": shares.time[place], "variance": shares.variance[place], "tail": shares.tail[place]}
        rows.append(SimpleNamespace(of="step", name=step.name, part="", shares=SimpleNamespace(**whole)))
        rows += [
            SimpleNamespace(of="step", name=step.name, part=part.name, shares=part)
            for part in shares.parts
            if part.step == place
        ]
    for of, groups in (("kind", shares.by_kind), ("node", shares.by_node)):
        rows += [SimpleNamespace(of=of, name=group.name, part="", shares=group) for group in groups]
    return columns.of_rows(rows, _SCHEMA)


_SCHEMA = columns.of_attributes(columns.TEXT, ("of", "name", "part"))
for _share in ("time", "variance", "tail"):
    _SCHEMA |= columns.of_interval(f"{_share}_share", f"shares.{_share}")
    _SCHEMA |= columns.of_attributes(columns.TEXT, ("method", "note"), of=f"shares.{_share}.", prefix=f"{_share}_")


def _members(of: Sequence[Kind | str]) -> dict[Kind | str, tuple[int, ...]]:
    """The places of every kind or node, in the order of their first places."""
    return {one: tuple(i for i, other in enumerate(of) if other == one) for one in dict.fromkeys(of)}
