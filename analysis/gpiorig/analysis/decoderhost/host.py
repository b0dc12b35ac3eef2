"""Runs stacks of decoders over a waveform, one after the other."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpiorig.analysis.decoderhost import native
from gpiorig.analysis.decoderhost.errors import DecoderError, Outside
from gpiorig.analysis.decoderhost.instance import Instance
from gpiorig.analysis.decoderhost.outputs import Selection, Sink
from gpiorig.analysis.decoderhost.source import Rereading, Source
from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.capture.edges.waveform import RateOrigin, Waveform


@dataclass(frozen=True, slots=True)
class Failure:
    """Something a decoder did wrong.

    Attributes
    ----------
    source
        Name of the instance.
    stack
        Number of its stack.
    sample
        How far its stack had come.
    what
        The exception, or what was wrong with an output.
    trace
        Where in the decoder's code: "file:line, function" from the outermost inwards; empty for an output.
    """

    source: str
    stack: int
    sample: int
    what: str
    trace: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
    """How decoding went.

    Attributes
    ----------
    gaps
        Gaps in the capture; all decoders were ended before and restarted after each.
    failures
        What went wrong, the first ones of each instance.
    failed
        Number of all failures.
    """

    gaps: int = 0
    failures: list[Failure] = field(default_factory=list)
    failed: int = 0


HERE = str(Path(__file__).parent)
KEPT_FAILURES = 3  # of one instance and kind


def decode(
    waveform: Waveform,
    stacks: Sequence[Stack],
    *,
    selection: Selection,
    sink: Sink,
) -> Outcome:
    """Run stacks over a capture, in memory that does not grow with it.

    The outputs of a stack come in the order in which its decoders give them, all of the first stack first.

    Parameters
    ----------
    waveform
        The capture; read once, or once for each of several stacks where it has more edges than are kept.
    stacks
        What `parse_stacks` returns.
    selection
        Which outputs are wanted.
    sink
        Takes them.

    Returns
    -------
    Outcome
        Gaps, and what decoders did wrong. A decoder that raises has ended, up to the next gap; an exception in one that
        is stacked costs one of its inputs; as under sigrok-cli.
    """
    outcome = Outcome()
    try:
        read = waveform.read if len(stacks) == 1 else Rereading(waveform).read
        for stack in stacks:
            source = Source(read())
            run = _Run(stack, waveform, source, selection, sink, outcome)
            while source.next_interval():
                run.interval()
            outcome.gaps = source.gaps
    except Outside as outside:
        raise outside.error from None
    return outcome


class _Run:
    """One stack over one reading of the capture."""

    def __init__(
        self, stack: Stack, waveform: Waveform, source: Source, selection: Selection, sink: Sink, outcome: Outcome
    ) -> None:
        self._stack, self._source = stack, source
        # As sigrok does, decoders are not given a rate that is not known: some can do without.
        is_known = waveform.rate_origin is not RateOrigin.NONE
        self._samplerate_hz = round(waveform.samplerate_hz) if is_known else None
        self._selection, self._sink, self._outcome = selection, sink, outcome

    def interval(self) -> None:
        """Decode up to the next gap, with new instances."""
        instances = self._instances()
        try:
            instances[0].attach(self._stack.bits, self._source.next_chunk)
            self._run(instances)
        finally:
            for instance in instances:
                instance.release()

    def _run(self, instances: Sequence[Instance]) -> None:
        first_sample = native.sample(instances[0].decoder)
        for work in (
            lambda instance: instance.tell_samplerate(self._samplerate_hz),
            lambda instance: instance.start(first_sample),
        ):
            for instance in instances:
                if not self._works(work, instance):
                    return
        self._works(lambda instance: instance.decoder.decode(), instances[0])

    def _instances(self) -> list[Instance]:
        instances: list[Instance] = []
        for layer in self._stack.layers:
            try:
                instance = Instance(
                    layer,
                    stack=self._stack.number,
                    selection=self._selection,
                    sink=self._sink,
                    shift=self._source.shift,
                    failed=self._failed,
                )
            except Exception as error:
                raise DecoderError(f"{layer.name} cannot be made: {type(error).__name__}: {error}") from error
            if instances:
                instances[-1].stack(instance)
            instances.append(instance)
        return instances

    def _works(self, work: Callable[[Instance], None], instance: Instance) -> bool:
        try:
            work(instance)
        except Exception as error:
            if not native.has_ended(instance.decoder):  # at the end of the samples a decoder leaves by an exception
                self._failed(instance, error)
            return False
        return True

    def _failed(self, instance: Instance, error: Exception | str) -> None:
        self._outcome.failed += 1
        source, number = instance.layer.name, self._stack.number
        if sum((one.source, one.stack) == (source, number) for one in self._outcome.failures) >= KEPT_FAILURES:
            return
        what, frames = str(error), []
        if isinstance(error, Exception):
            what = f"{type(error).__name__}: {error}"
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if HERE not in frame.filename]
        trace = tuple(f"{frame.filename}:{frame.lineno}, {frame.name}" for frame in frames)
        sample = int(getattr(instance.decoder, "samplenum", 0)) - self._source.shift
        self._outcome.failures.append(Failure(source, number, sample, what, trace))
