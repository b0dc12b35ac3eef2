"""Logic analyzers as sigrok-cli sees them: finding the program, listing analyzers and their channels."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpiorig.capture import log
from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.sigrok.diagnosis import ABSENT, OTHER_FIRMWARE, diagnose
from gpiorig.capture.usb import connection, tree

SIGROK = "sigrok-cli"
KEPT_BYTES = "16777216"  # a buffer up to this size stays with sigrok-cli
INSTALL = "install it with `apt install sigrok-cli`"
SCAN_DEADLINE_S = 10.0
# A scan that has loaded firmware ends before the analyzer is back on the USB at another address: an FX2 is off it for
# 1.5 s (fx2lib, RENUMERATE_UNCOND), and still shown for up to 0.3 s (libsigrok 0.5.2, src/hardware/fx2lafw/api.c, which
# waits 3 s itself; so do dreamsourcelab-dslogic and saleae-logic16).
LOADED = "Firmware upload done"  # src/ezusb.c, at log level 3
GONE_S, RENUMERATION_S, LOOK_S = 0.3, 6.0, 0.2


def find_sigrok() -> Path:
    """Return the path of sigrok-cli, or raise AnalyzerError."""
    path = shutil.which(SIGROK)
    if path is None:
        raise AnalyzerError(f"{SIGROK} is not installed", remedy=INSTALL)
    return Path(path)


def environment() -> dict[str, str]:
    """Return the environment for sigrok-cli: ours, with messages in English, and with memory that it keeps.

    It takes and frees a buffer for each packet of samples; glibc maps those above 128 kB each time, and their pages
    are most of its processor time.
    """
    return (
        {"MALLOC_MMAP_THRESHOLD_": KEPT_BYTES, "MALLOC_TRIM_THRESHOLD_": KEPT_BYTES}
        | os.environ
        | {"LC_ALL": "C.UTF-8"}
    )


def versions() -> dict[str, str]:
    """Return the versions of sigrok-cli and its libraries, by name."""
    text, _ = _run(["--version"], where=SIGROK)
    pairs = re.findall(r"^(?:- )?(sigrok-cli|libsigrok|libsigrokdecode) (\d[\w.+-]*)", text, re.MULTILINE)
    return {name: version.split("/")[0] for name, version in pairs}


@dataclass(frozen=True, slots=True)
class Analyzer:
    """A logic analyzer that was found.

    Attributes
    ----------
    driver
        Driver and connection, as sigrok-cli takes them.
    description
        Its name, as the driver reports it.
    channels
        Channel names; their order is the order of the bits of a sample.
    """

    driver: str
    description: str
    channels: tuple[str, ...]

    def selection(self, wanted: Sequence[str]) -> dict[str, str]:
        """Return our name of each wanted channel, by the analyzer's.

        Parameters
        ----------
        wanted
            The analyzer's channel names; "P8_45=strobe" gives one another name.
        """
        names: dict[str, str] = {}
        for name in wanted:
            channel, _, ours = name.partition("=")
            names[channel] = ours or channel
        unknown = [channel for channel in names if channel not in self.channels]
        if unknown or not names:
            what = f"there is no channel {', '.join(unknown)}" if unknown else "no channels are asked for"
            raise AnalyzerError(what, where=self.driver, remedy=f"it has {' '.join(self.channels)}")
        return names


def scan(driver: str, *, deadline_s: float = SCAN_DEADLINE_S) -> Analyzer:
    """Find one analyzer and list its channels.

    Parameters
    ----------
    driver
        For instance "fx2lafw" or "beaglelogic:conn=tcp-raw/127.0.0.1/5555".
    deadline_s
        Seconds after which an analyzer that does not answer is an error.
    """
    there = scan_all(driver, deadline_s=deadline_s)
    if len(there) > 1:
        raise AnalyzerError(
            f"{len(there)} analyzers were found",
            where=driver,
            remedy=f"choose one: {', '.join(analyzer.driver for analyzer in there)}",
        )
    return there[0]


def scan_all(driver: str, *, deadline_s: float = SCAN_DEADLINE_S) -> list[Analyzer]:
    """Find all analyzers of a driver, at least one; of several each has its own connection.

    Parameters
    ----------
    driver, deadline_s
        As of `scan`.
    """
    driver = connection.by_port(driver)
    lines, messages = _listed(driver, deadline_s=deadline_s)
    if LOADED in messages:
        lines = _returned(driver, len(lines), deadline_s=deadline_s)
    if not lines:
        raise _absent(driver, messages)
    connected = [line for line in lines if ":conn=" in line[1]] or lines  # without its firmware it has no address
    analyzers = []
    for description, where, channels in connected:
        place = connection.by_port(where)
        analyzers.append(Analyzer(place, description.replace(where, place, 1), tuple(channels.split())))
    return analyzers if len(lines) > 1 else [replace(analyzers[0], driver=driver)]


def _listed(driver: str, *, deadline_s: float) -> tuple[list[tuple[str, str, str]], str]:
    """Description, connection and channels of each analyzer that sigrok-cli lists, and its messages."""
    text, messages = _run(
        ["-l", "3", "-d", connection.by_address(driver), "--scan"], where=driver, deadline_s=deadline_s
    )
    return re.findall(r"^((\S+) - .*?) with \d+ channels?: (.*)$", text, re.MULTILINE), messages


def _returned(driver: str, expected: int, *, deadline_s: float) -> list[tuple[str, str, str]]:
    """As `_listed`, once the analyzers that have been given firmware are back on the USB."""
    end_s = time.monotonic() + RENUMERATION_S
    time.sleep(GONE_S)
    lines: list[tuple[str, str, str]] = []
    reason = ""
    while time.monotonic() < end_s:
        try:
            lines, messages = _listed(driver, deadline_s=deadline_s)
        except AnalyzerError as error:  # its port is empty, or udev has not given it to us yet
            reason = f": {error.what}"
        else:
            if len(lines) >= expected and LOADED not in messages:
                return lines
        time.sleep(LOOK_S)
    raise AnalyzerError(
        f"firmware was loaded, and after {RENUMERATION_S:g} s {len(lines)} of {expected} analyzers were back on the USB"
        f"{reason}",
        where=driver,
        remedy="plug it in again, into a USB 2 port without a hub",
    )


def taken_rate(driver: str, samplerate_hz: int, *, deadline_s: float = SCAN_DEADLINE_S) -> int | None:
    """Ask for a samplerate and return the one that the driver takes: some round silently. None: not reported."""
    device = connection.by_address(driver)
    arguments = ["-d", device, "-c", f"samplerate={samplerate_hz}", "--get", "samplerate"]
    text, messages = _run(arguments, where=driver, deadline_s=deadline_s)
    if OTHER_FIRMWARE in messages:  # fx2lafw reports it, and opens the analyzer all the same
        raise diagnose(messages, where=driver, what="")
    match = re.search(r"^(\d+)$", text, re.MULTILINE)
    return int(match[1]) if match else None


def _absent(driver: str, messages: str) -> AnalyzerError:
    """Why a scan lists nothing."""
    error = diagnose(f"{messages}\nNo devices found", where=driver, what="")
    path = connection.port(driver)
    there = [connection.described(device) for device in tree.devices() if device.path == path]
    if there and error.what.startswith(ABSENT):
        what = f"at this port is {there[0]}, which is not an analyzer of this driver"
        return AnalyzerError(what, where=driver, remedy="`gpiorig bench scan` lists the analyzers")
    return error


def _run(arguments: list[str], *, where: str, deadline_s: float = SCAN_DEADLINE_S) -> tuple[str, str]:
    """Return what sigrok-cli writes to stdout and stderr."""
    command = [str(find_sigrok()), *arguments]
    log.runs(command)
    began_s = time.monotonic()
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=deadline_s,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        log.ended(SIGROK, None, began_s=began_s, messages=(error.stderr or b"").decode(errors="replace"))
        raise AnalyzerError(
            f"no answer in {deadline_s:g} s", where=where, remedy="is another program connected to this analyzer?"
        ) from error
    except OSError as error:
        raise CaptureError(f"cannot be run: {error.strerror}", where=command[0], remedy=INSTALL) from error
    messages = done.stderr.decode(errors="replace")
    printed = done.stdout.decode(errors="replace")
    log.ended(SIGROK, done.returncode, began_s=began_s, messages=f"{printed}\n{messages}")
    if done.returncode != 0:
        raise diagnose(messages, where=where, what=f"exit status {done.returncode}")
    return printed, messages
