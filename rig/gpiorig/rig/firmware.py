"""Which image each node of a bench runs."""

from __future__ import annotations

import hashlib
from pathlib import Path

from gpiorig.rig import boards
from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiment import Experiment

# The reference firmware lies beside the sources; an installed wheel has none, and bench files name their images.
FIRMWARE_FOLDER = Path(__file__).resolve().parents[3] / "firmware-gpio-probes"


def images(bench: Bench, experiment: Experiment | None = None, *, bench_file: Path) -> dict[str, Path]:
    """The image of each node: the bench file's, relative to that file, or else the reference firmware of its board.

    Of the reference firmware the experiment chooses the kernel and the probes; without one, events and normal probes.
    """
    return {
        name: bench_file.parent / node.firmware if node.firmware else _reference(node.board, experiment)
        for name, node in bench.nodes.items()
    }


def _reference(board: str, experiment: Experiment | None) -> Path:
    return reference_image(board, experiment.kernel, experiment.probes) if experiment else reference_image(board)


def reference_image(board: str, kernel: str = "events", probes: str = "normal") -> Path:
    """Where firmware-gpio-probes/Makefile puts it: ``build/BOARD[-threads][-empty|-doubled|-off]/reference.elf``."""
    usual = FIRMWARE_FOLDER / boards.load(board).firmware
    name = usual.parent.name
    name += "" if kernel == "events" else f"-{kernel}"
    name += "" if probes == "normal" else f"-{probes}"
    return usual.parent.with_name(name) / usual.name


def sha256(path: Path) -> str:
    """The image's fingerprint; raises `FirmwareError` if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FirmwareError(f"firmware {path}: {error.strerror}. {_remedy(path)}") from error


def _remedy(path: Path) -> str:
    """How the image is made."""
    if not path.is_relative_to(FIRMWARE_FOLDER / "build"):
        return "Run `make firmware`."
    if not FIRMWARE_FOLDER.is_dir():
        return "It is built in a checkout of gpiorig: run this there, or name an image in the bench file."
    target = path.parent.name
    probes = next((each for each in ("empty", "doubled", "off") if target.endswith(f"-{each}")), "normal")
    target = target.removesuffix(f"-{probes}")
    kernel = "threads" if target.endswith("-threads") else "events"
    board = target.removesuffix("-threads")
    return f"Run `make -C {FIRMWARE_FOLDER.name} BOARD={board} KERNEL={kernel} PROBES={probes}`."
