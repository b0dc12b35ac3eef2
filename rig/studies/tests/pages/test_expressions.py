"""Expressions of a study: what they name, their values, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import studycases

from gpiorig.analysis.errors import QuantityError
from gpiorig.studies.pages import amounts, expressions

ALIASES = {"idt": "interval of radio.tx_start at initiator", "hop": "mac.tx -> mac.rx", "idt.error": "span of udp.tx"}


def value(text, *parts, node="initiator"):
    return expressions.evaluate(expressions.parse(text, ALIASES), studycases.table(*parts))[node]


@pytest.mark.parametrize(
    ("text", "quantity", "node", "statistic"),
    [
        ("rtt.p2p", "rtt", "", "p2p"),
        ("rtt.p99.9", "rtt", "", "p99.9"),
        ("p99(mac.tx -> mac.rx)", "mac.tx -> mac.rx", "", "p99"),
        ("p99(mac.tx -> mac.rx at initiator)", "mac.tx -> mac.rx", "initiator", "p99"),
        ("median(hop) at responder", "mac.tx -> mac.rx", "responder", "median"),
        ("hop.median at responder", "mac.tx -> mac.rx", "responder", "median"),
        ("mac.tx -> mac.rx.median", "mac.tx -> mac.rx", "", "median"),
        ("mac.tx.enter -> mac.rx.p5", "mac.tx -> mac.rx", "", "p5"),
        ("idt.std", "interval of radio.tx_start", "initiator", "std"),
        ("idt.error.std", "span of udp.tx", "", "std"),
        ("request: udp to ipv6.max", "request: udp to ipv6", "", "max"),
        ("rtt.mtie8", "rtt", "", "mtie8"),
        ("mavar16(hop) at responder", "mac.tx -> mac.rx", "responder", "mavar16"),
        ("loss", "loss", "", ""),
        ("retried at initiator", "retried", "initiator", ""),
        ("duty of radio", "duty of radio", "", ""),
        ("goodput at responder", "goodput", "responder", ""),
    ],
)
def test_a_term_names_quantity_node_and_statistic(text, quantity, node, statistic):
    """All ways to write a statistic of a quantity, of its alias and at a node."""
    (term,) = expressions.parse(text, ALIASES).terms
    assert (quantity, node, statistic) == (term.quantity, term.node, term.statistic)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rtt", "has no statistic"),
        ("rtt.p101", "no quantity `rtt.p101`"),
        ("p101(rtt)", "statistic `p101` is unknown"),
        ("rttt.p99", "did you mean `rtt`"),
        ("idtt.p99", "did you mean `idt`"),
        ("loss.p99", "is one value"),
        ("length of queue 3.mtie8", "is not a time; `mtie8` is of the delays of packets"),
        ("rtt.mtie0", "no quantity `rtt.mtie0`"),
        ("goodput.mean", "is one value"),
        ("span of udp.chucksum.p99", "did you mean `udp.checksum`"),
        ("rtt.p99 - ", "not understood"),
        ("rtt.p99 - rtt.p1 - rtt.p5", "not understood"),
        ("- rtt.p99", "not understood"),
        ("", "not understood"),
        ("idt.p99 at responder", "is at `initiator`"),
    ],
)
def test_what_is_not_understood_is_refused(text, message):
    """One error names the expression and the part."""
    with pytest.raises(QuantityError, match=f"(?s)expression `.*{message}"):
        expressions.parse(text, ALIASES)


def test_values_have_no_statistic():
    """A distribution names the quantity alone."""
    assert "rtt" == expressions.parse("rtt", {}, values=True).terms[0].quantity
    for text in ("rtt.p99", "rtt - rtt"):
        with pytest.raises(QuantityError, match="quantity"):
            expressions.parse(text, {}, values=True)


def test_values_are_in_si():
    """Times are in s, counts and shares in 1; lacking values count for nothing."""
    times = np.arange(1, 102) * 1e6
    rtt = studycases.rows("rtt", times, lacking=5)
    assert pytest.approx(0.1) == value("rtt.p2p", rtt).value
    assert pytest.approx(0.051) == value("rtt.median", rtt).value
    assert ("s", 101) == (value("rtt.median", rtt).unit, value("rtt.median", rtt).n)
    assert (
        pytest.approx(np.quantile(times, 0.99) * 1e-9 - np.quantile(times, 0.01) * 1e-9)
        == value("rtt.p99 - rtt.p1", rtt).value
    )
    assert (pytest.approx(2.0), "1") == (
        value("rtt.p99 / rtt.p99", rtt).value * 2,
        value("rtt.p99 / rtt.p99", rtt).unit,
    )
    delays = studycases.rows("rtt", [7e6, 9e6, 8e6, 12e6, 8e6, 8e6, 9e6, 7e6, 8e6])
    for text, number, unit in (("rtt.mtie1", 4e-3, "s"), ("rtt.mtie7", 5e-3, "s"), ("rtt.mtie9", np.nan, "s")):
        assert (pytest.approx(number, nan_ok=True), unit) == (value(text, delays).value, value(text, delays).unit)
    assert (True, "1") == (value("rtt.mavar2", delays).value > 0, value("rtt.mavar2", delays).unit)
    lost = studycases.rows("loss", [0, 0, 1, 0], unit="share")
    assert (0.25, "share") == (value("loss", lost).value, value("loss", lost).unit)
    assert 80_000 == value("goodput", studycases.rows("goodput", [80_000], unit="bit/s")).value


def test_a_length_is_weighted_by_its_time():
    """A queue that held 4 messages for a quarter of the time has 1 in the mean."""
    rows = studycases.rows("length of queue 3", [0, 4], unit="1", held=[300, 100])
    assert 1.0 == value("length of queue 3.mean", rows).value


def test_each_node_has_a_value():
    """A quantity of several nodes has one each; with a node it has that one; a single one serves all nodes."""
    table = studycases.table(
        studycases.rows("span of udp.checksum", [10, 20], node="initiator"),
        studycases.rows("span of udp.checksum", [30, 50], node="responder"),
        studycases.rows("mac.tx -> mac.rx", [5, 5], node="initiator > responder"),
    )

    def nodes(text):
        amounts = expressions.evaluate(expressions.parse(text, {}), table)
        return {node: round(amount.value * 1e9) for node, amount in amounts.items()}

    assert {"initiator": 20, "responder": 50} == nodes("span of udp.checksum.max")
    assert {"responder": 50} == nodes("max(span of udp.checksum at responder)")
    assert {"initiator > responder": 5} == nodes("mac.tx -> mac.rx.max at initiator")
    assert {"initiator": 15, "responder": 45} == nodes("max(span of udp.checksum) - max(mac.tx -> mac.rx)")
    with pytest.raises(QuantityError, match="it is at initiator, responder"):
        nodes("max(span of udp.checksum at relay)")
    with pytest.raises(QuantityError, match="no values of `rtt`"):
        nodes("rtt.max")


def test_a_difference_needs_one_unit():
    """Seconds minus a share mean nothing; their ratio has a unit of its own."""
    parts = studycases.rows("rtt", [10, 30]), studycases.rows("loss", [0, 1], unit="share")
    with pytest.raises(QuantityError, match="`s` minus `share`"):
        value("rtt.max - loss", *parts)
    with pytest.raises(QuantityError, match="`s` plus `share`"):
        value("rtt.max + loss", *parts)
    assert "s / share" == value("rtt.max / loss", *parts).unit


def test_a_sum_of_two():
    """Both ends of a link, or two shares of a processor, count together."""
    parts = studycases.rows("rtt", [10, 30]), studycases.rows("app.tx -> app.rx", [5, 15])
    assert 35 == round(value("rtt.p2p + max(app.tx -> app.rx)", *parts).value * 1e9)


def test_a_quantity_of_several_values_needs_a_statistic():
    """What is one value by its name, and has several, is an error rather than a mean."""
    with pytest.raises(QuantityError, match="has 2 values"):
        value("goodput", studycases.rows("goodput", [1, 2], unit="bit/s"))


@pytest.mark.parametrize(("ratio", "text"), [(0.9264, "0.926"), (28.13, "28.1"), (4051.4, "4051")])
def test_a_ratio_has_no_exponent(ratio, text):
    """Three digits, and every digit before the point."""
    assert text == amounts.ratio_text(ratio)
