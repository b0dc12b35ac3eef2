"""Files that an option names to be written: their suffixes, which determine the format, and their folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpiorig.rig.errors import RigError

FIGURES = (".png", ".svg", ".pdf")  # as `analysis.figures.style` saves them
DELAYS = (".csv", ".parquet", ".arrow")  # as `rig.measure.delay_files` writes them
DECODED = (".parquet", ".csv", ".jsonl")  # as `analysis.decoderhost.table` writes them
RESULTS = (".csv", ".parquet", ".arrow", ".feather")  # of a query, as `analysis.tables.stages` writes them


def check(option: str, path: Path | None, suffixes: Sequence[str]) -> None:
    """Refuse, before anything is read, a file that cannot be written.

    Parameters
    ----------
    option
        The option, as the user wrote it.
    path
        Its value.
    suffixes
        Those that there are, with their dots.

    Raises
    ------
    RigError
        The suffix is another one, or there is no folder for the file.
    """
    if path is None:
        return
    if path.suffix not in suffixes:
        raise RigError(f"{option} {path}: the suffix determines the format; it is one of {', '.join(suffixes)}.")
    if not path.parent.is_dir():
        raise RigError(f"{option} {path}: there is no folder {path.parent}; make it first.")
    if path.is_dir():
        raise RigError(f"{option} {path}: is a folder; name a file.")
