"""`gpiorig report --reproduce`: whether the files of reports come out again, and recorded parts are unchanged."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig import plain_json, verbosity
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.integrity import Checked
from gpiorig.rig.recordings.standing import Standing
from gpiorig.rig.results import reproduction
from gpiorig.rig.results.reproduction import Reproduction


class ReproducedRun(Result, frozen=True, kw_only=True):
    """A recording; `made_by` has the versions that made its report, `remarks` are those on both."""

    recording: str
    reproduced: bool
    made_by: dict[str, str]
    remarks: tuple[str, ...]
    files: tuple[Checked, ...]
    state: str | None


class Reproduced(Result, frozen=True, kw_only=True):
    """Whether the parts of recordings are as recorded, and the files of their reports come out again."""

    reproduced: bool
    runs: tuple[ReproducedRun, ...]


def run(options: argparse.Namespace) -> int:
    """Reproduce the report of each recording, and print what is not the same."""
    checked: list[Reproduction] = []
    standings: list[Standing] = []
    for folder in options.recordings:
        checked.append(reproduction.check(folder, progress=partial(_tell, folder)))
        standings.append(standing.of(Recording(folder, description.load(folder / DESCRIPTION))))  # files may be missing
        if not options.json:
            standings[-1].announce()
            print("\n".join(_lines(checked[-1], standings[-1])), flush=True)
    reproduced = all(map(_is_reproduced, checked, standings))
    if options.json:
        runs = tuple(_numbers(*pair) for pair in zip(checked, standings, strict=True))
        print(plain_json.text(Reproduced(reproduced=reproduced, runs=runs)))
    return int(not reproduced)


def _is_reproduced(checked: Reproduction, recording: Standing) -> bool:
    """Whether all that there is came out again, and it is all of the recording."""
    return recording.is_complete and not checked.failed


def _numbers(checked: Reproduction, recording: Standing) -> ReproducedRun:
    """A recording's part of `--json`."""
    return ReproducedRun(
        recording=str(checked.folder),
        reproduced=_is_reproduced(checked, recording),
        made_by=checked.made_by,
        remarks=(*recording.as_json()["remarks"], *checked.remarks),
        files=checked.files,
        state=recording.state,
    )


def _lines(checked: Reproduction, recording: Standing) -> list[str]:
    """The headline of a recording, remarks, and each file that is not the same."""
    same = sum(file.verdict == "same" for file in checked.files)
    verdict = "reproduced" if _is_reproduced(checked, recording) else "NOT REPRODUCED"
    differing = [file for file in checked.files if file.verdict != "same"]
    return [
        f"{checked.folder}: {verdict}, {same} of {len(checked.files)} are the same",
        *(f"  note: {remark}" for remark in checked.remarks),
        *(f"  {file.verdict}: {file.name}: {file.what}" for file in differing),
    ]


def _tell(folder: Path, stage: str) -> None:
    """Print what is done now."""
    verbosity.note(f"{folder}: {stage}")
