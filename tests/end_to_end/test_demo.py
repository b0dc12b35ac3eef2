"""The entire rig on the virtual bench: what the demo promises."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from commandline import Demo, gpiorig, record_demo

from gpiorig.analysis.logs import node_log
from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

BACKOFF_PERIOD_US = 320  # aUnitBackoffPeriod, 20 symbols of 16 us: IEEE 802.15.4-2006, table 85
BE_3_PERIODS = 7  # macMinBE = 3: 0 to 2**3 - 1 backoff periods
SAMPLE_US = 1 / 24


def radio_waits(demo: Demo) -> list[float]:
    """Peak-to-peak of the wait before the air, request and reply, in us."""
    return [
        step["p2p_us"] for step in demo.numbers["routes"][0]["steps"] if "exec done to first bit on air" in step["name"]
    ]


def table_bytes(folder: Path) -> dict[str, bytes]:
    """Every table of a recording."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted([*folder.glob("*.parquet"), *folder.glob("report/*.csv")])
    }


def test_json_has_the_promised_keys(demo: Demo) -> None:
    """`--json` prints one object of the documented form."""
    assert demo.numbers.keys() >= {"packets_sent", "packets_timelined", "lost", "nodes", "routes", "seed", "report"}
    (route,) = demo.numbers["routes"]
    assert {"route", "packets", "lost", "partial", "delay_ms", "steps"} == route.keys()
    assert {"min", "p5", "median", "p95", "p99", "max", "p2p", "iqr", "std"} == route["delay_ms"].keys()
    assert {"name", "node", "median_us", "p2p_us"} == route["steps"][0].keys()
    assert 1 == demo.numbers["seed"]
    assert Path(demo.numbers["report"]).is_file()


def test_every_packet_is_accounted_for(demo: Demo) -> None:
    """Every packet that the firmware's log lists as sent is in the timelines or counted as lost."""
    recording = Recording.open(demo.folder)
    logged = node_log.parse(recording.serial("initiator").data, node="initiator")

    assert 60 == logged.sent == demo.numbers["packets_sent"]
    assert demo.numbers["packets_sent"] == demo.numbers["packets_timelined"] + demo.numbers["lost"]
    assert [] == checks.failed_checks(analyse(open_recording(recording)), recording)


def test_steps_add_up_to_the_sample(demo: Demo) -> None:
    """The steps of each packet add up to its round-trip time exactly, read from the tables a user has."""
    steps = stages.read(demo.folder / "steps.parquet").to_pydict()
    packets = stages.read(demo.folder / "round_trips.parquet").to_pydict()
    sums = np.bincount(steps["packet_row"], weights=steps["duration_samples"]).astype(int)

    assert packets["rtt_samples"] == sums[packets["packet_row"]].tolist()


def test_no_frame_is_lost_or_damaged(demo: Demo) -> None:
    """As many symbol-bus frames are decoded as the firmware's log lists as sent, on both nodes."""
    result = analyse(open_recording(Recording.open(demo.folder)))

    assert 0 == len(result.events.damaged)
    for node, seen, sent in checks.frame_counts(result.events, result.logs):
        assert sent == seen, node


def test_node_timer_agrees_with_the_pins(demo: Demo) -> None:
    """The node's own microsecond stamps give the same round trips as the pins, but for what lies between the two."""
    recording = Recording.open(demo.folder)
    result = analyse(open_recording(recording))
    logged = node_log.parse(recording.serial("initiator").data, node="initiator")
    node_us = logged.received_us - logged.sent_us
    pins_us = result.timelines.rtt * SAMPLE_US

    # The stamps are taken within the send call and the receive handler, after their probes: a constant offset,
    # quantised to the timer's microsecond at each end.
    assert np.ptp(node_us - pins_us) < 2.5
    assert abs(np.median(node_us - pins_us)) < 50


def test_radio_wait_lies_on_the_backoff_lattice(demo: Demo) -> None:
    """The wait before the air is an integer number of backoff periods, 0 to 7, above its least, both ways."""
    result = analyse(open_recording(Recording.open(demo.folder)))
    columns = [i for i, step in enumerate(result.routes[0].steps.steps) if "exec done to first bit on air" in step.name]
    assert 2 == len(columns)

    for column in columns:
        waits_us = result.routes[0].steps.samples[:, column] * SAMPLE_US
        periods = (waits_us - waits_us.min()) / BACKOFF_PERIOD_US
        # The periods are of the radio's crystal, 40 ppm at most off; it begins them at an edge of its own, of 16 MHz.
        crystal_us = 1 / 16 + BE_3_PERIODS * BACKOFF_PERIOD_US * 40e-6
        assert np.abs(periods - periods.round()).max() * BACKOFF_PERIOD_US <= 2 * SAMPLE_US + crystal_us
        assert set(periods.round().astype(int)) <= set(range(BE_3_PERIODS + 1))


@pytest.mark.slow
def test_without_backoff_the_wait_collapses(tmp_path: Path, demo: Demo) -> None:
    """With backoff disabled in the radio, the spread of the wait falls from milliseconds to microseconds."""
    calm = record_demo(tmp_path / "calm", "--packets", "60", "--no-backoff")

    assert min(radio_waits(demo)) > 1000
    assert max(radio_waits(calm)) < 10
    assert calm.numbers["routes"][0]["delay_ms"]["p2p"] < 0.02


@pytest.mark.slow
def test_same_seed_same_tables(tmp_path: Path, demo: Demo, other_demo: Demo) -> None:
    """The same seed gives byte-identical tables, another seed does not."""
    again = record_demo(tmp_path / "again", "--packets", "60", "--seed", "1")

    assert table_bytes(demo.folder) == table_bytes(again.folder)
    assert table_bytes(demo.folder)["timelines.parquet"] != table_bytes(other_demo.folder)["timelines.parquet"]
    assert demo.numbers["routes"][0]["delay_ms"] != other_demo.numbers["routes"][0]["delay_ms"]


@pytest.mark.slow
def test_report_rebuilds_the_same(tmp_path: Path, demo: Demo) -> None:
    """`gpiorig report` gives the same tables and numbers from the recording alone."""
    folder = shutil.copytree(demo.folder, tmp_path / "copy")
    for name in table_bytes(folder):
        (folder / name).unlink()

    done = gpiorig("report", folder, "--json")

    assert 0 == done.status
    places = {"recording": str(folder), "report": str(folder / "report" / "report.html")}
    assert demo.numbers | places == done.numbers
    assert table_bytes(demo.folder) == table_bytes(folder)


def test_report_page_is_self_contained_and_says_virtual(demo: Demo) -> None:
    """The page loads nothing from elsewhere, and its top marks the bench as virtual."""
    page = Path(demo.numbers["report"]).read_text()

    assert [] == re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page)
    assert "not a measurement of hardware" in page[: page.index("<h1")]


def test_recording_is_verified(demo: Demo) -> None:
    """A finished recording passes its own checks, and its serial timestamps are marked as virtual."""
    recording = Recording.open(demo.folder)

    assert () == recording.verify()
    assert "virtual" == recording.info.serial_clock
    assert recording.info.virtual


def test_uart_pin_carries_what_the_port_received(demo: Demo) -> None:
    """The analyzer sees the node's UART: as many start bits on the TX line as bytes came through the serial port."""
    recording = Recording.open(demo.folder)
    edges = recording.edges()
    samples, levels = edges.channel("initiator.uart_tx")
    bit_samples = 24_000_000 / 500_000
    starts, end = 0, -1.0
    for sample, level in zip(samples.tolist(), levels.tolist(), strict=True):
        if level == 0 and sample >= end:
            starts += 1
            end = sample + 9.5 * bit_samples

    assert len(recording.serial("initiator").data) == starts


@pytest.mark.slow
def test_one_packet_has_no_spread(tmp_path: Path) -> None:
    """What one packet does not define is null, and the output is JSON."""
    done = gpiorig("demo", "-o", tmp_path / "run", "--packets", "1", "--json")

    assert 0 == done.status
    assert "NaN" not in done.stdout
    assert done.numbers["routes"][0]["delay_ms"]["std"] is None


def test_spread_is_in_the_report(demo: Demo) -> None:
    """The peak-to-peak of the round trip and of the radio wait stand in the page and in the summary table."""
    page = Path(demo.numbers["report"]).read_text().replace("\N{NARROW NO-BREAK SPACE}", " ")
    summary = {row["delay"]: row for row in stages.read(demo.folder / "summary.parquet").to_pylist()}

    assert demo.numbers["routes"][0]["delay_ms"]["p2p"] == pytest.approx(summary["round trip"]["peak_to_peak_ns"] / 1e6)
    for step in demo.numbers["routes"][0]["steps"]:
        assert step["p2p_us"] == pytest.approx(summary[step["name"]]["peak_to_peak_ns"] / 1e3)
        assert step["name"] in page
    assert f"{demo.numbers['routes'][0]['delay_ms']['p2p']:.2f} ms" in page
    assert f"{radio_waits(demo)[0] / 1e3:.2f} ms" in page


def test_jitter_is_between_successive_round_trips(demo: Demo) -> None:
    """IPDV by RFC 3393 pairs each round trip with the one sent before it."""
    round_trips = stages.read(demo.folder / "round_trips.parquet")["rtt_ns"].to_numpy()
    measured = {row["measure"]: row["value_ns"] for row in stages.read(demo.folder / "jitter.parquet").to_pylist()}

    assert 0 == demo.numbers["lost"]
    assert measured["IPDV, peak-to-peak"] == pytest.approx(np.ptp(np.diff(round_trips)))


@pytest.mark.slow
def test_thousand_round_trips(tmp_path: Path) -> None:
    """The demo as users run it: 1000 round trips, a summary of five lines, whose numbers, the report's path."""
    done = gpiorig("demo", "-o", tmp_path / "run")

    assert 0 == done.status
    *summary, whose, last = done.stdout.splitlines()
    assert 5 == len(summary)
    assert "of the 1\N{NARROW NO-BREAK SPACE}000 round trips" in summary[0]
    assert summary[-1].endswith("1\N{NARROW NO-BREAK SPACE}000 timelined, lost: none; every packet is accounted for.")
    assert whose.startswith("Virtual bench")
    assert f"report: {tmp_path / 'run' / 'report' / 'report.html'}" == last
