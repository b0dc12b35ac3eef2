"""The report: its page says what it must and needs nothing from outside; equal data give equal files."""

from __future__ import annotations

import dataclasses
import re

import pytest
import studies
from reportcases import PLAIN, data_of, one_way, studied, text_of
from tripcases import analysed

from gpiorig.analysis import report
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.figures import packet_boxes, plates, style
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.report import blocks, page
from gpiorig.analysis.study.study import Study
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
    """Every figure is named and described for those who do not see it, and all colours of ink follow the page."""
    drawings = re.findall(r"<figure.*?</figure>", report_page, flags=re.S)
    assert len(drawings) > 8
    for drawing in drawings:
        assert re.search(r'role="img" aria-labelledby="\S+-title \S+-desc"><title [^>]*>[^<]+</title><desc', drawing)
        assert style.INK.lower() not in drawing
        assert style.PAPER.lower() not in drawing


@pytest.mark.slow
def test_equal_data_give_equal_files(report_data, report_folder, tmp_path):
    again = dataclasses.replace(report_data)
    report.write(tmp_path, again, figure_formats=("svg", "png"), table_formats=tuple(report.TABLE_FORMATS))
    assert {path.name for path in report_folder.iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in sorted(report_folder.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


@pytest.mark.slow
def test_write_gives_figures_and_tables_in_all_forms(report_folder):
    """Every figure as SVG and PNG, every table as CSV and LaTeX, where they are asked for."""
    for name in ("budget", "total", "steps", "ecdf", "run", "layers", "clock-errors-1", "serial-stages", "packet"):
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
    assert 2 == written.count('<div class="banner">Virtual bench')
    assert "missing: request.udp.rx" in written
    assert "every packet is accounted for" in written
    assert written.index("The round trip takes") < written.index("<figure") < written.index('<section id="provenance"')


def test_the_order_of_the_sections(report_sections):
    """What one wants to know first stands first."""
    order = ["budget", "steps", "distributions", "run", "causes", "packets", "layers", "jitter", "clocks", "health"]
    assert [*order, "provenance"] == [section.id for section in report_sections]


@pytest.mark.slow
def test_what_a_study_says_is_on_the_page(report_data, report_page):
    """Shares with intervals, values with ±, findings, clocks, jitter by definition, pre-empting activities."""
    for said in (
        "± 0.035 µs",
        "lies on a lattice of 320.000 ± 0.003 µs",
        "RFC 3393, 2.7",
        "12.340 ppm",
        "too few stamps for a line",
        "Node b has no log.",
        "a: its clock restarted.",
        "print call to start bit",
        "of lines about a packet",
        "la (hat): variance negative at 6 of 6 (TDEV).",
        "initiator: isr.uart",
        "spread of the calibration burst",
    ):
        assert said in report_page, said
    assert re.search(r"\d\d % \(\d\d to \d\d %\)", report_page)
    assert 5 == len(report.summary_lines(report_data))


@pytest.mark.usefixtures("undrawn")
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
        analysis = analysed(data.analysis.events, {"initiator": node_log.parse(lines, node="initiator")})
        sentences = " ".join(report.summary_lines(dataclasses.replace(data, analysis=analysis)))
        assert said in sentences
        assert "every packet is accounted for" not in sentences
    assert "every packet is accounted for" in " ".join(report.summary_lines(data))


@pytest.mark.usefixtures("undrawn")
def test_hardware_reports_have_no_tag(bench, tmp_path):
    assert "irtual" not in text_of(tmp_path, data_of(bench, virtual=False))


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_without_taps_there_is_still_a_page(bench, tmp_path):
    bench.drop("tap.", "driver.exec", "isr.radio")
    assert "Packets to zoom into" in text_of(tmp_path, data_of(bench))


def test_a_run_without_a_packet_has_no_figure_and_says_why(tmp_path):
    """Text, never an empty figure."""
    found = text_of(tmp_path, one_way(audited=False))
    assert "<figure" not in found
    assert "no packet is complete" in found
    assert "The clocks were not compared" in found


def test_too_few_packets_for_tests_are_said():
    """Nothing was tested, so nothing was not found."""
    data = one_way(studies.one_way(packets=5), found=False, layers=False, occupancy=False, audited=False)
    (route,) = data.study.routes
    few = "5 packets: fewer than 30 tell nothing about structure."
    untested = tuple(dataclasses.replace(attribution, tests=0, sentence=few) for attribution in route.attributions)
    study = dataclasses.replace(data.study, routes=(dataclasses.replace(route, attributions=untested),))
    lines = report.summary_lines(dataclasses.replace(data, study=study))
    assert f"What causes the jitter could not be tested. {few}" in lines
    assert "No structure" not in " ".join(lines)


@pytest.mark.slow
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


@pytest.mark.usefixtures("undrawn")
def test_nothing_found_is_said(tmp_path):
    found = text_of(tmp_path, one_way(studies.one_way(), found=False, layers=False, occupancy=False, audited=False))
    assert "No finding: no step shows a structure." in found
    assert "No structure was found in any of 4 steps (24 tests)." in found
    assert "does not distinguish the layers" in found
    assert "Pre-emption is unknown" in found


def test_of_many_routes_only_some_are_drawn_and_all_are_listed(monkeypatch):
    """Figures of the first routes, a row for each."""
    monkeypatch.setattr(page, "DRAWN_ROUTES", 2)
    found = [studies.one_way(("a", f"n{number}"), packets=30, seed=number) for number in range(7)]
    section = next(section for section in page.run_sections(one_way(*found, **PLAIN)) if section.id == "routes")
    table = next(block for block in section.blocks if isinstance(block, blocks.Table))
    assert [route.name for route in found] == [row[0] for row in table.rows]
    assert ("30", "3; 1") == table.rows[-1][1:3]
    assert 1 == sum(isinstance(block, blocks.Details) for block in section.blocks)
    assert blocks.why_not("Figures are drawn of the first 2 routes; the tables have all.") in section.blocks


@pytest.mark.usefixtures("undrawn")
def test_hops_are_drawn_in_one_column_and_every_kind_has_its_colour(tmp_path):
    """Hops are no directions; a box of the viewer has the colour that the figures give its kind."""
    route = studies.one_way(("a", "b", "c"), packets=20)
    hops = tuple(
        dataclasses.replace(step, start=dataclasses.replace(step.start, direction=int(number > 3)))
        for number, step in enumerate(route.steps.steps)
    )
    route = dataclasses.replace(route, steps=dataclasses.replace(route.steps, steps=hops))
    assert 1 == len(plates.steps(studies.about(route).numbers, virtual=False).axes)
    found = text_of(tmp_path, one_way(route, **PLAIN))
    for kind, look in packet_boxes.KIND_CLASSES.items():
        assert f".{look} {{ fill: {style.KIND_COLOURS[kind]}; }}" in found


@pytest.mark.usefixtures("undrawn")
def test_gaps_and_unknown_instants_of_losses_are_said(tmp_path):
    data = one_way(studies.one_way(lost=3), gaps=[(2_000_000, 4_000_000)], layers=False, audited=False)
    found = text_of(tmp_path, data)
    (run,) = (picture for picture in blocks.pictures(page.run_sections(data)) if picture.name == "run")
    assert 1 == len(run.figure.axes[0].patches)  # the gap
    assert "1 gap, 3 lost packets, 1 change point" in run.figure.axes[0].get_title(loc="left")
    assert "The instants of 3 lost packets are unknown." in found
    assert "83.3 ms" in found


@pytest.mark.parametrize(("packets_n", "said", "never"), [
    (1, "by the only complete packet", "95 % of"),
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


def test_one_packet_that_is_several_has_all_names():
    """Of 64 packets the 99th percentile is the slowest."""
    assert ["median", "99th percentile, slowest"] == [*packet_boxes.chosen(studies.one_way(packets=64))]
    assert ["median", "99th percentile", "slowest"] == [*packet_boxes.chosen(studies.one_way(packets=200))]
    assert ["median, 99th percentile, slowest"] == [*packet_boxes.chosen(studies.one_way(packets=1))]


@pytest.mark.slow
def test_the_page_of_many_packets_stays_small(tmp_path):
    """Of 100 000 packets the page is hardly larger than of 1000: points become bands and quantiles, and it says so."""
    sizes = []
    for number in (1000, 100_000):
        found = text_of(tmp_path, one_way(studies.one_way(packets=number), **PLAIN))
        sizes.append(len(found))
    assert max(sizes) < 1_500_000
    assert sizes[1] < 1.2 * sizes[0]
    assert "drawn by 500 of its 100\N{NO-BREAK SPACE}000 quantiles" in found
    assert "minimum to maximum in each of 600 intervals of time as a band" in found


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_page_of_several_runs(bench, tmp_path):
    """A table of runs, the delays over each other, and each run folded away; one that is empty is named."""
    empty = one_way(audited=False)
    runs = [("first", data_of(bench)), ("second", one_way(studies.one_way(), **PLAIN)), ("third", empty)]
    path = report.write_set(tmp_path, runs, figure_formats=("svg", "png"), table_formats=("csv", "latex"))
    found = path.read_text()
    ids = re.findall(r'\bid="([^"]+)"', found)
    assert len(ids) == len(set(ids))
    assert found.index("A row per run") < found.index("The delay of every run") < found.index("Everything about first")
    assert 3 == found.count("<summary>Everything about")
    assert "Runs without a complete packet: third." in found
    assert (tmp_path / "totals.svg").is_file()
    assert (tmp_path / "totals.png").is_file()
    steps = stages.read(tmp_path / "route_steps.parquet")
    assert {"first", "second"} == set(steps["run"].to_pylist())
    assert all((tmp_path / f"route_steps{suffix}").stat().st_size for suffix in (".csv", ".tex"))
