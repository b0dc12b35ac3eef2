"""Figures and report: they say what must be said, need nothing from outside, and are the same every time."""

from __future__ import annotations

import re

import pytest

from gpiorig.analysis import accounting, log, packets, plates, report, style, timelines


def data_of(bench, *, virtual=True, gaps=None):
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
    )


@pytest.fixture
def page(bench, tmp_path):
    bench.damage_frame(1, "udp.rx.enter", 7)
    path = tmp_path / "report.html"
    report.write_report(path, data_of(bench))
    return path.read_text()


def test_the_page_needs_nothing_from_outside(page):
    targets = re.findall(r'(?:src|href)="([^"]+)"|url\(([^)]+)\)', page)
    assert [] == [target for pair in targets for target in pair if target and not target.startswith("#")]
    assert "<metadata" not in page
    assert "<script" not in page
    assert "@import" not in page


def test_ids_on_the_page_are_unique_and_all_references_resolve(page):
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', page)) <= set(ids)


def test_the_page_says_what_it_must(page):
    assert "Ping-pong &lt;test&gt;" in page
    assert 2 == page.count('<div class="banner">Virtual bench')
    assert 4 == page.count("<figure ")
    assert "missing: request.udp.rx" in page
    assert "every packet is accounted for" in page
    assert page.index("The round trip takes") < page.index("<figure") < page.index("Provenance")


def test_hardware_reports_have_no_tag(bench, tmp_path):
    path = tmp_path / "report.html"
    report.write_report(path, data_of(bench, virtual=False))
    assert "irtual" not in re.sub(r"<svg.*?</svg>", "", path.read_text(), flags=re.S)


@pytest.mark.slow
def test_equal_data_give_equal_pages_and_figures(bench, tmp_path):
    paths = [tmp_path / f"{i}.html" for i in range(2)]
    for path in paths:
        report.write_report(path, data_of(bench))
        data = data_of(bench)
        plates.write(plates.everything(data.packets, data.timelines, data.steps, virtual=True), tmp_path / path.stem)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    for picture in sorted((tmp_path / "0").iterdir()):
        assert picture.read_bytes() == (tmp_path / "1" / picture.name).read_bytes(), picture.name


@pytest.mark.slow
@pytest.mark.parametrize("packets_n", [0, 1, 2])
def test_few_packets_still_make_a_page(new_bench, tmp_path, packets_n):
    bench = new_bench()
    for id_ in range(packets_n):
        bench.round_trip(id_)
    report.write_report(tmp_path / "report.html", data_of(bench))


def test_only_lost_packets_still_make_a_page(new_bench, tmp_path):
    bench = new_bench()
    bench.round_trip(1, lost="reply")
    report.write_report(tmp_path / "report.html", data_of(bench))
    assert "No packet made a round trip" in (tmp_path / "report.html").read_text()


def test_no_jitter_is_blamed_on_anybody_below_the_resolution(new_bench, tmp_path, monkeypatch):
    """Round trips that are all equal: no step gets a share of their jitter."""
    bench = new_bench()
    monkeypatch.setattr(bench.rng, "randint", lambda low, high: low)
    monkeypatch.setattr(bench.rng, "randrange", lambda _: 3)
    for id_ in range(5):
        bench.round_trip(id_)
    report.write_report(tmp_path / "report.html", data_of(bench))
    page = (tmp_path / "report.html").read_text()
    assert "no jitter above the resolution (83.3 ns)" in page
    assert "No step varies by more than the resolution (83.3 ns)" in page
    assert "most of the jitter" not in page


def test_without_taps_there_is_still_a_page(bench, tmp_path):
    bench.drop("tap.", "driver.exec", "isr.radio")
    report.write_report(tmp_path / "report.html", data_of(bench))


def test_every_figure_carries_the_tag(bench):
    data = data_of(bench)
    for virtual in (True, False):
        for figure in plates.everything(data.packets, data.timelines, data.steps, virtual=virtual).values():
            assert virtual == (style.VIRTUAL_TAG in [text.get_text() for text in figure.texts])


def test_every_axis_has_a_unit(bench):
    data = data_of(bench)
    for name, figure in plates.everything(data.packets, data.timelines, data.steps, virtual=True).items():
        for ax in figure.axes:
            label = ax.get_xlabel()
            ticks = " ".join(tick.get_text() for tick in ax.get_xticklabels())
            assert re.search(r"\((ms|µs)\)", label) or re.search(r"(ms|µs|%)", ticks) or not label, name
