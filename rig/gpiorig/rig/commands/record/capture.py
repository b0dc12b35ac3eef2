"""The options of `gpiorig capture`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.numbers import parse_samplerate
from gpiorig.capture.recording import new_folder
from gpiorig.rig import durations
from gpiorig.rig.arguments import counts, input_options, times
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig capture --bench bench.toml --duration 60s -o run0
                                              any firmware on a bench: its channels, rate, analyzers and serial ports
                                              are those of the file; a virtual bench is started. Then: gpiorig report
  gpiorig capture --bench bench.toml --firmware client=client.elf --firmware server=server.elf --duration 60s -o run0
                                              images for the nodes of a virtual bench; 60 s of its time
  gpiorig capture --bench bench.toml -d beaglelogic:conn=tcp-raw/127.0.0.1/5555 -o run0
                                              a virtual bench that `gpiorig bench virtual` serves
  gpiorig capture -d fx2lafw -c D0=node1.strobe,D1=node1.d0 --samplerate 24MHz -o run1
                                              until Ctrl-C
  gpiorig capture -d fx2lafw -c D0,D1,D7 --samplerate 12MHz --duration 10m --heartbeat D7=1ms -o run2
                                              D7 is on a square wave of 1 kHz: lost blocks are found, with their size
  gpiorig capture -d saleae-logic16 -c 0,1,2 --samplerate 25MHz --restart -o run3
                                              continues when the analyzer or sigrok-cli fails; the pause is a gap
  gpiorig capture --resume -o run3            continues a recording that was interrupted
  gpiorig capture -d beaglelogic:conn=tcp-raw/127.0.0.1/5555 --virtual --samplerate 24MHz -o run4
                                              a virtual bench, whose time is not the wall's

Without -c all channels are recorded. What is lost is recorded as a gap, and the recording is then incomplete.
exit status: 0 the recording is complete, 1 it is not, 2 wrong use, or the analyzer cannot be used."""


SILENCE = "2s"
RESTART = "60s"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a capture."""
    parser.add_argument(
        "--bench", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig: record its lines"
    )
    parser.add_argument(
        "--firmware",
        action="append",
        default=[],
        metavar="NODE=ELF",
        help="image of a node of a virtual bench, in place of its own",
    )
    parser.add_argument("--initiator", metavar="NODE", help="of a bench: the node whose packets are answered")
    parser.add_argument("--responder", metavar="NODE", help="of a bench: the node that answers")
    parser.add_argument("--no-serial", action="store_true", help="of a bench: leave the serial ports to other programs")
    parser.add_argument("-d", "--driver", help="sigrok's driver and connection, such as fx2lafw:conn=usb:1-3")
    parser.add_argument("-c", "--channels", metavar="CH[=NAME],…", help="what to record; default: all")
    parser.add_argument("--samplerate", type=input_options.whole_samplerate, metavar="RATE", help="such as 24MHz")
    parser.add_argument("--config", metavar="KEY=VALUE", action="append", default=[], help="more of sigrok's options")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="recording folder")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--duration", type=times.duration, metavar="TIME", help="length of the recording, such as 90s, 10m, 1h30m"
    )
    length.add_argument("--samples", type=counts.count(1), metavar="N", help="length of the recording in samples")
    parser.add_argument("--one-shot", action="store_true", help="for analyzers that sample into a buffer of their own")
    parser.add_argument(
        "--heartbeat",
        metavar="CH=PERIOD",
        action="append",
        default=[],
        help="channel (its name in the recording) on a square wave, PERIOD 1ms or 1kHz; or on the sync line, =sync",
    )
    parser.add_argument(
        "--restart",
        nargs="?",
        type=times.duration,
        const=RESTART,
        metavar="TIME",
        help=f"start again after a failure, if the analyzer is back within this time ({RESTART})",
    )
    parser.add_argument("--resume", action="store_true", help="continue the recording RUN")
    parser.add_argument(
        "--silence",
        type=times.duration,
        default=SILENCE,
        metavar="TIME",
        help=f"without samples: a failure ({SILENCE})",
    )
    parser.add_argument("--virtual", action="store_true", help="a virtual bench: no word from the host's clock")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def heartbeats(texts: list[str]) -> dict[str, int | None]:
    """Period in ns by channel, of ``CH=PERIOD``; None of the sync line. Raises `RigError`."""
    periods: dict[str, int | None] = {}
    for text in texts:
        channel, _, period = text.rpartition("=")
        if not channel:
            raise RigError(f"--heartbeat {text}: write CHANNEL=PERIOD, such as D7=1ms, D7=1kHz or D7=sync")
        periods[channel] = None if period == "sync" else _period_ns(period)
    return periods


def _period_ns(text: str) -> int:
    seconds = 1 / parse_samplerate(text) if text.lower().endswith("hz") else durations.seconds(text)
    return round(seconds * 10**9)


_DETERMINED = ("channels", "samplerate", "heartbeat", "virtual")  # options that a bench file has the answer to
_NEED_BENCH = ("firmware", "initiator", "responder", "no_serial")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError, RecordingError
        Options of an analyzer with a bench, those of a bench without it, neither; a heartbeat that is not understood; a
        folder that is not free.
    """
    heartbeats(options.heartbeat)
    if not options.resume:
        new_folder.check(options.output)
    given = [name for name in (_DETERMINED if options.bench else _NEED_BENCH) if getattr(options, name)]
    if options.bench is not None:
        if given:
            raise RigError(f"the bench determines --{given[0].replace('_', '-')}; omit it together with --bench.")
        if options.resume:
            raise RigError("--resume continues a recording as it was begun; omit --bench.")
    elif given:
        raise RigError(f"--{given[0].replace('_', '-')} needs the bench file that names the nodes; give --bench FILE.")
    elif not options.resume and (options.driver is None or options.samplerate is None):
        raise RigError("which analyzer, and how fast? Give --driver and --samplerate, --bench, or --resume.")
