"""The two machines: ours as a process, Unicorn in this one. Both take vectors and give answers as arrays."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import unicorn
import unicorn.unicorn_py3.unicorn as binding
from unicorn import arm_const as arm

from core_oracle.vectors import CODE_WORDS, FLASH, RAM, RAM_BYTES, WINDOW, WINDOW_WORDS

ANSWER = np.dtype(
    [
        ("fault", "<u4"),
        ("cfsr", "<u4"),  # and BFAR: only ours
        ("bfar", "<u4"),
        ("r", "<u4", (16,)),
        ("psr", "<u4"),
        ("masks", "<u4"),
        ("s", "<u4", (32,)),
        ("fpscr", "<u4"),
        ("window", "<u4", (WINDOW_WORDS,)),
    ]
)
CORES = ("m3", "m4f")
# Instructions of a vector that has an end; `core_step` has the same.
LIMIT = 16
# What Unicorn keeps of translated code; by default it is 1 GiB, and vectors hardly ever meet code that is there.
TRANSLATED_BYTES = 32 << 20
# Branches reach 16 MiB; Unicorn must find something at the target, though it does not run it.
AROUND = FLASH - (17 << 20), 36 << 20


def program() -> Path:
    """The example program that runs vectors through our core."""
    root = Path(__file__).resolve().parents[4]
    path = Path(os.environ.get("GPIORIG_CORE_STEP", root / "target" / "release" / "examples" / "core_step"))
    if not path.exists():
        raise FileNotFoundError(f"{path} is absent: run `cargo build --release --example core_step -p vboards`")
    return path


def run_ours(core: str, flash: bytes, vectors: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Answers of our core to a batch. Files, not pipes: neither side waits for the other."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output:
        given.write(flash)
        given.write(vectors.tobytes())
        given.seek(0)
        subprocess.run([program(), core], stdin=given, stdout=output, check=True)
        output.seek(0)
        return np.frombuffer(output.read(), dtype=ANSWER)


# In the order of writing: CONTROL states which stack pointer R13 is.
MASK_REGISTERS = [arm.UC_ARM_REG_CONTROL, arm.UC_ARM_REG_FAULTMASK, arm.UC_ARM_REG_BASEPRI, arm.UC_ARM_REG_PRIMASK]
CORE_REGISTERS = [getattr(arm, f"UC_ARM_REG_R{n}") for n in range(15)]
FLOAT_REGISTERS = [*(getattr(arm, f"UC_ARM_REG_S{n}") for n in range(32)), arm.UC_ARM_REG_FPSCR]
# Writing xPSR leaves GE alone, reading has it.
FLAGS = [arm.UC_ARM_REG_APSR_NZCVQG, arm.UC_ARM_REG_XPSR]
INPUT = [arm.UC_ARM_REG_PSP, *MASK_REGISTERS, *CORE_REGISTERS, *FLAGS]
OUTPUT = [arm.UC_ARM_REG_PC, *MASK_REGISTERS, *CORE_REGISTERS, arm.UC_ARM_REG_XPSR]
# CONTROL.FPCA: there is a floating-point context, so that none is begun.
FPCA = 4


class Oracle:
    """Unicorn (QEMU's Cortex-M3 or Cortex-M4), by its C interface: a call per vector and register would be slow."""

    def __init__(self, core: str, flash: bytes) -> None:
        self.float = core == "m4f"
        # Not UC_MODE_MCLASS: with it Unicorn takes a Cortex-M33, whatever model is asked for.
        cpu = arm.UC_CPU_ARM_CORTEX_M3 if core == "m3" else arm.UC_CPU_ARM_CORTEX_M4
        uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB, cpu)
        uc.ctl_set_tcg_buffer_size(TRANSLATED_BYTES)
        uc.mem_map(*AROUND, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        uc.mem_map(RAM, RAM_BYTES, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        uc.mem_write(FLASH, flash)
        uc.hook_add(unicorn.UC_HOOK_MEM_INVALID, self._remember)
        self.uc = uc
        self.flash = flash
        self.accessed = -1

    def _remember(self, uc: unicorn.Uc, access: int, address: int, size: int, value: int, data: Any) -> bool:
        self.accessed = address
        return False

    def run(self, vectors: npt.NDArray[np.void]) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int64]]:
        """Answers, and the address of the access that nothing answered, or -1."""
        floats = FLOAT_REGISTERS if self.float else []
        given = np.zeros((len(vectors), len(INPUT) + len(floats)), dtype=np.uint32)
        given[:, 1] = FPCA if self.float else 0
        given[:, 5:20] = vectors["r"]
        given[:, 20] = given[:, 21] = vectors["psr"]
        outputs = np.zeros((len(vectors), len(OUTPUT) + len(floats)), dtype=np.uint32)
        if self.float:
            given[:, 22:54] = vectors["s"]
            given[:, 54] = vectors["fpscr"]
        ram = np.zeros((len(vectors), RAM_BYTES // 4), dtype=np.uint32)
        at = (WINDOW - RAM) // 4
        ram[:, at : at + WINDOW_WORDS] = vectors["window"]
        answers = np.zeros(len(vectors), dtype=ANSWER)
        # Code of an earlier batch could be a literal of this one.
        self.uc.mem_write(FLASH, self.flash)
        accessed = np.full(len(vectors), -1)
        self._run_all(vectors, given, outputs, ram, answers, accessed)
        answers["window"] = ram[:, at : at + WINDOW_WORDS]
        answers["r"] = np.concatenate([outputs[:, 5:20], outputs[:, :1]], axis=1)
        answers["psr"] = outputs[:, 20]
        shifts = np.array([24, 16, 8, 0], dtype=np.uint32)
        answers["masks"] = np.bitwise_or.reduce(outputs[:, 1:5] << shifts, axis=1)
        if self.float:
            answers["s"] = outputs[:, 21:53]
            answers["fpscr"] = outputs[:, 53]
        return answers, accessed

    def _run_all(self, vectors: Any, given: Any, output_file: Any, ram: Any, answers: Any, accessed: Any) -> None:
        # A library object of its own: that of the binding checks and converts every argument.
        lib, handle = ctypes.CDLL(binding.uclib._name), self.uc._uch
        floats = FLOAT_REGISTERS if self.float else []
        inputs, outputs = [*INPUT, *floats], [*OUTPUT, *floats]
        input_ids, output_ids = (ctypes.c_int * len(inputs))(*inputs), (ctypes.c_int * len(outputs))(*outputs)
        input_row = (ctypes.c_uint32 * len(inputs))()
        output_row = (ctypes.c_uint32 * len(outputs))()

        def pointers(row: Any) -> Any:
            begin = ctypes.addressof(row)
            return (ctypes.c_void_p * len(row))(*[begin + 4 * i for i in range(len(row))])

        input_at, output_at = pointers(input_row), pointers(output_row)
        given_at, taken_at, ram_at = given.ctypes.data, output_file.ctypes.data, ram.ctypes.data
        given_bytes, taken_bytes = 4 * len(inputs), 4 * len(outputs)
        code = np.ascontiguousarray(vectors["code"])
        code_at, code_bytes = code.ctypes.data, 4 * CODE_WORDS
        word, length, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
        # Writing does not invalidate what was translated. (A control's number, two arguments, writing: unicorn.h.)
        forget = ctypes.c_uint32(unicorn.UC_CTL_TB_REMOVE_CACHE | 2 << 26 | unicorn.UC_CTL_IO_WRITE << 30)
        addresses, ends = vectors["address"].tolist(), vectors["end"].tolist()
        for i, (address, end) in enumerate(zip(addresses, ends, strict=True)):
            lib.uc_mem_write(handle, word(address), pointer(code_at + i * code_bytes), length(code_bytes))
            lib.uc_ctl(handle, forget, word(address), word(address + code_bytes))
            lib.uc_mem_write(handle, word(RAM), pointer(ram_at + i * RAM_BYTES), length(RAM_BYTES))
            ctypes.memmove(input_row, given_at + i * given_bytes, given_bytes)
            lib.uc_reg_write_batch(handle, input_ids, input_at, len(inputs))
            self.accessed = -1
            # A count always: blocks translated without one would not stop at one later.
            count = LIMIT if end else 1
            if lib.uc_emu_start(handle, word(address | 1), word(end or address + code_bytes), word(0), length(count)):
                answers["fault"][i] = 1
                accessed[i] = self.accessed
            lib.uc_reg_read_batch(handle, output_ids, output_at, len(outputs))
            ctypes.memmove(taken_at + i * taken_bytes, output_row, taken_bytes)
            lib.uc_mem_read(handle, word(RAM), pointer(ram_at + i * RAM_BYTES), length(RAM_BYTES))
