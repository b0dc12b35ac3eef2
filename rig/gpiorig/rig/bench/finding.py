"""What was looked at on a bench or on this machine, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["right", "wrong", "unknown"]
_WORDS = {"right": "ok", "wrong": "WRONG", "unknown": "not known"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, the verdict, and the reason for it."""

    about: str
    verdict: Verdict
    what: str

    def __str__(self) -> str:
        return f"{_WORDS[self.verdict]}: {self.about}: {self.what}"
