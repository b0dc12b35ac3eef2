"""`gpiorig clocks`: how nodes' clocks run, by logs that carry host and node time, or by the pins."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.clocks import break_causes, node_clock, node_json, pairing, timer_guesses
from gpiorig.analysis.clocks.node_clock import BootPeriod, NodeClock
from gpiorig.analysis.clocks.node_json import ClockLine, ClockOfNode, MinimumDelay
from gpiorig.analysis.clocks.resolution import residual_text
from gpiorig.analysis.delays.instruments import ASSUMED, CLOCK_PPM
from gpiorig.analysis.events import events
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.number_text import count_text, round_time_text, signed_text, time_text, typeset
from gpiorig.analysis.statistics.interval_text import ppm_interval
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import clock_lines, log_times
from gpiorig.rig.measure.clock_lines import Found
from gpiorig.rig.plain_json import Result
from gpiorig.rig.progress import iterate
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks

NAMELESS = "log"  # of a node that neither the log nor the pattern names


STRANGE = "does not follow"


MAX_BOOT_PERIODS = 10  # in text


class ClockNumbers(Result, frozen=True, kw_only=True):
    """The clocks of nodes against a reference; counts of lines are of a log, `breaks` of the pins."""

    source: str
    reference: str
    reference_clock_ppm: float
    reference_clock_origin: str
    virtual: bool | None
    lines: int | UnsetType = UNSET
    matched: int | UnsetType = UNSET
    unmatched: int | UnsetType = UNSET
    stamps: int | UnsetType = UNSET
    irregularities: dict[str, int] | UnsetType = UNSET
    breaks: list[str] | UnsetType = UNSET
    state: str | None
    remarks: tuple[str, ...]
    nodes: dict[str, ClockOfNode]


RESULTS = {"clocks": (ClockNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Read, fit, draw, print."""
    head, clocks = _from_pins(options) if options.pattern is None else _from_lines(options)
    head |= standing.announced(options.log, as_json=options.json).as_json()
    clocks = dict(sorted(clocks.items()))
    if options.figure:
        _draw(options.figure, clocks, virtual=bool(head["virtual"]))
    _print(options, head, clocks)
    notes = [note for clock in clocks.values() for period in clock.boot_periods for note in period.notes]
    fitted = any(period.segments for clock in clocks.values() for period in clock.boot_periods)
    wrong = any(clock.note for clock in clocks.values())
    return int(not fitted or wrong or any(STRANGE in note for note in notes))


def _from_lines(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NodeClock]]:
    pattern = re.compile(options.pattern)
    boot = re.compile(options.boot) if options.boot else None
    log_stamps = clock_lines.read(options.log, options, pattern=pattern, boot=boot)
    if not log_stamps.matched:
        raise RigError(
            f"{options.log}: none of {log_stamps.lines} lines matches --pattern {options.pattern!r} with a number; "
            "try it on one of its lines."
        )
    virtual = None
    if options.log.is_dir() and (options.log / DESCRIPTION).exists():
        virtual = Recording.open(options.log).info.virtual
    head = {
        "source": log_stamps.source,
        "reference": "host",
        "reference_clock_ppm": CLOCK_PPM,
        "reference_clock_origin": ASSUMED,
        "virtual": virtual,
        "lines": log_stamps.lines,
        "matched": log_stamps.matched,
        "unmatched": log_stamps.lines - log_stamps.matched,
        "stamps": sum(len(stamps.numbers) for stamps in log_stamps.nodes.values()),
        "irregularities": dict(log_stamps.odd),
    }
    return head, _fitted(options, log_stamps)


def _chosen(options: argparse.Namespace, nodes: Iterable[str]) -> list[str]:
    """The nodes that are asked for; raises `RigError` if one is not there."""
    there = list(nodes)
    if unknown := sorted(set(options.node).difference(there)):
        raise RigError(
            f"{options.log}: no timestamps of node {unknown[0]}; available nodes: {', '.join(sorted(there))}."
        )
    return [node for node in there if not options.node or node in options.node]


def _fitted(options: argparse.Namespace, log_stamps: Found) -> dict[str, NodeClock]:
    where = clock_lines.groups(re.compile(options.pattern))
    clocks = {}
    named = {node or NAMELESS: stamps for node, stamps in log_stamps.nodes.items()}
    for node in iterate(_chosen(options, named), "fitting", unit="nodes"):
        stamps = named[node]
        ticks, digits = stamps.ticks()
        host_ns = np.array(stamps.host_ns, dtype=np.int64)
        tick_hz = clock_lines.tick_hz(options, where, digits)
        if tick_hz is None:
            rate, usual = timer_guesses.nominal_hz(ticks, host_ns, 10**digits)
            if usual is None and len(ticks) > 2 and rate == rate:
                raise RigError(
                    f"{options.log}: the time of {node} counts {rate / 10**digits:.6g} per second of the "
                    "host, which is not a usual rate; give --tick-hz, or --time-unit."
                )
            tick_hz = usual or Fraction(10**digits)
        modulus = timer_guesses.likely_modulus(ticks) if options.bits is None else (1 << options.bits) * 10**digits
        if modulus and modulus >= log_times.LIMIT:
            raise RigError(
                f"--bits {options.bits}: too many for times with {digits} decimals; give fewer, or 0 if none wraps."
            )
        clocks[node] = node_clock.node_clock(
            node,
            ticks,
            host_ns,
            reference="host",
            tick_hz=tick_hz,
            modulus=None if options.bits == 0 else modulus,
            boots=stamps.boots,
            scale=10**digits,
            slack_ns=int(options.slack * 1e9),
        )
    return clocks


def _from_pins(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NodeClock]]:
    opened = open_recording(options.log)
    recording = opened.recording
    logged = [node for node in opened.known_bench.nodes if node in recording.nodes]
    seen = events.from_edges(recording.edges(), opened.wiring)
    chosen = _chosen(options, logged)
    logs = {node: node_log.parse(recording.serial(node).data, node=node) for node in logged}
    causes = break_causes.causes(seen, logs, steady_ppm=checks.steady_ppm(logs), bounds=recording.info.bounds)
    clocks = {}
    for node in chosen:
        pairs, rate_hz = pairing.best(seen, logs[node]), seen.samplerate_hz
        breaks = sorted(cause.end for cause in causes if cause.node in {"", node})
        if len(pairs):
            clocks[node] = pairing.node_clock(pairs, node=node, samplerate_hz=rate_hz, breaks=breaks)
    if not clocks:
        raise RigError(
            f"{options.log}: no timestamp of a node belongs to an event on the pins; "
            "give --pattern to fit against the recorder's timestamps."
        )
    head = {
        "source": str(options.log),
        "reference": "analyzer",
        "reference_clock_ppm": opened.instruments.reference.clock_ppm,
        "reference_clock_origin": opened.instruments.reference.source("clock_ppm"),
        "virtual": recording.info.virtual,
    }
    return head | {"breaks": [cause.text for cause in causes]}, clocks


def _print(options: argparse.Namespace, head: dict[str, Any], clocks: dict[str, NodeClock]) -> None:
    if options.json:
        nodes = {node: node_json.of_clock(clock) for node, clock in clocks.items()}
        print(plain_json.text(ClockNumbers(**head, nodes=nodes)))
        return
    for clock in clocks.values():
        print("\n".join(_text(clock)))
    for text in head.get("breaks", []):
        print(f"{text} Each clock that it concerns is fitted before it and after it.")
    limit_ppm, origin = head["reference_clock_ppm"], head["reference_clock_origin"]
    print(f"rates are against the clock of the {head['reference']}, itself within ±{limit_ppm:g} ppm, {origin}")
    if "unmatched" in head:
        odd = "".join(f"; {what}: {count}" for what, count in head["irregularities"].items())
        several = f", with {head['stamps']} timestamps" if head["stamps"] != head["matched"] else ""
        print(f"{head['matched']} of {head['lines']} lines matched{several}{odd}")


def _text(clock: NodeClock) -> list[str]:
    words = [f"{count_text(clock.n, 'timestamp')} in steps of {round_time_text(clock.quantisation_ns)}"]
    words += [count_text(clock.resets, "reset"), count_text(clock.backsteps, "step back", "steps back")]
    words += [f"{count_text(clock.wraps, 'wrap')} at {clock.modulus}"] if clock.modulus else []
    if clock.reference_backsteps:
        words += [f"the {clock.reference} went back {count_text(clock.reference_backsteps, 'time')}"]
    lines = [f"{clock.node} against {clock.reference}: {', '.join(words)}; a tick is 1/{float(clock.tick_hz):.12g} s"]
    step_ns = max(clock.quantisation_ns, clock.reference_quantisation_ns)
    for period in clock.boot_periods[:MAX_BOOT_PERIODS]:
        lines += [f"  {line}" for line in _boot_period_text(period, step_ns)]
    left = len(clock.boot_periods) - MAX_BOOT_PERIODS
    lines += [f"  and {left} more boot periods; --json prints all"] * (left > 0)
    return lines + [f"  {clock.note}"] * bool(clock.note)


def _boot_period_text(period: BootPeriod, step_ns: float) -> list[str]:
    numbers, line = node_json.of_boot_period(period), node_json.line(period)
    if line is None:
        return [f"{count_text(numbers.n, 'timestamp')}: no fit, {numbers.note}"]
    span = line.end_s - line.start_s
    lines = [
        f"{count_text(numbers.n, 'timestamp')} over {span:.3f} s: {_ppm(line)}, "
        f"residual {residual_text(line.residual_std_s * 1e9, step_ns)} (standard deviation), "
        f"{count_text(line.outliers, 'outlier')}, offset {typeset(format(line.offset_s, '.6f'))} s"
    ]
    if len(line.bands_s) > 1:
        levels = ", ".join(time_text(level * 1e9) if level else "0" for level in sorted(line.bands_s))
        lines.append(f"  timestamps lie in {len(line.bands_s)} bands, at {levels} from the largest")
    lines += [
        f"  from {p.start_s:.6f} to {p.end_s:.6f} s: {_ppm(p)}, offset {typeset(format(p.offset_s, '.6f'))} s"
        for p in numbers.segments
    ]
    if numbers.drift_ppm_per_s is not None:
        lines.append(f"  drift {signed_text(numbers.drift_ppm_per_s, '.3g')} ppm per s")
    if least := numbers.minimum_delay:
        late = ", ".join(f"{name} {time_text(value * 1e9)}" for name, value in least.delay_s.items())
        lines.append(f"  minimum delay: {_ppm(least)}; later than the fastest line by {late}")
    return lines + [f"  {numbers.note}"] * bool(numbers.note)


def _ppm(line: ClockLine | MinimumDelay) -> str:
    low, high = line.ppm_interval or (math.nan, math.nan)
    return ppm_interval(Interval(line.ppm, low, high, ""), sign="+")


def _draw(path: Path, clocks: dict[str, NodeClock], *, virtual: bool) -> None:
    from gpiorig.analysis.figures import clock_fits, style  # import matplotlib

    drawn = [clock for clock in clocks.values() if any(period.segments for period in clock.boot_periods)]
    if not drawn:
        raise RigError(f"--figure {path}: no clock could be fitted, so there is nothing to draw.")
    with style.paper():
        figure = clock_fits.residuals(drawn, virtual=virtual)
    style.save(figure, path)
