"""The kernels of the reference firmware and their alarms: the self-test image on each processor, the list on the PC."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from dataclasses import dataclass
from fractions import Fraction

import images
import pytest
from images import FIRMWARE

from gpiorig.analysis.events import events
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.bench import boards
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

BOARDS = ("iotlab-m3", *(pytest.param(name, marks=pytest.mark.slow) for name in ("nucleo-l476rg", "telosb")))
CONSOLE = 0
RATE_HZ = 24_000_000
PS_PER_S = 10**12
STEP_PS = PS_PER_S // 20
EVENTS_PS = 3 * PS_PER_S  # by then it has turned its events off
LONG_PS = 5000 * PS_PER_S  # longer than the alarms that outlast the 32-bit counter of microseconds, 77 minutes


@dataclass(frozen=True)
class Run:
    """The lines of an image by the name of the check, and the events on its pins until it turned the events off."""

    kernel: str
    printed: dict[str, str]
    events: Events
    log: str

    def names(self, *, group: str) -> list[tuple[str, int]]:
        """(name, id) of the events whose name begins so."""
        pairs = zip(self.events.codes.tolist(), self.events.ids.tolist(), strict=True)
        named = [(BY_CODE[code].name, number) for code, number in pairs]
        return [pair for pair in named if pair[0].startswith(group)]


def run_selftest(board: str, image: bytes) -> tuple[str, Edges, str]:
    """The console's text, the edges until the line `events`, and the models' remarks."""
    pins = boards.load(board).pins
    channels = ("strobe", *boards.load(board).data_lines)
    world = VirtualBoards(seed=1)
    try:
        world.add_board(board, image, VirtualNode())
        analyzer = world.add_analyzer(samplerate_hz=RATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=1)
        for number, line in enumerate(channels):
            world.probe(analyzer, number, 0, pins[line])
        blocks, text = [], ""
        while "\nevents" not in text and world.now_ps < EVENTS_PS:
            world.pass_time(world.now_ps + STEP_PS)
            blocks.append(world.analyzer_edges(analyzer))
            text += world.uart_read(0, CONSOLE)[1].decode()
        end = world.handed_out(analyzer)
        world.stop_analyzer(analyzer)
        while not re.search(r"^(done|fault .*)\n", text, re.MULTILINE) and world.now_ps < LONG_PS:
            world.pass_time(world.now_ps + PS_PER_S)
            text += world.uart_read(0, CONSOLE)[1].decode()
        edges = Edges.from_blocks(blocks, samplerate_hz=Fraction(RATE_HZ), channels=channels, end=end)
        return text, edges, world.log
    finally:
        world.close()


def decode(board: str, edges: Edges) -> Events:
    description = boards.load(board)
    bus = Bus(strobe="strobe", data=description.data_lines, frame_gap_ns=description.frame_gap_ns)
    return events.from_edges(edges, [NodeLines(name="node", bus=bus, lines={})])


@pytest.fixture(scope="module", params=["events", "threads"])
def kernel(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=BOARDS)
def run(request: pytest.FixtureRequest, kernel: str) -> Run:
    board = str(request.param)
    image = images.build(board, f"KERNEL={kernel}", "PROGRAM=selftest", program="selftest")
    text, edges, log = run_selftest(board, image.read_bytes())
    counts = dict(line.split(" ", 1) if " " in line else (line, "") for line in text.splitlines() if line)
    return Run(kernel, counts, decode(board, edges), log)


def number(text: str, key: str) -> int:
    """The value of `key` in a line."""
    match = re.search(rf"\b{key}=(\d+)", text)
    assert match is not None
    return int(match[1])


@pytest.mark.slow
def test_a_more_urgent_actor_pre_empts(run: Run) -> None:
    """Threads: at once, also within one that was pre-empting; events: one after the other, in the order of posting."""
    assert {"threads": "trace=(umU)", "events": "trace=()uUm"}[run.kernel] == run.printed["order"]


def test_passing_on_is_a_message_or_a_call(run: Run) -> None:
    assert {"threads": "trace=mMu", "events": "trace=muM"}[run.kernel] == run.printed["pass"]


def test_signals_coalesce_and_go_before_messages(run: Run) -> None:
    """Bits 0, 2, 0 and 1, the last one taken back: one call with 5, then the messages that came before it."""
    assert "trace=5ab" == run.printed["signals"]


def test_a_full_queue_refuses_and_counts(run: Run) -> None:
    assert "trace=++++--abcd dropped=2 longest=4" == run.printed["queue"]


def test_a_cancelled_alarm_takes_its_signal_back(run: Run) -> None:
    assert "trace=x2" == run.printed["take_back"]


def test_alarms_come_in_order_and_never_early(run: Run) -> None:
    """In the past, cancelled, set again, and beyond a turn of the 16-bit compare; then beyond a wrap of timer_now."""
    assert run.printed["alarms"].startswith("trace=h.gebfc early=0 ")
    assert run.printed["long_alarms"].startswith("trace=lllllll early=0 ")
    assert run.printed["long_alarms"].endswith("wrapped=1")
    # Far less than a turn, which an alarm would be late by that missed its match.
    assert max(number(run.printed["alarms"], "late_us"), number(run.printed["long_alarms"], "late_us")) < 1000


def test_equals_take_turns_of_a_slice(run: Run) -> None:
    """Two times 5 ms of work in slices of 1 ms, also when another actor pre-empts more often than that."""
    for name in ("slices", "slices_interrupted"):
        trace = run.printed[name].removeprefix("trace=")
        if run.kernel == "events":
            assert "AB" == trace
        else:
            assert re.fullmatch(r"(AB){4,}A?", trace)
    assert re.fullmatch(r"(AB){4,7}A?", run.printed["slices"].removeprefix("trace=")) or run.kernel == "events"


def test_one_alone_is_not_interrupted(run: Run) -> None:
    """10 ms of work of one worker: the switch to it is the only one."""
    assert f"trace=A switches={int(run.kernel == 'threads')}" == run.printed["alone"]


def test_priorities_change_at_run_time(run: Run) -> None:
    assert {"threads": "trace=BA", "events": "trace=AB"}[run.kernel] == run.printed["priority"]
    assert {"threads": "trace=aBA", "events": "trace=aAB"}[run.kernel] == run.printed["own_priority"]


def test_a_stack_overflow_is_a_fault_that_names_the_actor(run: Run) -> None:
    if run.kernel == "threads":
        assert "stack app_actor" == run.printed["fault"]
        assert "overflow" not in run.printed
        assert min(number(run.printed["stack"], "mac_left"), number(run.printed["stack"], "console_left")) > 0
    else:
        assert "done" in run.printed


def test_pins_show_what_the_kernel_did(run: Run) -> None:
    """No frame is damaged or missing; spans pair; the actor that runs is the one that was switched to."""
    assert 0 == len(run.events.damaged)
    assert number(run.printed["events"], "probes") <= run.events.frames(
        "node"
    )  # it tells of them before it turns them off
    assert 2 == len(run.names(group="queue.drop"))
    assert len(run.names(group="queue.post")) == len(run.names(group="queue.fetch"))
    sets = 12 + (run.kernel == "threads")  # the workers, equals, share their first slice
    assert (sets, 8, 8) == tuple(len(run.names(group=g)) for g in ("timer.set", "timer.fire.enter", "timer.fire.exit"))
    at_work: list[int] = []
    running, asleep = 0, False
    for name, actor in run.names(group=""):
        if name == "sched.switch":
            running = actor
        elif name.startswith("sched.sleep"):
            assert asleep == name.endswith("exit")
            asleep = not asleep
        elif name == "task.run.enter":
            assert not asleep
            assert running == actor or run.kernel == "events"
            at_work.append(actor)
        elif name == "task.run.exit":
            assert at_work.pop() == actor
    assert bool(run.names(group="sched.switch")) == (run.kernel == "threads")


def test_the_models_had_nothing_to_remark(run: Run) -> None:
    assert "" == run.log


# The list of alarms, on the PC

BOARD_H = """
#include <stdint.h>
typedef unsigned irq_state;
static inline irq_state irq_lock(void) { return 0; }
static inline void irq_unlock(irq_state state) { (void)state; }
"""
HARNESS = """
#include "alarm.h"
#include "timer.h"
uint32_t now, armed;
int is_armed;
unsigned signals;
struct alarm alarms[8];
uint32_t timer_now(void) { return now; }
void timer_arm(uint32_t deadline_us) { armed = deadline_us; is_armed = 1; }
void timer_disarm(void) { is_armed = 0; }
void uart_port_poll(void) {}
void actor_signal(struct actor *to, uint16_t bits) { (void)to; signals |= bits; }
void actor_unsignal(struct actor *to, uint16_t bits) { (void)to; signals &= ~(unsigned)bits; }
void set(unsigned i, uint32_t at) { alarms[i].signals = (uint16_t)(1u << i); alarm_set(&alarms[i], at); }
void cancel(unsigned i) { alarm_cancel(&alarms[i]); }
"""


@pytest.fixture(scope="module")
def alarms(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("alarms")
    (folder / "board.h").write_text(BOARD_H)
    (folder / "harness.c").write_text(HARNESS)
    kernel = FIRMWARE / "reference/kernel"
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-DGPIORIG_OFF"]
    options += [f"-I{path}" for path in (folder, kernel, kernel / "events", FIRMWARE / "include")]
    subprocess.run(["cc", *options, "-o", folder / "alarms.so", kernel / "alarm.c", folder / "harness.c"], check=True)
    return ctypes.CDLL(str(folder / "alarms.so"))


@pytest.mark.slow
def test_alarms_are_a_sorted_set(alarms: ctypes.CDLL) -> None:
    """Random settings, cancellations, interrupts, across the counter's wrap, against a dictionary of deadlines."""
    choose = random.Random(2**32)
    now, armed = ctypes.c_uint32.in_dll(alarms, "now"), ctypes.c_uint32.in_dll(alarms, "armed")
    is_armed, signals = ctypes.c_int.in_dll(alarms, "is_armed"), ctypes.c_uint.in_dll(alarms, "signals")
    pending: dict[int, int] = {}
    given: set[int] = set()
    time = 2**32 - 300_000
    for _ in range(20_000):
        time += choose.choice((0, 1, choose.randrange(100)))
        now.value = time % 2**32
        which = choose.randrange(8)
        action = choose.random()
        if action < 0.4:
            pending[which] = time + choose.randrange(-50, 300)
            given.discard(which)
            alarms.set(which, ctypes.c_uint32(pending[which] % 2**32))
        elif action < 0.6:
            pending.pop(which, None)
            given.discard(which)
            alarms.cancel(which)
        else:
            due = {i for i, deadline in pending.items() if deadline <= time}
            given |= due
            pending = {i: deadline for i, deadline in pending.items() if i not in due}
            alarms.alarm_interrupt()
        assert bool(pending) == bool(is_armed.value)
        if pending:
            assert min(pending.values()) % 2**32 == armed.value
        assert given == {i for i in range(8) if signals.value >> i & 1}
    assert time > 2**32
