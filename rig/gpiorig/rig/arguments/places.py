"""Files that a command reads: checked by name before its work is imported; a name of a point becomes its recording."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gpiorig.capture.errors import FormatError, RecordingError
from gpiorig.rig import names
from gpiorig.rig.arguments.parser import verbs_of
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import point_names

WRITTEN = "output"


def check(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
    """Refuse a recording or a file that does not exist, and a bench, an experiment or an image of an unknown name.

    Raises
    ------
    CaptureError, BenchError
        As the work of the command would raise it.
    """
    leaf = verbs_of(parser).get(str(getattr(parsed, "verb", None)), parser)
    for action in leaf._actions:
        place = getattr(parsed, action.dest, None)
        if action.dest == WRITTEN and action.metavar == "DIR" and place is not None and Path(place).is_file():
            raise RigError(f"{place}: is a file; -o takes a folder.")
        exists = EXISTS.get(str(action.metavar))
        if exists is None or action.type is not Path or action.dest == WRITTEN:
            continue
        if action.metavar in RECORDINGS and place is not None:
            place = [*map(point_names.resolved, place)] if isinstance(place, list) else point_names.resolved(place)
            setattr(parsed, action.dest, place)
        for path in place if isinstance(place, list) else [place] if place is not None else []:
            exists(path)


def file(path: Path) -> None:
    """Refuse a file or a folder that is not there."""
    if not path.exists():
        raise FormatError(f"cannot be read: {os.strerror(2)}", where=path, remedy="check the name")


def folder(path: Path) -> None:
    """Refuse a folder that is not there, and a file in place of one."""
    if path.is_file():
        remedy = "`gpiorig info` shows what is in it, and `gpiorig import` makes a recording of it"
        raise RecordingError("is a file, not the folder of a recording", where=path, remedy=remedy)
    if not path.exists():
        raise RecordingError("there is no such folder", where=path, remedy="give the folder of a recording")


FOLDERS = ("RUN", "BASE", "NEW")
INPUTS = ("FILE|RUN", "RUN|FILE", "LOG|RUN", "RUN|BENCH.toml")
RECORDINGS = (*FOLDERS, *INPUTS)  # of which one may be the name of a point
EXISTS: Mapping[str, Callable[[Path], None]] = {
    **dict.fromkeys(FOLDERS, folder),
    **dict.fromkeys(INPUTS, file),
    **{kind.upper(): names.checker(kind) for kind in ("bench", "experiment")},
    "ELF": names.checker("image"),
}
