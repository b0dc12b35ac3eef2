"""Power traces of a recording: those that are named in its folder or on the command line, read and aligned."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from gpiorig.analysis.energy import trace_clock
from gpiorig.analysis.energy.powered import Powered, Traces
from gpiorig.analysis.errors import QuantityError
from gpiorig.capture.edges import select
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.power import files
from gpiorig.capture.power.channels import Named
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import power_file
from gpiorig.rig.recordings.opened import Opened
from gpiorig.rig.recordings.power_file import PowerFile


def named(opened: Opened, given: Iterable[PowerFile] = ()) -> tuple[PowerFile, ...]:
    """The power traces that the folder of a recording names, and those of the command line, which replace them.

    Raises
    ------
    RigError
        The file in the folder is not understood.
    """
    by_node = {power.node: power for power in (*power_file.beside(opened.recording.folder), *given)}
    return tuple(by_node.values())


def traces(opened: Opened) -> Traces:
    """The traces that the folder names, for quantities: each is read and aligned once, when it is asked for."""
    return {power.node: cache(partial(_for_quantities, opened, power)) for power in named(opened)}


def _for_quantities(opened: Opened, power: PowerFile) -> Powered:
    try:
        return powered(opened, power)
    except (CaptureError, RigError) as error:
        raise QuantityError(str(error)) from error


def powered(opened: Opened, power: PowerFile) -> Powered:
    """Read a power trace and align it.

    Raises
    ------
    CaptureError
        The file, a channel or the alignment; RigError: the node or a pin is not there.
    """
    if power.node not in opened.boards:
        raise RigError(f"--power {power.node}: no such node; the recording has {', '.join(opened.boards)}.")
    settings = {key: power.settings[key] for key in ("amperes", "volts", "node") if key in power.settings}
    trace = files.read(power.path, Named(**settings))
    waveform, clock_ppm = opened.recording.waveform(), opened.instruments.reference.clock_ppm
    if "load" in power.settings:
        channel = power.settings["load"]
        clock = trace_clock.by_load(trace, _channel(waveform, channel), channel)
        return Powered(trace, clock, clock_ppm)
    if trace.pins is None:
        raise RigError(f"{power.path}: has no digital inputs that it could be aligned by; give load=CHANNEL.")
    pin, _, channel = power.settings["pin"].partition(":")
    edges = _channel(trace.pins, pin), _channel(waveform, channel)
    clock = trace_clock.by_pins(edges[0], pin, edges[1], channel, instrument=trace.instrument)
    return Powered(trace, clock, clock_ppm)


def _channel(waveform: Waveform, name: str) -> Edges:
    return select.channels(waveform, [name]).edges()
