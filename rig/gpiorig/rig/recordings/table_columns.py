"""The option `--columns`: which column of a table holds what."""

from __future__ import annotations

from gpiorig.rig.errors import RigError

ROLES = ("time", "channel", "level", "node", "levels", "group", "unit", "separator")


def columns(text: str) -> dict[str, str]:
    """Names of columns by what they hold, of ``WHAT=NAME,…``; raises `RigError` where it is not understood."""
    names = {}
    for part in text.split(","):
        role, equals, name = part.partition("=")
        if part and (not equals or role not in ROLES):
            raise RigError(f"--columns {part}: write WHAT=NAME; WHAT is one of {', '.join(ROLES)}.")
        if part:
            names[role] = name or ","
    return names
