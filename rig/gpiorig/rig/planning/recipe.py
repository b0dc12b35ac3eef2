"""The bench file of a plan: as `bench check` takes it, with the command that makes it again at its head."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from gpiorig.rig.bench import written
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.models import RELEASE
from gpiorig.rig.planning.probe_effect import GROUPS
from gpiorig.rig.planning.request import Request

COMMAND = "# gpiorig bench plan "  # the start of the line of a recipe that makes it again


def text(request: Request, candidate: Candidate, command: str) -> str:
    """The file; `command` are the options after `gpiorig bench plan`."""
    bench = candidate.bench
    assert bench is not None  # a plan that came out
    head = [_summary(bench), f"{COMMAND}{command}", *(f"# {line}" for line in _notes(request, candidate, bench))]
    return "\n".join(head) + "\n" + written.text(bench)


def images(request: Request, bench: Bench) -> dict[str, str]:
    """The command that builds the reference firmware, by the names of the nodes that it is for."""
    commands: dict[str, list[str]] = {}
    for name, node in bench.nodes.items():
        width = node.width if node.has_bus else 0
        command = f"make -C firmware-gpio-probes BOARD={request.boards[name].name}"
        if width != request.boards[name].bus_width:
            command += f" WIDTH={width}" if width else " PROBES=off"
        defines = [f"-DGPIORIG_HOLD_NS={node.symbol_ns}"] if node.symbol_ns else []
        if request.groups is not None:
            defines += [f"-DGPIORIG_MASK_GROUP_{group.upper()}=0" for group in GROUPS if group not in request.groups]
        if defines:
            command += f" DEFINES={shlex.quote(' '.join(defines))}"
        commands.setdefault(command, []).append(name)
    if len(commands) == 1:
        return {"each node": next(iter(commands))}
    return {", ".join(names): command for command, names in commands.items()}


def _summary(bench: Bench) -> str:
    """What `bench list` shows: the first sentence."""
    lines = {tuple(node.lines) for node in bench.nodes.values()}
    wiring = f"{', '.join(next(iter(lines)))} of each" if len(lines) == 1 else "lines as below"
    rates = {analyzer.samplerate_hz for analyzer in bench.analyzers.values()}
    return f"# {bench.name}: {wiring}, at {next(iter(rates)) / 1e6:g} MHz. Not tried on hardware."


def _notes(request: Request, candidate: Candidate, bench: Bench) -> Iterator[str]:
    """What a reader has to do before it works."""
    for names, command in images(request, bench).items():
        yield f"Image of {names}: `{command}`."
    yield "Ports are those that Linux gives where nothing else is plugged in: `gpiorig bench scan` shows yours."
    if len(bench.analyzers) > 1:
        yield "Each analyzer on a USB host controller of its own; `conn` is the port's path."
        yield "Sync line: docs/reference/sync-line.md."
    facts = candidate.model.described
    if facts.libsigrok != RELEASE:
        yield f"Its driver came {facts.libsigrok} of libsigrok, the newest release: build libsigrok from git."
    if request.one_shot:
        yield "For recordings of a known length only: `gpiorig capture --bench BENCH --one-shot --duration TIME`."
