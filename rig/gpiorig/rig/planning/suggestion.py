"""A bench file for what a scan has found: boards that answered, wired to an analyzer as by `gpiorig bench plan`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import msgspec

from gpiorig.capture.sigrok.analyzer import Analyzer as SigrokAnalyzer
from gpiorig.rig.bench import boards, virtual_ids, written
from gpiorig.rig.bench.analyzer import Analyzer
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.node import Node
from gpiorig.rig.host.identify import Answer
from gpiorig.rig.host.ports import Port
from gpiorig.rig.host.scan import Scan
from gpiorig.rig.planning import candidates, models, rates, request
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.request import Request

_NONE = SigrokAnalyzer("fx2lafw", "no analyzer was found; this is an FX2 clone", tuple(f"D{n}" for n in range(8)))
_UNFOUND = """\
# Found are analyzers on the USB, and ports that the kernel lists. Name others: an analyzer in the network, or of a
# virtual bench that is served, by --analyzer DRIVER, its ports by --port PORT.
"""
_NO_BOARD = """
# No board answered. A node, to be completed:
# [nodes.initiator]
# board = "iotlab-m3"
# serial = "/dev/ttyUSB1"
# lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
"""


def text(scan: Scan) -> str:
    """The bench file, with what was found as comments; ready to be edited."""
    answered = [(port, answer) for port, answer in scan.ports if answer.board in boards.names()]
    analyzer = max(scan.analyzers, key=lambda connected: len(connected.channels), default=_NONE)
    names = request.names_of(len(answered))
    kinds = {name: boards.load(str(answer.board)) for name, (_, answer) in zip(names, answered, strict=True)}
    instrument, wired, reasons = wiring(analyzer, kinds)
    nodes = {
        name: msgspec.structs.replace(
            wired.get(name, Node(board=kinds[name].name)),
            serial=port.name,
            debug=scan.debug_of(port),
            baudrate=None if answer.baudrate == kinds[name].baudrate else answer.baudrate,
        )
        for name, (port, answer) in zip(names, answered, strict=True)
    }
    simulated = any(virtual_ids.of_answer(answer.pairs or {}) for _, answer in answered)
    bench = Bench("my bench", {"la": instrument}, nodes, simulated=simulated or msgspec.UNSET)
    head = [
        "# Made by `gpiorig bench scan`. The channels are a proposal, as of `gpiorig bench plan`: wire the boards like",
        "# this, with images of this `bus_width`, or write how they are.",
    ]
    head += [
        f"# analyzer: {connected.description}, {len(connected.channels)} channels"
        for connected in scan.analyzers or [analyzer]
    ]
    for name, (port, answer) in zip(names, answered, strict=True):
        head.append(f"# {name}: {_board(port, answer)}")
    head += [f"# {port.device}: {_silence(answer)}" for port, answer in scan.ports if (port, answer) not in answered]
    head += [f"# {trouble}" for trouble in scan.troubles]
    head += [f"# {name} is not wired: {'; '.join(reasons)}" for name in nodes if name not in wired]
    unfound = "" if scan.analyzers and nodes else _UNFOUND
    return "\n".join(head) + "\n" + unfound + written.text(bench) + ("" if nodes else _NO_BOARD)


def wiring(analyzer: SigrokAnalyzer, kinds: Mapping[str, Board]) -> tuple[Analyzer, dict[str, Node], Sequence[str]]:
    """The analyzer's settings, and nodes on its channels: all of them, or the first of them that it does.

    Last is why it does not do it with one node more.
    """
    model = models.of_channels(analyzer.driver, analyzer.channels)
    names, refused = list(kinds), Candidate(model, None)
    for count in range(len(names), 0, -1):
        some = {name: kinds[name] for name in names[:count]}
        asked = Request(
            nodes={name: board.name for name, board in some.items()},
            boards=some,
            lines=request.lines_of(None, some),
        )
        candidate = candidates.of(asked, model, most=1)
        if candidate.bench is not None:
            (settings,) = candidate.bench.analyzers.values()
            return msgspec.structs.replace(settings, driver=analyzer.driver), candidate.bench.nodes, refused.reasons
        refused = candidate
    supported = model.described.rates
    rate_hz = supported[min(bisect_left(supported, rates.USUAL_HZ), len(supported) - 1)]
    return Analyzer(rate_hz, driver=analyzer.driver, config=model.described.needs or None), {}, refused.reasons


def _board(port: Port, answer: Answer) -> str:
    pairs = answer.pairs or {}
    facts = [f"{key} {pairs[key]}" for key in ("uid", "firmware", "kernel", "probes") if key in pairs]
    place = f", {port.usb.name} ({port.usb.ids}) at USB path {port.usb.path}" if port.usb else ""
    return f"{answer.board} at {port.device}{place}, {', '.join(facts)}"


def _silence(answer: Answer) -> str:
    """Why a port has no node."""
    return answer.reason or f"answers as board {answer.board}, which no file describes"
