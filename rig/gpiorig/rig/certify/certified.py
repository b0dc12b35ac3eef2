"""What `gpiorig bench certify` writes and prints."""

from __future__ import annotations

from gpiorig.rig.certify.causes import Cause
from gpiorig.rig.certify.comparison import Comparison
from gpiorig.rig.certify.fit import Fit
from gpiorig.rig.plain_json import Result


class Certified(Result, frozen=True, kw_only=True):
    """A bench beside its virtual twin.

    Attributes
    ----------
    bench, virtual
        Its name; whether its file states that its boards are virtual.
    gpiorig, programs
        Versions.
    minutes
        How long it took, by the host's clock.
    rows, causes
        All rows, and what those that differ come down to.
    fits
        Of each node whose model was fitted.
    archive, page, fragment
        The files.
    """

    bench: str
    virtual: bool
    gpiorig: str
    programs: dict[str, str]
    minutes: float
    rows: tuple[Comparison, ...]
    causes: tuple[Cause, ...]
    fits: dict[str, Fit]
    archive: str
    page: str
    fragment: str
