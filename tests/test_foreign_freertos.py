"""An operating system that nobody here wrote: the FreeRTOS kernel, unmodified, on the virtual boards."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gpiorig.rig.bench_world import VirtualNode
from gpiorig.rig.virtual.vboards import VirtualBoards

PROGRAM = Path(__file__).parent / "foreign" / "freertos"
# The crate carries the kernel's sources of release V11.2.0 (MIT).
CRATE = "freertos-next"
CRATE_VERSION = "0.10.0"
KERNEL_VERSION = "V11.2.0"
CORTEX_M3 = ("-mcpu=cortex-m3", "-DCPU_HZ=8000000")  # HSI, RM0008 7.2.2
# MSI at 4 MHz, RM0351 6.2.3; floating point in tasks that pre-empt each other.
CORTEX_M4F = (
    "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-DCPU_HZ=4000000", "-DBOARD_NUCLEO_L476RG",
)  # fmt: skip
PS_PER_S = 10**12


@pytest.fixture(scope="session")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernel's sources, by cargo from crates.io."""
    folder = tmp_path_factory.mktemp("crate")
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
        f'[dependencies]\n{CRATE} = "={CRATE_VERSION}"\n',
        encoding="utf-8",
    )
    fetched = subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=folder, capture_output=True, text=True)
    if fetched.returncode != 0:
        # Cargo before 1.70 reads the registry by git from another host.
        pytest.skip(f"this cargo cannot fetch {CRATE} from crates.io: {fetched.stderr.strip().splitlines()[-1]}")
    return folder / "vendor" / CRATE / "FreeRTOS-Kernel"


def build(kernel: Path, image: Path, *, port: str, options: tuple[str, ...]) -> bytes:
    """Compiles the test program with the kernel and its port for a core."""
    here = kernel / "portable" / "GCC" / port
    sources = [PROGRAM / "main.c", *(kernel / f"{name}.c" for name in ("tasks", "queue", "list", "timers"))]
    sources += [here / "port.c", kernel / "portable" / "MemMang" / "heap_4.c"]
    command = ["arm-none-eabi-gcc", "-std=c11", "-O2", "-mthumb", *options]
    command += [f"-I{folder}" for folder in (PROGRAM, kernel / "include", here)]
    command += ["-nostartfiles", "--specs=nosys.specs", f"-Wl,-T,{PROGRAM / 'flash.ld'}", "-Wl,--no-warn-rwx-segments"]
    subprocess.run([*command, "-o", str(image), *map(str, sources)], check=True)
    return image.read_bytes()


def run(kind: str, image: bytes) -> tuple[str, str]:
    """What the image says on the console in 3 s, and what the models have to say."""
    boards = VirtualBoards(seed=1)
    try:
        boards.add_board(kind, image, VirtualNode())
        boards.run(3 * PS_PER_S)
        return boards.uart_read(0, 0)[1].decode(), boards.log
    finally:
        boards.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "port", "options"),
    [
        pytest.param("iotlab-m3", "ARM_CM3", CORTEX_M3, id="cortex-m3"),
        pytest.param("nucleo-l476rg", "ARM_CM4F", CORTEX_M4F, id="cortex-m4f"),
    ],
)
def test_tasks_queues_timers_and_ticks_run_as_on_silicon(
    kernel: Path, tmp_path: Path, kind: str, port: str, options: tuple[str, ...]
) -> None:
    """2000 ticks: a message every second one, each handled; every tenth notifies; the timer fires every tenth tick."""
    said, log = run(kind, build(kernel, tmp_path / "freertos.elf", port=port, options=options))
    boot, done, *rest = said.splitlines()
    assert (f"boot {KERNEL_VERSION}", [], "") == (boot, rest, log)
    counts = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", done)}
    idle, workers = counts.pop("idle"), (counts.pop("worker0"), counts.pop("worker1"))
    expected = {"ticks": 2000, "sent": 999, "received": 999, "notifications": 99, "locked": 99, "timed": 199}
    assert expected == counts
    assert idle > 0
    assert min(workers) > 100
