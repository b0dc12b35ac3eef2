"""Firmware images that tests need next to those of `make firmware`: built once for these sources and words of make."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from commandline import ROOT

FIRMWARE = ROOT / "firmware-gpio-probes"
CACHE = ROOT / "build" / "test-images"


def build(board: str, *words: str, program: str = "reference") -> Path:
    """Return the image of a board, read-only; `words` are make's, such as "PROBES=off"."""

    def make(folder: Path) -> None:
        command = ["make", "-s", "-C", FIRMWARE, f"BOARD={board}", f"BUILD={os.path.relpath(folder, FIRMWARE)}", *words]
        subprocess.run(command, check=True, capture_output=True)

    (image,) = filled((board, *words), make).glob(f"*/{program}.elf")
    return image


def filled(words: tuple[str, ...], make: Callable[[Path], object]) -> Path:
    """Return the folder that `make` has filled for these words, and for the sources of the firmware as they are now.

    Processes share it: the first one fills it while the others wait.
    """
    place = CACHE / hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
    folder = place / sources_sha256()[:16]
    with lock(place):
        if not folder.exists():
            for older in place.iterdir():
                if older.is_dir():
                    shutil.rmtree(older)
            shutil.rmtree(new := place / "new", ignore_errors=True)
            make(new)
            new.rename(folder)
    return folder


@functools.cache
def sources_sha256() -> str:
    """One sum over the sources of the firmware, of its compilers and of what tests build with them."""
    total = hashlib.sha256()
    for compiler in ("arm-none-eabi-gcc", "clang-16"):
        total.update(subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout)
    folders = (FIRMWARE, ROOT / "tests" / "glue" / "foreign")
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.is_file() and not path.is_relative_to(FIRMWARE / "build") and path.suffix != ".pyc":
            total.update(f"{path.relative_to(ROOT)}\0".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made where it is missing; a process that ends gives it back."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
