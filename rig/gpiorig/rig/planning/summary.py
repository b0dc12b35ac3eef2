"""The plan as the object of `gpiorig bench plan --json`."""

from __future__ import annotations

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning import budget, drawing, parts, probe_effect, rates, recipe
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.plan import Plan
from gpiorig.rig.planning.request import Request
from gpiorig.rig.planning.result import PlannedAnalyzer, PlannedBench, PlannedLoad, PlannedNode


def of(plan: Plan, command: str) -> PlannedBench:
    """The object; `command` are the options that make the bench file again."""
    asked, choice = plan.request, plan.choice
    models = tuple(_analyzer(asked, candidate) for candidate in plan.candidates)
    seconds = float(asked.duration_s)
    if choice is None or choice.bench is None:
        return PlannedBench(choice="", bench="", analyzers=models, delay_ns=asked.delay_ns, duration_s=seconds)
    bench = choice.bench
    return PlannedBench(
        choice=choice.model.name,
        bench=recipe.text(asked, choice, command),
        analyzers=models,
        delay_ns=asked.delay_ns,
        duration_s=seconds,
        expanded_ns=rates.expanded_ns(bench, asked.delay_ns),
        disk_bytes=budget.disk_bytes(bench, asked),
        nodes=_nodes(asked, bench),
        loads={name: PlannedLoad.of(budget.load(bench, name)) for name in bench.analyzers},
        parts=parts.parts(asked, bench, choice.model),
        images=recipe.images(asked, bench),
        findings=choice.findings,
    )


def _analyzer(asked: Request, candidate: Candidate) -> PlannedAnalyzer:
    bench, model = candidate.bench, candidate.model
    return PlannedAnalyzer(
        name=model.name,
        title=model.title,
        does_it=bench is not None,
        analyzers=len(bench.analyzers) if bench else None,
        samplerate_hz=next(iter(bench.analyzers.values())).samplerate_hz if bench else None,
        expanded_ns=rates.expanded_ns(bench, asked.delay_ns) if bench else None,
        libsigrok=model.described.libsigrok,
        usb_ids=model.usb_ids,
        reasons=candidate.reasons,
    )


def _nodes(asked: Request, bench: Bench) -> dict[str, PlannedNode]:
    nodes = {}
    for analyzer in bench.analyzers:
        for name, wires in drawing.wires(bench, analyzer).items():
            effect = probe_effect.of_node(bench, name, asked.groups)
            nodes[name] = PlannedNode(
                board=asked.nodes[name],
                bus_width=bench.nodes[name].width if bench.nodes[name].has_bus else 0,
                wires=tuple(wires),
                probe_events=effect.events if effect else None,
                probe_most_ns=effect.most_ns if effect else None,
            )
    return nodes
