"""The layers, read from the import statements: no hardware and no optional package is needed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = {"capture": {"capture"}, "analysis": {"analysis", "capture"}, "rig": {"rig", "analysis", "capture"}}


def imported_components(source: str) -> set[str]:
    """The gpiorig components that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides which component it is from"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("gpiorig.")}


@pytest.mark.parametrize("component", ALLOWED)
def test_imports_run_with_the_data(component: str) -> None:
    """Imports run rig -> analysis -> capture, never the other way."""
    modules = sorted((ROOT / component / "gpiorig" / component).rglob("*.py"))
    assert modules

    for module in modules:
        assert imported_components(module.read_text()) <= ALLOWED[component], module


@pytest.mark.parametrize("component", ALLOWED)
def test_portions_stay_visible(component: str) -> None:
    """No `gpiorig/__init__.py` hides the other portions, and no loose module lies on the path beside them."""
    assert not (ROOT / component / "gpiorig" / "__init__.py").exists()
    assert [] == list((ROOT / component).glob("*.py"))


def test_decoders_folder_holds_decoders_only() -> None:
    """Sigrok tries to load every entry of the folder as a decoder."""
    for entry in (ROOT / "decoders").iterdir():
        if entry.name != "__pycache__":
            assert (entry / "pd.py").exists(), entry


def test_check_sees_a_wrong_import() -> None:
    """The reader of imports finds both forms."""
    source = "import gpiorig.rig.bench\nfrom gpiorig.analysis import events\n"

    assert {"rig", "analysis"} == imported_components(source)
