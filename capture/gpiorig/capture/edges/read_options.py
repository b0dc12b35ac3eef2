"""Options of reading a third-party file, and the channels that they choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.errors import FormatError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Settings that a file does not contain; None and empty: those of the file, or the format's default.

    Attributes
    ----------
    samplerate_hz
        Samples per second. Times of a file that has a rate of its own are put on the nearest sample of this one.
    unitsize
        Bytes per sample of a raw file.
    channels
        Names of the channels of a file that has none, bit 0 first; of one that has some: which, as names or shell
        patterns.
    columns
        Column of a table by what it holds: "time", "channel", "level", "node"; "unit" of its times and "separator".
    recover
        Read on past damage: what is lost becomes gaps; a file that was cut short is read as far as it goes.
    as_sigrok
        Read a .sr file as sigrok does for its decoders: channels without a name are called by their numbers, those for
        which a sample has no bit are omitted, and a file may have no samplerate (`RateOrigin.NONE`).
    """

    samplerate_hz: Fraction | None = None
    unitsize: int | None = None
    channels: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    recover: bool = False
    as_sigrok: bool = False


def chosen(known: Sequence[str], wanted: Sequence[str], path: Path) -> tuple[str, ...]:
    """Return the channels that names or shell patterns choose, in their order; all of them if nothing is wanted.

    Raises
    ------
    FormatError
        A name is of no channel, or more are chosen than fit.
    """
    names = dict.fromkeys(() if wanted else known)
    for name in wanted:
        matches = [other for other in known if other == name] or [other for other in known if fnmatchcase(other, name)]
        if not matches:
            raise FormatError(f"has no channel {name!r}", where=path, remedy=f"available channels: {_some(known)}")
        names.update(dict.fromkeys(matches))
    if len(names) > MAX_CHANNELS:
        raise FormatError(
            f"has {len(names)} channels",
            where=path,
            remedy=f"choose at most {MAX_CHANNELS} with --channels; there are {_some(known)}",
        )
    return tuple(names)


def _some(known: Sequence[str]) -> str:
    return (
        ", ".join(name[:60] for name in known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        or "none"
    )
