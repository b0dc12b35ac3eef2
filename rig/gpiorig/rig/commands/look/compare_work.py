"""`gpiorig compare`: which delays changed from one run to others, and by how much; one page of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET, UnsetType, structs

from gpiorig.analysis.compare import comparison, sentences, thresholds
from gpiorig.analysis.compare.against_model import Row
from gpiorig.analysis.compare.comparison import Change
from gpiorig.analysis.compare.limits import Threshold, threshold
from gpiorig.analysis.compare.pair import Joined
from gpiorig.analysis.compare.thresholds import Outcome
from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.names import is_quantity
from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import plain_json
from gpiorig.rig.commands.look import compare_page
from gpiorig.rig.commands.look.compare import limits_of
from gpiorig.rig.commands.look.report_work import status_of
from gpiorig.rig.experiments.limits import IntervalNumbers, interval_numbers
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings import described, standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.standing import Standing
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results.compare import Compared
from gpiorig.rig.results.headline import Numbers
from gpiorig.rig.results.report import Reported


class StandingNumbers(Result, frozen=True, kw_only=True):
    """The state of a recording and remarks on it."""

    state: str | None
    remarks: tuple[str, ...]


class ChangeNumbers(Result, frozen=True, kw_only=True):
    """What became of a delay: its numbers in both runs, probabilities of no change, and changes with intervals."""

    name: str
    changed: bool
    base_n: int
    new_n: int
    base_median_ns: Number
    new_median_ns: Number
    moved_ns: Number
    p_location: Number
    p_shape: Number
    p_tail: Number
    p_corrected: Number
    median_change: IntervalNumbers
    mean_change: IntervalNumbers
    p99_change: IntervalNumbers
    std_ratio: IntervalNumbers


class ModelNumbers(Result, frozen=True, kw_only=True):
    """A delay, measured and by a virtual bench; `doubt_low_ns`, `doubt_high_ns`: hardware may be faster and slower.

    `low_ns` and `high_ns` are the interval of the difference, model minus measured; the verdict is ``agrees``,
    ``differs`` or ``unknown``, and `beyond_ns` by how much it differs beyond the interval.
    """

    name: str
    measured_ns: Number
    measured_expanded_ns: Number
    model_ns: Number
    model_expanded_ns: Number
    doubt_low_ns: Number
    doubt_high_ns: Number
    difference_ns: Number
    low_ns: Number
    high_ns: Number
    share: Number
    verdict: str
    beyond_ns: Number


class LossNumbers(Result, frozen=True, kw_only=True):
    """Shares of lost packets; `p` is the probability of no change."""

    base: IntervalNumbers
    new: IntervalNumbers
    p: Number
    changed: bool


class ThresholdNumbers(Result, frozen=True, kw_only=True):
    """A threshold, with the names of the delays that exceed it, may exceed it, or have no value."""

    threshold: str
    exceeded: tuple[str, ...]
    doubtful: tuple[str, ...]
    unknown: tuple[str, ...]
    changes: dict[str, IntervalNumbers]


class ComparisonNumbers(Result, frozen=True, kw_only=True):
    """All changes from one run to another; `joined` are steps that one run divides and the other does not.

    `against_model` is of a run on hardware and one of a virtual bench: the total, then the steps, the worst first.
    `report` is the path of a page that was asked for; `runs` are the runs on it, or those with limits of one run.
    """

    changed: tuple[str, ...]
    changes: tuple[ChangeNumbers, ...]
    joined: tuple[Joined, ...]
    only_base: tuple[str, ...]
    only_new: tuple[str, ...]
    loss: LossNumbers
    thresholds: tuple[ThresholdNumbers, ...]
    base: str
    new: str
    recordings: dict[str, StandingNumbers]
    sentences: tuple[str, ...]
    against_model: tuple[ModelNumbers, ...] | UnsetType = UNSET
    report: str | UnsetType = UNSET
    runs: tuple[Numbers, ...] | UnsetType = UNSET


class SeveralNumbers(Result, frozen=True, kw_only=True):
    """Several runs, each compared with the first; `report` and `runs` as of one comparison."""

    comparisons: tuple[ComparisonNumbers, ...]
    report: str | UnsetType = UNSET
    runs: tuple[Numbers, ...] | UnsetType = UNSET


RESULTS = {"compare": (ComparisonNumbers, SeveralNumbers)}


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison, the outcomes of its thresholds, and the standings of its runs, `base` and `new`."""

    compared: Compared
    outcomes: list[Outcome]
    standings: dict[str, Standing]


def run(options: argparse.Namespace) -> int:
    """Compare each run with the first, print, judge; write their page if asked to."""
    of_runs, limits = limits_of(options)
    base, *news = map(Given.of(options).open, (options.base, *options.new))
    reported, page = {}, None
    if options.output or of_runs:
        reported = compare_page.reports([base, *news], asserted=of_runs, asked=options.quantities)
    if options.output:
        page = compare_page.write(reported, options)
        if not options.json:
            compare_page.show(reported, page)
    status = max((status_of(run_report) for run_report in reported.values()), default=0)
    judged = []
    for new, name in zip(news, described.names(news), strict=True):
        if not options.json and len(news) > 1:
            print(f"{name}:")
        judged.append(_judge(base, new, limits, options))
        status = max(status, _show(judged[-1], options))
    if options.json:
        _print_numbers(judged, reported, page)
    return status


def _judge(base: Recording, new: Recording, limits: Sequence[Threshold], options: argparse.Namespace) -> Judged:
    """Compare two runs, by these limits or else by those that they carry."""
    standings = {"base": standing.of(base), "new": standing.of(new)}
    limits = limits or [threshold(text) for text in comparing.thresholds(base, new)]
    names = dict.fromkeys([*options.quantities, *(limit.quantity for limit in limits if is_quantity(limit.quantity))])
    compared = comparing.compare(base, new, names, fresh=options.fresh)
    before, now, result = compared.before, compared.now, compared.comparison
    counted = [limit for limit in limits if now.complete or limit.quantity == LOSS]
    outcomes = [thresholds.judge(limit, before, now, result) for limit in counted]
    if options.changes:
        stages.write(comparison.as_table(result), options.changes)
    return Judged(compared, outcomes, standings)


def _show(judged: Judged, options: argparse.Namespace) -> int:
    """Print what changed and what failed; the exit status."""
    if not options.json:
        for recording in judged.standings.values() if options.output is None else ():
            recording.announce(boards=False)  # which the sentences state
        print("\n".join(judged.compared.sentences))
    are_complete = all(recording.is_complete for recording in judged.standings.values())
    status = _status(judged.compared, judged.outcomes, any_change=options.any_change, quiet=options.json)
    return status or int(not are_complete)


def _print_numbers(judged: Sequence[Judged], reported: Mapping[str, Reported], page: Path | None) -> None:
    """Print one object."""
    numbers = tuple(_numbers(pair.compared, pair.outcomes, pair.standings) for pair in judged)
    result = numbers[0] if len(numbers) == 1 else SeveralNumbers(comparisons=numbers)
    runs = compare_page.numbers(reported) if reported else UNSET
    print(plain_json.text(structs.replace(result, report=UNSET if page is None else str(page), runs=runs)))


def _status(compared: Compared, outcomes: list[Outcome], *, any_change: bool, quiet: bool) -> int:
    """Print the outcomes; the exit status."""
    failed, result = [], compared.comparison
    for outcome in outcomes:
        sentence = f"threshold {sentences.outcome_sentence(outcome, resolution_ns=result.resolution_ns)}"
        if outcome.failed:
            failed.append(sentence)
        elif not quiet:
            print(sentence)
    if not result.new_complete:
        failed.append("no packet of the new run is complete on the pins")
    wrong = [row for row in compared.against_model if row.verdict == "differs"]
    if any_change and compared.against_model and wrong:
        failed.append(
            f"the model differs from what was measured in {count_text(len(wrong), 'delay')}, and --any-change"
        )
    elif any_change and not compared.against_model and result.differs:
        failed.append("the runs differ, and --any-change is given")
    for check in failed:
        print(f"check failed: {check}", file=sys.stderr)
    return int(bool(failed))


def _numbers(compared: Compared, outcomes: list[Outcome], standings: dict[str, Standing]) -> ComparisonNumbers:
    """Everything, for `--json`."""
    result, base, new = compared.comparison, standings["base"], standings["new"]
    return ComparisonNumbers(
        changed=tuple(change.name for change in result.changed),
        changes=tuple(map(_change, result.changes)),
        joined=compared.joined,
        only_base=tuple(result.only_base),
        only_new=tuple(result.only_new),
        loss=LossNumbers(
            base=interval_numbers(result.base_loss, share=True),
            new=interval_numbers(result.new_loss, share=True),
            p=result.p_loss,
            changed=result.loss_changed,
        ),
        thresholds=tuple(map(_outcome, outcomes)),
        base=str(base.source),
        new=str(new.source),
        recordings={name: StandingNumbers(**recording.as_json()) for name, recording in standings.items()},
        sentences=tuple(compared.sentences),
        against_model=tuple(map(_model, compared.against_model)) or UNSET,
    )


def _model(row: Row) -> ModelNumbers:
    return ModelNumbers.of(row, doubt_low_ns=row.model.low_ns, doubt_high_ns=row.model.high_ns)


def _outcome(outcome: Outcome) -> ThresholdNumbers:
    share = outcome.threshold.relative or not outcome.threshold.statistic
    return ThresholdNumbers(
        threshold=outcome.threshold.text,
        exceeded=tuple(outcome.exceeded),
        doubtful=tuple(outcome.doubtful),
        unknown=tuple(outcome.unknown),
        changes={name: interval_numbers(change, share=share) for name, change in outcome.changes.items()},
    )


def _change(change: Change) -> ChangeNumbers:
    return ChangeNumbers.of(
        change,
        median_change=interval_numbers(change.median_ns),
        mean_change=interval_numbers(change.mean_ns),
        p99_change=interval_numbers(change.p99_ns),
        std_ratio=interval_numbers(change.spread, share=True),
    )
