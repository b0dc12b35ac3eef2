"""Pages of studies: every kind of figure, tables, orders, conclusions, the catalogue, docs/seeds.md."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import re

import chromium
import pyarrow.parquet as pq
import pytest
import studycases

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import GAP
from gpiorig.studies.pages import catalogue, conclusion, files, tables
from gpiorig.studies.pages.description import Original, Published, Show

X = "interference in packets/s"
STUDY = studycases.interference(repeats=3)
ORDER = Published("fig. 5", y="goodput", order=({X: 20}, {X: 12}, {X: 4}, {X: 0}), differs="YetiOS")
KINDS = (
    Show("line", ("rtt.p2p", "loss"), x=X, series="protocol"),
    Show("bars", ("goodput",), x=X, series="protocol"),
    Show("stack", ("rtt.p5", "rtt.p2p"), x="protocol", where={X: (0, 20)}),
    Show("ecdf", ("rtt",), series="protocol", where={X: 0}),
    Show("box", ("rtt",), x="protocol", where={X: 20}),
    Show("dots", ("span of udp.checksum",), series="protocol", where={X: 0}),
    Show("table", ("rtt.median", "rtt.p2p"), title="Summary"),
)
FULL = dataclasses.replace(
    STUDY,
    shows=KINDS,
    published=(*STUDY.published, ORDER, Published("5.3", text="a <b>statement</b>.", differs="Linux.")),
    original=Original("Jitter by rate <of packets>.", "A line per protocol."),
    conclusion="UDP takes {rtt.median where protocol = UDP, interference in packets/s = 0}.",
)
BRIEF = dataclasses.replace(
    studycases.interference(repeats=1, failed=False),
    name="000-quick",
    title="Quick",
    quick=True,
    shows=(KINDS[-1],),
    published=STUDY.published,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page of a document with two studies, and the catalogue."""
    path = tmp_path_factory.mktemp("pages")
    assert path / "seeds-000.html" == files.write_document(path, [FULL, BRIEF])
    assert path / "index.html" == files.write_catalogue(path, [FULL, BRIEF])
    assert path / "gallery.html" == files.write_gallery(path, [FULL, BRIEF])
    return path


@pytest.mark.slow
def test_a_page_has_every_kind_and_its_files(folder):
    """Six figures and seven tables, each with its files; text of studies is escaped."""
    text = (folder / "000-interference.html").read_text()
    assert 6 == text.count("<figcaption>")
    assert "a &lt;b&gt;statement&lt;/b&gt;, 5.3</td>" in text and "Linux." in text
    assert "<li>Verdict on seeds/000, 4.7.1: 4 disagree, 2 cannot be judged.</li>" in text
    assert '<p class="bad">4 points failed: check failed: 3 events of responder are lost' in text
    assert "MAC, interference in packets/s 12: repeats 0, 1, 2 failed: check failed: 3 events" in text
    assert "UDP takes 9." in text
    assert "Check failed" not in text and "All checks passed" not in text
    for number in range(1, 8):
        for suffix in (".csv", ".parquet", ".tex", *((".svg", ".png") if number < 7 else ())):
            assert (folder / f"000-interference-{number}{suffix}").stat().st_size
            assert f'href="000-interference-{number}{suffix}"' in text


@pytest.mark.slow
def test_the_gallery_has_the_original_next_to_each_figure(folder):
    """Caption, what is drawn and the published numbers; the earliest figure, or the table of a study without one."""
    text = (folder / "gallery.html").read_text().replace(GAP, " ")
    _, full, brief = text.split('<div class="pair">')
    assert "“Jitter by rate &lt;of packets&gt;.”" in full and "A line per protocol." in full
    assert "rtt.p2p: UDP, interference in packets/s 20" in full and "35 ms (n = 1000)" in full
    assert (1, 0) == tuple(side.count("<figcaption>") for side in (full, brief))
    assert "Summary" in brief


def test_figures_are_of_the_formats_asked_for(tmp_path):
    """A page has links to these files and to no others."""
    text = files.write_study(tmp_path, dataclasses.replace(BRIEF, shows=KINDS[1:2]), figures=("pdf",)).read_text()
    assert (tmp_path / "000-quick-1.pdf").read_bytes().startswith(b"%PDF")
    assert [] == [*tmp_path.glob("*.svg"), *tmp_path.glob("*.png")]
    assert 'href="000-quick-1.pdf"' in text and "-1.svg" not in text


@pytest.mark.slow
def test_all_pages_state_that_they_are_virtual(folder):
    """The banner is on each page, and a column in each table."""
    for name in ("000-interference", "000-quick", "seeds-000", "index"):
        assert "Virtual bench" in (folder / f"{name}.html").read_text()
    assert {True} == set(pq.read_table(folder / "000-interference-1.parquet")["virtual"].to_pylist())


@pytest.mark.slow
def test_the_catalogue_links_to_the_pages(folder):
    """Links of the catalogue lead to files."""
    text = (folder / "index.html").read_text()
    for name in ("seeds-000.html", "000-interference.html", "000-quick.html"):
        assert f'href="{name}"' in text and (folder / name).exists()
    assert "◐ virtual" in text and "◐ virtual, quick run" in text and "● virtual" not in text


@pytest.mark.slow
def test_tables_have_value_spread_interval_and_n(folder):
    """CSV and Parquet have the same rows, in SI; a failed combination has a row with the reason."""
    content = pq.read_table(folder / "000-interference-1.parquet")
    with (folder / "000-interference-1.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(content) == 24
    first = content.to_pylist()[0]
    assert ("rtt.p2p", "UDP", "0", "s", 3, 3, 100) == tuple(
        first[name] for name in ("expression", "protocol", X, "unit", "repeats", "asked", "n_min")
    )
    assert first["low"] < first["value"] < first["high"] and first["sd"] > 0
    failed = next(row for row in content.to_pylist() if row["protocol"] == "MAC" and row[X] == "12")
    assert failed["value"] is None and "repeats 0, 1, 2 failed" in failed["note"]


def test_published_values_next_to_ours():
    """Difference and ratio; of a range the distance from its nearer end."""
    udp, _, mac, _ = tables.compared(STUDY)
    difference, ratio = udp.difference
    assert (pytest.approx(udp.estimate.value - 0.010), pytest.approx(udp.estimate.value / 0.010)) == (difference, ratio)
    assert pytest.approx(mac.estimate.value - 0.008) == mac.difference[0]
    assert ("10 ms (n = 1000)", "8 ms to 12 ms (n = 1000)") == (udp.stated.text, mac.stated.text)
    absent = Published("x", y="rtt.p2p", values=({X: 40, "value": "1 ms"}, {X: 0, "protocol": "UDP", "value": "1 %"}))
    reasons = [one.reason for one in tables.compared(dataclasses.replace(STUDY, published=(absent,)))]
    assert ["not among the values here", "the unit differs: published share, here s"] == reasons


def test_a_conclusion_without_its_numbers_states_which():
    """Every expression is filled in, or the sentence names those without a value."""
    filled = conclusion.sentence(FULL)
    assert filled.startswith("UDP takes 9.") and "95 % interval" in filled and "3 repeats, n = 100" in filled
    over = dataclasses.replace(FULL, conclusion="{rtt.p2p where protocol = UDP}; {rtt.p2p}")
    assert "No conclusion yet: no value of rtt.p2p." == conclusion.sentence(over)
    assert "(6 combinations)" in conclusion.sentence(
        dataclasses.replace(over, conclusion="{rtt.p2p where protocol = UDP}")
    )
    cut = dataclasses.replace(FULL, conclusion="{rtt.p2p where protocol = UDP, interference in packets/s = 99}")
    assert conclusion.sentence(cut).startswith("No conclusion yet: no value of rtt.p2p where protocol = UDP")
    for text, message in (("{rtt}", "has no statistic"), ("{rtt.p2p where protocol = TCP}", "not a value of an axis")):
        with pytest.raises(QuantityError, match=message):
            conclusion.check(text, {}, FULL.axes)
    assert ("rtt", "loss") == conclusion.quantities("{rtt.p2p where protocol = UDP} {loss}", {})


def seeds(*studies, reasons=()):
    """The table of all documents, by way of its numbers, with studies as their files describe them."""
    described = [dataclasses.replace(study, points=(), axes={}) for study in studies]
    return catalogue.seeds_markdown(catalogue.listed(catalogue.numbers(studies), described), reasons)


def test_seeds_markdown_has_every_row():
    """A row per judgement, quick ones marked, each document with its verdicts counted, then what is not made."""
    reasons = [catalogue.Reason("seeds/003", "fig. 11", "lwIP | emb6", "other stacks")]
    text = seeds(BRIEF, FULL, reasons=reasons)
    assert text == seeds(FULL, BRIEF, reasons=reasons)
    rows = [line for line in text.splitlines() if line.startswith("| 4.7.1")]
    assert 4 + 2 + 1 + 4 == len(rows)
    assert 4 == sum("| cannot be judged: quick run" in row and "◐ virtual, quick run" in row for row in rows)
    assert "3 repeats, n = 100" in rows[0] and "10 ms (n = 1000), 4.7.1" in rows[0]
    assert r"| fig. 11 | lwIP \| emb6 | other stacks |" in text
    assert "10 statements: 4 disagree, 6 cannot be judged." in text
    assert "Figures and tables: ● 0, ◐ 2, ○ 0." in text
    assert "Figures and tables: ● 0, ◐ 0, ○ 1." in text
    assert "- 4.7.1 (000-interference): " in text and "The study file states no reason." in text


@pytest.mark.parametrize("count", [0, 2])
def test_a_study_without_values_has_a_page(tmp_path, count):
    """Before anything is recorded the page has its tables and states what is missing."""
    axes = FULL.axes
    missing = [studycases.point({"protocol": "UDP", X: 0}, None, repeat=n, state="missing") for n in range(count)]
    files.write_study(tmp_path, dataclasses.replace(FULL, points=missing, axes=axes))
    text = (tmp_path / "000-interference.html").read_text()
    assert "No conclusion yet: no value of rtt.median where protocol = UDP" in text
    assert ("UDP, interference in packets/s 0: repeats 0, 1 missing" in text) == bool(count)
    assert not [*tmp_path.glob("*.svg")]
    (row, *_) = catalogue.numbers([dataclasses.replace(FULL, points=missing)])
    assert ("cannot be judged", "○ no values") == (row[1], row[-1])


@pytest.mark.slow
def test_equal_results_are_equal_files(tmp_path):
    """Pages and tables are the same bytes for the same results."""
    one, two = tmp_path / "1", tmp_path / "2"
    small = dataclasses.replace(FULL, shows=KINDS[:1])
    for path in (one, two):
        files.write_study(path, small)
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in two.iterdir())
    assert [] == [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()]


@pytest.mark.slow
def test_pages_do_not_scroll_sideways(folder):
    """On a screen and on a phone the page is as wide as the window, without an error of its script."""
    with chromium.launched() as browser:
        window = browser.new_page()
        errors = []
        window.on("pageerror", lambda error: errors.append(str(error)))
        for name, width in itertools.product(("seeds-000", "index", "gallery"), (1280, 390)):
            window.set_viewport_size({"width": width, "height": 900})
            window.goto((folder / f"{name}.html").as_uri())
            overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert 0 == window.evaluate(overflow)
    assert [] == errors


LONG = "check failed: " + "; ".join(f"{node} has lost {17 * node} events of its buffer" for node in range(30))


@pytest.fixture
def failing():
    """The study with reasons that are long; at one combination there are two."""
    reasons = (LONG.replace("check", "limit"), LONG, LONG)
    points = [
        dataclasses.replace(point, reason=LONG if point.coordinates["protocol"] == "UDP" else reasons[point.repeat])
        if point.state == "failed"
        else point
        for point in STUDY.points
    ]
    values = ({"protocol": "MAC", X: 12, "value": "10 ms"},)
    published = (Published("4.7.1", y="rtt.p2p", values=values),)
    return dataclasses.replace(FULL, shows=KINDS[-1:], points=points, published=published)


def test_long_reasons_are_one_line_and_complete_below(failing, tmp_path):
    """Equal ones are together; cells of tables have the most frequent one; each point's line has all of it."""
    text = files.write_study(tmp_path, failing).read_text()

    assert "<li>3 points failed: check failed: 0 has lost 0 events" in text
    assert "<summary>2 combinations with repeats that are in no mean</summary>" in text
    assert f"repeats 1, 2 failed: {LONG}" in text
    (cell,) = set(re.findall("<td[^>]*>(2 repeats failed[^<]*)</td>", text))
    assert cell.endswith("… (and 1 other reason)") and len(cell) < 100
    markdown = seeds(failing)
    assert "2 repeats failed: check failed: 0 has lost 0 events" in markdown
    assert LONG not in markdown and 500 > max(map(len, markdown.splitlines()[5:]))
