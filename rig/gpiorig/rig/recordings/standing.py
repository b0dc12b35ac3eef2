"""What a recording stands for: its state, and remarks on it, which every command that reads it states once."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiorig.analysis.number_text import count_text
from gpiorig.capture.edges import bounds
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.recording.description import ROLES
from gpiorig.capture.recording.recording import DESCRIPTION, Recording, RecordingInfo
from gpiorig.rig.recordings import point_names, provenance
from gpiorig.rig.verbosity import SHOWN

COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a recording, and remarks.

    Attributes
    ----------
    source
        The recording, or a file.
    state
        As of `Recording.state`; None of a file, which has none.
    remarks
        Why it is in that state, what was lost, the bound of losses that would have been found, how analyzers were
        aligned: sentences.
    boards
        The remark on whether the boards are virtual; "" where there is nothing to state.
    """

    source: Path
    state: str | None
    remarks: tuple[str, ...]
    boards: str

    @property
    def is_complete(self) -> bool:
        """Whether it has all of what was to be recorded."""
        return self.state == COMPLETE

    def as_json(self) -> dict[str, Any]:
        """The fields `state` and `remarks`, which the object of each command has."""
        return {"state": self.state, "remarks": [*self.remarks, *self._boards]}

    @property
    def text(self) -> str:
        """The state and the remarks but for that on the boards, in one line."""
        return " ".join([f"{self.state or 'not known'}.", *self.remarks])

    def announce(self, *, boards: bool = True) -> None:
        """Print it on stderr; of a recording that is complete not where the command is quiet.

        `boards` is False for a command whose result states that remark itself.
        """
        lines = [*self.remarks, *(self._boards if boards else ())]
        if (SHOWN.quiet and self.state in (COMPLETE, None)) or not (lines or self.state):
            return
        head = f"{point_names.of_point(self.source) or self.source}: {self.state or 'a file, whose state is not known'}"
        print("\n  ".join([head, *lines]), file=sys.stderr)

    @property
    def _boards(self) -> tuple[str, ...]:
        return (self.boards,) if self.boards else ()


def of(recording: Recording) -> Standing:
    """The standing of a recording."""
    info = recording.info
    return Standing(recording.folder, recording.state, tuple(_remarks(recording)), provenance.boards_sentence(info))


def of_source(path: Path, waveform: Waveform | None = None) -> Standing:
    """The standing of what a command is given: a recording, or a file, whose `waveform` may know of its boards."""
    if (path / DESCRIPTION).exists():
        return of(Recording.open(path))
    return Standing(path, None, (), provenance.VIRTUAL if waveform and waveform.virtual else "")


def announced(path: Path, waveform: Waveform | None = None, *, as_json: bool = False) -> Standing:
    """As `of_source`, and printed; of a command that prints an object it has fields there instead."""
    standing = of_source(path, waveform)
    if not as_json:
        standing.announce()
    return standing


def all_announced(paths: Iterable[Path], *, as_json: bool) -> dict[str, Any]:
    """As `announced` for each; the fields of a result from all: a state that is not complete, where there is one."""
    standings = [announced(path, as_json=as_json) for path in paths]
    if len(standings) == 1:
        return standings[0].as_json()
    states = [standing.state for standing in standings]
    cut = [state for state in states if state not in (COMPLETE, None)]
    remarks = [f"{standing.source}: {remark}" for standing in standings for remark in standing.as_json()["remarks"]]
    return {"state": cut[0] if cut else None if None in states else COMPLETE, "remarks": remarks}


def _remarks(recording: Recording) -> Iterable[str]:
    info = recording.info
    if recording.reason:
        yield _sentence(recording.reason)
    if later := given(info):
        yield later
    if info.losses:
        samples = sum(loss.samples for loss in info.losses)
        unknown = "" if all(loss.samples for loss in info.losses) else " at least"
        yield f"Lost: {count_text(samples, 'sample')}{unknown}, in {count_text(len(info.losses), 'gap')}."
    if text := bounds.sentence(info.bounds, info.samplerate_hz):
        yield _sentence(text)
    yield from alignments(info)


def given(info: RecordingInfo) -> str:
    """What commands were given later, in a sentence; "" where nothing was."""
    before = info.given or {}
    roles = [f"{role} {info.parameters.get(role, 'none')}" for role in ROLES if role in before]
    parts = [*(["bench file"] if "bench" in before else []), *roles]
    return f"Given after the recording: {', '.join(parts)}." if parts else ""


def alignments(info: RecordingInfo) -> Iterable[str]:
    """How the analyzers were aligned, a sentence each."""
    for note in info.alignments:
        yield f"{note.analyzer} is aligned with the first analyzer within {note.uncertainty_ns:.1f} ns (1 sigma)."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."
