"""Options that may be given several times."""

from __future__ import annotations

import pytest

from gpiorig.rig.cli import options_of


@pytest.mark.parametrize(
    ("words", "dest"),
    [
        ("report r --quantity", "quantities"),
        ("report r --assert", "assertions"),
        ("compare a b --quantity", "quantities"),
        ("compare a b --assert", "assertions"),
        ("batch r --quantity", "quantities"),
        ("store add r --quantity", "quantities"),
        ("store ls --search", "search"),
    ],
)
def test_the_values_are_a_list(words: str, dest: str) -> None:
    """In their order; a list of its own for each command line."""
    verb, *rest = words.split()
    for values in (["a", "b"], ["c"], []):
        given = [word for value in values for word in (rest[-1], value)]
        assert values == getattr(options_of(verb).parse_args([*rest[:-1], *given]), dest)
