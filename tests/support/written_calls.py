"""The calls of commands that documents and help texts show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from gpiorig.rig.arguments import COMMANDS

_CALL = re.compile(rf"^ *(?:\.venv/bin/)?gpiorig ((?:{'|'.join(COMMANDS)})\b.*)$", re.MULTILINE)
_AFTER = re.compile(r" {2,}\S.*$| #.*$| [|>&].*$")  # the rest of a line after the command
_CONTINUED = re.compile(r" *\\\n *")


def calls(text: str) -> Iterator[list[str]]:
    """The words of each call of a command in a text, without `gpiorig`."""
    for line in _CALL.findall(_CONTINUED.sub(" ", text)):
        if "…" not in line:
            yield shlex.split(_AFTER.sub("", line))
