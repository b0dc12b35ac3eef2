"""The wiring of a bench as drawings: a page of A4 for each analyzer, black on white, to print and to wire by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gpiorig.rig.bench import drivers
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.node import Node

WIDTH, HEIGHT = 210, 297  # mm, A4
# A proposal, by the number of a channel: the colours of resistors without black, which is ground.
COLOURS = ("brown", "red", "orange", "yellow", "green", "blue", "violet", "grey")
_LEFT, _PINS, _BOARD_END, _ANALYZER = 12.0, 54.0, 108.0, 172.0  # edges of the boxes, and their pins, mm
_TOP, _ROW, _MOST_ROW, _NOTES = 30.0, 4.6, 8.0, 52.0  # the notes take this much at the foot of a page
_STYLE = (
    "text{font-family:'DejaVu Sans',Arial,sans-serif;font-size:3.1px;fill:#000}"
    ".head{font-size:5px;font-weight:bold}.title{font-size:3.6px;font-weight:bold}.small{font-size:2.7px}"
    ".box,.wire,.part{fill:none;stroke:#000;stroke-width:.35}.part{fill:#fff}.ground{stroke-width:.8}"
    ".dot{fill:#000}.end{text-anchor:end}.middle{text-anchor:middle}"
)


@dataclass(frozen=True, slots=True)
class Wire:
    """A lead: the line with its pin and where that is, the channel, and the colour."""

    line: str
    pin: str
    header: str
    channel: str
    colour: str

    @property
    def is_ground(self) -> bool:
        """Whether it is the ground of a board."""
        return self.channel == "GND"


def pages(bench: Bench, images: Mapping[str, str]) -> dict[str, str]:
    """The SVG of each analyzer, by its name; `images`: the commands that build them, as `recipe.images` has them."""
    return {name: _page(bench, name, images) for name in bench.analyzers}


def wires(bench: Bench, analyzer: str) -> dict[str, list[Wire]]:
    """The leads of each node that has lines on an analyzer, its ground first, then by channel."""
    facts = drivers.known(str(bench.analyzers[analyzer].driver))
    order = facts.channels if facts else ()
    leads: dict[str, list[Wire]] = {}
    for name, node in bench.nodes.items():
        board = node.described_board
        here = [
            (channel, line)
            for line, place in node.lines.items()
            for owner, channel in [bench.place(place)]
            if owner == analyzer
        ]
        if not here:
            continue
        here.sort(key=lambda pair: order.index(pair[0]) if pair[0] in order else 0)
        leads[name] = [Wire("ground", "GND", board.headers.get("ground", ""), "GND", "black")]
        for channel, line in here:
            number = order.index(channel) if channel in order else 0
            colour = COLOURS[number % len(COLOURS)]
            leads[name].append(Wire(line, board.pins.get(line, "?"), board.headers.get(line, ""), channel, colour))
    return leads


def _page(bench: Bench, analyzer: str, images: Mapping[str, str]) -> str:
    leads = wires(bench, analyzer)
    sync = bench.analyzers[analyzer].sync
    rows = sum(map(len, leads.values())) + bool(sync)
    gaps = len(leads) + bool(sync)
    row = min(_MOST_ROW, (HEIGHT - _TOP - _NOTES - 9.0 * gaps) / rows)
    body: list[str] = []
    y = _TOP
    top = y
    for name, node_leads in leads.items():
        body += _board(name, bench.nodes[name], node_leads, y, row)
        y += 9.0 + row * len(node_leads)
    if sync:
        body += _sync(sync, y, row)
        y += 9.0 + row
    body += _analyzer(bench, analyzer, top, y - 3.0)
    body += _notes(bench, analyzer, images, y + 4.0)
    heading = f"{bench.name} ({analyzer})" if len(bench.analyzers) > 1 else bench.name
    return _svg(heading, body)


def _svg(heading: str, body: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}mm" height="{HEIGHT}mm" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}"><title>{escape(heading)}</title><style>{_STYLE}</style>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    )
    lines = [head, _text(_LEFT, 15, heading, "head"), _text(_LEFT, 21, "Wiring, by gpiorig bench plan", "small")]
    return "\n".join([*lines, *body, "</svg>"]) + "\n"


def _board(name: str, node: Node, leads: Sequence[Wire], y: float, row: float) -> Iterator[str]:
    """The box of a board, a row for each lead: line, header, pin; its wires to the analyzer."""
    height = 6.0 + row * len(leads)
    yield _box(_LEFT, y, _BOARD_END - _LEFT, height)
    board = node.described_board
    bus = f", bus of {node.width}" if node.has_bus else ""
    yield _text(_LEFT + 2, y + 4.2, f"{name}: {board.name}, {board.supply_v:g} V{bus}", "title")
    for index, lead in enumerate(leads):
        at = y + 6.0 + row * (index + 0.5)
        yield _text(_LEFT + 2, at + 1, lead.line)
        yield _text(_PINS, at + 1, lead.pin)
        yield _text(_BOARD_END - 3, at + 1, lead.header, "end" if len(lead.header) < 22 else "end small")
        yield from _wire(lead, at)


def _wire(lead: Wire, y: float) -> Iterator[str]:
    """From the board's edge to the analyzer's, with the resistor at the board's end, and its colour."""
    kind = "wire ground" if lead.is_ground else "wire"
    yield f'<path class="{kind}" d="M{_BOARD_END} {y:.2f}H{_ANALYZER}"/>'
    yield f'<circle class="dot" cx="{_BOARD_END}" cy="{y:.2f}" r=".9"/>'
    yield f'<circle class="dot" cx="{_ANALYZER}" cy="{y:.2f}" r=".9"/>'
    if not lead.is_ground:
        yield f'<rect class="part" x="{_BOARD_END + 6}" y="{y - 1.7:.2f}" width="12" height="3.4"/>'
        yield _text(_BOARD_END + 12, y + 0.95, "1 kΩ" if lead.line == "sync" else "330 Ω", "small middle")
    if lead.line == "strobe":
        yield f'<circle class="dot" cx="{_BOARD_END + 22}" cy="{y:.2f}" r=".6"/>'
        yield _text(_BOARD_END + 20, y - 1, "10 kΩ to GND", "small")
    yield _text(_ANALYZER - 4, y - 1, lead.colour, "small end")
    yield _text(_ANALYZER + 3, y + 1, lead.channel, "title")


def _sync(channel: str, y: float, row: float) -> Iterator[str]:
    """The lead of the sync line, which all analyzers share."""
    yield _box(_LEFT, y, _BOARD_END - _LEFT, 6.0 + row)
    yield _text(_LEFT + 2, y + 4.2, "sync line, of all analyzers", "title")
    yield _text(_LEFT + 2, y + 7.0 + row / 2, "docs/reference/sync-line.md")
    yield from _wire(Wire("sync", "", "", channel, "white"), y + 6.0 + row / 2)


def _analyzer(bench: Bench, analyzer: str, top: float, end: float) -> Iterator[str]:
    given = bench.analyzers[analyzer]
    facts = drivers.known(str(given.driver))
    yield _box(_ANALYZER, top, WIDTH - _LEFT - _ANALYZER, end - top)
    yield _text(WIDTH - _LEFT, top - 5, facts.name if facts else str(given.driver), "title end")
    yield _text(WIDTH - _LEFT, top - 1.2, f"{given.samplerate_hz / 1e6:g} MHz", "small end")


def _notes(bench: Bench, analyzer: str, images: Mapping[str, str], y: float) -> Iterator[str]:
    facts = drivers.known(str(bench.analyzers[analyzer].driver))
    notes = [
        "Join the grounds of boards, analyzer and host first. Connect the analyzer last, disconnect it first.",
        "Wires of equal length, 20 cm; 330 Ω at the board's end of each; 10 kΩ from each strobe to ground.",
        "Colours are a proposal; cross out what you used. Positions on headers: hardware-bom.md has their sources.",
        "Measure a line's high level before you connect it: no input stands more than its analyzer states.",
    ]
    if facts:
        notes.append(f"Threshold of the analyzer: {facts.threshold}.")
    notes += [f"Image of {names}: {command}" for names, command in images.items()]
    for note in notes:
        for line in _folded(note):
            yield _text(_LEFT, y, line, "small")
            y += 3.6
        y += 1.4


def _folded(text: str, width: int = 100) -> list[str]:
    """A note on lines of a page's width."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="box" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.2f}" y="{y:.2f}"{name}>{escape(text)}</text>'
