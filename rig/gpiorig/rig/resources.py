"""Where the files lie that come with gpiorig: in the checkout that it runs from, or in the installed package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gpiorig.rig

_PACKAGE = Path(gpiorig.rig.__path__[0]).resolve()
_ROOT = _PACKAGE.parents[2]  # of a checkout
_DATA = _PACKAGE / "data"  # of an installed package: tools/hatch_build.py fills it

FIRMWARE = "firmware-gpio-probes"


def checkout() -> Path | None:
    """The root of the checkout that this module is part of; None in an installed package."""
    return _ROOT if (_ROOT / FIRMWARE / "Makefile").is_file() else None


def decoders() -> Path:
    """The folder of our sigrok decoders."""
    return _folder("decoders", "decoders")


def hooks() -> Path:
    """The folder of the hook files."""
    return _folder(f"{FIRMWARE}/hooks", "hooks")


def benches() -> dict[str, Path]:
    """The bench files that come with gpiorig, by name: examples of real ones, and the virtual ones."""
    folders = (_PACKAGE / "benches", *virtual("benches"))
    return dict(sorted((path.stem, path) for folder in folders for path in folder.glob("*.toml")))


def virtual(name: str) -> list[Path]:
    """A file or folder of the virtual bench, found without an import of it; empty: there is none."""
    paths = (Path(portion) / "vbench" / name for portion in gpiorig.__path__)
    return [path for path in paths if path.exists()][:1]


def experiments() -> dict[str, Path]:
    """The experiment files that come with gpiorig, by name."""
    return dict(sorted((path.stem, path) for path in _folder("experiments", "experiments").glob("*.toml")))


def images() -> dict[str, Path]:
    """The images of the reference firmware that are there, by name, as in ``iotlab-m3-threads``."""
    if checkout():
        return dict(sorted((path.parent.name, path) for path in image_folder().glob("*/reference.elf")))
    return dict(sorted((path.stem, path) for path in image_folder().glob("*.elf")))


def image(name: str, *, program: str = "reference") -> Path:
    """Where the image of that name is, or would be: in a checkout where firmware-gpio-probes/Makefile puts it."""
    return image_folder() / name / f"{program}.elf" if checkout() else image_folder() / f"{name}.elf"


def manifest() -> dict[str, dict[str, Any]]:
    """The facts of an installed package's images: board, kernel, probes, sha256, compiler, flags; else empty."""
    path = image_folder() / "manifest.json"
    return {} if checkout() or not path.exists() else json.loads(path.read_text())


def image_folder() -> Path:
    """The folder of the images: a checkout's own builds, or those that come with the virtual bench."""
    root = checkout()
    return root / FIRMWARE / "build" if root else next(iter(virtual("images")), _DATA / "images")


def _folder(in_checkout: str, in_package: str) -> Path:
    root = checkout()
    return root / in_checkout if root else _DATA / in_package
