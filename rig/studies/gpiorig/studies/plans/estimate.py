"""The time that points will take, and their space on the disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpiorig.studies.points.folder import PointFile
from gpiorig.studies.points.points import Point

# A rule of thumb, from runs of 2 to 21 virtual M3 on 2 cores: time recorded per time taken is this over nodes + 0.5.
_SPEED = 14.0
_START_S = 2.0  # boot, end and analysis, from the same runs
_SET_UP_S = 10.0  # of boards, chosen
_BYTES_PER_NODE_AND_S = 20_000  # from the same runs
_BYTES = 200_000
_MIN_KNOWN = 3  # points whose times replace the rule


@dataclass(frozen=True, slots=True)
class Estimate:
    """Points, their time and their space; `measured` if earlier points of the folder have shown both."""

    points: int
    seconds: float
    bytes: float
    measured: bool

    def __str__(self) -> str:
        basis = "as earlier points" if self.measured else "by a rule of thumb"
        return f"about {time_text(self.seconds)} and {self.bytes / 1e6:.0f} MB of disk, {basis}"


def of(points: Iterable[Point], recorded: Iterable[tuple[Point, PointFile]], *, workers: int = 1) -> Estimate:
    """The estimate for points that are not recorded, from points that are."""
    points = list(points)
    done = [(point, file) for point, file in recorded if file.recording_s > 0 and file.bytes]
    measured = len(done) >= _MIN_KNOWN
    slower = (
        sum(file.recording_s for _, file in done) / sum(map(_seconds, (point for point, _ in done))) if measured else 1
    )
    larger = sum(file.bytes for _, file in done) / sum(map(_bytes, (point for point, _ in done))) if measured else 1
    return Estimate(
        len(points), slower * sum(map(_seconds, points)) / workers, larger * sum(map(_bytes, points)), measured
    )


def time_text(seconds: float) -> str:
    """Such as ``2 h 5 min`` or ``40 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes >= 5 else f"{60 * minutes + rest} s"


def run_s(point: Point) -> float:
    """Time that the nodes run."""
    experiment = point.experiment
    settings = experiment.settings_of(experiment.initiator)
    limits = [] if experiment.duration_s is None else [float(experiment.duration_s)]
    if experiment.packets is not None:
        limits.append(experiment.packets / max(settings.get("train") or 1, 1) * settings["interval_us"] / 1e6)
    return min(limits)


def _seconds(point: Point) -> float:
    if point.bench.virtual is None:
        return _SET_UP_S + run_s(point)
    return _START_S + run_s(point) * (len(point.bench.nodes) + 0.5) / _SPEED


def _bytes(point: Point) -> float:
    return _BYTES + _BYTES_PER_NODE_AND_S * run_s(point) * len(point.bench.nodes)
