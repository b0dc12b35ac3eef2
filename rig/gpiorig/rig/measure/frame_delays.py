"""Results of `gpiorig latency` for packet captures: acknowledgements, intervals, retries, the way between captures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.measure import frames as framelatency
from gpiorig.analysis.measure import timestamps
from gpiorig.analysis.measure.frames import View, Way
from gpiorig.analysis.measure.timestamps import TimestampNumbers
from gpiorig.analysis.number_text import count_text, number_text, time_text
from gpiorig.analysis.statistics.summary import TIMES
from gpiorig.capture import formats
from gpiorig.capture.errors import FormatError
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frames import Frames
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import delay_files
from gpiorig.rig.measure.delay_results import summary, summary_text
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings import inputs, standing

if TYPE_CHECKING:
    import pyarrow as pa

KINDS = {"ack": "acknowledged after", "interval": "interval", "retry": "retried after"}
MAX_DRAWN = 10  # series in a figure


class FrameDelays(Result, frozen=True, kw_only=True):
    """Delays between frames of one source; `stamp_uncertainty_ns` is by the step and the clock of the timestamps."""

    n: int
    __annotations__.update(dict.fromkeys(TIMES, Number))
    stamp_uncertainty_ns: Number


class ViewNumbers(Result, frozen=True, kw_only=True):
    """What one capture, or one node of it, shows: delays by source, frames and acknowledgements that fit nothing."""

    ack: dict[str, FrameDelays]
    interval: dict[str, FrameDelays]
    retry: dict[str, FrameDelays]
    unacknowledged: dict[str, int]
    stray_acks: int
    untimely_acks: int
    bad_fcs: int
    malformed: int
    back_steps: int
    equal_stamps: int
    duplicates: int
    step_ns: float
    step_origin: str
    remarks: list[str]
    timestamps: TimestampNumbers


class WayNumbers(Result, frozen=True, kw_only=True):
    """Frames that two views show: delays from one to the other by source, and frames that one of them lacks."""

    begin: str = msgspec.field(name="from")
    end: str = msgspec.field(name="to")
    delays: dict[str, FrameDelays]
    only_from: int
    only_to: int
    ambiguous: int
    clocks: int


class FrameLatency(Result, frozen=True, kw_only=True):
    """Delays between the frames of packet captures."""

    state: str | None
    remarks: list[str]
    views: dict[str, ViewNumbers]
    ways: list[WayNumbers]


def captures(options: argparse.Namespace) -> dict[str, Frames] | None:
    """The packet captures by their names, None where the logs are of another kind."""

    def is_capture(path: Path) -> bool:
        try:
            return path.is_file() and (options.format or formats.recognise(path)) == "pcap"
        except FormatError:
            return False

    are_captures = [is_capture(path) for path in options.logs]
    if not any(are_captures):
        return None
    if not all(are_captures):
        raise RigError("packet captures do not go with other logs; give the ones or the others.")
    names = [path.stem for path in options.logs]
    named = [name if names.count(name) == 1 else str(path) for name, path in zip(names, options.logs, strict=True)]
    if len(set(named)) < len(named):
        raise RigError("a packet capture is given twice.")
    contents = [inputs.open_file(path, options)[1] for path in options.logs]
    return dict(zip(named, contents, strict=True))


def run(options: argparse.Namespace, frames: Mapping[str, Frames]) -> int:
    """Measure, and print."""
    views, ways = measured(options, frames)
    if options.output or options.figure:
        _write(options, views, ways)
    result = standing.all_announced(options.logs, as_json=options.json) | numbers(views, ways, several=len(frames) > 1)
    print(plain_json.text(msgspec.convert(result, FrameLatency)) if options.json else "\n".join(_text(result)))
    return 0


def measured(options: argparse.Namespace, frames: Mapping[str, Frames]) -> tuple[list[View], list[Way]]:
    """The delays between the frames of packet captures; raises `RigError` without a frame."""
    longest_ns = None if options.max_gap is None else int(options.max_gap * 10**9)
    views, ways = framelatency.measured(_frames(frames), longest_ns=longest_ns)
    if not views:
        raise RigError(f"{', '.join(map(str, options.logs))}: holds no frame.")
    return views, ways


def _write(options: argparse.Namespace, views: list[View], ways: list[Way]) -> None:
    """The files of delays that are asked for: a row, or a step of the figure, of each source by what was measured."""
    if options.output:
        rows = _rows(views, ways)
        delay_files.write(options.output, lambda part: _table(rows[part]), len(rows))
    if options.figure:
        drawn = by_name(views, ways)
        if len(drawn) > MAX_DRAWN:
            raise RigError(f"--figure {options.figure}: {len(drawn)} series of delays; write them with -o.")
        delay_files.draw(options.figure, drawn, us=1e-3, virtual=False)


def table(views: list[View], ways: list[Way]) -> pa.Table:
    """Every delay, as `-o` writes it."""
    return _table(_rows(views, ways))


def by_name(views: list[View], ways: list[Way]) -> dict[str, NDArray[np.int64]]:
    """int64[n] in ns: the delays of each view, kind and source."""
    return {" ".join(names): np.array(values, dtype=np.int64) for names, (values, _) in _series(views, ways).items()}


def _series(views: list[View], ways: list[Way]) -> dict[tuple[str, str, str], tuple[list[int], float]]:
    """Delays by view, kind and source, with the step of their timestamps."""
    series = {
        (view.name, kind, source): (values, _step_ns(view))
        for view in views
        for kind in KINDS
        for source, values in sorted(getattr(view, f"{kind}_ns").items())
    }
    for way in ways:
        step_ns = _coarsest_ns(views)
        names = " to ".join(way.names)
        series |= {(names, "way", source): (values, step_ns) for source, values in sorted(way.delays_ns.items())}
    return series


def _rows(views: list[View], ways: list[Way]) -> list[tuple[str, str, str, int, float]]:
    series = _series(views, ways)
    return [(*names, delay, step_ns) for names, (values, step_ns) in series.items() for delay in values]


def _table(rows: list[tuple[str, str, str, int, float]]) -> pa.Table:
    """Rows of `-o`: view, kind, source, delay, ±; the columns of `latency` of lines where they mean the same."""
    import pyarrow as pa

    views, kinds, sources, delays, steps = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    uncertainties = [
        timestamps.expanded_ns(step, delay) if step else None for step, delay in zip(steps, delays, strict=True)
    ]
    return columns.table(
        {
            "view": pa.array(views, pa.string()),
            "kind": pa.array(kinds, pa.string()),
            "source": pa.array(sources, pa.string()),
            "delay_ns": pa.array(delays, pa.int64()),
            "uncertainty_ns": pa.array(uncertainties, pa.float64()),
        }
    )


def _frames(captures_of: Mapping[str, Frames]) -> Iterator[tuple[str, Frame]]:
    """The frames by view: those of several captures by capture, those of one by node."""
    for name, frames in captures_of.items():
        for frame in frames.frames():
            yield (name if len(captures_of) > 1 else frame.node or name), frame


def numbers(views: list[View], ways: list[Way], *, several: bool) -> dict[str, Any]:
    """Fields of `FrameLatency` from `views` on; `several`: captures with a clock each."""

    def summaries(delays: Mapping[str, list[int]], resolution_ns: float) -> dict[str, Any]:
        return {
            source: summary(np.array(values, dtype=np.int64), resolution_ns)
            for source, values in sorted(delays.items())
        }

    return {
        "views": {
            view.name: {
                **{kind: summaries(getattr(view, f"{kind}_ns"), _step_ns(view)) for kind in KINDS},
                "unacknowledged": dict(view.unacknowledged),
                "stray_acks": view.stray_acks,
                "untimely_acks": view.untimely_acks,
                "bad_fcs": view.bad_fcs,
                "malformed": view.malformed,
                **view.clock.as_json(),
                "timestamps": timestamps.numbers(view.step),
            }
            for view in views
        },
        "ways": [
            {
                "from": way.names[0],
                "to": way.names[1],
                "delays": summaries(way.delays_ns, _coarsest_ns(views)),
                "only_from": way.only[0],
                "only_to": way.only[1],
                "ambiguous": way.ambiguous,
                "clocks": 2 if several else 1,
            }
            for way in ways
        ],
    }


def _step_ns(view: View) -> float:
    """The step on which ± counts; 0 of timestamps that are not the times of the frames: then ± is not known."""
    return 0.0 if view.clock.is_useless else view.step.step_ns


def _coarsest_ns(views: list[View]) -> float:
    """The coarsest step of all views, for delays from one to another; 0 where that of one is not known."""
    steps_ns = [_step_ns(view) for view in views]
    return max(steps_ns) if all(steps_ns) else 0.0


def _text(result: dict[str, Any]) -> Iterator[str]:
    for name, view in result["views"].items():
        yield f"{name}:"
        for kind, words in KINDS.items():
            yield from (f"  {source} {words}: {_line(part)}" for source, part in view[kind].items())
        missing = ", ".join(f"{count} of {source}" for source, count in view["unacknowledged"].items())
        yield from [f"  frames without the acknowledgement that they asked for: {missing}"] if missing else []
        strays = view["stray_acks"]
        yield from [f"  {count_text(strays, 'acknowledgement')} of no frame that was received"] if strays else []
        if late := view["untimely_acks"]:
            yield (
                f"    {number_text(late)} of them with the number of a frame, but not 192 to 864 µs after its end "
                "(IEEE 802.15.4); --max-gap 10ms pairs them by their number"
            )
        yield from [f"  omitted: {count_text(view['bad_fcs'], 'frame')} with a wrong FCS"] if view["bad_fcs"] else []
        if malformed := view["malformed"]:
            yield f"  omitted: {count_text(malformed, 'frame')} whose header cannot be read"
        yield from (f"  {remark}" for remark in view["remarks"])
        yield f"  {view['timestamps'].text}"
    for way in result["ways"]:
        yield f"{way['from']} to {way['to']}:"
        yield from (f"  frames of {source}: {_line(part)}" for source, part in way["delays"].items())
        yield f"  only in the one {way['only_from']}, only in the other {way['only_to']}, ambiguous {way['ambiguous']}"
        if way["clocks"] > 1:
            yield "  the difference of two clocks is in these delays, unless they were synchronised"


def _line(part: dict[str, Any]) -> str:
    step = part["stamp_uncertainty_ns"]
    step_text = f"; each ± {time_text(step)} (k = 2) by step and clock of the timestamps" if step else ""
    return f"n {part['n']}, {summary_text(part)}{step_text}"
