"""What a plan states of events, their cost and the disk, against virtual boards and the table of costs."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from commandline import ROOT
from directbench import record

from gpiorig.analysis.delays.calibration import LAST_BUS_CODE
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.rig import resources
from gpiorig.rig.bench import benches, boards
from gpiorig.rig.planning import budget, probe_effect
from gpiorig.rig.planning.request import Request
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

PACKETS = 10
BENCHES = {
    "AT86RF231": resources.benches()["demo"],
    "SPIRIT1": ROOT / "tests/data/spirit1_bench.toml",
    "CC2420": ROOT / "tests/data/probe_effect_telosb_bench.toml",
    "nRF52840": ROOT / "tests/data/nrf52840dk_bench.toml",
    "MRF24J40": ROOT / "tests/data/nucleo_mrf24j40_bench.toml",
}
PROCESSORS = {
    "STM32F103": ("iotlab-m3",),
    "STM32L476": ("nucleo-l476rg", "nucleo-l476rg-at86rf231", "nucleo-l476rg-mrf24j40"),
    "nRF52840": ("nrf52840dk",),
    "MSP430F1611": ("telosb",),
}


@pytest.mark.slow
@pytest.mark.parametrize("radio", BENCHES)
def test_a_round_trip_has_these_events_and_takes_this_much_disk(tmp_path: Path, radio: str) -> None:
    """By group, with an id and without; the edges take less than is stated, and more than half of it.

    The TelosB is slow: its lines are seen to change in fewer samples than symbols are counted twice for.
    """
    bench, experiment = BENCHES[radio].read_text(), (ROOT / "experiments/pingpong.toml").read_text()
    recordings = [record(tmp_path / str(packets), bench, experiment, packets=packets) for packets in (1, 1 + PACKETS)]
    counts = []
    for recording in recordings:
        events = analyse(open_recording(recording)).events
        pairs = zip(events.codes.tolist(), events.ids.tolist(), strict=True)
        counts.append(
            Counter((BY_CODE[code].name.partition(".")[0], id_ >= 0) for code, id_ in pairs if code <= LAST_BUS_CODE)
        )
    grown = counts[1] - counts[0]
    expected = {
        (group, has_id): PACKETS * number
        for group, pair in probe_effect._counts()[radio].items()
        for has_id, number in zip((True, False), pair, strict=True)
        if number
    }
    sizes = [sum(path.stat().st_size for path in (found.folder / "edges").glob("*.seg")) for found in recordings]
    loaded = benches.loads(bench)
    descriptions = {name: node.described_board for name, node in loaded.nodes.items()}
    request = Request(nodes={}, boards=descriptions, lines={}, duration_s=Fraction(PACKETS), interval_s=Fraction(1))
    stated = budget.disk_bytes(loaded, request)

    assert expected == dict(grown)
    assert stated * (0.3 if radio == "CC2420" else 0.5) < sizes[1] - sizes[0] < stated


def test_costs_are_those_of_the_page() -> None:
    """Each bus width of each board, in ns of docs/guide/probe-cost.md, which is measured."""
    page = (ROOT / "docs/guide/probe-cost.md").read_text()
    rows = re.findall(r"^\| (\w+),.*\| (\d) \| [\d.]+, ([\d.]+) µs \| [\d.]+, ([\d.]+) µs \| \d+\.\.", page, re.M)
    measured = {
        (board, int(width)): (round(1000 * float(event)), round(1000 * float(with_id)))
        for processor, width, event, with_id in rows
        for board in PROCESSORS[processor]
    }
    stated = {
        (name, int(width)): (bus.event_ns, bus.event_with_id_ns)
        for name in boards.names()
        for width, bus in boards.load(name).buses.items()
        if bus.event_ns is not None
    }

    assert stated.items() <= measured.items()
    assert {"iotlab-m3", "nucleo-l476rg", "nrf52840dk", "telosb"} <= {name for name, _ in stated}
