"""`gpiorig firmware cost --image`: which image each node has for each kind of probes."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.probes import variant_images

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
BOARDS = """
name = "boards"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.a]
board = "iotlab-m3"
serial = "/dev/ttyUSB1"
lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
"""


def test_one_for_all_nodes_or_one_for_each() -> None:
    """In the order of the meter."""
    words = ["initiator.normal=a.elf", "off=all=1.elf", "responder.normal=b.elf"]

    images = variant_images.read(words, benches.loads(DEMO))

    assert ["off", "normal"] == list(images)
    assert {"initiator": Path("all=1.elf"), "responder": Path("all=1.elf")} == images["off"]
    assert {"initiator": Path("a.elf"), "responder": Path("b.elf")} == images["normal"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["app.elf"], r"--image app\.elf: use \[NODE\.\]PROBES=FILE, such as normal=app\.elf"),
        (["normal="], r"--image normal=: use \[NODE\.\]PROBES=FILE"),
        (["half=app.elf"], "no kind of probes `half`; valid: off, empty, normal, doubled"),
        (["third.off=app.elf"], "the bench has no node `third`; it has initiator, responder"),
        (["off=a.elf", "initiator.off=b.elf"], "node initiator has an image with off probes"),
        (["initiator.off=a.elf"], "no image with off probes for responder; give --image responder.off=FILE"),
    ],
)
def test_what_is_wrong_is_named(words: list[str], message: str) -> None:
    with pytest.raises(BenchError, match=message):
        variant_images.read(words, benches.loads(DEMO))


def test_boards_are_flashed() -> None:
    with pytest.raises(BenchError, match="Flash each image onto the boards and record it with --only"):
        variant_images.read(["off=app.elf"], benches.loads(BOARDS))
