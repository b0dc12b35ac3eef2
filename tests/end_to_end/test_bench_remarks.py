"""A run with firmware that does what the virtual bench does not model: a doubt in the recording, not a failed check."""

from __future__ import annotations

import struct
from importlib.resources import files
from pathlib import Path

import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig.analysis.number_text import for_page
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import images

BENCH = files("gpiorig.vbench") / "benches" / "demo.toml"
EXPERIMENT = ROOT / "experiments" / "pingpong.toml"
STUB = 0x0807_F000  # flash of the STM32F103RE that no image here reaches
PT_LOAD_RX = (1, 5)  # type, flags (System V ABI, figure 5-2)
RCC_AHBENR, SDIOEN_AND_FLITF_AND_SRAM, SDIO = 0x4002_1014, 0x414, 0x4001_8000  # RM0008 7.3.6, 3.3


def reading_sdio_first(image: bytes) -> bytes:
    """The image with another reset vector: it leads to code that reads SDIO three times and goes to the old one."""
    at, size, count = *struct.unpack_from("<I", image, 28), *struct.unpack_from("<HH", image, 42)
    headers = [struct.unpack_from("<8I", image, at + size * n) for n in range(count)]
    vectors = next(offset + 0x0800_0000 - paddr for _, offset, _, paddr, length, *_ in headers
                   if paddr <= 0x0800_0000 < paddr + length)  # fmt: skip
    (reset,) = struct.unpack_from("<I", image, vectors + 4)
    # ldr r0, =RCC_AHBENR; ldr r1, =value; str r1, [r0]; ldr r0, =SDIO; 3 x ldr r1, [r0]; ldr r0, =reset; bx r0; nop
    code = struct.pack("<10H", 0x4804, 0x4905, 0x6001, 0x4805, *[0x6801] * 3, 0x4804, 0x4700, 0xBF00)
    code += struct.pack("<4I", RCC_AHBENR, SDIOEN_AND_FLITF_AND_SRAM, SDIO, reset)
    changed = bytearray(image)
    struct.pack_into("<I", changed, vectors + 4, STUB | 1)
    kind, flags = PT_LOAD_RX
    segment = struct.pack("<8I", kind, len(changed), STUB, STUB, len(code), len(code), flags, 4)
    changed += code
    struct.pack_into("<I", changed, 28, len(changed))
    struct.pack_into("<H", changed, 44, count + 1)
    return bytes(changed + image[at : at + size * count] + segment)


@pytest.mark.slow
def test_what_is_not_modelled_is_in_the_recording(tmp_path: Path) -> None:
    """One line with node, address and PC, in `info` and in the report; the run succeeds."""
    bench_file = tmp_path / "bench.toml"
    bench_file.write_text(BENCH.read_text())
    (tmp_path / "foreign.elf").write_bytes(
        reading_sdio_first(images.images(benches.load(bench_file), bench_file=bench_file)["initiator"].read_bytes())
    )
    bench_file.write_text(
        BENCH.read_text().replace("[nodes.initiator]", '[nodes.initiator]\nfirmware = "foreign.elf"', 1)
    )

    done = gpiorig("run", bench_file, EXPERIMENT, "-o", tmp_path / "run", "--packets", "5")

    assert 0 == done.status, done.stderr
    (remark,) = Recording.open(tmp_path / "run").info.bench_remarks
    assert ("initiator", "SDIO 0x40018000 is not modelled, read as 0x0", 3) == (remark.node, remark.what, remark.times)
    assert STUB <= int(remark.pc, 16) < STUB + 20
    assert f"Not modelled: {remark.sentence}" in done.stdout.splitlines()
    assert for_page(remark.sentence) in (tmp_path / "run" / "report" / "report.html").read_text()
    assert f"  not modelled: {remark.sentence}" in gpiorig("info", tmp_path / "run").stdout.splitlines()


def test_a_clean_run_has_no_remark(demo: Demo) -> None:
    """The reference firmware keeps to what is modelled."""
    assert () == Recording.open(demo.folder).info.bench_remarks
    assert [] == demo.numbers["bench_remarks"]
