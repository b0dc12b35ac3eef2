"""How an attempt ended: what failed, read from the recording and from what the program printed."""

from __future__ import annotations

import contextlib
import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import DESCRIPTION, Recording

CAUSES = {  # of a failure: what was noticed
    "board": "a node does not answer, or its port is gone",
    "analyzer": "an analyzer is silent, gone or too slow, or the recording is incomplete",
    "check": "the recording is complete, and a check of it failed",
    "bench": "the virtual bench ended",
    "silent": "no file changed for `silence`",
    "timeout": "the recording lasted longer than `timeout`",
    "connection": "another machine cannot be reached",
    "disk": "the disk is full, or below `keep_free`",
    "firmware": "a node refuses a command, or runs another firmware",
    "input": "a file or an option cannot be used: a second attempt is not made",
    "stopped": "the plan was stopped",
    "program": "the program ended for another reason, such as a signal",
}
_CAUSE_OF = {
    "SerialPortError": "board",
    "AnalyzerError": "analyzer",
    "VirtualBenchError": "bench",
    "FirmwareError": "firmware",
    "BenchError": "input",
}
INCOMPLETE = 1  # the status of `gpiorig run` of a recording that is not complete
FULL = "No space left on device"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended.

    Parameters
    ----------
    cause
        Empty if it is complete, else one of `CAUSES`.
    text
        Why, as text.
    node
        The node whose port it is about, if it is about one.
    remote_folder
        Where its recording still is on another machine.
    """

    cause: str = ""
    text: str = ""
    node: str = ""
    remote_folder: str = ""


def state_of(folder: Path) -> str:
    """The state of the recording in a folder; empty without one, "damaged" for one that cannot be opened."""
    if not (folder / DESCRIPTION).exists():
        return ""
    try:
        return Recording.open(folder).state
    except CaptureError:
        return "damaged"


def of_experiment(status: int, stdout: str, stderr: str, folder: Path) -> Outcome:
    """How `gpiorig run` ended, by its status, its output and the recording."""
    state = state_of(folder)
    if status in (0, INCOMPLETE) and state == "complete":  # its checks state what it may lack nevertheless
        return Outcome()
    error = _error(stdout)
    if not error and status in (0, INCOMPLETE) and state != "damaged":
        reason = Recording.open(folder).reason if state else ""
        return _outcome("analyzer", f"the recording is {state or 'not there'}: {reason}")
    text = str(error.get("text", "")) or last_words(status, stderr)
    return _outcome(_CAUSE_OF.get(str(error.get("kind", "")), "program"), text, str(error.get("node", "")))


def of_error(text: str) -> Outcome:
    """An attempt that could not be started or followed."""
    return _outcome("program", text)


def last_words(status: int, stderr: str) -> str:
    """The last line that a program printed, or the signal that ended it."""
    lines = stderr.split("\n")
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if status < 0:
        return f"ended by {signal.Signals(-status).name}{f': {line}' if line else ''}"
    return line or f"ended with status {status}"


def _outcome(cause: str, text: str, node: str = "") -> Outcome:
    return Outcome("disk" if FULL in text else cause, text, node)


def _error(stdout: str) -> dict[str, Any]:
    """The error that `gpiorig run --json` prints as its last line; empty without one."""
    for line in reversed(stdout.splitlines()):
        with contextlib.suppress(ValueError):
            error = json.loads(line).get("error", {})
            return error if isinstance(error, dict) else {}
    return {}
