"""Breaks between the nodes' timers and the analyzer, in events and logs with known ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from madeevents import events_of_rows
from numpy.typing import NDArray

from gpiorig.analysis.clocks import break_causes
from gpiorig.analysis.logs import node_log
from gpiorig.capture.edges.bounds import Bound

Floats = NDArray[np.float64]
Clock = Callable[[Floats], Floats]  # a node's time in s by the true time
RATE_HZ = 24_000_000
PERIOD_S = 0.02


def problems(
    clocks: dict[str, Clock],
    *,
    packets: int = 50,
    lost: int = 0,
    tick_us: float = 1,
    late: Callable[[np.random.Generator], Floats] = lambda random: np.zeros(1),
    gaps: tuple[tuple[int, int], ...] = (),
    sent_s: Callable[[np.random.Generator], Floats] | None = None,
    steady_ppm: dict[str, float] | None = None,
    bounds: tuple[Bound, ...] = (),
) -> list[str]:
    """The sentences on nodes that send 50 packets a second; samples are lost in the middle."""
    random = np.random.default_rng(packets)
    rows, logs = [], {}
    for place, (node, clock) in enumerate(clocks.items()):
        true_s = 0.5 + 0.003 * place + PERIOD_S * (np.arange(packets) + random.uniform(0, 0.2, packets))
        if sent_s is not None:
            true_s = 0.003 * place + sent_s(random)
        samples = np.rint(true_s * RATE_HZ).astype(np.int64)
        samples -= np.where(np.arange(packets) >= packets // 2, lost, 0)
        rows += [(at, place, "app.tx.enter", number) for number, at in enumerate(samples.tolist())]
        stamps_us = np.floor((clock(true_s) + late(random)) * 1e6 / tick_us) * tick_us
        lines = (f"packet seq={n} tx_us={int(us) % 2**32} status=ok\n" for n, us in enumerate(stamps_us.tolist()))
        logs[node] = node_log.parse("".join(lines), node=node)
    events = events_of_rows(rows, tuple(clocks), end=10**12, rate_hz=RATE_HZ, gaps=gaps)
    return break_causes.problems(events, logs, steady_ppm=steady_ppm, bounds=bounds)


def good(ppm: float) -> Clock:
    """A crystal."""
    return lambda true_s: true_s * (1 + ppm * 1e-6)


def stepped(by_s: float) -> Clock:
    """A timer that steps in the middle of a second of packets."""
    return lambda true_s: true_s + np.where(true_s > 1.0, by_s, 0.0)


def faster(ppm: float) -> Clock:
    """A timer that runs faster from the middle of a second of packets on."""
    return lambda true_s: true_s + np.maximum(true_s - 1.0, 0.0) * ppm * 1e-6


def wandering(seed: int) -> Clock:
    """A DCO, as the virtual MSP430's: its rate is noise of 200, 400 and 800 ppm, on 17 ms, 275 ms and 4.4 s."""
    random = np.random.default_rng(seed)
    scales = [(0.017, 200e-6), (0.275, 400e-6), (4.4, 800e-6)]
    grid_s = np.arange(0.0, 20.0, 0.001)
    rates = sum(random.uniform(-ppm, ppm, 2000)[(grid_s / span_s).astype(int)] for span_s, ppm in scales)
    return lambda true_s: true_s + np.interp(true_s, grid_s, np.cumsum(rates) * 0.001)


CLOCKS = {"a": good(12), "b": good(-30)}


@pytest.mark.parametrize("lost", [1_000, 5_000, 240_000])
def test_lost_samples_are_counted(lost: int) -> None:
    """Both timers gain the same: the number is right within its uncertainty, which is 9 µs at most."""
    (sentence,) = problems(CLOCKS, lost=lost)

    match = re.match(
        r"(\d+) ± (\d+) samples are missing between [01].\d+ and [01]\.\d+ s, by the timers of a, b", sentence
    )
    assert match, sentence
    count, uncertain = map(int, match.groups())
    assert abs(count - lost) <= uncertain <= 216


def test_a_loss_that_one_timer_hardly_shows() -> None:
    """10 µs are at the limit of both: neither node's clock is blamed."""
    assert not any(" did not." in sentence for sentence in problems(CLOCKS, lost=240))


def test_a_known_gap_is_not_stated_again() -> None:
    """Samples whose loss the recording has as a gap, and counts too few."""
    middle = round(1.0 * RATE_HZ)
    assert [] == problems(CLOCKS, lost=5_000, gaps=((middle - 480_000, middle + 480_000),))


def test_the_clock_of_a_node() -> None:
    """A break that another node's timer does not show is the node's own; without another node nothing is stated."""
    (step,) = problems({"a": stepped(2e-4), "b": good(3)})
    (back,) = problems({"a": good(3), "b": stepped(-2e-4)})
    (rate,) = problems({"a": faster(200), "b": good(3)})

    assert re.match(r"The clock of node a stepped forward by 20\d\.\d ± \d\.\d µs .*; that of b did not\.", step), step
    assert re.match(r"The clock of node b stepped back by (20|19)\d\.\d ± \d\.\d µs .*; that of a did not", back), back
    assert [] == problems({"a": stepped(2e-4)})
    match = re.match(r"The clock of node a changed its rate by \+(\d+) ppm between .*; that of b did not\.", rate)
    assert match, rate
    assert abs(int(match[1]) - 200) <= 5


def steps(*, at_s: float, by_s: float) -> Clock:
    """A timer that steps at an instant."""
    return lambda true_s: true_s + np.where(true_s > at_s, by_s, 0.0)


def test_further_breaks_are_counted() -> None:
    """Seven of eight nodes step at instants of their own: the first five are sentences."""
    clocks = {str(node): steps(at_s=0.7 + 0.08 * node, by_s=2e-4 + 1e-5 * node) for node in range(7)}
    *sentences, more = problems({**clocks, "steady": good(3)})

    assert [f"The clock of node {node} " for node in range(5)] == [sentence[:20] for sentence in sentences]
    assert more == "2 more breaks of clocks."


@pytest.mark.parametrize(("times", "stated"), [(3, 3), (4, 0)])
def test_a_clock_that_steps_often_has_a_pattern(times: int, stated: int) -> None:
    """Three steps of one clock are its own; four are not stated, as its timestamps may show them without a step."""

    def often(true_s: Floats) -> Floats:
        return true_s + 2e-4 * (true_s[:, None] > np.linspace(0.7, 1.3, times)).sum(axis=1)

    assert stated == len(problems({"a": often, "b": good(3)}))


def test_equal_steps_at_different_times_are_not_the_analyzer_s() -> None:
    """Two nodes step by the same, half a second apart, and a gap between them hides neither."""
    clocks = {"a": steps(at_s=0.75, by_s=2e-4), "b": steps(at_s=1.25, by_s=2e-4), "c": good(3)}
    middle = round(1.0 * RATE_HZ)
    for gaps in ((), ((middle, middle + 1000),)):
        texts = problems(clocks, gaps=gaps)
        assert ["The clock of node a ", "The clock of node b "] == [text[:20] for text in texts]


def test_steps_beside_lost_samples() -> None:
    """Samples are lost at 1 s: no node steps in both directions for that, and causes are in the order of time."""
    back_b, lost, back_a = problems(
        {"a": steps(at_s=1.25, by_s=-1.5e-4), "b": steps(at_s=0.75, by_s=-4e-4)}, lost=3_000
    )

    assert back_b.startswith("The clock of node b stepped back by 399"), back_b
    assert " samples are missing between 0.9" in lost
    assert back_a.startswith("The clock of node a stepped back by 150"), back_a


def test_a_step_beside_damaged_timestamps() -> None:
    """A digit of some of them is lost on the serial line: that is not a step in the other direction."""

    def damaged(true_s: Floats) -> Floats:
        at = np.arange(len(true_s))
        return np.where(np.isin(at, [12, 20, 31]), true_s / 10, stepped(-2e-4)(true_s))

    (step,) = problems({"a": damaged, "b": good(3)})
    assert step.startswith("The clock of node a stepped back by 20"), step


def test_a_break_of_both_clocks_between_two_timestamps() -> None:
    """Samples are lost as one node steps back: it does not show that the other one stepped; a third node shows both."""
    clocks = {"a": steps(at_s=1.0, by_s=-1.5e-4), "b": good(3)}
    assert [] == problems(clocks, lost=3_000)
    (lost,) = problems({**clocks, "c": good(4)}, lost=3_000)
    assert re.match(r"\d+ ± \d+ samples are missing .*, by the timers of b, c, which agree", lost), lost


@pytest.mark.parametrize(("tick_us", "stood_s"), [(1, 0.07), (1, 0.35), (10_000, 0.35)])
def test_a_timer_that_stood_still(tick_us: float, stood_s: float) -> None:
    """Over several packets: one step back, as far as it stood, however coarse its ticks are."""
    clocks = {"a": lambda true_s: true_s - np.clip(true_s - 1, 0, stood_s), "b": good(3)}
    (stopped,) = problems(clocks, tick_us=tick_us)
    match = re.match(r"The clock of node a stepped back by (\S+) ± (\S+) ms between .*; that of b did not", stopped)
    assert match, stopped
    assert abs(float(match[1]) - stood_s * 1e3) <= float(match[2]) + 0.5 < stood_s * 1e3 / 2


def test_intervals_that_are_all_equal() -> None:
    """They show no step of the timer, but the timestamps do: a witness needs no variation."""

    def sent_s(random: np.random.Generator) -> Floats:
        return 0.500123 + PERIOD_S * np.arange(50)

    clocks = {"a": stepped(-1e-4), "b": good(0)}
    assert ["The clock of node a stepped back by 10"] == [text[:38] for text in problems(clocks, sent_s=sent_s)]


def test_the_analyzer_s_own_rate() -> None:
    """All timers run faster at once: it is the analyzer that runs slower."""
    (rate,) = problems({"a": faster(300), "b": faster(300)})
    assert re.match(
        r"The analyzer's clock changed its rate by -(29\d|30\d) ppm between .*, by the timers of a, b", rate
    )


@pytest.mark.parametrize(("lost", "least_lost"), [(5_000, 4_500), (-5_000, 1)])
def test_samples_whose_loss_would_have_been_found(lost: int, least_lost: int) -> None:
    """They are not stated to be missing; a smaller loss than the bound may be."""

    def bounds(limit: int) -> tuple[Bound, ...]:
        later = Bound(start=10**9, end=2 * 10**9, limit_samples=limit, found_by="a later one")
        return Bound(start=0, end=10**9, limit_samples=limit, found_by="a witness"), later

    direction = "forward" if lost > 0 else "back"
    (lossless,) = problems(CLOCKS, lost=lost, bounds=bounds(least_lost))
    assert lossless.startswith(f"The timers of a, b stepped {direction} by 20"), lossless
    assert lossless.endswith("s, for an unknown cause: no samples are missing there, by a witness.")
    for unfound in (bounds(5_000), bounds(1)[:0]):
        (sentence,) = problems(CLOCKS, lost=lost, bounds=unfound)
        assert sentence.endswith("which agree.")
        assert "samples are missing" in sentence or (lost < 0 and "samples too many are" in sentence)


WATCH_HZ = 32_768


def in_step(ticks: int, *, from_slip: int) -> Callable[[np.random.Generator], Floats]:
    """Packets a number of watch ticks apart, 0.2 µs more each time: from one of them on a tick has passed before it."""
    at = np.arange(50)
    sent_s: Floats = ticks / WATCH_HZ * (40 + at) + 0.2e-6 * (at - from_slip)
    return lambda random: sent_s


@pytest.mark.parametrize("ticks", [655, 768])  # 20 ms, and three ticks of Contiki-NG's clock
def test_watch_crystals_in_phase(ticks: int) -> None:
    """Both timers show a tick more from the same packet on, and neither knows of the other: nothing is missing."""
    clocks: dict[str, Clock] = {"a": good(0), "b": lambda true_s: true_s - 0.003 + 98 / WATCH_HZ}
    options: dict[str, Any] = {"tick_us": 1e6 / WATCH_HZ, "sent_s": in_step(ticks, from_slip=25)}

    assert [] == problems(clocks, **options)
    assert [] == problems(clocks, lost=700, **options)  # 29 µs: less than a tick
    (lost,) = problems(clocks, lost=6_000, **options)
    match = re.match(r"(\d+) ± (\d+) samples are missing .* by the timers of a, b", lost)
    assert match, lost
    assert abs(int(match[1]) - 6_000) <= int(match[2]) < 2_000


def test_a_watch_crystal_whose_time_is_set() -> None:
    """From then on it shows other µs than ticks have: that is a step, and its ticks are not."""

    def is_set(true_s: Floats) -> Floats:
        return np.floor(true_s * WATCH_HZ) / WATCH_HZ + np.where(true_s > 1.4, 995e-6, 0)

    def across_a_tick(random: np.random.Generator) -> Floats:
        """Half a µs after a tick, and before it, eight packets each."""
        at = np.arange(50)
        return np.asarray(655 / WATCH_HZ * (40 + at) + 0.5e-6 * np.where(at // 8 % 2, 1, -1))

    (step,) = problems({"a": is_set, "b": good(0)}, sent_s=across_a_tick)
    assert re.match(r"The clock of node a stepped forward by (9\d\d|10\d\d) ± \d+ µs", step), step


@pytest.mark.slow
@pytest.mark.parametrize("tick_us", [1, 30, 1000])
def test_clocks_without_a_break(tick_us: int) -> None:
    """Nothing is stated of crystals that warm up, wander or tick slowly, and of timestamps that are late."""

    def late(random: np.random.Generator) -> Floats:
        return np.where(random.random(1) < 0.05, random.exponential(2e-4, 1), random.exponential(1e-6, 1))

    def warm(true_s: Floats) -> Floats:
        return true_s + 20e-6 * 30 * (1 - np.exp(-true_s / 30))

    def wandering(true_s: Floats) -> Floats:
        steps = np.random.default_rng(len(true_s)).normal(0, 3e-6, len(true_s))
        return true_s + np.cumsum(steps)

    nodes = {"a": good(5), "b": warm, "c": wandering, "d": good(4000)}
    stated = [problems(nodes, packets=packets, tick_us=tick_us, late=late) for packets in range(8, 400, 9)]
    assert [] == [sentence for sentences in stated for sentence in sentences]


def trains(random: np.random.Generator, *, rest_s: float = 0.4, spacing_s: float = 1.6e-3) -> Floats:
    """30 trains of ten packets."""
    starts_s = 0.5 + np.arange(30) * rest_s + random.uniform(0, 1e-4, 30)
    return np.asarray((starts_s[:, None] + spacing_s * np.arange(10)).ravel())


@pytest.mark.parametrize("spacing_us", [1600.15, 1600.5, 1601.25])
def test_the_rest_between_trains(spacing_us: float) -> None:
    """The rate within a train is known to hundreds of ppm: it states nothing of the long interval to the next."""
    spacing_s = spacing_us * 1e-6
    assert [] == problems(CLOCKS, packets=300, sent_s=lambda random: trains(random, spacing_s=spacing_s))


def test_a_break_in_the_rest_between_trains() -> None:
    """It is stated alone: the rates within the trains before it and after it are not that of the rest."""

    def stepped_back(true_s: Floats) -> Floats:
        return true_s - np.where(true_s > 6.4, 0.01, 0.0)

    (lost,) = problems(CLOCKS, packets=300, lost=240_000, sent_s=trains)
    (step,) = problems({"a": stepped_back, "b": good(3)}, packets=300, sent_s=trains)

    match = re.match(r"(\d+) ± (\d+) samples are missing between 6\.11\d+ and 6\.49\d+ s, by the timers of a, b", lost)
    assert match, lost
    assert abs(int(match[1]) - 240_000) <= int(match[2]) < 24_000
    match = re.match(r"The clock of node a stepped back by (\S+) ± (\S+) ms between 6\.11\d+ and 6\.50\d+ s", step)
    assert match, step
    assert abs(float(match[1]) - 10) <= float(match[2]) < 1


def test_packets_that_are_late_to_the_end_of_a_train() -> None:
    """Their timestamps are right again in the next train: the timer did not step."""

    def early(true_s: Floats) -> Floats:
        return true_s - np.where((true_s > 1.208) & (true_s < 1.24), 2e-4, 0.0)

    assert [] == problems({"a": early, "b": good(3)}, packets=300, sent_s=lambda random: trains(random, rest_s=0.05))


def test_a_timer_without_a_crystal() -> None:
    """Its rate changes by a tenth of a percent every few seconds, as that of an RC oscillator does."""

    def rc(true_s: Floats) -> Floats:
        return true_s + 1e-3 * np.maximum(true_s - 1.0, 0.0)

    clocks = {"a": rc, "b": good(3)}
    assert {"The clock of node a"} == {sentence[:19] for sentence in problems(clocks)}
    assert [] == problems(clocks, steady_ppm={"a": 3800})
    (lost,) = problems({"a": rc, "b": rc}, lost=24_000, steady_ppm={"a": 3800, "b": 3800})
    assert re.match(r"2[34]\d{3} ± \d+ samples are missing", lost), lost


def test_a_dco_that_wanders_has_no_break() -> None:
    """Its rate changes all the time, here and there as much as by one step; that is not a fault of the bench."""
    steady_ppm = {"a": 3800.0, "b": 3800.0}  # of a TelosB
    pairs = ({"a": wandering(seed), "b": wandering(seed + 100)} for seed in range(60))
    assert [] == [line for clocks in pairs for line in problems(clocks, steady_ppm=steady_ppm)]
