"""Flashing a board with a debug port: the chip must be the board file's, and what was written is read back."""

from __future__ import annotations

import contextlib
import re
import shlex
import tempfile
from pathlib import Path

from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig.bench import flashing
from gpiorig.rig.bench.flashing import DebugEnd
from gpiorig.rig.errors import FlashError
from gpiorig.rig.flash import adapters
from gpiorig.rig.flash.content import Content
from gpiorig.rig.flash.job import Job, LockedError, Outcome, Progress, WrongBoardError
from gpiorig.rig.flash.openocd import START, Openocd

# remote_bitbang has no speed, which scripts of targets set at a reset.
_NO_SPEED = "foreach t [target names] {$t configure -event reset-start {}; $t configure -event reset-init {}}"
_DEV_ID = 0xFFF  # bits of DBGMCU_IDCODE: RM0008 31.6.1, RM0351 48.6.1; of INFO.PART of an nRF52840 as well
# What the script of a target says of a chip whose access port is protected, with its command that erases and opens it.
_LOCKED = re.compile(r"AP lock engaged.*?Use '(\w+)' to erase", re.DOTALL)

_START_S = 30.0  # init and resets
_WRITE_BYTES_PER_S = 200  # an eighth of the slowest that was seen, a virtual M3 on a loaded machine
_READ_BYTES_PER_S = 400


def arguments(method: flashing.Openocd, end: DebugEnd | None) -> list[str]:
    """OpenOCD's command line for a board, after what makes it listen to us.

    Raises
    ------
    FlashError
        The adapter is not there, or not the only one that it could be.
    """
    if end is not None and end.kind == "port":
        raise WrongBoardError(f"`debug` is {end.value}, a serial port; this board is flashed by a debug adapter.")
    if end is not None and end.kind == "remote_bitbang":
        host, _, port = end.value.rpartition(":")
        words = ["adapter driver remote_bitbang", f"remote_bitbang host {host}", f"remote_bitbang port {port}"]
        return [*_commands(*words, "transport select jtag"), "-f", method.target, "-c", _NO_SPEED]
    if end is not None and end.kind == "buspirate":
        words = ["adapter driver buspirate", f"buspirate port {end.value}", "transport select swd"]
        return [*_commands(*words), "-f", method.target]
    adapter = adapters.chosen(tuple(method.adapters), end)
    commands = method.adapters[adapter.ids] if adapter else method.adapter
    return [*_commands(*commands, *_keys(adapter, end)), "-f", method.target, *_commands(*method.reset)]


def _keys(adapter: UsbDevice | None, end: DebugEnd | None) -> list[str]:
    """What OpenOCD must find: the USB path, and the serial number where the bench file has it."""
    if adapter is None and end is None:
        raise WrongBoardError("the node has no `debug`, and which adapters are there cannot be seen. Name its adapter.")
    path = adapter.path if adapter else end.value if end and end.kind == "usb" else None
    serial = [f"adapter serial {end.value}"] if end and end.kind == "serial number" else []
    return serial + ([f"adapter usb location {path}"] if path else [])


def _commands(*commands: str) -> list[str]:
    return [word for command in commands for word in ("-c", command)]


def plan(method: flashing.Openocd, end: DebugEnd | None, job: Job) -> list[str]:
    """The commands that `flash` carries out, as a line for a shell and the commands for OpenOCD."""
    reads = [f"dump_image FILE 0x{address:x} {len(data)}" for address, data in job.content.parts]
    identity = [f"read_memory 0x{method.device_id_address:x} 32 1", f"read_memory 0x{method.flash_kib_address:x} 16 1"]
    steps = ["init", "reset init", *identity, *(reads if job.only_different else []), _write(job), *reads, "reset run"]
    return [shlex.join(["openocd", "-c", START, *arguments(method, end)]), *steps]


def reset(method: flashing.Openocd, end: DebugEnd | None) -> None:
    """Reset the board by its debug adapter; it runs its image.

    Raises
    ------
    FlashError
        OpenOCD fails, or the adapter is not there.
    """
    words = arguments(method, end)
    with Openocd(words) as openocd:
        _connect(openocd, words, end)
        openocd.call("reset run", deadline_s=_START_S)


def flash(method: flashing.Openocd, end: DebugEnd | None, job: Job, progress: Progress) -> Outcome:
    """Write the image and read it back, or read it alone; the board runs it afterwards.

    Raises
    ------
    FlashError
        OpenOCD fails, or what was read back differs.
    WrongBoardError
        It is another chip.
    LockedError
        It must be erased first.
    """
    words = arguments(method, end)
    with Openocd(words) as openocd:
        progress("connect")
        _connect(openocd, words, end)
        openocd.call("reset init", deadline_s=_START_S)
        try:
            outcome = _flash_halted(openocd, method, job, progress)
        except FlashError:
            with contextlib.suppress(FlashError):  # a wrong board runs again as well
                openocd.call("reset run", deadline_s=_START_S)
            raise
        openocd.call("reset run", deadline_s=_START_S)
        return outcome


def _connect(openocd: Openocd, words: list[str], end: DebugEnd | None) -> None:
    try:
        openocd.call("init", deadline_s=_START_S)
    except FlashError as error:
        raise FlashError(f"{error} {_remedy(end)}") from error
    if locked := _LOCKED.search(openocd.log):
        command = shlex.join(["openocd", *words, "-c", f"init; {locked[1]}; shutdown"])
        raise LockedError(
            "the chip's debug port is closed (AP lock engaged), as that of a new nRF52840 is, and of one whose "
            f"firmware does not open it. Run `{command}`, which erases all of its flash memory and opens it; then "
            "flash it again."
        )


def _remedy(end: DebugEnd | None) -> str:
    if end is not None and end.kind == "remote_bitbang":
        return f"Is the virtual bench still served at {end.value}, and no other OpenOCD connected?"
    return "Has the board its supply, and may you open the adapter? (`gpiorig bench check BENCH --live`)"


def _flash_halted(openocd: Openocd, method: flashing.Openocd, job: Job, progress: Progress) -> Outcome:
    chip, uid = _identity(openocd, method)
    if job.only_different:
        read = _read(openocd, job.content, progress)
        if job.content.first_difference(read) is None:
            return Outcome(True, read, chip, uid)
    progress(f"write {job.content.size} bytes")
    openocd.call(_write(job), deadline_s=2 * _START_S + job.content.size / _WRITE_BYTES_PER_S)
    read = _read(openocd, job.content, progress)
    job.content.refuse_difference(read, image=job.image)
    return Outcome(False, read, chip, uid)


def _write(job: Job) -> str:
    if set("{}\\") & set(job.image):
        raise FlashError(f"{job.image}: OpenOCD takes no paths with braces or backslashes. Copy the image.")
    return f"flash write_image erase {{{job.image}}} 0 elf"


def _identity(openocd: Openocd, method: flashing.Openocd) -> tuple[str, str]:
    """The chip and its unique id; raises `WrongBoardError` if it is not the board file's."""
    device = _register(openocd, method.device_id_address, bits=32) & _DEV_ID
    _refuse_other("identity", f"0x{method.device_id:03x}", f"0x{device:03x}")
    kib = _register(openocd, method.flash_kib_address, bits=16)  # other chips have it elsewhere
    _refuse_other("flash memory", f"{method.flash_kib} KiB", f"{kib} KiB")
    parts = openocd.call(f"read_memory 0x{method.uid_address:x} 32 {method.uid_words}", deadline_s=_START_S).split()
    uid = b"".join(int(part, 0).to_bytes(4, "little") for part in parts)  # in the order of `identify`
    return f"0x{device:03x}, {kib} KiB", uid.hex()


def _register(openocd: Openocd, address: int, *, bits: int) -> int:
    return int(openocd.call(f"read_memory 0x{address:x} {bits} 1", deadline_s=_START_S), 0)


def _refuse_other(property_name: str, expected: str, there: str) -> None:
    if expected != there:
        raise WrongBoardError(
            f"{property_name} of the chip is {there}, in the board file {expected}. Correct `board` or `debug`."
        )


def _read(openocd: Openocd, content: Content, progress: Progress) -> Content:
    """The parts of the flash memory that an image has."""
    progress(f"read {content.size} bytes")
    parts = []
    with tempfile.TemporaryDirectory(prefix="gpiorig-") as folder:
        file = Path(folder) / "read"
        for address, data in content.parts:
            command = f"dump_image {file} 0x{address:x} {len(data)}"
            openocd.call(command, deadline_s=_START_S + len(data) / _READ_BYTES_PER_S)
            parts.append((address, file.read_bytes()))
    return Content(tuple(parts))
