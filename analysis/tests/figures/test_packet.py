"""One packet as a picture: boxes and names are where its spans are, in the window."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from drawnaxes import bare, bars, limits, lines, names, texts
from matplotlib.figure import Figure
from tripcases import trips

from gpiorig.analysis.figures import packet, plates
from gpiorig.analysis.packets.path import REQUEST
from gpiorig.analysis.packets.spans import Span

MS = 1000  # samples
SPANS = [
    Span("app.tx", "app", "a", REQUEST, 0, 1000),
    Span("app.tx.inner", "app", "a", REQUEST, 300, 500),
    Span("mac.tx", "mac", "a", REQUEST, 200, 900),
    Span("mac.rx", "mac", "r", REQUEST, 3300, 3400),
    Span("mac.rx", "mac", "b", REQUEST, 3200, 3300),
    Span("app.rx", "app", "b", REQUEST, 3250, 3260),
    Span("app.rx", "app", "c", REQUEST, 3250, 3260),
]
MILESTONES = {
    "request.app.tx": 0,
    "request.driver.exec.exit": 1000,
    "request.air.start": 2000,
    "request.irq": 3000,
    "reply.driver.exec.exit": 4000,
    "reply.air.start": -1,
    "reply.irq": 6000,
}
INSTANTS = tuple(MILESTONES.values())


def timelines_of(instants, *, names_=tuple(MILESTONES)):
    """Timelines of one packet through a, r and b, at 1 MHz; sent 10 ms into the recording."""
    samples = np.array([[at if at < 0 else at + 10 * MS for at in instants]])
    return SimpleNamespace(
        initiator="a", responder="b", nodes=("a", "r", "b"), samples=samples, samplerate_hz=Fraction(1_000_000),
        milestones=[SimpleNamespace(name=name) for name in names_],
        column=lambda name: samples[:, names_.index(name)],
    )  # fmt: skip


@pytest.fixture
def made_up(monkeypatch):
    """A function that draws `SPANS` between two instants, in samples since the packet was sent."""
    moved = [Span(s.point, s.layer, s.node, s.direction, s.start + 10 * MS, s.end + 10 * MS) for s in SPANS]
    monkeypatch.setattr(packet.spans, "for_round_trip", lambda trips, row: moved)

    def draw(begin, end, instants=INSTANTS, **options):
        ax = bare()
        paired = SimpleNamespace(timelines=timelines_of(instants))
        packet.draw(ax, paired, 0, window=(begin + 10 * MS, end + 10 * MS), **options)
        return ax

    return draw


def test_lanes_run_from_one_application_to_the_other(made_up):
    """Down to the air, through the relay, and down again; the node's name is in the middle of its lanes."""
    ax = made_up(0, 4000)
    assert ["app", "mac", "air", "mac", "mac", "app"] == names(ax)
    assert [("a", -0.006, 0.5), ("b", -0.006, 4.0)] == [text for text in texts(ax) if text[0] in ("a", "b")]
    assert [5.6, -0.6] == limits(ax)[2:]
    assert [1.5, 2.5] == [bars(ax)[-1][1], bars(ax)[-1][1] + bars(ax)[-1][3]]  # the shade of the air
    assert [""] * 6 == names(made_up(0, 4000, labels=False))
    assert not [text for text in texts(made_up(0, 4000, labels=False)) if text[0] in ("a", "b")]


def test_boxes_of_spans_and_frames(made_up):
    """In ms since the send call beyond 2.5 ms; a span inside another one of its lane is thinner."""
    ax = made_up(0, 4000)
    full, thin = (0.37, 0.74), (0.2, 0.4)
    expected = [(0, 0, 1, full), (0, 0.3, 0.2, thin), (1, 0.2, 0.7, full), (3, 3.3, 0.1, full), (4, 3.2, 0.1, full)]
    expected += [(5, 3.25, 0.01, full), (2, 2, 1, full)]
    assert [pytest.approx([left, y - half, width, high]) for y, left, width, (half, high) in expected] == bars(ax)[:-1]
    assert "time since app.tx (ms)" == ax.get_xlabel() and [0, 4] == limits(ax)[:2]
    assert [([1, 2], [2, 2])] == lines(ax)
    middles = [text for text in texts(ax) if text[0].startswith(("request", "wait"))]
    assert [("request", 2.5, 2), ("wait 1.00 ms", 1.5, 1.88)] == middles


@pytest.mark.parametrize(
    ("begin", "end", "unit", "drawn"),
    [
        (0, 2500, "µs", {"a"}),
        (0, 2501, "ms", {"a"}),
        (1000, 3200, "µs", {"app.tx", "mac.rx b"}),
        (1001, 3199, "µs", set()),
        (3300, 3399, "µs", {"mac.rx b", "mac.rx r"}),
    ],
)
def test_what_is_in_the_window(made_up, begin, end, unit, drawn):
    """A span that ends or begins with it is; one before or after it is not."""
    ax = made_up(begin, end)
    assert f"time since app.tx ({unit})" == ax.get_xlabel()
    factor = 1 if unit == "µs" else 1000
    found = {round(left * factor) for left, foot, *_ in bars(ax)[:-1] if not 1.5 < foot + 0.37 < 2.5}
    starts = {"a": {0, 300, 200}, "app.tx": {0}, "mac.rx b": {3200}, "mac.rx r": {3300}}
    assert set().union(*(starts[name] for name in drawn)) == found


def test_names_that_have_room(made_up):
    """At the start of the box, after the inner box that leaves none; of the shown part; in no box that is too short."""

    # In a window of 2 000 samples "tx" needs 0.013 x 2 + 0.012 of it: 76.
    def places(ax):
        return [(name, round(at - 12, 6), y) for name, at, y in texts(ax) if name in ("tx", "rx", "tx.inner")]

    assert [("tx", 0, 0), ("tx", 200, 1)] == places(made_up(0, 2000, labels=False))
    assert [("tx", 500, 0), ("tx", 240, 1)] == places(made_up(240, 2240, labels=False))
    assert [("tx", 224, 0), ("tx", 224, 1)] == places(made_up(224, 2224, labels=False))
    assert [("tx", 500, 0), ("tx", 225, 1)] == places(made_up(225, 2225, labels=False))
    assert [("tx", 824, 0), ("tx", 824, 1)] == places(made_up(824, 2824, labels=False))
    assert [("tx", 825, 0)] == places(made_up(825, 2825, labels=False))


def test_a_box_is_as_wide_as_a_1500th(made_up):
    ax = made_up(0, 30_000, labels=False)
    assert [0.02, 0.1] == pytest.approx(sorted(width for left, _, width, _ in bars(ax) if left >= 3.2)[:2])


def test_frames_whose_instants_are_known(made_up):
    """Without one of the three the frame of that direction is not drawn; words need 9 % of the width."""
    assert 0 == len(lines(made_up(0, 4000, instants=(0, -1, 2000, 3000, 4000, 5000, -1))))
    assert 2 == len(lines(made_up(0, 9000, instants=(0, 1000, 2000, 3000, 4000, 5000, 6000))))
    for end, words in ((11_000, {"request", "wait 1.00 ms"}), (11_200, set())):
        assert words == {text for text, *_ in texts(made_up(0, end, labels=False))} & {"request", "wait 1.00 ms"}


def test_the_intervals_of_software():
    """With a 25th around; the next best milestone where one is missing; none that is empty."""
    names_ = (*MILESTONES, "reply.app.rx")

    def zooms(**changed):
        instants = MILESTONES | {"reply.app.rx": 7000} | {name.replace("_", "."): at for name, at in changed.items()}
        windows = packet.zooms(timelines_of(instants.values(), names_=names_), 0)
        return {name: (begin - 10 * MS, end - 10 * MS) for name, (begin, end) in windows}

    assert {"sending": (-40, 1040), "at the responder": (2960, 4040), "receiving": (5960, 7040)} == zooms()
    assert {"at the responder", "receiving"} == zooms(request_driver_exec_exit=-1).keys()
    assert {"at the responder", "receiving"} == zooms(request_driver_exec_exit=0).keys()
    assert (-1, 8) == zooms(request_driver_exec_exit=7)["sending"]
    assert (-40, 1050) == zooms(request_driver_exec_exit=1010)["sending"]


def test_a_typical_packet():
    """The complete one in the middle, the earlier of two; none without any."""
    rtt = np.array([50, 10, 20, 30, 40])
    for complete, expected in (([1, 2, 3, 4], 2), ([2, 3, 4], 3), ([0], 0), ([], -1)):
        assert expected == packet.typical(SimpleNamespace(complete=np.array(complete, dtype=np.int64), rtt=rtt))


def test_spans_that_are_not_inside_another():
    """Of their lane; one that begins where another ends is not inside it."""
    inside = [Span("x", "mac", "a", 0, 2, 5), Span("x", "mac", "b", 0, 2, 5)]
    outer = [Span("x", "mac", "a", 0, 0, 5), Span("x", "mac", "a", 0, 5, 9), Span("x", "app", "a", 0, 1, 2)]
    spans = [outer[0], *inside, *outer[1:]]
    assert {*spans} - {inside[0]} == packet.outermost(spans)


def test_names_begin_in_their_boxes(bench):
    """In each of the three intervals of a packet; no box is thinner than a 1500th of the window."""
    paired = trips(bench.events())
    windows = dict(packet.zooms(paired.timelines, 6))
    assert ["sending", "at the responder", "receiving"] == list(windows)
    for window in windows.values():
        ax = Figure().add_subplot()
        packet.draw(ax, paired, 6, window=window)
        left, right = ax.get_xlim()
        # The shade of the air is 1 wide, a share of the axes.
        boxes = [(box.get_x(), box.get_x() + box.get_width()) for box in ax.patches if box.get_width() != 1]
        places = [text.get_position()[0] for text in ax.texts if text.get_text() in ("tx", "rx", "isr")]
        assert len(places) > 3
        for at in places:
            assert left <= at <= right
            assert any(begin <= at <= end for begin, end in boxes)
        assert min(end - begin for begin, end in boxes) >= (right - left) / 1500


def test_the_plate_of_a_packet(bench):
    """The complete round trip with a 60th around it, its windows marked in ms; the time in software is in the title."""
    paired = trips(bench.events())
    timelines = paired.timelines
    figure = plates.packet(paired, row=6, virtual=False)
    upper, *lower = figure.axes
    begin, end = int(timelines.samples[6, 0]), int(timelines.samples[6, -1])
    margin = (end - begin) // 60
    assert np.allclose([-margin / 24_000, (end - begin + margin) / 24_000], upper.get_xlim())
    windows = [[(at - begin) / 24_000 for at in window] for _, window in packet.zooms(timelines, 6)]
    marks = [at for text, at, _ in texts(upper) if text in ("a", "b", "c")]
    assert [sum(window) / 2 for window in windows] == pytest.approx(marks)
    shades = [[box.get_x(), box.get_x() + box.get_width()] for box in upper.patches[-3:]]
    assert np.allclose(windows, shades)
    assert [True, False, False] == [any(names(ax)) for ax in lower]
    named = {m.name: int(at) for m, at in zip(timelines.milestones, timelines.samples[6], strict=True)}
    waits = sum(named[f"{way}.irq"] - named[f"{way}.driver.exec.exit"] for way in ("request", "reply"))
    title = f"round trip {(end - begin) / 24_000:.2f} ms, {(end - begin - waits) / 24:.0f} µs of it in software"
    assert title in upper.get_title(loc="left")
