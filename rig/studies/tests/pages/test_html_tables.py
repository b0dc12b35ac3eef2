"""What a page has of a show: titles, headings, tables that fit, and links that state what they are of."""

from __future__ import annotations

import studycases
from studycases import point, rows, study, table

from gpiorig.analysis.report.blocks import Links
from gpiorig.studies.pages import html_tables, study_sections, titles, values
from gpiorig.studies.pages.description import Published, Show

NAMES = ("udp.checksum", "udp.header", "ipv6.header", "sixlowpan.compress", "mac.tx")
DELAYS = tuple(f"span of {name}" for name in NAMES)
MS = 1e6  # ns


def test_no_two_sections_have_one_title():
    """The kind is added where titles are equal, a number where kinds are."""
    shows = [Show("box", ("rtt",)), Show("ecdf", ("rtt",)), Show("table", ("rtt.p2p",)), Show("table", ("loss",))]
    shows += [Show("line", ("rtt.p2p",), labels={"rtt.p2p": "jitter"}), Show("box", DELAYS, y_title="delay")]
    expected = ["rtt: boxes", "rtt: distribution functions", "Values: table: 1", "Values: table: 2", "jitter", "delay"]
    assert expected == titles.of_shows(shows)


def test_headings_are_labels():
    """Of the show, or of another one; a statistic of what has a label; else the expression."""
    of_table = Show("table", ("rtt.median", "rtt.p2p", "loss", "goodput"), labels={"loss": "lost"})
    results = study((Show("box", ("rtt",), labels={"rtt": "round trip"}), of_table), studycases.interference().points)
    texts = ["round trip, median", "round trip, peak to peak", "lost", "goodput"]
    assert texts == [titles.heading(results, of_table, text) for text in of_table.y]
    header = html_tables.of_show(results, of_table, values.groups(results, of_table)).header
    assert texts == [head for head in header if head in texts]


def test_a_wide_table_of_few_rows_stands_upright():
    """A row for each expression with the value of each combination, and the numbers of repeats below."""
    content = {at: table(*(rows(name, [at * MS, at * MS, at * MS]) for name in DELAYS)) for at in (2, 5)}
    systems = {"RIOT": content[2], "reference": content[5]}
    points = [point({"system": name}, systems[name], repeat=repeat) for name in systems for repeat in range(3)]
    show = Show("table", tuple(f"{name}.median" for name in DELAYS))
    results = study((show,), points)
    made = html_tables.of_show(results, show, values.groups(results, show))
    assert ("<", "RIOT", "reference") == made.header
    assert [*show.y, html_tables.COUNTS] == [row[0] for row in made.rows]
    assert [("2", "5")] * 5 == [(row[1][0], row[2][0]) for row in made.rows[:-1]]
    assert all("\N{NO-BREAK SPACE}ms (" in cell for row in made.rows[:-1] for cell in row[1:])
    assert ("3 repeats, n = 3", "3 repeats, n = 3") == made.rows[-1][1:]


def test_links_of_two_tables_state_which_they_are_of():
    """Of the statements, of the published values, of each table."""
    results = studycases.interference()
    stated = Published("4.7.1", y="rtt.p2p", values=({"value": "10 ms"},), differs="RIOT of 2018")
    page = study_sections.of_study(study((Show("table", ("rtt.p2p",)),), results.points, published=(stated,)))
    labels = [block.label for section in page.sections for block in section.blocks if isinstance(block, Links)]
    assert ["Statements and verdicts", "Published values and those here", "This table"] == labels
