"""The glue for RIOT: it compiles against headers of what it uses, and a stub RIOT runs it on the virtual M3."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
import riotglue
from commandline import gpiorig
from riotglue import CC2538, CORTEX_M3, CORTEX_M4, GLUE, MSP430, RIOT

from gpiorig.analysis.events import events as decoding
from gpiorig.analysis.events.table import EVENT_TYPES
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.analysis.packets.path import POINTS, Source
from gpiorig.capture.edges.edges import Edges
from gpiorig.rig.probes import hook_files
from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.ends import VirtualAnalyzer
from gpiorig.vbench.description.world import VirtualNode

pytestmark = pytest.mark.slow  # builds images

HOOKS = riotglue.FIRMWARE / "hooks" / "riot-2026.07.toml"
SAMPLERATE_HZ = 24_000_000
PS_PER_MS = 10**9
FRAME_GAP_NS = 280  # rig/gpiorig/rig/boards/iotlab-m3.toml
REQUESTS, FIRST_ID = 3, 0x0102  # standin/main.c
NAMES = {event.code: event.name for event in EVENT_TYPES}
Event = tuple[int, str, int]  # sample, name, id (-1: none)


@pytest.mark.parametrize("source", sorted(GLUE.glob("*.c")), ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("compiler", "modules", "options"),
    [
        pytest.param(CORTEX_M3, riotglue.ALL_MODULES, ("-DGPIORIG_IRQ_RADIO=10",), id="m3"),
        pytest.param(CORTEX_M4, riotglue.ALL_MODULES, ("-DGPIORIG_OPENWSN", "-DGPIORIG_LOG=64"), id="m4-openwsn"),
        pytest.param(
            CORTEX_M4, ("at86rf2xx",), ("-DGPIORIG_OPENWSN", "-DMODULE_OPENWSN_RADIO_NETDEV"), id="m4-openwsn-netdev"
        ),
        pytest.param(CC2538, riotglue.SUBMAC_MODULES, ("-DGPIORIG_IRQ_TABLE_CC2538",), id="cc2538-submac"),
        pytest.param(MSP430, riotglue.RAW_MODULES, (), id="msp430-raw"),
        pytest.param(CORTEX_M3, ("ztimer",), (), id="no-network"),
    ],
)
def test_glue_compiles(
    source: Path, compiler: tuple[str, ...], modules: tuple[str, ...], options: tuple[str, ...]
) -> None:
    """Without a warning, with every module that it knows and with none."""
    assert "" == riotglue.compile_only(compiler, source, modules, *options).stderr


APP = ('-DRIOT_BOARD="board"', "-DTABLE_CRC=1u", "-DDEFAULT_APP=APP_pingpong")
APP_COMMON = ("main", "console", "selftest", "settings", "rounds", "oneway")


@pytest.mark.slow
@pytest.mark.parametrize("variant", [(), ("-DGPIORIG_SELFTEST", "-DGPIORIG_LOG=64"), ("-DGPIORIG_OFF",)], ids=str)
@pytest.mark.parametrize(
    ("compiler", "modules", "files"),
    [
        pytest.param(CORTEX_M3, riotglue.STANDIN_MODULES, (*APP_COMMON, "link_udp", "link_mac"), id="gnrc"),
        pytest.param(MSP430, riotglue.RAW_MODULES, (*APP_COMMON, "link_netdev"), id="telosb"),
    ],
)
def test_application_compiles(
    compiler: tuple[str, ...], modules: tuple[str, ...], files: tuple[str, ...], variant: tuple[str, ...]
) -> None:
    """Over GNRC on a Cortex-M, over the driver alone on a TelosB; with all extras, and without probes."""
    for name in files:
        assert "" == riotglue.compile_only(compiler, RIOT / "app" / f"{name}.c", modules, *APP, *variant).stderr, name


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return riotglue.build_standin(tmp_path_factory.mktemp("standin"))


@pytest.fixture(scope="module")
def stage(image: Path) -> list[Event]:
    """What the pins of the virtual M3 tell, from its boot on until all requests are through."""
    boards = VirtualBoards(seed=1)
    try:
        boards.add_board("iotlab-m3", image.read_bytes(), VirtualNode())
        analyzer = boards.add_analyzer(samplerate_hz=SAMPLERATE_HZ, unitsize=1, config=VirtualAnalyzer(), key=1)
        for channel, pin in enumerate(("PB9", "PB5", "PB6")):
            boards.probe(analyzer, channel, 0, pin)
        boards.pass_time(50 * (REQUESTS + 2) * PS_PER_MS)
        block, end = boards.analyzer_edges(analyzer), boards.handed_out(analyzer)
        assert "" == boards.log
    finally:
        boards.close()
    channels = ("strobe", "d0", "d1")
    edges = Edges.from_blocks([block], samplerate_hz=Fraction(SAMPLERATE_HZ), channels=channels, end=end)
    events = decoding.from_edges(edges, [NodeLines("node", Bus("strobe", ("d0", "d1"), FRAME_GAP_NS))])
    assert 0 == len(events.damaged.samples)
    return [
        (int(sample), NAMES[int(code)], int(number))
        for sample, code, number in zip(events.samples, events.codes, events.ids, strict=True)
    ]


@pytest.fixture(scope="module")
def story(stage: list[Event]) -> list[Event]:
    """Without the timer's ticks, which come between anything and anything."""
    return [event for event in stage if not event[1].startswith("isr.timer")]


def between(events: list[Event], first: str, last: str, number: int) -> list[Event]:
    """From the first event of that name and packet id to the last one."""
    places = [at for at, (_, name, seen) in enumerate(events) if seen == number and name in (first, last)]
    return events[places[0] : places[-1] + 1]


def event_names(part: list[Event]) -> list[str]:
    """Names and, of threads, the running one (the number of its priority is not on the pins; 0 is idle)."""
    return [f"{name} {number}" if name == "sched.switch" else name for _, name, number in part]


# The order seen in RIOT c8bd52ff on native64, and for the at86rf2xx read in its source,
# without what the stub lacks.
# Threads are numbered in the order of their creation: main 1, the interface 2, 6lo 3, ipv6 4, udp 5, receiver 6.
SEND = """
app.tx.enter sock.tx.enter udp.header.enter udp.header.exit ipv6.header.enter ipv6.header.exit
queue.pass queue.post sched.switch_0 sched.switch_5 queue.fetch udp.tx.enter
queue.pass queue.post sched.switch_0 sched.switch_4 queue.fetch ipv6.tx.enter
ipv6.next_hop.enter ipv6.next_hop.exit udp.checksum.enter udp.checksum.exit
queue.pass queue.post sched.switch_0 sched.switch_3 queue.fetch sixlowpan.tx.enter sixlowpan.compress.enter
queue.pass queue.post sched.switch_0 sched.switch_2 task.run.enter queue.fetch mac.tx.enter mac.sequence driver.tx.enter
driver.prepare.enter driver.prepare.exit driver.load.enter driver.load.exit
driver.exec.enter driver.exec.exit radio.tx_start driver.tx.exit mac.tx.exit
task.run.exit sched.switch_0 sched.switch_3 sixlowpan.compress.exit sixlowpan.tx.exit
sched.switch_0 sched.switch_4 ipv6.tx.exit sched.switch_0 sched.switch_5 udp.tx.exit
sched.switch_0 sched.switch_1 sock.tx.exit app.tx.exit
"""
INTERRUPT = "isr.radio.enter queue.post isr.radio.exit sched.switch_2 task.run.enter queue.fetch driver.isr.enter"
TURN_ENDS = "driver.isr.exit task.run.exit sched.switch_0"
RECEIVE = f"""
{INTERRUPT} radio.rx_complete driver.rx_length.enter driver.rx_length.exit
driver.rx_read.enter driver.rx_read.exit mac.sequence mac.rx.enter mac.rx.exit queue.pass queue.post {TURN_ENDS}
sched.switch_3 queue.fetch sixlowpan.rx.enter sixlowpan.decompress.enter queue.pass queue.post
sixlowpan.decompress.exit sixlowpan.rx.exit sched.switch_0
sched.switch_4 queue.fetch ipv6.rx.enter queue.pass queue.post ipv6.rx.exit sched.switch_0
sched.switch_5 queue.fetch udp.rx.enter queue.pass queue.post udp.rx.exit sched.switch_0
sched.switch_6 queue.fetch sock.rx.enter sock.rx.exit app.rx.enter app.rx.exit
"""


def words(text: str) -> list[str]:
    return [word.replace("_", " ") if word.startswith("sched") else word for word in text.split()]


@pytest.mark.parametrize("number", range(FIRST_ID, FIRST_ID + REQUESTS), ids=hex)
def test_sending_nests_as_gnrc_does(story: list[Event], number: int) -> None:
    """A hand-over switches threads within the call, so layers are left in reverse after the driver has returned."""
    assert words(SEND) == event_names(between(story, "app.tx.enter", "app.tx.exit", number))


@pytest.mark.parametrize("number", range(FIRST_ID, FIRST_ID + REQUESTS), ids=hex)
def test_end_of_transmission_comes_from_the_interrupt(story: list[Event], number: int) -> None:
    """After the send call has returned, out of sleep."""
    at = story.index(next(event for event in story if event[1:] == ("radio.tx_complete", number)))
    around = event_names(story[at - len(words(INTERRUPT)) : at + 1 + len(words(TURN_ENDS))])

    assert words(f"{INTERRUPT} radio.tx_complete {TURN_ENDS}") == around


@pytest.mark.parametrize("number", range(FIRST_ID, FIRST_ID + REQUESTS), ids=hex)
def test_receiving_does_not_nest(story: list[Event], number: int) -> None:
    """A layer is left before the next one runs."""
    end = story.index(next(event for event in story if event[1:] == ("app.rx.exit", number)))

    assert words(RECEIVE) == event_names(story[end + 1 - len(words(RECEIVE)) : end + 1])


def test_every_layer_tells_the_packets_id(stage: list[Event]) -> None:
    """From the call of the application down to the driver, and from the first byte out of the radio up to it.

    Between 6LoWPAN and IPv6 the snip is 8 bytes too long; what is after the payload is not an id.
    """
    layers = ("app.", "sock.", "udp.", "ipv6.", "sixlowpan.", "mac.tx", "mac.rx")
    about_packets = (*layers, "driver.tx", "driver.load", "queue.pass")
    ids = {number for _, name, number in stage if name.startswith(about_packets) or name == "driver.rx_read.exit"}

    assert set(range(FIRST_ID, FIRST_ID + REQUESTS)) == ids


@pytest.mark.parametrize("number", range(FIRST_ID, FIRST_ID + REQUESTS), ids=hex)
def test_every_milestone_that_is_found_by_its_id_has_it(stage: list[Event], number: int) -> None:
    """But fragments, which a packet that fits a frame has not. Otherwise a step has a makeshift name."""
    wanted = {point.event for point in POINTS if point.source is Source.ID} - {"sixlowpan.fragment.enter"}

    assert wanted == wanted & {name for _, name, seen in stage if seen == number}


def test_sequence_numbers_link_the_frame_to_the_packet(stage: list[Event]) -> None:
    """One when the header is made, the same when the frame is read; the stub begins at 0x40."""
    assert [0x40, 0x40, 0x41, 0x41, 0x42, 0x42] == [number for _, name, number in stage if name == "mac.sequence"]


def test_interrupts_are_entered_and_left(stage: list[Event]) -> None:
    """TIM2 as the radio's, SysTick as a timer's; never one inside the other, since their priority is one."""
    isr = [name for _, name, _ in stage if name.startswith("isr.")]

    assert {"isr.radio.enter", "isr.radio.exit", "isr.timer.enter", "isr.timer.exit"} == set(isr)
    assert all(enter.replace("enter", "exit") == leave for enter, leave in zip(isr[::2], isr[1::2], strict=True))


def test_no_frame_is_lost(stage: list[Event]) -> None:
    """The firmware counts as many frames as the pins have shown."""
    at = next(at for at, (_, name, _) in enumerate(stage) if name == "rig.marker")

    assert at == stage[at][2]


def test_dig2_marks_received_frames(stage: list[Event]) -> None:
    """IRQ_2_EXT_EN of TRX_CTRL_1 is set once the interface has initialized its radio (AT86RF231, doc. 8111C, 11.6)."""
    assert 0x40 == [number for _, name, number in stage if name == "rig.marker"][1]


def test_boot_shows_the_wiring_and_the_cost(stage: list[Event]) -> None:
    """Before the first thread runs."""
    assert ["rig.boot", *["rig.calibrate"] * 32, "sched.switch"] == [name for _, name, _ in stage[:34]]


def test_each_wrap_has_its_wrapper() -> None:
    """And no wrapper is left over."""
    source = "".join(path.read_text() for path in GLUE.glob("*.c"))
    wrappers = re.findall(r"__wrap_(\w+)\(", source) + re.findall(r"^WRAP\([^,]+, (\w+),", source, re.MULTILINE)

    assert set(riotglue.wraps(riotglue.ALL_MODULES, packages="openwsn")) == set(wrappers) - {"name"}


def test_the_guard_knows_the_same_hooks(image: Path) -> None:
    """Its list of wrapped functions is that of wraps.mk, and it finds nothing lost in the stub's image."""
    wrapped = [hook.symbol for hook in hook_files.load(HOOKS).hooks if hook.kind == "function"]

    assert sorted(riotglue.wraps(riotglue.ALL_MODULES, packages="openwsn")) == sorted(wrapped)
    done = gpiorig("firmware", "check", image, "--os", "riot")
    assert (0, "") == (done.status, done.stderr)


def test_an_image_that_only_sends_is_in_order(tmp_path: Path) -> None:
    """Its wrapper of the receiving call is there, kept for the linker's sake, and nothing calls it."""
    done = gpiorig("firmware", "check", riotglue.build_standin(tmp_path, "-DNO_RECEIVER"), "--os", "riot")

    assert (0, "") == (done.status, done.stderr)


def test_link_time_optimisation_is_found_out(tmp_path: Path) -> None:
    """It links without a word, and every wrap is gone."""
    image = tmp_path / "standin.elf"
    assert (0, "") == ((done := riotglue.link_standin(image, "-flto")).returncode, done.stderr)

    checked = gpiorig("firmware", "check", image, "--os", "riot")
    assert 1 == checked.status
    for symbol in ("msg_receive", "gnrc_netapi_dispatch", "at86rf2xx_tx_exec"):
        assert f"{symbol}: 0 sites wrapped" in checked.stderr


def test_the_selftest_expects_what_the_guard_does() -> None:
    """The list in C has every event that the hook file expects of an initiator, whatever its radio."""
    listed = (RIOT / "app" / "selftest.c").read_text().split("expected[] = {")[1].split("};")[0]
    spans = re.findall(r"SPAN\((\w+)\)", listed)
    named = {f"{point}_{end}" for point in spans for end in ("ENTER", "EXIT")}
    named |= set(re.findall(r"GPIORIG_(\w+),", listed))

    expected = {event for point in hook_files.load(HOOKS).selftest.initiator for event in hook_files.events_of(point)}
    assert {event.upper().replace(".", "_") for event in expected} == named


@pytest.mark.parametrize("symbol", ["at86rf2xx_tx_exec", "gnrc_netapi_dispatch", "thread_flags_wait_any"])
def test_a_symbol_that_riot_renames_is_a_link_error(tmp_path: Path, symbol: str) -> None:
    """Definition and calls have another name: the wrapper is never called, and the linker names what it stands on."""
    renamed = tmp_path / "standin.elf"
    glue_keeps = f"-D__real_{symbol}=__real_{symbol}"
    done = riotglue.link_standin(renamed, glue_keeps, f"-D{symbol}=renamed_{symbol}")

    assert 0 != done.returncode
    assert re.search(rf"undefined reference to `(__real_)?{symbol}'", done.stderr), done.stderr
