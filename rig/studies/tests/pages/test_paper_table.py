r"""Tables for a paper: at most five columns, units in the head, numbers with the digits that are known."""

from __future__ import annotations

import re

import pytest
import studycases

from gpiorig.studies.pages import paper_table, tables, values
from gpiorig.studies.pages.description import Show

X = "interference in packets/s"
STUDY = studycases.interference(repeats=3, failed=False)


def cells(show):
    """Kinds of columns, head and rows of each tabular."""
    text = paper_table.of_show(STUDY, show, values.groups(STUDY, show))
    for tabular in re.findall(r"\\begin{tabular}{(.*?)}\n(.*?)\\end{tabular}", text, re.DOTALL):
        head, *rows = [line.removesuffix(r" \\").split(" & ") for line in tabular[1].splitlines() if "&" in line]
        yield tabular[0], head, rows


def test_combinations_are_rows_where_they_fit():
    """Values, and the interval next to them while there is room."""
    ((kinds, head, rows),) = cells(Show("table", ("rtt.median",), where={X: (0, 20)}))
    assert ("llSl", ["protocol", X, r"{rtt.median (\si{\milli\second})}", r"{95\,\% interval}"]) == (kinds, head)
    estimate = (
        values.groups(STUDY, Show("table", ("rtt.median",), where={X: 0, "protocol": "UDP"}))[0].cells[0].estimate
    )
    assert pytest.approx(1e3 * estimate.value, abs=500 * (estimate.high - estimate.low)) == float(rows[0][2])
    low, high = map(float, re.findall(r"{(-?[\d.]+)}", rows[0][3]))
    assert low < float(rows[0][2]) < high


def test_expressions_of_different_nodes_are_in_one_row():
    """The goodput is that of the responder, the round trip of the initiator."""
    ((kinds, head, rows),) = cells(Show("table", ("rtt.median", "goodput"), where={X: (0, 20)}))
    assert ("llSS", r"{goodput (\si{\kilo\bit\per\second})}", 4) == (kinds, head[-1], len(rows))
    assert all(float(row[-1]) > 50 for row in rows)


def test_expressions_are_rows_where_combinations_fit_and_units_are_apart():
    """Twelve values of two protocols: a table of times and one of shares, with one unit in each head."""
    y = (*(f"rtt.p{p}" for p in (1, 5, 25, 75, 95, 99)), "rtt.median", "loss")
    (times, shares) = cells(Show("table", y, where={X: 20}, labels={"UDP": "over UDP"}))
    assert ["quantity", r"{over UDP (\si{\milli\second})}", r"{protocol: MAC (\si{\milli\second})}"] == times[1][
        :1
    ] + times[1][1::2]
    assert ("lSlSl", 7) == (times[0], len(times[2]))
    assert [r"{over UDP (\si{\percent})}"] == shares[1][1:2] and ["loss"] == [row[0] for row in shares[2]]


def test_otherwise_each_value_is_a_row():
    """Five columns, however many combinations and expressions."""
    (times, _) = cells(Show("table", ("rtt.median", "rtt.p2p", "rtt.iqr", "loss")))
    assert ("llSl", 3 * 12) == (times[0], len(times[2]))


def test_published_values_have_five_columns():
    """A range stays a range; the ratio is that of the page."""
    rows = tables.compared(STUDY)
    lines = [line for line in paper_table.of_published(STUDY, rows).splitlines() if line.startswith("rtt.p2p")]
    assert len(rows) == len(lines) and {5} == {len(line.split(" & ")) for line in lines}
    assert r"{\numrange{8.000}{12.00}}" in lines[2]
    assert float(f"{rows[0].difference[1]:.3g}") == float(lines[0].removesuffix(r" \\").split(" & ")[-1])
