"""Study files: what is varied, repeated, shown, and compared with published values (docs/reference/studies.md)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gpiorig.studies.pages.description import Published, Show, Value


class BenchAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bench that a study asks for.

    Parameters
    ----------
    template
        Board of all nodes; `boards` names those of single nodes.
    nodes
        Names of the nodes.
    lines
        Lines of each node: ``bus`` is the strobe with all data lines; others as in a bench file, such as ``tap.irq``.
    samplerate_hz
        Of each analyzer.
    file
        A bench file in place of all this.
    topology
        ``full``: every node receives every other; ``line``: each receives its neighbours in the order of `nodes`.
    virtual
        Keys of the bench file's `[virtual]` that hold for the virtual bench only.
    """

    template: str = ""
    nodes: tuple[str, ...] = ("initiator", "responder")
    lines: tuple[str, ...] = ("bus",)
    boards: dict[str, str] = {}
    samplerate_hz: int = 24_000_000
    file: str = ""
    topology: Literal["full", "line"] = "full"
    virtual: dict[str, Any] = {}


class Axis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that is varied.

    Parameters
    ----------
    name
        Its name with the unit, as the figures show it.
    values
        Its values, as the figures show them.
    key
        Key that gets the values; `set` has a list of values for each of several keys. Keys are those of the experiment
        (``settings.payload``, ``nodes.n*.interval_us``, ``kernel``, ``packets``), those of the bench after ``bench.``
        (``bench.template``, ``bench.nodes``, ``bench.virtual.seed``) and ``image.NODE``, the name of an image that
        ``--image NAME=FILE`` gives, or ``""`` for the reference firmware.
    zip
        Axes with the same word here move together.
    """

    name: str
    values: tuple[Value, ...]
    key: str = ""
    set: dict[str, tuple[Any, ...]] = {}
    zip: str = ""


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Repeats end when the 95 % interval of the mean of `y` is at most `width` of it (a share) at every combination."""

    y: str
    width: float
    least: int = 3
    most: int = 20


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Repeats: keys that get another seed in each, and keys that get a random phase between 0 and a largest value."""

    n: int = 1
    seeds: tuple[str, ...] = ("settings.seed", "bench.virtual.seed")
    phases: dict[str, int] = {}
    until: Stop | None = None


class Quick(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``--quick`` cuts: fewer packets or seconds, repeats, and values of an axis."""

    packets: int | None = None
    duration_s: int | None = None
    repeats: int = 1
    keep: dict[str, tuple[Value, ...]] = {}


class StudyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study: one figure or table of a document, or one question.

    `experiment` has the keys of an experiment file, plus `base`, the name of one whose keys hold unless given, and
    `warmup`, such as ``"2 s"`` or ``"50 packets"``: what is sent before does not count. Keys of nodes may have ``*``.
    """

    bench: BenchAsked
    document: str = ""
    figure: str = ""
    title: str = ""
    experiment: dict[str, Any] = {}
    vary: tuple[Axis, ...] = ()
    repeat: Repeat = Repeat()
    quantities: dict[str, str] = {}
    show: tuple[Show, ...] = ()
    published: tuple[Published, ...] = ()
    quick: Quick = Quick()
    conclusion: str = ""  # a sentence with {expressions} of quantities in braces
