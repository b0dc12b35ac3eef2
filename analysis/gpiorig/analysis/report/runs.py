"""Runs of a page that compares them: what each is, which ones repeat the same set-up, and the pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from gpiorig.analysis.compare import against_model, delays, pair, sentences, thresholds
from gpiorig.analysis.compare.comparison import Watch
from gpiorig.analysis.compare.delays import Delays
from gpiorig.analysis.compare.limits import Threshold
from gpiorig.analysis.compare.pair import Pair, Values
from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import share_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.report.cause_words import SPENT
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.lead import MAX_SHARE, stressed_kinds

NAMED_CHANGES = 2  # of what was changed, in the first sentence
ARROW = "\N{RIGHTWARDS ARROW}"
_SWITCHED = {"True": "on", "False": "off"}
_INCIDENTAL = re.compile(r".*[ .]seed|version of .*|bench name")  # differs from repeat to repeat
MOST = 0.5  # of the change of the mean, for its kind of steps to be named


@dataclass(frozen=True, eq=False)  # no slots: the delays are cached
class Run:
    """One run on a page of several.

    Parameters
    ----------
    name
        Unique on the page.
    data
        The content of its own page.
    set_up
        What it was made with, by name, in the order to print.
    digest
        Equal for runs that repeat one set-up; empty for a run that repeats none.
    limits
        How much it may differ from the reference.
    """

    name: str
    data: ReportData
    set_up: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    limits: tuple[Threshold, ...] = ()

    @cached_property
    def delays(self) -> Delays:
        """Its delays, with the parts of the radio waits."""
        run = replace(delays.from_analysis(self.data.analysis), cut=self.data.cut, virtual=self.data.virtual)
        named = (run.route, ROUND_TRIP)
        evaluation = next(
            (evaluation for evaluation in self.data.evaluation.routes if evaluation.route.name in named), None
        )
        if evaluation is None:
            return run
        return replace(
            run,
            parts=radio_parts.by_name(evaluation.parts, evaluation.route),
            accuracies=delays.accuracies(run, evaluation.uncertainties),
        )

    @property
    def noun(self) -> str:
        """Name of the total delay."""
        return self.data.evaluation.routes[0].numbers.noun if self.data.evaluation.routes else "delay"

    def times(self) -> Values:
        """The quantities of the page that are times, in samples."""
        period_ns = self.delays.period_ns
        return {
            one.name: np.rint(one.values * (float(one.scale) / period_ns)).astype(np.int64)
            for one in self.data.quantities
            if one.quantity.kind.unit is Unit.TIME and len(one.values)
        }


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A run against the reference.

    Parameters
    ----------
    base, new
        The reference, and the run.
    pair
        Their comparison; None where they cannot be compared, for the reason in `obstacle`.
    """

    base: Run
    new: Run
    pair: Pair | None
    obstacle: str = ""

    @property
    def sentence(self) -> str:
        """What changed, by how much, and how many delays of all."""
        if self.pair is None or not self.pair.now.complete:
            why = self.obstacle or "no packet of it is complete on the pins"
            return f"{self.new.name} cannot be compared with {self.base.name}: {why}."
        if self.pair.against_model:
            return against_model.summary(self.pair.against_model)
        return sentences.total_sentence(
            self.pair.comparison, noun=self.base.noun, opening=self.opening, place=_place(self.pair)
        )

    @property
    def opening(self) -> str:
        """What was changed, such as ``backoff on → off``; where nothing is known to be, the names of the runs."""
        rows = [row for row in self.set_differently if not _INCIDENTAL.fullmatch(row[0])]
        rows = rows if self.base.set_up and self.new.set_up else []
        changed = [
            f"{name.removeprefix('setting ').removeprefix('bench ')} {_SWITCHED.get(before, before)} {ARROW} "
            f"{_SWITCHED.get(after, after)}"
            for name, before, after in rows
        ]
        more = [f"{len(changed) - NAMED_CHANGES} more"] if len(changed) > NAMED_CHANGES else []
        return ", ".join([*changed[:NAMED_CHANGES], *more]) or f"{self.base.name} {ARROW} {self.new.name}"

    @property
    def changed_kinds(self) -> frozenset[Kind]:
        """The kind of steps with most of the change of the mean; of a change of nothing the causes in the reference."""
        kind, share = _most_changed(self.pair) if self.pair is not None else (None, 0.0)
        return frozenset({kind}) if kind is not None and share >= MOST else stressed_kinds(self.base.data)

    @property
    def verdicts(self) -> list[str]:
        """The outcome of each threshold."""
        if self.pair is None:
            return []
        judged = [limit for limit in self.new.limits if self.pair.now.complete or limit.quantity == LOSS]
        return [_verdict(limit, self.pair) for limit in judged]

    @property
    def set_differently(self) -> list[tuple[str, str, str]]:
        """What is different in their set-ups: name, of the reference, of the run."""
        base, new = self.base.set_up, self.new.set_up
        return [
            (name, base.get(name, "none"), new.get(name, "none"))
            for name in dict.fromkeys([*base, *new])
            if base.get(name) != new.get(name)
        ]


def difference(base: Run, new: Run, *, watch: Watch = iter) -> Difference:
    """Compare a run with the reference; parameter as of `comparison.compare`."""
    why = pair.obstacle(base.delays, new.delays)
    if why:
        return Difference(base, new, None, why)
    values = base.times(), new.times()
    return Difference(base, new, pair.pair(base.delays, new.delays, values=values, watch=watch))


def set_ups(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs, those together that repeat one set-up, in the order of their first runs."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.digest or f"alone: {run.name}", []).append(run)
    return list(groups.values())


def _verdict(limit: Threshold, compared: Pair) -> str:
    """The outcome of a threshold, or why it cannot be judged."""
    try:
        outcome = thresholds.judge(limit, compared.before, compared.now, compared.comparison)
    except QuantityError as error:
        return str(error)
    return sentences.outcome_sentence(outcome, resolution_ns=compared.comparison.resolution_ns)


def _place(compared: Pair) -> str:
    """The kind of steps with most of the change of the mean, as a clause; empty where none has half of it."""
    kind, share = _most_changed(compared)
    if kind is None or share < MOST:
        return ""
    return f", {share_text(min(share, MAX_SHARE))} of the change of its mean {SPENT[kind]}"


def _most_changed(compared: Pair) -> tuple[Kind | None, float]:
    """The kind of steps with most of the change of the mean, and its share; None where the mean is equal."""
    total = compared.comparison.changes[0].mean_ns.value
    sums: dict[Kind, float] = {}
    for change in compared.comparison.changes[1:]:
        kind = compared.now.kinds.get(change.name)
        if kind is not None:
            sums[kind] = sums.get(kind, 0.0) + change.mean_ns.value
    if not sums or not abs(total) > 0:
        return None, 0.0
    kind = max(sums, key=lambda kind: sums[kind] / total)
    return kind, sums[kind] / total
