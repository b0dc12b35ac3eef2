"""The version of code: the files that it is made of, by the syntax of all modules and by what Python loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpiorig
from gpiorig.rig import code_version

PORTIONS = [*map(Path, gpiorig.__path__)]
MODULES = {
    code_version._dotted(path.relative_to(portion).as_posix()): path
    for portion in PORTIONS
    for path in portion.rglob("*.py")
}
# Modules that are loaded by names which are made when the program runs, and why the version need not know of them.
LOADERS = {
    "gpiorig.__init__": "the names of the API, of which no room below has one",
    "gpiorig.rig.distributions": "boards, of which points have the version; studies, which use the rooms below",
    "gpiorig.rig.cli": "a command and its options; numbers come from the rooms below",
    "gpiorig.capture.formats": "any module of the package: all of them are taken",
    "gpiorig.analysis.decoderhost.library": "decoders of sigrok, which the package does not contain",
}
ROOTS = ("gpiorig.studies.points.analysed", "gpiorig.rig.results.report", "gpiorig.studies.batch.work")


def run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module without those that are for type checkers only."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)


def imported(node: ast.AST) -> list[str]:
    """What a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def is_loader(node: ast.AST) -> bool:
    """Whether a call imports or runs what its arguments name."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in ("import_module", "__import__", "exec", "eval", "entry_points", "spec_from_file_location")


@pytest.mark.slow
def test_imports_as_by_the_syntax() -> None:
    """Of every module, in functions too; modules that are loaded by a name that is made are listed here."""
    wrong, loaders = {}, set()
    for module, path in MODULES.items():
        nodes = [*run_nodes(ast.parse(path.read_bytes()))]
        by_syntax = {name for node in nodes for name in imported(node) if name in MODULES}
        by_text = {name for name in code_version.imports(path.read_bytes()) if name in MODULES}
        if by_syntax != by_text:
            wrong[module] = by_syntax ^ by_text
        if any(map(is_loader, nodes)):
            loaders.add(module)

    assert {} == wrong
    assert LOADERS.keys() == loaders
    used = code_version.files(ROOTS, PORTIONS).keys()
    assert used.isdisjoint({"rig/cli.py", "analysis/decoderhost/library.py"})


@pytest.mark.slow
def test_what_python_loads_is_part_of_it() -> None:
    """Each module of gpiorig that an import of a module brings."""
    module = ROOTS[-1]
    script = f"import sys, {module}; print(*(name for name in sys.modules if name.startswith('gpiorig.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    files = code_version.files([module], PORTIONS)

    assert set() == {name for name in done.stdout.split() if str(MODULES[name]).partition("/gpiorig/")[2] not in files}


def test_statements_of_all_forms() -> None:
    """Several lines, comments, other names, functions; not what is for type checkers only."""
    text = b'''"""A module."""
from gpiorig.a import (
    b,  # not c
    d as e,
)
from gpiorig.f import g as h, i  # j
import gpiorig.k as l

if TYPE_CHECKING:
    from gpiorig.m import n

    from gpiorig.o import p
def q():
    from gpiorig import r
'''
    modules = {"a", "a.b", "a.d", "f", "f.g", "f.i", "k"}
    assert {"gpiorig", "gpiorig.r"} | {f"gpiorig.{name}" for name in modules} == set(code_version.imports(text))


def test_data_of_a_package(tmp_path: Path) -> None:
    """Files next to a module that reads there, and a folder that is named; neither modules nor other packages."""
    texts = {
        "a/__init__.py": "",
        "a/reads.py": "FOLDER = Path(__file__).parent",
        "a/named.py": 'files("gpiorig.b") / "tables" / name',
        "a/any.py": "",
        "a/liba.so": "",
        "a/script/b.js": "",
        "a/room/__init__.py": "",
        "a/room/other.toml": "",
        "b/__init__.py": "",
        "b/tables/deep/c.toml": "",
        "b/d.toml": "",
        "b/by_name/__init__.py": 'import_module(f"{__name__}.{name}")',
        "b/by_name/e.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def files(*modules: str) -> set[str]:
        return code_version.files(modules, [tmp_path]).keys() - {"a/__init__.py", "b/__init__.py"}

    assert {"a/reads.py", "a/liba.so", "a/script/b.js"} == files("gpiorig.a.reads")
    assert {"a/named.py", "b/tables/deep/c.toml"} == files("gpiorig.a.named")
    assert {"b/by_name/__init__.py", "b/by_name/e.py"} == files("gpiorig.b.by_name")
    with pytest.raises(ModuleNotFoundError, match=r"gpiorig\.gone: not in "):
        files("gpiorig.gone")


def test_the_library_that_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GPIORIG_NATIVE names another one: other code."""
    version = code_version.of("gpiorig.capture.native")
    (tmp_path / "other.so").write_bytes(b"other")
    monkeypatch.setenv("GPIORIG_NATIVE", str(tmp_path / "other.so"))
    assert version != code_version.of("gpiorig.capture.native")
