"""`gpiorig bench verify` on virtual boards in this process, without sigrok-cli and ptys."""

from __future__ import annotations

import contextlib
from pathlib import Path

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.experiments import images
from gpiorig.rig.run import captures, conclusion
from gpiorig.rig.verify import identity, judgement, verification
from gpiorig.vbench.boards.world import World
from gpiorig.vbench.ends.pace import FastPace
from gpiorig.vbench.serving.direct import SLICE_PS, DirectAnalyzer, DirectPort
from gpiorig.vbench.serving.server import TAIL_PS

ANALYZER = Analyzer("direct:la", "virtual analyzer", BEAGLELOGIC_CHANNELS)


def verified(folder: Path, text: str) -> list[Finding]:
    """The verdicts on the bench of this text, which has one analyzer."""
    file = folder / "bench.toml"
    file.write_text(text)
    bench = benches.load(file)
    (name,) = bench.analyzers
    sources = {name: captures.source(bench, name, ANALYZER)}
    info = captures.describe(bench, file, sources=sources, virtual_stamps=True, firmware={}, parameters={})
    recording = Recording.create(folder / "verified", info)
    asked: dict[str, judgement.Window] = {}
    identities: dict[str, identity.Identity] = {}
    with contextlib.ExitStack() as stack:
        world = World(bench, firmware=images.images(bench, bench_file=file), modelled_reader=True)
        stack.callback(world.boards.close)
        analyzer = stack.enter_context(DirectAnalyzer(world, name, sources[name], recording))
        ports: list[DirectPort] = []
        pace = FastPace(world.boards, ports, [analyzer], slice_ps=SLICE_PS)
        for node, board in world.index.items():
            port = DirectPort(node, world.boards, board, pace, recording.serial_path(node))
            ports.append(stack.enter_context(port))
        for port in ports:
            identities[port.node] = identity.ask(port)
            start = _settled(world, pace)
            if identities[port.node].answers:
                verification.show(bench, port.node, port, "prove", lambda text: None)
            asked[port.node] = (start, _settled(world, pace))
    recording = conclusion.conclude(bench, {name: recording}, {name: analyzer.result}, recording)
    silent = {node for node, board in identities.items() if not board.answers}
    judged = judgement.judge(bench, recording.edges(), asked, silent)
    return [*identity.findings(bench, identities, {}), *judged.findings]


def _settled(world: World, pace: FastPace) -> int:
    """Let what is under way end; returns the sample that is next."""
    until_ps = world.boards.now_ps + TAIL_PS
    while not pace.settled(until_ps):
        pace.turn()
    return world.boards.handed_out(0)
