"""One archive for the report of an issue: this machine, a bench, a recording and its log, without what is private."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpiorig.capture import confined, log
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, SERIAL
from gpiorig.rig.bench import certificate_file
from gpiorig.rig.errors import RigError
from gpiorig.rig.host import log_file
from gpiorig.rig.host.anonymous import Anonymous

MAX_BYTES = 16 << 20  # of a text; the largest is the description of a recording
TIME = (1980, 1, 1, 0, 0, 0)  # of each file in the archive: zip's first


@dataclass(frozen=True, slots=True)
class Bundle:
    """What goes into the archive.

    Attributes
    ----------
    texts
        By name in the archive, without what is private.
    data
        Files that go in unchanged, by name: samples and serial records, where that is asked for.
    replaced
        The text in place of what was replaced, and how often.
    """

    texts: Mapping[str, str]
    data: Mapping[str, Path] = field(default_factory=dict)
    replaced: Mapping[str, int] = field(default_factory=dict)

    def listing(self) -> list[str]:
        """What is in it, what was replaced, and what is not in it, a line each."""
        sizes = {name: len(text.encode()) for name, text in self.texts.items()}
        sizes |= {name: path.stat().st_size for name, path in self.data.items()}
        counts = ", ".join(f"{text} {count} times" for text, count in self.replaced.items() if count)
        return [
            *(f"  {size:9,} bytes  {name}" for name, size in sizes.items()),
            f"replaced in the texts by: {counts}" if counts else "nothing private was found in the texts",
            "with the samples and the serial lines, in which nothing is replaced"
            if self.data
            else "without samples and serial lines (--with-data puts them in)",
        ]

    def write(self, path: Path) -> None:
        """Write the archive."""
        with replacing(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self.texts.items():
                archive.writestr(_entry(name), text)
            for name, file in self.data.items():
                with confined.opened(file) as source, archive.open(_entry(name), "w", force_zip64=True) as target:
                    while chunk := source.read(1 << 20):
                        target.write(chunk)


def collected(
    doctor: str, *, bench: Path | None, experiment: Path | None, recording: Path | None, with_data: bool
) -> Bundle:
    """Collect an archive.

    Parameters
    ----------
    doctor
        What `gpiorig doctor` found.
    bench, experiment
        Their files; a certificate next to the bench file and its log go in, too.
    recording
        The folder of a recording, also of one that was not begun: then its log next to it goes in.
    with_data
        Put samples and serial records in.

    Raises
    ------
    RigError
        There is neither that recording nor its log.
    """
    texts = {"doctor.txt": doctor, "machine.txt": "\n".join([*log_file.facts(), ""])}
    files = {name: path for name, path in (("bench.toml", bench), ("experiment.toml", experiment)) if path is not None}
    if bench is not None:
        certificate = certificate_file.place(bench)
        files |= {"certificate.json": certificate, "certificate.log.txt": log_file.of_certificate(certificate)}
    data = {}
    if recording is not None:
        names = (DESCRIPTION, log.NAME, certificate_file.KEPT)
        files |= {f"recording/{name}": recording / name for name in names}
        files[f"recording.{log.NAME}"] = log_file.of_failure(recording)
        if not any(files[name].is_file() for name in files if name.startswith("recording")):
            raise RigError(f"{recording}: is not a recording, and no log of an attempt at one lies next to it.")
        data = _data(recording) if with_data else {}
    texts |= {name: _text(path) for name, path in files.items() if path.is_file()}
    texts["doctor.log.txt"] = log.recent()
    anonymous = Anonymous.of(texts.values())
    return Bundle({name: anonymous.text(text) for name, text in texts.items()}, data, dict(anonymous.counts))


def _data(recording: Path) -> dict[str, Path]:
    paths = [path for part in (EDGES, SERIAL) for path in sorted((recording / part).glob("*")) if path.is_file()]
    for path in paths:
        confined.check_own(path)  # a link of a stranger's recording leads to a file of the user
    return {f"recording/{path.parent.name}/{path.name}": path for path in paths}


def _text(path: Path) -> str:
    confined.check_own(path)
    with confined.opened(path) as file:
        return file.read(MAX_BYTES).decode(errors="replace")


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
