"""Round trips by the log, the host and the aggregator, against the pins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from modebench import record

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.values import series_of
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import quantities

PACKETS = 12
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("announce", [True, False])
def test_round_trips_by_every_clock(tmp_path: Path, announce: bool) -> None:
    """The log agrees with the pins to its microseconds, the host to its adapter's 16 ms, if sending is announced."""
    experiment = Experiment(
        name="round trips",
        initiator="initiator",
        responder="responder",
        packets=PACKETS,
        settings=Settings(announce=announce, interval_us=50_000, timeout_us=40_000),
    )
    mode = record(tmp_path, {"initiator": "iotlab-m3", "responder": "iotlab-m3"}, experiment)
    recorded = quantities.recorded(open_recording(mode.recording), mode.found)
    (pins,), (log,) = series_of("rtt", recorded), series_of("rtt by log", recorded)
    pins_ns = pins.values * float(pins.scale)
    assert (PACKETS, "initiator") == (len(log.values), log.node)
    assert np.abs(log.values * float(log.scale) - pins_ns).max() < 3_000
    assert pins.packets.tolist() == log.packets.tolist()
    for clock in ("host", "aggregator"):
        if announce:
            (host,) = series_of(f"rtt by {clock}", recorded)
            assert PACKETS == len(host.values)
            assert np.abs(host.values * float(host.scale) - pins_ns).max() < 20_000_000
        else:
            with pytest.raises(QuantityError, match="announce = true"):
                series_of(f"rtt by {clock}", recorded)
