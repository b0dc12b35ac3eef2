"""Opening what was recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gpiorig.api import given
from gpiorig.api.recording import Recording
from gpiorig.api.source import Source
from gpiorig.capture.recording.recording import DESCRIPTION
from gpiorig.capture.recording.recording import Recording as Described
from gpiorig.rig import names
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import described


def open(
    path: str | os.PathLike[str],
    *,
    bench: str | os.PathLike[str] | None = None,
    initiator: str | None = None,
    responder: str | None = None,
    quantities: Sequence[str] = (),
    asserted: Sequence[str] = (),
    format: str | None = None,
    samplerate: str | float | None = None,
    unitsize: int | None = None,
    channels: Sequence[str] = (),
    columns: str = "",
    recover: bool = False,
) -> Recording:
    """Open a recording, a capture, a log or a packet capture; nothing is written.

    Parameters
    ----------
    path
        A recording of `gpiorig run`, `capture`, `serial`, `import`; or a file of a known format (docs/guide/files.md).
    bench
        Bench file of a recording without one, or the name of a bench that comes with gpiorig.
    initiator, responder
        The two nodes of its round trips, where no experiment names them.
    quantities, asserted
        Quantities and limits in addition to those of the experiment: the former are the table `quantities`, the latter
        are among the `failed_checks` where they are not met.
    format, samplerate, unitsize, channels, columns, recover
        Of a file, what it does not state, as the options of `gpiorig measure`: `samplerate="24MHz"`,
        `columns="time=t,unit=us"`.

    Raises
    ------
    Error
        There is no such file, or its format is not known or damaged; or the bench does not fit.
    """
    place = Path(path)
    reading = given.reading(
        format=format, samplerate=samplerate, unitsize=unitsize, channels=channels, columns=columns, recover=recover
    )
    is_recording = format is None and place.is_dir() and (place / DESCRIPTION).exists()
    if is_recording and (stated := [name for name, value in vars(reading).items() if value]):
        raise RigError(f"{stated[0]}: {place} is a recording, which states this itself; omit it.")
    if not is_recording and (bench or initiator or responder):
        raise RigError(f"{place}: is not a recording; bench, initiator and responder are of one.")
    opened = None
    if is_recording:
        bench_file = None if bench is None else names.bench(Path(bench))
        opened = described.with_bench(Described.open(place), bench_file, initiator=initiator, responder=responder)
    source = Source(place, reading, opened)
    source.format  # noqa: B018  # a file that is not there, or that no reader knows, is refused now
    return Recording(source, asked=quantities, asserted=asserted)
