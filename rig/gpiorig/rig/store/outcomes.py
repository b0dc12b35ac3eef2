"""What adding a run to a store did, and what collecting its garbage did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpiorig.rig.store.contents import Key

Status = Literal["added", "present", "moved", "replaced"]


@dataclass(frozen=True, slots=True)
class Added:
    """What adding a run did.

    Attributes
    ----------
    key
        The run.
    status
        `present`: it was there, with the same tables; `moved`: so was it, and its recording is at another place now;
        `replaced`: its tables, or another recording of the same folder, took the place of earlier ones.
    remarks
        Sentences: what was replaced, which quantities the recording does not show.
    """

    key: Key
    status: Status
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collected:
    """What `Store.gc` deleted: files that are not registered, and runs whose files are gone."""

    files: int
    bytes: int
    runs: tuple[Key, ...]
