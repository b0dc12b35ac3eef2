"""What `gpiorig bench check` looks at beyond the text of a bench file, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.serial.link import open_link
from gpiorig.capture.sigrok import analyzer as analyzers
from gpiorig.rig.bench import drivers, symbols, synchronization, usb_memory, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.drivers import Driver
from gpiorig.rig.bench.finding import Finding as Finding
from gpiorig.rig.bench.finding import Verdict
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments import images
from gpiorig.rig.host import ports
from gpiorig.rig.run import captures, usb_load

_ELF = b"\x7fELF"
_OFF_THE_BUS = ("tap.", "spi_", "uart_", "radio_")  # lines that a board has at a certain pin, or has not


def of_file(bench: Bench, file: Path, *, one_shot: bool = False) -> list[Finding]:
    """What can be said of the bench without its analyzers and boards; `one_shot`: for a given number of samples."""
    return [
        *_pins(bench),
        *_symbols(bench),
        *_images(bench, file),
        *_analyzers(bench, one_shot=one_shot),
        *synchronization.findings(bench),
    ]


def live(bench: Bench) -> list[Finding]:
    """What sigrok-cli says of each analyzer, and whether each port can be opened; all of them, not the first fault."""
    findings = [_tried(_ask, bench, name, f"analyzers.{name}") for name in bench.analyzers]
    ports = [name for name, node in bench.nodes.items() if node.serial is not None]
    return findings + [_tried(_open, bench, name, f"nodes.{name}.serial") for name in ports]


def _pins(bench: Bench) -> Iterator[Finding]:
    """Lines with a place of their own, against the board's pins; on a virtual bench `bench.check` has done it."""
    for name, node in bench.nodes.items() if bench.virtual is None else ():
        pins = node.described_board.pins
        absent = [line for line in node.lines if line.startswith(_OFF_THE_BUS) and line not in pins]
        if absent:
            text = f"{node.board_name} has no pin for {', '.join(absent)}; it has {', '.join(pins)}"
            yield Finding(f"nodes.{name}.lines", "wrong", text)
        else:
            yield Finding(f"nodes.{name}.lines", "right", f"{node.board_name} has a pin for each tap and bus")


def _symbols(bench: Bench) -> Iterator[Finding]:
    """Samples in a symbol of each node."""
    for symbol in symbols.of_bench(bench):
        about = f"nodes.{symbol.node}.symbol_ns"
        if symbol.is_short:
            yield Finding(about, "wrong", f"{symbol}, and a symbol needs {symbols.MIN_SAMPLES}: {symbol.remedy}")
        else:
            yield Finding(about, "right", str(symbol))


def _images(bench: Bench, file: Path) -> Iterator[Finding]:
    """Images that are named, and those that a virtual bench loads."""
    for name, image in images.images(bench, bench_file=file).items():
        if bench.virtual is None and bench.nodes[name].firmware is None:
            continue
        try:
            images.sha256(image)
            is_elf = image.read_bytes().startswith(_ELF)
        except FirmwareError as error:
            yield Finding(f"nodes.{name}.firmware", "wrong", str(error).removesuffix("."))
            continue
        verdict: Verdict = "right" if is_elf else "wrong"
        yield Finding(f"nodes.{name}.firmware", verdict, f"{image} is {'' if is_elf else 'not '}an ELF image")


def _analyzers(bench: Bench, *, one_shot: bool) -> Iterator[Finding]:
    """Channels and rates against what is known of the drivers that the file names."""
    for name, analyzer in bench.analyzers.items():
        driver = virtual_section.driver(bench, name)
        if driver is None:  # `bench.check` has done it
            continue
        facts = drivers.known(driver)
        if facts is None:
            text = f"channels and rates of {driver} are not known here, only by asking it"
            yield Finding(f"analyzers.{name}", "unknown", text)
            continue
        channels = usb_load.channels(bench, name)
        config = analyzer.config or {}
        refusals = drivers.refusals(driver, channels, analyzer.samplerate_hz, config, one_shot=one_shot)
        for refusal in refusals:
            yield Finding(f"analyzers.{name}", "wrong", refusal)
        if not refusals:
            yield Finding(f"analyzers.{name}", "right", _taken(driver, facts, channels, analyzer.samplerate_hz))
        carried_hz = None if drivers.is_local(driver) or bench.virtual else facts.network_max_hz(channels)
        if carried_hz is not None and analyzer.samplerate_hz > carried_hz:
            text = f"its network carries {carried_hz} Hz with its channels; {analyzer.samplerate_hz} Hz are asked for"
            yield Finding(f"analyzers.{name}", "unknown", text)
    if bench.virtual is None:
        yield from _usb_memory(bench)


def _taken(driver: str, facts: Driver, channels: list[str], rate_hz: int) -> str:
    """That a driver takes its channels, and how long the host may stall."""
    text = f"{driver.partition(':')[0]} (libsigrok {facts.libsigrok}) takes its channels at {rate_hz} Hz"
    if wide := facts.wide(channels):
        text += f", {', '.join(wide)} on a board with {len(facts.channels)} channels"
    if held := usb_memory.transfers(driver, channels, rate_hz):
        text += f"; its capture ends when this host stalls for {held.held_s * 1000:.0f} ms or more"
    return text


def _usb_memory(bench: Bench) -> Iterator[Finding]:
    """What its analyzers need of the kernel together, where that is more than the kernel's default."""
    needed_bytes = usb_load.transfer_bytes(bench)
    if needed_bytes >= usb_memory.DEFAULT_MB * usb_memory.MEGABYTE:
        text = (
            f"{usb_memory.need(needed_bytes)}, and Linux gives {usb_memory.DEFAULT_MB} MB to all devices by default; "
            f"`gpiorig bench check --live` asks it: {usb_memory.remedy(needed_bytes, '/sys')}"
        )
        yield Finding("USB memory", "unknown", text)


def _tried(attempt: Callable[[Bench, str], tuple[Verdict, str]], bench: Bench, name: str, about: str) -> Finding:
    try:
        return Finding(about, *attempt(bench, name))
    except CaptureError as error:
        return Finding(about, "wrong", str(error).removesuffix("."))


def _ask(bench: Bench, name: str) -> tuple[Verdict, str]:
    """Whether sigrok-cli finds the analyzer, its channels and its rate."""
    given = bench.analyzers[name]
    there = analyzers.scan(str(given.driver))
    captures.source(bench, name, there)
    taken_hz = analyzers.taken_rate(there.driver, given.samplerate_hz)
    if taken_hz not in (None, given.samplerate_hz):
        return "wrong", f"{there.description} would take {taken_hz} Hz, not {given.samplerate_hz} Hz"
    rate = f"takes {given.samplerate_hz} Hz" if taken_hz else "does not say which rate it takes"
    return "right", f"{there.description} is there, has the channels, {rate}"


def _open(bench: Bench, name: str) -> tuple[Verdict, str]:
    """Whether the node's port is there, ours to use, and free."""
    node = bench.nodes[name]
    if holders := ports.holders(str(node.serial)):
        return "wrong", f"{node.serial} is in use by {', '.join(holders)}; end that program"
    open_link(str(node.serial), node.bits_per_second).close()
    return "right", f"{node.serial} can be opened; which board answers there is not asked"
