"""Messages of sigrok-cli: what they mean, and what to do."""

from __future__ import annotations

import re

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok.lost_transfers import Transfers

ABSENT = "no such analyzer was found"
OTHER_FIRMWARE = "Expected firmware version"

# Messages of sigrok-cli, their meaning, what to do. The first match counts. The messages are those in the binaries of
# sigrok-cli 0.7.2 and libsigrok 0.5.2 (`strings`); those in brackets were seen here, the others need hardware.
COMPLAINTS = (
    # [src/hardware/openbench-logic-sniffer, pipistrello-ols]
    (r"Can't match samplerate (\d+), using (\d+)", "the analyzer would take another rate: {}", "ask for that rate"),
    # fx2lafw, dreamsourcelab-dslogic, saleae-logic16
    (
        r"Unable to sample at \d+Hz( when collecting 16-bit samples| with this many channels)?",
        "the analyzer cannot sample at this rate ({})",
        "ask for a lower rate, or fewer channels: fx2lafw takes 24 MHz on D0 to D7, 12 MHz on 16",
    ),
    (
        r"Failed to set device option 'samplerate'|Invalid value: '\S*' for option 'samplerate'",
        "the samplerate is refused",
        "`sigrok-cli -d … --show` lists rates",
    ),
    (r"Failed to set device option '\S+|Unknown device option '\S+", "an option is refused ({})", "check --config"),
    (r"Connection refused", "nothing answers at this address", "start the analyzer, or check its port"),
    (r"Address lookup failed|No route to host", "this address cannot be reached", "check host and port"),
    (
        r"BUSY|[Bb]usy|[Uu]nable to claim|Cannot claim|Failed to claim|already claimed|already in use",
        "the analyzer is in use by another program",
        "close that program",
    ),
    (
        r"ERROR_ACCESS|[Pp]ermission denied",
        "no permission for the analyzer",
        "sigrok's udev rules (`apt install libsigrok4`) let the group plugdev have it: `adduser $USER plugdev`, log in "
        "again, plug it in again",
    ),
    # resource.c, ezusb.c; the firmware of DSLogic and Saleae is not free and has to be fetched by hand
    (
        r"Failed to open resource '([^']+)'|Firmware upload failed|Failed to (upload|select) FPGA firmware"
        r"|Unable to send firmware|Truncated firmware file",
        "the analyzer's firmware is missing or cannot be loaded ({})",
        "`apt install sigrok-firmware-fx2lafw`, or for DSLogic and Saleae put its files into "
        "~/.local/share/sigrok-firmware (https://sigrok.org/wiki/Firmware)",
    ),
    (
        rf"{OTHER_FIRMWARE} \S+ got [\d.]+\d",
        "the analyzer has firmware that this driver was not made for ({})",
        "plug it in again, so that libsigrok loads its own",
    ),
    (
        r"failed to renumerate|Unable to get version info|Failed to get firmware version",
        "the analyzer does not answer after its firmware was loaded ({})",
        "plug it in again, into a USB 2 port without a hub",
    ),
    (r"Driver \S+ not found", "sigrok-cli has no such driver", "`sigrok-cli -L` lists them"),
    (r"Invalid Parameters", "the driver does not understand this connection", "write conn=tcp-raw/HOST/PORT"),
    (r"Invalid option '\S+'", "the driver has no such option ({})", "`sigrok-cli -d DRIVER --show` lists them"),
    (r"No devices? found", ABSENT, "check its cable and power, and the driver's name"),
    (
        r"ERROR_NO_DEVICE|TRANSFER_NO_DEVICE|been disconnected|disconnected|unplugged",
        "the analyzer was unplugged",
        "check its cable and record again",
    ),
    (
        r"[Uu]nknown channel '\S+'|Failed to set channels",
        "a channel is refused ({})",
        "`sigrok-cli -d … --show` lists them",
    ),
    (
        r"does not support continuous sampling",
        "this analyzer samples into a buffer, not on and on",
        "give a number of samples (--samples)",
    ),
    (r"Insufficient buffer space", "the sample limit exceeds the analyzer's buffer", "capture without a limit"),
    (r"FIFO overflow", "the analyzer's buffer overflowed", "ask for a lower rate, or fewer channels"),
    (r"Device only sent \d+ samples", "the analyzer ended early ({})", "capture without a limit"),
    (
        r"transfers? (buffer )?malloc failed|ERROR_NO_MEM",
        "no memory for USB transfers",
        "raise /sys/module/usbcore/parameters/usbfs_memory_mb",
    ),
    (r"LIBUSB_(ERROR|TRANSFER)_\w+", "an error on the USB ({})", "use another cable or port, without a hub"),
    (
        r"Timed out waiting for response|timed out",
        "the analyzer does not answer",
        "is another program connected to it?",
    ),
    (r"Failed to open device|Unable to open device", "the analyzer cannot be opened", "plug it in again"),
    (r"Failed to start session|Could not start", "sampling cannot be started", "see its message"),
)
# Messages that samples were lost while the capture continues; lost transfers are read in `transfers`.
OVERRUNS = (
    r"FIFO overflow",
    r"overrun",
    r"Invalid transfer length|odd number of bytes|Conversion buffer too small",
    r"Receive error",
)
_RELIEF = (
    "use a lower rate, fewer channels, or a USB port without other traffic, and end programs that need the processor"
)
# Why a driver has ended in order, with status 0, without being asked.
_UNASKED = (
    (r"ERROR_NO_DEVICE|TRANSFER_NO_DEVICE", "it was unplugged", "check its cable and record again"),
    (
        r"ERROR_NO_MEM",
        "the kernel has no memory left for USB transfers",
        "`echo 256 | sudo tee /sys/module/usbcore/parameters/usbfs_memory_mb`, the limit in MB of all devices together "
        "(16 by default)",
    ),
    (
        r"(?:resubmit_transfer|Failed to submit transfer): (LIBUSB_\w+)",
        "a USB transfer was refused: {}",
        "use another cable or port, without a hub",
    ),
)


def diagnose(stderr: str, *, where: str, what: str) -> AnalyzerError:
    """Turn messages of sigrok-cli into an error.

    Parameters
    ----------
    stderr
        Its messages.
    where
        Driver and connection.
    what
        What went wrong, when none of the messages is understood.
    """
    messages = " / ".join(line.strip() for line in stderr.splitlines() if line.strip())[-500:]
    for pattern, meaning, remedy in COMPLAINTS:
        if match := re.search(pattern, stderr):
            what = f"{meaning.format(match[0])} (sigrok-cli reports: {messages})"
            return AnalyzerError(what, where=where, remedy=remedy)
    return AnalyzerError(f"{what} (sigrok-cli reports: {messages or 'nothing'})", where=where, remedy="see its message")


def ended(stderr: str, transfers: Transfers, *, where: str, what: str) -> AnalyzerError:
    """Why an analyzer has ended in order, without being asked.

    fx2lafw, dreamsourcelab-dslogic and saleae-logic16 end so, with status 0, whatever went wrong.

    Parameters
    ----------
    stderr
        The messages of sigrok-cli.
    transfers
        What it has reported of USB transfers.
    where
        Driver and connection.
    what
        What went wrong, without its reason.
    """
    failing = transfers.failing
    messages = f"{stderr} {failing.status if failing else ''}"
    for pattern, reason, remedy in _UNASKED:
        if match := re.search(pattern, messages):
            return AnalyzerError(f"{what}: {reason.format(*match.groups())}", where=where, remedy=remedy)
    if failing:
        reason = f"the last {failing.count} USB transfers ended with {failing.status}"
        stalled = failing.status.endswith("STALL")
        remedy = "plug it in again" if stalled else "use another cable or port, without a hub"
        return AnalyzerError(f"{what}: {reason}", where=where, remedy=remedy)
    if transfers.empty:
        reason = "its FIFO was full, as this computer had not fetched its samples in time"
        return AnalyzerError(f"{what}: {reason}", where=where, remedy=_RELIEF)
    return AnalyzerError(what, where=where, remedy=f"it may have overflowed: {_RELIEF}")
