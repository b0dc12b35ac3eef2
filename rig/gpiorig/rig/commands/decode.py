"""`gpiorig decode`: sigrok protocol decoders on a recording."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import inputs

if TYPE_CHECKING:
    from gpiorig.analysis.decoderhost.host import Outcome
    from gpiorig.analysis.decoderhost.outputs import Output, Selection, Sink
    from gpiorig.analysis.decoderhost.stack import Stack
    from gpiorig.capture.edges.waveform import Waveform
    from gpiorig.rig.bench.bench import Bench

EPILOG = """\
examples:
  gpiorig decode run1 -P uart:rx=initiator.uart_tx -A uart=rx-data --samplenum
  gpiorig decode run1 -P spi:clk=SCK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx -A at86rf2xx
  gpiorig decode capture.sr -P i2c:scl=0:sda=1 -P i2c:scl=2:sda=3 -o all.parquet
  gpiorig decode run1 -P gpio_probe:strobe=a.strobe:d0=a.d0:d1=a.d1:width=2 -B gpio_probe=events > events.bin

Runs the decoders that sigrok-cli and PulseView run, from where they look for them (SIGROKDECODE_DIR,
~/.local/share/libsigrokdecode/decoders, /usr/share/libsigrokdecode/decoders) and from gpiorig's own, and prints what
sigrok-cli prints.
Of a recording, sigrok's `uart` on a node's uart_tx takes the baud rate of that node's board where none is given.
A decoder that raises an exception is reported on stderr; what it gave before that stands.

exit status: 0 done, 1 a decoder failed, 2 wrong use or bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of decoding."""
    parser.add_argument("file", type=Path, metavar="FILE|RUN", help="a capture of any known format, or a recording")
    parser.add_argument(
        "-P",
        "--protocol-decoders",
        dest="stacks",
        action="append",
        required=True,
        metavar="STACK",
        help="decoders from the bottom up, with channels and options: spi:clk=SCK:mosi=MOSI,at86rf2xx; repeatable",
    )
    parser.add_argument(
        "-A", "--annotations", metavar="DECODER[=CLASS:…],…", help="only these annotations, by class or row"
    )
    parser.add_argument(
        "-B", "--binary", metavar="DECODER[=CLASS],…", help="write the decoder's bytes to stdout instead"
    )
    parser.add_argument("-M", "--meta", metavar="DECODER,…", help="print the decoder's values instead")
    parser.add_argument(
        "--python", metavar="DECODER,…", help="with --json or -o: also what the decoder hands to the one above"
    )
    parser.add_argument("--samplenum", action="store_true", help="print first and last sample before each annotation")
    parser.add_argument("--json", action="store_true", help="print one JSON object per output")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a table: .parquet, .csv or .jsonl; all kinds of output"
    )
    inputs.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Decode."""
    from gpiorig.analysis.decoderhost.host import decode
    from gpiorig.analysis.decoderhost.library import Library, search_path
    from gpiorig.analysis.decoderhost.stack import parse_stacks
    from gpiorig.rig.export import decoder_folder
    from gpiorig.rig.progress import watched

    as_rows = options.json or options.output is not None
    if sum(map(bool, (options.json, options.output, options.samplenum))) > 1:
        raise RigError("--json, --samplenum and -o say three things; give one of them.")
    if options.python and not as_rows:
        raise RigError("--python is for tables; add --json or -o FILE.")
    if sum(map(bool, (options.annotations, options.binary, options.meta))) > 1 and not as_rows:
        raise RigError("-A, -B and -M print different things; give one of them, or add --json or -o FILE for a table.")
    waveform, bench = _open(options)
    library = Library((*search_path(), decoder_folder.source()))  # ours last: what sigrok-cli finds comes first
    stacks = parse_stacks(_specifications(options.stacks, bench), library, waveform.channels)
    selection = _selection(options, stacks, as_rows)
    with _sink(options) as sink:
        outcome = decode(watched(waveform, "decoding"), stacks, selection=selection, sink=sink)
    return _report(options.file, outcome)


def _open(options: argparse.Namespace) -> tuple[Waveform, Bench | None]:
    """What to decode, and the bench that it was recorded on, if that is known."""
    from gpiorig.capture.edges.waveform import Waveform
    from gpiorig.capture.recording.recording import DESCRIPTION
    from gpiorig.rig.recordings.opened import open_recording

    if options.format is None and (options.file / DESCRIPTION).exists():
        opened = open_recording(options.file)
        return opened.recording.waveform(), opened.bench
    _, content = inputs.open_file(options.file, options)
    if not isinstance(content, Waveform):
        raise RigError(f"{options.file}: has no levels of channels to decode; give a capture of a logic analyzer.")
    return content, None


def _specifications(given: Sequence[str], bench: Bench | None) -> list[str]:
    """The stacks, with the baud rates that the bench knows; says on stderr what it has added, or doubts."""
    from gpiorig.rig.export import decoder_stacks as stacks

    completed = [stacks.at_boards_rate(text, bench) if bench else (text, "") for text in given]
    for note in dict.fromkeys(note for _, note in completed if note):
        print(f"gpiorig decode: {note}", file=sys.stderr)
    return [text for text, _ in completed]


def _selection(options: argparse.Namespace, stacks: list[Stack], as_rows: bool) -> Selection:
    """What is asked for; without -A, -B and -M all annotations, and for a table all kinds but --python."""
    from gpiorig.analysis.decoderhost.outputs import OutputKind, Selection

    selection = Selection()
    asked = {
        OutputKind.ANNOTATION: options.annotations,
        OutputKind.BINARY: options.binary,
        OutputKind.META: options.meta,
        OutputKind.PYTHON: options.python,
    }
    if not (options.annotations or options.binary or options.meta):
        kinds = (OutputKind.ANNOTATION, OutputKind.BINARY, OutputKind.META) if as_rows else (OutputKind.ANNOTATION,)
        selection = Selection.everything(stacks, *kinds)
    for kind, text in asked.items():
        if text:
            selection.add(kind, text, stacks)
    return selection


@contextlib.contextmanager
def _sink(options: argparse.Namespace) -> Iterator[Sink]:
    if not options.json and options.output is None:
        yield _Printer(samplenum=options.samplenum)
        return
    from gpiorig.analysis.decoderhost.table import JsonLines, RowSink, file_of

    if options.output is None:
        rows = RowSink(JsonLines(sys.stdout).write, batch_rows=1)
        yield rows
        return
    with file_of(options.output) as rows:
        yield rows
    print(options.output)


class _Printer:
    """Prints what sigrok-cli prints."""

    def __init__(self, *, samplenum: bool) -> None:
        from gpiorig.analysis.decoderhost import outputs
        from gpiorig.rig import terminal

        self._outputs, self._samplenum, self._to = outputs, samplenum, terminal.verbatim()

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        print(self._outputs.annotation_line(output, start, end, texts, samplenum=self._samplenum), file=self._to)

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        raise NotImplementedError("objects are not printed")

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        sys.stdout.buffer.write(data)

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        print(self._outputs.meta_line(output, start, end, value, samplenum=self._samplenum), file=self._to)


def _report(path: Path, outcome: Outcome) -> int:
    """Say on stderr what is not in the output."""

    def say(text: str) -> None:
        print(f"gpiorig decode: {text}", file=sys.stderr)

    if outcome.gaps:
        say(f"{path}: {outcome.gaps} gaps; decoders were ended before each and started again after it")
    for failure in outcome.failures:
        say(f"{failure.source} (stack {failure.stack}) failed at sample {failure.sample}: {failure.what}")
        for place in failure.trace[-3:]:
            print(f"    {place}", file=sys.stderr)
    more = outcome.failed - len(outcome.failures)
    if more:
        say(f"and {more} more failures")
    return 1 if outcome.failed else 0
