"""The options of `gpiorig export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, places, reading_options, times
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import power_file

EPILOG = """\
examples:
  gpiorig export run1 -o run1.sr              all of the recording, for PulseView and sigrok-cli
  gpiorig export run1 -o p12.sr --packet 12   the round trip of the packet with id 12, and 100 us around it
  gpiorig export run1 -o slow.sr --packet slowest
  gpiorig export run1 -o w.vcd --from 1.2s --to 1.25s --channels 'initiator.*'
  gpiorig export run1 -o run1.pftrace         layers, packets and their flows, for ui.perfetto.dev
  gpiorig export spi1 -o spi1.pcapng          frames with their time on the air, for Wireshark, of a recording with
                                              the radios' SPI lines
  gpiorig export run1 -o steps.parquet --table steps
  gpiorig export run1 -o energy.csv --table energy --power responder=t.rld,amperes=I1,volts=V1,pin=DI1:responder.tap.irq
                                              energy per packet, step, layer and state; without --power an estimate
  gpiorig export capture.sr -o edges.parquet  a file as another

  gpiorig export run1 --pulseview --packet 12 --open
                                              a packet in PulseView, with decoders and markers set
  gpiorig export run1 --pulseview --packet 12 --zoom responder --open
                                              zoomed to what the responder did with it
  gpiorig export run1 --pulseview --packet slowest
                                              writes packet-slowest.sr and packet-slowest.pvs
  gpiorig export run1 --pulseview --around 1200000sa --margin 500us -o w.sr
                                              500 us on both sides of a sample
  gpiorig export run1 --pulseview --from 240000sa --to 0.02s -o w2.sr

The .sr file has the window's samples, the .pvs file next to it the decoders, colours, markers and zoom; PulseView loads
both with `pulseview -D -c -i w.sr`. It needs our decoders: `gpiorig decode --install` (--open does without).

Then, with the decoder of this project (Debian's PulseView 0.4.2 does the same):
  SIGROKDECODE_DIR=decoders sigrok-cli -i p12.sr -A gpio_probe \\
      -P gpio_probe:strobe=initiator.strobe:d0=initiator.d0:d1=initiator.d1:width=2

docs/guide/files.md lists which format is for which tool, and what each rounds."""


PACKETS = ("typical", "fastest", "slowest")  # as `rig.export.pulseview_slices` finds them
_TABLES = (
    *("edges", "events", "damaged", "unattributed", "packets", "hops", "transmissions", "receptions"),
    *("round_trips", "timelines", "steps", "quantities", "delay_stability", "energy"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an export."""
    parser.add_argument("source", type=Path, metavar="RUN|FILE", help="recording folder, or a file of any known format")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="its ending gives the format")
    parser.add_argument("--as", dest="written_as", metavar="NAME", help="the format, where the ending does not give it")
    parser.add_argument(
        "--table", choices=_TABLES, default="edges", help="what a .parquet, .arrow or .csv holds (edges)"
    )
    parser.add_argument(
        "--packet",
        type=_packet,
        metavar="ID",
        help="only the round trip of this packet (the first of that id); or typical, fastest, slowest",
    )
    parser.add_argument(
        "--from",
        dest="begin",
        type=times.instant,
        metavar=times.INSTANT,
        help="first instant, such as 1.25s, 300us from sample 0, or 240000sa",
    )
    parser.add_argument(
        "--to", dest="end", type=times.instant, metavar=times.INSTANT, help="where to end; of samples one past the last"
    )
    input_options.add_contents(parser)
    overwriting.add_force(parser)
    reading_options.add_described(parser)
    reading_options.add_power(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    _add_pulseview(parser.add_argument_group("for PulseView"))


def _add_pulseview(group: argparse._ArgumentGroup) -> None:
    """What is shown of a window, and how."""
    group.add_argument(
        "--pulseview",
        action="store_true",
        help="a packet or a window, with decoders and markers (packet-ID.sr, window.sr)",
    )
    group.add_argument("--around", type=times.instant, metavar=times.INSTANT, help="what lies around this instant")
    group.add_argument("--zoom", choices=("sending", "responder", "receiving"), help="what of a packet to show first")
    group.add_argument("--cursors", action="store_true", help="cursors on the round trip in place of markers")
    margin = "time before and after a packet or an instant (100us)"
    group.add_argument("--margin", type=times.duration, metavar="TIME", help=margin)
    group.add_argument("--open", action="store_true", help="start PulseView on it, and wait for its end")


def _packet(text: str) -> str:
    """An id, or the packet of a place among the delays."""
    if not text.isdecimal() and text not in PACKETS:
        raise argparse.ArgumentTypeError(f"there is no packet {text}; give {', '.join(PACKETS)}, or an id")
    return text


_OF_PULSEVIEW = ("around", "zoom", "cursors", "margin", "open")
_OF_FILES = ("written_as", "samplerate", "unitsize", "channels", "columns", "recover", "power", "json")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError
        Options of `--pulseview` without it, others with it; no window, or two; no file to write.
    """
    if options.pulseview:
        _check_pulseview(options)
        return
    for name in _OF_PULSEVIEW:
        if getattr(options, name):
            raise RigError(f"--{name} is of --pulseview; add that.")
    if options.power and options.table != "energy":
        raise RigError("--power is of --table energy; add that.")
    for text in options.power:
        power_file.power_file(text)
    if options.packet is not None and (options.begin or options.end):
        raise RigError("--packet and --from/--to exclude each other; give one of them.")
    if options.output is None:
        raise RigError("which file? Give it with -o; its ending gives the format.")
    _check_output(options.output)
    places.file(options.source)
    if options.source.is_file() and (options.bench or options.initiator or options.responder):
        raise RigError(f"{options.source}: is a file; --bench, --initiator and --responder are of a recording.")
    from gpiorig.rig.export import written_kinds  # asks the modules of the formats, which need numpy

    written_kinds.check(options)


def _check_output(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise RigError(f"{path}: the output must be a file, not a folder or a device.")
    if not path.parent.is_dir():
        raise RigError(f"{path}: cannot be written: its folder is not there; make the folder {path.parent} first.")


def _check_pulseview(options: argparse.Namespace) -> None:
    given = [name for name in _OF_FILES if getattr(options, name)]
    given += ["table"] if options.table != "edges" else []
    if given:
        raise RigError(f"--{given[0].replace('written_', '')}: --pulseview does not take it; omit it.")
    if (options.end is None) != (options.begin is None):
        raise RigError("--from and --to make a window together; give both.")
    if sum(way is not None for way in (options.packet, options.around, options.begin)) != 1:
        raise RigError("what to show? Give one of --packet, --around, and --from with --to.")
    if options.output is not None and options.output.suffix != ".sr":
        raise RigError(f"{options.output}: the output must be a file that ends in .sr.")
    if options.output is not None:
        _check_output(options.output)
