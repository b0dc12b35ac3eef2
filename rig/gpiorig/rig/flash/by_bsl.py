"""Flashing a TelosB over its serial port: the port must be the board's, the chip the board file's."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import msgspec

from gpiorig.capture import log
from gpiorig.rig.bench.flashing import Bsl, DebugEnd
from gpiorig.rig.errors import FlashError
from gpiorig.rig.flash import adapters
from gpiorig.rig.flash.content import Content
from gpiorig.rig.flash.job import Job, Outcome, Progress, WrongBoardError
from gpiorig.rig.flash.msp430_loader import Request, Step
from gpiorig.rig.host import ports

_PROGRAM = "gpiorig.rig.flash.msp430_loader"
_STABLE = ("/dev/serial/by-id/", "/dev/serial/by-path/")  # names that stay with the adapter or its place
_START_S = 90.0  # entry, erasure, reset: half a minute where each change of a line takes 50 ms
_BYTES_PER_S = 200  # written and read, a tenth of 38 400 baud


def port(method: Bsl, end: DebugEnd | None, serial: str | None) -> str:
    """The port of the board's loader.

    Raises
    ------
    FlashError
        It is not on the adapter that `debug` names, or it is unknown which of several boards is on it.
    """
    if end is not None and end.kind == "port":
        return end.value
    if end is not None and end.kind == "remote_bitbang":
        raise WrongBoardError("`debug` is the address of a JTAG adapter; this board is flashed over its serial port.")
    if serial is None:
        raise WrongBoardError("the node has no `serial`, over which its bootstrap loader is reached. Give its port.")
    if "://" in serial or (end is None and serial.startswith(_STABLE)):
        return serial
    adapter = ports.adapter(serial)
    if end is None and adapter is not None:
        adapters.chosen(method.usb_ids, None)  # of several boards, a number such as ttyUSB0 names any
    if end is not None and (adapter is None or not adapters.is_named(adapter, end)):
        place = adapters.described(adapter) if adapter else "no USB adapter"
        raise WrongBoardError(f"{serial} is on {place}, `debug` names {end}. Correct one of them.")
    return serial


def plan(method: Bsl, end: DebugEnd | None, serial: str | None, job: Job) -> list[str]:
    """What `flash` does, in its order."""
    compare = f"unlock by the vectors of {job.image}, read {job.content.size} bytes; unless equal:"
    return [
        f"enter the bootstrap loader on {port(method, end, serial)} by DTR and RTS (python-msp430-tools)",
        f"the device must be 0x{method.device_id:04x}",
        *([compare] if job.only_different else []),
        *("mass erase", f"write {job.content.size} bytes of {job.image}", f"read {job.content.size} bytes", "reset"),
    ]


def flash(method: Bsl, end: DebugEnd | None, serial: str | None, job: Job, progress: Progress) -> Outcome:
    """Write the image and read it back, or read it alone; the board runs it afterwards.

    Raises
    ------
    FlashError
        The loader does not answer, or what was read back differs.
    WrongBoardError
        It is another board or chip.
    """
    request = Request(port(method, end, serial), method.device_id, job.content.parts, job.only_different)
    step = _carried_out(request, progress, deadline_s=_START_S + 3 * job.content.size / _BYTES_PER_S)
    if step.wrong_device:
        raise WrongBoardError(
            f"the device is 0x{step.device_id:04x}; the board file has 0x{method.device_id:04x}. Correct `board` or "
            "`serial`."
        )
    read = Content(step.read)
    job.content.refuse_difference(read, image=job.image)
    return Outcome(step.same, read, f"0x{step.device_id:04x}")


def reset(method: Bsl, end: DebugEnd | None, serial: str | None, *, baudrate: int) -> None:
    """Reset the board by DTR and RTS; the port has the settings of its console.

    Raises
    ------
    FlashError
        The port cannot be opened, or is not the board's.
    """
    request = Request(port(method, end, serial), console_baud=baudrate)
    _carried_out(request, lambda _: None, deadline_s=_START_S)


def _carried_out(request: Request, progress: Progress, *, deadline_s: float) -> Step:
    """The last step of the program; raises `FlashError` if it failed."""
    command = [sys.executable, "-W", "ignore", "-m", _PROGRAM]
    log.runs(command)
    began_s = time.monotonic()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(deadline_s, process.kill)
        timer.start()
        try:
            process.stdin.write(msgspec.json.encode(request))
            process.stdin.close()
            step = Step(error="the program ended without an answer.")
            for line in process.stdout:
                step = msgspec.json.decode(line, type=Step)
                if step.now is not None:
                    log.LOG.info("bootstrap loader on %s: %s", request.port, step.now)
                    progress(step.now)
        except BaseException:
            process.kill()
            raise
        finally:
            timer.cancel()
    log.ended("bootstrap loader", process.returncode, began_s=began_s, messages=step.error or "")
    error = f"no answer within {deadline_s:.0f} s, while it should {step.now}." if step.now else step.error
    if error is not None:
        raise FlashError(f"bootstrap loader on {request.port}: {error}")
    return step
