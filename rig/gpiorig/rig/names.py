"""Names that the command line takes in place of paths: of benches, experiments and images that come with gpiorig."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from gpiorig.rig import resources
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError
from gpiorig.rig.verbosity import note

KINDS: Mapping[str, Callable[[], dict[str, Path]]] = {
    "bench": resources.benches,
    "experiment": resources.experiments,
    "image": resources.images,
}


def bench(word: Path) -> Path:
    """The bench file of a path or a name; a file comes before a bench of the same name, with a note."""
    return _file(word, "bench")


def experiment(word: Path) -> Path:
    """The experiment file of a path or a name, as `bench`."""
    return _file(word, "experiment")


def image(word: Path) -> Path:
    """The image of the reference firmware of a path or a name, as `bench`."""
    return _file(word, "image")


def checker(kind: str) -> Callable[[Path], None]:
    """The function that raises `BenchError` for a word that is neither a file nor a name of this kind."""

    def check(word: Path) -> None:
        if not word.exists() and str(word) not in (named := KINDS[kind]()):
            raise BenchError(f"{kind} {word}: {_unknown(word, kind, named)}")

    return check


def summary(file: Path) -> str:
    """The first sentence of the comment at the start of a file."""
    comment = re.match(r"(?:#.*\n)*", file.read_text(encoding="utf-8"))
    text = " ".join(line.lstrip("# ") for line in comment[0].splitlines()) if comment else ""
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0]


def _file(word: Path, kind: str) -> Path:
    known = KINDS[kind]()
    name = str(word)
    if word.is_dir() and name in known:  # such as the recording `demo` next to the bench of that name
        return known[name]
    if word.exists():
        if name in known:
            note(
                f"note: {name} is a file here, and the {kind} `{name}` comes with gpiorig, too: the file is taken. The "
                f"other is {known[name]}."
            )
        return word
    if name in known:
        return known[name]
    raise BenchError(f"{kind} {name}: {_unknown(word, kind, known)}")


def _unknown(word: Path, kind: str, known: Mapping[str, Path]) -> str:
    """The error of a word that is neither a file nor a name, and its remedy."""
    others = [other for other, files in KINDS.items() if other != kind and str(word) in files()]
    near = difflib.get_close_matches(word.stem, known, n=1)
    if others:
        hint = f"; {'a' if others[0] == 'bench' else 'an'} {others[0]} has it."
    else:
        hint = f"; did you mean `{near[0]}`?" if near else "."
    if known:
        names = f", or one of {', '.join(known)}"
    else:
        names = ": none is built (`make firmware`)" if resources.checkout() else ""
    absent = kind in ("bench", "image") and not VBENCH.is_installed
    install = f" Virtual benches and images are in gpiorig-vbench. {VBENCH.remedy}" if absent else ""
    return f"no file and no {kind} has this name{hint} Give a path{names}.{install}"
