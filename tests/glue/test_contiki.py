"""The Contiki-NG glue, linked with a stub for Contiki-NG by the glue's own makefiles, on virtual boards."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig
from contikiglue import GLUE, M3, STAND_IN, Target, image, make
from probed_image import Ran, run

PACKETS = 5  # ping.c
FIRST_ID = 0x1201
RADIO, CSMA, TCPIP, APP, SIMPLE_UDP = 1, 2, 3, 4, 5  # processes, in the order in which main.c and ping.c start them
POLL = 0x100  # GPIORIG_POLL
USER_LINES = ("set peer 2", "set interval_us 50000", "set payload 16", "set events_sched 0", "start 5")


SKY = Target("sky", "telosb", 6, ("clang-16", "--target=msp430", "-mmcu=msp430f1611", "-ffreestanding", "-fno-builtin"))
TARGETS = pytest.mark.parametrize("target", [M3, SKY], ids=lambda target: target.name)


def event_names(ran: Ran) -> list[tuple[str, int]]:
    """Events after the calibration, but for the main loop's sleep and the timer."""
    names = [(event.name, event.id) for event in ran.events]
    start = max(at for at, (name, _) in enumerate(names) if name == "rig.calibrate") + 1
    return [event for event in names[start:] if not event[0].startswith(("sched.sleep", "isr.timer"))]


def one_packet(number: int, *, isr: bool) -> list[tuple[str, int]]:
    """What the stub does for a packet that is its own reply; `isr`: the radio's interrupt is a wrapped function."""
    id_ = FIRST_ID + number
    interrupt = [("isr.radio.enter", -1), ("queue.post", POLL + RADIO), ("isr.radio.exit", -1)]
    sending = ["app.tx", "sock.tx", "udp.tx"]
    below = ["ipv6.tx", "ipv6.next_hop"]
    receiving = ["mac.rx", "sixlowpan.rx", "ipv6.rx"]
    return [
        *((f"{point}.enter", id_) for point in sending),
        ("udp.header.enter", id_), ("udp.header.exit", id_),
        *((f"{point}.enter", id_) for point in below),
        ("ipv6.next_hop.exit", id_),
        ("sixlowpan.tx.enter", id_), ("mac.tx.enter", id_),
        ("queue.post", POLL + CSMA),
        ("mac.tx.exit", id_), ("sixlowpan.tx.exit", id_), ("ipv6.tx.exit", id_),
        *((f"{point}.exit", id_) for point in reversed(sending)),
        ("task.run.exit", APP),
        ("task.run.enter", CSMA),
        ("driver.load.enter", id_), ("driver.load.exit", id_), ("mac.sequence", number + 1),
        ("driver.exec.enter", id_),
        *(interrupt if isr else interrupt[1:2]),
        ("driver.exec.exit", id_),
        ("driver.rx_read.enter", -1), ("driver.rx_read.exit", -1), ("mac.sequence", number + 1),
        ("radio.tx_complete", id_),
        ("task.run.exit", CSMA),
        ("task.run.enter", RADIO),
        *((f"{point}.enter", id_) for point in receiving),
        ("task.run.enter", TCPIP), ("udp.rx.enter", id_),
        ("task.run.enter", SIMPLE_UDP), ("sock.rx.enter", id_), ("app.rx.enter", id_),
        ("queue.post", APP),
        ("app.rx.exit", id_), ("sock.rx.exit", id_), ("task.run.exit", SIMPLE_UDP),
        ("udp.rx.exit", id_), ("task.run.exit", TCPIP),
        *((f"{point}.exit", id_) for point in reversed(receiving)),
        ("task.run.exit", RADIO),
        ("task.run.enter", APP),
    ]  # fmt: skip


@pytest.fixture(scope="module", params=[M3, SKY], ids=lambda target: target.name)
def ping(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Target, Ran]:
    """The least application, on each target."""
    target: Target = request.param
    built = image(STAND_IN / "ping", tmp_path_factory.mktemp(target.name), target)
    return target, run(target.board, built, virtual_s=1.5, slower=target.slower)


@pytest.mark.slow
def test_every_event_of_a_ping_pong_in_its_order_and_with_its_id(ping: tuple[Target, Ran]) -> None:
    """From the application down to the radio and up again, by wrapped structs and functions and exchanged threads."""
    target, ran = ping
    assert (0, "") == (ran.damaged, ran.log)
    events = event_names(ran)
    start = events.index(("app.tx.enter", FIRST_ID))
    expected = [event for number in range(PACKETS) for event in one_packet(number, isr=target is SKY)]
    assert expected == events[start : start + len(expected)]
    marker = next(at for at, event in enumerate(ran.events) if event.name == "rig.marker")
    assert marker + 1 == ran.events[marker].id  # the node counts its frames as well


@pytest.mark.slow
def test_sleep_and_timer_are_spans(ping: tuple[Target, Ran]) -> None:
    """The timer's interrupt lies within a sleep; on the M3, whose interrupts come by the vectors, none is enabled."""
    target, ran = ping
    idle = [event.name for event in ran.events if event.name.startswith(("sched.sleep", "isr.timer"))]
    text = " ".join(name.removeprefix("sched.").removesuffix(".enter") for name in idle)
    timer = "" if target is M3 else "(isr.timer isr.timer.exit )?"
    assert re.fullmatch(rf"(sleep {timer}sleep.exit ?)*(sleep ?)?({timer})?", text)
    assert ("isr.timer" in text) == (target is SKY)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["udp", "mac"])
def test_the_application_plays_ping_pong(over: str, tmp_path: Path) -> None:
    """Configured by its console as by users; its counts are those of the pins, interrupts of the UART among them."""
    built = image(GLUE / "pingpong", tmp_path, M3, "WITH_CONSOLE=1", f"OVER={over}")
    ran = run(M3.board, built, virtual_s=2.5, slower=M3.slower, lines=("identify", *USER_LINES, "report", "set app x"))
    assert (0, "") == (ran.damaged, ran.log)
    assert f"boot board={M3.name} firmware=contiki-ng" == ran.printed[0]
    identified = "ok identify board=iotlab firmware=contiki-ng uid=0200000000000001"
    assert [True] == [line.startswith(identified) for line in ran.printed if "identify" in line]
    packets = [line for line in ran.printed if line.startswith("packet")]
    assert [f"packet seq={number}" for number in range(1, 6)] == [" ".join(line.split()[:2]) for line in packets]
    assert all(line.endswith("status=ok") for line in packets)
    assert "error set: app is one of pingpong broadcast interferer" in ran.printed
    done = next(line for line in ran.printed if line.startswith("done"))
    assert done.startswith("done sent=5 received=5 lost=0 probes=")
    lines_bytes = sum(len(line) + 1 for line in ("identify", *USER_LINES, "report", "set app x"))
    assert lines_bytes == len(ran.ids("isr.uart.enter")) == len(ran.ids("isr.uart.exit"))
    layers = {"app.tx", "app.rx", "mac.tx", "mac.rx", "driver.load", "driver.exec"}
    layers |= {"udp.tx", "udp.rx", "ipv6.tx", "ipv6.rx", "sixlowpan.tx", "sixlowpan.rx"} if over == "udp" else set()
    for layer in layers:
        assert [1, 2, 3, 4, 5] == ran.ids(f"{layer}.enter") == ran.ids(f"{layer}.exit"), layer
    assert (5 if over == "udp" else 0) == len(ran.ids("ipv6.next_hop.exit"))


@pytest.mark.slow
def test_it_replies_broadcasts_and_interferes(tmp_path: Path) -> None:
    """Without a command it replies, not to a reply; a broadcast asks for none and is logged where it is received."""
    built = image(GLUE / "pingpong", tmp_path, M3, "WITH_CONSOLE=1", "GPIORIG_DEFINES=-DGPIORIG_MASK_GROUP_SCHED=0")
    start = ("set interval_us 20000", "set timeout_us 20000")
    lines = (
        *start,
        "set app broadcast",
        "start 2",
        "set app pingpong",
        "!",
        "!",
        "set app interferer",
        "start 3",
        "start 999",
        "stop",
    )
    ran = run(M3.board, built, virtual_s=1.5, slower=M3.slower, lines=lines)
    assert (0, "") == (ran.damaged, ran.log)
    printed = [re.sub(r"(_us|probes)=\d+", r"\1=", line) for line in ran.printed if line.startswith(("packet", "done"))]
    assert [
        "packet seq=1 from=0200000000000002 rx_us= status=ok",
        "packet seq=2 from=0200000000000002 rx_us= status=ok",
        "done sent=2 received=2 lost=0 probes=",
        "packet seq=2 rx_us= tx_us= status=ok",
        "done sent=6 received=4 lost=0 probes=",
    ] == printed[:5]
    assert 6 == len(printed) and printed[5].startswith("done")  # stopped by a command
    names = [(event.name, event.id) for event in ran.events]
    reply = names.index(("app.rx.enter", 2), names.index(("app.rx.exit", 2)))
    assert ("app.tx.enter", 2) == names[reply + 1]
    assert [1, 2, 2] == ran.ids("mac.tx.enter")
    assert [1, 2, 3] == ran.ids("driver.tx.enter")[:3]  # by the driver, past the MAC


@pytest.mark.slow
@pytest.mark.parametrize("probes", ["empty", "doubled"])
def test_variants_of_the_probes(probes: str, tmp_path: Path) -> None:
    """Empty probes show nothing, doubled ones the same as normal ones."""
    ran = run(M3.board, image(STAND_IN / "ping", tmp_path, M3, f"PROBES={probes}"), virtual_s=0.5, slower=M3.slower)
    assert (0, "") == (ran.damaged, ran.log)
    expected = [FIRST_ID + number for number in range(PACKETS)] if probes == "doubled" else []
    assert expected == ran.ids("app.rx.enter")


@pytest.mark.slow
def test_slots_are_told_by_tsch_debug_macros(tmp_path: Path) -> None:
    """A slot is one span, its part of sending or receiving another in it; its id is 16 bits of the slot's number."""
    built = image(GLUE / "tsch", tmp_path, M3, "WITH_CONSOLE=1", "GPIORIG_IRQS=")
    lines = ("start 1", "set coordinator 1", *USER_LINES)
    ran = run(M3.board, built, virtual_s=2.5, slower=M3.slower, lines=lines)
    assert (0, "") == (ran.damaged, ran.log)
    assert "error start: not associated yet; one node needs `set coordinator 1`" in ran.printed
    assert any(line.startswith("done sent=5 received=5 lost=0") for line in ran.printed)
    slots, ends = ran.ids("slot.active.enter"), ran.ids("slot.active.exit")
    assert len(slots) > 1000
    assert [(0x1FFF0 + 1 + at) & 0xFFFF for at in range(len(slots))] == slots
    assert ends == slots[: len(ends)]
    signs = {"slot.active.enter": "(", "slot.active.exit": ")"}
    signs |= {"slot.tx.enter": "T", "slot.tx.exit": "t", "slot.rx.enter": "R", "slot.rx.exit": "r"}
    inner = "".join(signs.get(event.name, "") for event in ran.events)
    assert re.fullmatch(r"(\((Tt|Rr)?\))*(\([TR]?)?", inner)
    assert 5 == inner.count("Tt")
    names = [event.name for event in ran.events]
    sent = names.index("slot.tx.enter")
    wanted = [
        "slot.interrupt", "slot.active.enter", "slot.tx.enter", "driver.load.enter", "driver.load.exit", "mac.sequence",
        "slot.interrupt", "driver.exec.enter", "driver.exec.exit", "slot.interrupt", "radio.set_rx", "radio.set_idle",
        "queue.post", "slot.tx.exit", "slot.active.exit",
    ]  # fmt: skip
    assert wanted == names[sent - 2 : sent - 2 + len(wanted)]


@pytest.mark.slow
def test_steps_of_a_slot_on_request(tmp_path: Path) -> None:
    """Every macro of a slot, numbered by its order: six of a slot that sends and has its acknowledgement."""
    built = image(GLUE / "tsch", tmp_path, M3, "WITH_CONSOLE=1", "GPIORIG_IRQS=", "GPIORIG_TSCH_STEPS=1")
    ran = run(M3.board, built, virtual_s=1.5, slower=M3.slower, lines=("set coordinator 1", *USER_LINES))
    steps = ran.ids("rig.marker")
    sent = steps.index(0x7401)
    assert [0x7400 + number for number in range(1, 7)] == steps[sent : sent + 6]
    assert {0x7200 + number for number in range(1, 6)} == {step for step in steps if step < 0x7400}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("project", "options"),
    [
        (STAND_IN / "ping", ("TARGET=sky",)),
        (GLUE / "pingpong", ("WITH_CONSOLE=1",)),
        (GLUE / "tsch", ("WITH_CONSOLE=1", "GPIORIG_IRQS=")),
        (STAND_IN / "ping", ("MAKE_MAC=MAKE_MAC_NULLMAC", "GPIORIG_DEFINES=-DSILENT")),
    ],
    ids=["sky", "iotlab", "tsch", "nullmac-without-udp"],
)
def test_the_check_finds_every_hook(project: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    """Of the hook file, in images that are in order; what an application never calls is unused, not lost."""
    silent = "GPIORIG_DEFINES=-DSILENT" in options
    image(project, tmp_path, SKY if "TARGET=sky" in options else M3, *options)
    elf = next(path for path in tmp_path.glob("*/*") if path.suffix in (".sky", ".iotlab"))
    done = gpiorig("firmware", "check", elf, "--os", "contiki-ng", "--json")
    assert (0, "") == (done.status, done.stderr)
    unused = {hook["symbol"] for hook in done.numbers["hooks"] if hook["state"] == "unused"}
    assert ({"simple_udp_sendto", "simple_udp_register"} if silent else set()) == unused


@pytest.mark.slow
def test_the_check_names_a_call_that_passes_a_hook_by(tmp_path: Path) -> None:
    """A poll from the file that defines process_poll: the link succeeds, the check reports it."""
    copy = tmp_path / "contiki"
    shutil.copytree(STAND_IN, copy)
    scheduler = copy / "stand-in" / "process.c"
    scheduler.write_text(
        scheduler.read_text(encoding="utf-8").replace(
            "    return process_nevents();\n", "    process_poll(process_list);\n    return process_nevents();\n"
        ),
        encoding="utf-8",
    )
    done = make(STAND_IN / "ping", tmp_path, M3, f"STAND_IN={copy / 'stand-in'}")
    assert (0, "") == (done.returncode, done.stderr)
    checked = gpiorig("firmware", "check", next(tmp_path.glob("iotlab/*.iotlab")), "--os", "contiki-ng")
    assert 1 == checked.status
    assert "process_poll: 1 site unwrapped, expected 0: inlined copy in process_run" in checked.stderr


@pytest.mark.slow
@TARGETS
@pytest.mark.parametrize("options", [(), ("-DGPIORIG_OFF",)], ids=["probes", "off"])
@pytest.mark.parametrize("stack", ["NETSTACK_CONF_WITH_IPV6", "MAC_CONF_WITH_TSCH"])
def test_everything_compiles_without_a_warning(
    target: Target, options: tuple[str, ...], stack: str, tmp_path: Path
) -> None:
    """Module and applications, against headers that declare what they use of Contiki-NG, and nothing else."""
    left_out = "link-mac.c" if stack == "NETSTACK_CONF_WITH_IPV6" else "link-udp.c"
    sources = [path for path in GLUE.glob("*/*.c") if path.name != left_out]
    folders = [STAND_IN / "include", GLUE / "pingpong", GLUE / "gpiorig"]
    folders += [ROOT / "firmware-gpio-probes" / name for name in ("include", "ports", "cortex-m")]
    libc = [] if target is M3 else ["-isystem", STAND_IN / "libc"]
    defines = ["-DGPIORIG_PORT=" + target.board, "-DGPIORIG_RADIO=cc2420_driver", "-DGPIORIG_MAC=csma_driver"]
    defines += ["-DNETSTACK_CONF_RADIO=cc2420_driver", f"-D{stack}=1", "-DGPIORIG_SIMPLE_UDP", "-DGPIORIG_TABLE_CRC=0"]
    defines += ['-DCONTIKI_TARGET_STRING="x"', "-DCONTIKI_TARGET_SKY=1", "-DGPIORIG_PASSES=1", "-DGPIORIG_TSCH_STEPS=1"]
    defines += ["-DGPIORIG_RADIO_ISR=cc2538_rf_rx_tx_isr", "-DGPIORIG_RADIO_ISR_IS_void"]
    command = [*target.compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Os", *libc, *options, *defines, "-c"]
    for source in sources:
        where = [f"-I{folder}" for folder in (*folders, source.parent)]
        conf = ["-imacros", GLUE / "gpiorig" / "gpiorig-conf.h"]
        done = subprocess.run(
            [*command, *where, *conf, "-o", tmp_path / "a.o", source], capture_output=True, text=True, check=False
        )
        assert (0, "") == (done.returncode, done.stderr), source.name


def test_the_header_of_macros_leaves_nothing_in_a_linker_script(tmp_path: Path) -> None:
    """The CC2538 sends its own through the preprocessor with the project CFLAGS: arch/cpu/cc2538/Makefile.cc2538."""
    script = tmp_path / "cc2538.lds"
    script.write_text("MEMORY {}\n")
    conf = GLUE / "gpiorig" / "gpiorig-conf.h"
    command = ["arm-none-eabi-gcc", "-imacros", conf, "-x", "c", "-P", "-E", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "MEMORY {}\n" == done.stdout


@pytest.mark.slow
def test_off_builds_the_application_without_probes(tmp_path: Path) -> None:
    """No wrapper, no probe, and the application still links."""
    image(GLUE / "pingpong", tmp_path, M3, "WITH_CONSOLE=1", "PROBES=off")
    built = next(tmp_path.glob("iotlab/*.iotlab"))
    names = subprocess.run(["arm-none-eabi-nm", built], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"__wrap_|gpiorig_", names)
    assert "csma_driver" in names


@pytest.mark.slow
@pytest.mark.parametrize("vanished", ["GPIORIG_RADIO", "GPIORIG_RADIO_ISR"])
def test_a_symbol_that_vanished_is_a_link_error_with_its_name(vanished: str, tmp_path: Path) -> None:
    """As when a new release of Contiki-NG renames a driver."""
    done = make(STAND_IN / "ping", tmp_path, SKY, f"{vanished}=vanished_symbol")
    assert 0 != done.returncode
    assert "vanished_symbol" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["LTO=1"], "build without LTO=1 and -flto"),
        (["PROBES=many"], "PROBES=many is not known; normal, empty, doubled and off are"),
        (["GPIORIG_PORT=abacus"], "GPIORIG_PORT=abacus: there is no"),
        (["MAKE_MAC=MAKE_MAC_OTHER"], "MAKE_MAC=MAKE_MAC_OTHER is not known here; set GPIORIG_MAC"),
        (["MAKE_MAC=MAKE_MAC_NULLMAC"], "MAKE_MAC_NULLMAC sends nothing and takes nothing"),
        (["OVER=pigeon"], "OVER=pigeon is not known; udp and mac are"),
        (["CONTIKI="], "CONTIKI is not set: say where a checkout of Contiki-NG 5.0 is"),
        (["CONTIKI=/nowhere"], "CONTIKI=/nowhere: there is no Makefile.include in it"),
    ],
)
def test_what_is_wrong_is_said(options: list[str], message: str, tmp_path: Path) -> None:
    """One error, before anything is built."""
    done = make(GLUE / "pingpong", tmp_path, M3, *options)
    assert 0 != done.returncode
    assert message in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_the_module_has_all_of_the_library() -> None:
    """A file of src/ for each gpiorig-lib-*.c, so that one added there is not forgotten here."""
    library = {path.name for path in (ROOT / "firmware-gpio-probes" / "src").glob("*.c")}
    included = {path.name.removeprefix("gpiorig-lib-") for path in (GLUE / "gpiorig").glob("gpiorig-lib-*.c")}
    assert library == included
