"""Sentences about the bench and the experiment of a study's points, for the captions of its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from gpiorig.analysis.number_text import count_text
from gpiorig.studies.points.points import Point

MIXED = "different"


def of(points: Sequence[Point]) -> tuple[str, ...]:
    """What all points have in common, and where they differ that they do."""
    if not points:
        return ()
    boards = _text(_boards(point) for point in points)
    virtual = all(point.bench.states_virtual for point in points)
    lengths = _text(_length(point) for point in points)
    if not any(point.record for point in points):
        return (f"Nothing is recorded; {_text(map(_images, points))}, for {boards}.",)
    repeats = len({point.repeat for point in points})
    return (
        f"{'Simulated boards' if virtual else 'Boards'}: {boards}.",
        f"{lengths} per run; {count_text(repeats, 'repeat')}.",
        f"Kernel: {_text(point.experiment.kernel for point in points)}; images: {_text(map(_images, points))}.",
    )


def _boards(point: Point) -> str:
    return ", ".join(
        f"{count} {board}" for board, count in Counter(node.board_name for node in point.bench.nodes.values()).items()
    )


def _length(point: Point) -> str:
    packets, seconds = point.experiment.packets, point.experiment.duration_s
    parts = [count_text(packets, "packet")] if packets is not None else []
    parts += [f"{seconds} s"] if seconds is not None else []
    warm = f", without a warm-up of {point.warmup.text}" if point.warmup is not None else ""
    return " or ".join(parts) + warm


def _images(point: Point) -> str:
    named = {name for name, node in point.bench.nodes.items() if node.firmware}
    return "reference firmware" if not named else f"images given for {', '.join(sorted(named))}"


def _text(texts: Iterable[str]) -> str:
    """The text that all have; else the few, or that they differ."""
    different = list(dict.fromkeys(texts))
    return " | ".join(different) if len(different) <= 3 else MIXED
