"""The ± itself, against the truth of the virtual bench: how often a delay is within what was stated of it."""

from __future__ import annotations

import subprocess

import msgspec
import numpy as np
import pytest
from commandline import ROOT
from corrections import correction
from depth import fewest
from directbench import record
from truthbench import Coverage, bench_text, coverage, sampled, true_route

from gpiorig.analysis.packets.routes import Route
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments.experiment import Experiment, Settings

pytestmark = pytest.mark.slow

COVERED = 0.95  # of the packets of every step
RISK = 1e-5  # of 40 steps at four rates and three phases
PAIR = {"initiator": "iotlab-m3", "responder": "iotlab-m3"}

# Drawn and looked at once: seed of the bench and of its analyzers, nodes, samplerates, packets.
BENCHES = {
    "24 MS/s": (1, PAIR, {"la": 24_000_000}, 500),
    "16 MS/s": (2, PAIR, {"la": 16_000_000}, 500),
    "two analyzers": (3, PAIR, {"one": 24_000_000, "two": 24_000_000}, 500),
    "nRF52840": (5, {"initiator": "nrf52840dk", "responder": "nrf52840dk"}, {"la": 24_000_000}, 500),
    "TelosB and M3": (4, {"initiator": "telosb", "responder": "iotlab-m3"}, {"la": 24_000_000}, 100),
}


def ping_pong(packets: int, **settings: object) -> Experiment:
    return Experiment(
        name="truth", initiator="initiator", responder="responder", packets=packets, settings=Settings(**settings)
    )


@pytest.fixture(scope="module", params=BENCHES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Route]:
    """A recording of each bench, and its truth."""
    seed, nodes, rates_hz, packets = BENCHES[request.param]
    folder = tmp_path_factory.mktemp("truth")
    text = bench_text(nodes, rates_hz, seed=seed, true_edges=folder / "truth.bin")
    slow = "telosb" in nodes.values()
    settings = {"interval_us": 40_000, "timeout_us": 35_000} if slow else {}
    recording = record(folder, text, ping_pong(packets, **settings))
    return recording, true_route(folder / "truth.bin", recording)


def test_every_step_is_within_its_stated_uncertainty(run: tuple[Recording, Route]) -> None:
    """In 95 % of its packets at least; and nothing is stated that is ten times too wide."""
    covered = coverage(*run)
    print(covered.says())

    assert len(run[1]) == len(covered.errors_ns)
    poor = {
        stated.name: within for stated, within in zip(covered.stated, covered.within, strict=True) if within < COVERED
    }
    assert {} == poor
    assert np.max(covered.used) > 0.5
    assert np.mean(covered.used) > 0.1


def test_sampling_alone_at_any_rate(run: tuple[Recording, Route]) -> None:
    """Down to 1 MS/s and with any phase: 95 % of the packets of every step, and the stated limit is reached."""
    packets = len(run[1])
    least = fewest(packets, COVERED, risk=RISK) / packets
    for rate_hz in (16_000_000, 8_000_000, 2_000_000, 1_000_000):
        coverages: list[Coverage] = [sampled(run[1], rate_hz, phase=phase) for phase in (0.0, 0.3, 0.7)]

        assert all(covered.within.min() >= least for covered in coverages), rate_hz
        assert max(covered.used.max() for covered in coverages) > 0.9, rate_hz


@pytest.fixture(scope="module", params=[False, True], ids=["no backoff", "backoff"])
def with_and_without(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """The same packets by the firmware with probes and by the one without."""
    recordings = []
    for probes in ("normal", "off"):
        make = ["make", "-s", "-C", str(ROOT / "firmware-gpio-probes"), "BOARD=iotlab-m3", f"PROBES={probes}"]
        subprocess.run(make, check=True, capture_output=True)
        folder = tmp_path_factory.mktemp(probes)
        text = bench_text(PAIR, {"la": 24_000_000}, seed=1, true_edges=folder / "truth.bin")
        experiment = msgspec.structs.replace(ping_pong(40, backoff=request.param), probes=probes)
        recordings.append(record(folder, text, experiment))
    return recordings


def test_corrected_round_trips_are_those_of_firmware_without_probes(with_and_without: list[Recording]) -> None:
    """Packet by packet, by the initiator's own stamps in both: inside the stated uncertainty of the correction."""
    corrected = correction(*with_and_without)
    print(corrected.says())

    assert len(corrected.true_ns) >= 38
    assert corrected.inside >= COVERED
    # The correction is worth making: what it leaves is less than a fifth of what it takes off.
    assert abs(np.median(corrected.errors_ns)) < np.median(corrected.true_ns) / 5
