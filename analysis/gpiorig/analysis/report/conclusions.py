"""The conclusions at the top of the page: delay, budget, causes, accounting."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.attribution.step_series import TOTAL
from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.evaluation.evaluation import RouteEvaluation
from gpiorig.analysis.number_text import count_text, number_text, resolved_text, share_text, signed_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.report.data import ReportData
from gpiorig.analysis.report.texts import capped_share, tail_text
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import Summary

MAX_LINES = 5
MIN_FOR_P95, MIN_FOR_P99 = 20, 100  # packets; with fewer none is beyond the quantile
MIN_FOR_VARIANCE = 10  # packets; with fewer the standard error of a variance, sqrt(2 / (n - 1)), is half of it or more
MIN_CAUSE = 0.01  # share of the total variance that a finding explains to be among the conclusions


def summary_lines(data: ReportData) -> list[str]:
    """The conclusion in five lines or fewer."""
    routes = data.evaluation.routes
    first = _delay_line(data)
    if not first and data.analysis.no_packets:
        return [data.analysis.no_packets_sentence]
    if not first:
        return [_nothing(data), _accounting_line(data)]
    if not routes:
        return [first, _accounting_line(data)]
    main = routes[0]
    if main.numbers.total.n == 1:
        return [first, budget_sentence(main), _accounting_line(data)]
    lines = [first, budget_sentence(main), routenumbers.steps_conclusion(main.numbers) + "."]
    cause = _cause_line(main)
    return [*lines, *([cause] if cause else []), _accounting_line(data)][:MAX_LINES]


def headline(data: ReportData) -> list[tuple[str, str]]:
    """The numbers on top: (name, number)."""
    routes, total = data.evaluation.routes, total_delay(data)
    if total is None or not total.n:
        return []
    noun = routes[0].numbers.noun if routes else "round-trip time"
    account = data.analysis.account
    sent = account.total if account else total.n + total.lost
    counted = ("packets timelined", f"{number_text(total.n)} of {number_text(sent)}")
    if total.n == 1:
        return [(noun, time_text(total.median_ns)), counted]
    rows = [
        (f"median {noun}", time_text(total.median_ns)),
        ("peak-to-peak jitter", time_text(total.peak_to_peak_ns)),
        (f"99 % of the {noun}s within", time_text(total.p99_ns))
        if total.n >= MIN_FOR_P99
        else (f"longest {noun}", time_text(total.max_ns)),
        counted,
    ]
    if routes and total.n >= MIN_FOR_VARIANCE and np.isfinite(routes[0].numbers.variances).all():
        kind, share = _largest_variance(routes[0])
        rows.append((f"of the variance: {kind.text}", share_text(min(share.value, 1.0))))
    return rows


def budget_sentence(evaluation: RouteEvaluation) -> str:
    """The kinds of steps with most of the time and most of the jitter, with its interval."""
    budget, numbers = evaluation.budget, evaluation.numbers
    if not np.isfinite(numbers.variances).all():
        return routenumbers.where_conclusion(numbers) + "."
    slowest, share = routenumbers.largest_kind(numbers.by_kind("time"))
    if numbers.total.n < MIN_FOR_VARIANCE:
        few = count_text(numbers.total.n, "packet")
        return f"Most of the time ({share_text(share)}): {slowest.text}; {few}, too few to divide the variance."
    worst, variance = _largest_variance(evaluation)
    tail = next(group.tail.value for group in budget.by_kind if group.of is worst)
    text = f"Most of the time ({share_text(share)}): {slowest.text}; most of the variance: {worst.text}, "
    text += capped_share(variance)
    if np.isfinite(tail):
        part = "all" if tail > 1 else share_text(tail)
        text += f", and {part} of what the {tail_text(budget.tail_packets, budget.packets)} take longer"
    return text + "."


def causes(evaluation: RouteEvaluation) -> list[tuple[Attribution, float]]:
    """The attribution of each step of a route, with the share of the total variance that the step makes.

    The step whose findings explain most of the total variance is first; the total delay is not among them.
    """
    names = [step.name for step in evaluation.route.steps.steps]
    shares = dict(zip(names, evaluation.numbers.variances.tolist(), strict=True))
    pairs = [
        (attribution, shares[attribution.step]) for attribution in evaluation.attributions if attribution.step in shares
    ]

    def explained(pair: tuple[Attribution, float]) -> float:
        attribution, share = pair
        return _largest_share(attribution) * float(np.nan_to_num(share))

    return sorted(pairs, key=lambda pair: -explained(pair))


class Cause(NamedTuple):
    """A finding, the short names of the steps that have it, and the share of the total variance that it explains."""

    finding: Finding
    steps: tuple[str, ...]
    share: float


def found_causes(evaluation: RouteEvaluation) -> list[Cause]:
    """The findings in the steps, the largest first; steps with equal findings share one.

    Findings that explain less than a hundredth of the total variance are omitted.
    """
    listed: list[Cause] = []
    short = {step.name: routenumbers.short_name(step) for step in evaluation.route.steps.steps}
    for attribution, share in causes(evaluation):
        name = short[attribution.step]
        for finding in attribution.findings:
            # Of findings of one kind in one step the largest counts: causes that go together explain the same.
            repeated = any(cause.finding.kind == finding.kind and name in cause.steps for cause in listed)
            explained = finding.share * share
            if repeated or not explained >= MIN_CAUSE:
                continue
            alike = next((at for at, cause in enumerate(listed) if _alike(cause.finding, finding)), None)
            if alike is None:
                listed.append(Cause(finding, (name,), explained))
            else:
                cause = listed[alike]
                listed[alike] = Cause(cause.finding, (*cause.steps, name), cause.share + explained)
    return listed


def largest_cause(evaluation: RouteEvaluation) -> Cause | None:
    """The cause that explains most of the total variance: a finding about the total delay, or one in its steps."""
    overall = total_cause(evaluation)
    if overall is not None:
        return Cause(overall, (f"the {evaluation.numbers.noun}",), overall.share)
    return max(found_causes(evaluation), key=lambda cause: cause.share, default=None)


def cause_sentences(evaluation: RouteEvaluation) -> list[str]:
    """One sentence per cause, the largest first."""
    by_step = [f"In {' and '.join(cause.steps)} {_lower(cause.finding.sentence)}" for cause in found_causes(evaluation)]
    overall = total_cause(evaluation)
    if overall is None:
        return by_step
    return [f"Overall, {_lower(overall.sentence).replace('the step', f'the {evaluation.numbers.noun}')}", *by_step]


def total_findings(evaluation: RouteEvaluation) -> list[Finding]:
    """The findings about the total delay."""
    of_total = (attribution for attribution in evaluation.attributions if attribution.step == TOTAL)
    return [finding for attribution in of_total for finding in attribution.findings]


def total_cause(evaluation: RouteEvaluation) -> Finding | None:
    """The finding that explains more of the total delay than those in its steps together, if there is one."""
    best = max(total_findings(evaluation), key=lambda finding: finding.share, default=None)
    by_steps = sum(
        _largest_share(attribution) * max(float(np.nan_to_num(share)), 0.0) for attribution, share in causes(evaluation)
    )
    return None if best is None or best.share < max(2 * by_steps, MIN_CAUSE) else best


def _largest_share(attribution: Attribution) -> float:
    return max((finding.share for finding in attribution.findings), default=0.0)


def sentence_of(attribution: Attribution) -> str:
    """The conclusion of an attribution, with the name of the step in it."""
    sentence = attribution.sentence
    return sentence if attribution.step.lower() in sentence.lower() else f"{attribution.step}: {sentence}"


def _alike(one: Finding, other: Finding) -> bool:
    """True for equal structures with equal shares: one lattice, or a beat with the same activity."""
    if one.kind != other.kind or one.kind not in {"lattice", "beat"}:
        return False
    periods = [period_ns(finding) for finding in (one, other)]
    same = all(one.numbers.get(name) == other.numbers.get(name) for name in ("levels", "activity"))
    same = same and share_text(one.share) == share_text(other.share)
    return same and abs(periods[0] - periods[1]) < 0.001 * periods[0]


def period_ns(finding: Finding) -> float:
    """The period that a finding has estimated; NaN if it has none."""
    number = finding.numbers.get("period_ns", math.nan)
    if isinstance(number, Interval):
        return number.value
    return float(number) if isinstance(number, (int, float)) else math.nan


def _lower(sentence: str) -> str:
    """A sentence as the continuation of another one."""
    return "the " + sentence.removeprefix("The ") if sentence.startswith("The ") else sentence


def _delay_line(data: ReportData) -> str:
    """The delay of the packets; empty when none arrived."""
    total, routes = total_delay(data), data.evaluation.routes
    if total is None or not total.n:
        return ""
    expanded_ns = routes[0].expanded_ns if routes else math.nan
    median, shortest, longest, p95 = (
        resolved_text(ns, expanded_ns) for ns in (total.median_ns, total.min_ns, total.max_ns, total.p95_ns)
    )
    if data.timelines is not None:
        subject, packets = "The round trip takes", f"{number_text(total.n)} round trips need"
    else:
        subject = f"From {routes[0].route.name.replace(' > ', ' to ')} a packet takes"
        packets = f"{number_text(total.n)} packets need"
    doubts = _uncertainty(expanded_ns) + model_sentence(data, total.median_ns)
    if total.n == 1:
        return f"{subject} {median}, by the only complete packet.{doubts}"
    text = f"{subject} {median} in the median, {shortest} at least and {longest} at most"
    if total.n < MIN_FOR_P95:
        return f"{text}, by {count_text(total.n, 'packet')}.{doubts}"
    return f"{text}; {share_text(0.95)} of the {packets} {p95} or less.{doubts}"


def _uncertainty(expanded_ns: float) -> str:
    """The uncertainty of one delay, as a sentence with a space before it; empty if it is not known."""
    if not expanded_ns > 0:
        return ""
    return f" The uncertainty of one delay is ± {time_text(expanded_ns, digits=2)} (k = 2)."


def model_sentence(data: ReportData, median_ns: float) -> str:
    """How far hardware may be from a virtual bench, with a space before it; empty for a run on hardware."""
    if not data.virtual or not data.evaluation.routes:
        return ""
    delay = data.evaluation.routes[0].uncertainties[-1]
    if not delay.shifts:
        return " How far hardware may be from these virtual boards is not known."
    ends = (signed_text(100 * ns / median_ns, ".1f") for ns in (delay.model.low_ns, delay.model.high_ns))
    boards = dict.fromkeys(shift.setting.partition(" ")[0] for shift in delay.shifts)
    of_boards = f"the doubt of the timing model of {' and '.join(boards)}, without that of the radios"
    return f" Hardware may take {' to '.join(ends)} % longer by {of_boards}."


def total_delay(data: ReportData) -> Summary | None:
    """The total delay: of all round trips, also where a step is unknown; else of the route with the most packets."""
    if data.timelines is not None:
        return data.evaluation.delays[ROUND_TRIP]
    return data.evaluation.routes[0].numbers.total if data.evaluation.routes else None


def _nothing(data: ReportData) -> str:
    if data.timelines is not None:
        return "No packet made a round trip that the pins show."
    return "No packet is complete on the pins, from its first milestone to its last."


def _largest_variance(evaluation: RouteEvaluation) -> tuple[Kind, Interval]:
    """The kind of steps that makes most of the variance, with its interval."""
    kind, _ = routenumbers.largest_kind(evaluation.numbers.by_kind("variance"))
    return kind, next(group.variance for group in evaluation.budget.by_kind if group.of is kind)


def _cause_line(evaluation: RouteEvaluation) -> str:
    """The source of the largest part of the jitter; empty if there is nothing to report."""
    sentences = cause_sentences(evaluation)
    if sentences:
        return f"Where the jitter comes from: {sentences[0][0].lower()}{sentences[0][1:]}"
    attributions = [attribution for attribution, _ in causes(evaluation)]
    if attributions and not any(attribution.findings for attribution in attributions):
        tests = sum(attribution.tests for attribution in attributions)
        if not tests:
            return f"What causes the jitter could not be tested. {attributions[0].sentence}"
        return (
            f"No structure was found in any of {count_text(len(attributions), 'step')} ({count_text(tests, 'test')})."
        )
    return ""


def _accounting_line(data: ReportData) -> str:
    """A sentence on whether every packet is accounted for."""
    account = data.analysis.account
    if data.timelines is not None and (account is None or (account.extra and not account.total)):
        n = int(np.count_nonzero(data.timelines.timelined))
        calls = count_text(len(data.timelines), "send call")
        return f"{calls} seen on the pins, {number_text(n)} timelined; no packet in the log to compare with."
    if account is None:
        routes = [evaluation.route for evaluation in data.evaluation.routes]
        return (
            f"Packets on {count_text(len(routes), 'route')}: {number_text(sum(map(len, routes)))} complete, "
            f"{number_text(sum(route.lost for route in routes))} lost, "
            f"{number_text(sum(route.partial for route in routes))} incomplete."
        )
    lost_text = ", ".join(f"{number_text(n)} {reason}" for reason, n in account.lost.items()) or "none"
    if account.unaccounted:
        reasons = "; ".join(f"{number_text(n)}: {reason}" for reason, n in account.not_arrived.items())
        balance = f"{number_text(account.unaccounted)} not accounted for ({reasons})"
    elif account.extra:
        balance = f"{count_text(account.extra, 'packet')} on the pins that its log does not have"
    else:
        balance = "every packet is accounted for"
    sent = count_text(account.total, "packet")
    return f"The firmware sent {sent}: {number_text(account.arrived)} timelined, lost: {lost_text}; {balance}."
