"""The FreeRTOS kernel, unmodified, and programs built with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import compilers
import pytest

FOREIGN = Path(__file__).parents[1] / "glue" / "foreign" / "freertos"
# The crate carries the kernel's sources of release V11.2.0 (MIT).
CRATE = "freertos-next"
CRATE_VERSION = "0.10.0"
KERNEL_VERSION = "V11.2.0"
KERNEL = Path("vendor", CRATE, "FreeRTOS-Kernel")
CORTEX_M3 = ("-mcpu=cortex-m3", "-DCPU_HZ=8000000")  # HSI, RM0008 7.2.2
# MSI at 4 MHz, RM0351 6.2.3; floating point in tasks that pre-empt each other.
CORTEX_M4F = (
    "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-DCPU_HZ=4000000", "-DBOARD_NUCLEO_L476RG",
)  # fmt: skip
# HFINT at 64 MHz, nRF52840 PS "CLOCK".
NRF52840 = (
    "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-DCPU_HZ=64000000", "-DBOARD_NRF52840DK",
    "-Wl,--defsym=flash_origin=0",
)  # fmt: skip


def fetch_kernel(folder: Path) -> None:
    """Put the kernel's sources into `folder / KERNEL`, by cargo from crates.io."""
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
        f'[dependencies]\n{CRATE} = "={CRATE_VERSION}"\n',
        encoding="utf-8",
    )
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo to fetch FreeRTOS with")
    fetched = subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=folder, capture_output=True, text=True)
    if fetched.returncode != 0:
        # Cargo before 1.70 reads the registry by git from another host.
        pytest.skip(f"this cargo cannot fetch {CRATE} from crates.io: {fetched.stderr.strip().splitlines()[-1]}")


def build(
    kernel: Path, image: Path, *, port: str, options: Sequence[str], program: Path = FOREIGN, more: Sequence[Path] = ()
) -> bytes:
    """Compiles the program of a folder, and more sources, with the kernel and its port for a core."""
    here = kernel / "portable" / "GCC" / port
    sources = [program / "main.c", FOREIGN / "board.c", *more]
    sources += [*(kernel / f"{name}.c" for name in ("tasks", "queue", "list", "timers"))]
    sources += [here / "port.c", kernel / "portable" / "MemMang" / "heap_4.c"]
    command = ["arm-none-eabi-gcc", "-std=c11", "-g", "-O2", "-mthumb", *options]
    command += [f"-I{folder}" for folder in (program, FOREIGN, kernel / "include", here)]
    command += ["-nostartfiles", "--specs=nosys.specs", f"-Wl,-T,{FOREIGN / 'flash.ld'}", "-Wl,--no-warn-rwx-segments"]
    done = compilers.link(command, sources, image)
    assert 0 == done.returncode, done.stderr
    return image.read_bytes()
