"""Where the certificate of a bench is, and the copy that each recording keeps (docs/guide/verify.md)."""

from __future__ import annotations

import shutil
from pathlib import Path

SUFFIX = ".certificate.json"
KEPT = "certificate.json"  # in a recording


def place(bench_file: Path) -> Path:
    """The certificate of a bench file: next to it."""
    return bench_file.with_suffix(SUFFIX)


def keep(bench_file: Path, recording: Path) -> None:
    """Copy the certificate, if there is one, into the folder of a recording."""
    if place(bench_file).is_file():
        shutil.copyfile(place(bench_file), recording / KEPT)
