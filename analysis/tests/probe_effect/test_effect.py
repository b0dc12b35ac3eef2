"""Landmarks that need no probe, and the extrapolation to zero probes, on ping-pongs whose every instant is known."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from madeevents import events_of_rows

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog, parse
from gpiorig.analysis.probe_effect import delays, landmarks
from gpiorig.analysis.probe_effect import effect as probe_effect
from gpiorig.analysis.probe_effect.delays import LOG, MARK_TO_MARK, REST, ROUND_TRIP, TAPS, Delay
from gpiorig.analysis.probe_effect.landmarks import IRQ, LANDMARKS, MARK, NAMES, SELECT

NAN = float("nan")
US = 24  # samples at 24 MHz
INTERVAL_US = 20_000
FRAME_US, ACK_US = 1500, 160
ASKS, ANSWERS = 0, 1


@dataclass
class Taps:
    """The lines of two radios; with `sent` they also mark the frames that they send, and acknowledgements."""

    sent: bool = False
    rows: list[tuple[int, int, str]] = field(default_factory=list)
    truth: list[list[int]] = field(default_factory=list)
    now: int = 0

    def show(self, node: int, event: str, after_us: float = 0) -> int:
        self.now += round(after_us * US)
        self.rows.append((self.now, node, event))
        return self.now

    def access(self, node: int, us: float, *, pause_us: float = 5) -> tuple[int, int]:
        """One access over SPI; the select line is low meanwhile."""
        return self.show(node, f"{SELECT}.exit", pause_us), self.show(node, f"{SELECT}.enter", us)

    def mark(self, node: int, sender: int, us: float, *, wait_us: float) -> int:
        start = self.show(node, f"{MARK}.enter", wait_us)
        if self.sent:
            self.rows.append((start - US, sender, f"{MARK}.enter"))
            self.rows.append((start + round(us * US), sender, f"{MARK}.exit"))
        self.show(node, f"{MARK}.exit", us)
        return start

    def transmit(self, node: int, to: int, *, polls: int) -> tuple[int, int, int]:
        """Prepare, load, start; then the frame, its interrupt at the receiver, and the acknowledgement."""
        first, _ = self.access(node, 3, pause_us=0)
        for _ in range(polls):
            self.access(node, 3)
        self.access(node, 120)
        _, last = self.access(node, 3)
        return first, last, self.mark(to, node, FRAME_US, wait_us=340)

    def ping_pong(self, start_us: int, *, stack_us: float, polls: int = 2, reply: bool = True) -> None:
        self.now = start_us * US
        row = list(self.transmit(ASKS, ANSWERS, polls=polls))
        row += self.receive(ANSWERS)
        if self.sent:
            self.mark(ASKS, ANSWERS, ACK_US, wait_us=0)
        self.now = row[-1] + round(stack_us * US)
        if not reply:
            return
        row += self.transmit(ANSWERS, ASKS, polls=polls)
        row += self.receive(ASKS)
        self.truth.append(row)

    def receive(self, node: int) -> tuple[int, int, int]:
        irq = self.show(node, f"{IRQ}.enter")
        first, _ = self.access(node, 3)
        self.access(node, 3)
        _, last = self.access(node, 122)
        return irq, first, last

    def events(self) -> Events:
        end = max(self.rows)[0] + INTERVAL_US * US
        return events_of_rows(((*row, None) for row in self.rows), ("asks", "answers"), end=end)

    def find(self) -> landmarks.Exchanges:
        return landmarks.find(self.events(), initiator="asks", responder="answers", interval_ns=INTERVAL_US * 1000)


def log(taps: Taps, *, down_us: int = 40, up_us: int = 50) -> NodeLog:
    """The log of the node that asks: its timestamps are before its stack sends and after it has received."""
    lines = (
        f"packet seq={number} tx_us={row[0] // US - down_us} rx_us={row[-1] // US + up_us} status=ok\n"
        for number, row in enumerate(taps.truth, start=1)
    )
    return parse("".join(lines), node="asks")


def run(stack_us: float, *, polls: int = 2, n: int = 20) -> tuple[Delay, ...]:
    """The delays of a run with this time in its stack; packets wait random times, the same in every run."""
    random = np.random.default_rng(7)
    taps = Taps()
    for number in range(n):
        taps.ping_pong((number + 1) * INTERVAL_US + int(random.integers(0, 900)), stack_us=stack_us, polls=polls)
    return delays.delays(
        taps.events(), log(taps), initiator="asks", responder="answers", interval_ns=INTERVAL_US * 1000
    )


@pytest.mark.parametrize("sent", [False, True])
def test_landmarks_are_found_where_they_are(sent: bool) -> None:
    """Radios that mark only received frames, or also sent frames and acknowledgements."""
    taps = Taps(sent)
    for number in range(5):
        taps.ping_pong((number + 1) * INTERVAL_US, stack_us=100 + 30 * number, polls=number)
    landmarks = taps.find()

    assert NAMES == landmarks.names
    assert landmarks.clean.all() and 5 == len(landmarks.clean)
    assert np.array_equal(np.array(taps.truth), landmarks.samples)


def test_ping_pong_without_a_reply_is_not_clean() -> None:
    taps = Taps()
    for number in range(4):
        taps.ping_pong((number + 1) * INTERVAL_US, stack_us=100, reply=number != 2)
    landmarks = taps.find()

    assert [True, True, False, True] == landmarks.clean.tolist()
    assert np.array_equal(np.array(taps.truth), landmarks.samples)


def test_a_node_without_marks_is_named() -> None:
    taps = Taps()
    taps.access(ASKS, 3)
    with pytest.raises(EventError, match=r"node `asks`: its line tap\.frame_timestamp shows no frame"):
        taps.find()


def test_an_unprobed_image_that_marks_no_frames_has_its_own_timestamps() -> None:
    """RIOT's radio drives the line only where the probes ask it to: the round trip is still compared."""
    taps = Taps()
    taps.ping_pong(INTERVAL_US, stack_us=100)
    silent = events_of_rows((), ("asks", "answers"), end=1)
    (alone,) = delays.without_landmarks(silent, log(taps))
    assert (ROUND_TRIP, LOG, 1) == (alone.name, alone.source, len(alone.ids))

    runs = {"normal": run(110), "doubled": run(120), "off": run(100)[:1]}
    first, *others = probe_effect.compare(runs, event_ns={}, paired=False).effects

    assert ROUND_TRIP == first.name
    assert 10_000 == pytest.approx(first.true_cost_ns, abs=2000)  # timestamps of a microsecond
    assert all(np.isnan(effect.true_cost_ns) for effect in others)


def test_steps_and_the_rest_add_up_to_the_logged_round_trip() -> None:
    logged, mark_to_mark, *others = run(150)
    steps, rest = others[:-1], others[-1]

    assert (ROUND_TRIP, MARK_TO_MARK, REST) == (logged.name, mark_to_mark.name, rest.name)
    assert [step for _, step, _ in LANDMARKS[1:]] == [step.name for step in steps]
    assert np.allclose(logged.ns, rest.ns + np.sum([step.ns for step in steps], axis=0))
    assert np.all(np.abs(rest.ns - 90_000) <= 2000)  # 40 us down and 50 us up, in timestamps of a microsecond


def test_linear_cost_is_extrapolated_to_the_truth() -> None:
    """The extrapolation equals the run without probes if the stack grows by the same time with each event."""
    runs = {"off": run(100), "normal": run(180), "doubled": run(260), "empty": run(170)}
    meter = probe_effect.compare(runs, event_ns={}, paired=True)
    stack = meter.effect("turn-around: stack and application", TAPS)

    assert 80_000 == pytest.approx(stack.cost_ns, abs=stack.resolution_ns)
    assert 100_000 == pytest.approx(stack.zero_ns, abs=2 * stack.resolution_ns)
    assert stack.within is True
    assert abs(stack.error_ns) <= stack.resolution_ns


def test_what_is_not_linear_is_said_so() -> None:
    """A driver that polls until the radio is ready absorbs the time of the stack: true cost 0, extrapolated 100 us."""
    runs = {"off": run(100), "normal": run(100), "doubled": run(200)}
    stack = probe_effect.compare(runs, event_ns={}, paired=True).effect("turn-around: stack and application", TAPS)

    assert 0 == pytest.approx(stack.true_cost_ns, abs=stack.resolution_ns)
    assert 100_000 == pytest.approx(stack.cost_ns, abs=stack.resolution_ns)
    assert stack.within is False
    assert np.isnan(stack.error_share)  # of a cost that is not resolved


def delay(ns: np.ndarray, *, start: int = 1) -> tuple[Delay, ...]:
    return (Delay(ROUND_TRIP, "asks", LOG, np.arange(start, start + len(ns), dtype=np.int32), ns, 1000.0),)


def test_pairs_see_through_a_lattice() -> None:
    """A backoff of 0 to 7 slots of 320 us hides 10 us from two independent runs, not from pairs with the same draws."""
    draws = np.random.default_rng(3).integers(0, 8, 200) * 320_000.0
    other = np.random.default_rng(4).integers(0, 8, 200) * 320_000.0
    paired = probe_effect.compare(
        {"normal": delay(draws + 10_000), "doubled": delay(draws + 20_000)}, event_ns={}, paired=True
    ).effects[0]
    independent = probe_effect.compare(
        {"normal": delay(draws + 10_000), "doubled": delay(other + 20_000)}, event_ns={}, paired=False
    ).effects[0]

    assert (10_000.0, 8_000.0, 12_000.0) == (paired.cost_ns, paired.low_ns, paired.high_ns)
    assert independent.high_ns - independent.low_ns > 320_000


def test_only_packets_of_both_runs_are_paired() -> None:
    more, less = np.arange(10) * 1e6, np.arange(10) * 1e6
    effect = probe_effect.compare(
        {"normal": delay(less), "doubled": delay(more[3:] + 5000, start=4)}, event_ns={}, paired=True
    ).effects[0]

    assert 7 == effect.packets
    assert 5000.0 == effect.cost_ns


@pytest.mark.slow
def test_interval_holds_the_truth_as_often_as_it_says() -> None:
    """100 experiments with Gaussian delays; 88 of them is 3 standard deviations of a binomial below 95."""
    random = np.random.default_rng(11)
    held = 0
    for _ in range(100):
        normal, doubled = random.normal(50_000, 3000, 40), random.normal(60_000, 3000, 40)
        effect = probe_effect.compare({"normal": delay(normal), "doubled": delay(doubled)}, event_ns={}, paired=False)
        only = effect.effects[0]
        held += only.low_ns + only.resolution_ns <= 10_000 <= only.high_ns - only.resolution_ns

    assert held >= 88


def test_the_longest_access_before_the_next_pause_is_the_reading() -> None:
    begins = np.array([100, 200, 300, 900])
    node = landmarks._Node(*np.zeros((3, 0), np.int64), begins, np.add(begins, [20, 60, 30, 90]))
    assert (100, 260) == landmarks._read(node, 100, 1000, apart=500)
    assert (100, 990) == landmarks._read(node, 100, 990, apart=570)  # the pause is 570 long
    assert (200, 260) == landmarks._read(node, 101, 989, apart=0)
    assert landmarks._read(node, 901, 1000, apart=0) is None


def test_the_frame_that_is_read_is_the_longest_access_of_the_burst():
    """Accesses of 8, 2 and, after a pause, 50 samples, from sample 100 on."""
    begins, ends = np.array([100, 110, 400]), np.array([108, 112, 450])
    none = np.zeros(0, dtype=np.int64)
    node = landmarks._Node(none, none, none, begins, ends)
    assert (100, 108) == landmarks._read(node, 100, 1000, apart=50)
    assert (110, 112) == landmarks._read(node, 109, 1000, apart=50)
    assert (100, 450) == landmarks._read(node, 100, 1000, apart=500)
    assert landmarks._read(node, 451, 1000, apart=50) is None


def marked(*rows: tuple[float, int, str]) -> Events:
    """Lines of both radios, at times in us."""
    return events_of_rows(
        ((round(at * US), node, event, None) for at, node, event in rows), ("asks", "answers"), end=60_000 * US
    )


def frame(at: float, node: int, us: float = FRAME_US) -> list[tuple[float, int, str]]:
    return [(at, node, f"{MARK}.enter"), (at + us, node, f"{MARK}.exit")]


@pytest.mark.parametrize(
    ("rows", "clean"),
    [
        (frame(1000, ANSWERS) + frame(4000, ASKS), [True]),
        (frame(1000, ANSWERS) + frame(11_000, ASKS), [True]),  # half of the interval apart: one ping-pong
        (frame(1000, ANSWERS) + frame(11_001, ASKS), [False, False]),
        (frame(1000, ANSWERS) + frame(21_000, ANSWERS) + frame(24_000, ASKS), [False, True]),
        (frame(1000, ASKS) + frame(21_000, ANSWERS) + frame(24_000, ASKS), [False, True]),
        (frame(1000, ANSWERS) + frame(4000, ANSWERS) + frame(7000, ASKS), [False]),  # three frames
        (frame(1000, ANSWERS) + frame(1050, ASKS) + frame(4000, ASKS), [True]),  # both mark the request
        (frame(1000, ANSWERS) + frame(1051, ASKS) + frame(4000, ASKS), [False]),
        (frame(1000, ANSWERS) + frame(2500, ASKS, FRAME_US * 0.49) + frame(4000, ASKS), [True]),  # an acknowledgement
        (frame(1000, ANSWERS) + frame(2500, ASKS, FRAME_US * 0.5) + frame(4000, ASKS), [False]),
        (frame(1000, ANSWERS) + frame(4000, ASKS) + frame(21_000, ANSWERS) + frame(24_000, ASKS), [True, True]),
        (frame(0, ANSWERS) + frame(3000, ASKS), [True]),
    ],
)
def test_frames_of_a_ping_pong(rows: list[tuple[float, int, str]], clean: list[bool]) -> None:
    """One request and one reply, within half of the interval of each other; frames within 50 us are one."""
    found = landmarks.find(marked(*rows), initiator="asks", responder="answers", interval_ns=INTERVAL_US * 1000)
    assert clean == found.clean.tolist()
    if all(clean):
        assert ("request.mark", "reply.mark") == found.names
        assert [round(rows[0][0] * US), round(rows[-2][0] * US)] == found.samples[-1].tolist() or len(clean) > 1


@pytest.mark.parametrize(
    ("true", "within", "share"),
    [
        (10.0, True, NAN),
        (20.0, True, 0.25),
        (22.0, True, 7 / 22),
        (22.1, False, None),
        (8.0, True, NAN),
        (7.9, False, NAN),
    ],
)
def test_whether_the_truth_is_in_the_interval(true: float, within: bool, share: float | None) -> None:
    """Both ends are in it; a true cost that is not resolved has no error as a share."""
    effect = probe_effect.Effect("x", "a", LOG, 3, 9, {"normal": 100.0}, 15.0, 8.0, 22.0, true, 10.0)
    assert within == effect.within
    assert 85.0 == effect.zero_ns and true - 15.0 == effect.error_ns
    if share is not None:
        assert share == pytest.approx(effect.error_share, nan_ok=True)


def test_what_is_not_known_of_an_effect() -> None:
    """Without the build without probes; delays that the doubled build lacks are left out."""
    effect = probe_effect.Effect("x", "a", LOG, 3, 9, {}, 15.0, 8.0, 22.0, NAN, 10.0)
    assert effect.within is None and np.isnan(effect.zero_ns)
    delay = Delay("x", "a", LOG, np.arange(5, dtype=np.int32), np.arange(5) * 10.0, 1.0)
    alone = Delay("y", "a", LOG, np.arange(5, dtype=np.int32), np.arange(5) * 10.0, 1.0)
    meter = probe_effect.compare({"normal": (delay, alone), "doubled": (delay,)}, event_ns={}, paired=True)
    assert ["x"] == [found.name for found in meter.effects]
    row = probe_effect.table(meter).to_pylist()[0]
    assert row["true_cost_ns"] is None and row["off_ns"] is None and 20.0 == row["normal_ns"] and 0.0 == row["cost_ns"]
    assert (-2.0, 2.0) == (row["cost_low_ns"], row["cost_high_ns"])


def test_the_round_trip_of_a_log() -> None:
    """Timestamps of 32 bits begin again; 0 is one of them; lost packets have none."""
    lines = "packet seq=1 tx_us=0 rx_us=7 status=ok\npacket seq=2 tx_us=4294967290 rx_us=4 status=ok\n"
    lines += "packet seq=3 tx_us=9 rx_us=0 status=ok\npacket seq=4 tx_us=9 status=timeout\n"
    found = delays.logged_round_trip(parse(lines, node="a"))
    assert [1, 2, 3] == found.ids.tolist()
    assert [7e3, 10e3, ((1 << 32) - 9) * 1e3] == found.ns.tolist()
