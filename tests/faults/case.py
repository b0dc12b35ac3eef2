"""A case of the corpus: an input, what should come of it, and whether it did."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from commandline import Finished, gpiorig
from fuzz import invariants

from gpiorig.capture import formats
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions

from . import seeds

LIMIT_S, LIMIT_BYTES = 30, 4 << 30  # of a case in a process of its own


class Verdict(StrEnum):
    """What should come of a case."""

    SAME = "same result"
    ERROR = "named error"
    MARK = "named loss or mark"
    CHECKED = "named error, or the same result"  # a format with checksums
    RECOVERED = "named error, or right outside named gaps, or a remark"
    ORDERLY = "named error, or a result in order"  # a format without checksums
    INERT = "shown without effect"  # text that a terminal, browser or spreadsheet would act upon


@dataclass(frozen=True, slots=True)
class Case:
    """A case.

    Attributes
    ----------
    format
        Row of the table that it belongs to.
    name
        What is damaged, and how.
    verdict
        What should come of it.
    check
        Does it in an empty folder; returns what came of it instead, or "".
    memory
        It may end the process or fill the memory, and so runs in one of its own with limits.
    """

    format: str
    name: str
    verdict: Verdict
    check: Callable[[Path], str]
    memory: bool = False


def command(
    format_: str,
    name: str,
    verdict: Verdict,
    make: Callable[[Path], Iterable[str | Path]],
    *words: str,
    memory: bool = False,
) -> Case:
    """A command line that `make` prepares; its output should hold these words."""

    def check(folder: Path) -> str:
        done = (limited if memory else gpiorig)(*make(folder))
        return judged(done, verdict, words)

    return Case(format_, name, verdict, check, memory)


def info(
    format_: str,
    name: str,
    content: bytes | Callable[[], bytes],
    *words: str,
    file: str = "",
    options: Iterable[str] = (),
    verdict: Verdict = Verdict.ERROR,
    memory: bool = False,
) -> Case:
    """`gpiorig info` of a file with this content; the error names it."""
    file = file or seeds.seed(format_).name

    def make(folder: Path) -> Iterable[str | Path]:
        (folder / file).write_bytes(content() if callable(content) else content)
        return ("info", folder / file, *options)

    return command(format_, name, verdict, make, *words, *([file] if verdict is Verdict.ERROR else []), memory=memory)


def judged(done: Finished, verdict: Verdict, words: Iterable[str]) -> str:
    """What is not as it should be, or ""."""
    outcome = f"status {done.status}: {(done.stderr or done.stdout)[-300:]!r}"
    if "Traceback" in done.stderr or "fault of gpiorig" in done.stderr:
        return f"an unexpected exception, {outcome}"
    match verdict:
        case Verdict.ERROR:
            one_line = done.stderr.count("\n") == 1 and ": error: " in done.stderr
            if done.status != 2 or not one_line:
                return f"not one error, {outcome}"
            text = done.stderr
        case Verdict.MARK:
            if done.status not in (0, 1):
                return f"refused, {outcome}"
            text = done.stdout + done.stderr
        case Verdict.ORDERLY:
            if done.status and (done.status != 2 or done.stderr.count("\n") != 1):
                return f"neither a result nor one error, {outcome}"
            text = done.stderr + done.stdout
        case Verdict.INERT:
            text = done.stdout + done.stderr
            if any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in text):
                return f"control codes in the output, {outcome}"
        case _:
            text = done.stdout
            if done.status:
                return f"refused, {outcome}"
    missing = [word for word in words if word not in text]
    return f"does not say {', '.join(missing)}; {outcome}" if missing else ""


def limited(*words: str | Path) -> Finished:
    """A command in a process of its own, with limits."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    try:
        done = subprocess.run(
            [sys.executable, "-m", "gpiorig.rig.cli", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            preexec_fn=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finished(-1, "", f"took more than {LIMIT_S} s")
    return Finished(done.returncode, done.stdout, done.stderr)


def reading(
    seed: seeds.Seed,
    name: str,
    content: Callable[[bytes], bytes],
    *,
    verdict: Verdict,
    options: ReadOptions | None = None,
) -> Case:
    """A damaged file, read by its format: sound in any case, and judged next to the complete one."""
    options = options or options_of(seed)

    def check(folder: Path) -> str:
        path = folder / seed.name
        path.write_bytes(content(seed.content))
        try:
            edges = invariants.read(seed.format, path, options)
        except invariants.OURS as error:
            with contextlib.suppress(invariants.Broken):
                invariants.clear(error)
                return "" if verdict is not Verdict.SAME and verdict is not Verdict.MARK else f"refused: {error}"
            return f"not one line of text: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if verdict is Verdict.ORDERLY:
            return ""
        problem = beside_whole(edges, whole(seed), verdict)
        return "" if problem and verdict is Verdict.RECOVERED and _remarks(seed.format, path, options) else problem

    return Case(seed.format, name, verdict, check)


def _remarks(format_: str, path: Path, options: ReadOptions) -> list[str]:
    """The notes of a reader on a file: that sample numbers after damage are a guess, for instance."""
    content = formats.module(format_).read(path, options)
    invariants.edges_of(content)
    return list(content.remarks)


def beside_whole(edges: Edges | None, good: Edges | None, verdict: Verdict) -> str:
    """The difference of a damaged capture from the complete one, or ""."""
    if verdict is Verdict.ERROR:
        return "accepted"
    if edges is None or good is None:
        return ""
    if verdict is not Verdict.RECOVERED:
        return "" if invariants.equal(edges, good) else "another result, and nothing says so"
    if edges.samples.size == 0:
        return ""
    at = np.arange(max(edges.start, good.start), min(edges.end, good.end))
    for start, end in edges.gaps.tolist():
        at = at[(at < start) | (at >= end)]
    ours, expected = (e.levels[np.searchsorted(e.samples, at, side="right") - 1] for e in (edges, good))
    return "" if np.array_equal(ours, expected) else "wrong levels outside the gaps, and no remark"


def options_of(seed: seeds.Seed) -> ReadOptions:
    """Options that a seed needs."""
    return ReadOptions(samplerate_hz=seeds.RATE_HZ, unitsize=1) if seed.format == "raw" else ReadOptions()


_whole: dict[str, Edges | None] = {}


def whole(seed: seeds.Seed) -> Edges | None:
    """What is in the complete file."""
    if seed.name not in _whole:
        from fuzz.readers import scratch

        path = scratch() / f"whole-{seed.name}"
        path.write_bytes(seed.content)
        _whole[seed.name] = invariants.read(seed.format, path, options_of(seed))
    return _whole[seed.name]
