"""One rule for files that a command writes: what is there is replaced with `--force` only."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.errors import RigError

OUTPUTS = ("output", "figure", "changes")


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command that writes files."""
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def check(options: argparse.Namespace) -> None:
    """Refuse, before any work is done, to replace a file of `-o`, `--figure` or `--changes`.

    Raises
    ------
    RigError
        It is there, and `--force` is not given.
    """
    for name in OUTPUTS:
        path = getattr(options, name, None)
        if hasattr(options, "force") and isinstance(path, Path):
            check_file(path, force=options.force)


def check_file(path: Path, *, force: bool) -> None:
    """As `check`, of one file."""
    if path.is_file() and not force:
        raise RigError(f"{path}: is there; give --force to replace it, or another name.")
