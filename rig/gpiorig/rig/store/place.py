"""The folder of a store: whether it is one, by its catalogue; imports no database."""

from __future__ import annotations

from pathlib import Path

from gpiorig.rig.errors import StoreError

FILE = "store.duckdb"


def check(folder: Path) -> None:
    """Refuse a folder without a catalogue."""
    if not (folder / FILE).is_file():
        raise StoreError(f"{folder} is not a store: it has no {FILE}. `gpiorig store add RUN -s {folder}` makes one.")
