"""The folder of a point: its recording, its numbers, and `point.json`, which states how it ended."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording import description, new_folder
from gpiorig.capture.recording.recording import Recording
from gpiorig.studies.pages.results import State
from gpiorig.studies.points.versions import analysis_version, boards_version

POINTS, RECORDING, QUANTITIES, POINT = "points", "recording", "quantities.parquet", "point.json"
BENCH, EXPERIMENT = "bench.toml", "experiment.toml"
FORMAT = 1


class PointFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a point ended: `point.json`.

    Attributes
    ----------
    study, coordinates, repeat
        The study that recorded it first; others may share it.
    error
        Why no recording is complete; empty if one is.
    refusal
        Why a firmware does not take the experiment; empty if it does.
    checks
        Checks that failed, and why an analysis was not possible, a sentence each.
    verdicts
        By assertion: empty if it holds, else why not.
    quantities
        By complete name: empty if the recording shows it, else why not.
    quantities_sha256
        Of `quantities.parquet`.
    warmup_end_sample
        First sample that counts.
    recording_s, bytes
        Wall time and size of the recording.
    analysis
        Version of the analysis that made the numbers.
    boards
        Version of the virtual boards that were recorded; empty for real ones, and where it is not known.
    versions
        Of the programs.
    """

    study: str
    coordinates: dict[str, Any]
    repeat: int
    error: str = ""
    refusal: str = ""
    checks: tuple[str, ...] = ()
    verdicts: dict[str, str] = {}
    quantities: dict[str, str] = {}
    quantities_sha256: str = ""
    warmup_end_sample: int | None = None
    recording_s: float = 0.0
    bytes: int = 0
    analysis: str = ""
    boards: str = ""
    versions: dict[str, str] = {}
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class PointFolder:
    """The folder of a point, which need not exist."""

    path: Path

    @classmethod
    def of(cls, output: Path, digest: str) -> PointFolder:
        """The folder of a point below the output folder of studies; `FormatError` where a link leads out of that."""
        return cls(confined.inside(output, f"{POINTS}/{digest}"))

    @property
    def recording(self) -> Path:
        """Its recording; `FormatError` where it is a link."""
        return confined.inside(self.path, RECORDING)

    @property
    def quantities(self) -> Path:
        """Its table of quantities."""
        return self.path / QUANTITIES

    def read(self) -> PointFile | None:
        """What `point.json` states; None without one that can be read."""
        try:
            with confined.opened(self.path / POINT) as content:
                file = msgspec.json.decode(content.read(), type=PointFile)
        except (OSError, CaptureError, msgspec.MsgspecError):
            return None
        return file if file.format == FORMAT else None

    def table(self) -> pa.Table | None:
        """Its quantities; None without a table that can be read."""
        try:
            with self.quantities.open("rb") as file:
                return pq.read_table(file)
        except (OSError, pa.ArrowException):
            return None

    def write(self, file: PointFile, table: pa.Table | None) -> None:
        """Write the table, then `point.json`, each in one step; what is killed between them leaves a stale point."""
        if table is not None:
            with replacing(self.quantities) as new:
                pq.write_table(table, new)
            file = msgspec.structs.replace(file, quantities_sha256=_sha256(self.quantities))
        with replacing(self.path / POINT) as new:
            new.write_bytes(msgspec.json.format(msgspec.json.encode(file), indent=1))

    def unread(self) -> None:
        """Delete what was read from the recording; `point.json` first, so that the rest is never taken for a point."""
        for name in (POINT, QUANTITIES):
            (self.path / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete all."""
        self.unread()
        if self.recording.exists():
            old = self.path / f"{RECORDING}.old"
            shutil.rmtree(old, ignore_errors=True)
            self.recording.rename(old)
        if self.path.exists():
            shutil.rmtree(self.path)

    def open(self) -> Recording | None:
        """Its recording if it is complete, with all files."""
        with contextlib.suppress(CaptureError):
            recording = Recording.open(self.recording)
            return recording if recording.state == "complete" else None
        return None

    @property
    def virtual(self) -> bool | None:
        """Whether its recording is of virtual boards; None: that is not known."""
        with contextlib.suppress(CaptureError):
            return description.load(self.recording / new_folder.DESCRIPTION).virtual
        return None

    @property
    def outdated(self) -> bool:
        """Whether its recording is of other virtual boards than those of now."""
        file, boards = self.read(), boards_version()
        return file is not None and "" not in (file.boards, boards) and file.boards != boards

    def state(
        self, asked: Sequence[str], asserted: Sequence[str], *, judged: bool = True, record: bool = True
    ) -> tuple[State, str]:
        """The state of the point for a study that asks for quantities and assertions, and its reason.

        `judged`: whether a check that failed makes it fail; `record`: whether it has a recording.
        """
        file = self.read()
        if file is not None and file.refusal:
            return "refused", file.refusal
        if file is not None and file.error:
            return "failed", file.error
        if not (self.recording.exists() if record else self.path.exists()):
            return "missing", ""
        if record and self.open() is None:
            return "broken", "its recording is not complete"
        if file is None:
            return "stale", "its numbers are not complete"
        if why := self._stale(file, asked, asserted):
            return "stale", why
        broken = [*file.checks, *(verdict for text in asserted if (verdict := file.verdicts[text]))]
        if broken and judged:
            return "failed", " ".join(broken)
        return "done", " ".join(reason for name in asked if (reason := file.quantities[name]))

    def _stale(self, file: PointFile, asked: Sequence[str], asserted: Sequence[str]) -> str:
        if self.outdated:
            return "its recording is of another version of the virtual boards"
        if file.analysis != analysis_version():
            return "its numbers are of another version of the analysis"
        lacking = [*(name for name in asked if name not in file.quantities)]
        lacking += [text for text in asserted if text not in file.verdicts]
        if lacking:
            return f"its numbers lack {', '.join(lacking)}"
        if file.quantities_sha256 != _sha256(self.quantities):
            return f"{QUANTITIES} was changed"
        return ""


def _sha256(path: Path) -> str:
    """In hexadecimal digits; empty without a file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; files may vanish meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total
