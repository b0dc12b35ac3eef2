"""What the times of a capture rest on: samplerate, step of the instants, clock of the recorder, and who states them.

What a file states, what its edges show, and what is assumed are named as such, in text and in JSON.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from gpiorig.analysis.delays import instruments
from gpiorig.analysis.delays.instruments import Analyzer
from gpiorig.analysis.number_text import NS_PER_S, count_text, hertz_text, round_time_text, time_text
from gpiorig.capture.edges.step_likelihood import FEWEST
from gpiorig.capture.edges.time_step import StepEstimator, observed
from gpiorig.capture.edges.waveform import RateOrigin, TimeStep, Waveform
from gpiorig.capture.recording.notes import TimeStepNote
from gpiorig.rig.plain_json import Number, Result

EXACT = (RateOrigin.RECORDER, RateOrigin.OPTION)  # rates that are taken as they are


class TimeBaseNumbers(Result, frozen=True, kw_only=True):
    """What the times of a capture rest on.

    `samplerate_origin` and `step_origin` name who states them: recorder, file, option, derived, times or edges.
    `step_edges` show the step, `possible_step_ns` may be it. `clock_ppm` is the limit of the recorder's clock.
    """

    samplerate_origin: str
    step_ns: float
    step_origin: str
    step_is_certain: bool
    step_edges: int
    possible_step_ns: Number
    rounding_ns: float
    clock_ppm: float
    clock_origin: str


@dataclass(frozen=True, slots=True)
class TimeBase:
    """The samplerate of a capture, the step of its instants, and its recorder.

    Attributes
    ----------
    samplerate_hz, origin
        As of `Waveform`.
    step
        Of its instants.
    recorder
        As of `Waveform`.
    analyzer
        What took it, with that step.
    """

    samplerate_hz: Fraction
    origin: RateOrigin
    recorder: str
    step: TimeStep
    analyzer: Analyzer

    def with_clock(self, clock_ppm: float, *, source: str) -> TimeBase:
        """The same with another limit of the clock."""
        sources = {**self.analyzer.sources, "clock_ppm": source}
        return dataclasses.replace(
            self, analyzer=dataclasses.replace(self.analyzer, clock_ppm=clock_ppm, sources=sources)
        )

    def numbers(self) -> TimeBaseNumbers:
        """The field `time_base` of a command's object."""
        step = self.step
        return TimeBaseNumbers(
            samplerate_origin=str(self.origin),
            step_ns=_ns(step.step_s),
            step_origin="edges" if step.is_coarser else str(self.origin),
            step_is_certain=step.is_certain or self.origin in EXACT,
            step_edges=step.edges,
            possible_step_ns=_ns(step.possible_s) if step.possible_s else None,
            rounding_ns=_ns(step.resolution_s) if step.is_rounded else 0.0,
            clock_ppm=self.analyzer.clock_ppm,
            clock_origin=self.analyzer.source("clock_ppm"),
        )

    def sentences(self) -> list[str]:
        """What is to be stated of the step; of a recording of an analyzer nothing."""
        return [text for text in (self._step_sentence(),) if text]

    def clock_text(self, span_ns: float = 0.0) -> str:
        """The limit of the clock, with what it makes of a duration where that matters."""
        limit_ppm = self.analyzer.clock_ppm
        limit_ns = span_ns * limit_ppm * 1e-6
        is_large = limit_ns > _ns(self.step.step_s) / 10
        part = f", ± {time_text(limit_ns)} in {time_text(span_ns)}" if is_large else ""
        return f"clock of the recorder: ±{limit_ppm:g} ppm{part}; {self.analyzer.source('clock_ppm')}"

    def _step_sentence(self) -> str:
        step, edges = self.step, count_text(self.step.edges, "edge")
        resolution = round_time_text(_ns(step.resolution_s))
        claim = {
            RateOrigin.TIMES: f"its times are printed in steps of {resolution} and state no samplerate",
            RateOrigin.FILE: f"it states {hertz_text(float(self.samplerate_hz))}",
            RateOrigin.DERIVED: f"its samplerate, {hertz_text(float(self.samplerate_hz))}, is derived from its times",
        }.get(self.origin, "")
        if not claim:
            return ""
        if step.is_coarser:
            doubt = "" if step.is_certain else "; it is too short to exclude that they are those of the signal"
            return f"{claim}; {edges} lie on steps of {_step_text(step.step_s)}, with which ± counts{doubt}"
        if self.origin is RateOrigin.DERIVED and step.edges < FEWEST:
            return f"{claim}: so few as {edges} may lie on its samples by chance"
        if self.origin is not RateOrigin.TIMES:
            return ""
        if step.possible_s:
            return (
                f"{claim}; {edges} lie on steps of {_step_text(step.possible_s)}, by chance or as the signal does; if "
                "the recorder sampled so, ± is too small: give the rate with --samplerate"
            )
        return f"{claim}; the edges show no coarser step, and ± counts with this one"

    def note(self) -> TimeStepNote:
        """What a recording keeps of it."""
        step = self.step
        return TimeStepNote(
            rate_origin=self.origin,
            resolution=str(step.resolution_s),
            step=str(step.step_s),
            possible=str(step.possible_s),
            is_certain=step.is_certain,
            is_rounded=step.is_rounded,
            edges=step.edges,
            recorder=self.recorder,
        )


def watch(waveform: Waveform, *, analyzer: Analyzer | None = None) -> tuple[Waveform, Callable[[], TimeBase]]:
    """The same capture, and its time base, which is complete once the capture has been read.

    Parameters
    ----------
    waveform
        The capture.
    analyzer
        What is known of its recorder; None: what its driver tells.
    """
    rate, origin = waveform.samplerate_hz, waveform.rate_origin
    taken_by = analyzer or instruments.by_driver(waveform.recorder, samplerate_hz=rate)
    estimator = StepEstimator(rate, is_text=origin is RateOrigin.TIMES)

    def base() -> TimeBase:
        step = waveform.step or estimator.step()
        return TimeBase(rate, origin, waveform.recorder, step, stepped(taken_by, step))

    is_known = waveform.step is not None or origin in EXACT
    return waveform if is_known else observed(waveform, estimator), base


def stepped(analyzer: Analyzer, step: TimeStep) -> Analyzer:
    """An analyzer whose edges lie on a step."""
    rounding_ns = _ns(step.resolution_s) if step.is_rounded else 0.0
    return dataclasses.replace(analyzer, period_ns=_ns(step.step_s), rounding_ns=rounding_ns)


def _ns(seconds: Fraction) -> float:
    return float(seconds * NS_PER_S)


def _step_text(step_s: Fraction) -> str:
    return f"{round_time_text(_ns(step_s))} ({hertz_text(float(1 / step_s), digits=6)})"
