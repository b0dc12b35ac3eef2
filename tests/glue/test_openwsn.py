"""The OpenWSN glue, linked by its own makefile with a stub for what scons compiled, on the virtual IoT-LAB M3."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig
from madeevents import events_of_rows
from probed_image import Ran, run

from gpiorig.analysis.evaluation.analysis import analyse
from gpiorig.analysis.quantities.series import Recorded, Series
from gpiorig.analysis.quantities.values import all_series

FOREIGN = "tests/glue/foreign"
SLOWER = 64 // 8  # the core runs at its clock after reset (RM0008 7.2.2), OpenWSN's board at 64 MHz
FIRST_SLOT = 0x1FFFE  # IEEE802154E.c of the stub
SLOTFRAME = 6
RX, TX_DONE, TIMER, SERIAL = 1, 2, 3, 15  # priorities: kernel/scheduler.h
DATA, OTHERS_DATA = 0x5A00, 0x6B01  # ids of what is sent, the number added, and of what is received
SYNCHRONISED, NOT_SYNCHRONISED = 0x5301, 0x5300

Event = tuple[str, int]


def copied(folder: Path) -> Path:
    """A copy of the checkout, as far as it takes part here."""
    ignored = shutil.ignore_patterns("build", "reference")
    shutil.copytree(ROOT / "firmware-gpio-probes", folder / "firmware-gpio-probes", ignore=ignored)
    shutil.copytree(ROOT / FOREIGN, folder / FOREIGN)
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout, or a copy of it where its path has a blank, which makefiles do not take."""
    return copied(tmp_path_factory.mktemp("checkout")) if " " in str(ROOT) else ROOT


def tree(checkout: Path, folder: Path, *options: str) -> Path:
    """A copy of the stub, compiled to where scons leaves objects and libraries."""
    copy, foreign = folder / "openwsn-fw", checkout / FOREIGN
    shutil.copytree(foreign / "openwsn", copy)
    command = ["make", "-s", "-C", str(copy), f"FLASH={foreign / 'freertos' / 'flash.ld'}", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    return copy


def make(checkout: Path, openwsn: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Link the image with the probes, as users do inside their checkout."""
    glue = checkout / "firmware-gpio-probes" / "openwsn"
    command = ["make", "-s", "-C", glue, f"OPENWSN={openwsn}", f"BUILD={folder}", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def image(checkout: Path, openwsn: Path, folder: Path, *options: str) -> Path:
    """The image, which links without a message."""
    done = make(checkout, openwsn, folder, *options)
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    return folder / "03oos_openwsn.elf"


@pytest.fixture(scope="module")
def compiled(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub's tree."""
    return tree(checkout, tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def elf(checkout: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stub with the probes."""
    return image(checkout, compiled, tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def ran(elf: Path) -> Ran:
    """Some hundred slots of it."""
    return run("iotlab-m3", elf.read_bytes(), virtual_s=0.3, slower=SLOWER)


def task(elf: Path, function: str) -> int:
    """The id of a task, from the symbols of the image."""
    symbols = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True).stdout.splitlines()
    (address,) = (line.split()[0] for line in symbols if line.split()[-1] == function)
    return (int(address, 16) - 0x0800_0000) // 2 & 0xFFFF


def span(point: str, id_: int, *inner: Event) -> list[Event]:
    """A span with what happens in it."""
    return [(f"{point}.enter", id_), *inner, (f"{point}.exit", id_)]


def sending(id_: int, number: int) -> list[Event]:
    """A frame is loaded and its transmission started."""
    return [
        *span("driver.load", id_), ("mac.sequence", number), ("slot.tx.enter", -1), *span("driver.prepare", id_),
        *span("driver.exec", id_, ("radio.tx_start", id_)),
    ]  # fmt: skip


def receiving(*read: Event) -> list[Event]:
    """The interrupts of a received frame, and what follows in the second."""
    return [
        *span("isr.radio", -1, ("radio.rx_start", -1)),
        ("isr.radio.enter", -1), ("radio.rx_complete", -1), ("slot.rx.exit", -1), ("radio.set_idle", -1),
        ("driver.rx_read.enter", -1), *read,
    ]  # fmt: skip


def one_round(elf: Path, number: int) -> list[Event]:
    """The six slots of a slotframe, with the tasks after each."""
    asn = FIRST_SLOT + SLOTFRAME * number
    slots = [asn + at & 0xFFFF for at in range(SLOTFRAME)]
    unacked, acked = DATA + 2 * number + 1, DATA + 2 * number + 2
    timer, serial = task(elf, "task_timer"), task(elf, "task_openserial")
    listening = [("slot.rx.enter", -1), ("radio.set_rx", -1)]
    silent = [("slot.rx.exit", -1), ("radio.set_idle", -1)]
    begins = [("sched.sleep.enter", -1), ("isr.timer.enter", -1)]
    goes_on = [("isr.timer.exit", -1)]
    sent = [("slot.tx.exit", -1), ("radio.set_idle", -1)]
    wakes = [("sched.sleep.exit", -1)]
    pushed = [("queue.post", SERIAL), ("queue.post", TIMER)]
    return [
        *begins,
        *span("slot.active", slots[0], ("slot.frame", asn // SLOTFRAME & 0xFFFF), *pushed),
        *goes_on, *wakes,
        ("queue.fetch", TIMER), *span("task.run", timer),
        ("queue.fetch", SERIAL), *span("task.run", serial, ("queue.post", TIMER)),
        ("queue.fetch", TIMER), *span("task.run", timer),
        # sends, no acknowledgement
        *begins, ("slot.active.enter", slots[1]), *sending(unacked, 2 * number + 1), *goes_on,
        *span("isr.radio", -1, ("driver.confirm", unacked), *sent, *listening), *wakes,
        *begins, *silent, ("radio.tx_no_ack", unacked), ("slot.active.exit", slots[1]),
        # sends, an acknowledgement
        ("slot.active.enter", slots[2]), *sending(acked, 2 * number + 2), *goes_on,
        *span("isr.radio", -1, ("driver.confirm", acked), *sent, *listening),
        *receiving(("driver.rx_read.exit", 0), ("mac.sequence", 9), ("radio.tx_complete", acked)),
        ("queue.post", TX_DONE), ("slot.active.exit", slots[2]), ("isr.radio.exit", -1), *wakes,
        ("queue.fetch", TX_DONE), *span("task.run", task(elf, "task_sixtopNotifSendDone")),
        # listens in vain
        *begins, ("slot.active.enter", slots[3]), *listening, *goes_on, *wakes,
        *begins, *silent, ("slot.active.exit", slots[3]),
        # receives, acknowledges
        ("slot.active.enter", slots[4]), *listening, *goes_on,
        *receiving(("driver.rx_read.exit", OTHERS_DATA), ("mac.sequence", 0x77)),
        *sending(0, 2 * number + 2), ("isr.radio.exit", -1),
        ("isr.radio.enter", -1), ("radio.tx_complete", 0), *sent,
        ("queue.post", RX), ("slot.active.exit", slots[4]), ("isr.radio.exit", -1), *wakes,
        ("queue.fetch", RX), *span("task.run", task(elf, "task_sixtopNotifReceive")),
        # receives a wrong checksum
        *begins, ("slot.active.enter", slots[5]), *listening, *goes_on,
        *receiving(("driver.rx_read.exit", -1), ("radio.rx_crc_error", -1)),
        ("slot.active.exit", slots[5]), ("isr.radio.exit", -1), *wakes,
    ]  # fmt: skip


@pytest.mark.slow
def test_every_event_in_its_order_and_with_its_id(elf: Path, ran: Ran) -> None:
    """Three slotframes: slots, radio, interrupts, queues in the order of their priorities, tasks by their functions."""
    assert (0, "") == (ran.damaged, ran.log)
    events = [(event.name, event.id) for event in ran.events]
    start = max(at for at, (name, _) in enumerate(events) if name == "rig.calibrate") + 1
    expected = [("rig.marker", NOT_SYNCHRONISED), ("rig.marker", SYNCHRONISED)]
    expected += [event for number in range(3) for event in one_round(elf, number)]
    assert expected == events[start : start + len(expected)]


def series(ran: Ran, text: str) -> Series:
    """A quantity of the run."""
    rows = [(event.sample, 0, event.name, event.id) for event in ran.events]
    events = events_of_rows(rows, ["node"], end=rows[-1][0] + 1)
    (of_node,) = all_series([text], Recorded(analyse(events, {}, header_ns={"node": 0})))
    return of_node


@pytest.mark.slow
def test_waits_of_a_queue_and_the_duty_of_the_radio(ran: Ran) -> None:
    """A task waits from its post to its fetch; the radio is on in slot.tx and slot.rx, and nowhere else."""
    posts, fetches = (
        [event.sample for event in ran.events if (event.name, event.id) == (name, SERIAL)]
        for name in ("queue.post", "queue.fetch")
    )
    waits = [fetch - post for post, fetch in zip(posts, fetches, strict=False)]
    assert waits == series(ran, f"wait of queue {SERIAL}").values.tolist()
    assert len(waits) > 10
    on, since = 0, 0
    for event in ran.events:
        if event.name in ("slot.tx.enter", "slot.rx.enter"):
            since = event.sample
        elif event.name in ("slot.tx.exit", "slot.rx.exit"):
            on, since = on + event.sample - since, 0
    on += ran.events[-1].sample - since if since else 0
    assert [on] == series(ran, "duty of radio").values.tolist()


@pytest.mark.slow
def test_a_task_for_which_there_is_no_place_is_a_drop(checkout: Path, tmp_path: Path) -> None:
    """The scheduler then resets the board: the drop is the last event."""
    elf = image(checkout, tree(checkout, tmp_path, "DEFINES=-DOVERFLOW"), tmp_path / "image")
    ran = run("iotlab-m3", elf.read_bytes(), virtual_s=0.2, slower=SLOWER)
    assert ("queue.drop", TIMER) == (ran.events[-1].name, ran.events[-1].id)
    assert [TIMER] * 10 == [event.id for event in ran.events[-11:-1] if event.name == "queue.post"]


@pytest.mark.slow
def test_variants_of_the_probes(checkout: Path, compiled: Path, tmp_path: Path) -> None:
    """Empty probes and none show nothing; doubled ones what the normal ones show."""
    seen = {
        probes: run(
            "iotlab-m3",
            image(checkout, compiled, tmp_path / probes, f"PROBES={probes}").read_bytes(),
            virtual_s=0.2,
            slower=SLOWER,
        ).ids("slot.active.enter")
        for probes in ("empty", "doubled", "off")
    }
    assert [] == seen["empty"] == seen["off"]
    assert [FIRST_SLOT + at & 0xFFFF for at in range(20)] == seen["doubled"][:20]


@pytest.mark.slow
def test_the_check_finds_every_hook(elf: Path) -> None:
    """Of the hook file, in an image that is in order."""
    done = gpiorig("firmware", "check", elf, "--os", "openwsn")
    assert (0, "") == (done.status, done.stderr)


@pytest.mark.slow
def test_a_function_that_is_gone_is_a_link_error_with_its_name(checkout: Path, tmp_path: Path) -> None:
    """As in a newer OpenWSN that has renamed it."""
    openwsn = tree(checkout, tmp_path, "DEFINES=-Dradio_txNow=radio_txStart")
    done = make(checkout, openwsn, tmp_path / "image")
    assert 0 != done.returncode
    assert "radio_txNow" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("OPENWSN=/nowhere",), "gpiorig: OPENWSN=/nowhere: "),
        (("BOARD=telosb",), "gpiorig: BOARD=telosb has no port; iot-lab_M3 has"),
        (("PROBES=some",), "gpiorig: PROBES=some is not known"),
        ((), "build the image first, in"),
    ],
)
def test_what_is_wrong_is_said(options: tuple[str, ...], message: str, checkout: Path, tmp_path: Path) -> None:
    """By the makefile, before it makes anything."""
    done = make(checkout, checkout / FOREIGN / "openwsn", tmp_path / "image", *options)
    assert 0 != done.returncode
    assert message in done.stderr
    assert not (tmp_path / "image").exists()


def test_a_path_with_a_blank_is_refused(checkout: Path, tmp_path: Path) -> None:
    """Of the checkout, where makefiles would take its parts for several names."""
    done = make(copied(tmp_path / "with blank"), checkout / FOREIGN / "openwsn", tmp_path / "image")
    assert 0 != done.returncode
    assert "with blank/firmware-gpio-probes: makefiles take no path with a blank. Move the checkout" in done.stderr
