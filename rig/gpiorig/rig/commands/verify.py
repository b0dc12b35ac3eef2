"""`gpiorig verify`: whether the tables and figures of recordings come out again, and their parts are unchanged."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig import verbosity
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.standing import Standing
from gpiorig.rig.results import reproduction
from gpiorig.rig.results.reproduction import Reproduction


def run(options: argparse.Namespace) -> int:
    """Verify each recording, and print what is not the same."""
    checked: list[Reproduction] = []
    standings: list[Standing] = []
    for folder in options.recordings:
        checked.append(reproduction.check(folder, progress=partial(_tell, folder)))
        standings.append(standing.of(Recording(folder, description.load(folder / DESCRIPTION))))  # files may be missing
        if not options.json:
            standings[-1].announce()
            print("\n".join(_lines(checked[-1], standings[-1])), flush=True)
    verified = all(map(_is_verified, checked, standings))
    if options.json:
        runs = [_numbers(*pair) for pair in zip(checked, standings, strict=True)]
        print(json.dumps({"verified": verified, "runs": runs}))
    return int(not verified)


def _is_verified(checked: Reproduction, recording: Standing) -> bool:
    """Whether all that there is came out again, and it is all of the recording."""
    return recording.is_complete and not checked.failed


def _numbers(checked: Reproduction, recording: Standing) -> dict[str, Any]:
    """A recording's part of `--json`; its remarks are those on the recording and on its report."""
    numbers, stated = checked.numbers(), recording.as_json()
    remarks = [*stated["remarks"], *numbers["remarks"]]
    return numbers | {"verified": _is_verified(checked, recording), "state": stated["state"], "remarks": remarks}


def _lines(checked: Reproduction, recording: Standing) -> list[str]:
    """The headline of a recording, remarks, and each file that is not the same."""
    same = sum(file.verdict == "same" for file in checked.files)
    verdict = "verified" if _is_verified(checked, recording) else "NOT VERIFIED"
    others = [file for file in checked.files if file.verdict != "same"]
    return [
        f"{checked.folder}: {verdict}, {same} of {len(checked.files)} are the same",
        *(f"  note: {remark}" for remark in checked.remarks),
        *(f"  {file.verdict}: {file.name}: {file.what}" for file in others),
    ]


def _tell(folder: Path, what: str) -> None:
    """Print what is done now."""
    verbosity.note(f"{folder}: {what}")
