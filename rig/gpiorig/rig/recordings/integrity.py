"""Whether the parts of a recording are those that were recorded, by the sums in its description."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpiorig.capture import confined
from gpiorig.capture.log import NAME
from gpiorig.capture.recording import description
from gpiorig.capture.recording.origin import Origin
from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, REPORT, SERIAL, RecordingInfo
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.bench.certificate_file import KEPT
from gpiorig.rig.recordings.merge import PARTS

TABLES = ".parquet"
KNOWN = {DESCRIPTION, EDGES, SERIAL, PARTS, REPORT, KEPT, NAME}

Verdict = Literal["same", "different", "missing", "extra", "not compared"]


@dataclass(frozen=True, slots=True)
class Checked:
    """A file, or a part of one, and whether it is what it should be; `what` explains another verdict than "same"."""

    name: str
    verdict: Verdict
    what: str = ""


def check(folder: Path, info: RecordingInfo) -> Iterator[Checked]:
    """Compare every recorded part with its sum."""
    yield from _files(folder, info)
    for part in sorted((folder / PARTS).glob(f"*/{DESCRIPTION}")):
        within = part.parent.relative_to(folder)
        for checked in _files(part.parent, description.load(part)):
            yield Checked((within / checked.name).as_posix(), checked.verdict, checked.what)
    if isinstance(info.origin, Origin):
        yield from _origin(folder, info, info.origin)
    else:
        yield Checked("bench, certificate and images", "not compared", f"{DESCRIPTION} has no [origin]")
    for path in sorted(folder.iterdir()):
        if path.name not in KNOWN and path.suffix != TABLES:
            yield Checked(path.name, "not compared", f"{DESCRIPTION} has no sum of it")


def _files(folder: Path, info: RecordingInfo) -> Iterator[Checked]:
    """The files of edges and of serial ports."""
    present = {path.relative_to(folder).as_posix() for part in (EDGES, SERIAL) for path in (folder / part).glob("*")}
    if not info.files:
        what = f"{DESCRIPTION} has no sums: the recording did not end in order"
        yield from (Checked(name, "not compared", what) for name in sorted(present))
        return
    for name, expected in info.files.items():
        if name not in present:
            yield Checked(name, "missing", "it was recorded")
        elif sha256(confined.below(folder, name)) == expected.sha256:
            yield Checked(name, "same")
        else:
            yield Checked(name, "different", f"changed after recording (sha256 differs from {DESCRIPTION})")
    for name in sorted(present - info.files.keys()):
        yield Checked(name, "extra", "it was not recorded")


def _origin(folder: Path, info: RecordingInfo, origin: Origin) -> Iterator[Checked]:
    """Bench, certificate and images."""
    if hashlib.sha256(info.bench.encode()).hexdigest() == origin.bench_sha256:
        yield Checked("bench", "same")
    else:
        yield Checked("bench", "different", f"the text in {DESCRIPTION} was changed after recording")
    certificate = folder / KEPT
    if origin.certificate_sha256:
        if not certificate.is_file():
            yield Checked(KEPT, "missing", "it was copied into the recording")
        elif sha256(certificate) == origin.certificate_sha256:
            yield Checked(KEPT, "same")
        else:
            yield Checked(KEPT, "different", f"changed after recording (sha256 differs from {DESCRIPTION})")
    elif certificate.exists():
        yield Checked(KEPT, "extra", "the bench had none")
    for node, image in origin.images.items():
        yield _image(f"image of {node}", Path(image.file), info.firmware.get(node, ""))


def _image(name: str, path: Path, expected: str) -> Checked:
    """An image is not part of the recording: it may have gone, or been built again."""
    if not path.is_file():  # such as a device, which has no end
        return Checked(name, "not compared", f"{path} is not there any more")
    digest = sha256(path)
    if digest == expected:
        return Checked(name, "same")
    return Checked(name, "not compared", f"{path} is another image now: its sha256 is {digest}")
