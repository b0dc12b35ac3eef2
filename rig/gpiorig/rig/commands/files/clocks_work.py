"""`gpiorig clocks`: how nodes' clocks run, by logs that carry host and node time, or by the pins."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from gpiorig.analysis.clocks import node_json
from gpiorig.analysis.clocks.node_clock import BootPeriod, NodeClock
from gpiorig.analysis.clocks.node_json import ClockLine, MinimumDelay
from gpiorig.analysis.clocks.resolution import residual_text
from gpiorig.analysis.number_text import count_text, round_time_text, signed_text, time_text, typeset
from gpiorig.analysis.statistics.interval_text import ppm_interval
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import clock_fits
from gpiorig.rig.measure.clock_fits import ClockNumbers
from gpiorig.rig.recordings import standing

STRANGE = "does not follow"


MAX_BOOT_PERIODS = 10  # in text


RESULTS = {"clocks": (ClockNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Read, fit, draw, print."""
    head, clocks = clock_fits.fitted(options)
    head |= standing.announced(options.log, as_json=options.json).as_json()
    if options.figure:
        _draw(options.figure, clocks, virtual=bool(head["virtual"]))
    _print(options, head, clocks)
    notes = [note for clock in clocks.values() for period in clock.boot_periods for note in period.notes]
    fitted = any(period.segments for clock in clocks.values() for period in clock.boot_periods)
    wrong = any(clock.note for clock in clocks.values())
    return int(not fitted or wrong or any(STRANGE in note for note in notes))


def _print(options: argparse.Namespace, head: dict[str, Any], clocks: dict[str, NodeClock]) -> None:
    if options.json:
        print(plain_json.text(clock_fits.numbers(head, clocks)))
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
