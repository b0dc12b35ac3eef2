"""The layers, read from the import statements: no hardware and no optional package is needed."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "target", "build", "dist", "runs", "demo", "__pycache__"}  # where there is no git to ask
GENERATED = b"by `make generate`. Do not edit."  # in the first line of a copy
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


def tree(root: Path) -> list[Path]:
    """The files and links of the source tree: those that git tracks, or without git all that are there."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [root / name for name in listed.stdout.split("\0") if name]
        return [path for path in paths if path.exists() or path.is_symlink()]
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_OURS]
        paths += [Path(folder, name) for name in names + [name for name in folders if Path(folder, name).is_symlink()]]
    return paths


def equal_files(root: Path) -> list[list[str]]:
    """Groups of files with the same content, empty ones and generated ones apart."""
    groups = defaultdict(list)
    for path in tree(root):
        text = path.read_bytes() if path.is_file() else b""
        if text and GENERATED not in text.partition(b"\n")[0]:
            groups[hashlib.sha256(text).digest()].append(str(path.relative_to(root)))
    return [sorted(group) for group in groups.values() if len(group) > 1]


@pytest.mark.slow
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


def test_no_symbolic_links() -> None:
    """Archives, Windows and plain copying lose links; what must stand in two places is generated."""
    assert [] == [path for path in tree(ROOT) if path.is_symlink()]


def test_no_copies() -> None:
    """Each file has one place; copies that are needed are generated, and their first line says so."""
    assert [] == equal_files(ROOT)


def test_links_and_copies_are_seen(tmp_path: Path) -> None:
    """In a tree without git, links to files and to folders and equal files are found."""
    (tmp_path / "sub").mkdir()
    for name in ("a", "sub/b"):
        (tmp_path / name).write_text("the same\n")
    for name, target in {"link": "a", "folder": "sub", "nowhere": "gone"}.items():
        (tmp_path / name).symlink_to(target)

    assert {"link", "folder", "nowhere"} == {path.name for path in tree(tmp_path) if path.is_symlink()}
    assert [["a", "link", "sub/b"]] == equal_files(tmp_path)


def test_check_sees_a_wrong_import() -> None:
    """The reader of imports finds both forms."""
    source = "import gpiorig.rig.bench.bench\nfrom gpiorig.analysis import events\n"

    assert {"rig", "analysis"} == imported_components(source)
