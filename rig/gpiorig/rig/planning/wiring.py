"""The bench of a request with a model of analyzer: which line is on which channel, as a bench file has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gpiorig.rig.bench import boards, symbols
from gpiorig.rig.bench.analyzer import Analyzer
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import Node
from gpiorig.rig.host.scan import FT2232H
from gpiorig.rig.planning.models import Model
from gpiorig.rig.planning.request import Request

_FTDI = "0403:"  # vendor; the ports of its chips are ttyUSB, those of a CDC ACM device ttyACM (Linux, drivers/usb)


def channels_needed(request: Request, nodes: Sequence[str], *, widest: int, has_sync: bool) -> int:
    """The channels that these nodes take on one analyzer."""
    return sum(len(lines(request, node, widest)) for node in nodes) + has_sync


def lines(request: Request, node: str, widest: int) -> tuple[str, ...]:
    """The lines of a node in the order of their channels: its bus, then what else is asked for."""
    width = request.width_of(node, widest)
    bus = ("strobe", *boards.data_lines(width)) if width else ()
    return (*bus, *request.lines[node])


def parts(request: Request, count: int) -> list[list[str]]:
    """The nodes on each of `count` analyzers, in order, as evenly as can be."""
    names = list(request.nodes)
    bounds = [index * len(names) // count for index in range(count + 1)]
    return [names[begin:end] for begin, end in pairwise(bounds)]


def bench(request: Request, model: Model, *, count: int, widest: int, samplerate_hz: int) -> Bench | None:
    """The bench with `count` analyzers of the model; None where they have too few channels."""
    has_sync = request.has_sync or count > 1
    ports = dict(zip(request.nodes, _ports(request), strict=True))
    analyzers, nodes = {}, {}
    config = {**model.described.levels, **model.described.needs} or None
    for number, names in enumerate(parts(request, count)):
        if channels_needed(request, names, widest=widest, has_sync=has_sync) > len(model.channels):
            return None
        analyzer = "la" if count == 1 else f"la{number + 1}"
        prefix = "" if count == 1 else f"{analyzer}:"
        free = iter(model.channels)
        for name in names:
            wires = {line: prefix + next(free) for line in lines(request, name, widest)}
            nodes[name] = _node(request, name, wires, widest, samplerate_hz, ports[name])
        sync = next(free) if has_sync else None
        driver = model.connection(number, count)
        analyzers[analyzer] = Analyzer(samplerate_hz, driver=driver, sync=sync, config=config)
    return Bench(title(request, model, count), analyzers, nodes)


def title(request: Request, model: Model, count: int) -> str:
    """The bench in a few words: ``2 nrf52840dk, FX2 boards with 8 channels``."""
    kinds = [*request.nodes.values()]
    counted = [f"{kinds.count(kind)} {kind}" if kinds.count(kind) > 1 else kind for kind in dict.fromkeys(kinds)]
    number = f"{count} " if count > 1 else ""
    return f"{', '.join(counted)}; {number}{model.described.name} with {len(model.channels)} channels"


def _node(request: Request, name: str, wires: dict[str, str], widest: int, samplerate_hz: int, port: str) -> Node:
    """A node; its symbols are held for longer than by default where the samplerate asks for it."""
    board, width = request.boards[name], request.width_of(name, widest)
    hold_ns = None
    if width:
        least_ns = symbols.least_hold_ns(samplerate_hz)
        if least_ns > board.bus(width).symbol_ns and board.min_hold_ns is not None:
            hold_ns = max(least_ns, board.min_hold_ns)
    return Node(
        board=request.nodes[name],
        lines=wires,
        serial=port,
        bus_width=width if width not in (0, board.bus_width) else None,  # type: ignore[arg-type]
        symbol_ns=hold_ns,
    )


def _ports(request: Request) -> Iterator[str]:
    """Ports as Linux names them where nothing else is plugged in, to be replaced; of an FT2232H the second of two."""
    usb, acm = 0, 0
    for board in request.boards.values():
        ids = board.flash.usb_ids if board.flash else ()
        if ids and not ids[0].startswith(_FTDI):
            yield f"/dev/ttyACM{acm}"
            acm += 1
        else:
            usb += FT2232H in ids
            yield f"/dev/ttyUSB{usb}"
            usb += 1
