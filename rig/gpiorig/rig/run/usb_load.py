"""What the analyzers of a bench ask of the USB: channels that they send, bytes each second, memory for transfers."""

from __future__ import annotations

from gpiorig.rig.bench import drivers, usb_memory
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.run import captures


def channels(bench: Bench, name: str) -> list[str]:
    """The channels of an analyzer that are captured, by its own names."""
    return [channel.partition("=")[0] for channel in captures.channels(bench, name)]


def bytes_s(bench: Bench, name: str) -> int:
    """What an analyzer sends each second; of a driver that has no file a bit for each channel and sample."""
    analyzer = bench.analyzers[name]
    facts = drivers.known(str(analyzer.driver))
    sent = channels(bench, name)
    return facts.bytes_s(sent, analyzer.samplerate_hz) if facts else analyzer.samplerate_hz * len(sent) // 8


def transfer_bytes(bench: Bench) -> int:
    """What the kernel holds for the transfers of all analyzers together, as far as their drivers are known."""
    held = [
        usb_memory.transfers(str(analyzer.driver), channels(bench, name), analyzer.samplerate_hz)
        for name, analyzer in bench.analyzers.items()
    ]
    return sum(transfers.total_bytes for transfers in held if transfers)
