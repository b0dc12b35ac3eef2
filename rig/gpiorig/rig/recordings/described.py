"""What a command adds to the description of a recording: its bench, and the nodes that are initiator and responder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture.recording.description import ROLES
from gpiorig.capture.recording.recording import Recording, RecordingInfo
from gpiorig.rig import names as bench_names
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.recordings import point_names
from gpiorig.rig.verbosity import note


def roles(bench: Bench, *, initiator: str | None, responder: str | None) -> dict[str, str]:
    """The two roles as parameters of a recording; empty if neither is given.

    Raises
    ------
    RigError
        One of them is missing, or they are not two nodes of the bench.
    """
    given = {"initiator": initiator, "responder": responder}
    if not (initiator or responder):
        return {}
    for role, node in given.items():
        if node is None:
            raise RigError(f"give --{role} too: a round trip is from the initiator to the responder and back.")
        if node not in bench.nodes:
            raise RigError(f"--{role} {node}: the bench has no such node; it has {', '.join(bench.nodes)}.")
    if initiator == responder:
        raise RigError(f"--initiator and --responder are both {initiator}; give two nodes of {', '.join(bench.nodes)}.")
    return {role: str(node) for role, node in given.items()}


@dataclass(frozen=True, slots=True)
class Given:
    """What the options `reading_options.add_described` state about recordings; parameters as of `with_bench`."""

    bench_file: Path | None = None
    initiator: str | None = None
    responder: str | None = None

    @classmethod
    def of(cls, options: argparse.Namespace) -> Given:
        """Those of a command line; raises `BenchError` if no file and no bench has the name."""
        return cls(options.bench and bench_names.bench(options.bench).absolute(), options.initiator, options.responder)

    @property
    def is_empty(self) -> bool:
        """Whether there are none."""
        return self == Given()

    def as_json(self) -> dict[str, str | None]:
        """Those that there are: the text of the bench, and the roles."""
        text = self.bench_file and benches.recorded_text(self.bench_file)
        given = {"bench": text, "initiator": self.initiator, "responder": self.responder}
        return {name: value for name, value in given.items() if value}

    def open(self, folder: Path) -> Recording:
        """A recording with this, which it keeps for later commands; errors as of `with_bench`."""
        recording = Recording.open(folder)
        described = with_bench(recording, self.bench_file, initiator=self.initiator, responder=self.responder)
        return described if described.info == recording.info else _kept(described)


def _kept(recording: Recording) -> Recording:
    """Write the description of a recording; where that cannot be, a note states it, and this command has it."""
    why = "its capture still runs" if recording.state == "capturing" else ""
    try:
        if not why:
            return recording.update()
    except OSError as error:
        why = error.strerror or str(error)
    note(f"{recording.folder}: does not keep --bench, --initiator and --responder ({why}); give them to each command.")
    return recording


def with_bench(
    recording: Recording, bench_file: Path | None, *, initiator: str | None = None, responder: str | None = None
) -> Recording:
    """The recording with what is given in its description, in place of what was given before; no file is written.

    Raises
    ------
    BenchError
        The recording was made with another bench, or lacks channels of this one.
    RigError
        The roles cannot be, or the experiment of the recording determines them.
    """
    info, before = recording.info, recording.info.as_recorded
    changes: dict[str, Any] = {}
    if bench_file is not None:
        text = benches.recorded_text(bench_file)
        if before.bench not in ("", text):
            raise BenchError(f"{recording.folder}: contains the bench it was recorded on; omit --bench {bench_file}.")
        bench = benches.load(bench_file)
        check_channels(recording, bench, bench_file)
        changes = {"bench": text, "virtual": bench.is_virtual({}) or before.virtual}
        if not (initiator or responder):
            initiator, responder = (_given_role(info, role) for role in ROLES)
    if initiator or responder:
        if info.experiment:
            raise RigError(
                f"{recording.folder}: its experiment, {info.experiment}, determines initiator and responder; "
                "omit --initiator and --responder."
            )
        bench = benches.loads(changes["bench"]) if changes else benches.from_recording(recording)
        changes["parameters"] = {**info.parameters, **roles(bench, initiator=initiator, responder=responder)}
    return Recording(recording.folder, _marked(msgspec.structs.replace(info, **changes), before))


def _given_role(info: RecordingInfo, role: str) -> str | None:
    """A role that an earlier command gave."""
    return str(info.parameters[role]) if info.given and role in info.given and role in info.parameters else None


def _marked(info: RecordingInfo, before: RecordingInfo) -> RecordingInfo:
    """The description, which states what in it was not recorded."""
    changed = {role: str(before.parameters.get(role, "")) for role in ROLES}
    given = {role: recorded for role, recorded in changed.items() if info.parameters.get(role, "") != recorded}
    given |= {"bench": ""} if info.bench != before.bench else {}
    given |= {"virtual": "" if before.virtual is None else "false"} if info.virtual != before.virtual else {}
    return msgspec.structs.replace(info, given=given or msgspec.UNSET)


def distinct(recordings: Sequence[Recording]) -> list[Recording]:
    """The recordings; raises `RigError` if one of them is given twice."""
    for n, recording in enumerate(recordings):
        if any(recording.folder.samefile(earlier.folder) for earlier in recordings[:n]):
            raise RigError(f"{recording.folder} is given twice; give each run once.")
    return list(recordings)


def names(recordings: Sequence[Recording]) -> list[str]:
    """A name for each: that of its point or its folder, or its path where another one has the same."""
    folder_names = [point_names.name_of(recording.folder) for recording in recordings]
    return [
        name if folder_names.count(name) == 1 else str(recording.folder)
        for name, recording in zip(folder_names, recordings, strict=True)
    ]


def check_channels(recording: Recording, bench: Bench, bench_file: Path) -> None:
    """Refuse a bench with lines that the recording has no channel of."""
    named = [f"{name}.{line}" for name, node in bench.nodes.items() for line in node.lines]
    missing = [name for name in named if name not in recording.info.channels]
    if missing:
        raise BenchError(
            f"{recording.folder}: has no channel {', '.join(missing)}, which {bench_file} names; available channels: "
            f"{', '.join(filter(None, recording.info.channels)) or 'none'}. Name them as node.line when it is captured "
            "or imported, or omit the lines in the bench file."
        )
