"""A bench file for what a scan has found: boards that answered, on the channels of an analyzer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from gpiorig.capture.sigrok.analyzer import Analyzer as SigrokAnalyzer
from gpiorig.rig.bench import boards, drivers, symbols, virtual_ids, written
from gpiorig.rig.bench.analyzer import Analyzer
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.drivers import Driver
from gpiorig.rig.bench.node import Node
from gpiorig.rig.host.identify import Answer
from gpiorig.rig.host.ports import Port
from gpiorig.rig.host.scan import Scan

# Lines beyond the symbol bus that are worth a channel, the most useful first.
_MORE = ("tap.irq", "tap.frame_timestamp", "uart_tx")
_RATE_HZ = 24_000_000  # of a bench, if its analyzer takes it (docs/reference/bench-files.md)
_NAMES = ("initiator", "responder")  # the nodes of most experiments

_NONE = SigrokAnalyzer(
    "fx2lafw", "no analyzer was found; this is an FX2 clone with 8 channels", tuple(f"D{n}" for n in range(8))
)
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
    analyzer = max(scan.analyzers, key=lambda one: len(one.channels), default=_NONE)
    kinds = [boards.load(str(answer.board)) for _, answer in answered]
    names = [_NAMES[index] if index < len(_NAMES) else f"node{index + 1}" for index in range(len(kinds))]
    lines, rate_hz = wiring(analyzer, kinds)
    nodes = {
        name: Node(
            board=kind.name,
            lines=wires,
            serial=port.name,
            debug=scan.debug_of(port),
            baudrate=None if answer.baudrate == kind.baudrate else answer.baudrate,
        )
        for name, kind, wires, (port, answer) in zip(names, kinds, lines, answered, strict=True)
    }
    known = drivers.known(analyzer.driver)
    instrument = Analyzer(rate_hz, driver=analyzer.driver, config=known.needs if known else {})
    simulated = any(virtual_ids.of_answer(answer.pairs or {}) for _, answer in answered)
    bench = Bench("my bench", {"la": instrument}, nodes, simulated=simulated or msgspec.UNSET)
    head = [
        "# Made by `gpiorig bench scan`. The channels are a proposal: wire the boards like this, or write how they are."
    ]
    head += [f"# analyzer: {one.description}, {len(one.channels)} channels" for one in scan.analyzers or [analyzer]]
    for name, (port, answer) in zip(names, answered, strict=True):
        head.append(f"# {name}: {_board(port, answer)}")
    head += [f"# {port.device}: {_silence(answer)}" for port, answer in scan.ports if (port, answer) not in answered]
    head += [f"# {trouble}" for trouble in scan.troubles]
    head += [
        f"# {name} lacks channels for its symbol bus" for name, wires in zip(names, lines, strict=True) if not wires
    ]
    return "\n".join(head) + "\n" + written.text(bench) + ("" if nodes else _NO_BOARD)


def wiring(analyzer: SigrokAnalyzer, kinds: Sequence[Board]) -> tuple[list[dict[str, str]], int]:
    """Channels for the lines of each board, and the samplerate: as many lines as the analyzer takes at that rate."""
    wanted = [(index, line) for index, kind in enumerate(kinds) for line in ("strobe", *kind.data_lines)]
    bus = len(wanted)
    wanted += [(index, line) for line in _MORE for index, kind in enumerate(kinds) if line in kind.pins]
    known = drivers.known(analyzer.driver)
    rate_hz = _rate(known, analyzer.channels[:bus], kinds)
    count = min(len(wanted), len(analyzer.channels))
    while known and count > bus and known.refusal(analyzer.channels[:count], rate_hz):
        count -= 1
    lines: list[dict[str, str]] = [{} for _ in kinds]
    for (index, line), channel in zip(wanted[:count], analyzer.channels, strict=False):
        lines[index][line] = channel
    return [wires if kind.data_lines[-1] in wires else {} for wires, kind in zip(lines, kinds, strict=True)], rate_hz


def _rate(known: Driver | None, bus: Sequence[str], kinds: Sequence[Board]) -> int:
    """24 MHz or the next rate above it, if the analyzer takes the boards' buses at that; else the least for them."""
    least_hz = max((-(-symbols.MIN_SAMPLES * 1_000_000_000 // kind.symbol_ns) for kind in kinds), default=_RATE_HZ)
    if known is None:
        return max(least_hz, _RATE_HZ)
    last = len(known.rates) - 1  # the fastest, where that is too slow
    places = [min(bisect_left(known.rates, wanted), last) for wanted in (max(least_hz, _RATE_HZ), least_hz)]
    rates = [known.rates[place] for place in places]
    return next((rate for rate in rates if not known.refusal(bus, rate)), rates[0])


def _board(port: Port, answer: Answer) -> str:
    pairs = answer.pairs or {}
    facts = [f"{key} {pairs[key]}" for key in ("uid", "firmware", "kernel", "probes") if key in pairs]
    where = f", {port.usb.name} ({port.usb.ids}) at USB path {port.usb.path}" if port.usb else ""
    return f"{answer.board} at {port.device}{where}, {', '.join(facts)}"


def _silence(answer: Answer) -> str:
    """Why a port has no node."""
    return answer.reason or f"answers as board {answer.board}, which no file describes"
