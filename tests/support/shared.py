"""Folders that are made once for an entire session of tests, whichever of its processes needs one first."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from images import lock


def filled(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of this name, which `make` has filled; it must not be written to afterwards."""
    base = factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared" / name
    folder = place / "made"
    with lock(place):
        if not folder.exists():
            new = place / "new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            make(new)
            new.rename(folder)
    return folder


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    """Fail when a test that shares the folder writes into it."""
    before = _content(folder)
    yield
    after = _content(folder)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert set() == changed, "these files are shared by tests: work on a copy"


def _content(folder: Path) -> dict[str, str]:
    """Time and sum of each file: one that is written again with the same content has changed, too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): f"{path.stat().st_mtime_ns} {_sha256(path)}" for path in files}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
