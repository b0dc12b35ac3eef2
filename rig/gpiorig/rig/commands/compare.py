"""`gpiorig compare`: which delays changed from one run to another, and by how much."""

from __future__ import annotations

import argparse
import sys

from gpiorig.analysis.compare import comparison, sentences, thresholds
from gpiorig.analysis.compare.common import Joined
from gpiorig.analysis.compare.comparison import Change, Comparison
from gpiorig.analysis.compare.limits import threshold
from gpiorig.analysis.compare.thresholds import Outcome
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.names import is_quantity, parse_all
from gpiorig.analysis.tables import stages
from gpiorig.rig import plain_json
from gpiorig.rig.experiments.limits import IntervalNumbers, interval_numbers
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.standing import Standing
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results.compare import Compared


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
    """All changes from one run to another; `joined` are steps that one run divides and the other does not."""

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


RESULTS = {"compare": (ComparisonNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Compare, print, judge."""
    parse_all(options.quantities)
    limits = [threshold(text) for text in options.thresholds]
    if options.output:
        comparing.check_output(options.output)
    base, new = map(Given.of(options).open, (options.base, options.new))
    standings = {"base": standing.of(base), "new": standing.of(new)}
    limits = limits or [threshold(text) for text in comparing.thresholds(base, new)]
    names = dict.fromkeys([*options.quantities, *(limit.quantity for limit in limits if is_quantity(limit.quantity))])
    compared = comparing.compare(base, new, names, fresh=options.fresh)
    before, now, result = compared.before, compared.now, compared.comparison
    judged = [limit for limit in limits if now.complete or limit.quantity == LOSS]
    outcomes = [thresholds.judge(limit, before, now, result) for limit in judged]
    if options.output:
        stages.write(comparison.as_table(result), options.output)
    for recording in standings.values() if not options.json else ():
        recording.announce(boards=False)  # which the sentences state
    if options.json:
        print(plain_json.text(_numbers(compared, outcomes, standings)))
    else:
        print("\n".join(compared.sentences))
    are_complete = all(recording.is_complete for recording in standings.values())
    return _status(result, outcomes, any_change=options.any_change, quiet=options.json) or int(not are_complete)


def _status(result: Comparison, outcomes: list[Outcome], *, any_change: bool, quiet: bool) -> int:
    """Print the outcomes; the exit status."""
    failed = []
    for outcome in outcomes:
        sentence = f"threshold {sentences.outcome_sentence(outcome, resolution_ns=result.resolution_ns)}"
        if outcome.failed:
            failed.append(sentence)
        elif not quiet:
            print(sentence)
    if not result.new_complete:
        failed.append("no packet of the new run is complete on the pins")
    if any_change and result.differs:
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
    )


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
    return ChangeNumbers(
        name=change.name,
        changed=change.changed,
        base_n=change.base_n,
        new_n=change.new_n,
        base_median_ns=change.base_median_ns,
        new_median_ns=change.new_median_ns,
        moved_ns=change.moved_ns,
        p_location=change.p_location,
        p_shape=change.p_shape,
        p_tail=change.p_tail,
        p_corrected=change.p_corrected,
        median_change=interval_numbers(change.median_ns),
        mean_change=interval_numbers(change.mean_ns),
        p99_change=interval_numbers(change.p99_ns),
        std_ratio=interval_numbers(change.spread, share=True),
    )
