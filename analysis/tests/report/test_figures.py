"""Figures of the report: legible words, units, names."""

from __future__ import annotations

import colorsys
import dataclasses
import multiprocessing
import os
import re
import signal
import time
from pathlib import Path

import evaluations
import numpy as np
import pytest
from matplotlib.figure import Figure
from reportcases import PLAIN, one_way

from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import audit, charts, palette, plates, series, style
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report import blocks, inline_svg, page
from gpiorig.analysis.report import delays as delaysection
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.capture.edges.waveform import VIRTUAL_MARK

DARK_PAGE = "#16191d"


def test_last_bits_of_the_layout_change_no_file(monkeypatch):
    """The layout's solver gives places that differ in their last bits from call to call; ids in SVG hash places."""
    solve = style.ConstrainedLayoutEngine.execute

    def drawn(shift):
        def execute(engine, figure):
            solve(engine, figure)
            left, *rest = figure.axes[0].get_position(original=True).bounds
            figure.axes[0].set_position([left + shift, *rest])

        monkeypatch.setattr(style.ConstrainedLayoutEngine, "execute", execute)
        figure = style.new_figure(virtual=False)
        figure.add_subplot().plot([1, 2])
        return style.svg(figure)

    assert drawn(0) == drawn(2e-16) == drawn(-2e-16)


@pytest.mark.slow
def test_every_figure_carries_the_tag(report_data, report_sections):
    real = dataclasses.replace(report_data, virtual=False)
    for virtual, pictures in (
        (True, blocks.pictures(report_sections)),
        (False, blocks.pictures(page.run_sections(real))),
    ):
        assert len(pictures) > 8
        for picture in pictures:
            assert virtual == (VIRTUAL_MARK in [text.get_text() for text in picture.drawn().texts]), picture.name


@pytest.mark.slow
def test_every_axis_has_a_unit(report_data, report_sections):
    """The axis of time of every figure has a unit, or counts."""
    trips = report_data.analysis.round_trips
    row = int(trips.timelines.complete[0])
    figures = {picture.name: picture.drawn() for picture in blocks.pictures(report_sections)}
    figures["packet"] = plates.packet(trips, row=row, virtual=True)
    for name, figure in figures.items():
        for ax in figure.axes:
            label = ax.get_xlabel()
            ticks = " ".join(tick.get_text() for tick in ax.get_xticklabels())
            units = r"\((ns|ms|µs|s|periods|µs; .*)\)"
            known = re.search(units, label) or re.search(r"(ns|ms|µs|%)", ticks) or "periods" in label
            assert known or not label, name


@pytest.mark.slow
def test_no_words_of_a_figure_are_cut_off(report_data, report_sections):
    """All words lie within their figure, with room for a reader's wider font at the right."""
    hops = one_way(evaluations.one_way(("a", "b", "c", "d"), packets=20), **PLAIN)
    for picture in [*blocks.pictures(report_sections), *blocks.pictures(page.run_sections(hops))]:
        figure = picture.drawn()
        style._settle(figure)
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        words = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
        words += [figure._suptitle] if figure._suptitle is not None else []
        rows = [text for ax in figure.axes for text in ax.get_yticklabels()]  # those beyond an axis are not drawn
        for ax in figure.axes:
            legend = ax.get_legend()
            words += [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax._left_title]
            words += legend.get_texts() if legend is not None else []
        assert len(words) > 2
        for text in (label for label in [*rows, *words] if label.get_text()):
            box = text.get_window_extent(renderer)
            assert box.x0 > -1, (picture.name, text.get_text())  # pixels
            assert text in rows or -1 < box.y0 < box.y1 < figure.bbox.height + 1, (picture.name, text.get_text())
            assert box.x1 <= figure.bbox.width * (1 - style.MARGIN / 3), (picture.name, text.get_text())


def test_quantiles_on_one_place_are_named_together():
    """All but one packet take equally long: three marks are one, and its words are within the axes."""
    route = evaluations.one_way(packets=300, equal=True)
    route.steps.samples[0, 0] += 90
    numbers = evaluations.about(route).numbers
    figure = Figure()
    charts.total_distribution(figure.add_subplot(), route.totals, numbers.total, period_ns=numbers.period_ns)
    words = [text.get_text() for text in figure.axes[1].texts]
    assert ["median, p95, p99"] == words
    assert "left" == figure.axes[1].texts[0].get_ha()


def test_a_budget_without_a_tail_gives_the_reason():
    """Shares of the variance, none of a tail: no row states that all delays are equal."""
    route = evaluations.one_way(packets=40)
    nothing = Interval(float("nan"), float("nan"), float("nan"), "")
    about = evaluations.about(route)
    groups = tuple(dataclasses.replace(group, tail=nothing) for group in about.budget.by_kind)
    budget = dataclasses.replace(
        about.budget, tail=(nothing,) * len(route.steps.steps), by_kind=groups, tail_packets=33
    )
    figure = plates.budget(about.numbers, budget, virtual=False)
    labels = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    assert "no tail: too few packets, or too few different delays" in labels
    assert "equal within" not in labels
    assert ["variance"] == [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    notes = delaysection.budget_notes(dataclasses.replace(about, budget=budget))
    assert ["Of 40 packets."] == [*notes[0].lines]


def test_levels_that_few_packets_miss_stay_visible():
    """Two of 200 delays lie on no level of the lattice: they are counted, and the others still show their width."""
    figure = style.new_figure(virtual=False)
    levels, residuals = figure.subplots(1, 2)
    delays = 7680 * (np.arange(200) % 8)
    delays[:2] += 3000
    series.fold_lattice(levels, residuals, delays, period_ns=1e9 / 24e6, lattice_ns=320_000.0)
    assert "2 packets farther away" == residuals.get_title()
    assert max(residuals.get_xlim()) < 200
    assert "packets" == residuals.get_ylabel()


def test_words_can_be_read_on_every_colour():
    """WCAG 2.1, 1.4.3: at least 4.5 to 1 on boxes, and on the page in both sets of colours."""
    for kind, colour in palette.KIND_COLOURS.items():
        dark = palette.DARK_KIND_COLOURS[kind]
        assert palette.contrast(palette.ink_on(colour), colour) >= 4.5, kind
        assert palette.contrast(palette.ink_on(colour), dark) >= 4.5, kind
        assert palette.contrast(dark, DARK_PAGE) >= 3, kind
    assert palette.contrast(palette.FAINT, palette.PAPER) >= 4.5
    sheet = (Path(page.__file__).parent / "style.css").read_text()
    for block in re.findall(r":root[^{]*\{([^}]*)\}", sheet):
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        assert len(colours) > 10
        for ink in ("ink", "faint", "link", "warning", "good"):
            assert palette.contrast(colours[ink], colours["page"]) >= 4.5, ink
        assert palette.contrast(colours["banner-ink"], colours["banner"]) >= 4.5
        assert palette.contrast(colours["ink"], colours["control"]) >= 4.5
        assert palette.contrast(colours["ink"], colours["shade"]) >= 4.5


def test_only_the_stressed_kinds_are_saturated():
    """The others keep their luminance, and so every contrast; the air is the brightest on neither page."""
    with palette.stressing(frozenset({Kind.MAC})):
        light, dark = dict(palette.KIND_COLOURS), dict(palette.DARK_KIND_COLOURS)
    for drawn, colours in ((light, palette.KIND_COLOURS), (dark, palette.DARK_KIND_COLOURS)):
        assert colours[Kind.MAC] == drawn[Kind.MAC]
        for kind in {*Kind} - {Kind.MAC, Kind.UNDIVIDED}:  # which is grey
            assert saturation(drawn[kind]) < 0.6 * saturation(colours[kind]), kind
            assert palette.contrast("#FFFFFF", drawn[kind]) == pytest.approx(
                palette.contrast("#FFFFFF", colours[kind]), rel=0.03
            )
            assert palette.PAGE_COLOURS[light[kind]] == f"var(--{palette.KIND_CLASSES[kind]})"
    brightness = {kind: palette.contrast("#000000", colour) for kind, colour in dark.items()}
    assert brightness[Kind.AIR] < max(brightness.values())


def saturation(colour):
    return colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)))[1]


@pytest.mark.parametrize(
    "sheet_colours", [{"page": "#FFFFFF", "ink": "#222222"}, {"page": DARK_PAGE, "ink": "#E6E6E6"}]
)
def test_names_of_boxes_that_let_the_page_through_can_be_read(sheet_colours):
    """A span with others in it has the page's ink, on its colour at 62 % and the page's at 38 %."""
    page_colour, ink = sheet_colours["page"], sheet_colours["ink"]
    colours = palette.DARK_KIND_COLOURS if page_colour == DARK_PAGE else palette.KIND_COLOURS
    for kind in {*palette.LAYER_KINDS.values(), Kind.SOFTWARE}:
        for colour in (colours.full[kind], colours.muted[kind]):
            blend = "#" + "".join(
                f"{round(0.62 * int(colour[at : at + 2], 16) + 0.38 * int(page_colour[at : at + 2], 16)):02X}"
                for at in (1, 3, 5)
            )
            assert palette.contrast(ink, blend) >= 4.5, (kind, colour)


def test_the_colours_of_kinds_mean_nothing_else():
    """WCAG 2.1, 1.4.11: series are seen on both pages."""
    assert not set(palette.SERIES) & {*palette.KIND_COLOURS.values(), *palette.DARK_KIND_COLOURS.values()}
    for colour in palette.SERIES:
        assert palette.contrast(colour, DARK_PAGE) >= 3, colour
    assert len(set(palette.KIND_COLOURS.values())) == len(Kind)


def test_the_contrast_of_black_and_white():
    """The ends of the scale, and an example of the W3C: #777777 on white has 4.48."""
    assert 21 == pytest.approx(palette.contrast("#000000", "#FFFFFF"))
    assert 1 == palette.contrast("#0072B2", "#0072B2")
    assert 4.48 == pytest.approx(palette.contrast("#777777", "#FFFFFF"), abs=0.005)


def test_captions_name_only_what_is_drawn(tmp_path):
    """Without gaps, losses and change points the caption of the run explains none of them."""
    data = one_way(evaluations.one_way(lost=0), findings=False, layers=False, occupancy=False, audited=False)
    section = next(section for section in page.run_sections(data) if section.id == "run")
    assert ["By the time of sending, one point per packet."] == [
        picture.caption for picture in blocks.pictures([section])
    ]


def test_a_legend_names_the_clocks_that_stand_out():
    """Only the clock of 45 that wanders ten times as far is named; the others are grey, with one entry for all."""
    taus = np.array([1.0, 2.0, 4.0])
    levels = 1 + np.arange(45) / 1000
    levels[20] = 10
    clocks = [Stability(f"node n{k}", taus, *[level / taus] * 3, n=9, missing=0) for k, level in enumerate(levels)]
    named = audit.outstanding(clocks, measure="tdev_ns")
    figure = style.new_figure(virtual=False)
    ax = figure.add_subplot()
    audit.stability(ax, clocks, measure="tdev_ns", named=named)
    legend = ax.get_legend_handles_labels()[1]
    assert "node n20" in legend
    assert "37 others" in legend
    assert len(legend) == 9
    assert len(ax.lines) == 45
    assert audit.outstanding(clocks[:3], measure="tdev_ns") == clocks[:3]


def _raise() -> None:
    raise ValueError("the second process fails")


FAILURES = {
    "none": lambda: None,
    "an error": _raise,
    "a kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "Ctrl-C": lambda: signal.raise_signal(signal.SIGINT),
    "a hang": lambda: time.sleep(1000),
}


@pytest.fixture(scope="module")
def four_drawn(report_sections):
    """Four pictures, as one process draws them."""
    return {picture.name: inline_svg.svg(picture) for picture in blocks.pictures(report_sections)[:4]}


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES)
def test_two_processes_draw_what_one_does(report_sections, four_drawn, monkeypatch, capfd, failure):
    """Also where the second one fails with a picture in hand: it is drawn again; no process and no message is left."""
    here, draw = os.getpid(), inline_svg._draw_next

    def draw_or_fail(numbers, *rest):
        if os.getpid() != here and failure != "none":
            numbers.read(inline_svg._NUMBER_BYTES)
            FAILURES[failure]()
        return draw(numbers, *rest)

    monkeypatch.setattr(inline_svg, "_draw_next", draw_or_fail)
    monkeypatch.setattr(inline_svg, "DRAWN_S", 1.0 if failure == "a hang" else 90.0)
    assert four_drawn == inline_svg.svgs(blocks.pictures(report_sections)[:4], {})
    assert ("", "") == capfd.readouterr()
    assert [] == multiprocessing.active_children()


@pytest.mark.parametrize(("heading", "shown"), [("What the figure shows.", 0), ("Another heading", 1)])
def test_a_title_that_repeats_the_heading_is_in_files_only(heading, shown):
    """Elsewhere it is text above the figure, which wraps; the file has it in the figure."""

    def draw():
        with style.paper():
            figure = style.new_figure(virtual=False)
            figure.subplots().set_title("What the figure\nshows")
            return figure

    picture = blocks.Picture("one", draw, "Accessible name", "How to read it.")
    page_text = inline_svg.svg(picture, heading)
    assert shown == page_text.count('<p class="figure-title">What the figure\nshows</p>')
    assert "shows</text>" not in page_text
    assert "shows</text>" in style.svg(picture.drawn(), outlines=False)
    assert 2 == page_text.count("<svg")


def test_the_heading_above_each_picture():
    picture = blocks.Picture("one", None, "", "")
    other = blocks.Picture("two", None, "", "")
    content = (picture, blocks.Heading("inner"), blocks.Details("folded", (other,)))
    assert {"one": "outer", "two": "folded"} == blocks.headings_of([blocks.Section("s", "outer", content)])
