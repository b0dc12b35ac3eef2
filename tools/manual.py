"""The manual page docs/gpiorig.1, from the parsers of the command line.

Written here: argparse-manpage makes a page of one parser, without groups of commands and examples line by line.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator

from gpiorig.rig import cli
from gpiorig.rig.arguments import GROUPS, common_options
from gpiorig.rig.arguments.parser import verbs_of

COMMON = ("help", "quiet", "verbose")


def page() -> str:
    """The text of the page, in the macros of man(7)."""
    tree = cli.tree()
    commands = verbs_of(tree)
    lines = [
        '.\\" Made by `make docs`.',
        '.TH GPIORIG 1 "" "gpiorig" "User Commands"',
        ".SH NAME",
        r"gpiorig \- where a packet's time and jitter come from",
        ".SH SYNOPSIS",
        r".B gpiorig \fICOMMAND\fR [\fIOPTION\fR...]",
        ".SH DESCRIPTION",
        _escaped(cli.DESCRIPTION),
    ]
    common = argparse.ArgumentParser(add_help=False)
    common_options.add_arguments(common)
    lines += [".SH OPTIONS OF EVERY COMMAND", *_options(common, omitted=())]
    for group, names in GROUPS.items():
        lines.append(f'.SH "{group.upper()}"')
        for name in names:
            lines += _command(commands[name])
    lines += [".SH EXAMPLES AND EXIT STATUS", *_verbatim(cli.EPILOG)]
    return "\n".join(lines) + "\n"


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    """A command, its options or its verbs, and its examples."""
    yield f'.SS "{parser.prog}"'
    yield _escaped(parser.description or "")
    verbs = verbs_of(parser)
    if not verbs:
        yield from _options(parser)
    for verb in verbs.values():
        yield ".PP"
        yield rf".B {_escaped(verb.prog)}"
        yield from _options(verb)
    if parser.epilog:
        yield ".PP"
        yield from _verbatim(parser.epilog)


def _options(parser: argparse.ArgumentParser, omitted: Collection[str] = COMMON) -> Iterator[str]:
    for action in parser._actions:
        if action.dest in omitted:
            continue
        value = argparse.HelpFormatter(prog="")._format_args(action, (action.metavar or action.dest.upper()))  # type: ignore[arg-type]
        names = ", ".join(action.option_strings)
        takes_value = not action.option_strings or action.nargs != 0
        head = " ".join(part for part in (names, value if takes_value else "") if part)
        yield ".TP"
        yield rf".B {_escaped(re.sub(',(?! )', ', ', head))}"  # a line may break between choices
        yield _escaped((action.help or "").replace("%%", "%"))


def _verbatim(text: str) -> list[str]:
    return [".nf", *(_escaped(line) for line in text.splitlines()), ".fi"]


def _escaped(text: str) -> str:
    """Text in which roff reads no command."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.\'])", r"\\&\1", text, flags=re.MULTILINE)
