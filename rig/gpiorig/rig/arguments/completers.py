"""Words that a shell completes: called by the script of `gpiorig --completion`, at each press of the key."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

import argcomplete
from argcomplete.completers import FilesCompleter

from gpiorig.rig import resources
from gpiorig.rig.arguments.parser import Parser, leaves, verbs_of

NAMES: dict[str, Callable[[], Iterable[str]]] = {"BENCH": resources.benches, "EXPERIMENT": resources.experiments}


def complete(tree: Parser) -> None:
    """Print the words that fit where the cursor is, and leave the process; return if no shell asks."""
    for command in verbs_of(tree).values():
        for leaf in leaves(command):
            for action in leaf._actions:
                if isinstance(action.metavar, str) and action.metavar in NAMES:
                    action.completer = _named(NAMES[action.metavar])  # type: ignore[attr-defined]
    argcomplete.autocomplete(tree)


def _named(names: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """Files, and the names of what comes with gpiorig."""
    files = FilesCompleter()

    def completer(prefix: str, action: argparse.Action, parser: argparse.ArgumentParser, **more: Any) -> list[str]:
        known = [name for name in names() if name.startswith(prefix)]
        return [*known, *files(prefix=prefix, action=action, parser=parser, **more)]

    return completer
