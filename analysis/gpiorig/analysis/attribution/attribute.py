"""Attribution of every step of a route: all tests on all steps, with one level for the tests of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from gpiorig.analysis import ordered_pool
from gpiorig.analysis.attribution import beat, channel, dependence, lattice_finding, modes, trend
from gpiorig.analysis.attribution.activities import Activity
from gpiorig.analysis.attribution.channel import Split
from gpiorig.analysis.attribution.covariates import PREEMPTED
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.attribution.on_air import Wait
from gpiorig.analysis.attribution.series import effective_n
from gpiorig.analysis.attribution.step_series import Series, for_route
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES, resolved

KIND = "retransmission"
Samples = NDArray[np.int64]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]

# Probability of any finding in a step without structure, over all its tests (Holm, Scandinavian J. Statistics 6, 1979)
LEVEL = 0.01
MIN_PACKETS = 30
POWER = 0.8
CLEARLY = 1.1  # times the share
OF_THE_AIR = {"lattice", "channel", KIND}
EXPOSED_NS = 1500  # by which a step is longer for each microsecond pre-empted: more, and it waits for something else


def attribute(
    route: Route,
    *,
    covariates: Mapping[str, Floats] | Callable[[Rows], Mapping[str, Floats]] | None = None,
    activities: Mapping[str, Activity] | None = None,
    waits: Mapping[str, Wait] | None = None,
    retransmissions: Mapping[str, Samples] | None = None,
) -> tuple[Attribution, ...]:
    """Attribute every step and the total delay of a route.

    Parameters
    ----------
    route
        Packets and their steps.
    covariates
        By name float64[k], or float64[k, s] where they differ from step to step: the total delay gets the sums of the
        known values. NaN where unknown. Or a function that gives them for some packets, int64[r] of the k, which
        takes less memory where packets are thinned out.
    activities
        Periodic activities on the nodes; a step is tested against those of its own nodes (``NODE: …``), the total delay
        against all.
    waits
        By step, the frames that the packets met on the air (`Air.wait`, from `frame_owners.for_route`).
    retransmissions
        By step, int64[k], what each packet waits in it because its frame is sent again (`radio_parts`).

    Returns
    -------
    tuple of Attribution
        One per step in the order of the path, then one of the total delay. Equal data give equal results.
    """
    every = for_route(route, covariates or {}, activities or {}, waits or {}, retransmissions or {})
    return tuple(ordered_pool.in_order(attribute_series, every))


def attribute_series(series: Series) -> Attribution:
    """All tests on one step."""
    n = len(series.delays)
    if n < MIN_PACKETS:
        text = f"{count_text(n, 'packet')}: fewer than {MIN_PACKETS} tell nothing about structure."
        return Attribution(series.name, (), 0, LEVEL, text)
    if not resolved(series.delays):
        finest = time_text(RESOLUTION_SAMPLES * series.period_ns)
        text = f"Does not vary by more than the resolution ({finest}): nothing to test."
        return Attribution(series.name, (), 0, LEVEL, text)
    tested, notes = _tests(series)
    findings = _significant(tested, series)
    split = series.split
    if isinstance(split, Split) and split.long.any() and not any(finding.kind == "channel" for finding in findings):
        longer = f"{int(np.count_nonzero(split.long))} of {count_text(len(split.long), 'packet')}"
        notes.append(f"{longer} waited longer than one backoff; the reason is unknown at this level.")
    return Attribution(
        step=series.name,
        findings=findings,
        tests=len(tested),
        level=LEVEL,
        sentence=_sentence(series, findings, len(tested), notes),
    )


def _tests(series: Series) -> tuple[list[Finding], list[str]]:
    """The results of every possible test, and the reasons why others are not possible."""
    unit, shape, x = series.period_ns, series.delays, settled(series.delays)
    beats = [
        beat.known(x, series.begins, activity, period_ns=unit, interval=series.interval)
        for activity in series.activities
    ]
    notes = [
        f"A beat with {activity.name} cannot be tested: {result}."
        for activity, result in zip(series.activities, beats, strict=True)
        if isinstance(result, str)
    ]
    again = None if series.repeats is None else finding(shape, series.repeats, period_ns=unit)
    if again is not None and series.repeats is not None and np.array_equal(shape, series.repeats):
        return [again], []
    split = series.split if isinstance(series.split, Split) else None
    if isinstance(series.split, str):
        notes.append(f"A busy channel cannot be tested: {series.split}.")
    levels = lattice_finding.test(shape, period_ns=unit, among=split.free if split is not None else None)
    if levels is not None and float(str(levels.numbers.get("grid_p_value", 1.0))) <= LEVEL:
        notes.append(levels.sentence)
    results = [
        again,
        levels,
        channel.test(shape, split, period_ns=unit, level=LEVEL) if split is not None else None,
        modes.test(shape, period_ns=unit),
        *(result for result in beats if not isinstance(result, str)),
        beat.unknown(x, series.begins, period_ns=unit, interval=series.interval),
        *(dependence.test(x, values, name=name, period_ns=unit) for name, values in series.covariates.items()),
        trend.trend(x, series.starts, period_ns=unit),
        trend.change(x, series.starts, period_ns=unit, level=LEVEL),
    ]
    return [result for result in results if result is not None], notes


def settled(delays: Samples) -> Samples:
    """Delays whose middle half lies within the resolution, with all near it put on the median.

    The remaining variance is of the packets that met something. Other delays are returned unchanged.
    """
    low, median, high = np.quantile(delays, [0.25, 0.5, 0.75])
    if high - low > RESOLUTION_SAMPLES:
        return delays
    return np.where(np.abs(delays - median) <= RESOLUTION_SAMPLES, int(median), delays)


def _significant(tested: list[Finding], series: Series) -> tuple[Finding, ...]:
    """The findings that pass Holm's procedure, without those below the resolution or explained better by another."""
    ordered = sorted(tested, key=lambda finding: finding.p_value)
    findings: list[Finding] = []
    for rank, finding in enumerate(ordered):
        if finding.p_value > LEVEL / (len(ordered) - rank):
            break
        findings.append(finding)
    spread = float(np.std(series.delays))
    finest = RESOLUTION_SAMPLES / np.sqrt(12)
    findings = [finding for finding in findings if np.sqrt(max(finding.share, 0.0)) * spread > finest]
    findings = [finding for finding in findings if not _exposed(finding)]
    kinds = {finding.kind for finding in findings}
    named = any(finding.kind == "beat" and finding.numbers["activity"] for finding in findings)
    if {"channel", KIND} <= kinds:  # both have retransmissions: all, or those on lines
        share = {finding.kind: finding.share for finding in findings}
        lesser = "channel" if share[KIND] > share["channel"] else KIND
        findings = [finding for finding in findings if finding.kind != lesser]
    if {"lattice", "channel", KIND} & kinds:  # levels, and delays beyond them, are not modes
        findings = [finding for finding in findings if finding.kind != "modes"]
    if named:  # the period of the search is that of the known activity
        findings = [finding for finding in findings if finding.kind != "beat" or finding.numbers["activity"]]
    if {
        "trend",
        "change",
    } <= kinds:  # many jumps look like a trend and a jump like one: jumps must explain clearly more
        share = {finding.kind: finding.share for finding in findings}
        worse = "trend" if share["change"] > CLEARLY * share["trend"] else "change"
        findings = [finding for finding in findings if finding.kind != worse]
    if {"channel", KIND} & kinds:  # the air has precedence over other explanations
        left = 1 - sum(finding.share for finding in findings if finding.kind in OF_THE_AIR)
        findings = [finding for finding in findings if finding.kind in OF_THE_AIR or finding.share <= left]
    return tuple(sorted(findings, key=lambda finding: (-finding.share, finding.p_value)))


def _exposed(finding: Finding) -> bool:
    """Tell whether a step is pre-empted more because it lasts longer, not the other way round.

    A step that works is longer by the time pre-empted; one that waits, by the inverse of their share.
    """
    slope = finding.numbers.get("slope")
    return finding.numbers.get("on") == PREEMPTED and isinstance(slope, Interval) and slope.low > EXPOSED_NS


def _sentence(series: Series, findings: tuple[Finding, ...], tests: int, notes: list[str]) -> str:
    n = len(series.delays)
    sample_of = f" of {count_text(series.packets, 'packet')}" if series.packets > n else ""
    base = f"{count_text(n, 'packet')}{sample_of}{' chosen at random' if sample_of else ''}"
    rest = "".join(f" {note}" for note in notes)
    if findings:
        others = len(findings) - 1
        more = f" {count_text(others, 'more finding')}." if others else ""
        return f"{findings[0].sentence}{more} ({tests} tests on {base}, level {LEVEL:g}.){rest}"
    seen = _detectable(n=effective_n(series.delays.astype(np.float64)), tests=tests)
    return (
        f"No finding in {tests} tests on {base} at level {LEVEL:g}; a structure that makes {share_text(seen)} of the"
        f" variance would have been found, 4 times in 5.{rest}"
    )


def _detectable(*, n: float, tests: int) -> float:
    """Share of the variance that one test finds with a probability of 80 %: (z(1 - level/(2 m)) + z(0.8))^2 / n."""
    z = float(ndtri(1 - LEVEL / (2 * tests))) + float(ndtri(POWER))
    return min(1.0, z * z / n)


def finding(delays: Samples, repeats: Samples, *, period_ns: float) -> Finding | None:
    """The share of the waits for retransmissions in the variance of a delay; None where no packet waited for one.

    Parameters
    ----------
    delays, repeats
        int64[k], samples: the delay of each packet, and the part of it that waits for a retransmission.
    period_ns
        Of a sample.
    """
    waited, variance = repeats[repeats > 0], float(np.var(delays))
    if not len(waited) or not variance:
        return None
    share = float(np.mean((repeats - repeats.mean()) * (delays - delays.mean()))) / variance
    least, most = (time_text(float(samples) * period_ns) for samples in (waited.min(), waited.max()))
    until = f"{least} to {most}" if least != most else least
    packets = f"{len(waited)} of {count_text(len(delays), 'packet')}"
    shown = share_text(share) if share < 1 else "all"
    return Finding(
        kind=KIND,
        sentence=f"{packets} waited for a retransmission, {until}, which makes {shown} of the variance.",
        p_value=0.0,
        share=share,
        numbers={"retransmitted_packets": len(waited), "packets": len(delays)},
    )
