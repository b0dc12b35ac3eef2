"""The firmware of every board builds without a warning, twice to the same bytes, and without heap or float."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware-gpio-probes"
BOARDS = sorted(path.parent.name for path in FIRMWARE.glob("reference/boards/*/board.mk"))


@dataclass(frozen=True)
class Built:
    """An image, and what make said."""

    elf: Path
    said: str

    @property
    def names(self) -> set[str]:
        listing = subprocess.run(["nm", self.elf], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1] for line in listing.splitlines()}


def build(folder: Path, board: str, *options: str) -> Built:
    """Builds a copy of the sources there."""
    copy = folder / "firmware-gpio-probes"
    shutil.copytree(FIRMWARE, copy, ignore=shutil.ignore_patterns("build"))
    make = ["make", "-j2", f"BOARD={board}", *options]
    done = subprocess.run(make, cwd=copy, capture_output=True, text=True, check=True)
    return Built(next(copy.glob("build/*/reference.elf")), done.stdout + done.stderr)


@pytest.fixture(scope="module", params=BOARDS)
def board(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, board: str) -> Built:
    return build(tmp_path_factory.mktemp("one"), board)


def test_builds_without_a_warning(image: Built) -> None:
    assert "warning" not in image.said


def test_a_second_make_does_nothing(image: Built, board: str) -> None:
    make = ["make", f"BOARD={board}"]
    done = subprocess.run(make, cwd=image.elf.parents[2], capture_output=True, text=True, check=True)
    assert "-o" not in done.stdout.split()


def test_same_sources_same_bytes(image: Built, board: str, tmp_path: Path) -> None:
    """Even in another folder."""
    assert image.elf.read_bytes() == build(tmp_path / "elsewhere", board).elf.read_bytes()


def test_no_heap_no_float(image: Built) -> None:
    """No allocator, and none of the compilers' routines for floating point (RTABI of ARM 4.1.2, SLAA534 6.2)."""
    forbidden = (
        r"malloc|free|_sbrk|\w*printf|__aeabi_[fd]\w*|__aeabi_u?[il]2[fd]|__mspabi_(\w+[fd]|fix\w+|flt\w+|cvt\w+)"
    )
    assert [] == [name for name in image.names if re.fullmatch(forbidden, name)]


def test_off_builds_the_same_application_without_probes(image: Built, board: str, tmp_path: Path) -> None:
    off = build(tmp_path, board, "PROBES=off")
    assert "warning" not in off.said
    assert [] == [name for name in off.names if "gpiorig" in name]
    assert {"app_start", "radio_service"} <= off.names
    assert {"gpiorig_send", "gpiorig_send_id"} <= image.names


def test_constant_codes_are_folded(image: Built) -> None:
    """No function is left that works out a header or its check at run time."""
    ours = {name for name in image.names if name.startswith("gpiorig_")} - {"gpiorig_enable"}  # may be inlined
    api = {"gpiorig_init", "gpiorig_wiring_proof", "gpiorig_calibrate", "gpiorig_frames", "gpiorig_enable_all"}
    masks = {"gpiorig_enable_group", "gpiorig_groups", "gpiorig_mask"}
    assert api | masks | {"gpiorig_send", "gpiorig_send_id", "gpiorig_variant_normal"} == ours


def test_a_board_without_its_compiler_is_left_out(tmp_path: Path) -> None:
    """`make firmware` says so and builds the others; a board asked for by name is an error."""
    options = [f"BUILD={tmp_path}", "CROSS=no-such-"]
    done = subprocess.run(["make", "-C", FIRMWARE, "firmware", *options], capture_output=True, text=True, check=True)
    assert "iotlab-m3 is not built: there is no no-such-gcc no-such-size" in done.stdout
    asked = subprocess.run(["make", "-C", FIRMWARE, "BOARD=iotlab-m3", *options], capture_output=True, check=False)
    assert 0 != asked.returncode


def test_an_unknown_board_is_an_error() -> None:
    done = subprocess.run(["make", "-C", FIRMWARE, "BOARD=abacus"], capture_output=True, text=True, check=False)
    assert "BOARD=abacus: there is no reference/boards/abacus/board.mk" in done.stderr
