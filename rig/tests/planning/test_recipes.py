"""The bench files that come with gpiorig are made by `gpiorig bench plan`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from planned import file_of

from gpiorig.rig.planning.recipe import COMMAND

RECIPES = sorted((Path(str(files("gpiorig.rig"))) / "benches").glob("*.toml"), key=lambda path: path.stem)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_is_what_its_command_prints(recipe: Path) -> None:
    """After a change of the plan: `gpiorig bench plan WORDS -o RECIPE --force`, with the words in its second line."""
    text = recipe.read_text(encoding="utf-8")
    commands = [line.removeprefix(COMMAND) for line in text.splitlines() if line.startswith(COMMAND)]

    assert [text] == [file_of(command) for command in commands]


def test_there_are_recipes() -> None:
    assert {"fx2-two-nrf52840dk", "dslogic-two-nrf52840dk", "fx2-two-m3"} <= {path.stem for path in RECIPES}
