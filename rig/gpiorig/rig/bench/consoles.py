"""Consoles: how an experiment talks to a firmware, one TOML file each, data only. A file adds a firmware."""

from __future__ import annotations

import string
import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import convert

NONE = "none"  # the console of a firmware that is not spoken to


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to a node.

    Attributes
    ----------
    command
        The command.
    answer
        The line that answers it: its named groups are values for the commands that follow.
    """

    command: str
    answer: str


class Console(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The commands of a firmware, with names in braces to fill in, and regular expressions of the lines that it prints.

    Attributes
    ----------
    name, text
        What a bench file calls it, and what it is.
    identifies
        Whether `hello` is answered with ``key=value`` words: the event table, the firmware (the name of its console),
        the kernel and the probes.
    app
        The application, where the firmware has only one.
    ready
        The line at the end of its start.
    hello
        A command that it answers at any time, for one that started earlier.
    answer, refusal, misheard
        The line that answers a command; one that refuses it; one to a command that was not understood.
    set_up
        Commands before the settings.
    ask
        Questions to every node before the settings.
    set, set_answer
        The command of every setting, and its answer; firmware-gpio-probes/settings.toml has the firmware's settings.
    settings
        In place of `set` the command of each setting that it has; empty: it is part of `start`.
    start, start_endless
        Starts `packets` packets, or packets without an end; ``_ms`` of a time is in milliseconds.
    started
        The line that answers them, or refuses; None: none does.
    packet, done
        The line of each packet, and the one at the end.
    stop
        Ends what was started.
    report
        Questions at the end, each with the settings that it is for; without such, it is always asked.
    """

    name: str
    text: str
    identifies: bool = False
    app: str | None = None
    ready: str | None = None
    hello: str | None = None
    answer: str = ""
    refusal: str = ""
    misheard: str | None = None
    set_up: tuple[str, ...] = ()
    ask: tuple[Question, ...] = ()
    set: str | None = None
    set_answer: str | None = None
    settings: dict[str, str] = {}
    start: str | None = None
    start_endless: str | None = None
    started: str | None = None
    packet: str | None = None
    done: str | None = None
    stop: str | None = None
    report: dict[str, tuple[str, ...]] = {}

    @property
    def times_ms(self) -> list[str]:
        """The settings in microseconds that `start` takes in milliseconds."""
        names = [name or "" for _, name, _, _ in string.Formatter().parse(self.start or "")]
        return [name.removesuffix("_ms") + "_us" for name in names if name.endswith("_ms")]


def names() -> list[str]:
    """Names of the consoles that have a file."""
    entries = files("gpiorig.rig") / "consoles"
    return sorted(entry.name.removesuffix(".toml") for entry in entries.iterdir() if entry.name.endswith(".toml"))


@cache
def load(name: str) -> Console:
    """The console of that name.

    Raises
    ------
    BenchError
        No file has this name, or it is wrong.
    """
    if name not in names():
        raise BenchError(f"unknown console `{name}`; consoles with a description: {', '.join(names())}.")
    return convert(_table(name), Console, what=f"console file {name}.toml")


def _table(name: str) -> dict[str, object]:
    """The content of a file, and of the one that it is like."""
    table = tomllib.loads((files("gpiorig.rig") / "consoles" / f"{name}.toml").read_text(encoding="utf-8"))
    base = table.pop("like", None)
    return {**_table(base), **table} if isinstance(base, str) else table
