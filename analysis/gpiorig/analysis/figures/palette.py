"""The palette: a colour per kind of steps, in figures and on the page, light and dark, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from gpiorig.analysis.packets.path import Kind

MUTED = 0.65  # grey of the same luminance in the colours of kinds that are not stressed
_stressed: ContextVar[frozenset[Kind] | None] = ContextVar("stressed", default=None)


class KindColours(Mapping[Kind, str]):
    """A colour per kind of steps; within `stressing`, those of the other kinds are muted."""

    def __init__(self, colours: Mapping[Kind, str]) -> None:
        self.full = dict(colours)
        self.muted = {kind: muted(colour) for kind, colour in colours.items()}

    def __getitem__(self, kind: Kind) -> str:
        stressed = _stressed.get()
        return (self.full if stressed is None or kind in stressed else self.muted)[kind]

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.full)

    def __len__(self) -> int:
        return len(self.full)


@contextmanager
def stressing(kinds: frozenset[Kind]) -> Iterator[None]:
    """Within, the colours of these kinds are saturated, as those of the cause of the jitter, and no others."""
    before = _stressed.set(kinds)
    try:
        yield
    finally:
        _stressed.reset(before)


def muted(colour: str) -> str:
    """A colour with less of its hue and all of its luminance, so that its contrast to any other one stays."""
    linear = _linear(colour)
    grey = _luminance(colour)
    parts = [(1 - MUTED) * part + MUTED * grey for part in linear]
    # The inverse of sRGB's transfer function (IEC 61966-2-1).
    encoded = (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in parts)
    return "#" + "".join(f"{round(255 * part):02X}" for part in encoded)


def ink_on(colour: str) -> str:
    """The ink that is read best on a box of this colour: light or dark, by the contrast of WCAG 2.1 (1.4.3)."""
    return max((ON_DARK, ON_LIGHT), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours ``#rrggbb``, 1 to 21 (WCAG 2.1, relative luminance and contrast ratio)."""
    darker, lighter = sorted(_luminance(colour) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


# Okabe and Ito, "Color Universal Design" (2008): distinct for every kind of colour vision. The air has their yellow
# darkened: it is the longest step of most packets and the cause of little.
_COLOURS = {
    Kind.SOFTWARE: "#0072B2",
    Kind.MAC: "#6C3FB5",  # not one of the eight, which are all in use
    Kind.DRIVER: "#56B4E9",
    Kind.RADIO_WAIT: "#D55E00",
    Kind.RETRANSMISSION: "#B5176D",  # the eight are in use
    Kind.AIR: "#C9B800",
    Kind.UNDIVIDED: "#999999",
    Kind.FRAGMENTS: "#E69F00",
    Kind.INTERRUPT: "#CC79A7",
    Kind.APPLICATION: "#009E73",
}
# On a dark page; words on them keep their ink.
KIND_COLOURS = KindColours(_COLOURS)
DARK_KIND_COLOURS = KindColours(
    _COLOURS | {Kind.MAC: "#7E5FB0", Kind.RETRANSMISSION: "#C2307B", Kind.AIR: "#948700", Kind.DRIVER: "#4A9CCB"}
)
# Classes of the style sheet.
KIND_CLASSES = {kind: f"kind-{kind.value}" for kind in Kind}
# The kind of the steps that a layer takes part in.
LAYER_KINDS = {
    "app": Kind.APPLICATION,
    "mac": Kind.MAC,
    "driver": Kind.DRIVER,
    "isr": Kind.INTERRUPT,
    "radio": Kind.AIR,
}
INK = "#222222"
FAINT = "#6B6B6B"
GRID = "#DDDDDD"
SHADE = "#F3F3F3"
PAPER = "#FFFFFF"
WARNING = "#B03A00"
ON_DARK, ON_LIGHT = "#FEFEFE", "#0A0A0A"  # text on a coloured box: the same on a light and on a dark page
# Series that are not kinds of steps. All but the first and the last two: P. Tol, "Colour Schemes", SRON/EPS/TN/09-002
# (2021), "muted", of which no two are alike to any kind of colour vision.
SERIES = ("#6B7A8C", "#CC6677", "#999933", "#AA4499", "#44AA99", "#A57C52", "#7F8FD9")
FIRST, SECOND = SERIES[:2]  # one series, or two side by side
# On a page that may be dark these follow its own colours; every other colour is unchanged.
PAGE_COLOURS = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    GRID: "var(--grid)",
    SHADE: "var(--shade)",
    PAPER: "var(--page)",
    WARNING: "var(--warning)",
    "#000000": "var(--ink)",
    **{
        colour: f"var(--{KIND_CLASSES[kind]})"
        for colours in (KIND_COLOURS.full, KIND_COLOURS.muted)
        for kind, colour in colours.items()
    },
}


def layer_kind(layer: str) -> Kind:
    """The kind of the steps that a layer takes part in: what has none of its own is stack software."""
    return LAYER_KINDS.get(layer, Kind.SOFTWARE)
