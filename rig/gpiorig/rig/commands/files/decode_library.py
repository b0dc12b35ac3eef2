"""`gpiorig decode --install`, `--list`, `--wiring`, …: our decoders for sigrok, and how a bench is given to them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpiorig.analysis.decoderhost.rows import OutputRow
from gpiorig.analysis.traces.pulseview_session import Stack
from gpiorig.rig import plain_json
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoder_folder, decoder_stacks
from gpiorig.rig.export.decoder_stacks import Naming
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.opened import Opened, open_recording
from gpiorig.rig.results.analyse import analyse


class Listed(Result, frozen=True, kw_only=True):
    """A decoder, and whether it is installed."""

    description: str
    state: str


class Decoders(Result, frozen=True, kw_only=True):
    """Our decoders by their names; `folder` is where they are looked for."""

    folder: str
    decoders: dict[str, Listed]


class Wiring(Result, frozen=True, kw_only=True):
    """The channels and options of a decoder for a bench."""

    decoder: str
    channels: dict[str, str]
    options: dict[str, str | int]
    state: str | None
    remarks: tuple[str, ...]


RESULTS = {"decode": (OutputRow, Decoders, Wiring)}


def run(options: argparse.Namespace) -> int:
    """Do what is asked for."""
    if options.library == "path":
        print(decoder_folder.source())
        return 0
    if options.wiring:
        return _print_wiring(options)
    target = options.folder or decoder_folder.default_target()
    if options.library == "list":
        return _list(target, as_json=options.json)
    if options.library == "uninstall":
        gone = decoder_folder.uninstall(target)
        print(f"deleted from {target}: {', '.join(name.name for name in gone) or 'nothing of ours was there'}")
        return 0
    done = decoder_folder.install(target, link=options.link)
    print(f"{'linked' if options.link else 'installed'} in {target}: {', '.join(folder.name for folder in done)}")
    if target != decoder_folder.default_target():
        print(f"sigrok finds them there with SIGROKDECODE_DIR={target}")
    print("try: sigrok-cli --protocol-decoders gpio_timeline --show")
    return 0


def _list(target: Path, *, as_json: bool) -> int:
    states = {
        decoder.name: (decoder.summary, decoder_folder.state(decoder, target)) for decoder in decoder_folder.shipped()
    }
    if as_json:
        rows = {name: Listed(description=summary, state=state) for name, (summary, state) in states.items()}
        print(plain_json.text(Decoders(folder=str(target), decoders=rows)))
        return 0
    width = max(map(len, states))
    for name, (summary, state) in states.items():
        print(f"{name:{width}}  {summary}  ({state})")
    print(f"in {target}")
    return 0


def _print_wiring(options: argparse.Namespace) -> int:
    stack = _stack(options)
    layer = stack.layers[0]
    source = standing.announced(options.wiring, as_json=options.json)
    if options.json:
        wiring = Wiring(
            decoder=layer.decoder, channels=dict(layer.channels), options=dict(layer.options), **source.as_json()
        )
        print(plain_json.text(wiring))
    else:
        print(stack.words())
    return 0


def _stack(options: argparse.Namespace) -> Stack:
    absent = None
    roles = {"initiator": options.initiator, "responder": options.responder}
    if options.wiring.is_dir():
        opened = open_recording(options.wiring)
        bench, parameters = opened.known_bench, opened.recording.info.parameters
        if not any(roles.values()) and options.node is None:
            absent = _absent(opened)
        roles = {role: given or str(parameters.get(role, "")) for role, given in roles.items()}
    else:
        bench = benches.load(options.wiring)
    naming = _as_wired(bench) if options.analyzer_names else decoder_stacks.recorded
    if options.node is None:
        names = [*bench.nodes, ""]
        initiator = roles["initiator"] or next(name for name in names if name != roles["responder"])
        responder = roles["responder"] or next(name for name in names if name != initiator)
        if not responder:
            raise RigError(f"{options.wiring}: a timeline needs two nodes; the bench has only {initiator}.")
        return decoder_stacks.timeline(bench, initiator, responder, absent=absent, naming=naming)
    if options.node not in bench.nodes:
        raise RigError(f"--node {options.node}: the bench has {', '.join(bench.nodes)}.")
    stack = decoder_stacks.probe(bench, options.node, naming=naming)
    if stack is None:
        raise RigError(f"{options.wiring}: node {options.node} has no symbol bus.")
    return stack


def _as_wired(bench: Bench) -> Naming:
    return lambda node, line: bench.nodes[node].lines[line].rpartition(":")[2]


def _absent(opened: Opened) -> tuple[str, ...] | None:
    """The milestones that the report of a recording omits; None where it has no round trips."""
    lines = analyse(opened).timelines if opened.answered else None
    if lines is None:
        print("this recording has no round trips: packets are judged one by one.", file=sys.stderr)
        return None
    return lines.absent
