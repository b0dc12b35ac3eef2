"""The options of `gpiorig decode`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, written_files
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoding

EPILOG = """\
examples:
  gpiorig decode run1 -P uart:rx=initiator.uart_tx -A uart=rx-data --samplenum
  gpiorig decode capture.sr -P spi:clk=SCK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx -A at86rf2xx
  gpiorig decode capture.sr -P i2c:scl=0:sda=1 -P i2c:scl=2:sda=3 -o all.parquet
  gpiorig decode run1 -P gpio_probe:strobe=responder.strobe:d0=responder.d0:d1=responder.d1:width=2 \\
      -B gpio_probe=events > events.bin

  gpiorig decode --install                    copy our decoders to where sigrok-cli and PulseView look
  gpiorig decode --install --link             link to them, for who works on them
  gpiorig decode --list                       which there are, and whether they are installed
  gpiorig decode --uninstall
  gpiorig decode --wiring run1                all of -P for a recording, so that
  sigrok-cli -i run1.sr -P "$(gpiorig decode --wiring run1)" -A gpio_timeline=packets:warnings
                                              prints the round trips of `gpiorig export run1 -o run1.sr`
  gpiorig decode --wiring bench.toml --initiator m3 --responder telosb --analyzer-names
                                              the same for samples that sigrok-cli or PulseView captured alone
  gpiorig decode --wiring run1 --node responder  of the decoder gpio_probe on one node
  SIGROKDECODE_DIR=$(gpiorig decode --path) pulseview -D -c -i run1.sr
                                              without an installation

Runs the decoders that sigrok-cli and PulseView run, from where they look for them (SIGROKDECODE_DIR,
~/.local/share/libsigrokdecode/decoders, /usr/share/libsigrokdecode/decoders) and from gpiorig's own, and prints what
sigrok-cli prints.
Of a recording, sigrok's `uart` on a node's uart_tx takes the baud rate of that node's board where none is given.
A decoder that raises an exception is reported on stderr; what it gave before that stands.

exit status: 0 done, 1 a decoder failed, 2 wrong use or bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of decoding."""
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE|RUN", help="a capture of any known format, or a recording"
    )
    work = parser.add_mutually_exclusive_group(required=True)
    work.add_argument(
        "-P",
        "--protocol-decoders",
        dest="stacks",
        action="append",
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
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object per output, or one of --list, --wiring"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a table: .parquet, .csv or .jsonl; all kinds of output"
    )
    overwriting.add_force(parser)
    input_options.add_arguments(parser)
    for option, summary in (
        ("install", "put our decoders where sigrok-cli and PulseView look"),
        ("uninstall", "delete them there; what is not ours stays"),
        ("list", "print which there are, and whether they are installed"),
        ("path", "print their folder, for SIGROKDECODE_DIR"),
    ):
        work.add_argument(f"--{option}", dest="library", action="store_const", const=option, help=summary)
    work.add_argument(
        "--wiring", type=Path, metavar="RUN|BENCH.toml", help="print channels and options of gpio_timeline for it"
    )
    library = parser.add_argument_group("of our decoders")
    library.add_argument("--link", action="store_true", help="of --install: link to them instead of copying")
    library.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="of --install, --uninstall, --list: in place of sigrok's for this user",
    )
    library.add_argument(
        "--initiator", metavar="NODE", help="of --wiring: in place of the recording's or the first node"
    )
    library.add_argument(
        "--responder", metavar="NODE", help="of --wiring: in place of the recording's or the second node"
    )
    library.add_argument("--node", metavar="NODE", help="of --wiring: for the decoder gpio_probe on this node")
    library.add_argument(
        "--analyzer-names",
        action="store_true",
        help="of --wiring: channels as the analyzer names them, not a recording",
    )


# Options that each work takes, apart from those of every command.
_WIRING = ("initiator", "responder", "node", "analyzer_names", "json")
_FITTING = {
    "install": ("link", "folder"),
    "uninstall": ("folder",),
    "list": ("folder", "json"),
    "path": (),
    "wiring": _WIRING,
}
_ONLY = ("link", "folder", "initiator", "responder", "node", "analyzer_names")
_DECODING = ("file", "annotations", "binary", "meta", "python", "samplenum", "json", "output", "force", "format")
_INPUT = ("samplerate", "unitsize", "channels", "columns", "recover")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError
        An option of other work, no file to decode, several forms of output.
    """
    work = options.library or ("wiring" if options.wiring else "")
    if not work:
        _check_decoding(options)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait for work at full speed, and there is none
        return
    for name in (*_ONLY, *_DECODING, *_INPUT):
        if getattr(options, name) and name not in _FITTING[work]:
            spelled = str(options.file) if name == "file" else f"--{name.replace('_', '-')}"
            raise RigError(f"{spelled}: --{work} does not take it; omit it.")


def _check_decoding(options: argparse.Namespace) -> None:
    for name in _ONLY:
        if getattr(options, name):
            raise RigError(f"--{name.replace('_', '-')} is of our decoders, not of -P; omit it.")
    if options.file is None:
        raise RigError("-P decodes a file; give a capture or a recording.")
    as_rows = options.json or options.output is not None
    if sum(map(bool, (options.json, options.output, options.samplenum))) > 1:
        raise RigError("--json, --samplenum and -o exclude each other; give one of them.")
    if options.python and not as_rows:
        raise RigError("--python is for tables; add --json or -o FILE.")
    if sum(map(bool, (options.annotations, options.binary, options.meta))) > 1 and not as_rows:
        raise RigError("-A, -B and -M print different things; give one of them, or add --json or -o FILE for a table.")
    written_files.check("-o", options.output, written_files.DECODED)
    for stack in options.stacks:
        for decoder in stack.split(","):
            decoding.library().check(decoder.partition(":")[0])
