"""Which image each node of a bench runs."""

from __future__ import annotations

import hashlib
from pathlib import Path

from gpiorig.rig import boards
from gpiorig.rig.bench import Bench
from gpiorig.rig.errors import FirmwareError

# The reference firmware lies beside the sources; an installed wheel has none, and bench files name their images.
FIRMWARE_FOLDER = Path(__file__).resolve().parents[3] / "firmware-gpio-probes"


def images(bench: Bench, *, bench_file: Path) -> dict[str, Path]:
    """The image of each node: the bench file's, relative to that file, or else the reference firmware of its board."""
    return {
        name: bench_file.parent / node.firmware if node.firmware else FIRMWARE_FOLDER / boards.load(node.board).firmware
        for name, node in bench.nodes.items()
    }


def sha256(path: Path) -> str:
    """The image's fingerprint; raises `FirmwareError` if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FirmwareError(f"firmware {path}: {error.strerror}. Run `make firmware`.") from error
