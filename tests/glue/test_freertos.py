"""The FreeRTOS glue on the unmodified kernel: the pins show what the program counted, in the order it must have."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import compilers
import pytest
from commandline import ROOT, gpiorig
from freertos_image import CORTEX_M3, CORTEX_M4F, FOREIGN, NRF52840, build
from probed_image import Ran, Seen, run

FIRMWARE = ROOT / "firmware-gpio-probes"
LIBRARY = sorted((FIRMWARE / "src").glob("*.c"))
PRODUCER, CONSUMER, LISTENER, REPORTER = 1, 2, 3, 4  # tasks, in the order of their creation
MESSAGES, SIGNALS, MUTEX = 1, 2, 3  # queues
NOTIFICATION = 0x100  # GPIORIG_FREERTOS_NOTIFICATION
PENDED_IRQ, TIMER0_IRQ = 40, 8
VECTORS = ("-DWITH_VECTORS", "-DGPIORIG_FREERTOS_ISR=0", "-DGPIORIG_IRQS=43")
# The cores run at their clocks after reset, so a symbol takes that many times longer than the ports are made for.
BOARDS = {
    "iotlab-m3": ("ARM_CM3", CORTEX_M3, 72 // 8),
    "nucleo-l476rg": ("ARM_CM4F", CORTEX_M4F, 80 // 4),
    "nrf52840dk": ("ARM_CM4F", NRF52840, 1),
}


def probed(kernel: Path, image: Path, board: str, *options: str) -> bytes:
    """The program with glue and probe library."""
    port, core, _ = BOARDS[board]
    folders = [f"-I{FIRMWARE / name}" for name in ("include", "ports", "freertos", "cortex-m")]
    flags = [*core, *folders, f"-DGPIORIG_PORT={board}", "-Wall", "-Wextra", "-Werror", *options]
    vectors = [FIRMWARE / "cortex-m" / "vectors.c"] if "-DWITH_VECTORS" in options else []
    return build(kernel, image, port=port, options=flags, program=FOREIGN / "probed", more=[*LIBRARY, *vectors])


def counts(ran: Ran) -> dict[str, int]:
    """The counts that the program prints at its end."""
    assert 1 == len(ran.printed)
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", ran.printed[0])}


def running(events: list[Seen]) -> list[int]:
    """The task that runs while each event is sent; 0 in an interrupt and before the first switch."""
    intervals, task, inside = [], 0, 0
    for event in events:
        if event.name == "sched.switch":
            task = event.id
        inside += event.name in ("isr.other.enter", "isr.timer.enter")
        intervals.append(0 if inside else task)
        inside -= event.name in ("isr.other.exit", "isr.timer.exit")
    return intervals


@pytest.fixture(scope="module", params=BOARDS)
def ran(request: pytest.FixtureRequest, freertos_kernel: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The program with its vectors in RAM, on each board."""
    board = str(request.param)
    image = probed(freertos_kernel, tmp_path_factory.mktemp(board) / "a.elf", board, *VECTORS)
    return run(board, image, virtual_s=1, slower=BOARDS[board][2])


@pytest.mark.slow
def test_the_pins_say_what_the_program_counted(ran: Ran) -> None:
    """Every switch, post, fetch, drop, notification, delay and interrupt, by the program's own counts."""
    counters = counts(ran)
    events = Counter((event.name, event.id) for event in ran.events)
    assert (0, "", counters["frames"]) == (ran.damaged, ran.log, len(ran.events))
    assert counters["switches"] == len(ran.ids("sched.switch"))
    expected = {
        ("queue.post", MESSAGES): counters["posted"],
        ("queue.fetch", MESSAGES): counters["fetched"],
        ("queue.drop", MESSAGES): counters["dropped"],
        ("queue.post", SIGNALS): counters["interrupts"],
        ("queue.fetch", SIGNALS): counters["heard"],
        ("queue.post", NOTIFICATION + LISTENER): counters["notified"],
        ("queue.fetch", NOTIFICATION + LISTENER): counters["notified"],
        ("queue.fetch", MUTEX): counters["heard"],
        ("queue.post", MUTEX): counters["heard"] + 1,  # the kernel gives a mutex once when it makes it
        ("timer.set", -1): counters["delays"],
        ("isr.other.enter", PENDED_IRQ): counters["interrupts"],
        ("isr.other.exit", PENDED_IRQ): counters["interrupts"],
    }
    assert expected == {key: events[key] for key in expected}
    ticks = {("isr.timer", -1): 0, ("isr.other", TIMER0_IRQ): 0}  # by SysTick, or by a timer of an nRF52840
    for name, number in ticks:
        assert events[f"{name}.enter", number] == events[f"{name}.exit", number]
        ticks[name, number] = events[f"{name}.enter", number]
    assert [0, counters["ticks"]] == sorted(ticks.values())
    assert min(counters["dropped"], counters["heard"]) > 10


@pytest.mark.slow
def test_events_come_from_the_task_that_runs(ran: Ran) -> None:
    """The producer posts and drops, the consumer fetches, the handler posts; the listener, most urgent, wakes up."""
    who: dict[tuple[str, int], set[int]] = {}
    for event, task in zip(ran.events, running(ran.events), strict=True):
        who.setdefault((event.name, event.id), set()).add(task)
    expected = {
        ("queue.post", MESSAGES): {PRODUCER},
        ("queue.drop", MESSAGES): {PRODUCER},
        ("queue.fetch", MESSAGES): {CONSUMER},
        ("queue.post", SIGNALS): {0},
        ("queue.fetch", SIGNALS): {LISTENER},
        ("queue.post", NOTIFICATION + LISTENER): {LISTENER},
    }
    assert expected == {key: who[key] for key in expected}
    names = [(event.name, event.id) for event in ran.events if not event.name.startswith("isr.timer")]  # the tick
    interrupt = [
        ("isr.other.enter", PENDED_IRQ), ("queue.post", SIGNALS), ("isr.other.exit", PENDED_IRQ),
        ("sched.switch", LISTENER), ("queue.fetch", SIGNALS), ("queue.post", NOTIFICATION + LISTENER),
        ("queue.fetch", NOTIFICATION + LISTENER), ("queue.post", NOTIFICATION + LISTENER),
        ("queue.fetch", NOTIFICATION + LISTENER), ("queue.fetch", MUTEX), ("queue.post", MUTEX),
    ]  # fmt: skip
    at = names.index(interrupt[0])
    assert interrupt == names[at : at + len(interrupt)]
    assert "sched.switch" == names[at + len(interrupt)][0]  # to the consumer, or to whom a tick has woken meanwhile


@pytest.mark.slow
def test_the_tick_by_the_trace_macros_alone(freertos_kernel: Path, tmp_path: Path) -> None:
    """Without the vectors in RAM the tick is the only interrupt seen; semaphores, notifications can be omitted."""
    without = ("-DGPIORIG_FREERTOS_SEMAPHORES=0", "-DGPIORIG_FREERTOS_NOTIFICATIONS=0")
    image = probed(freertos_kernel, tmp_path / "a.elf", "iotlab-m3", *without)
    ran = run("iotlab-m3", image, virtual_s=1, slower=BOARDS["iotlab-m3"][2])
    counters = counts(ran)
    kinds = Counter(event.name for event in ran.events)
    assert (0, "", counters["frames"]) == (ran.damaged, ran.log, len(ran.events))
    assert kinds["isr.timer.enter"] == kinds["isr.timer.exit"] == counters["ticks"]
    assert 0 == kinds["isr.other.enter"] + kinds["isr.other.exit"]
    assert {MESSAGES, SIGNALS} == {event.id for event in ran.events if event.name.startswith("queue.")}


@pytest.mark.slow
def test_the_check_finds_every_hook(freertos_kernel: Path, tmp_path: Path) -> None:
    """Macros that the kernel's own sources expand, vectors, and the wraps of ST's functions."""
    elf = tmp_path / "kernel.elf"
    probed(freertos_kernel, elf, "nucleo-l476rg", *VECTORS, "-Wl,--emit-relocs")
    for radio in ("spirit1", "spirit1-hal"):
        spirit1(tmp_path, radio)
        (tmp_path / "a.elf").rename(tmp_path / f"{radio}.elf")
    for image in (elf, tmp_path / "spirit1.elf", tmp_path / "spirit1-hal.elf"):
        done = gpiorig("firmware", "check", image, "--os", "freertos", "--json")
        assert (0, "") == (done.status, done.stderr)


def variables(*settings: str) -> dict[str, list[str]]:
    """What gpiorig_freertos.mk tells a project's makefile: paths from the firmware's folder."""
    names = ("GPIORIG_SOURCES", "GPIORIG_CPPFLAGS", "GPIORIG_LDFLAGS")
    show = "".join(f"$(info {name}=$({name}))" for name in names)
    text = f"{chr(10).join(settings)}\ninclude freertos/gpiorig_freertos.mk\n{show}\nall: ;\n"
    done = subprocess.run(
        ["make", "-s", "-f", "-"], cwd=FIRMWARE, input=text, capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)
    return {name: value.split() for name, value in re.findall(r"^(\w+)=(.*)$", done.stdout, re.MULTILINE)}


def spirit1(folder: Path, radio: str) -> Ran:
    """The program on ST's names, with the hooks that the makefile gives."""
    settings = variables("GPIORIG_PORT := nucleo-l476rg", f"GPIORIG_RADIO := {radio}")
    program = FOREIGN / "spirit1"
    sources = [program / "main.c", program / "st.c", FOREIGN / "board.c", *settings["GPIORIG_SOURCES"]]
    (folder / "FreeRTOS.h").touch()
    (folder / "task.h").write_text("#define taskDISABLE_INTERRUPTS()\n")
    command = ["arm-none-eabi-gcc", "-std=c11", "-g", "-O2", "-mthumb", *CORTEX_M4F, "-Wall", "-Wextra", "-Werror"]
    command += [
        f"-I{folder}",
        *settings["GPIORIG_CPPFLAGS"],
        *settings["GPIORIG_LDFLAGS"],
        "-nostartfiles",
        "--specs=nosys.specs",
    ]
    command += [f"-Wl,-T,{FOREIGN / 'flash.ld'}", "-Wl,--no-warn-rwx-segments"]
    done = compilers.link(command, map(Path, sources), folder / "a.elf", FIRMWARE)
    assert 0 == done.returncode, done.stderr
    return run("nucleo-l476rg", (folder / "a.elf").read_bytes(), virtual_s=0.1, slower=20)


LOADED, READ = 0xBEEF, 0x1234  # the last two bytes of the frames


@pytest.mark.slow
def test_spirit1_by_its_library(tmp_path: Path) -> None:
    """Load, strobe, what the chip's interrupts report, the interrupt's line, and the frame that is read inside it."""
    ran = spirit1(tmp_path, "spirit1")
    expected = [
        ("radio.set_idle", -1),
        ("driver.load.enter", LOADED), ("driver.load.exit", LOADED),
        ("driver.exec.enter", LOADED), ("driver.exec.exit", LOADED),
        ("radio.tx_complete", LOADED), ("radio.tx_no_ack", LOADED), ("radio.rx_crc_error", -1),
        ("radio.tx_busy", LOADED),
        ("isr.radio.enter", -1), ("rig.marker", 0x0004), ("radio.rx_start", -1), ("radio.rx_complete", -1),
        ("driver.rx_read.enter", -1), ("driver.rx_read.exit", READ), ("radio.set_rx", -1), ("isr.radio.exit", -1),
        ("rig.marker", 0x2000),
    ]  # fmt: skip
    assert (0, "", [f"done frames={len(expected)}"]) == (ran.damaged, ran.log, ran.printed)
    assert expected == [(event.name, event.id) for event in ran.events]


@pytest.mark.slow
def test_spirit1_by_the_bytes_of_its_spi(tmp_path: Path) -> None:
    """Header and frame in one transfer or in two; registers are not events."""
    ran = spirit1(tmp_path, "spirit1-hal")
    expected = [
        ("radio.set_idle", -1),
        ("driver.load.enter", LOADED), ("driver.load.exit", LOADED),
        ("driver.exec.enter", LOADED), ("driver.exec.exit", LOADED),
        ("driver.rx_read.enter", -1), ("driver.rx_read.exit", READ),
        ("driver.rx_read.enter", -1), ("driver.rx_read.exit", READ),
        ("radio.set_rx", -1),
        ("rig.marker", 0x2000),
    ]  # fmt: skip
    assert (0, "", [f"done frames={len(expected)}"]) == (ran.damaged, ran.log, ran.printed)
    assert expected == [(event.name, event.id) for event in ran.events]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("CFLAGS := -flto", "build without -flto"),
        ("GPIORIG_RADIO := pigeon", "GPIORIG_RADIO=pigeon is not known; spirit1 and spirit1-hal are"),
        ("GPIORIG_PORT := abacus", "GPIORIG_PORT=abacus: there is no"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, setting: str, message: str) -> None:
    makefile = tmp_path / "Makefile"  # of one on standard input make leaves a copy
    makefile.write_text(f"{setting}\ninclude freertos/gpiorig_freertos.mk\nall: ;\n")
    done = subprocess.run(["make", "-s", "-f", makefile], cwd=FIRMWARE, capture_output=True, text=True, check=False)
    assert 0 != done.returncode
    assert message in done.stderr


def test_a_configuration_without_numbers_is_refused(tmp_path: Path) -> None:
    """The error names the definition that lacks, and its place."""
    source = tmp_path / "a.c"
    source.write_text('#define configUSE_TRACE_FACILITY 0\n#include "gpiorig_freertos.h"\n')
    folders = [f"-I{FIRMWARE / name}" for name in ("include", "ports", "freertos")]
    command = ["arm-none-eabi-gcc", "-c", *folders, "-DGPIORIG_PORT=nucleo-l476rg", "-o", tmp_path / "a.o", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 0 != done.returncode
    assert "FreeRTOSConfig.h must define configUSE_TRACE_FACILITY as 1" in done.stderr
