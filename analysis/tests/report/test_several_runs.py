"""A page of several runs: the difference of each to the first, by the functions of `gpiorig compare`."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

import evaluations
import numpy as np
import pytest
from reportcases import PLAIN, data_of, one_way

from gpiorig.analysis import report
from gpiorig.analysis.compare import comparison
from gpiorig.analysis.compare.limits import threshold
from gpiorig.analysis.number_text import GAP, time_text
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Series
from gpiorig.analysis.report import blocks, differences, page, repeats
from gpiorig.analysis.report.runs import Run, difference, set_ups
from gpiorig.analysis.statistics import repeats as repeat_statistics
from gpiorig.analysis.tables import stages

LATER = 24_000  # samples, 1 ms


def route_of(seed=1, *, later=0, packets=200):
    """Packets whose radio wait lasts longer by some samples."""
    route = evaluations.one_way(packets=packets, seed=seed)
    samples = route.steps.samples + np.array([0, later, 0, 0])
    return dataclasses.replace(route, steps=dataclasses.replace(route.steps, samples=samples))


def run_of(name, route, **fields):
    return Run(name, one_way(route, **PLAIN), **fields)


@pytest.fixture
def base():
    return run_of("before", route_of(), set_up={"setting payload": "32", "analyzer": "la"}, digest="one")


@pytest.fixture
def new():
    return run_of("after", route_of(2, later=LATER), set_up={"setting payload": "64", "analyzer": "la"}, digest="two")


def text_on(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text().replace(GAP, " ")))


@pytest.mark.usefixtures("undrawn")
def test_the_first_sentence_has_the_change_its_place_and_the_verdict(base, new, tmp_path):
    """The numbers are those of `compare`; the kind with most of the change is named, and how many delays changed."""
    compared = comparison.compare(base.delays, new.delays)
    total = compared.changes[0]
    path = report.write_set(tmp_path, [base, new])
    lead = re.search(r'<p class="lead">(.*?)</p>', path.read_text(), re.DOTALL)[1].replace(GAP, " ")
    assert lead.startswith("payload 32 → 64: +1.00 ms in the median delay (")  # LATER, in ms
    assert f"({time_text(total.base_median_ns, digits=4)} to {time_text(total.new_median_ns, digits=4)})" in lead
    assert "of the change of its mean in radio wait" in lead
    assert lead.endswith(f"{len(compared.changed)} of 5 delays changed.")
    assert {"delay", "a to b: radio wait: exec done to first bit on air"} == {one.name for one in compared.changed}


@pytest.mark.usefixtures("undrawn")
def test_the_order_of_the_page(base, new, tmp_path):
    """Packets of both runs, then the difference and what is set differently, then each run, folded."""
    page_text = report.write_set(tmp_path, [base, new]).read_text()
    places = [
        page_text.index(text)
        for text in (
            'class="lead"', 'class="staircase"', "<h2>Summary", "Set differently", 'id="difference-2-svg"',
            "Before and after", "did not change measurably", "A row per run", "Everything about before",
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert 2 == page_text.count('class="staircase"')
    rows = re.search(r"Set differently.*?</table>", page_text, re.DOTALL)[0]
    assert ["setting payload", "32", "64"] == re.findall(r"<td[^>]*>(.*?)</td>", rows)
    ids = re.findall(r'\bid="([^"]+)"', page_text)
    assert len(ids) == len(set(ids))


def test_of_delays_that_did_not_change_those_that_moved_most_are_drawn():
    """Four packets show nothing; the second hop moved more than the first."""
    runs = [evaluations.one_way(("a", "b", "c"), packets=4, equal=True) for _ in range(2)]
    moved = runs[1].steps.samples + LATER * np.arange(8)
    runs[1] = dataclasses.replace(runs[1], steps=dataclasses.replace(runs[1].steps, samples=moved))
    compared = difference(*(run_of(str(number), route) for number, route in enumerate(runs)))
    figure = differences.section(compared, 1).blocks[1].draw()
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert ["delay", *(f"b to c {part}" for part in ("app to mac", "radio wait", "air", "interrupt"))] == rows


@pytest.mark.usefixtures("undrawn")
def test_equal_runs_did_not_change(base, tmp_path):
    """The sentence has the largest change that there may be."""
    again = run_of("again", route_of(3), digest="one")
    sentence = difference(base, again).sentence
    assert sentence.startswith("before → again: the delay does not change measurably (its median by no more than ")
    assert sentence.endswith("0 of 5 delays changed.")
    assert "Nothing is known to be different" in text_on(report.write_set(tmp_path, [base, run_of("again", route_of(3),
                                                       set_up=base.set_up)]))  # fmt: skip


def test_thresholds_are_judged(base, new):
    """Exceeded and kept, as `compare` states it; one that the runs do not have is named."""
    limits = tuple(map(threshold, ("delay.median +1 %", "delay.median +50 %", "rtt.median +1 %")))
    exceeded, met, unknown = difference(base, dataclasses.replace(new, limits=limits)).verdicts
    assert exceeded.startswith("delay.median +1 %: exceeded: delay +")
    assert met.startswith("delay.median +50 %: kept")
    assert "rtt" in unknown


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_repeats_have_a_mean_and_a_spread_and_are_not_pooled(base, new, tmp_path):
    """The first is the reference; each other run has a difference of its own."""
    runs = [base, new]
    for seed in (3, 4):
        runs.append(dataclasses.replace(base, name=f"before {seed}", data=one_way(route_of(seed), **PLAIN)))
        later = one_way(route_of(seed + 9, later=LATER), **PLAIN)
        runs.append(dataclasses.replace(new, name=f"after {seed}", data=later))
    groups = set_ups(runs)
    assert [["before", "before 3", "before 4"], ["after", "after 3", "after 4"]] == [
        [run.name for run in group] for group in groups
    ]
    means = [repeats.values(group, "mean") for group in groups]
    assert [3, 3] == [len(values) for values in means]
    text = text_on(report.write_set(tmp_path, runs))
    assert "payload 32 → 64: +1.0" in text and "(before (3 repeats) and after (3 repeats))" in text
    assert "Repeats of a set-up" in text
    sd = time_text(float(means[0].std(ddof=1)), digits=2)
    assert f"{time_text(float(means[0].mean()), digits=4)} ± {sd}" in text
    assert all(f"before → {run.name}: the delay" in text for run in runs[2::2])


def test_the_interval_of_a_difference_of_repeats():
    """Against Welch's formula, written out."""
    base, new = np.array([27.5, 21.0, 19.0, 23.6]), np.array([27.1, 22.0, 20.8])
    variances = [values.var(ddof=1) / len(values) for values in (base, new)]
    freedom = sum(variances) ** 2 / sum(
        variance**2 / (len(values) - 1) for variance, values in zip(variances, (base, new), strict=True)
    )
    from scipy.stats import t

    half = t.ppf(0.975, freedom) * np.sqrt(sum(variances))
    interval = repeat_statistics.difference(base, new)
    assert new.mean() - base.mean() == pytest.approx(interval.value)
    assert [interval.value - half, interval.value + half] == pytest.approx([interval.low, interval.high])
    assert np.isnan(repeat_statistics.difference(base[:2], new).low)
    assert "do not differ" in repeat_statistics.difference(np.ones(3), np.ones(3)).note


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_runs_that_cannot_be_compared_are_named(bench, tmp_path):
    """Of another route, and without a packet; figures and tables as files have all runs."""
    runs = [
        Run("first", data_of(bench)),
        run_of("second", evaluations.one_way()),
        Run("third", one_way(audited=False)),
    ]
    path = report.write_set(tmp_path, runs, figure_formats=("svg", "png"), table_formats=("csv", "latex"))
    page_text = path.read_text()
    ids = re.findall(r'\bid="([^"]+)"', page_text)
    assert len(ids) == len(set(ids))
    assert "second cannot be compared with first: the runs have no delay in common" in page_text
    assert "third cannot be compared with first: no packet of it is complete on the pins" in page_text
    assert 3 == page_text.count("<summary>Everything about")
    assert "Runs without a complete packet: third." in page_text
    assert (tmp_path / "totals.svg").is_file()
    assert (tmp_path / "totals.png").is_file()
    steps = stages.read(tmp_path / "route_steps.parquet")
    assert {"first", "second"} == set(steps["run"].to_pylist())
    assert all((tmp_path / f"route_steps{suffix}").stat().st_size for suffix in (".csv", ".tex"))


@pytest.mark.slow
def test_the_staircases_have_one_axis_and_open_packets_of_their_runs(base, new, tmp_path, windows):
    """The last packet of the slower run reaches the end of the axis, that of the other does not."""
    path = report.write_set(tmp_path, [base, new])
    page = windows(False)
    page.messages, page.addresses = [], []
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(path.as_uri())
    pictures = page.locator(".staircase canvas[data-from]")
    pictures.nth(1).wait_for()
    reach = page.evaluate(
        """() => [...document.querySelectorAll(".staircase canvas")].map((canvas) => {
          const y = Math.round((canvas.height - 24) * 0.995), context = canvas.getContext("2d");
          const line = context.getImageData(0, y, canvas.width, 1);
          let last = 0;
          for (let x = 0; x < canvas.width; x += 1) if (line.data[4 * x + 3]) last = x;
          return (last - 52) / (canvas.width - 62);
        })"""
    )
    slowest = [run.data.evaluation.routes[0].route.totals.max() for run in (base, new)]
    assert 1 == pytest.approx(reach[1], abs=0.02)
    assert slowest[0] / slowest[1] == pytest.approx(reach[0], abs=0.02)
    page.locator(".staircase select").first.select_option(label="time of sending")
    assert all("Sorted by time of sending" in text for text in page.locator(".staircase .hero-note").all_inner_texts())
    box = pictures.nth(1).bounding_box()
    page.mouse.click(box["x"] + 200, box["y"] + 10)
    page.wait_for_url("**#run-2-packet=*")
    assert page.locator("#viewer-run-2-packets .timeline svg").is_visible()
    assert not page.locator("#viewer-run-1-packets").is_visible()
    assert [] == page.messages


def test_every_picture_of_several_runs_has_its_own_name(base, new):
    """Also those of a quantity that both were asked for: pictures of one name would be drawn as one of them."""
    delays = np.arange(50, dtype=np.int64)
    packets = np.full(50, -1, dtype=np.int32)
    series = Series("a > b", parse("mac.tx -> mac.rx"), delays, Fraction(1), delays, packets)
    sections = [
        section
        for number, run in enumerate((base, new), 1)
        for section in page.run_sections(dataclasses.replace(run.data, quantities=(series,)), prefix=f"run-{number}-")
    ]
    names = [picture.name for picture in blocks.pictures(sections)]
    assert ["run-1-quantity-mac-tx-mac-rx", "run-2-quantity-mac-tx-mac-rx"] == [n for n in names if "quantity" in n]
    assert len(names) == len(set(names))
