"""What analyzers send over the USB, and what a bus takes."""

from __future__ import annotations

from collections.abc import Sequence

from gpiorig.rig.bench import drivers

# Universal Serial Bus Specification 2.0, table 5-10: 13 bulk transactions of 512 bytes in each of 8000 microframes.
HIGH_SPEED_BYTES_S = 13 * 512 * 8000


def bytes_s(driver: str, channels: Sequence[str], samplerate_hz: int) -> int:
    """What an analyzer sends each second: fx2lafw a byte or two for each sample, others a bit for each channel."""
    name = driver.partition(":")[0]
    known = drivers.known(driver)
    if name != "fx2lafw" or known is None:
        return samplerate_hz * len(channels) // 8
    wide = any(channel in known.channels[8:] for channel in channels)
    return samplerate_hz * (2 if wide else 1)
