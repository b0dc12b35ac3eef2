"""The report: its page has the required content and needs no other file; equal data give equal files."""

from __future__ import annotations

import dataclasses
import re

import evaluations
import pytest
from reportcases import PLAIN, data_of, evaluated, one_way, text_of
from tripcases import analysed

from gpiorig.analysis import report
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.evaluation.evaluation import Evaluation
from gpiorig.analysis.figures import packet_boxes, palette, plates
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.report import blocks, page
from gpiorig.analysis.report.packet_columns import columns_of
from gpiorig.analysis.tables import stages


@pytest.mark.slow
def test_the_page_needs_nothing_from_outside(report_page):
    """No address but places on the page itself, and a policy that lets the browser load nothing."""
    targets = re.findall(r'(?:src|href)="([^"]+)"|url\(([^)]+)\)', report_page)
    assert [] == [target for pair in targets for target in pair if target and not target.startswith("#")]
    assert "default-src 'none'" in report_page
    assert "<metadata" not in report_page
    assert "@import" not in report_page


@pytest.mark.slow
def test_ids_on_the_page_are_unique_and_all_references_resolve(report_page):
    ids = re.findall(r'\bid="([^"]+)"', report_page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', report_page)) <= set(ids)


@pytest.mark.slow
def test_every_figure_has_a_name_and_a_description(report_page):
    """Every figure is named and described for readers who do not see it, and all colours of ink follow the page."""
    drawings = re.findall(r"<figure.*?</figure>", report_page, flags=re.S)
    assert len(drawings) > 8
    for drawing in drawings:
        assert re.search(r'role="img" aria-labelledby="\S+-title \S+-desc"><title [^>]*>[^<]+</title><desc', drawing)
        assert palette.INK.lower() not in drawing
        assert palette.PAPER.lower() not in drawing


@pytest.mark.slow
def test_equal_data_give_equal_files(report_data, report_folder, tmp_path):
    again = dataclasses.replace(report_data)
    report.write(tmp_path, again, figure_formats=("svg", "png"), table_formats=tuple(report.TABLE_FORMATS))
    assert {path.name for path in report_folder.iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in sorted(report_folder.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_write_gives_figures_and_tables_in_all_forms(report_folder):
    """Every figure as SVG and PNG, every table as CSV and LaTeX, on request."""
    for name in ("budget", "total", "steps", "ecdf", "run", "layers", "clock-errors", "serial-stages", "packet"):
        assert {".svg", ".png"} <= {path.suffix for path in report_folder.glob(f"{name}.*")}, name
    for name in (
        "route_steps",
        "jitter",
        "budget",
        "findings",
        "layer_times",
        "occupancy",
        "clocks",
        "audit",
        "serial_stages",
    ):
        assert {".csv", ".tex"} <= {path.suffix for path in report_folder.glob(f"{name}.*")}, name
    rows = stages.read(report_folder / "route_steps.csv").to_pylist()
    assert 1.0 == pytest.approx(sum(row["share_of_variance"] for row in rows))
    assert [] == [path.name for path in report_folder.iterdir() if path.suffix == ".new"]


@pytest.mark.usefixtures("undrawn")
def test_the_page_says_what_it_must(bench, tmp_path):
    bench.damage_frame(1, "udp.rx.enter", 7)
    written = text_of(tmp_path, data_of(bench))
    assert "Ping-pong &lt;test&gt;" in written
    assert 1 == written.count('<aside class="ribbon" aria-label="Boards">Virtual bench')
    assert 1 == written.count('<footer class="banner">Virtual bench')
    assert "missing: request.udp.rx" in written
    assert "every packet is accounted for" in written
    assert written.index("The round trip takes") < written.index("<figure") < written.index('<section id="provenance"')


def test_the_order_of_the_sections(report_sections):
    """The most important sections come first."""
    order = ["packets", "budget", "steps", "distributions", "run", "causes", "layers", "jitter", "clocks", "health"]
    assert [*order, "provenance"] == [section.id for section in report_sections]


@pytest.mark.slow
def test_the_content_of_a_study_is_on_the_page(report_data, report_page):
    """Shares with intervals, values with ±, findings, clocks, jitter by definition, pre-empting activities."""
    for sentence in (
        "± 0.035 µs",
        "lies on a lattice of 320.000 ± 0.003 µs",
        "RFC 3393, 2.7",
        "12.340 ppm",
        "too few timestamps for a line",
        "Node b has no log.",
        "a: its clock restarted.",
        "print call to start bit",
        "of lines about a packet",
        "la (hat): variance negative at 6 of 6 (TDEV).",
        "initiator: isr.uart",
        "spread of the calibration burst",
    ):
        assert sentence in report_page, sentence
    assert re.search(r"\d\d % \(\d\d to \d\d %\)", report_page)
    assert 5 == len(report.summary_lines(report_data))


@pytest.mark.usefixtures("undrawn")
def test_failed_checks_are_at_the_top(bench, tmp_path):
    data = dataclasses.replace(data_of(bench), notes=("12 frames on the symbol buses are damaged.",))
    page_text = text_of(tmp_path, data)
    assert page_text.index("Check failed: 12 frames") < page_text.index("<nav")
    assert "All checks passed" not in page_text


def test_packets_that_the_log_lacks_are_not_accounted_for(bench):
    """A log that is empty, and one that begins late."""
    data = data_of(bench)
    pins = len(data.timelines)
    for log_packets, sentence in (
        (0, "no packet in the log to compare with"),
        (pins - 2, "2 packets on the pins that its log does not"),
    ):
        lines = "".join(
            f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in data.timelines.ids[pins - log_packets :]
        )
        analysis = analysed(data.analysis.events, {"initiator": node_log.parse(lines, node="initiator")})
        sentences = " ".join(report.summary_lines(dataclasses.replace(data, analysis=analysis)))
        assert sentence in sentences
        assert "every packet is accounted for" not in sentences
    assert "every packet is accounted for" in " ".join(report.summary_lines(data))


@pytest.mark.usefixtures("undrawn")
def test_hardware_reports_have_no_tag(bench, tmp_path):
    assert "irtual" not in text_of(tmp_path, data_of(bench, virtual=False))


@pytest.mark.slow
@pytest.mark.parametrize("packets_n", [0, 1, 2])
def test_few_packets_still_make_a_page(new_bench, tmp_path, packets_n):
    bench = new_bench()
    for id_ in range(1, packets_n + 1):
        bench.round_trip(id_)
    page_text = text_of(tmp_path, evaluated(bench, **PLAIN))
    if packets_n == 0:
        assert "<figure" not in page_text
        assert "no send call of a packet was seen on the pins" in page_text
    if packets_n == 1:
        assert "The variance cannot be divided: fewer than two packets." in page_text


def test_only_lost_packets_still_make_a_page(new_bench, tmp_path):
    bench = new_bench()
    bench.round_trip(1, lost="reply")
    page_text = text_of(tmp_path, data_of(bench))
    assert "No packet made a round trip" in page_text
    assert "no packet has all its steps" in page_text


@pytest.mark.slow
def test_no_step_gets_a_share_of_jitter_below_the_resolution(new_bench, tmp_path, monkeypatch):
    """Round trips that are all equal: no step gets a share of their jitter."""
    bench = new_bench()
    monkeypatch.setattr(bench.rng, "randint", lambda low, high: low)
    monkeypatch.setattr(bench.rng, "randrange", lambda _: 3)
    for id_ in range(1, 6):
        bench.round_trip(id_)
    page_text = text_of(tmp_path, data_of(bench))
    assert "no jitter above the resolution (83.3 ns)" in page_text
    assert "No step varies by more than the resolution (83.3 ns)" in page_text
    assert "most of the variance" not in page_text


@pytest.mark.slow
def test_without_taps_there_is_still_a_page(bench, tmp_path):
    bench.drop("tap.", "driver.exec", "isr.radio")
    assert "Every packet, every step" in text_of(tmp_path, data_of(bench))


def test_a_run_without_a_packet_has_no_figure_but_a_reason(tmp_path):
    """Text, never an empty figure."""
    page_text = text_of(tmp_path, one_way(audited=False))
    assert "<figure" not in page_text
    assert "no packet is complete" in page_text
    assert "The clocks were not compared" in page_text


def test_too_few_packets_for_tests_are_reported():
    """Without tests the page does not claim the absence of structure."""
    data = one_way(evaluations.one_way(packets=5), findings=False, layers=False, occupancy=False, audited=False)
    (route,) = data.evaluation.routes
    few = "5 packets: fewer than 30 tell nothing about structure."
    untested = tuple(dataclasses.replace(attribution, tests=0, sentence=few) for attribution in route.attributions)
    evaluation = dataclasses.replace(data.evaluation, routes=(dataclasses.replace(route, attributions=untested),))
    lines = report.summary_lines(dataclasses.replace(data, evaluation=evaluation))
    assert f"What causes the jitter could not be tested. {few}" in lines
    assert "No structure" not in " ".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    "route",
    [
        evaluations.one_way(packets=1),
        evaluations.one_way(packets=2),
        evaluations.one_way(packets=50, equal=True),
        evaluations.one_way(tuple("abcdefgh"), packets=20),
    ],
    ids=["one packet", "two packets", "all equal", "eight nodes"],
)
def test_one_way_routes_of_any_shape_make_a_page(tmp_path, route):
    """No round trips: everything comes from the routes; an unknown value is a dash, never NaN."""
    page_text = text_of(tmp_path, one_way(route, audited=False, layers=len(route) == 1, occupancy=len(route) == 1))
    assert route.name.replace(" > ", " to ") in page_text
    assert "nan" not in re.sub(r"<svg.*?</svg>|<script.*?</script>", "", page_text, flags=re.S).lower().split()


@pytest.mark.usefixtures("undrawn")
def test_the_absence_of_findings_is_reported(tmp_path):
    page_text = text_of(
        tmp_path, one_way(evaluations.one_way(), findings=False, layers=False, occupancy=False, audited=False)
    )
    assert "No finding: no step shows a structure." in page_text
    assert "No structure was found in any of 4 steps (24 tests)." in page_text
    assert "does not distinguish the layers" in page_text
    assert "Pre-emption is unknown" in page_text


def test_of_many_routes_only_some_are_drawn_and_all_are_listed(monkeypatch):
    """Figures of the first routes, a row for each."""
    monkeypatch.setattr(page, "DRAWN_ROUTES", 2)
    routes = [evaluations.one_way(("a", f"n{number}"), packets=30, seed=number) for number in range(7)]
    section = next(section for section in page.run_sections(one_way(*routes, **PLAIN)) if section.id == "routes")
    table = next(block for block in section.blocks if isinstance(block, blocks.Table))
    assert [route.name for route in routes] == [row[0] for row in table.rows]
    assert ("30", "3; 1") == table.rows[-1][1:3]
    assert 1 == sum(isinstance(block, blocks.Details) for block in section.blocks)
    assert blocks.why_not("Figures are drawn of the first 2 routes; the tables have all.") in section.blocks


@pytest.mark.usefixtures("undrawn")
def test_hops_are_drawn_in_one_column_and_every_kind_has_its_colour(tmp_path):
    """Hops are not directions; a box of the viewer has the colour that the figures give its kind."""
    route = evaluations.one_way(("a", "b", "c"), packets=20)
    hops = tuple(
        dataclasses.replace(step, start=dataclasses.replace(step.start, direction=int(number > 3)))
        for number, step in enumerate(route.steps.steps)
    )
    route = dataclasses.replace(route, steps=dataclasses.replace(route.steps, steps=hops))
    assert 1 == len(plates.steps(evaluations.about(route).numbers, virtual=False).axes)
    page_text = text_of(tmp_path, one_way(route, **PLAIN))
    with palette.stressing(frozenset({Kind.RADIO_WAIT})):
        colours = dict(palette.KIND_COLOURS)
    assert colours[Kind.RADIO_WAIT] == palette.KIND_COLOURS[Kind.RADIO_WAIT]
    assert colours[Kind.AIR] != palette.KIND_COLOURS[Kind.AIR]
    for kind, look in palette.KIND_CLASSES.items():
        assert f"--{look}: {colours[kind]};" in page_text
        assert f".{look} {{ fill: var(--{look}); }}" in page_text


@pytest.mark.usefixtures("undrawn")
def test_gaps_and_unknown_instants_of_losses_are_reported(tmp_path):
    data = one_way(evaluations.one_way(lost=3), gaps=[(2_000_000, 4_000_000)], layers=False, audited=False)
    page_text = text_of(tmp_path, data)
    (run,) = (picture for picture in blocks.pictures(page.run_sections(data)) if picture.name == "run")
    axes = run.drawn().axes[0]
    assert 1 == len(axes.patches)  # the gap
    assert "1 gap, 3 lost packets, 1 change point" in axes.get_title(loc="left")
    assert "The instants of 3 lost packets are unknown." in page_text
    assert "83.3 ms" in page_text


@pytest.mark.parametrize(("packets_n", "sentence", "never"), [
    (1, "by the only complete packet", "95 % of"),
    (3, "at most, by 3 packets", "95 % of"),
    (200, "95 % of the 200 packets need", "by 200"),
])  # fmt: skip
def test_few_packets_have_no_percentiles(packets_n, sentence, never):
    """A share of packets is given only where enough packets are beyond it."""
    lines = " ".join(report.summary_lines(one_way(evaluations.one_way(packets=packets_n), **PLAIN)))
    assert sentence in lines
    assert never not in lines
    if packets_n == 1:
        assert "one packet has no jitter" in lines
        assert "resolution" not in lines


def test_a_finding_that_explains_more_than_those_of_the_steps_is_among_the_conclusions():
    """A finding about the total delay comes first where those about the steps explain less."""
    route = evaluations.one_way()
    sentence = "The step beats with a: task 6, period 40 ms: its phase when the step begins makes 75 % of the variance."
    beat = Finding("beat", sentence, 1e-9, 0.75, {"period_ns": 4e7})
    for findings, first in ((False, True), (True, False)):
        about = evaluations.about(route, findings=findings)
        total = dataclasses.replace(about.attributions[-1], findings=(beat,))
        evaluation = dataclasses.replace(about, attributions=(*about.attributions[:-1], total))
        lines = report.summary_lines(
            dataclasses.replace(one_way(route, **PLAIN), evaluation=Evaluation((evaluation,), None))
        )
        expected = "overall, the delay beats with a: task 6, period 40 ms: its phase when the delay begins"
        assert first == any(expected in line for line in lines)


def test_the_slowest_packet_is_no_percentile():
    """The 99th percentile of 64 packets is the slowest."""
    assert ["median", "slowest"] == [*packet_boxes.chosen(evaluations.one_way(packets=64))]
    assert ["median", "99th percentile", "slowest"] == [*packet_boxes.chosen(evaluations.one_way(packets=200))]
    assert ["only packet"] == [*packet_boxes.chosen(evaluations.one_way(packets=1))]


@pytest.mark.slow
def test_the_page_of_many_packets_stays_small(tmp_path):
    """Of 100 000 packets only the columns of the steps are larger than of 1000: captions name bands and quantiles."""
    sizes, other_sizes = [], []
    for number in (1000, 100_000):
        route = evaluations.one_way(packets=number)
        page_text = text_of(tmp_path, one_way(route, **PLAIN))
        sizes.append(len(page_text))
        other_sizes.append(len(page_text) - len(columns_of(route).letters))
    assert sizes[0] < 1_500_000
    assert sizes[1] < 6_000_000
    assert other_sizes[1] < 1.2 * other_sizes[0]
    assert "drawn by 300 (100 on a narrow screen) of its 100 000 quantiles" in page_text
    assert "minimum to maximum in each of 600 intervals of time as a band" in page_text
