"""Whether a symbol of each node's bus lasts long enough for the analyzer that sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError

# One sample may fall on the edge, and lines of one store arrive a few ns apart (hardware-bom.md).
MIN_SAMPLES = 3
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of a node as its analyzer sees it."""

    node: str
    analyzer: str
    held_ns: int
    samplerate_hz: int
    min_hold_ns: int | None  # of the build option; None where the port has none

    @property
    def samples(self) -> float:
        """Samples in a symbol."""
        return self.held_ns * self.samplerate_hz / _NS_PER_S

    @property
    def is_short(self) -> bool:
        """Whether it has too few."""
        return self.held_ns * self.samplerate_hz < MIN_SAMPLES * _NS_PER_S

    def __str__(self) -> str:
        return f"{self.held_ns} ns are {self.samples:.3g} samples of analyzer {self.analyzer}"

    @property
    def remedy(self) -> str:
        """What to build and write, or the samplerate to use."""
        rate = f"sample at {-(-MIN_SAMPLES * _NS_PER_S // self.held_ns)} Hz or more"
        if self.min_hold_ns is None:
            return rate
        hold_ns = max(least_hold_ns(self.samplerate_hz), self.min_hold_ns)
        return (
            f"build its image with -DGPIORIG_HOLD_NS={hold_ns} and write `symbol_ns = {hold_ns}` into "
            f"[nodes.{self.node}], or {rate}"
        )


def least_hold_ns(samplerate_hz: int) -> int:
    """How long a symbol must be held at a samplerate."""
    return -(-MIN_SAMPLES * _NS_PER_S // samplerate_hz)


def of_bench(bench: Bench) -> Iterator[Symbol]:
    """The symbols of the nodes whose bus is wired."""
    for name, node in bench.nodes.items():
        if not node.has_bus:
            continue
        analyzer, _ = bench.place(node.lines["strobe"])
        yield Symbol(
            node=name,
            analyzer=analyzer,
            held_ns=node.held_ns,
            samplerate_hz=bench.analyzers[analyzer].samplerate_hz,
            min_hold_ns=node.described_board.min_hold_ns,
        )


def short_symbols(bench: Bench) -> list[Symbol]:
    """Those of fewer than three samples."""
    return [symbol for symbol in of_bench(bench) if symbol.is_short]


def refuse_short(bench: Bench) -> None:
    """Raise `BenchError` for the first of them, with the remedy: its frames would be damaged."""
    for symbol in short_symbols(bench):
        raise BenchError(
            f"bench {bench.name}: nodes.{symbol.node}.symbol_ns: {symbol}, and a symbol needs {MIN_SAMPLES}. "
            f"{symbol.remedy[0].upper()}{symbol.remedy[1:]}."
        )
