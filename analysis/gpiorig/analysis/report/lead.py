"""The first sentence of a page: where the time goes, and what explains the jitter."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.delays.numbers import largest_kind
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report.conclusions import MIN_FOR_VARIANCE, causes, largest_cause, period_ns, summary_lines
from gpiorig.analysis.report.data import ReportData

MAX_SHARE = 0.9999  # a share of several steps is a sum of estimates, which can be 1 or more
SPENT = {
    Kind.SOFTWARE: "in stack software",
    Kind.MAC: "in the MAC",
    Kind.DRIVER: "in the radio's driver",
    Kind.RADIO_WAIT: "in radio wait",
    Kind.RETRANSMISSION: "waiting for a retransmission",
    Kind.AIR: "on the air",
    Kind.UNDIVIDED: "in radio wait or on the air",
    Kind.FRAGMENTS: "on the fragments before the last",
    Kind.INTERRUPT: "from the interrupt to the driver",
    Kind.APPLICATION: "in the application",
}


def lead_sentence(data: ReportData) -> str:
    """Where the time goes and what explains the jitter, of the route with the most packets; without one, why not."""
    if not data.evaluation.routes:
        return summary_lines(data)[0]
    evaluation = data.evaluation.routes[0]
    numbers = evaluation.numbers
    kind, share = largest_kind(numbers.by_kind("time"))
    mean, part = time_text(numbers.total.mean_ns), share_text(share)
    if numbers.total.n == 1:
        return f"{part} of the {mean} of the only complete packet is spent {SPENT[kind]}."
    return f"{part} of the mean {numbers.noun} of {mean} is spent {SPENT[kind]}; {_jitter(evaluation)}."


def _jitter(evaluation: RouteEvaluation) -> str:
    """What explains the variance, with the share that it explains and no more."""
    numbers = evaluation.numbers
    if not np.isfinite(numbers.variances).all():
        return f"it does not vary by more than the resolution ({numbers.resolution_text})"
    if numbers.total.n < MIN_FOR_VARIANCE:
        return f"{count_text(numbers.total.n, 'packet')} are too few for where its variance arises"
    kind, share = largest_kind(numbers.by_kind("variance"))
    place = f"{share_text(min(share, MAX_SHARE))} of its variance arises {SPENT[kind]}"
    cause = largest_cause(evaluation)
    if cause is not None:
        explained = share_text(min(cause.share, MAX_SHARE))
        return f"{explained} of its variance is explained by {_cause(cause.finding, cause.steps)}"
    if not any(attribution.tests for attribution, _ in causes(evaluation)):
        return f"{place}, whose cause could not be tested"
    return f"{place}, where no cause was found"


def _cause(finding: Finding, steps: tuple[str, ...]) -> str:
    """What a finding is, in a few words."""
    where = " and ".join(steps)
    numbers = finding.numbers
    if finding.kind == "lattice":
        return f"{count_text(int(str(numbers['levels'])), 'level')} of {where}, {time_text(period_ns(finding))} apart"
    if finding.kind == "beat":
        activity = numbers.get("activity") or "an unknown activity"
        return f"a beat of {where} with {activity}, period {time_text(period_ns(finding))}"
    if finding.kind == "modes":
        return f"{count_text(int(str(numbers['modes'])), 'mode')} of {where}"
    if finding.kind == "dependence":
        return f"a dependence of {where} on {numbers['on']}"
    names = {"trend": "a trend", "change": "jumps", "channel": "a busy channel or retries"}
    names["retransmission"] = "retransmissions"
    return f"{names[finding.kind]} in {where}"
