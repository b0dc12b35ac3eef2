"""How boards take images: the ends that bench files name, and the chips of the board files."""

from __future__ import annotations

from importlib.resources import files

import pytest

from gpiorig.rig.bench import benches, boards
from gpiorig.rig.bench.flashing import debug_end
from gpiorig.rig.errors import BenchError

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("FT1ABCD", "serial number", "FT1ABCD"),
        ("066DFF515055657867011435", "serial number", "066DFF515055657867011435"),
        ("usb:1-2.3", "usb", "1-2.3"),
        ("remote_bitbang://127.0.0.1:4711", "remote_bitbang", "127.0.0.1:4711"),
        ("buspirate:///dev/pts/7", "buspirate", "/dev/pts/7"),
        ("rfc2217://127.0.0.1:4711", "port", "rfc2217://127.0.0.1:4711"),
        ("/dev/ttyUSB0", "port", "/dev/ttyUSB0"),
    ],
)
def test_debug_ends(text: str, kind: str, value: str) -> None:
    """Each form of `debug` is recognised."""
    assert (kind, value) == (debug_end(text).kind, debug_end(text).value)


@pytest.mark.parametrize("text", ["", "two words", "[exec sh]", "$x", "remote_bitbang://127.0.0.1", "buspirate://here"])
def test_what_is_no_end(text: str) -> None:
    """What is none is refused: it becomes a part of a command."""
    with pytest.raises(BenchError, match=r"is not a debug adapter\. Give its serial number"):
        debug_end(text)


def test_two_nodes_with_one_adapter() -> None:
    """An adapter is one node's."""
    text = DEMO.replace('board = "iotlab-m3"', 'board = "iotlab-m3"\ndebug = "FT1ABCD"')
    with pytest.raises(BenchError, match=r"initiator and nodes\.responder have the same `debug`, FT1ABCD"):
        benches.loads(text)


def test_every_board_can_be_flashed() -> None:
    """Its chip, and where its flash memory is, from the data sheets' names of the chips."""
    chips = {name: boards.load(name).flash for name in boards.names()}
    kib = {name: chip.flash_kib for name, chip in chips.items() if chip}
    f103re, l476rg, nrf52840, f1611 = 512, 1024, 1024, 48
    expected = {"iotlab-m3": f103re, "nrf52840dk": nrf52840, "telosb": f1611}
    expected |= dict.fromkeys(["nucleo-l476rg", "nucleo-l476rg-at86rf231", "nucleo-l476rg-mrf24j40"], l476rg)
    assert expected == kib
