"""The firmware of every board builds without a warning, twice to the same bytes, and without heap or float."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import compilers
import pytest

from gpiorig.rig.experiments import images

pytestmark = pytest.mark.slow  # builds images

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware-gpio-probes"
BOARDS = sorted(path.parent.name for path in FIRMWARE.glob("reference/boards/*/board.mk"))


@dataclass(frozen=True)
class Built:
    """An image, and the output of make."""

    elf: Path
    printed: str

    @property
    def names(self) -> set[str]:
        listing = subprocess.run(["nm", self.elf], capture_output=True, text=True, check=True).stdout
        return {line.split()[-1] for line in listing.splitlines()}


def build(folder: Path, board: str, kernel: str, *options: str, cached: bool = True) -> Built:
    """Builds a copy of the sources there."""
    copy = folder / "firmware-gpio-probes"
    shutil.copytree(FIRMWARE, copy, ignore=shutil.ignore_patterns("build"))
    make = ["make", "-j2", f"BOARD={board}", f"KERNEL={kernel}", *options]
    environment = os.environ | ({} if cached else compilers.WITHOUT_CACHE)
    done = subprocess.run(make, cwd=copy, env=environment, capture_output=True, text=True, check=True)
    return Built(next(copy.glob("build/*/reference.elf")), done.stdout + done.stderr)


TARGETS = [pytest.param((board, "events"), id=board) for board in BOARDS]
TARGETS += [
    pytest.param((board, "threads"), id=f"{board}-threads")
    for board in ("iotlab-m3", "telosb")  # each core
]
COMPILED = (("iotlab-m3", "events"), ("telosb", "events"))


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Board and kernel."""
    board, kernel = request.param
    return board, kernel


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, target: tuple[str, str]) -> Built:
    """Of each core one is compiled here; objects of the others may be those of another folder and day."""
    return build(tmp_path_factory.mktemp("one"), *target, cached=target not in COMPILED)


def test_builds_without_a_warning(image: Built) -> None:
    assert "warning" not in image.printed


def test_a_second_make_does_nothing(image: Built, target: tuple[str, str]) -> None:
    make = ["make", f"BOARD={target[0]}", f"KERNEL={target[1]}"]
    done = subprocess.run(make, cwd=image.elf.parents[2], capture_output=True, text=True, check=True)
    assert "-o" not in done.stdout.split()


def test_same_sources_same_bytes(image: Built, target: tuple[str, str]) -> None:
    """Even in another folder: the image of `make firmware`, in the checkout."""
    assert images.reference_image(*target).read_bytes() == image.elf.read_bytes()


def test_no_heap_no_float(image: Built) -> None:
    """No allocator, and none of the compilers' routines for floating point (RTABI of ARM 4.1.2, SLAA534 6.2)."""
    forbidden = (
        r"malloc|free|_sbrk|\w*printf|__aeabi_[fd]\w*|__aeabi_u?[il]2[fd]|__mspabi_(\w+[fd]|fix\w+|flt\w+|cvt\w+)"
    )
    assert [] == [name for name in image.names if re.fullmatch(forbidden, name)]


def test_off_builds_the_same_application_without_probes(image: Built, target: tuple[str, str], tmp_path: Path) -> None:
    off = build(tmp_path, *target, "PROBES=off")
    assert "warning" not in off.printed
    assert [] == [name for name in off.names if "gpiorig" in name]
    assert {"app_start", "radio_service"} <= off.names
    assert {"gpiorig_send", "gpiorig_send_id"} <= image.names


def test_the_table_of_sizes_has_what_size_says(image: Built, target: tuple[str, str]) -> None:
    """And lists what is not built."""
    choice = ["--boards", target[0], "--kernels", target[1], "--probes", "normal", "doubled"]
    command = [sys.executable, FIRMWARE / "sizes.py", image.elf.parents[1], *choice]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    text, data, bss = image.elf.with_suffix(".size").read_text().splitlines()[1].split()[:3]
    assert f"| {' | '.join(target)} | normal | {text} | {data} | {bss} |" == table[2]
    assert f"| {' | '.join(target)} | doubled | not built |||" == table[3]


def test_constant_codes_are_folded(image: Built) -> None:
    """No function is left that works out a header or its check at run time."""
    ours = {name.partition(".")[0] for name in image.names if name.startswith("gpiorig_")}
    api = {
        "gpiorig_init",
        "gpiorig_wiring_proof",
        "gpiorig_calibrate",
        "gpiorig_heartbeat",
        "gpiorig_frames",
        "gpiorig_rest",
    }
    masks = {"gpiorig_enable_all", "gpiorig_enable_group", "gpiorig_groups", "gpiorig_mask"}
    expected = api | masks | {"gpiorig_send", "gpiorig_send_id", "gpiorig_seen", "gpiorig_variant_normal"}
    assert expected == ours - {"gpiorig_enable"}  # may be inlined


def test_a_board_without_its_compiler_is_left_out(tmp_path: Path) -> None:
    """`make firmware` reports it and builds the others; a board asked for by name is an error."""
    options = [f"BUILD={tmp_path}", "CROSS=no-such-", "BOARDS=iotlab-m3 telosb", "KERNELS=events"]
    done = subprocess.run(["make", "-C", FIRMWARE, "firmware", *options], capture_output=True, text=True, check=True)
    assert "iotlab-m3 is not built: there is no no-such-gcc no-such-size" in done.stdout
    assert [tmp_path / "telosb" / "reference.elf"] == [*tmp_path.glob("*/reference.elf")]
    asked = subprocess.run(["make", "-C", FIRMWARE, "BOARD=iotlab-m3", *options], capture_output=True, check=False)
    assert 0 != asked.returncode


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("BOARD=abacus", "BOARD=abacus: there is no reference/boards/abacus/board.mk"),
        ("KERNEL=corn", "KERNEL=corn: there is no reference/kernel/corn/kernel.c"),
        ("PROBES=few", "PROBES=few: there are "),
        ("PROGRAM=demo", "PROGRAM=demo: there are "),
    ],
)
def test_an_unknown_choice_is_an_error(choice: str, message: str) -> None:
    make = ["make", "-C", FIRMWARE, "BOARD=iotlab-m3", choice]
    done = subprocess.run(make, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr
