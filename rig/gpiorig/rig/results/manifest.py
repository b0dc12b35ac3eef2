"""The sums of a report's files, and what they were made by: `manifest.json` in its folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, REPORT, Recording, RecordingInfo
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.errors import RigError
from gpiorig.rig.results import versions

NAME = "manifest.json"
REPORTING = "gpiorig.rig.results.report"  # makes the files
_ADDED = ("bench", "virtual", "parameters", "given")  # what `described.with_bench` adds to a description
_REMEDY = "Delete it, or write it again with `gpiorig report`."


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was asked of a report in addition to the experiment: limits and quantities."""

    asserted: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of `manifest.json`.

    Attributes
    ----------
    versions
        Versions of gpiorig and of the libraries that computed and wrote the files (`versions.here(REPORTING)`).
    description_sha256
        Of `recording.toml`, as it was analysed.
    options
        What was asked for.
    added
        Fields of the description that the command line gave, bench and roles, where the recording could not keep them.
    files
        sha256 of each file, by path.
    """

    versions: dict[str, str]
    description_sha256: str
    options: Options
    added: dict[str, Any]
    files: dict[str, str]

    def info(self, described: RecordingInfo) -> RecordingInfo:
        """The description that the report was made from."""
        return msgspec.convert(msgspec.to_builtins(described) | self.added, RecordingInfo)


def write(place: Path, files: Iterable[Path], *, folder: Path, recording: Recording, options: Options) -> None:
    """Write the sums of files below a folder into the folder `place`."""
    path = recording.folder / DESCRIPTION
    described, used = (msgspec.to_builtins(info) for info in (description.load(path), recording.info))
    content = Manifest(
        versions=versions.here(REPORTING),
        description_sha256=sha256(path),
        options=options,
        added={name: used[name] for name in _ADDED if used.get(name) != described.get(name)},
        files={file.relative_to(folder).as_posix(): sha256(file) for file in sorted(files)},
    )
    with replacing(place / NAME) as new:
        new.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


def read(folder: Path) -> Manifest | None:
    """The sums of the report in a recording; None if there are none.

    Raises
    ------
    RigError
        The file is damaged, of another version, or names a file that is not below the folder.
    """
    path = folder / REPORT / NAME
    try:
        with confined.opened(path) as file:
            content = msgspec.json.decode(file.read(), type=Manifest)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RigError(f"{path}: {error}. {_REMEDY}") from error
    try:
        for name in content.files:
            confined.below(folder, name)
    except FormatError as error:
        raise RigError(f"{path}: {error.what}. {_REMEDY}") from error
    return content
