"""Builds RIOT's glue without RIOT: against headers that declare what it uses, and with a stub that runs it."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import compilers

from gpiorig.analysis.events.table import EVENT_TYPES

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware-gpio-probes"
RIOT = FIRMWARE / "riot"
GLUE = RIOT / "modules" / "gpiorig"
FOREIGN = ROOT / "tests" / "glue" / "foreign"
STANDIN = FOREIGN / "riot" / "standin"

# RIOT's modules of an image that sends by UDP through an AT86RF231.
STANDIN_MODULES = (
    "gnrc_netapi", "gnrc_netif", "gnrc_netapi_mbox", "gnrc_sock_udp", "gnrc_udp", "gnrc_ipv6_hdr", "gnrc_ipv6_nib",
    "gnrc_sixlowpan_iphc", "gnrc_sixlowpan_frag", "gnrc_nettype_ipv6", "gnrc_nettype_sixlowpan", "gnrc_nettype_udp",
    "ieee802154", "ztimer", "event", "netdev", "netdev_register", "netdev_legacy_api", "at86rf2xx",
)  # fmt: skip
# An application that drives a radio below the submac itself, and one of GNRC with it: netdev's new interface alone.
SUBMAC_MODULES = (
    "ieee802154", "ieee802154_submac", "netdev_ieee802154_submac", "ztimer", "event", "netdev", "netdev_new_api",
)  # fmt: skip
ALL_MODULES = (*STANDIN_MODULES, "ieee802154_submac", "netdev_ieee802154_submac", "lwip_sock_udp", "cc2420")
# What RIOT c8bd52ff wraps itself in an image of the example application: sys/malloc_thread_safe, pkg/mpaland-printf,
# makefiles/libc/newlib.mk. They are in its images, called or not.
RIOTS_OWN_WRAPS = (
    "malloc", "calloc", "realloc", "free", "printf", "sprintf", "snprintf", "vprintf", "vsprintf", "vsnprintf",
    "putchar", "puts", "__assert_func",
)  # fmt: skip
RAW_MODULES = ("cc2420", "ieee802154", "ztimer", "netdev", "netdev_legacy_api")

WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror")
# And those of RIOT's makefiles/cflags.inc.mk and arch/cortexm.inc.mk.
RIOT_FLAGS = (
    "-Wstrict-prototypes", "-Wold-style-definition", "-Wmissing-include-dirs", "-Wredundant-decls", "-Wcast-align",
    "-fno-common", "-fshort-enums",
)  # fmt: skip
CORTEX_M3 = (
    "arm-none-eabi-gcc", "-mthumb", "-mcpu=cortex-m3", "-DCPU_FAM_STM32F1", "-DGPIORIG_PORT=iotlab-m3",
    "-DGPIORIG_VECTORS",
)  # fmt: skip
CORTEX_M4 = (
    "arm-none-eabi-gcc", "-mthumb", "-mcpu=cortex-m4", "-DCPU_FAM_STM32L4", "-DGPIORIG_PORT=nucleo-l476rg",
    "-DGPIORIG_VECTORS",
)  # fmt: skip
CC2538 = (
    "arm-none-eabi-gcc", "-mthumb", "-mcpu=cortex-m3", "-DCPU_CC2538", "-DGPIORIG_PORT=cc2538", "-DGPIORIG_VECTORS",
)  # fmt: skip
MSP430 = (
    "clang-16", "--target=msp430", "-mmcu=msp430f1611", "-nostdlibinc", f"-isystem{FOREIGN / 'riot' / 'libc'}",
    "-DGPIORIG_PORT=telosb",
)  # fmt: skip


def defines(modules: Iterable[str]) -> list[str]:
    """What RIOT's build defines for its modules, and the glue asks for (its Makefile.dep, Makefile.include)."""
    names = [*modules, "sched_cb"]
    signal = ["-DCONFIG_NETDEV_REGISTER_SIGNAL"] if "netdev" in names else []
    return [*(f"-DMODULE_{name.upper()}" for name in names), *signal]


def includes() -> list[str]:
    """Where the glue finds its headers, and in RIOT's place those of the test."""
    folders = (GLUE / "include", FIRMWARE / "include", FIRMWARE / "ports", FOREIGN / "riot" / "include")
    return [f"-I{folder}" for folder in folders]


class Record(ctypes.Structure):
    """struct gpiorig_record (include/gpiorig/probe.h)."""

    _fields_ = (
        ("time", ctypes.c_uint32), ("id", ctypes.c_uint16), ("header", ctypes.c_uint8), ("number", ctypes.c_uint8),
    )  # fmt: skip


ID_FOLLOWS = 0x80


def build_library(library: Path, scenarios: str, glue: Sequence[str], modules: Sequence[str], *options: str) -> Path:
    """Files of the glue for the PC, with scenarios that run them; the probe library leaves the events in its log."""
    sources = [*(GLUE / f"{name}.c" for name in glue), *(FIRMWARE / "src").glob("*.c"), FOREIGN / "riot" / scenarios]
    given = ["-DGPIORIG_PORT=host", "-DGPIORIG_PINS=0", "-DGPIORIG_LOG=256", *defines(modules), *includes(), *options]
    done = compilers.link(["cc", *WARNINGS, "-O1", "-shared", "-fPIC", *given], sources, library)
    assert (0, "") == (done.returncode, done.stderr)
    return library


def events_of(library: ctypes.CDLL, scenario: str) -> list[str]:
    """The events that a scenario leaves, each with its id if one goes with it."""
    names = {event.code: event.name for event in EVENT_TYPES}
    record, events = Record(), []
    library[scenario]()
    library.gpiorig_log_read.restype = ctypes.c_bool
    while library.gpiorig_log_read(ctypes.byref(record)):
        name = names[record.header & ~ID_FOLLOWS]
        events.append(f"{name} {record.id:04x}" if record.header & ID_FOLLOWS else name)
    assert 0 == library.gpiorig_log_lost()
    return events


def wraps(modules: Sequence[str], *, packages: str = "") -> list[str]:
    """The symbols that wraps.mk redirects in an image of these modules."""
    makefile = "include wraps.mk\n$(info $(GPIORIG_WRAPS))\nall: ;\n"
    make = ["make", "-s", "-f", "-", f"USEMODULE={' '.join(modules)}", f"USEPKG={packages}"]
    return subprocess.run(make, cwd=GLUE, input=makefile, capture_output=True, text=True, check=True).stdout.split()


def compile_only(
    compiler: Sequence[str], source: Path, modules: Iterable[str], *options: str
) -> subprocess.CompletedProcess[str]:
    """Compiles one file of the glue or the application."""
    command = [*compiler, *WARNINGS, *RIOT_FLAGS, "-Os", *defines(modules), *options, *includes()]
    with tempfile.TemporaryDirectory() as folder:  # ccache keeps nothing of what goes to /dev/null
        command += ["-c", "-o", f"{folder}/a.o", str(source)]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def link_standin(
    image: Path, *options: str, modules: Sequence[str] = STANDIN_MODULES
) -> subprocess.CompletedProcess[str]:
    """Links glue, probe library and stub for the IoT-LAB M3, as RIOT's build would: with wraps.mk's flags."""
    board = FIRMWARE / "reference" / "boards"
    flags = ["-Wl,--emit-relocs", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"]
    for symbol in (*wraps(modules), *RIOTS_OWN_WRAPS):
        flags += [f"-Wl,--wrap={symbol}", f"-Wl,--undefined=__wrap_{symbol}"]
    folders = (STANDIN, board / "iotlab-m3", board / "cortex_m")
    sources = [*GLUE.glob("*.c"), *(FIRMWARE / "src").glob("*.c"), *STANDIN.glob("*.c")]
    sources.append(board / "iotlab-m3" / "clock.c")
    command = [*CORTEX_M3, *WARNINGS, "-g", "-O2", "-ffunction-sections", "-fdata-sections"]
    # TIM2 stands for the radio.
    command += ["-DGPIORIG_IRQ_RADIO=28", *defines(modules), *options, *includes()]
    command += [f"-I{folder}" for folder in folders]
    command += ["-nostartfiles", "--specs=nosys.specs", f"-Wl,-T,{FOREIGN / 'freertos' / 'flash.ld'}", *flags]
    return compilers.link(command, sorted(sources), image)


def build_standin(folder: Path, *options: str) -> Path:
    """The image of the stub; also what `gpiorig firmware check` is tried on."""
    image = folder / "standin.elf"
    done = link_standin(image, *options)
    assert (0, "") == (done.returncode, done.stderr)
    return image
