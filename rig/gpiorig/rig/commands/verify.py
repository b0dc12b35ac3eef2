"""`gpiorig verify`: whether the tables and figures of recordings come out again, and their parts are unchanged."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from gpiorig.rig import verbosity
from gpiorig.rig.results import reproduction
from gpiorig.rig.results.reproduction import Reproduction


def run(options: argparse.Namespace) -> int:
    """Verify each recording, and print what is not the same."""
    checked = []
    for folder in options.recordings:
        checked.append(reproduction.check(folder, progress=partial(_tell, folder)))
        if not options.json:
            print("\n".join(_lines(checked[-1])), flush=True)
    failed = any(one.failed for one in checked)
    if options.json:
        print(json.dumps({"verified": not failed, "runs": [one.numbers() for one in checked]}))
    return 1 if failed else 0


def _lines(checked: Reproduction) -> list[str]:
    """The headline of a recording, remarks, and each file that is not the same."""
    same = sum(file.verdict == "same" for file in checked.files)
    verdict = "NOT VERIFIED" if checked.failed else "verified"
    others = [file for file in checked.files if file.verdict != "same"]
    return [
        f"{checked.folder}: {verdict}, {same} of {len(checked.files)} are the same",
        *(f"  note: {remark}" for remark in checked.remarks),
        *(f"  {file.verdict}: {file.name}: {file.what}" for file in others),
    ]


def _tell(folder: Path, what: str) -> None:
    """Print what is done now."""
    verbosity.note(f"{folder}: {what}")
