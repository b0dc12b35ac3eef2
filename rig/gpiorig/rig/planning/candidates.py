"""Whether a model of analyzer does what is asked for, by the rules of `gpiorig bench check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.bench import benches, checks
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


def of(request: Request, model: Model) -> Candidate:
    """The bench of the fewest analyzers of the model, each with the widest buses that it has channels for."""
    refused: Candidate | None = None
    for count in range(1, len(request.nodes) + 1):
        for widest in _widths(request):
            if wiring.bench(request, model, count=count, widest=widest, samplerate_hz=1) is None:
                continue
            candidate = _checked(request, model, count, widest)
            if candidate.bench is not None:
                return candidate
            refused = candidate if count == 1 else refused or candidate
    return refused or Candidate(model, None, reasons=(_too_few(request, model),))


def _widths(request: Request) -> Iterator[int]:
    """The widest that buses may be, in falling order, without those that change nothing."""
    tried: list[list[int]] = []
    for widest in _WIDTHS:
        widths = [request.width_of(name, widest) for name in request.nodes]
        narrows = not tried or widths != tried[-1]
        if narrows and (not tried or all(widths) or request.width == 0):  # a bus is narrowed, not left out
            tried.append(widths)
            yield widest


def _checked(request: Request, model: Model, count: int, widest: int) -> Candidate:
    """The candidate with `count` analyzers, at the rate that suits, after the checks of a bench file."""

    def draft(samplerate_hz: int) -> Bench:
        bench = wiring.bench(request, model, count=count, widest=widest, samplerate_hz=samplerate_hz)
        assert bench is not None  # its channels were counted
        return benches.with_boards(bench, Path(), what="plan")

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
    needs = {
        name: wiring.channels_needed(request, [name], widest=min(_WIDTHS), has_sync=has_sync) for name in request.nodes
    }
    name = max(needs, key=lambda name: needs[name])
    sync = " with the sync line" if has_sync else ""
    return f"has {len(model.channels)} channels; {name} takes {needs[name]}{sync}"
