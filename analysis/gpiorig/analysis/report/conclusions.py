"""The conclusions: what a reader should know who reads nothing else."""

from __future__ import annotations

import math

import numpy as np

from gpiorig.analysis.attribution.attribute import TOTAL
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.timelines import LOST
from gpiorig.analysis.quantity import NS_PER_S, count_text, digits_for, number_text, share_text, time_text
from gpiorig.analysis.report.data import ReportData, RouteView, route_views
from gpiorig.analysis.report.texts import tail_text, whole_share
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import Summary, summarize

MAX_LINES = 5
LEAST_FOR_P95, LEAST_FOR_P99 = 20, 100  # packets, of which fewer have none beyond the quantile
LEAST_CAUSE = 0.01  # of the whole variance, that a finding explains to be among the conclusions


def summary_lines(data: ReportData) -> list[str]:
    """The conclusion in five lines or fewer."""
    views = route_views(data)
    first = _delay_line(data, views)
    if not first:
        return [*_nothing(data), _accounting_line(data)]
    if not views:
        return [first, _accounting_line(data)]
    main = views[0]
    if main.numbers.total.n == 1:
        return [first, budget_sentence(main), _accounting_line(data)]
    text = [first, budget_sentence(main), routenumbers.steps_conclusion(main.numbers) + "."]
    cause = _cause_line(main)
    return [*text, *([cause] if cause else []), _accounting_line(data)][:MAX_LINES]


def headline(data: ReportData) -> list[tuple[str, str]]:
    """The numbers on top: (name, number)."""
    views, total = route_views(data), _total(data)
    if total is None or not total.n:
        return []
    whole = views[0].noun if views else "round-trip time"
    account = data.analysis.account
    sent = account.total if account else total.n + total.lost
    counted = ("packets timelined", f"{number_text(total.n)} of {number_text(sent)}")
    if total.n == 1:
        return [(whole, time_text(total.median_ns)), counted]
    found = [
        (f"median {whole}", time_text(total.median_ns)),
        ("peak-to-peak jitter", time_text(total.peak_to_peak_ns)),
        (f"99 % of the {whole}s within", time_text(total.p99_ns))
        if total.n >= LEAST_FOR_P99
        else (f"longest {whole}", time_text(total.max_ns)),
        counted,
    ]
    if views and np.isfinite(views[0].numbers.variances).all():
        kind, share = _worst(views[0])
        found.append((f"of the variance: {kind.value}", share_text(min(share.value, 1.0))))
    return found


def budget_sentence(view: RouteView) -> str:
    """What takes most of the time, and what makes most of the jitter, with its interval."""
    budget = view.study.budget if view.study is not None else None
    numbers = view.numbers
    if budget is None or not np.isfinite(numbers.variances).all():
        return routenumbers.where_conclusion(numbers) + "."
    most, share = routenumbers.largest_kind(numbers.by_kind(numbers.means))
    worst, variance = _worst(view)
    tail = numbers.by_kind([each.value for each in budget.tail])[worst]
    text = f"Most of the time ({share_text(share)}): {most.value}; most of the variance: {worst.value}, "
    text += whole_share(variance)
    if np.isfinite(tail):
        part = "all" if tail > 1 else share_text(tail)
        text += f", and {part} of what the {tail_text(budget.tail_packets, budget.packets)} take longer"
    return text + "."


def causes(view: RouteView) -> list[tuple[Attribution, float]]:
    """What was found about the steps of a route, with the share of the whole variance that each step makes.

    The step whose findings explain most of the whole stands first; the whole delay is not among them.
    """
    if view.study is None:
        return []
    names = [step.name for step in view.route.steps.steps]
    shares = dict(zip(names, view.numbers.variances.tolist(), strict=True))
    found = [(each, shares[each.step]) for each in view.study.attributions if each.step in shares]

    def explained(pair: tuple[Attribution, float]) -> float:
        attribution, share = pair
        return max((finding.share for finding in attribution.findings), default=0.0) * float(np.nan_to_num(share))

    return sorted(found, key=lambda pair: -explained(pair))


def cause_sentences(view: RouteView) -> list[str]:
    """What the findings say, one sentence each, those of several steps that are alike together; the largest first.

    Only findings that explain a hundredth of the whole variance or more are said.
    """
    groups: list[tuple[Finding, list[str]]] = []
    short = {step.name: routenumbers.short_name(step) for step in view.route.steps.steps}
    for attribution, share in causes(view):
        for finding in attribution.findings:
            # Of findings of one kind in one step the largest is said: causes that go together explain the same.
            said = any(first.kind == finding.kind and short[attribution.step] in names for first, names in groups)
            if said or not finding.share * share >= LEAST_CAUSE:
                continue
            alike = next((names for first, names in groups if _alike(first, finding)), None)
            if alike is not None:
                alike.append(short[attribution.step])
            else:
                groups.append((finding, [short[attribution.step]]))
    by_step = [f"In {' and '.join(names)} {_lower(finding.sentence)}" for finding, names in groups]
    return [*_whole_cause(view), *by_step]


def _whole_cause(view: RouteView) -> list[str]:
    """What explains more of the whole delay than the findings in its steps do together, if anything."""
    whole = [each for each in view.study.attributions if each.step == TOTAL] if view.study is not None else []
    findings = [finding for each in whole for finding in each.findings]
    best = max(findings, key=lambda finding: finding.share, default=None)
    by_steps = sum(
        max((finding.share for finding in each.findings), default=0.0) * max(float(np.nan_to_num(share)), 0.0)
        for each, share in causes(view)
    )
    if best is None or best.share < max(2 * by_steps, LEAST_CAUSE):
        return []
    return [f"As a whole, {_lower(best.sentence).replace('the step', f'the {view.noun}')}"]


def sentence_of(attribution: Attribution) -> str:
    """Its conclusion, with the name of the step in it."""
    said = attribution.sentence
    return said if attribution.step.lower() in said.lower() else f"{attribution.step}: {said}"


def _alike(one: Finding, other: Finding) -> bool:
    """Whether two steps show the same structure with the same share: one lattice, or a beat with the same activity."""
    if one.kind != other.kind or one.kind not in {"lattice", "beat"}:
        return False
    periods = [period_ns(each) for each in (one, other)]
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
    """A sentence that goes on another one."""
    return "the " + sentence.removeprefix("The ") if sentence.startswith("The ") else sentence


def _delay_line(data: ReportData, views: tuple[RouteView, ...]) -> str:
    """How long packets took; empty when none arrived."""
    total = _total(data)
    if total is None or not total.n:
        return ""
    rate = data.timelines.samplerate_hz if data.timelines is not None else views[0].route.steps.samplerate_hz
    digits = digits_for(total.median_ns, spread_ns=total.peak_to_peak_ns, resolution_ns=float(NS_PER_S / rate))
    median, least, most, p95 = (
        time_text(ns, digits=digits) for ns in (total.median_ns, total.min_ns, total.max_ns, total.p95_ns)
    )
    if data.timelines is not None:
        subject, many = "The round trip takes", f"{number_text(total.n)} round trips need"
    else:
        subject, many = (
            f"From {views[0].route.name.replace(' > ', ' to ')} a packet takes",
            f"{number_text(total.n)} packets need",
        )
    if total.n == 1:
        return f"{subject} {median}, by the one packet that is known whole.{_known(views)}"
    said = f"{subject} {median} in the median, {least} at least and {most} at most"
    if total.n < LEAST_FOR_P95:
        return f"{said}, by {count_text(total.n, 'packet')}.{_known(views)}"
    return f"{said}; {share_text(0.95)} of the {many} {p95} or less.{_known(views)}"


def _known(views: tuple[RouteView, ...]) -> str:
    """How well one delay is known, as a sentence with a space before it; empty where nobody computed it."""
    if views and views[0].study is not None and views[0].study.uncertainties:
        expanded = views[0].study.uncertainties[-1].expanded_ns
        return f" One delay is known to ± {time_text(expanded, digits=2)} (k = 2)." if expanded > 0 else ""
    return ""


def _total(data: ReportData) -> Summary | None:
    """Of round trips all that have one, also where a step is unknown; else of the route with the most packets."""
    lines, views = data.timelines, route_views(data)
    if lines is None:
        return views[0].numbers.total if views else None
    lost = int(np.count_nonzero(lines.status == LOST))
    return summarize(lines.rtt[lines.timelined], samplerate_hz=lines.samplerate_hz, lost=lost)


def _nothing(data: ReportData) -> list[str]:
    if data.timelines is not None:
        return ["No packet made a round trip that the pins show."]
    return ["No packet is known whole on the pins, from one end of its way to the other."]


def _worst(view: RouteView) -> tuple[Kind, Interval]:
    """The kind of steps that makes most of the variance, with its interval if the budget knows it."""
    kind, share = routenumbers.largest_kind(view.numbers.by_kind(view.numbers.variances))
    budget = view.study.budget if view.study is not None else None
    known = kind_interval(budget, kind) if budget is not None else None
    return kind, known or Interval(share, float("nan"), float("nan"), "")


def kind_interval(budget: Budget, kind: Kind) -> Interval | None:
    """The share of a kind of steps in the variance, with its interval."""
    return next((group.variance for group in budget.by_kind if group.name == kind.value), None)


def _cause_line(view: RouteView) -> str:
    """Where the largest part of the jitter comes from; empty if there is nothing to say."""
    said = cause_sentences(view)
    if said:
        return f"Where the jitter comes from: {said[0][0].lower()}{said[0][1:]}"
    found = causes(view)
    if found and not any(each.findings for each, _ in found):
        tests = sum(each.tests for each, _ in found)
        if not tests:
            return f"What causes the jitter could not be tested. {found[0][0].sentence}"
        return f"No structure was found in any of {count_text(len(found), 'step')} ({count_text(tests, 'test')})."
    return ""


def _accounting_line(data: ReportData) -> str:
    """Whether every packet is accounted for, in a sentence."""
    found = data.analysis.account
    if data.timelines is not None and (found is None or (found.extra and not found.total)):
        n = int(np.count_nonzero(data.timelines.timelined))
        seen = count_text(len(data.timelines), "send call")
        lack = "there is no log" if found is None else "the log has no packet"
        return f"{seen} seen on the pins, {number_text(n)} timelined; {lack} to compare."
    if found is None:
        routes = data.study.routes
        known = sum(len(each.route) for each in routes)
        lost, partial = (sum(getattr(each.route, name) for each in routes) for name in ("lost", "partial"))
        return (
            f"Packets on {count_text(len(routes), 'route')}: {number_text(known)} known whole, "
            f"{number_text(lost)} lost, {number_text(partial)} known in part."
        )
    lost_text = ", ".join(f"{number_text(n)} {reason}" for reason, n in found.lost.items()) or "none"
    if found.unaccounted:
        reasons = "; ".join(f"{number_text(n)}: {reason}" for reason, n in found.not_arrived.items())
        balance = f"{number_text(found.unaccounted)} not accounted for ({reasons})"
    elif found.extra:
        balance = f"{count_text(found.extra, 'packet')} on the pins that its log does not have"
    else:
        balance = "every packet is accounted for"
    sent = count_text(found.total, "packet")
    return f"The firmware sent {sent}: {number_text(found.arrived)} timelined, lost: {lost_text}; {balance}."
