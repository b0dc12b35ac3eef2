"""Which image each node of a bench runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gpiorig.rig import resources
from gpiorig.rig.bench import boards
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.node import Node
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiments.probe_kinds import Probes

if TYPE_CHECKING:  # a virtual bench that is served needs no experiment, and its modules take long to import
    from gpiorig.rig.experiments.experiment import Experiment

CERTIFY = "-certify"  # in the name of an image


def images(bench: Bench, experiment: Experiment | None = None, *, bench_file: Path) -> dict[str, Path]:
    """The image of each node: the bench file's, relative to that file, or else the reference firmware of its board.

    Of the reference firmware the experiment chooses the kernel of each node and the probes; without one, events and
    normal probes.
    """
    return {
        name: bench_file.parent / node.firmware if node.firmware else _reference(name, node, experiment)
        for name, node in bench.nodes.items()
    }


def given(items: Iterable[str], bench: Bench) -> dict[str, Path]:
    """Images of nodes as the command line has them, ``NODE=ELF`` each."""
    paths = {}
    for item in items:
        node, equals, path = item.partition("=")
        if not equals or node not in bench.nodes:
            raise BenchError(f"--firmware {item}: give NODE=ELF with one of {', '.join(bench.nodes)}.")
        paths[node] = Path(path)
    return paths


def _reference(name: str, node: Node, experiment: Experiment | None) -> Path:
    if experiment is None:
        return reference_image(node.described_board, width=node.width)
    return reference_image(node.described_board, experiment.kernel_of(name), experiment.probes, width=node.width)


def reference_image(
    board: str | Board, kernel: str = "events", probes: str = "normal", *, width: int | None = None
) -> Path:
    """Where it is, or would be: ``BOARD[-threads][-empty|-doubled|-off][-wWIDTH]`` of the checkout or the package."""
    board = boards.load(board) if isinstance(board, str) else board
    name = Path(board.firmware).parent.name
    name += "" if kernel == "events" else f"-{kernel}"
    name += "" if probes == "normal" else f"-{probes}"
    name += "" if width in (None, board.bus_width) else f"-w{width}"
    return resources.image(name)


def certify_image(board: Board) -> Path:
    """Where the image is, or would be, that shows the rows of `gpiorig bench certify`: one for every bus width."""
    return resources.image(f"{Path(board.firmware).parent.name}{CERTIFY}", program="certify")


@dataclass(frozen=True, slots=True)
class HashedImage:
    """An image that runs on a node: its file, and the fingerprint that the file had when it was loaded."""

    path: Path
    sha256: str


def hashed(paths: Mapping[str, Path]) -> dict[str, HashedImage]:
    """Images of nodes with their fingerprints; raises `FirmwareError` if one cannot be read."""
    return {name: HashedImage(path, sha256(path)) for name, path in paths.items()}


def sha256(path: Path) -> str:
    """The image's fingerprint; raises `FirmwareError` if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FirmwareError(f"firmware {path}: {error.strerror}. {remedy(path)}") from error


def remedy(path: Path) -> str:
    """How an image that is not there is made."""
    if not path.is_relative_to(resources.image_folder()):
        return "Give the path of an ELF image."
    root = resources.checkout()
    target = path.parent.name if root else path.stem
    target, _, width = target.partition("-w")
    program = " PROGRAM=certify" if target.endswith(CERTIFY) else ""
    target = target.removesuffix(CERTIFY)
    probes = next((kind for kind in get_args(Probes) if target.endswith(f"-{kind}")), "normal")
    target = target.removesuffix(f"-{probes}")
    kernel = "threads" if target.endswith("-threads") else "events"
    command = f"make -C {resources.FIRMWARE} BOARD={target.removesuffix('-threads')} KERNEL={kernel} PROBES={probes}"
    command += f" WIDTH={width}" if width else ""
    command += program
    if root:
        return f"Run `{command}`."
    if not resources.images():
        return f"The images of the reference firmware come with the virtual bench. {VBENCH.remedy}"
    return (
        f"An installed gpiorig has the images {', '.join(resources.images())}. Run `{command}` in a "
        "checkout of gpiorig, and name the image in the bench file or use that checkout's gpiorig."
    )
