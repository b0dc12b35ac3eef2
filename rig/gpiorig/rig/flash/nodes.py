"""Flashing the nodes of a bench, one after another: a node that fails does not stop the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.flashing import Bsl, DebugEnd, Method, debug_end
from gpiorig.rig.errors import BenchError, FirmwareError, FlashError
from gpiorig.rig.experiments import images
from gpiorig.rig.flash import by_bsl, by_openocd
from gpiorig.rig.flash.content import load
from gpiorig.rig.flash.job import Job, LockedError, Outcome, Progress, WrongBoardError

NodeProgress = Callable[[str, str], None]


class Result(msgspec.Struct, frozen=True):
    """What came of one node.

    Attributes
    ----------
    verdict, what
        What was done, and the reason or result as text.
    image, image_sha256
        The file, and its sha256.
    content_sha256, read_back_sha256
        Of the bytes that it puts into the flash memory, and of those that were read back (`Content.sha256`).
    chip, uid
        The identity of the chip, and its unique number, where the tool reads one.
    """

    node: str
    board: str
    verdict: Literal["flashed", "same", "failed"]
    what: str
    image: str
    image_sha256: str | None = None
    content_sha256: str | None = None
    read_back_sha256: str | None = None
    size_bytes: int | None = None
    attempts: int = 0
    duration_s: float = 0.0
    chip: str | None = None
    uid: str | None = None


def chosen(bench: Bench, names: Sequence[str], *, what: str) -> list[str]:
    """The nodes to flash: those that are named, or all; raises `BenchError` if a name is none of the bench."""
    if bench.virtual is not None:
        raise BenchError(
            f"{what}: the boards of a virtual bench load their images themselves. To flash them, serve it with "
            "`gpiorig bench virtual BENCH --bench-file FILE`, and flash FILE."
        )
    for name in names:
        if name not in bench.nodes:
            raise BenchError(f"{what}: no node is named `{name}`; the bench has {', '.join(bench.nodes)}.")
    return [name for name in bench.nodes if not names or name in names]


def flash(
    bench: Bench,
    firmware: Mapping[str, Path],
    nodes: Sequence[str],
    *,
    only_different: bool = False,
    attempts: int = 2,
    progress: NodeProgress = lambda node, what: None,
) -> Iterator[Result]:
    """Flash the nodes; a result each, as they come.

    Parameters
    ----------
    bench, firmware, nodes
        The bench, the image of each node, and the nodes to flash.
    only_different
        Read each board first, and leave those that hold their image.
    attempts
        How often a board is tried; a wrong or locked one is tried once.
    progress
        Called with the node and what is done to it now.
    """
    for name in nodes:
        result = Result(name, bench.nodes[name].board_name, "failed", "", str(firmware[name]))
        begin_s = time.monotonic()
        for attempt in range(1, attempts + 1):
            report = _reporter(progress, name, attempt)
            try:
                job = _job(bench, name, firmware[name], only_different)
                result = _done(result, job, _flash(bench, name, job, report))
            except (FlashError, FirmwareError) as error:
                result = msgspec.structs.replace(result, what=str(error))
                final = isinstance(error, WrongBoardError | LockedError | FirmwareError)
            else:
                final = True
            if final:
                break
        yield msgspec.structs.replace(result, attempts=attempt, duration_s=round(time.monotonic() - begin_s, 3))


def reset(bench: Bench, name: str) -> None:
    """Reset the board of a node by its debug adapter, or by DTR and RTS of its serial port, which is not open.

    Raises
    ------
    FlashError
        It cannot be reset, or it is unknown how.
    """
    method, node = _method(bench, name), bench.nodes[name]
    end = _debug_end(bench, name)
    if isinstance(method, Bsl):
        by_bsl.reset(method, end, node.serial, baudrate=node.bits_per_second)
    else:
        by_openocd.reset(method, end)


def plan(bench: Bench, firmware: Mapping[str, Path], name: str, *, only_different: bool = False) -> list[str]:
    """What `flash` would do to a node, in its order; raises what it would fail with before it reaches the board."""
    method, node = _method(bench, name), bench.nodes[name]
    job = _job(bench, name, firmware[name], only_different)
    end = _debug_end(bench, name)
    if isinstance(method, Bsl):
        return by_bsl.plan(method, end, node.serial, job)
    return by_openocd.plan(method, end, job)


def _reporter(progress: NodeProgress, name: str, attempt: int) -> Progress:
    again = f" (attempt {attempt})" if attempt > 1 else ""
    return lambda what: progress(name, f"{what}{again}")


def _method(bench: Bench, name: str) -> Method:
    board = bench.nodes[name].described_board
    if board.flash is None:
        raise WrongBoardError(f"the file of board {board.name} has no `[flash]`, so how is not known.")
    return board.flash


def _debug_end(bench: Bench, name: str) -> DebugEnd | None:
    """What leads to the node's board, where the bench file names it."""
    text = bench.nodes[name].debug
    return debug_end(text) if text else None


def _job(bench: Bench, name: str, image: Path, only_different: bool) -> Job:
    return Job(str(image.absolute()), load(image, _method(bench, name).addresses), only_different)


def _flash(bench: Bench, name: str, job: Job, progress: Progress) -> Outcome:
    method, node = _method(bench, name), bench.nodes[name]
    end = _debug_end(bench, name)
    if isinstance(method, Bsl):
        return by_bsl.flash(method, end, node.serial, job, progress)
    return by_openocd.flash(method, end, job, progress)


def _done(result: Result, job: Job, outcome: Outcome) -> Result:
    return msgspec.structs.replace(
        result,
        verdict="same" if outcome.same else "flashed",
        what="held this image already" if outcome.same else "written and read back",
        image_sha256=images.sha256(Path(job.image)),
        content_sha256=job.content.sha256,
        read_back_sha256=outcome.read_back.sha256,
        size_bytes=outcome.read_back.size,
        chip=outcome.chip,
        uid=outcome.uid,
    )
