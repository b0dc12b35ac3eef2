"""Whether the tables and figures of a recording come out again from its edges and logs (docs/guide/provenance.md)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gpiorig.analysis.report import FIGURE_FORMATS, TABLE_FORMATS
from gpiorig.analysis.tables import differences, registry
from gpiorig.capture.errors import Error
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, REPORT, Recording, RecordingInfo
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import integrity
from gpiorig.rig.recordings.integrity import Checked
from gpiorig.rig.results import manifest, versions
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results.manifest import Manifest

Progress = Callable[[str], None]
DERIVED = "tables and figures"
FAILURES = ("different", "missing", "extra")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came out again.

    Attributes
    ----------
    folder
        The recording.
    made_by
        Versions that made its report; empty if they are unknown.
    remarks
        What a difference can come from.
    files
        Every part of the recording and every file of its report.
    """

    folder: Path
    made_by: dict[str, str]
    remarks: tuple[str, ...]
    files: tuple[Checked, ...]

    @property
    def failed(self) -> bool:
        """Whether a file differs, is missing or is one too many."""
        return any(file.verdict in FAILURES for file in self.files)


def check(folder: Path, *, progress: Progress = lambda text: None) -> Reproduction:
    """Compare the parts of a recording with their sums, and the files of its report with what is derived again.

    Raises
    ------
    CaptureError, RigError
        The folder is not a recording, or is being recorded.
    """
    info = description.load(folder / DESCRIPTION)
    if Recording(folder, info).state == "capturing":
        raise RigError(f"{folder}: the capture still runs; reproduce its report when it has ended.")
    stated = manifest.read(folder)
    progress("hashing what was recorded")
    parts = [*_description(folder, stated), *integrity.check(folder, info)]
    present = _present(folder)
    if not present and stated is None:
        files = [Checked(DERIVED, "not compared", "no report has been made of the recording")]
    elif any(part.verdict == "missing" and part.name in info.files for part in parts):
        files = [Checked(DERIVED, "not compared", "they cannot be derived without the missing files")]
    else:
        progress("deriving tables and figures")
        files = [*_derived(folder, info, stated, present)]
    remarks = tuple(_remarks(stated)) if present else ()
    return Reproduction(folder, stated.versions if stated else {}, remarks, (*parts, *files))


def _remarks(stated: Manifest | None) -> Iterator[str]:
    """What a difference can come from."""
    if stated is None:
        yield f"{REPORT}/{manifest.NAME} is not there: versions, limits and quantities of the report are unknown"
    elif different := versions.differences(versions.here(manifest.REPORTING), stated.versions):
        yield (
            f"the report was made by another version of the analysis ({'; '.join(different)}): "
            "a difference can come from that"
        )


def _description(folder: Path, stated: Manifest | None) -> Iterator[Checked]:
    """The description has no sum in itself; the report has one."""
    if stated is None:
        yield Checked(DESCRIPTION, "not compared", "no report states its sum")
    elif sha256(folder / DESCRIPTION) == stated.description_sha256:
        yield Checked(DESCRIPTION, "same")
    else:
        yield Checked(DESCRIPTION, "different", "changed after the report was made")


def _present(folder: Path) -> set[str]:
    """The tables and the files of the report that are there, by their paths in the recording."""
    paths = [*folder.glob(f"*{registry.SUFFIX}"), *(folder / REPORT).rglob("*")]
    names = {path.relative_to(folder).as_posix() for path in paths if path.is_file()}
    return names - {f"{REPORT}/{manifest.NAME}"}


def _derived(folder: Path, info: RecordingInfo, stated: Manifest | None, present: set[str]) -> Iterator[Checked]:
    """Derive everything again, in the formats that are there, and compare."""
    names = present | (stated.files.keys() if stated else set())
    suffixes = {Path(name).suffix for name in names if name.startswith(f"{REPORT}/")}
    options = stated.options if stated else manifest.Options()
    with tempfile.TemporaryDirectory(prefix="gpiorig-reproduce-") as temporary:
        root = Path(temporary)
        try:
            recording = Recording(folder, stated.info(info) if stated else info)
            reported = reporting.of(recording, asserted=options.asserted, asked=options.quantities)
            reported.write(
                root=root,
                figure_formats=[name for name in FIGURE_FORMATS if f".{name}" in suffixes],
                table_formats=[name for name, suffix in TABLE_FORMATS.items() if suffix in suffixes],
            )
        except (Error, msgspec.MsgspecError) as error:
            yield Checked(DERIVED, "different", f"cannot be derived: {error}")
            return
        for name in sorted(names):
            yield _compared(name, folder, root, stated.files.get(name) if stated else None)


def _compared(name: str, folder: Path, root: Path, expected: str | None) -> Checked:
    """A file that is there, or should be, and what is derived; `expected` is its sum when the report was made."""
    path, derived = folder / name, root / name
    if not path.is_file():
        return Checked(name, "missing", "the report wrote it")
    if not derived.is_file():
        return Checked(name, "extra", "it is not derived from the recording")
    digest = sha256(path)
    unchanged = expected in (None, digest)
    if digest == sha256(derived):
        what = "" if unchanged else f"it is as derived, but {REPORT}/{manifest.NAME} states another sum"
        return Checked(name, "same" if unchanged else "different", what)
    since = "" if expected is None else "; unchanged since the report" if unchanged else "; changed after the report"
    return Checked(name, "different", f"{differences.locate(path, derived)}{since}")
