"""The plan of a bench as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.rig import text_table
from gpiorig.rig.bench import usb_memory
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning import budget, drawing, parts, probe_effect, rates, recipe
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.models import RELEASE
from gpiorig.rig.planning.plan import Plan
from gpiorig.rig.planning.request import Request


def lines(plan: Plan, analyzer: str | None) -> Iterator[str]:
    """The bench that is proposed, or that of the analyzer which was named; then all analyzers."""
    if plan.choice is not None:
        yield from _choice(plan, plan.choice)
    else:
        yield f"{analyzer} does not do it" if analyzer else "no analyzer does it"
    yield from _table(plan)


def _choice(plan: Plan, choice: Candidate) -> Iterator[str]:
    """A bench: wires, budgets, checks."""
    assert choice.bench is not None  # it does it
    bench = choice.bench
    yield bench.name
    for analyzer in bench.analyzers:
        for name, wires in drawing.wires(bench, analyzer).items():
            node = bench.nodes[name]
            yield f"  {name} ({node.board_name}{f', bus of {node.width}' if node.has_bus else ''}):"
            yield from (f"    {line}" for line in _wires(bench, analyzer, wires))
        if sync := bench.analyzers[analyzer].sync:
            yield f"  sync line: {analyzer}:{sync} (docs/reference/sync-line.md)"
    yield "  parts:"
    yield from (f"    {count} x {part}" for part, count in parts.parts(plan.request, bench, choice.model).items())
    yield from (f"  {line}" for line in _facts(plan, bench))
    doubts = [finding for finding in choice.findings if finding.verdict != "right"]
    yield f"  gpiorig bench check: nothing is wrong{', but:' if doubts else ''}"
    yield from (f"    {finding}" for finding in doubts)


def _wires(bench: Bench, analyzer: str, wires: list[drawing.Wire]) -> Iterator[str]:
    owner = f"{analyzer}:" if len(bench.analyzers) > 1 else ""
    rows = [
        (wire.line, wire.pin, wire.header, wire.channel if wire.is_ground else owner + wire.channel, wire.colour)
        for wire in wires
    ]
    return (line for line in text_table.lines(("line", "pin", "where", "channel", "wire"), rows))


def _facts(plan: Plan, bench: Bench) -> Iterator[str]:
    """Budgets, resolution, probes, images."""
    asked = plan.request
    for name, analyzer in bench.analyzers.items():
        yield _load_text(name, analyzer.samplerate_hz, budget.load(bench, name))
    yield (
        f"± of a delay of {time_text(asked.delay_ns)}: {time_text(rates.expanded_ns(bench, asked.delay_ns))} (k = 2), "
        f"of one of 10 ms: {time_text(rates.expanded_ns(bench, 1e7))} (docs/guide/uncertainty.md)"
        + (", and the alignment of the analyzers" if len(bench.analyzers) > 1 else "")
    )
    size = budget.disk_bytes(bench, asked)
    trips = asked.duration_s // asked.interval_s
    yield (
        f"a recording of {time_text(float(asked.duration_s) * NS_PER_S)}: {trips} round trips, at most "
        f"{max(size, 1) / 1e6:.3g} MB of disk with the reference firmware{_uncounted(bench, asked)}"
    )
    if any("spi_clk" in node.lines for node in bench.nodes.values()):
        rate_hz = min(analyzer.samplerate_hz for analyzer in bench.analyzers.values())
        clock_mhz = rate_hz / budget.SPI_SAMPLES / 1e6
        yield f"spi_clk: {budget.SPI_SAMPLES} samples in a period up to a clock of {clock_mhz:.3g} MHz"
    yield _losses(asked, bench)
    texts = {name: _probes(bench, name, asked) for name in bench.nodes}
    for text in dict.fromkeys(texts.values()):
        yield f"probes of {', '.join(name for name in texts if texts[name] == text)}: {text}"
    if extra := probe_effect.uncounted(asked.groups):
        yield f"events of {', '.join(extra)} were not counted: the ping-pong of the reference firmware has none"
    for names, build in recipe.images(asked, bench).items():
        yield f"image of {names}: {build}"


def _uncounted(bench: Bench, asked: Request) -> str:
    """What the space on the disk does not contain."""
    absent = []
    if any("spi_clk" in node.lines for node in bench.nodes.values()):
        absent.append("SPI")
    nodes = [name for name, node in bench.nodes.items() if node.has_bus]
    if any(probe_effect.of_node(bench, name, asked.groups) is None for name in nodes):
        absent.append("the symbol bus")
    return f", without {' and '.join(absent)}" if absent else ""


def _load_text(name: str, samplerate_hz: int, load: budget.Load) -> str:
    text = f"{name}: {load.channels} channels at {samplerate_hz / 1e6:g} MHz, {load.bytes_s / 1e6:.1f} MB/s"
    if load.bus_bytes_s:
        text += f" of the {load.bus_bytes_s / 1e6:.1f} MB/s of USB 2"
    if load.transfer_bytes is not None and load.stall_s is not None:
        text += (
            f"; transfers take {load.transfer_bytes / usb_memory.MEGABYTE:.1f} of Linux's {usb_memory.DEFAULT_MB} MB; "
        )
        text += f"a capture ends when the host stalls for {load.stall_s * 1000:.0f} ms"
    return text


def _losses(asked: Request, bench: Bench) -> str:
    if any(analyzer.sync for analyzer in bench.analyzers.values()):
        return "lost samples are found by the sync line, which a spare board makes"
    loss = time_text(budget.MIN_LOSS_NS)
    text = f"lost samples are found by the host's clock, {loss} of them at best; with --sync a few of them"
    if asked.duration_s < budget.MIN_RATE_S:
        text += f"; the analyzer's rate is checked in recordings of {budget.MIN_RATE_S} s or more"
    return text


def _probes(bench: Bench, name: str, asked: Request) -> str:
    effect = probe_effect.of_node(bench, name, asked.groups)
    if not bench.nodes[name].has_bus:
        return "no bus"
    if effect is None:
        return "the events of its radio's driver were not counted"
    text = f"{effect.events:g} events of each in a round trip"
    if effect.most_ns is None:
        return f"{text}; what one costs on this board was not measured"
    return f"{text} take {time_text(effect.most_ns)}, and delay it by that at most (docs/guide/probe-cost.md)"


def _table(plan: Plan) -> Iterator[str]:
    """All analyzers, with rate and ±, or the reason."""
    yield "analyzers:"
    for candidate in plan.candidates:
        mark = "*" if candidate is plan.choice else " "
        yield (
            f" {mark}{'yes' if candidate.bench else 'no ':3} {candidate.model.name} ({candidate.model.title}): "
            + _verdict(plan.request, candidate)
        )


def _verdict(asked: Request, candidate: Candidate) -> str:
    bench = candidate.bench
    if bench is None:
        return "; ".join(candidate.reasons)
    analyzers = [*bench.analyzers.values()]
    number = f"{len(analyzers)} of them with a sync line, " if len(analyzers) > 1 else ""
    widths = sorted({node.width for node in bench.nodes.values() if node.has_bus})
    bus = f", buses of {' and '.join(map(str, widths))}" if widths else ""
    expanded = time_text(rates.expanded_ns(bench, asked.delay_ns))
    text = f"{number}{analyzers[0].samplerate_hz / 1e6:g} MHz{bus}, ± {expanded}{' on each' if number else ''}"
    doubts = [finding.what.partition(";")[0] for finding in candidate.findings if finding.verdict == "unknown"]
    if candidate.model.described.libsigrok != RELEASE:
        doubts.append(f"its driver came {candidate.model.described.libsigrok} of libsigrok")
    return "; ".join([text, *doubts])
