"""Quantities by name on recordings of virtual boards: M3, TelosB, SPIRIT1; and on the command line."""

from __future__ import annotations

from pathlib import Path

import directbench
import numpy as np
import pyarrow.parquet as pq
import pytest
from commandline import ROOT, gpiorig

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.packets import hop_routes
from gpiorig.analysis.quantities import littles_law
from gpiorig.analysis.quantities.series import Recorded, Series
from gpiorig.analysis.quantities.values import all_series, series_of
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import quantities
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow  # runs virtual benches, and draws reports

DEMO = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
DATA = ROOT / "tests" / "data"
ASKED = 'quantities = ["driver.exec -> isr.tx_end", "span of udp.checksum", "goodput"]\n'


def text_of(name: str, **changed: str) -> str:
    """The text of an experiment of this project, with other values for some lines."""
    lines = (ROOT / "experiments" / f"{name}.toml").read_text().splitlines()
    return "\n".join(
        next((f"{k} = {v}" for k, v in changed.items() if line.startswith(f"{k} ")), line) for line in lines
    )


@pytest.fixture(scope="module")
def m3(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("m3")
    experiment = text_of("thesis-m3-riot").replace("[settings]", f"{ASKED}[settings]\nevents_sched = true", 1)
    return directbench.record(folder, DEMO.read_text(), experiment, packets=30)


@pytest.fixture(scope="module")
def telosb(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    bench = (DATA / "probe_effect_telosb_bench.toml").read_text()
    return directbench.record(tmp_path_factory.mktemp("telosb"), bench, text_of("thesis-telosb-riot"), packets=20)


@pytest.fixture(scope="module")
def spirit1(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    bench = (DATA / "spirit1_bench.toml").read_text()
    experiment = text_of("tdma-single-hop", duration_s="4").replace("[settings]", "[settings]\nevents_queue = true", 1)
    return directbench.record(tmp_path_factory.mktemp("spirit1"), bench, experiment)


def recorded_of(recording: Recording) -> Recorded:
    opened = open_recording(recording)
    return quantities.recorded(opened, analyse(opened))


def by_node(recorded: Recorded, text: str) -> dict[str, Series]:
    return {one.node: one for one in all_series([text], recorded)}


@pytest.mark.parametrize("board", ["m3", "telosb", "spirit1"])
def test_whole_delays_are_those_of_the_routes(board: str, request: pytest.FixtureRequest) -> None:
    """And the parts of a delay, cut at a milestone, add up to it."""
    recorded = recorded_of(request.getfixturevalue(board))
    whole = by_node(recorded, "app.tx -> app.rx")
    for route in hop_routes.routes(recorded.packets()):
        assert route.totals.tolist() == whole[route.name].values.tolist()
    for middle in ("mac.tx", "driver.exec", "air.start", "mac.rx"):
        for node, series in whole.items():
            sender, _, receiver = node.partition(" > ")
            before, after = by_node(recorded, f"app.tx -> {middle}"), by_node(recorded, f"{middle} -> app.rx")
            parts = before[node if node in before else sender], after[node if node in after else receiver]
            assert series.values.tolist() == (parts[0].values + parts[1].values).tolist(), middle


@pytest.mark.parametrize("board", ["m3", "spirit1"])
def test_the_interrupt_at_the_end_of_sending(board: str, request: pytest.FixtureRequest) -> None:
    """It comes after the first bit on the air and before software confirms; each hop has one, or is counted."""
    recorded = recorded_of(request.getfixturevalue(board))
    hops = recorded.packets()
    ends = by_node(recorded, "driver.exec -> isr.tx_end")
    confirmed = by_node(recorded, "driver.exec -> radio.tx_end")
    for node, series in ends.items():
        assert (series.values < confirmed[node].values).all()
        sent = np.count_nonzero(hops.senders == recorded.events.node(node))
        assert sent == len(series.values) + series.lacking
    assert min(one.values.min() for one in all_series(["air.start -> isr.tx_end"], recorded) if len(one.values)) > 0


def test_a_radio_whose_end_of_sending_is_polled(telosb: Recording) -> None:
    """The driver of the CC2420 waits for the end of a transmission in software: no interrupt marks it."""
    recorded = recorded_of(telosb)
    with pytest.raises(QuantityError, match=r"no packet of this recording shows `isr\.tx_end`.*radio\.tx_end"):
        by_node(recorded, "driver.exec -> isr.tx_end")
    assert ["initiator", "responder"] == list(by_node(recorded, "driver.exec -> radio.tx_end"))


def test_shares_of_all_threads_and_interrupts_are_the_whole(m3: Recording) -> None:
    recorded = recorded_of(m3)
    total = 0.0
    for subject in ("sleep", *(f"thread {n}" for n in range(1, 12)), "isr.timer", "isr.radio", "isr.uart"):
        try:
            total += sum(float(one.values[0] * one.scale) for one in all_series([f"share of {subject}"], recorded))
        except QuantityError:
            continue
    assert (
        1.98 < total <= 2 * (1 + 1e-12)
    )  # of two nodes, a sum of floats; the time before their first switch is unknown


def test_duty_by_slots_is_that_by_the_radio(spirit1: Recording) -> None:
    """Two events show the same: spans of the slots, and the commands to the radio."""
    recorded = recorded_of(spirit1)
    by_slots = by_node(recorded, "duty of slot.rx")["initiator"]
    states = (f"radio.set_{state}" for state in ("rx", "idle"))
    intervals = np.concatenate([recorded.events.instants(state, node="initiator") for state in states])
    assert len(intervals) > 40
    commands = by_node(recorded, "interval of radio.set_rx")["initiator"]
    spans = by_node(recorded, "span of slot.rx")["initiator"]
    assert len(commands.values) <= len(spans.values)
    assert (
        0 < by_slots.values[0] * by_slots.scale < by_node(recorded, "duty of radio")["initiator"].interval("").value < 1
    )
    assert by_node(recorded, "duty of radio")["responder"].interval("").value > 0.9  # the gateway listens all the time


def test_queues_and_tasks_of_a_slotted_node(spirit1: Recording) -> None:
    recorded = recorded_of(spirit1)
    posts = recorded.events.codes == 94
    queue = int(recorded.events.ids[posts][0])
    (wait, *_), (length, *_) = (all_series([f"{what} of queue {queue}"], recorded) for what in ("wait", "length"))
    assert wait.values.min() > 0
    assert length.values.min() == 0
    accounts = {(account.node, account.queue): account for account in littles_law.accounts(recorded)}
    assert {0} == {account.left_over for account in accounts.values()}
    assert int(wait.values.sum()) == accounts["initiator", queue].waited
    assert int((length.values * length.weights).sum()) == accounts["initiator", queue].held
    task = by_node(recorded, "wait of task 6")["initiator"]
    runs = by_node(recorded, "span of task.run 6")["initiator"]
    assert 0 < len(task.values) <= len(runs.values)


def test_missed_runs_are_lacking(tmp_path: Path) -> None:
    """A run that is due while the one before is not done has no wait, and the next run keeps its own."""
    workers = {"worker_a_on_us": 5000, "worker_a_period_us": 21000, "worker_b_on_us": 300, "worker_b_period_us": 2000}
    experiment = 'name = "workers"\ninitiator = "initiator"\nresponder = "responder"\npackets = 10\n'
    experiment += "[settings]\nevents_task = true\nevents_queue = true\ninterval_us = 50_000\n[nodes.initiator]\n"
    experiment += "".join(f"{key} = {value}\n" for key, value in workers.items())
    recorded = recorded_of(directbench.record(tmp_path, DEMO.read_text(), experiment))
    (wait,) = series_of("wait of task 7", recorded)
    counted = {key: by_node(recorded, f"count of b_{key}")["initiator"] for key in ("runs", "missed", "max_wait_us")}
    runs, missed, longest_us = (int(one.values[0]) for one in counted.values())
    assert missed > 0
    assert (runs, missed) == (len(wait.values), wait.lacking)
    longest = wait.interval("max").value / 1000
    assert longest < workers["worker_a_on_us"] * 1.1
    assert longest == pytest.approx(longest_us, abs=50)  # the events' own time on the bus
    with pytest.raises(
        QuantityError, match='runs handlers on signals, which are in no queue: use `kernel = "threads"`'
    ):
        series_of("rate of queue 3", recorded)


def test_the_command_line(m3: Recording, tmp_path: Path) -> None:
    """What the experiment asks for is in the table, in --json and on the page; more can be asked for."""
    asked = ("request.mac.tx -> reply.mac.rx", "rtt", "loss", "interval error of app.tx by log", "foreign at initiator")
    asked = (*(word for name in asked for word in ("--quantity", name)), "--assert", "max(mac.tx -> mac.rx) < 20 ms")
    report = gpiorig("report", m3.folder, "-o", tmp_path / "page", "--figures", "svg", "--json", *asked)
    assert 0 == report.status, report.stderr
    listed = report.numbers["quantities"]
    assert [
        ("driver.exec -> isr.tx_end", "initiator", 30),
        ("driver.exec -> isr.tx_end", "responder", 30),
        ("span of udp.checksum", "initiator", 60),
        ("span of udp.checksum", "responder", 60),
        ("goodput", "initiator > responder", 1),
        ("goodput", "responder > initiator", 1),
        ("request.mac.tx -> reply.mac.rx", "initiator", 30),
        ("rtt", "initiator", 30),
        ("loss", "initiator > responder", 30),
        ("interval error of app.tx by log", "initiator", 29),
        ("interval error of app.tx by log", "responder", 29),
        ("foreign at initiator", "initiator", 30),
    ] == [(one["quantity"], one["node"], one["n"]) for one in listed]
    assert [True] == [one["holds"] for one in report.numbers["assertions"]]
    rows = pq.read_table(m3.folder / "quantities.parquet").to_pylist()
    assert sum(one["n"] for one in listed) == len(rows)
    page = (tmp_path / "page" / "report.html").read_text()
    assert "driver.exec -&gt; isr.tx_end" in page
    assert (tmp_path / "page" / "quantity-driver-exec-isr-tx-end.svg").is_file()
    taus = pq.read_table(m3.folder / "delay_stability.parquet").to_pylist()
    gpiorig("export", m3.folder, "-o", tmp_path / "s.parquet", "--table", "delay_stability")
    assert {row["quantity"] for row in pq.read_table(tmp_path / "s.parquet").to_pylist()} <= {
        f"{row['node']}: {row['quantity']}" for row in rows
    }
    of_trips = [row for row in taus if row["quantity"] == "initiator: rtt"]
    assert 4 == len(of_trips)  # octaves of 30 packets
    assert sorted(row["mtie_ns"] for row in of_trips) == [row["mtie_ns"] for row in of_trips]
    exported = gpiorig("export", m3.folder, "-o", tmp_path / "q.parquet", "--table", "quantities")
    assert 0 == exported.status, exported.stderr
    assert 30 + 30 + 60 + 60 + 2 == pq.read_table(tmp_path / "q.parquet").num_rows
    limits = ("--assert", "p99(mac.tx -> mac.rx) +5 %", "--quantity", "stack", "--quantity", "self time of udp")
    same = gpiorig("compare", m3.folder, m3.folder, *limits, "--json")
    assert 0 == same.status, same.stderr
    names = {change["name"] for change in same.numbers["changes"]}
    assert {"initiator > responder: mac.tx -> mac.rx", "responder > initiator: mac.tx -> mac.rx"} <= names
    assert {"initiator: request: udp to ipv6", "responder: self time of udp"} <= names


def test_what_a_run_does_not_show_fails_a_check(telosb: Recording, tmp_path: Path) -> None:
    report = gpiorig("report", telosb.folder, "-o", tmp_path / "page", "--quantity", "driver.exec -> isr.tx_end")
    assert 1 == report.status
    assert "No quantity `driver.exec -> isr.tx_end`: no packet of this recording shows `isr.tx_end`" in report.stderr
    misspelt = gpiorig("report", telosb.folder, "--quantity", "mac.txx -> mac.rx")
    assert (2, True) == (misspelt.status, "did you mean `mac.tx`?" in misspelt.stderr)
