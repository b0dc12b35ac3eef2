"""Where the files lie that come with gpiorig: in the checkout that it runs from, or in the installed package."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

_PACKAGE = Path(str(files("gpiorig.rig"))).resolve()
_ROOT = _PACKAGE.parents[2]  # of a checkout
_DATA = _PACKAGE / "data"  # of an installed package: tools/hatch_build.py fills it
_BENCH = "_bench.toml"

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
    """The bench files that come with gpiorig, by name: virtual ones, and examples of real ones in ``benches``."""
    own = {path.name.removesuffix(_BENCH): path for path in _PACKAGE.glob(f"*{_BENCH}")}
    return dict(sorted((own | {path.stem: path for path in (_PACKAGE / "benches").glob("*.toml")}).items()))


def experiments() -> dict[str, Path]:
    """The experiment files that come with gpiorig, by name."""
    return dict(sorted((path.stem, path) for path in _folder("experiments", "experiments").glob("*.toml")))


def studies() -> dict[str, Path]:
    """The study files that come with gpiorig, by name."""
    return dict(sorted((path.stem, path) for path in _folder("studies", "studies").glob("*.toml")))


def images() -> dict[str, Path]:
    """The images of the reference firmware that are there, by name, as in ``iotlab-m3-threads``."""
    if checkout():
        return dict(sorted((path.parent.name, path) for path in image_folder().glob("*/reference.elf")))
    return dict(sorted((path.stem, path) for path in image_folder().glob("*.elf")))


def image(name: str) -> Path:
    """Where the image of that name is, or would be: in a checkout where firmware-gpio-probes/Makefile puts it."""
    return image_folder() / name / "reference.elf" if checkout() else image_folder() / f"{name}.elf"


def manifest() -> dict[str, dict[str, Any]]:
    """The facts of an installed package's images: board, kernel, probes, sha256, compiler, flags; else empty."""
    return {} if checkout() else json.loads((image_folder() / "manifest.json").read_text())


def image_folder() -> Path:
    """The folder of the images: a checkout's own builds, or those of the package."""
    return _folder(f"{FIRMWARE}/build", "images")


def _folder(in_checkout: str, in_package: str) -> Path:
    root = checkout()
    return root / in_checkout if root else _DATA / in_package
