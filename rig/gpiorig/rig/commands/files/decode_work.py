"""`gpiorig decode`: sigrok protocol decoders on a recording; ours for sigrok-cli and PulseView."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpiorig.analysis.decoderhost.outputs import OutputKind, Sink
from gpiorig.analysis.decoderhost.stack import parse_stacks
from gpiorig.capture.edges.waveform import RateOrigin, Waveform
from gpiorig.capture.recording.new_folder import DESCRIPTION
from gpiorig.rig import terminal, verbosity
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoding
from gpiorig.rig.progress import watched
from gpiorig.rig.recordings import inputs

if TYPE_CHECKING:
    from gpiorig.analysis.decoderhost.host import Outcome
    from gpiorig.rig.bench.bench import Bench
    from gpiorig.rig.recordings.time_base import TimeBase

PRINTED_BYTES = 1 << 16  # that are written at once, unless it is to a terminal


def run(options: argparse.Namespace) -> int:
    """Decode, or do what is asked for of our decoders. What not every decode needs is imported where it is needed."""
    if options.library or options.wiring:
        from gpiorig.rig.commands.files import decode_library

        return decode_library.run(options)

    from gpiorig.analysis.decoderhost.host import decode

    as_rows = options.json or options.output is not None
    waveform, bench = _open(options)
    base_of: Callable[[], TimeBase] | None = None
    if waveform.rate_origin in (RateOrigin.DERIVED, RateOrigin.TIMES):
        from gpiorig.rig.recordings import time_base

        waveform, base_of = time_base.watch(waveform)
    texts, notes = decoding.specifications(options.stacks, bench)
    for note in notes:
        verbosity.note(f"gpiorig decode: {note}")
    stacks = parse_stacks(texts, decoding.library(), waveform.channels)
    asked = {
        OutputKind.ANNOTATION: options.annotations,
        OutputKind.BINARY: options.binary,
        OutputKind.META: options.meta,
        OutputKind.PYTHON: options.python,
    }
    usual = decoding.TABLE_KINDS if as_rows else (OutputKind.ANNOTATION,)
    selection = decoding.selection(stacks, asked, usual=usual)
    with _sink(options) as sink:
        outcome = decode(watched(waveform, "decoding"), stacks, selection=selection, sink=sink)
    if _is_recording(options) or waveform.virtual:
        from gpiorig.rig.recordings import standing

        standing.announced(options.file, waveform)
    for sentence in base_of().sentences() if base_of else ():
        verbosity.note(f"gpiorig decode: {options.file}: {sentence}")
    return _report(options.file, outcome)


def _is_recording(options: argparse.Namespace) -> bool:
    return options.format is None and (options.file / DESCRIPTION).exists()


def _open(options: argparse.Namespace) -> tuple[Waveform, Bench | None]:
    """What to decode, and the bench that it was recorded on, if that is known."""
    if _is_recording(options):
        from gpiorig.rig.recordings.opened import open_recording

        opened = open_recording(options.file)
        return opened.recording.waveform(), opened.bench
    _, content = inputs.open_file(options.file, options, as_sigrok=True)
    if not isinstance(content, Waveform):
        raise RigError(f"{options.file}: has no levels of channels to decode; give a capture of a logic analyzer.")
    return content, None


@contextlib.contextmanager
def _sink(options: argparse.Namespace) -> Iterator[Sink]:
    if not options.json and options.output is None:
        from gpiorig.analysis.decoderhost.printer import Printer

        to = terminal.verbatim()
        limit = 0 if to.isatty() else PRINTED_BYTES
        printer = Printer(
            to.write, write_bytes=lambda data: sys.stdout.buffer.write(data), samplenum=options.samplenum, limit=limit
        )
        try:
            yield printer
        finally:
            printer.flush()
        return
    if options.output is None:
        from gpiorig.analysis.decoderhost.rows import JsonLines, RowSink

        rows = RowSink(JsonLines(sys.stdout).write, batch_rows=1)
        yield rows
        return

    from gpiorig.analysis.decoderhost.table import file_of

    with file_of(options.output) as rows:
        yield rows
    print(options.output)


def _write_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data)


def _report(path: Path, outcome: Outcome) -> int:
    """Print on stderr what is not in the output."""

    def warn(text: str) -> None:
        print(f"gpiorig decode: {text}", file=sys.stderr)

    if outcome.gaps:
        warn(f"{path}: {outcome.gaps} gaps; decoders were ended before each and started again after it")
    for failure in outcome.failures:
        warn(f"{failure.source} (stack {failure.stack}) failed at sample {failure.sample}: {failure.what}")
        for place in failure.trace[-3:]:
            print(f"    {place}", file=sys.stderr)
    more = outcome.failed - len(outcome.failures)
    if more:
        warn(f"and {more} more failures")
    return 1 if outcome.failed else 0
