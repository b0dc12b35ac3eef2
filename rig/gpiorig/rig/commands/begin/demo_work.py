"""`gpiorig demo`: the complete rig on two virtual boards. Its work is the part `demo` of the virtual bench."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.results.headline import Numbers

RESULTS = {"demo": (Numbers,)}


def run(options: argparse.Namespace) -> int:
    """Record, analyse, report."""
    work: Callable[[argparse.Namespace], int] = VBENCH.load("demo", needed_by="gpiorig demo")
    return work(options)
