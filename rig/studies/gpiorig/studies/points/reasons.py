"""Figures of documents that no study makes, or not completely: reasons.toml next to this module."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.studies.pages.catalogue import Reason


class _Reasons(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    reason: tuple[Reason, ...]


def load() -> tuple[Reason, ...]:
    """All of them, in the order of the documents."""
    return load_toml(Path(__file__).with_suffix(".toml"), _Reasons, what="reasons").reason
