"""Figures and report: they say what must be said, need nothing from outside, and are the same every time."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
import studies

from gpiorig.analysis import (
    accounting,
    log,
    packets,
    packetviews,
    plates,
    report,
    routenumbers,
    routes,
    series,
    style,
    tables,
    timelines,
)
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.inference.intervals import Interval
from gpiorig.analysis.report import blocks, delaysection, page
from gpiorig.analysis.report.data import RouteView
from gpiorig.analysis.study import Study

PLAIN = {"audited": False, "found": False, "layers": False, "occupancy": False}  # a study with few figures


def data_of(bench, *, virtual=True, gaps=None, study=None):
    found = packets.associate(bench.events(gaps=gaps), initiator="initiator", responder="responder")
    lines = timelines.build(found, header_ns=192_000)
    text = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in lines.ids)
    own = log.parse(text + f"done sent={len(lines)} received=0 lost=0 probes=7\n", node="initiator")
    return report.ReportData(
        title="Ping-pong <test>",
        virtual=virtual,
        packets=found,
        timelines=lines,
        steps=timelines.steps(lines),
        reconciliation=accounting.reconcile(lines, own),
        logs={"initiator": own},
        provenance={"seed": "1"},
        study=study,
    )


def studied(bench, **options):
    """The same with everything that a study can say."""
    data = data_of(bench)
    return dataclasses.replace(data, study=studies.study(routes.round_trips(data.timelines, data.steps), **options))


def one_way(*found, gaps=(), **options):
    """A run of one-way routes."""
    study = studies.study(*found, **options)
    return report.ReportData("one way", False, None, None, None, study=study, events=studies.events(gaps=gaps))


def text_of(tmp_path, data):
    report.write_report(tmp_path / "report.html", data)
    return (tmp_path / "report.html").read_text()


@pytest.fixture
def written(bench, tmp_path):
    bench.damage_frame(1, "udp.rx.enter", 7)
    return text_of(tmp_path, data_of(bench))


@pytest.fixture(scope="module")
def data(new_bench):
    """Twenty round trips, with everything that a study can say; drawn once for many tests."""
    bench = new_bench()
    for id_ in range(1, 21):
        bench.round_trip(id_)
    return studied(bench)


@pytest.fixture(scope="module")
def sections(data):
    return page.run_sections(data)


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """What `report.write` gives of it."""
    return report.write(tmp_path_factory.mktemp("report"), data).parent


@pytest.fixture(scope="module")
def full(folder):
    return (folder / report.PAGE).read_text()


def test_the_page_needs_nothing_from_outside(full):
    """No address but places on the page itself, and a policy that lets the browser load nothing."""
    targets = re.findall(r'(?:src|href)="([^"]+)"|url\(([^)]+)\)', full)
    assert [] == [target for pair in targets for target in pair if target and not target.startswith("#")]
    assert "default-src 'none'" in full
    assert "<metadata" not in full
    assert "@import" not in full


def test_ids_on_the_page_are_unique_and_all_references_resolve(full):
    ids = re.findall(r'\bid="([^"]+)"', full)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', full)) <= set(ids)


def test_every_figure_has_a_name_and_a_description(full):
    """Every figure is named and described for those who do not see it, and all colours of ink follow the page."""
    drawings = re.findall(r"<figure.*?</figure>", full, flags=re.S)
    assert len(drawings) > 8
    for drawing in drawings:
        assert re.search(r'role="img" aria-labelledby="\S+-title \S+-desc"><title [^>]*>[^<]+</title><desc', drawing)
        assert style.INK.lower() not in drawing
        assert style.PAPER.lower() not in drawing


def test_the_page_says_what_it_must(written):
    assert "Ping-pong &lt;test&gt;" in written
    assert 2 == written.count('<div class="banner">Virtual bench')
    assert "missing: request.udp.rx" in written
    assert "every packet is accounted for" in written
    assert written.index("The round trip takes") < written.index("<figure") < written.index('<section id="provenance"')


def test_the_order_of_the_sections(sections):
    """What one wants to know first stands first."""
    order = ["budget", "steps", "distributions", "run", "causes", "packets", "layers", "jitter", "clocks", "health"]
    assert [*order, "provenance"] == [section.id for section in sections]


def test_what_a_study_says_is_on_the_page(data, full):
    """Shares with intervals, values with ±, findings, clocks, jitter by definition, who ran in the way."""
    for said in (
        "± 0.035 µs",
        "lies on a lattice of 320.000 ± 0.003 µs",
        "RFC 3393, 2.7",
        "12.340 ppm",
        "too few stamps for a line",
        "Node b has no log.",
        "a: its clock began anew.",
        "print call to start bit",
        "of lines that tell of a packet",
        "la (hat): variance negative at 6 of 6 (TDEV).",
        "a: isr.uart",
        "spread of the calibration burst",
    ):
        assert said in full, said
    assert re.search(r"\d\d % \(\d\d to \d\d %\)", full)
    assert 5 == len(report.summary_lines(data))


def test_failed_checks_stand_on_top(bench, tmp_path):
    data = dataclasses.replace(data_of(bench), notes=("12 frames on the symbol buses are damaged.",))
    found = text_of(tmp_path, data)
    assert found.index("Check failed: 12 frames") < found.index("<nav")
    assert "All checks passed" not in found


def test_packets_that_the_log_lacks_are_not_accounted_for(bench):
    """A log that is empty, and one that begins late."""
    data = data_of(bench)
    pins = len(data.timelines)
    for kept, said in (
        (0, "the log has no packet to compare"),
        (pins - 2, "2 packets on the pins that its log does not"),
    ):
        lines = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in data.timelines.ids[pins - kept :])
        account = accounting.reconcile(data.timelines, log.parse(lines, node="initiator"))
        sentences = " ".join(report.summary_lines(dataclasses.replace(data, reconciliation=account)))
        assert said in sentences
        assert "every packet is accounted for" not in sentences
    assert "every packet is accounted for" in " ".join(report.summary_lines(data))


def test_hardware_reports_have_no_tag(bench, tmp_path):
    assert "irtual" not in text_of(tmp_path, data_of(bench, virtual=False))


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
def test_equal_data_give_equal_files(data, folder, tmp_path):
    again = dataclasses.replace(data)
    report.write(tmp_path, again)
    assert {path.name for path in folder.iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in sorted(folder.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_write_gives_figures_and_tables_in_all_forms(folder):
    """Every figure as SVG and PNG, every table as CSV, Parquet and LaTeX."""
    for name in ("budget", "total", "steps", "ecdf", "run", "layers", "clock-errors-1", "serial-stages", "packet"):
        assert {".svg", ".png"} <= {path.suffix for path in folder.glob(f"{name}.*")}, name
    for name in (
        "route_steps",
        "jitter",
        "budget",
        "findings",
        "layer_times",
        "preemption",
        "clocks",
        "audit",
        "serial_stages",
    ):
        assert {".csv", ".parquet", ".tex"} <= {path.suffix for path in folder.glob(f"{name}.*")}, name
    rows = tables.read(folder / "route_steps.parquet").to_pylist()
    assert 1.0 == pytest.approx(sum(row["share_of_variance"] for row in rows))
    assert [] == [path.name for path in folder.iterdir() if path.suffix == ".new"]


@pytest.mark.parametrize("packets_n", [0, 1, 2])
def test_few_packets_still_make_a_page(new_bench, tmp_path, packets_n):
    bench = new_bench()
    for id_ in range(packets_n):
        bench.round_trip(id_)
    found = text_of(tmp_path, studied(bench, **PLAIN))
    if packets_n == 0:
        assert "<figure" not in found
        assert "no send call of a packet was seen on the pins" in found
    if packets_n == 1:
        assert "There is no variance to divide: fewer than two packets." in found


def test_only_lost_packets_still_make_a_page(new_bench, tmp_path):
    bench = new_bench()
    bench.round_trip(1, lost="reply")
    found = text_of(tmp_path, data_of(bench))
    assert "No packet made a round trip" in found
    assert "no packet has all its steps" in found


def test_no_jitter_is_blamed_on_anybody_below_the_resolution(new_bench, tmp_path, monkeypatch):
    """Round trips that are all equal: no step gets a share of their jitter."""
    bench = new_bench()
    monkeypatch.setattr(bench.rng, "randint", lambda low, high: low)
    monkeypatch.setattr(bench.rng, "randrange", lambda _: 3)
    for id_ in range(5):
        bench.round_trip(id_)
    found = text_of(tmp_path, data_of(bench))
    assert "no jitter above the resolution (83.3 ns)" in found
    assert "No step varies by more than the resolution (83.3 ns)" in found
    assert "most of the variance" not in found


def test_without_taps_there_is_still_a_page(bench, tmp_path):
    bench.drop("tap.", "driver.exec", "isr.radio")
    assert "Packets to zoom into" in text_of(tmp_path, data_of(bench))


def test_a_run_without_a_packet_has_no_figure_and_says_why(tmp_path):
    """An empty study, and no study at all: text, never an empty figure."""
    for study in (None, Study((), None)):
        data = report.ReportData("empty", False, None, None, None, study=study, events=studies.events())
        found = text_of(tmp_path, data)
        assert "<figure" not in found
        assert "no packet is known whole" in found
        assert "The clocks were not compared" in found


def test_too_few_packets_for_tests_are_said():
    """Nothing was tested, so nothing was not found."""
    data = one_way(studies.one_way(packets=5), found=False, layers=False, occupancy=False, audited=False)
    (route,) = data.study.routes
    few = "5 packets: fewer than 30 tell nothing about structure."
    untested = tuple(dataclasses.replace(each, tests=0, sentence=few) for each in route.attributions)
    study = dataclasses.replace(data.study, routes=(dataclasses.replace(route, attributions=untested),))
    lines = report.summary_lines(dataclasses.replace(data, study=study))
    assert f"What causes the jitter could not be tested. {few}" in lines
    assert "No structure" not in " ".join(lines)


@pytest.mark.parametrize(
    "route",
    [
        studies.one_way(packets=1),
        studies.one_way(packets=2),
        studies.one_way(packets=50, equal=True),
        studies.one_way(tuple("abcdefgh"), packets=20),
    ],
    ids=["one packet", "two packets", "all equal", "eight nodes"],
)
def test_one_way_routes_of_any_shape_make_a_page(tmp_path, route):
    """No round trips: everything comes from the routes; what is not known is a dash, never NaN."""
    found = text_of(tmp_path, one_way(route, audited=False, layers=len(route) == 1, occupancy=len(route) == 1))
    assert route.name.replace(" > ", " to ") in found
    assert "nan" not in re.sub(r"<svg.*?</svg>|<script.*?</script>", "", found, flags=re.S).lower().split()


def test_nothing_found_is_said(tmp_path):
    found = text_of(tmp_path, one_way(studies.one_way(), found=False, layers=False, occupancy=False, audited=False))
    assert "Nothing was found: no step shows a structure." in found
    assert "No structure was found in any of 4 steps (24 tests)." in found
    assert "does not tell the layers apart" in found
    assert "Who ran in a packet&#39;s way is unknown" in found


def test_of_many_routes_only_some_are_drawn_and_all_are_listed(monkeypatch):
    """Figures of the first routes; a row for each, also for one on which nothing arrived."""
    monkeypatch.setattr(page, "DRAWN_ROUTES", 2)
    found = [studies.one_way(("a", f"n{number}"), packets=30, seed=number) for number in range(7)]
    nothing = studies.one_way(("a", "deaf"), packets=0, lost=12)
    data = one_way(*found, **PLAIN)
    silent = dataclasses.replace(studies.about(found[0]), route=nothing)
    data = dataclasses.replace(data, study=dataclasses.replace(data.study, routes=(*data.study.routes, silent)))
    section = next(section for section in page.run_sections(data) if section.id == "routes")
    table = next(block for block in section.blocks if isinstance(block, blocks.Table))
    assert [*(route.name for route in found), "a > deaf"] == [row[0] for row in table.rows]
    assert ("a > deaf", "0", "12; 1") == table.rows[-1][:3]
    assert 1 == sum(isinstance(block, blocks.Details) for block in section.blocks)
    assert blocks.why_not("Figures are drawn of the first 2 routes; the tables have all.") in section.blocks


def test_hops_are_drawn_in_one_column_and_every_kind_has_its_colour(tmp_path):
    """Hops are no directions; a box of the viewer has the colour that the figures give its kind."""
    route = studies.one_way(("a", "b", "c"), packets=20)
    hops = tuple(
        dataclasses.replace(step, start=dataclasses.replace(step.start, direction=int(number > 3)))
        for number, step in enumerate(route.steps.steps)
    )
    route = dataclasses.replace(route, steps=dataclasses.replace(route.steps, steps=hops))
    numbers = routenumbers.numbers(route)
    assert 1 == len(plates.steps(numbers, virtual=False).axes)
    found = text_of(tmp_path, one_way(route, **PLAIN))
    for kind, look in packetviews.KIND_CLASSES.items():
        assert f".{look} {{ fill: {style.KIND_COLOURS[kind]}; }}" in found


def test_gaps_and_unknown_instants_of_losses_are_said(tmp_path):
    found = text_of(
        tmp_path, one_way(studies.one_way(lost=3), gaps=[(2_000_000, 4_000_000)], layers=False, audited=False)
    )
    assert "1 gap, 3 lost packets, 1 change point" in found
    assert "Of 3 lost packets the instant is not known." in found
    assert "83.3 ms" in found


def test_every_figure_carries_the_tag(data, sections):
    real = dataclasses.replace(data, virtual=False)
    for virtual, found in ((True, blocks.pictures(sections)), (False, blocks.pictures(page.run_sections(real)))):
        assert len(found) > 8
        for picture in found:
            assert virtual == (style.VIRTUAL_TAG in [text.get_text() for text in picture.figure.texts]), picture.name


def test_every_axis_has_a_unit(data, sections):
    """On every figure the axis of time says in which unit, or that it counts."""
    row = int(data.steps.rows[0])
    found = {picture.name: picture.figure for picture in blocks.pictures(sections)}
    found["packet"] = plates.packet(data.packets, data.timelines, row=row, virtual=True)
    for name, figure in found.items():
        for ax in figure.axes:
            label = ax.get_xlabel()
            ticks = " ".join(tick.get_text() for tick in ax.get_xticklabels())
            units = r"\((ns|ms|µs|s|periods|µs; .*)\)"
            known = re.search(units, label) or re.search(r"(ns|ms|µs|%)", ticks) or "periods" in label
            assert known or not label, name


def test_no_words_of_a_figure_are_cut_off(data, sections):
    """All words lie within their figure, with room for a reader's wider font at the right."""
    hops = one_way(studies.one_way(("a", "b", "c", "d"), packets=20), **PLAIN)
    for picture in [*blocks.pictures(sections), *blocks.pictures(page.run_sections(hops))]:
        figure = picture.figure
        style.svg(figure)
        renderer = figure.canvas.get_renderer()
        words = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
        words += [figure._suptitle] if figure._suptitle is not None else []
        rows = [text for ax in figure.axes for text in ax.get_yticklabels()]  # those beyond an axis are not drawn
        for ax in figure.axes:
            legend = ax.get_legend()
            words += [*ax.texts, ax.xaxis.label, ax.yaxis.label, ax._left_title]
            words += legend.get_texts() if legend is not None else []
        assert len(words) > 2
        for text in (each for each in [*rows, *words] if each.get_text()):
            box = text.get_window_extent(renderer)
            assert box.x0 > -1, (picture.name, text.get_text())  # pixels
            assert text in rows or -1 < box.y0 < box.y1 < figure.bbox.height + 1, (picture.name, text.get_text())
            assert box.x1 <= figure.bbox.width * (1 - style.MARGIN / 3), (picture.name, text.get_text())


def test_quantiles_on_one_place_are_named_together():
    """All but one packet take as long as each other: three marks are one, and its words are within the axes."""
    route = studies.one_way(packets=300, equal=True)
    route.steps.samples[0, 0] += 90
    figure = plates.total(routenumbers.numbers(route), route.totals, noun="delay", lost=0, virtual=False)
    words = [text.get_text() for text in figure.axes[1].texts]
    assert ["median, p95, p99"] == words
    assert "left" == figure.axes[1].texts[0].get_ha()


def test_a_budget_without_a_tail_says_so():
    """Shares of the variance, none of a tail: no row says that all delays are equal."""
    route = studies.one_way(packets=40)
    nothing = Interval(float("nan"), float("nan"), float("nan"), "")
    about = studies.about(route)
    budget = dataclasses.replace(about.budget, tail=tuple(nothing for _ in about.budget.tail), tail_packets=33)
    figure = plates.budget(routenumbers.numbers(route), budget, virtual=False)
    words = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    assert "no tail: too few packets, or too few different delays" in words
    assert "equal within" not in words
    assert ["variance"] == [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
    study = dataclasses.replace(about, budget=budget)
    notes = delaysection.budget_notes(RouteView(route, routenumbers.numbers(route), study))
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


@pytest.mark.parametrize(("packets_n", "said", "never"), [
    (1, "by the one packet that is known whole", "95 % of"),
    (3, "at most, by 3 packets", "95 % of"),
    (200, "95 % of the 200 packets need", "by 200"),
])  # fmt: skip
def test_few_packets_have_no_percentiles(packets_n, said, never):
    """A share of packets is said only where there are enough to be beyond it."""
    lines = " ".join(report.summary_lines(one_way(studies.one_way(packets=packets_n), **PLAIN)))
    assert said in lines
    assert never not in lines
    if packets_n == 1:
        assert "one packet has no jitter" in lines
        assert "resolution" not in lines


def test_what_explains_the_whole_better_than_its_steps_is_among_the_conclusions():
    """A finding about the whole delay is said first where those about the steps explain less."""
    route = studies.one_way()
    said = "The step beats with a: task 6, period 40 ms: its phase when the step begins makes 75 % of the variance."
    beat = Finding("beat", said, 1e-9, 0.75, {"period_ns": 4e7})
    for found, first in ((False, True), (True, False)):
        about = studies.about(route, found=found)
        whole = dataclasses.replace(about.attributions[-1], findings=(beat,))
        study = dataclasses.replace(about, attributions=(*about.attributions[:-1], whole))
        lines = report.summary_lines(dataclasses.replace(one_way(route, **PLAIN), study=Study((study,), None)))
        expected = "as a whole, the delay beats with a: task 6, period 40 ms: its phase when the delay begins"
        assert first == any(expected in line for line in lines)


def test_words_can_be_read_on_every_colour():
    """WCAG 2.1, 1.4.3: at least 4.5 to 1 on boxes, and on the page in both sets of colours."""
    for colour in (*style.KIND_COLOURS.values(), *(look.colour for look in page.LOOKS)):
        assert style.contrast(style.ink_on(colour), colour) >= 4.5, colour
    assert style.contrast(style.FAINT, style.PAPER) >= 4.5
    sheet = (Path(page.__file__).parent / "style.css").read_text()
    for block in re.findall(r":root[^{]*\{([^}]*)\}", sheet):
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        assert len(colours) > 10
        for ink in ("ink", "faint", "link", "warning", "good"):
            assert style.contrast(colours[ink], colours["page"]) >= 4.5, ink
        assert style.contrast(colours["banner-ink"], colours["banner"]) >= 4.5
        assert style.contrast(colours["ink"], colours["control"]) >= 4.5
        assert style.contrast(colours["ink"], colours["shade"]) >= 4.5


def test_the_contrast_of_black_and_white():
    """The ends of the scale, and an example of the W3C: #777777 on white has 4.48."""
    assert 21 == pytest.approx(style.contrast("#000000", "#FFFFFF"))
    assert 1 == style.contrast("#0072B2", "#0072B2")
    assert 4.48 == pytest.approx(style.contrast("#777777", "#FFFFFF"), abs=0.005)


def test_captions_name_only_what_is_drawn(tmp_path):
    """Without gaps, losses and change points the caption of the run explains none of them."""
    data = one_way(studies.one_way(lost=0), found=False, layers=False, occupancy=False, audited=False)
    section = next(section for section in page.run_sections(data) if section.id == "run")
    assert ["By the time of sending, one point per packet."] == [each.caption for each in blocks.pictures([section])]


def test_one_packet_that_is_several_has_all_names():
    """Of 64 packets the 99th percentile is the slowest."""
    assert ["median", "99th percentile, slowest"] == [*packetviews.chosen(studies.one_way(packets=64))]
    assert ["median", "99th percentile", "slowest"] == [*packetviews.chosen(studies.one_way(packets=200))]
    assert ["median, 99th percentile, slowest"] == [*packetviews.chosen(studies.one_way(packets=1))]


def test_the_page_of_many_packets_stays_small(tmp_path):
    """Of 100 000 packets the page is hardly larger than of 1000: points become bands and quantiles, and it says so."""
    sizes = []
    for number in (1000, 100_000):
        found = text_of(tmp_path, one_way(studies.one_way(packets=number), **PLAIN))
        sizes.append(len(found))
    assert max(sizes) < 1_500_000
    assert sizes[1] < 1.2 * sizes[0]
    assert "drawn by 500 of its 100\N{NO-BREAK SPACE}000 quantiles" in found
    assert "least to largest in each of 600 stretches of time as a band" in found


def test_a_page_of_several_runs(bench, tmp_path):
    """A table of runs, the delays over each other, and each run folded away; one that is empty is named."""
    empty = report.ReportData("empty", False, None, None, None, events=studies.events())
    runs = [("first", data_of(bench)), ("second", one_way(studies.one_way(), **PLAIN)), ("third", empty)]
    path = report.write_set(tmp_path, runs)
    found = path.read_text()
    ids = re.findall(r'\bid="([^"]+)"', found)
    assert len(ids) == len(set(ids))
    assert found.index("A row per run") < found.index("The delay of every run") < found.index("Everything about first")
    assert 3 == found.count("<summary>Everything about")
    assert "Without a packet that is known whole: third." in found
    assert (tmp_path / "totals.svg").is_file()
    assert (tmp_path / "totals.png").is_file()
