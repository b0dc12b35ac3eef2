"""Estimated energies by name: valid and refused names, and values against plain sums over the states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from gpiorig.analysis.compare.assertions import value_text
from gpiorig.analysis.compare.limits import assertion
from gpiorig.analysis.energy.node_energy import Current, NodeTime, Supply
from gpiorig.analysis.energy.states import PROCESSOR, RADIO
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.number_text import prefixed_text
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

NODES = ("initiator", "responder")
AMPERES = {"run": 0.010, "sleep": 0.001, "send": 0.014, "listen": 0.012, "off": 0.0}
SUPPLY = Supply(3.0, {state: Current(amperes, 0.0, "made up") for state, amperes in AMPERES.items()})


@pytest.fixture(scope="module")
def recorded(new_bench: Callable[..., object]) -> Recorded:
    bench = new_bench(seed=4)
    for number in range(20):
        bench.round_trip(number)
    stages = analysis.analyse(bench.events(), {}, header_ns=dict.fromkeys(NODES, 192_000), ends=NODES)
    return Recorded(stages, supplies=dict.fromkeys(NODES, SUPPLY))


def joules(recorded: Recorded, node: str, begin: int, end: int) -> float:
    """The plain sum over the segments of a node within a window."""
    time = NodeTime(recorded.analysis, node, windows=np.array([[begin, end]]))
    total = 0.0
    for place in range(len(time.durations)):
        if begin <= time.bounds[place] < end:
            processor, radio = PROCESSOR[time.processor[place]], RADIO[time.radio[place]].partition(",")[0]
            drawn = AMPERES.get(processor, (0.010 + 0.001) / 2) + AMPERES.get(radio, (0.014 + 0.0) / 2)
            total += 3.0 * drawn * time.durations[place] / 24e6
    return total


def test_energy_between_milestones(recorded: Recorded) -> None:
    """Each packet's is the sum over the states between its milestones."""
    for series in series_of("estimated energy of app.tx -> driver.exec", recorded):
        assert len(series.values)
        (window,) = series_of(f"app.tx -> driver.exec at {series.node}", recorded)
        for value, begin, length in zip(series.values, window.starts, window.values, strict=True):
            expected = joules(recorded, series.node, int(begin), int(begin + length))
            assert np.isclose(expected, value * 1e-12, rtol=1e-6)


def test_energy_of_packets_and_power(recorded: Recorded) -> None:
    """A round trip has at both nodes an energy; the mean power is that of all states; none is negative."""
    for node in NODES:
        (packets,) = series_of(f"estimated energy of packet at {node}", recorded)
        (power,) = series_of(f"estimated power at {node}", recorded)
        time = NodeTime(recorded.analysis, node)
        begin, end = int(time.bounds[0]), int(time.bounds[-1])
        assert len(recorded.analysis.routes[0]) == len(packets.values)
        assert (packets.values > 0).all()
        watts = joules(recorded, node, begin, end) / ((end - begin) / 24e6)
        assert np.isclose(watts, power.interval("").value, rtol=1e-6)
        (above,) = series_of(f"estimated power above sleep at {node}", recorded)
        (in_all,) = series_of(f"estimated energy in node at {node}", recorded)
        assert np.isclose(joules(recorded, node, begin, end), in_all.interval("").value, rtol=1e-6)
        parts = [series_of(f"estimated energy in {part} at {node}", recorded)[0] for part in ("run", "udp", "send")]
        assert all(0 < part.values[0] < in_all.values[0] for part in parts)
        assert np.isclose(watts - 3.0 * (AMPERES["sleep"] + AMPERES["off"]), above.interval("").value, rtol=1e-6)


def test_doubt_is_that_of_the_currents(recorded: Recorded) -> None:
    """Half widths of all states, over the time in each, anywhere within them; it widens a level, and no spread."""
    doubtful = {state: Current(amperes, 0.1 * amperes, "made up") for state, amperes in AMPERES.items()}
    other = Recorded(recorded.analysis, supplies=dict.fromkeys(NODES, Supply(3.0, doubtful)))
    name = "estimated energy of app.tx -> driver.exec at initiator"
    ((exact,), (series,)) = (series_of(name, of) for of in (recorded, other))
    assert 0 == exact.doubt
    assert (exact.values == series.values).all()
    assert np.isclose(0.1 * exact.values.mean() * 1e-12 * 2 / np.sqrt(3), series.doubt, rtol=0.05)
    for statistic in ("mean", "median", "p99", "std"):
        plain, wide = (of.interval(statistic) for of in (exact, series))
        doubt = 0.0 if statistic == "std" else series.doubt
        assert np.allclose([plain.low - doubt, plain.high + doubt], [wide.low, wide.high], equal_nan=True)
    (power,) = series_of("estimated power at initiator", other)
    assert np.isclose(2 * power.doubt, power.interval("").high - power.interval("").low)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("estimated energy of mac.tx -> mac.rx", "are two nodes; an energy is of one"),
        ("estimated energy of packet at relay", "no node `relay`"),
        ("estimated energy of udp", "no subject of an energy `udp`"),
        ("estimated energy in nothing", "no layer or state `nothing`"),
        ("estimated energy in sock at initiator", "does not show `sock`"),
        ("energy of packet", "no power trace of a node is known"),
        ("power at responder", "no power trace of responder is known"),
    ],
)
def test_what_is_refused(recorded: Recorded, text: str, problem: str) -> None:
    with pytest.raises(QuantityError, match=problem):
        series_of(text, recorded)


def test_a_board_without_currents_is_named(recorded: Recorded) -> None:
    with pytest.raises(QuantityError, match=r"board of initiator states no currents: add \[currents\] to its file"):
        series_of("estimated power", Recorded(recorded.analysis))


def test_limits_and_texts() -> None:
    """A limit is in joules or watts with their prefixes."""
    limit = assertion("p99(estimated energy of packet) < 1.5 mJ")
    assert (1.5e-3, Unit.ENERGY) == (limit.limit, limit.unit)
    assert 0.09 == assertion("estimated power < 90 mW").limit
    assert ("846.8 µJ", "1.230 mW", "0.000 J") == (
        value_text(8.468e-4, Unit.ENERGY),
        value_text(1.23e-3, Unit.POWER),
        value_text(0.0, Unit.ENERGY),
    )
    assert ("520 nJ", "1.0 mJ", "99 µJ") == tuple(prefixed_text(of, "J", digits=2) for of in (5.16e-7, 1e-3, 9.94e-5))
    assert (
        "estimated energy of app.tx -> driver.exec at a" == parse("estimated energy of app.tx->driver.exec at a").name
    )
