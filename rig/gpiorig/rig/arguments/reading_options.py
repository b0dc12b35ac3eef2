"""Options of the commands that analyse recordings: what a recording lacks, and what is asked in addition."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import repeated_options


def add_described(parser: argparse.ArgumentParser) -> None:
    """What a recording without a bench or an experiment does not state; it keeps that (`described.Given`)."""
    group = parser.add_argument_group("what the recording does not state, and keeps for later commands")
    group.add_argument(
        "--bench", type=Path, metavar="BENCH", help="of a recording without a bench: what its channels carry"
    )
    group.add_argument("--initiator", metavar="NODE", help="without an experiment: the node whose packets are answered")
    group.add_argument("--responder", metavar="NODE", help="without an experiment: the node that answers")


def add_asked(parser: argparse.ArgumentParser) -> None:
    """Limits and quantities in addition to those of the experiment."""
    limit = "a limit to keep, such as 'rtt.p99 < 20 ms', in addition to those of the experiment"
    repeated_options.add(parser, "--assert", "assertions", "LIMIT", limit)
    repeated_options.add_quantities(parser, "show this too")
