"""`gpiorig completion`: a script for a shell."""

from __future__ import annotations

import argparse

from argcomplete.shell_integration import shellcode


def run(options: argparse.Namespace) -> int:
    """Print it."""
    print(shellcode(["gpiorig"], shell=options.shell))
    return 0
