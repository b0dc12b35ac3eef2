"""Figures within a page: SVG elements in its colours, with unique ids, a title and a description."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from io import FileIO

from markupsafe import Markup, escape
from matplotlib.figure import Figure

from gpiorig.analysis import forked
from gpiorig.analysis.figures import narrow, palette, style
from gpiorig.analysis.number_text import for_page
from gpiorig.analysis.report.blocks import Picture

MIN_PX_PER_INCH = 84  # a smaller figure scrolls, its letters would be too small to read
MIN_TO_FORK = 4  # pictures: for fewer a second process costs more than it saves
DRAWN_S = 60.0  # for the figure that a second process still draws: a figure takes below a second
_NUMBER_BYTES = 4
_COLOURS = {key.lower(): value for key, value in palette.PAGE_COLOURS.items()}


def svgs(pictures: Sequence[Picture], headings: Mapping[str, str]) -> dict[str, Markup]:
    """The elements of every picture, by its name; a second process draws half of them where that is safe.

    A title that repeats the heading above a picture, which `headings` has by its name, is omitted.

    A fork keeps the imported modules and copies no array. It is safe without threads that work, which excludes daemons
    such as the monitor of tqdm, and in the main thread. A worker of a batch has one processor: there it is of no use.
    """
    working = sum(not thread.daemon for thread in threading.enumerate())
    alone = working == 1 and threading.current_thread() is threading.main_thread()
    alone = alone and multiprocessing.parent_process() is None
    elements: dict[str, str] = {}
    if len(pictures) >= MIN_TO_FORK and sys.platform == "linux" and alone:
        elements = _drawn_by_two(pictures, headings)
    # Here those that a process which has failed did not draw, too, with the error if there is one.
    return {
        picture.name: Markup(elements[picture.name])  # escaped by `svg`
        if picture.name in elements
        else svg(picture, headings.get(picture.name, ""))
        for picture in pictures
    }


def _drawn_by_two(pictures: Sequence[Picture], headings: Mapping[str, str]) -> dict[str, str]:
    """Elements by name, of this process and of a second one; those of the second are missing if it has failed."""
    with (
        _numbers(len(pictures)) as numbers,
        forked.running(lambda sender: sender.send(_draw_next(numbers, pictures, headings))) as receiver,
    ):
        elements = _draw_next(numbers, pictures, headings)
        with contextlib.suppress(EOFError, OSError):
            if receiver.poll(DRAWN_S):
                elements |= receiver.recv()
    return elements


def _numbers(count: int) -> FileIO:
    """A pipe with the numbers below `count`: each is read once, whichever process reads it, and whichever is killed."""
    reader, writer = os.pipe()
    with FileIO(writer, "wb") as file:
        file.write(b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in range(count)))
    return FileIO(reader, "rb")


def _draw_next(numbers: FileIO, pictures: Sequence[Picture], headings: Mapping[str, str]) -> dict[str, str]:
    """Draw one picture after the other that no other process has taken."""
    elements: dict[str, str] = {}
    while number := numbers.read(_NUMBER_BYTES):
        picture = pictures[int.from_bytes(number, "little")]
        elements[picture.name] = str(svg(picture, headings.get(picture.name, "")))
    return elements


def svg(picture: Picture, heading: str = "") -> Markup:
    """The elements of a picture: its title as text, the figure, and the figure for a narrow screen.

    Colours of ink and paper become those of the page, so that the figure is readable on a dark one too; its size is
    left to the page.
    """
    figure = picture.drawn()
    title = style.take_title(figure)
    wide = _element(picture, figure, "wide")
    with style.narrow(), style.paper():
        figure = picture.drawn()
        style.take_title(figure)
        narrow.fit(figure)
        slim = _element(picture, figure, "narrow")
    repeated = " ".join(title.split()).rstrip(".") == " ".join(heading.split()).rstrip(".")
    words = Markup("") if repeated else Markup('<p class="figure-title">{}</p>').format(for_page(title))
    return words + wide + slim


def _element(picture: Picture, figure: Figure, look: str) -> Markup:
    """One svg element; the class `look` tells the style sheet when to show it."""
    name = picture.name if look == "wide" else f"{picture.name}-{look}"
    text = style.svg(figure, outlines=False)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(
        r"<style.*?</style>", "", text, flags=re.DOTALL
    )  # it would apply to the complete page; style.css has it
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda match: _COLOURS.get(match[0], match[0]), text)
    text = re.sub(r"font-family: 'DejaVu Sans'; | transform=\"rotate\(-0 [^\"]*\"", "", text)  # the page has the font
    text = re.sub(r'\bd="[^"]*"', lambda match: re.sub(r"(\.\d\d)\d+", r"\1", match[0]), text)  # hundredths of a point
    text = re.sub(r">([^<>]+)</text>", lambda match: for_page(match[0]), text)
    head, _, rest = text.partition(">")
    width = round(figure.get_figwidth() * MIN_PX_PER_INCH) if look == "wide" else 0
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    head += f' class="{look}" style="--least: {width}px"{_lead(picture, figure)}'
    names = f"{name}-title {name}-desc"
    words = f'<title id="{name}-title">{escape(picture.title)}</title>'
    words += f'<desc id="{name}-desc">{escape(picture.caption)}</desc>'
    # The matched and inserted markup is ours or matplotlib's; the words are escaped.
    return Markup(f'{head} role="img" aria-labelledby="{names}">{words}{rest}')


def _lead(picture: Picture, figure: Figure) -> str:
    """Attributes by which the script of the page finds the packet at a point: the diagram's place and its limits."""
    if picture.lead is None or not figure.axes:
        return ""
    axes, lead = figure.axes[0], picture.lead
    place = " ".join(f"{end:.6g}" for end in axes.get_position(original=True).extents)
    limits = " ".join(f"{end:.9g}" for end in (*axes.get_xlim(), *axes.get_ylim()))
    return (
        f' data-packets="{escape(lead.packets)}" data-by="{lead.by}" data-origin="{lead.origin}"'
        f' data-place="{place}" data-limits="{limits}"'
    )
