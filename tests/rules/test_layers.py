"""The layers, read from the import statements: no hardware and no optional package is needed."""

from __future__ import annotations

import ast
import hashlib
import keyword
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from rooms import API, COMPONENTS, ROOMS, portion

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "target", "build", "dist", "runs", "demo", "__pycache__"}  # where there is no git to ask
GENERATED = b"by `make generate`. Do not edit."  # in the first line of a copy


def modules(component: str) -> dict[str, Path]:
    """The modules of a component by their dotted names after `gpiorig.`; a package has that of its `__init__`."""
    folder = portion(component)
    paths = sorted((folder / component).rglob("*.py"))
    return {".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imports(source: str) -> set[str]:
    """What a module imports of gpiorig, wherever the statement is, as `component.room.module.name`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides which component it is from"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.removeprefix("gpiorig.") for name in names if name.startswith("gpiorig.")}


def place(dotted: str) -> tuple[int, int]:
    """Component and room of a module or of a name in one, as numbers in their orders."""
    component, *rest = dotted.split(".")
    rooms = ROOMS[component]
    return (*COMPONENTS, API).index(component), rooms.index(rest[0]) if rest and rest[0] in rooms else 0


def upward(dotted: str, source: str) -> set[str]:
    """The imports of a module that run against the order."""
    return {name for name in imports(source) if place(name) > place(dotted)}


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
@pytest.mark.parametrize("component", COMPONENTS)
def test_imports_run_with_the_data(component: str) -> None:
    """Imports run rig -> analysis -> capture, and from a room to those before it, never the other way."""
    assert {} == {
        dotted: names for dotted, path in modules(component).items() if (names := upward(dotted, path.read_text()))
    }


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_room_has_its_place(component: str) -> None:
    """Each folder of modules is in the order and has a docstring, and each place in the order has a folder."""
    folder = portion(component) / component
    rooms = {path.name for path in folder.iterdir() if any(path.glob("*.py"))}
    assert rooms <= set(ROOMS[component])
    assert all((folder / room / "__init__.py").read_text().startswith('"""') for room in rooms)
    assert set(ROOMS[component]) - rooms <= {"", "cli", "__main__"}


@pytest.mark.parametrize("component", COMPONENTS)
def test_no_module_is_named_by_a_keyword(component: str) -> None:
    """A keyword cannot be imported by a statement."""
    assert [] == [dotted for dotted in modules(component) if any(map(keyword.iskeyword, dotted.split(".")))]


@pytest.mark.parametrize("component", COMPONENTS)
def test_portions_stay_visible(component: str) -> None:
    """One `gpiorig/__init__.py` finds the other portions, and no loose module lies on the path next to them."""
    assert (component == "rig") == (portion(component) / "__init__.py").exists()
    assert [] == list(portion(component).parent.glob("*.py"))


def test_the_api_uses_the_rooms() -> None:
    """What is for Python users lies in `gpiorig` and `gpiorig.api`, and uses the rooms, not the command line."""
    front = portion("rig") / "__init__.py"
    assert [front] == [path for component in COMPONENTS for path in portion(component).glob("*.py")]
    for path in (front, *(portion("rig") / API).glob("*.py")):
        names = {name for name in imports(path.read_text()) if name.split(".")[0] != API}
        assert set() == {name for name in names if place(name) >= place("rig.arguments")}, path


def test_decoders_folder_holds_decoders_only() -> None:
    """Sigrok tries to load every entry of the folder as a decoder."""
    for entry in (ROOT / "decoders").iterdir():
        if entry.name != "__pycache__":
            assert (entry / "pd.py").exists(), entry


def test_no_symbolic_links() -> None:
    """Archives, Windows and plain copying lose links; what must stand in two places is generated."""
    assert [] == [path for path in tree(ROOT) if path.is_symlink()]


def test_no_copies() -> None:
    """Each file has one place; copies that are needed are generated, and their first line states it."""
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
    """The reader of imports sees both forms, in functions too, and which of them run upward."""
    source = (
        "import gpiorig.rig.bench\ndef f():\n    from gpiorig.analysis.events import events\n    import gpiorig.capture"
    )

    assert {"rig.bench", "analysis.events.events", "capture"} == imports(source)
    assert {"rig.bench", "analysis.events.events"} == upward("analysis.statistics.summary", source)
    assert {"rig.bench"} == upward("analysis.report.page", source)
    assert {"api"} == upward("rig.commands.look.report_work", "from gpiorig import api")
