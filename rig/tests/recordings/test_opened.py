"""The wiring of a recording."""

from __future__ import annotations

from gpiorig.rig.bench import benches
from gpiorig.rig.recordings import opened

BENCH = """
name = "one with probes, one without"
[analyzers.la]
samplerate_hz = 24_000_000
[nodes.with]
board = "iotlab-m3"
lines = { strobe = "P8_45", d0 = "P8_46", d1 = "P8_43" }
[nodes.without]
board = "iotlab-m3"
lines = { "tap.irq" = "P8_44" }
[virtual]
"""


def test_a_node_without_probes_has_no_bus() -> None:
    """Its taps are events nevertheless."""
    with_probes, without = opened.wiring(benches.loads(BENCH))

    assert with_probes.bus is not None
    assert "with.strobe" == with_probes.bus.strobe
    assert without.bus is None
    assert {"tap.irq": "without.tap.irq"} == without.lines
