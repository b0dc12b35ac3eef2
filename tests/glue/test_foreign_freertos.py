"""An operating system that was not written here: the FreeRTOS kernel, unmodified, on the virtual boards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from freertos_image import CORTEX_M3, CORTEX_M4F, KERNEL_VERSION, build

from gpiorig.vbench.boards.vboards import VirtualBoards
from gpiorig.vbench.description.world import VirtualNode

PS_PER_S = 10**12


def run(kind: str, image: bytes) -> tuple[str, str]:
    """The console's text in 3 s, and the log of the models."""
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
    freertos_kernel: Path, tmp_path: Path, kind: str, port: str, options: tuple[str, ...]
) -> None:
    """2000 ticks: a message every second one, each handled; every tenth notifies; the timer fires every tenth tick."""
    output, log = run(kind, build(freertos_kernel, tmp_path / "freertos.elf", port=port, options=options))
    boot, done, *rest = output.splitlines()
    assert (f"boot {KERNEL_VERSION}", [], "") == (boot, rest, log)
    counts = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", done)}
    idle, workers = counts.pop("idle"), (counts.pop("worker0"), counts.pop("worker1"))
    expected = {"ticks": 2000, "sent": 999, "received": 999, "notifications": 99, "locked": 99, "timed": 199}
    assert expected == counts
    assert idle > 0
    assert min(workers) > 100
