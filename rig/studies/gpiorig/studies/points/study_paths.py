"""Where studies lie: by path, or by the name of one that comes with gpiorig."""

from __future__ import annotations

import difflib
from pathlib import Path

from gpiorig.rig.errors import BenchError, RigError

SUFFIX = ".toml"


def files() -> dict[str, Path]:
    """The study files that come with gpiorig, by name."""
    return dict(sorted((path.stem, path) for path in (Path(__file__).parents[1] / "files").glob(f"*{SUFFIX}")))


def paths(word: Path) -> list[Path]:
    """The study files of a file, of a folder, or of a name such as ``000-interference`` or ``000.interference``.

    Raises
    ------
    BenchError
        It is neither, or a folder without studies.
    """
    named = files()
    name = word.name.replace(".", "-", 1) if word.suffix != SUFFIX else word.stem
    if word.is_dir():
        if not (inside := sorted(word.glob(f"*{SUFFIX}"))):
            raise BenchError(f"folder {word}: has no study files (*{SUFFIX}). Give a folder of studies.")
        return inside
    if word.is_file():
        return [word]
    if word.parent == Path() and name in named:
        return [named[name]]
    near = difflib.get_close_matches(name, named, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(named) or 'none'}."
    raise BenchError(f"study {word}: no file and no study has this name; {hint}")


def nothing_run(output: Path) -> RigError:
    """The error of an output folder without a study."""
    return RigError(f"{output}: no study was run into this folder. Give its folder with -o, or study files.")
