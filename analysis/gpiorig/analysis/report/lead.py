"""The first sentence of a page: how large the jitter is, and what makes it, for every kind of finding."""

from __future__ import annotations

import numpy as np

from gpiorig.analysis.attribution.attribute import MIN_PACKETS
from gpiorig.analysis.delays.numbers import largest_kind
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import count_text, number_text, share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.report.cause_words import SPENT, NamedCause, named_causes
from gpiorig.analysis.report.conclusions import MIN_FOR_VARIANCE, causes, summary_lines, total_delay
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.statistics.summary import Summary

MAX_SHARE = 0.9999  # a share of several steps is a sum of estimates, which can be 1 or more
ALL = 0.995  # of the variance, from which on a cause makes all of the jitter, if it also leaves little of the range:
LITTLE = 0.05  # of the peak-to-peak jitter
NAMED = 3  # causes in the sentence
OF_VARIANCE = "(shares of its variance)"


def lead_sentence(data: ReportData) -> str:
    """The jitter and its causes, of the route with the most packets; without a packet, why there is none."""
    lost = _lost(data)
    if not data.evaluation.routes:
        return f"{summary_lines(data)[0]}{lost}"
    return f"{_jitter(data, data.evaluation.routes[0])}.{lost}"


def facts_line(data: ReportData) -> str:
    """What it was measured with, packets, losses and checks, and the date: one line."""
    arrived, sent = _counts(data)
    packets = f"{number_text(arrived)} of {count_text(sent, 'packet')} arrived" if sent else "no packet"
    checks = f"{count_text(len(data.notes), 'check')} failed" if data.notes else "all checks passed"
    cut = f"recording {data.cut}" if data.cut else ""
    return " · ".join(filter(None, (*data.made_with, packets, cut, checks, data.made_on)))


def stressed_kinds(data: ReportData) -> frozenset[Kind]:
    """The kinds of steps that cause the jitter; without a cause, the kind in which most of it arises, if any."""
    if not data.evaluation.routes:
        return frozenset()
    evaluation = data.evaluation.routes[0]
    if not np.isfinite(evaluation.numbers.variances).all() or evaluation.numbers.total.n < MIN_FOR_VARIANCE:
        return frozenset()
    largest, *_ = [*named_causes(evaluation), None]
    left = _unexplained(evaluation, named_causes(evaluation))
    if largest is None or not largest.kinds or largest.share < left[1]:
        return frozenset({left[0]})
    return largest.kinds


def _jitter(data: ReportData, evaluation: RouteEvaluation) -> str:
    numbers, total = evaluation.numbers, _total(data, evaluation)
    if total.n == 1:
        kind, share = largest_kind(numbers.by_kind("time"))
        return (
            f"One packet, {numbers.noun} {time_text(total.mean_ns)}: {share_text(share)} of it {SPENT[kind]}; "
            "one packet has no jitter"
        )
    if not np.isfinite(numbers.variances).all():
        return (
            f"No jitter above the resolution ({numbers.resolution_text}): the {numbers.noun} of each of "
            f"{count_text(numbers.total.n, 'packet')} is {time_text(numbers.total.median_ns)}"
        )
    text = f"Jitter {time_text(total.peak_to_peak_ns)}"
    if numbers.total.n < MIN_FOR_VARIANCE:
        return f"{text} by {count_text(numbers.total.n, 'packet')}, too few to tell where it arises"
    named = named_causes(evaluation)
    if not named:
        return f"{text}: {_without_cause(evaluation)}"
    if len(named) == 1 and named[0].share >= ALL and named[0].rest_ns <= LITTLE * total.peak_to_peak_ns:
        return f"{text}: all of it {named[0].words}; everything else within {time_text(named[0].rest_ns)}"
    return f"{text}: {_listed(evaluation, named)}"


def _without_cause(evaluation: RouteEvaluation) -> str:
    """Where the jitter arises, of a route without a finding."""
    kind, share = largest_kind(evaluation.numbers.by_kind("variance"))
    place = f"{share_text(min(share, MAX_SHARE))} of its variance arises {SPENT[kind]}"
    tests = sum(attribution.tests for attribution, _ in causes(evaluation))
    if tests:
        return f"no cause found in {count_text(tests, 'test')}; {place}"
    packets = evaluation.numbers.total.n
    few = f"{count_text(packets, 'packet')}, fewer than the {MIN_PACKETS} that a cause needs to be found"
    return f"{few if packets < MIN_PACKETS else 'its cause could not be tested'}; {place}"


def _listed(evaluation: RouteEvaluation, named: list[NamedCause]) -> str:
    """The causes and what no cause explains, each with its share, the largest first."""
    shares = [(cause.share, cause.words) for cause in named[:NAMED]]
    if len(named) > NAMED:
        shares.append((sum(cause.share for cause in named[NAMED:]), count_text(len(named) - NAMED, "smaller cause")))
    kind, left = _unexplained(evaluation, named)
    if left >= 1 - ALL:
        shares.append((left, f"no known cause, most of it {SPENT[kind]}"))
    ordered = sorted(shares, key=lambda pair: -pair[0])
    if len(ordered) == 1:
        return f"{share_text(min(ordered[0][0], MAX_SHARE))} of its variance is {ordered[0][1]}"
    return f"{'; '.join(f'{share_text(min(share, MAX_SHARE))} {words}' for share, words in ordered)} {OF_VARIANCE}"


def _unexplained(evaluation: RouteEvaluation, named: list[NamedCause]) -> tuple[Kind, float]:
    """The share of the variance that no cause explains, and the kind of steps with most of it."""
    left = dict(evaluation.numbers.by_kind("variance"))
    for cause in named:
        largest = max(cause.kinds & left.keys(), key=lambda kind: left[kind], default=None)
        if largest is not None:
            left[largest] -= cause.share
    return largest_kind(left)[0], 1 - sum(cause.share for cause in named)


def _total(data: ReportData, evaluation: RouteEvaluation) -> Summary:
    """The total delay of a route: of all round trips, also where a step is unknown."""
    total = total_delay(data) if evaluation.route.name == ROUND_TRIP else None
    return evaluation.numbers.total if total is None else total


def _lost(data: ReportData) -> str:
    """How many packets did not arrive, a sentence with a space before it; empty if all did."""
    arrived, sent = _counts(data)
    return f" {number_text(sent - arrived)} of {count_text(sent, 'packet')} did not arrive." if sent > arrived else ""


def _counts(data: ReportData) -> tuple[int, int]:
    """Packets that arrived, and all that were sent: by the firmware's count, else by the pins."""
    account, total = data.analysis.account, total_delay(data)
    if account is not None and account.total:
        return account.arrived, account.total
    lines = data.timelines
    if lines is not None:
        return int(np.count_nonzero(lines.timelined)), len(lines)
    return (0, 0) if total is None else (total.n, total.n + total.lost)
