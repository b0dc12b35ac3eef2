"""The blocks of a page: text, tables, pictures, packet viewers. The template renders these and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpiorig.analysis.figures import palette, style
from gpiorig.analysis.figures.packet_boxes import PacketView
from gpiorig.analysis.report.packet_columns import PacketColumns
from gpiorig.analysis.report.served_blocks import EdgesPanel, LiveTable, ServedRun
from gpiorig.analysis.report.step_table import StepTable


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, or a list when there are several; `look` is a class of the style sheet."""

    kind: ClassVar[str] = "text"
    lines: tuple[str, ...]
    look: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Parameters
    ----------
    caption
        What it shows.
    header
        One per column; one that begins with ``<`` heads a column of words, aligned left.
    rows
        The cells.
    note
        Explanation of its columns.
    narrow
        Whether it is a list of names and values rather than a wide table.
    wraps
        Whether its numbers may be on several lines, broken at blanks.
    look
        A class of the style sheet: ``dense`` for many rows of few words each.
    """

    kind: ClassVar[str] = "table"
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    narrow: bool = False
    wraps: bool = False
    look: str = ""


@dataclass(frozen=True, slots=True)
class Lead:
    """The packets to which the points of a figure lead.

    Parameters
    ----------
    packets
        Name of the picture of all packets.
    by
        What the horizontal axis has: ``start``, seconds since the sample `origin`, with the delay in ms above it; or
        ``delay``, in ms.
    origin
        A sample.
    """

    packets: str
    by: str
    origin: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure, with a title and a caption for readers who do not see it.

    Parameters
    ----------
    name
        Unique on the page, and the stem of its files.
    draw
        Function that draws it; called for the page, once more within `style.narrow`, and for files.
    title
        Its accessible name.
    caption
        How to read it.
    lead
        Where a click on a point of its first diagram leads.
    """

    kind: ClassVar[str] = "picture"
    name: str
    draw: Callable[[], Figure]
    title: str
    caption: str
    lead: Lead | None = None

    def drawn(self) -> Figure:
        """A new figure."""
        return self.draw()

    @property
    def diagram(self) -> Callable[[Axes], object] | None:
        """What it draws on the axes of its only diagram; None where it has several."""
        if not isinstance(self.draw, partial) or self.draw.func is not style.plate:
            return None
        diagram: Callable[[Axes], object] = self.draw.args[0]
        return diagram


@dataclass(frozen=True, slots=True)
class Viewer:
    """Packets to zoom into; `name` is unique on the page."""

    kind: ClassVar[str] = "viewer"
    name: str
    packets: tuple[PacketView, ...]

    @property
    def content(self) -> list[dict[str, Any]]:
        """The packets for the script of the page."""
        return [packet.as_dict() for packet in self.packets]

    @property
    def looks(self) -> frozenset[str]:
        """Names of the looks that its boxes have."""
        return frozenset(box.look for packet in self.packets for box in packet.boxes)


@dataclass(frozen=True, slots=True)
class Hero:
    """All packets, all steps, as a picture that leads to the viewer of the same name; `note` is on its colours."""

    kind: ClassVar[str] = "hero"
    name: str
    noun: str
    columns: PacketColumns | None  # None: the script asks for them
    legend: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Staircases:
    """All packets of several runs over each other on one axis of time.

    Parameters
    ----------
    runs
        Of each: the name of its `Hero`, which has the packets, the name of the run, and its delay as text.
    legend
        Class and text of each colour.
    """

    kind: ClassVar[str] = "staircases"
    runs: tuple[tuple[str, str, str], ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The look of boxes in a viewer: a class of the style sheet, and its colours on a light and on a dark page."""

    name: str
    colour: str
    dark_colour: str

    @property
    def ink(self) -> str:
        """The colour of words on it."""
        return palette.ink_on(self.colour)


@dataclass(frozen=True, slots=True)
class Links:
    """A list of pages or files: (text, address relative to the page), after what they are of."""

    kind: ClassVar[str] = "links"
    items: tuple[tuple[str, str], ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks folded away under a line."""

    kind: ClassVar[str] = "details"
    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Blocks side by side, below each other on a narrow screen; the second side is twice as wide."""

    kind: ClassVar[str] = "pair"
    left: tuple[Block, ...]
    right: tuple[Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Those of both sides."""
        return (*self.left, *self.right)


@dataclass(frozen=True, slots=True)
class Section:
    """A section with a place in the contents.

    Parameters
    ----------
    id
        Its anchor.
    title, blocks
        What it contains.
    line
        Its content in a line, under which it is folded; empty for one that is not folded.
    unfolded
        Whether it is open at first.
    served
        The run that it shows, on a page of several that is served.
    """

    kind: ClassVar[str] = "section"
    id: str
    title: str
    blocks: tuple[Block, ...]
    line: str = ""
    unfolded: bool = False
    served: ServedRun | None = None


Block = (
    Text
    | Heading
    | Table
    | StepTable
    | Picture
    | Hero
    | Staircases
    | Viewer
    | EdgesPanel
    | LiveTable
    | Links
    | Details
    | Pair
    | Section
)


def text(*lines: str, look: str = "") -> Text:
    """A paragraph, or a list."""
    return Text(lines, look)


def why_not(reason: str) -> Text:
    """The reason why a section has no data."""
    return Text((reason,), "why")


def pictures(blocks: Sequence[Block]) -> list[Picture]:
    """All pictures, in the order of the page."""
    collected: list[Picture] = []
    for block in blocks:
        if isinstance(block, Picture):
            collected.append(block)
        elif isinstance(block, (Details, Pair, Section)):
            collected += pictures(block.blocks)
    return collected


def headings_of(blocks: Sequence[Block], above: str = "") -> dict[str, str]:
    """The heading above each picture, by its name."""
    headings: dict[str, str] = {}
    for block in blocks:
        if isinstance(block, Heading):
            above = block.text
        elif isinstance(block, Picture):
            headings[block.name] = above
        elif isinstance(block, Pair):
            headings |= headings_of(block.blocks, above)
        elif isinstance(block, Details):
            headings |= headings_of(block.blocks, block.summary)
        elif isinstance(block, Section):
            headings |= headings_of(block.blocks, block.title)
    return headings
