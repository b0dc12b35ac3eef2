"""The reference firmware builds without a warning, twice to the same bytes, and without heap or float."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware-gpio-probes"
CROSS = "arm-none-eabi-"


def build(folder: Path, *options: str) -> tuple[Path, str]:
    """Builds a copy of the sources there; returns the image and what make said."""
    copy = folder / "firmware-gpio-probes"
    shutil.copytree(FIRMWARE, copy, ignore=shutil.ignore_patterns("build"))
    done = subprocess.run(["make", "-j2", "firmware", *options], cwd=copy, capture_output=True, text=True, check=True)
    return next(copy.glob("build/iotlab-m3*/pingpong.elf")), done.stdout + done.stderr


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return build(tmp_path_factory.mktemp("one"))


def names(elf: Path) -> set[str]:
    listing = subprocess.run([CROSS + "nm", elf], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def test_builds_without_a_warning(image: tuple[Path, str]) -> None:
    assert "warning" not in image[1]


def test_a_second_make_does_nothing(image: tuple[Path, str]) -> None:
    done = subprocess.run(["make", "firmware"], cwd=image[0].parents[2], capture_output=True, text=True, check=True)
    assert "-o" not in done.stdout.split()


def test_same_sources_same_bytes(image: tuple[Path, str], tmp_path: Path) -> None:
    """Even in another folder."""
    again, _ = build(tmp_path / "elsewhere")
    assert image[0].read_bytes() == again.read_bytes()


def test_no_heap_no_float(image: tuple[Path, str]) -> None:
    forbidden = ("malloc", "free", "_sbrk", "printf", "__aeabi_f", "__aeabi_d", "__aeabi_i2")
    assert [] == [name for name in names(image[0]) if name.startswith(forbidden)]


def test_off_builds_the_same_application_without_probes(image: tuple[Path, str], tmp_path: Path) -> None:
    elf, said = build(tmp_path, "GPIORIG_OFF=1")
    assert "warning" not in said
    assert [] == [name for name in names(elf) if "gpiorig" in name]
    assert {"app_work", "radio_service"} <= names(elf)
    assert {"gpiorig_send", "gpiorig_send_id"} <= names(image[0])


def test_constant_codes_are_folded(image: tuple[Path, str]) -> None:
    """No function is left that works out a header or its check at run time."""
    ours = {name for name in names(image[0]) if name.startswith("gpiorig_")}
    api = {"gpiorig_init", "gpiorig_wiring_proof", "gpiorig_calibrate", "gpiorig_frames"}
    assert api | {"gpiorig_send", "gpiorig_send_id"} == ours
