"""How RIOT's glue takes part in RIOT's build: what it asks of it, and what it refuses."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from riotglue import FIRMWARE


def make(folder: Path, *words: str, riotbase: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "-C", str(folder)]
    assigned = dict(word.split("=", 1) for word in (f"RIOTBASE={riotbase}", *words))
    return subprocess.run(command, env={**os.environ, **assigned}, capture_output=True, text=True, check=False)


def copied(folder: Path) -> Path:
    """A copy of RIOT's glue, with what it takes from the rest of the firmware."""
    shutil.copytree(FIRMWARE, folder / "firmware", ignore=shutil.ignore_patterns("build", "reference"))
    return folder / "firmware" / "riot"


@pytest.fixture
def riot(tmp_path: Path) -> Path:
    """RIOT's glue, where its path has no blank."""
    return copied(tmp_path) if " " in str(FIRMWARE) else FIRMWARE / "riot"


@pytest.fixture
def riotbase(tmp_path: Path) -> str:
    """What RIOT's Makefile.include does with an external module, and no more: it prints its input."""
    (tmp_path / "Makefile.include").write_text(
        "include $(EXTERNAL_MODULE_DIRS)/gpiorig/Makefile.dep\n"
        "include $(EXTERNAL_MODULE_DIRS)/gpiorig/Makefile.include\n"
        "$(info LINKFLAGS $(LINKFLAGS))\n$(info CFLAGS $(CFLAGS))\n$(info SRC $(SRC))\n"
        "$(info USEMODULE $(USEMODULE))\nall: ;\n",
        encoding="utf-8",
    )
    return str(tmp_path)


def test_a_missing_riot_is_an_error_that_says_what_to_do(tmp_path: Path, riot: Path) -> None:
    for folder in (riot, riot / "openwsn"):
        done = make(folder, "BOARD=iotlab-m3", riotbase=str(tmp_path))
        assert 2 == done.returncode
        assert f"RIOTBASE={tmp_path}: there is no Makefile.include. Give a checkout of RIOT" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("LTO=1",), "gpiorig: LTO=1 resolves calls before the linker can wrap them"),
        (("BOARD=abacus",), "gpiorig: no pins are known for BOARD=abacus. Give GPIORIG_PORT"),
        (("PROBES=half",), "PROBES=half: it is normal, empty, doubled or off"),
        (("QUEUE=7",), "QUEUE=7: it is a power of two, 1 to 128"),
        (("OVER=smoke",), "OVER=smoke: it is udp, mac or netdev"),
        (("USEMODULE=schedstatistics",), "gpiorig: leave out the module schedstatistics"),
    ],
    ids=str,
)
def test_a_build_that_cannot_work_says_why(riot: Path, riotbase: str, words: tuple[str, ...], says: str) -> None:
    done = make(riot, *words, riotbase=riotbase)

    assert 2 == done.returncode
    assert says in done.stderr


def test_a_path_with_a_blank_is_refused(tmp_path: Path, riotbase: str) -> None:
    """RIOT's makefiles would take it for two."""
    (tmp_path / "a blank").mkdir()
    done = make(copied(tmp_path / "a blank"), "BOARD=iotlab-m3", riotbase=riotbase)

    assert 2 == done.returncode
    assert "a blank/firmware/riot: RIOT's makefiles take no path with a blank. Move the checkout" in done.stderr


def test_the_build_passes_on_what_was_asked_for(riot: Path, riotbase: str) -> None:
    """Port, variant, queues as exponents, the link's source; and the wraps of modules that are there, no others."""
    words = ("BOARD=nucleo-l476rg", "APP=macping", "QUEUE=32", "PROBES=doubled", "LOG=256")
    done = make(riot, *words, riotbase=riotbase)

    assert 0 == done.returncode, done.stderr
    for flag in (
        "-DGPIORIG_PORT=nucleo-l476rg", "-DGPIORIG_VARIANT_DOUBLED", "-DCONFIG_GNRC_NETIF_MSG_QUEUE_SIZE_EXP=5",
        "-DGPIORIG_LOG=256", "-DAT86RF2XX_PARAM_INT=GPIO_PIN(PORT_C,7)", "link_mac.c",
        "--wrap=board_init", "--emit-relocs",
    ):  # fmt: skip
        assert flag in done.stdout
    assert "--wrap=cc2420_strobe" not in done.stdout


def test_probes_off_wraps_nothing(riot: Path, riotbase: str) -> None:
    done = make(riot, "BOARD=telosb", "PROBES=off", riotbase=riotbase)

    assert 0 == done.returncode, done.stderr
    assert "-DGPIORIG_OFF" in done.stdout
    assert "--wrap" not in done.stdout
    assert "link_netdev.c" in done.stdout


def test_openwsn_names_its_stack(riot: Path, riotbase: str) -> None:
    """RIOT's package adds modules of the stack, its scheduler among them, for `openwsn_openstack` alone."""
    done = make(riot / "openwsn", riotbase=riotbase)
    (modules,) = re.findall(r"^USEMODULE (.*)$", done.stdout, re.MULTILINE)
    assert {"gpiorig", "openwsn_openstack", "openwsn_debugpins", "sock_udp"} <= set(modules.split())


def test_openwsn_has_its_debug_pins_beside_the_bus(riot: Path, riotbase: str) -> None:
    done = make(riot / "openwsn", "BOARD=nucleo-l476rg", riotbase=riotbase)

    assert 0 == done.returncode, done.stderr
    pins = re.findall(r"-DOPENWSN_DEBUGPIN_(\w+)=GPIO_PIN\((PORT_\w),(\d+)\)", done.stdout)
    assert {"FRAME", "SLOT", "FSM", "TASK", "ISR", "RADIO"} == {name for name, _, _ in pins}
    bus_and_radio = {("PORT_C", number) for number in ("2", "3", "8", "7")}  # ports/nucleo-l476rg/port.h, app/Makefile
    assert not bus_and_radio & {(port, number) for _, port, number in pins}
    assert "--wrap=openwsn_radio_init" in done.stdout
