"""The parser of a command: one clear line for wrong use, with the word that was probably meant."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

EXIT_WRONG_USE = 2


class Parser(argparse.ArgumentParser):
    """A parser whose options are given in full, and whose help shows examples line by line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse an unknown option before its value is read as a positional argument."""
        given = list(sys.argv[1:] if args is None else args)
        verbs = verbs_of(self)
        for word in given[: given.index("--")] if "--" in given else given:
            if word in verbs:
                break  # the words after it are the verb's
            option = word.partition("=")[0]
            if option.startswith("--") and " " not in word and option not in self._option_string_actions:
                self.error(f"unknown option {option}{did_you_mean(option, self._option_string_actions)}")
        return super().parse_known_args(given, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [str(choice) for choice in action.choices or ()]
        if choices and str(value) not in choices:
            hint = did_you_mean(str(value), choices)
            raise argparse.ArgumentError(action, f"no {value!r}{hint}, choose from {', '.join(choices)}")

    def error(self, message: str) -> NoReturn:
        """Print one line, and leave."""
        self.exit(EXIT_WRONG_USE, f"{self.prog}: error: {message}; `{self.prog} --help` shows the options\n")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest known word as the end of an error; nothing where none is near."""
    near = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def verbs_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of a parser's verbs, such as `check` of `gpiorig bench`; empty without any."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: verb for action in actions for name, verb in action.choices.items()}


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers that take options of their own: those of the verbs, or the parser itself."""
    yield from verbs_of(parser).values() or (parser,)
