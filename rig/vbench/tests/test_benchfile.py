"""Bench files of several analyzers and of the virtual bench's ends: what the document shows works; what is refused."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import get_args, get_type_hints

import pytest
from commandline import ROOT
from virtualbench import ONE, bench_text

from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.run import captures
from gpiorig.vbench.description import section
from gpiorig.vbench.description.virtual import Virtual

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
ON_USB = "[analyzers.usb-one]\nsamplerate_hz = 24_000_000\n"
USB = 'pace = "real-time"\n[virtual.analyzers.usb-one]\nusb = "fx2lafw"\n'
USB_CHANNELS = ("D0", "D1", "D2", "D3")
TWO = ONE + "[analyzers.lb]\nsamplerate_hz = 24_000_000\nsync = 'P8_20'\n"


def test_the_document_names_every_fault() -> None:
    """The examples of docs/reference/bench-files.md are valid, and each kind of fault is named."""
    page = (ROOT / "docs" / "reference" / "bench-files.md").read_text()
    blocks = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    virtual, faults = (block for block in blocks if "[virtual]" in block or "[[virtual.faults]]" in block)
    assert {"initiator"} == benches.loads(blocks[0]).nodes.keys()
    bench = benches.loads(DEMO.split("# Clock errors")[0] + virtual + faults)
    assert 2 == len(section.of(bench).faults)

    kinds = get_args(get_args(get_type_hints(Virtual)["faults"])[0])
    assert set() == {kind.__struct_config__.tag for kind in kinds} - set(re.findall(r"`(\w+)`", page))
    assert benches.loads(bench_text()).virtual is not None  # everything may be omitted


def test_lines_are_placed() -> None:
    """A channel with a prefix is that analyzer's; without one, the only one's."""
    one, two = benches.loads(bench_text()), benches.loads(bench_text(analyzers=TWO, la="lb:"))

    assert ("la", "P8_45") == one.place("P8_45") == one.place("la:P8_45")
    assert ("lb", "P8_45") == two.place(two.nodes["node"].lines["strobe"])


def test_the_runner_captures_the_sync_line() -> None:
    """Channels of lines and of the sync line, with their names."""
    synced = benches.loads(bench_text(analyzers=ONE + 'sync = "P8_20"\n', la="la:"))

    named = captures.channels(synced, "la")
    assert ["P8_45=node.strobe", "P8_20=sync"] == [named[0], named[-1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bench_text(analyzers=TWO), "channel `P8_45` of which analyzer? Write la:P8_45."),
        (bench_text(analyzers=TWO, la="lc:"), "there is no analyzer `lc`"),
        (bench_text(la="la:").replace("la:P8_46", "la:D7"), "no channel D7"),
        (bench_text(analyzers=ONE + 'sync = "P8_45"\n'), "more than one line on channel P8_45"),
        (bench_text(analyzers=ONE + 'sync = "D1"\n'), "no channel D1"),
        (bench_text(analyzers=ONE.replace("24", "101")), "101000000; a virtual analyzer takes up to 100000000"),
        (bench_text(virtual='pace = "slow"'), "virtual.pace is 'slow'; use fast, real-time."),
        (bench_text(virtual="[virtual.serial]\nlatency_timer_ms = 0"), "Expected `int` >= 1"),
        (bench_text(virtual="[virtual.serial]\nbuffer_bytes = 10"), "buffer_bytes"),
        (bench_text(analyzers=ON_USB, virtual=USB), "no channel P8_45; it has D0, D1"),
        (
            bench_text(analyzers=ON_USB, virtual=USB.replace("real-time", "fast"), channels=USB_CHANNELS),
            "virtual.analyzers.usb-one.usb: a device on the USB keeps the host's time, not that of a bench at the pace "
            '`fast`. Write `pace = "real-time"` in [virtual].',
        ),
        (
            bench_text(virtual='[[virtual.faults]]\nkind = "usb_hang"\nat_us = 1\n'),
            'virtual.faults, usb_hang: analyzer `la` is not on the USB. Write `usb = "fx2lafw"`',
        ),
        (
            bench_text(virtual='[[virtual.faults]]\nkind = "usb_lost"\nanalyzer = "lb"\nat_us = 1\n'),
            "virtual.faults, usb_lost: analyzer is `lb`; the bench has la.",
        ),
        (bench_text(virtual="[virtual.analyzers.la.thresholds]\nD7 = { rise_ps = 1 }"), "no channel D7"),
    ],
)
def test_wrong_ends_are_refused(text: str, message: str) -> None:
    """Each mistake ends in one error that states what would be right."""
    with pytest.raises(BenchError) as caught:
        benches.loads(text)

    assert message in str(caught.value)
