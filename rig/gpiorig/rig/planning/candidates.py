"""Whether a model of analyzer does what is asked for, by the rules of `gpiorig bench check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gpiorig.rig.bench import checks
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.errors import BenchError
from gpiorig.rig.planning import rates, wiring
from gpiorig.rig.planning.models import Model
from gpiorig.rig.planning.request import Request
from gpiorig.rig.run import bench_findings

FILE = Path("bench.toml")  # what a bench is called whose file is not written yet
_WIDTHS = (8, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model of analyzer for a request.

    Attributes
    ----------
    model
        The model.
    bench
        The bench with it, as its file has it; None where it does not do it.
    findings
        What `gpiorig bench check` finds of that.
    reasons
        Why it does not do it.
    """

    model: Model
    bench: Bench | None
    findings: tuple[Finding, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def holds_longer(self) -> bool:
        """Whether an image of it must hold its symbols for longer than by default."""
        return self.bench is not None and any(node.symbol_ns for node in self.bench.nodes.values())


def of(request: Request, model: Model, *, most: int | None = None) -> Candidate:
    """The bench of the fewest analyzers of the model, `most` at most, each with the widest buses that suit it.

    A bus of fewer lines is preferred to symbols that are held for longer: events take as long, at a lower samplerate.
    """
    refused: Candidate | None = None
    for count in range(1, (most or len(request.nodes)) + 1):
        tried = [
            _checked(request, model, count, widest)
            for widest in _widths(request)
            if wiring.bench(request, model, count=count, widest=widest, samplerate_hz=1) is not None
        ]
        if able := [candidate for candidate in tried if candidate.bench is not None]:
            return next((candidate for candidate in able if not candidate.holds_longer), able[0])
        refused = refused or (tried[-1] if tried else None)
    return refused or Candidate(model, None, reasons=(_too_few(request, model),))


def _widths(request: Request) -> Iterator[int]:
    """The widest that buses may be, in falling order, without those that change nothing; a given width is not."""
    tried: list[list[int]] = []
    for widest in _WIDTHS:
        widths = [request.width_of(name, widest) for name in request.nodes]
        if widths not in tried and (all(widths) or not tried):  # a bus is narrowed, not left out
            tried.append(widths)
            yield widest
        if request.width is not None:
            return


def _checked(request: Request, model: Model, count: int, widest: int) -> Candidate:
    """The candidate with `count` analyzers, at the rate that suits, after the checks of a bench file."""

    def draft(samplerate_hz: int) -> Bench:
        bench = wiring.bench(request, model, count=count, widest=widest, samplerate_hz=samplerate_hz)
        assert bench is not None  # its channels were counted
        nodes = {name: msgspec.structs.replace(node, board=request.boards[name]) for name, node in bench.nodes.items()}
        return msgspec.structs.replace(bench, nodes=nodes)

    rate_hz = rates.chosen(request, model, draft)
    if isinstance(rate_hz, str):
        return Candidate(model, None, reasons=(rate_hz,))
    try:
        bench = checks.check(draft(rate_hz), what="plan")
    except BenchError as error:
        return Candidate(model, None, reasons=(str(error).removeprefix("plan: ").removesuffix("."),))
    findings = tuple(bench_findings.of_file(bench, FILE, one_shot=request.one_shot))
    wrong = tuple(dict.fromkeys(finding.what for finding in findings if finding.verdict == "wrong"))
    if wrong:
        return Candidate(model, None, findings, wrong)
    return Candidate(model, wiring.bench(request, model, count=count, widest=widest, samplerate_hz=rate_hz), findings)


def _too_few(request: Request, model: Model) -> str:
    """Not even one node fits."""
    has_sync = request.has_sync or len(request.nodes) > 1
    *_, narrowest = _widths(request)
    needs = {
        name: wiring.channels_needed(request, [name], widest=narrowest, has_sync=has_sync) for name in request.nodes
    }
    name = max(needs, key=lambda name: needs[name])
    sync = " with the sync line" if has_sync else ""
    return f"has {len(model.channels)} channels; {name} takes {needs[name]}{sync}"
