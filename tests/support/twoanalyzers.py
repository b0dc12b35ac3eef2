"""The demo's bench with two analyzers."""

from __future__ import annotations

from commandline import ROOT
from images import build

DEMO = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
PACKETS = 40
EXPERIMENT = f"""
name = "ping-pong"
initiator = "initiator"
responder = "responder"
packets = {PACKETS}
"""
ONE = """
[analyzers.la]
samplerate_hz = 24_000_000
"""
TWO = """
[analyzers.one]
samplerate_hz = 24_000_000
sync = "P8_20"
[analyzers.two]
samplerate_hz = 16_000_000
sync = "P8_20"
"""
ITS_CLOCK = """
[virtual.analyzers.la]
clock_ppb = -3_000
phase_ps = 11_000
"""
HOLD_NS = 188  # three samples at 16 MS/s
CLOCKS = """
[virtual.sync]
clock_ppb = 4_000
[virtual.analyzers.one]
clock_ppb = -3_000
phase_ps = 11_000
[virtual.analyzers.two]
clock_ppb = 40_000
phase_ps = 23_456_789
"""


def one_analyzer() -> str:
    """The demo's bench, with symbols of the responder that last three samples at 16 MS/s."""
    image = build("iotlab-m3", f"DEFINES=-DGPIORIG_HOLD_NS={HOLD_NS}")
    node = f'[nodes.responder]\nsymbol_ns = {HOLD_NS}\nfirmware = "{image}"'
    return DEMO.read_text().replace("[nodes.responder]", node)


def two_analyzers() -> str:
    """The same, with the responder on an analyzer of its own: slower, 43 ppm fast, and begun later."""
    initiator, responder = one_analyzer().split("[nodes.responder]")
    text = initiator.replace('"P8_', '"one:P8_') + "[nodes.responder]" + responder.replace('"P8_', '"two:P8_')
    return text.replace(ONE, TWO).replace(ITS_CLOCK, CLOCKS)
