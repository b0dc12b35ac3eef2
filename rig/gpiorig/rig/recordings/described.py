"""What a command adds to the description of a recording: its bench, and the nodes that are initiator and responder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError, RigError


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
    """What the options of a command state about its recordings; parameters as of `with_bench`."""

    bench_file: Path | None = None
    initiator: str | None = None
    responder: str | None = None

    def open(self, folder: Path) -> Recording:
        """A recording with this; errors as of `with_bench`."""
        return with_bench(Recording.open(folder), self.bench_file, initiator=self.initiator, responder=self.responder)


def with_bench(
    recording: Recording, bench_file: Path | None, *, initiator: str | None = None, responder: str | None = None
) -> Recording:
    """The recording with what is given added to its description; the files are left alone.

    Raises
    ------
    BenchError
        The recording has another bench, or lacks channels of this one.
    RigError
        The roles cannot be, or the experiment of the recording determines them.
    """
    info = recording.info
    changes: dict[str, Any] = {}
    if bench_file is not None:
        text = benches.recorded_text(bench_file)
        if info.bench not in ("", text):
            raise BenchError(f"{recording.folder}: contains the bench it was recorded on; omit --bench {bench_file}.")
        bench = benches.load(bench_file)
        check_channels(recording, bench, bench_file)
        changes = {"bench": text, "virtual": info.virtual or bench.is_virtual({})}
    if initiator or responder:
        if info.experiment:
            raise RigError(
                f"{recording.folder}: its experiment, {info.experiment}, determines initiator and responder; "
                "omit --initiator and --responder."
            )
        bench = benches.loads(changes["bench"]) if changes else benches.from_recording(recording)
        changes["parameters"] = {**info.parameters, **roles(bench, initiator=initiator, responder=responder)}
    return Recording(recording.folder, msgspec.structs.replace(info, **changes)) if changes else recording


def distinct(recordings: Sequence[Recording]) -> list[Recording]:
    """The recordings; raises `RigError` if one of them is given twice."""
    for n, recording in enumerate(recordings):
        if any(recording.folder.samefile(other.folder) for other in recordings[:n]):
            raise RigError(f"{recording.folder} is given twice; give each run once.")
    return list(recordings)


def names(recordings: Sequence[Recording]) -> list[str]:
    """A name for each: that of its folder, or its path where another one has the same."""
    own = [recording.folder.resolve().name for recording in recordings]
    return [
        name if own.count(name) == 1 else str(recording.folder) for name, recording in zip(own, recordings, strict=True)
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
