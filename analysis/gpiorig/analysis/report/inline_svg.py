"""Figures within a page: SVG elements that follow its colours, whose ids are unique and whose words are told."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from gpiorig.analysis.figures import style
from gpiorig.analysis.report.blocks import Picture

LEAST_PX_PER_INCH = 84  # a figure that has less scrolls: its letters would be too small to read
_COLOURS = {key.lower(): value for key, value in style.PAGE_COLOURS.items()}


def svg(picture: Picture) -> Markup:
    """The svg element of a picture.

    Colours of ink and paper become those of the page, so that the figure is readable on a dark one too; its size is
    left to the page.
    """
    text = style.svg(picture.figure, outlines=False)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # it would be of the whole page; style.css has it
    text = re.sub(r'\bid="([^"]+)"', rf'id="{picture.name}-\1"', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{picture.name}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda match: _COLOURS.get(match[0], match[0]), text)
    head, _, rest = text.partition(">")
    width = round(picture.figure.get_figwidth() * LEAST_PX_PER_INCH)
    head = re.sub(r' (width|height)="[^"]*"', "", head) + f' style="--least: {width}px"'
    names = f"{picture.name}-title {picture.name}-desc"
    words = f'<title id="{picture.name}-title">{escape(picture.title)}</title>'
    words += f'<desc id="{picture.name}-desc">{escape(picture.caption)}</desc>'
    # What was matched and put in is ours or matplotlib's; the words are escaped.
    return Markup(f'{head} role="img" aria-labelledby="{names}">{words}{rest}')
