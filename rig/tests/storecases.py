"""Recordings for tests of the store, and the only value of a result."""

from __future__ import annotations

import shutil
from pathlib import Path

from gpiorig.capture.recording.recording import Epoch, Recording
from gpiorig.rig.store.store import Store

PACKETS = 6


def copied(recorded: Path, folder: Path, *, began: str = "") -> Path:
    """A copy of a recording, with another beginning another recording."""
    shutil.copytree(recorded, folder)
    if began:
        Recording.open(folder).update(epoch=Epoch(wall=began))
    return folder


def single(store: Store, sql: str) -> object:
    """The only value of a result."""
    (row,) = store.query(sql).to_pylist()
    (value,) = row.values()
    return value
