"""Power traces as a command line names them: which file has the power of a node, and how it is aligned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import toml_text
from gpiorig.rig.errors import RigError

KEYS = ("amperes", "volts", "node", "pin", "load")
FORM = "NODE=FILE,pin=PIN:CHANNEL"


@dataclass(frozen=True, slots=True)
class PowerFile:
    """A power trace as the command line names it.

    Attributes
    ----------
    node
        The node whose power it is.
    path
        The file.
    settings
        Values of some of `KEYS`.
    """

    node: str
    path: Path
    settings: dict[str, str]


FILE = "power.toml"  # in the folder of a recording: by node what `--power` has after ``NODE=``


def beside(folder: Path) -> tuple[PowerFile, ...]:
    """The power traces that a file in the folder of a recording names; paths are from that folder.

    Raises
    ------
    RigError
        It is not a table of texts, or one of them is not of the form.
    """
    place = folder / FILE
    if not place.is_file():
        return ()
    try:
        entries = toml_text.decode(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RigError(f'{place}: {error}. Write a line for each node: NODE = "FILE,pin=PIN:CHANNEL".') from error
    files = []
    for node, text in entries.items():
        try:
            file = power_file(f"{node}={text}")
        except RigError as error:
            raise RigError(f"{place}: {error}") from error
        files.append(PowerFile(file.node, folder / file.path, file.settings))
    return tuple(files)


def power_file(text: str) -> PowerFile:
    """Parse a value of `--power`.

    Raises
    ------
    RigError
        It is not of the form; the message states what is wrong.
    """
    place, *parts = text.split(",")
    node, equals, path = place.partition("=")
    settings = dict(part.split("=", 1) for part in parts if "=" in part)
    if not (node and equals and path) or len(settings) < len(parts):
        raise RigError(f"--power {text}: write it like `{FORM}`.")
    if unknown := settings.keys() - set(KEYS):
        raise RigError(f"--power {text}: no key {min(unknown)!r}; there are {', '.join(KEYS)}.")
    if ("pin" in settings) == ("load" in settings):
        raise RigError(f"--power {text}: give pin=PIN:CHANNEL or load=CHANNEL: the two clocks need instants in common.")
    return PowerFile(node, Path(path), settings)
