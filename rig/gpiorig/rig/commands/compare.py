"""`gpiorig compare`: which delays changed from one run to another, and by how much."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

from gpiorig.analysis.compare import comparison, sentences, thresholds
from gpiorig.analysis.compare.common import Joined
from gpiorig.analysis.compare.comparison import Change, Comparison
from gpiorig.analysis.compare.limits import threshold
from gpiorig.analysis.compare.thresholds import Outcome
from gpiorig.analysis.quantities.delay_names import LOSS
from gpiorig.analysis.quantities.names import is_quantity, parse_all
from gpiorig.analysis.tables import stages
from gpiorig.rig.experiments.limits import interval_numbers
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import compare as comparing


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
        numbers = _numbers(result, outcomes, compared.joined) | {
            "base": str(base.folder),
            "new": str(new.folder),
            "recordings": {name: recording.as_json() for name, recording in standings.items()},
            "sentences": list(compared.sentences),
        }
        print(json.dumps(numbers, allow_nan=False))
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


def _numbers(result: Comparison, outcomes: list[Outcome], joined: tuple[Joined, ...]) -> dict[str, Any]:
    """Everything, for `--json`."""
    return {
        "changed": [change.name for change in result.changed],
        "changes": [_change(change) for change in result.changes],
        "joined": [{"name": name.name, "base": list(name.base), "new": list(name.new)} for name in joined],
        "only_base": list(result.only_base),
        "only_new": list(result.only_new),
        "loss": {
            "base": interval_numbers(result.base_loss, share=True),
            "new": interval_numbers(result.new_loss, share=True),
            "p": result.p_loss,
            "changed": result.loss_changed,
        },
        "thresholds": [
            {
                "threshold": outcome.threshold.text,
                "exceeded": list(outcome.exceeded),
                "doubtful": list(outcome.doubtful),
                "unknown": list(outcome.unknown),
                "changes": {
                    name: interval_numbers(change, share=outcome.threshold.relative or not outcome.threshold.statistic)
                    for name, change in outcome.changes.items()
                },
            }
            for outcome in outcomes
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    plain = ["name", "changed", "base_n", "new_n", "base_median_ns", "new_median_ns", "moved_ns"]
    plain += ["p_location", "p_shape", "p_tail", "p_corrected"]
    values = {key: getattr(change, key) for key in plain}
    return {
        **{key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()},
        "median_change": interval_numbers(change.median_ns),
        "mean_change": interval_numbers(change.mean_ns),
        "p99_change": interval_numbers(change.p99_ns),
        "std_ratio": interval_numbers(change.spread, share=True),
    }
