"""Study files: what is varied, repeated, shown, and compared with published values (docs/reference/studies.md)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gpiorig.studies.pages.description import Original, Published, Show, Value


class BenchAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bench that a study asks for.

    The virtual bench gets one analyzer of 14 channels if all lines fit, else several with the sync line; at most 64
    channels together. Clock errors within +-20 ppm and the 3 m between nodes are chosen, not measured.

    Parameters
    ----------
    template, boards
        Board of all nodes, and of single ones.
    nodes
        Names of the nodes.
    lines
        Lines of each node: ``bus`` is the strobe with all data lines; others as in a bench file, such as ``tap.irq``.
    samplerate_hz
        Of each analyzer.
    file
        A bench file, or the name of one that comes with gpiorig, in place of all this.
    topology
        ``full``: every node receives every other; ``line``: each receives its neighbours in the order of `nodes`,
        others at -120 dBm.
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
        Its values, as the figures show them; `true` and `false` are named `on` and `off` everywhere.
    key
        Key that gets the values: of the experiment (``settings.payload``, ``nodes.n*.interval_us``, ``kernel``,
        ``packets``), of the bench after ``bench.`` (``bench.template``, ``bench.virtual.nodes.n*.clock_ppb``, of a node
        of the bench file ``bench.nodes.*.console``), or ``image.NODE``, the name of an image that
        ``--image NAME=FILE`` gives, or ``""`` for the reference firmware.
    set
        In place of `key`: for each of several keys a list as long as `values`.
    zip
        Axes with the same word here move together; all others are multiplied.
    """

    name: str
    values: tuple[Value, ...]
    key: str = ""
    set: dict[str, tuple[Any, ...]] = {}
    zip: str = ""


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Repeats end when the 95 % interval of the mean of `y` is at most `width` of it at every combination.

    Parameters
    ----------
    y, width
        The expression of the values, and the share.
    least, most
        Numbers of repeats.
    """

    y: str
    width: float
    least: int = 3
    most: int = 20


class Repeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Repeats.

    Parameters
    ----------
    n
        Their number.
    seeds
        Keys that get 1 in the first repeat, 2 in the second …; a key that an axis sets is left to it.
    phases
        Keys with the largest value, ``{ "nodes.n*.phase_us" = 50_000 }``: each node gets a random value from 0 on. It
        is drawn from the study's name, the repeat and the key, so it is the same for all combinations of the axes.
    until
        When repeats end earlier or later.
    """

    n: int = 1
    seeds: tuple[str, ...] = ("settings.seed", "bench.virtual.seed")
    phases: dict[str, int] = {}
    until: Stop | None = None


class Quick(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``--quick`` cuts.

    Parameters
    ----------
    packets, duration_s
        Upper limits.
    repeats
        Their number.
    keep
        The values of axes that stay: ``{ "payload in bytes" = [59, 219] }``.
    """

    packets: int | None = None
    duration_s: int | None = None
    repeats: int = 1
    keep: dict[str, tuple[Value, ...]] = {}


class StudyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study: one figure or table of a document, or one question.

    Parameters
    ----------
    document, figure, title
        The document, the place in it, the heading of the page.
    subject
        Values of axes at which the document's own system is, ``{ system = ["RIOT"] }``: verdicts there count, those at
        others stand beside them. Without it all count.
    partly
        What of the document's figure the study does not make.
    conclusion
        A sentence; ``{rtt.p2p where protocol = UDP}`` is replaced by the value.
    experiment
        Keys of an experiment file; `base`, the name or the path (from the study's folder) of one whose keys
        hold unless given; `warmup`, such as ``"2 s"`` from the initiator's first packet or ``"50 packets"`` of
        it: packets that were sent before its end do not count, nor do intervals and spans that began before,
        but a quantity of which a node has one value is of the complete run (its end is `warmup_end_sample` of
        the recording's parameters). A name in `nodes` with ``*`` stands for all nodes that match. `initiator`
        and `responder` are the nodes of these names.
    record
        Whether anything is recorded. ``false`` is for quantities of images alone, such as ``rom of image``, which are
        read from their ELF files.
    quantities
        Aliases: ``idt = "interval of radio.tx_start at initiator"``.
    """

    bench: BenchAsked
    document: str = ""
    figure: str = ""
    title: str = ""
    experiment: dict[str, Any] = {}
    vary: tuple[Axis, ...] = ()
    repeat: Repeat = Repeat()
    quantities: dict[str, str] = {}
    original: Original = Original()
    show: tuple[Show, ...] = ()
    published: tuple[Published, ...] = ()
    quick: Quick = Quick()
    record: bool = True
    conclusion: str = ""
    subject: dict[str, tuple[Value, ...]] = {}
    partly: str = ""
