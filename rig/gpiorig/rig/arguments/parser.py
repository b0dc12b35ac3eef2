"""The parser of a command: one clear line for wrong use, with the word that was probably meant."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

EXIT_WRONG_USE = 2


class WrongUse(SystemExit):
    """Ends a command whose words are not understood, once that is printed.

    Parameters
    ----------
    text
        What was printed, without the command.
    """

    def __init__(self, text: str) -> None:
        super().__init__(EXIT_WRONG_USE)
        self.text = text


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

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type is not int:
                raise
            raise argparse.ArgumentError(action, f"{arg_string!r} is not a whole number") from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [str(choice) for choice in action.choices or ()]
        if choices and str(value) not in choices:
            hint = did_you_mean(str(value), choices)
            raise argparse.ArgumentError(action, f"no {value!r}{hint}, choose from {', '.join(choices)}")

    def error(self, message: str) -> NoReturn:
        """Print one line, and leave."""
        text = f"{message}; `{self.prog} --help` shows the options"
        self._print_message(f"{self.prog}: error: {text}\n", sys.stderr)
        raise WrongUse(text)


def did_you_mean(word: str, known: Iterable[str], other_words: Mapping[str, str] = {}) -> str:
    """The known word that was probably meant as the end of an error; nothing where none is near.

    Parameters
    ----------
    word
        What was given.
    known
        The words that there are.
    other_words
        By words of other tools, the words for the same here.
    """
    if word in other_words:
        return f" (did you mean {other_words[word]!r}?)"
    near = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def verbs_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of a parser's verbs, such as `check` of `gpiorig bench`; empty without any."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: verb for action in actions for name, verb in action.choices.items()}


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers that take options of their own: those of the verbs, or the parser itself."""
    yield from verbs_of(parser).values() or (parser,)
