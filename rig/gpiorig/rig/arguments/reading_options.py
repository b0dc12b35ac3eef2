"""Options of the commands that analyse recordings: what a recording lacks, and what is asked in addition."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from gpiorig.analysis.compare import limits
from gpiorig.analysis.quantities.names import parse_all
from gpiorig.rig.arguments import repeated_options

FORMATS = {"figures": ("svg", "png", "pdf"), "tables": ("csv", "latex")}  # as `analysis.report` writes them


def add_described(parser: argparse.ArgumentParser) -> None:
    """What a recording without a bench or an experiment does not state; it keeps that (`described.Given`)."""
    group = parser.add_argument_group("what the recording does not state, and keeps for later commands")
    group.add_argument(
        "--bench", type=Path, metavar="BENCH", help="of a recording without a bench: what its channels carry"
    )
    group.add_argument("--initiator", metavar="NODE", help="without an experiment: the node whose packets are answered")
    group.add_argument("--responder", metavar="NODE", help="without an experiment: the node that answers")


def add_power(parser: argparse.ArgumentParser) -> None:
    """Power traces of nodes."""
    summary = (
        "power trace of a node: its file; then pin=PIN:CHANNEL, a pin of that file that is on a channel of the "
        "recording, or load=CHANNEL, one that is high while the node draws more; also amperes=NAME, volts=NAME|VOLTS "
        "and node=ID (docs/guide/energy.md)"
    )
    repeated_options.add(parser, "--power", "power", "NODE=FILE,...", summary)


def add_page(parser: argparse.ArgumentParser) -> None:
    """What is written next to a page, and whether it is opened."""
    for option in FORMATS:
        add_formats(parser, option)
    parser.add_argument("--open", action="store_true", help="open the page in a browser")


def add_formats(parser: argparse.ArgumentParser, option: str, *, usual: str = "") -> None:
    """The formats of files next to a page, of figures or of tables; `usual` states which there are without it."""
    formats = FORMATS[option]
    parser.add_argument(
        f"--{option}",
        metavar="FORMATS",
        default=(),
        type=partial(_formats, formats),
        help=f"write the {option} next to the page, too: any of {','.join(formats)}{usual and f' ({usual})'}",
    )


def check_asked(options: argparse.Namespace) -> None:
    """Refuse limits of a run and quantities that are not understood.

    Raises
    ------
    QuantityError
        As the analysis would raise it.
    """
    for text in options.assertions:
        limits.assertion(text)
    parse_all(options.quantities)


def _formats(available: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Formats separated by commas."""
    for name in text.split(","):
        if name not in available:
            raise argparse.ArgumentTypeError(f"{name!r} is not a format; available formats: {', '.join(available)}")
    return tuple(text.split(","))


def add_asked(parser: argparse.ArgumentParser) -> None:
    """Limits and quantities in addition to those of the experiment."""
    limit = "a limit to keep, such as 'rtt.p99 < 20 ms', in addition to those of the experiment"
    repeated_options.add(parser, "--assert", "assertions", "LIMIT", limit)
    repeated_options.add_quantities(parser, "show this too")
