"""The samplerate of a planned bench, and ± of a delay at it, by the formula of the report."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import msgspec

from gpiorig.analysis.delays import uncertainty
from gpiorig.analysis.delays.instruments import Instruments, Pin
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.rig.bench import symbols
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning.models import Model
from gpiorig.rig.planning.request import Request
from gpiorig.rig.recordings import instruments
from gpiorig.rig.run import usb_load

USUAL_HZ = 24_000_000  # of a bench whose plan asks for no resolution: docs/reference/bench-files.md


def expanded_ns(bench: Bench, delay_ns: float) -> float:
    """± (k = 2) of a delay between two channels of the worst analyzer, as `gpiorig report` has it."""
    return max(
        uncertainty.for_delay(
            "delay",
            delay_ns,
            start=Pin("one.channel", "rise"),
            end=Pin("another.channel", "rise"),
            instruments=Instruments(instruments.analyzer(bench, name)),
        ).expanded_ns
        for name in bench.analyzers
    )


def chosen(request: Request, model: Model, draft: Callable[[int], Bench]) -> int | str:
    """The samplerate in Hz, or why there is none; `draft` gives the bench at a rate.

    It is the least of the driver's at which the delay is resolved and a symbol has three samples; without a resolution
    24 MHz or the next above it. Where the channels allow no rate as high, it is the highest that they allow, and the
    images hold their symbols for longer.
    """
    rates = model.described.rates
    bench = draft(rates[-1])
    highest_hz = min(_highest(model, usb_load.channels(bench, name)) for name in bench.analyzers)
    highest_hz = rates[bisect_right(rates, highest_hz) - 1]
    wished_hz = request.samplerate_hz or rates[_least(request, bench, rates)]
    chosen_hz = request.samplerate_hz or min(wished_hz, highest_hz)
    reached_ns = expanded_ns(_at(bench, chosen_hz), request.delay_ns)
    if request.resolution_ns and reached_ns > request.resolution_ns:
        return (
            f"± of a delay of {time_text(request.delay_ns)} is {time_text(reached_ns)} at {chosen_hz} Hz"
            f"{'' if request.samplerate_hz else ', the most that it takes with its channels'}; "
            f"{time_text(request.resolution_ns)} are asked for{_of_clock(_at(bench, chosen_hz), request.resolution_ns)}"
        )
    return chosen_hz


def _of_clock(bench: Bench, resolution_ns: float) -> str:
    """What to do where a short delay would be resolved: the clock limits it, not the rate."""
    if expanded_ns(bench, 0.0) > resolution_ns:
        return ""
    return "; that is the analyzer's clock, and no rate helps: compare it, and state clock_ppm in the bench file"


def _least(request: Request, bench: Bench, rates: Sequence[int]) -> int:
    """The place of the least rate that is enough; the last place where none is."""
    enough_hz = max(_of_symbols(bench), 0 if request.resolution_ns else USUAL_HZ)
    places = [bisect_left(rates, enough_hz)]
    if resolution_ns := request.resolution_ns:

        def resolves(rate_hz: int) -> bool:
            return expanded_ns(_at(bench, rate_hz), request.delay_ns) <= resolution_ns

        places.append(bisect_left(rates, True, key=resolves))
    return min(max(places), len(rates) - 1)


def _highest(model: Model, channels: list[str]) -> int:
    """What the driver takes, and the network carries, with these channels."""
    taken_hz = model.described.max_rate_hz(channels)
    return min(taken_hz, model.described.network_max_hz(channels) or taken_hz)


def _of_symbols(bench: Bench) -> int:
    """The rate at which the boards' shortest symbol has its samples, without a longer hold."""
    held_ns = [node.described_board.bus(node.width).symbol_ns for node in bench.nodes.values() if node.has_bus]
    return max((-(-symbols.MIN_SAMPLES * NS_PER_S // one_ns) for one_ns in held_ns), default=0)


def _at(bench: Bench, samplerate_hz: int) -> Bench:
    analyzers = {
        name: msgspec.structs.replace(analyzer, samplerate_hz=samplerate_hz)
        for name, analyzer in bench.analyzers.items()
    }
    return msgspec.structs.replace(bench, analyzers=analyzers)
