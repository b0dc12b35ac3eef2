"""The fingerprint of a recording: what names it wherever it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, SERIAL, Recording
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.errors import StoreError

ID_DIGITS = 16


def of(recording: Recording) -> str:
    """64 hexadecimal digits: the sha256 of its description, which has the sha256 of each recorded file.

    Raises
    ------
    StoreError
        Its capture still runs.
    """
    if recording.state == "capturing":
        raise StoreError(f"{recording.folder}: the capture still runs; add the recording when it has ended.")
    content = msgspec.to_builtins(recording.info)
    if not recording.info.files:  # a capture that was interrupted
        paths = (path for part in (EDGES, SERIAL) for path in (recording.folder / part).glob("*") if path.is_file())
        content["files"] = {path.relative_to(recording.folder).as_posix(): sha256(path) for path in paths}
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def identifier(fingerprint: str) -> str:
    """The first digits, which name a recording in a store."""
    return fingerprint[:ID_DIGITS]


def search(fingerprints: Iterable[str], folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Recordings below some folders whose fingerprints are wanted, with their places."""
    missing = set(fingerprints)
    for folder in folders:
        for path in folder.rglob(DESCRIPTION):
            if not missing:
                return
            try:
                fingerprint = of(Recording.open(path.parent))
            except (CaptureError, StoreError):
                continue  # not a recording that could be in a store
            if fingerprint in missing:
                missing.remove(fingerprint)
                yield fingerprint, path.parent.resolve()


def size(recording: Recording) -> int:
    """Bytes of its recorded files."""
    parts = (recording.folder / part for part in (EDGES, SERIAL))
    return sum(path.stat().st_size for part in parts for path in part.glob("*") if path.is_file())
