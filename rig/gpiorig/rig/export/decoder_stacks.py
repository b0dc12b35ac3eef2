"""Decoder stacks of a recording: the sigrok decoders of the lines of a bench, for sigrok-cli and PulseView."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from gpiorig.analysis.packets.path import DIRECTIONS, MILESTONES
from gpiorig.analysis.traces import pulseview_session
from gpiorig.analysis.traces.pulseview_session import Layer, Stack
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import OTHER_LINES, Node
from gpiorig.rig.errors import BenchError

# The channels that the decoders in decoders/ declare; tests/decoders/test_decoders.py compares.
PROBE_CHANNELS = ("strobe", *(f"d{bit}" for bit in range(8)), *(f"span{place}" for place in range(4)))
TIMELINE_CHANNELS = tuple(f"ch{number}" for number in range(32))
# Channels of every decoder of a radio, in its order, and the line of a bench on each.
SPI_LINES = {"clk": "spi_clk", "mosi": "spi_mosi", "miso": "spi_miso", "cs": "tap.select"}

# Colours of the nodes, in the order of the bench; Okabe and Ito (2008), as in the figures.
NODE_COLOURS = ("#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#D55E00", "#999999")
TIMELINE_COLOUR = "#D55E00"

Naming = Callable[[str, str], str]


def recorded(node: str, line: str) -> str:
    """Name of a channel in a recording, and in what is exported from it."""
    return f"{node}.{line}"


def timeline(
    bench: Bench,
    initiator: str,
    responder: str,
    *,
    absent: Sequence[str] | None = None,
    lost_after_ms: int | None = None,
    naming: Naming = recorded,
) -> Stack:
    """Return the stack of `gpio_timeline` on all nodes of a bench.

    Parameters
    ----------
    bench
        The bench.
    initiator, responder
        Names of the nodes whose packets are followed.
    absent
        Milestones that the report omits (`Timelines.absent`); None: a packet is judged by those it has.
    lost_after_ms
        When an unanswered packet is lost; None: the decoder's default.
    naming
        (node, line) -> name of the channel.

    Raises
    ------
    BenchError
        The bench has no such node, or their lines are more than the decoder's channels.
    """
    for name in (initiator, responder):
        if name not in bench.nodes:
            raise BenchError(f"there is no node `{name}`; the bench has {', '.join(bench.nodes)}.")
    if initiator == responder:
        raise BenchError(f"`{initiator}` cannot be initiator and responder.")
    others = [name for name in bench.nodes if name not in (initiator, responder)]
    channels: dict[str, str] = {}
    texts = []
    for name in (initiator, responder, *others):
        lines = _probe_lines(bench.nodes[name])
        if len(channels) + len(lines) > len(TIMELINE_CHANNELS):
            if name in others:
                continue
            raise BenchError(
                f"{initiator} and {responder} have more than {len(TIMELINE_CHANNELS)} lines, which is what the decoder "
                "gpio_timeline takes."
            )
        places = {}
        for line in lines:
            places[line] = len(channels)
            channels[f"ch{len(channels)}"] = naming(name, line)
        texts.append(_node_text(name, bench, places))
    options: dict[str, str | int] = {"wiring": "+".join(texts)}
    if absent is not None:
        options["absent"] = absent_text(absent)
    if lost_after_ms is not None:
        options["lost_after_ms"] = lost_after_ms
    layer = Layer(decoder="gpio_timeline", declared=TIMELINE_CHANNELS, channels=channels, options=options)
    return Stack(name="packets", layers=(layer,), colour=TIMELINE_COLOUR)


def absent_text(absent: Collection[str]) -> str:
    """Milestones for the option ``absent``: one that both directions lack is named once."""
    known = {milestone.name for milestone in MILESTONES}
    words = []
    for name in absent:
        direction, _, short = name.partition(".")
        twin = f"{DIRECTIONS[direction == DIRECTIONS[0]]}.{short}"
        if twin in known and twin in absent:
            words.append(short)
        else:
            words.append(name)
    return "+".join(dict.fromkeys(words)) or "none"


def probe(bench: Bench, name: str, *, naming: Naming = recorded) -> Stack | None:
    """Return the stack of `gpio_probe` on a node; None if it has no symbol bus."""
    node = bench.nodes[name]
    if not node.has_bus:
        return None
    spans = [line for line in _probe_lines(node) if line not in {"strobe", *node.data_lines}][:4]
    channels = {line: naming(name, line) for line in ("strobe", *node.data_lines)}
    channels |= {f"span{place}": naming(name, line) for place, line in enumerate(spans)}
    options: dict[str, str | int] = {"width": node.width, "node_name": name, "frame_gap_ns": node.gap_ns}
    if settle := bench.settle_ns(name):
        options["settle_ns"] = settle
    options |= {f"span{place}_point": line for place, line in enumerate(spans)}
    layer = Layer(decoder="gpio_probe", declared=PROBE_CHANNELS, channels=channels, options=options)
    return Stack(name=name, layers=(layer,), colour=colour(bench, name))


def uart(bench: Bench, name: str, *, naming: Naming = recorded) -> Stack | None:
    """Return the stack of sigrok's `uart` on the serial output of a node; None if that is not wired."""
    node = bench.nodes[name]
    if "uart_tx" not in node.lines:
        return None
    layer = Layer(
        decoder="uart",
        declared=pulseview_session.UART_CHANNELS,
        channels={"rx": naming(name, "uart_tx")},
        options={"baudrate": node.bits_per_second, "format": "ascii"},
    )
    return Stack(name=f"{name} serial", layers=(layer,), colour=colour(bench, name))


def at_boards_rate(specification: str, bench: Bench) -> tuple[str, str]:
    """A stack as `-P` takes it, with the baud rate of its node's board unless it has one; and a note on the rate.

    The default of sigrok's `uart`, 115200, would give bytes that look like data from a board with another rate.
    """
    lowest, comma, above = specification.partition(",")
    decoder, *pairs = lowest.split(":")
    given = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    wired = {recorded(name, "uart_tx"): name for name, node in bench.nodes.items() if "uart_tx" in node.lines}
    name = next((wired[given[pin]] for pin in pulseview_session.UART_CHANNELS if given.get(pin) in wired), None)
    if decoder != "uart" or name is None:
        return specification, ""
    node = bench.nodes[name]
    rate = node.bits_per_second
    whose = f"of {name} in its bench file" if node.baudrate else f"of {name}'s board, {node.board_name}"
    if "baudrate" not in given:
        return f"{lowest}:baudrate={rate}{comma}{above}", f"uart at {rate} baud, the rate {whose}"
    if given["baudrate"] != str(rate):
        return specification, f"uart at {given['baudrate']} baud, as given; the rate {whose}, is {rate}"
    return specification, ""


def radio(bench: Bench, name: str, *, naming: Naming = recorded) -> Stack | None:
    """Return the stack of a radio's decoder, and of its frames, on its SPI bus; None if that is not wired."""
    node = bench.nodes[name]
    radio = node.described_board.radio
    if radio.decoder is None or not set(SPI_LINES.values()) <= node.lines.keys():
        return None
    lines = SPI_LINES | {pin: line for pin, line in radio.decoder_pins.items() if line in node.lines}
    layer = Layer(
        decoder=radio.decoder,
        declared=(*SPI_LINES, *radio.decoder_pins),
        channels={channel: naming(name, line) for channel, line in lines.items()},
    )
    frames = Layer(decoder="ieee802154", options={"packet_id": "yes"})
    return Stack(name=f"{name} radio", layers=(layer, frames), colour=colour(bench, name))


def colour(bench: Bench, name: str) -> str:
    """Colour of a node."""
    return NODE_COLOURS[list(bench.nodes).index(name) % len(NODE_COLOURS)]


def _probe_lines(node: Node) -> list[str]:
    """Lines of the symbol bus, then the spans, in the order of the bench file."""
    bus = ("strobe", *node.data_lines)
    wired = [line for line in bus if line in node.lines]
    return wired + [line for line in node.lines if line not in bus and line not in OTHER_LINES]


def _node_text(name: str, bench: Bench, places: dict[str, int]) -> str:
    board = bench.nodes[name].described_board
    fields = [f"{line}@{place}" for line, place in places.items()]
    fields += [f"gap@{bench.nodes[name].gap_ns}", f"header@{board.radio.frame_timestamp_ns}"]
    if settle := bench.settle_ns(name):
        fields.append(f"settle@{settle}")
    return "/".join([name, *fields])
