"""The version of code: a hash of all files that the work of a module depends on.

These are the module, what it imports of gpiorig, directly or through others and wherever the statement is, and the
files that those modules read from the package: native libraries, tables of boards and consoles, templates. It is read
from the text of the modules, so nothing is imported for it. Equal files give equal versions on every machine. Python
and other distributions are not part of it (`results.versions` has theirs).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import gpiorig
from gpiorig.capture import native

PACKAGE = "gpiorig"
DIGITS = 16  # of a version
# A line of a string that looks like a statement is taken for one; rig/tests/test_code_version.py has the syntax's.
_IMPORT = re.compile(rb"\n[ \t]*(?:from (gpiorig[\w.]*) import (?:\(([^)]*)\)|([^\n#]*))|import (gpiorig[\w.]*))")
_NAME = re.compile(rb"(\w+)(?: as \w+)?\s*(?:,|$)")
_COMMENT = re.compile(rb"#[^\n]*")
_FOR_TYPES = re.compile(rb"\n([ \t]*)if TYPE_CHECKING:[^\n]*(?:\n\1[ \t]+[^\n]*|\n(?=\n))*")  # is never run
_ANY_MODULE = b'import_module(f"{__name__}.'  # in a package that loads its modules by their names
_BESIDE = re.compile(rb"Path\(__file__\)")
_BELOW = re.compile(rb'files\("gpiorig\.([\w.]*)"\)((?: / "[\w.-]+")+)')
_MODULES = (".py", ".abi3.so")  # an extension module is one in the stable ABI
_NOT_DATA = {".py", ".pyc", ".typed"}
Place = tuple[Path, str]  # a portion of the package `gpiorig`, and the path of a file in it


def of(*modules: str, portions: Collection[Path] | None = None) -> str:
    """The version of the code that some modules depend on.

    Parameters
    ----------
    modules
        Complete names, such as ``gpiorig.analysis.packets.packets``; ``gpiorig`` is all of them.
    portions
        Folders of the package `gpiorig`; those that are imported, if omitted.
    """
    hashes = files(modules, [*map(Path, gpiorig.__path__)] if portions is None else portions)
    text = "".join(f"{name}\0{digits}\n" for name, digits in sorted(hashes.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def files(modules: Iterable[str], portions: Collection[Path]) -> dict[str, str]:
    """The sha256 of each file that some modules depend on, by its path in the package.

    Raises
    ------
    ModuleNotFoundError
        One of the modules is not there.
    """
    places = _places(portions)
    index = {_dotted(name): place for name, place in places.items() if name.endswith(_MODULES)}
    hashes: dict[str, str] = {}
    waiting = [name for module in modules for name in (index if module == PACKAGE else [module])]
    if lacking := [name for name in waiting if name not in index]:
        raise ModuleNotFoundError(f"{', '.join(lacking)}: not in {', '.join(str(path) for path in portions)}")
    while waiting:
        dotted = waiting.pop()
        if dotted not in index or index[dotted][1] in hashes:  # the first: a name in a module
            continue
        portion, name = index[dotted]
        content = (portion / name).read_bytes()
        hashes[name] = hashlib.sha256(content).hexdigest()
        waiting += [dotted.rpartition(".")[0], *imports(content)]  # a package is imported before its modules
        if _ANY_MODULE in content:
            waiting += [module for module in index if module.startswith(f"{dotted}.")]
        for data in _data(name, content, places):
            hashes[data] = hashlib.sha256(_content(places[data])).hexdigest()
    return hashes


def imports(content: bytes) -> Iterator[str]:
    """Modules that a module imports of gpiorig, and names in them, which may be modules, too."""
    for package, several, names, module in _IMPORT.findall(_FOR_TYPES.sub(b"", b"\n" + content)):
        yield (package or module).decode()
        for name in _NAME.findall(_COMMENT.sub(b"", several or names)):
            yield f"{package.decode()}.{name.decode()}"


def _places(portions: Iterable[Path]) -> Mapping[str, Place]:
    """Where the files of the package are, by their paths; of two with a path the first is imported."""
    places: dict[str, Place] = {}
    for portion in portions:
        for folder, folders, names in os.walk(portion):
            folders[:] = [name for name in folders if name != "__pycache__"]
            below = Path(folder).relative_to(portion).as_posix()
            for name in names:
                path = name if below == "." else f"{below}/{name}"
                places.setdefault(path, (portion, path))
    return places


def _dotted(path: str) -> str:
    return f"{PACKAGE}." + path.removesuffix(".py").removesuffix(".abi3.so").removesuffix("/__init__").replace("/", ".")


def _data(name: str, content: bytes, places: Mapping[str, Place]) -> Iterator[str]:
    """Paths of the files that a module reads from the package: those next to it, or those that it names."""
    roots = [name.rpartition("/")[0]] if _BESIDE.search(content) else []
    for package, parts in _BELOW.findall(content):
        roots.append("/".join([*package.decode().split("."), *re.findall(r'"([^"]+)"', parts.decode())]))
    for root in roots:
        for path in places:
            if path == root or (path.startswith(f"{root}/") and _is_data(path, root, places)):
                yield path


def _is_data(path: str, root: str, places: Mapping[str, Place]) -> bool:
    """Whether a path below a folder is that of data: of no module, and in no package below the folder."""
    folder, name = PurePosixPath(path).parent, PurePosixPath(path).name
    if PurePosixPath(name).suffix in _NOT_DATA or name.startswith("."):
        return False
    below = [folder, *folder.parents][: len(folder.parts) - len(PurePosixPath(root).parts)]
    return not any(f"{package}/__init__.py" in places for package in below)


def _content(place: Place) -> bytes:
    path = Path(*place)
    if path.name == native.LIBRARY:
        path = Path(os.environ.get(native.OVERRIDE) or path)
    return path.read_bytes()
