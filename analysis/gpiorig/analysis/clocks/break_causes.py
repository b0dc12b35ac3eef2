"""Causes of breaks between the nodes' timers and the analyzer: lost samples, or the clock of one node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpiorig.analysis.clocks import pairing, timer_breaks
from gpiorig.analysis.clocks.timer_breaks import CRYSTAL_PPM, Break, Timer
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.analysis.number_text import NS_PER_S, uncertain_text
from gpiorig.capture.edges import bounds as edge_bounds
from gpiorig.capture.edges.bounds import Bound

MAX_SENTENCES = 5
MAX_BREAKS = 3  # of a clock in a run; a timer that shows more of its own has a pattern in its timestamps


@dataclass(frozen=True, slots=True)
class Cause:
    """A break, and whose it is.

    Attributes
    ----------
    node
        The node whose clock broke; empty for the analyzer, and for all nodes at once.
    start, end
        The samples between which it is.
    text
        A sentence.
    """

    node: str
    start: int
    end: int
    text: str


def problems(
    events: Events,
    logs: Mapping[str, NodeLog],
    *,
    steady_ppm: Mapping[str, float] | None = None,
    bounds: Sequence[Bound] = (),
) -> list[str]:
    """A sentence for each of the first breaks, as `causes` finds them."""
    sentences = [cause.text for cause in causes(events, logs, steady_ppm=steady_ppm, bounds=bounds)]
    more = [f"{len(sentences) - MAX_SENTENCES} more breaks of clocks."] if len(sentences) > MAX_SENTENCES else []
    return sentences[:MAX_SENTENCES] + more


def causes(
    events: Events,
    logs: Mapping[str, NodeLog],
    *,
    steady_ppm: Mapping[str, float] | None = None,
    bounds: Sequence[Bound] = (),
) -> list[Cause]:
    """The breaks and their causes, in order; known gaps of the recording are omitted.

    What the timers of several nodes show in common is the analyzer's, unless a loss of this size would have been found,
    as in a recording without samples. What one shows and another one certainly lacks is its own. What one shows alone,
    more than `MAX_BREAKS` times, or in both directions may be a pattern of its timestamps: it is not stated.

    Parameters
    ----------
    events, logs
        What the pins show, and the nodes' own timestamps, by node.
    steady_ppm
        By node, by how much the rate of its timer changes without a fault; `CRYSTAL_PPM` if it has a crystal.
    bounds
        Which losses of samples would have been found in the recording.
    """
    ns_per_sample = float(NS_PER_S / events.samplerate_hz)
    timers = [
        timer_breaks.timer(
            pairing.best(events, log),
            node=node,
            ns_per_sample=ns_per_sample,
            steady_ppm=(steady_ppm or {}).get(node, CRYSTAL_PPM),
        )
        for node, log in logs.items()
    ]
    unordered = _causes(timers, events, bounds, ns_per_sample=ns_per_sample)
    return sorted(unordered, key=lambda cause: cause.start)


def _is_certain(clock_break: Break) -> bool:
    """Whether a step is more than twice what it is uncertain by."""
    return bool(clock_break.rate_ppm) or abs(clock_break.step_ns) > 2 * clock_break.uncertainty_ns


def _causes(timers: list[Timer], events: Events, bounds: Sequence[Bound], *, ns_per_sample: float) -> Iterator[Cause]:
    explained = {clock_break for timer in timers for clock_break in timer.breaks if _is_in_gap(clock_break, events)}
    for clock_break in (clock_break for timer in timers for clock_break in timer.breaks if _is_certain(clock_break)):
        if clock_break in explained:
            continue
        common = [clock_break, *(same for timer in timers for same in timer.breaks if _is_common(clock_break, same))]
        if len(common) == 1:
            continue
        explained.update(common)
        start, end = max(part.start for part in common), min(part.end for part in common)
        when = _when(start, end, ns_per_sample=ns_per_sample)
        yield Cause("", start, end, _of_analyzer(common, when, bounds, ns_per_sample=ns_per_sample))
    for timer in timers:
        alone = [clock_break for clock_break in timer.breaks if clock_break not in explained]
        made_up = explained.intersection(timer.breaks)
        for clock_break in alone if len(alone) <= MAX_BREAKS else []:
            lacking = (witness for witness in timers if witness.lacks(clock_break, ns_per_sample=ns_per_sample))
            witnesses = [witness.node for witness in lacking if witness is not timer]
            if witnesses and _is_certain(clock_break) and not timer.has_opposite(clock_break, explained=made_up):
                when = _when(clock_break.start, clock_break.end, ns_per_sample=ns_per_sample)
                did_not = f"that of {', '.join(witnesses)} did not."
                text = f"The clock of node {timer.node} {_change(clock_break)} {when}; {did_not}"
                yield Cause(timer.node, clock_break.start, clock_break.end, text)


def _is_in_gap(clock_break: Break, events: Events) -> bool:
    return any(start < clock_break.end and end > clock_break.start for start, end in events.gaps.tolist())


def _when(start: int, end: int, *, ns_per_sample: float) -> str:
    return f"between {start * ns_per_sample / 1e9:.6f} and {end * ns_per_sample / 1e9:.6f} s"


def _is_common(left: Break, right: Break) -> bool:
    """Whether two breaks are of different nodes and of the same time and size."""
    if left.node == right.node or bool(left.rate_ppm) != bool(right.rate_ppm):
        return False
    if left.start >= right.end or right.start >= left.end:
        return False
    if left.rate_ppm:
        return abs(left.rate_ppm - right.rate_ppm) < CRYSTAL_PPM
    return abs(left.step_ns - right.step_ns) < left.uncertainty_ns + right.uncertainty_ns


def _change(clock_break: Break) -> str:
    if clock_break.rate_ppm:
        return f"changed its rate by {clock_break.rate_ppm:+.0f} ppm"
    return f"stepped {_step(clock_break)}"


def _step(clock_break: Break) -> str:
    sign = "forward" if clock_break.step_ns > 0 else "back"
    return f"{sign} by {uncertain_text(abs(clock_break.step_ns), clock_break.uncertainty_ns)}"


def _of_analyzer(common: list[Break], when: str, bounds: Sequence[Bound], *, ns_per_sample: float) -> str:
    best = min(common, key=lambda part: part.uncertainty_ns)
    nodes = ", ".join(part.node for part in common)
    if best.rate_ppm:
        return f"The analyzer's clock changed its rate by {-best.rate_ppm:+.0f} ppm {when}, by the timers of {nodes}."
    count, uncertain = (round(abs(ns) / ns_per_sample) for ns in (best.step_ns, best.uncertainty_ns))
    least = count - uncertain if best.step_ns > 0 else 1  # bounds are of losses: none of samples too many
    if edge_bounds.shown(bounds, best.start, best.end, samples=least):
        found_by = ", ".join(dict.fromkeys(bound.found_by for bound in _within(bounds, best)))
        return (
            f"The timers of {nodes} stepped {_step(best)} together {when}, for an unknown cause: "
            f"no samples are missing there, by {found_by}."
        )
    missing = "samples are missing" if best.step_ns > 0 else "samples too many are"
    return f"{count} ± {uncertain} {missing} {when}, by the timers of {nodes}, which agree."


def _within(bounds: Sequence[Bound], clock_break: Break) -> list[Bound]:
    return [bound for bound in bounds if bound.start < clock_break.end and clock_break.start < bound.end]
