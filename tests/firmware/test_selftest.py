"""`gpiorig firmware` on the reference firmware: its probes are in images and recordings, and one omitted is named."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import directbench
import pytest
from commandline import ROOT, Finished, gpiorig
from images import FIRMWARE, build

from gpiorig.rig.experiments.node_settings import FIRMWARES
from gpiorig.rig.probes import selftest as selftests

BENCH = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
LEFT_OUT = "sixlowpan.compress"
EXPERIMENT = """
name = "self-test"
initiator = "initiator"
responder = "responder"
packets = 8
[settings]
backoff = false
"""
IMAGES = [
    "iotlab-m3",
    "iotlab-m3-threads",
    "nrf52840dk",
    "nucleo-l476rg",
    "nucleo-l476rg-at86rf231",
    "nucleo-l476rg-mrf24j40",
    "telosb",
    "telosb-threads",
]


@pytest.fixture(scope="module")
def masked() -> Path:
    """An image with one point omitted by the build-time mask."""
    mask = f"-DGPIORIG_MASK_{LEFT_OUT.upper().replace('.', '_')}=0"
    return build("iotlab-m3", f"DEFINES={mask}")


def record(
    folder: Path, *, responder: Path | None = None, bench: str = BENCH.read_text(), experiment: str = EXPERIMENT
) -> Path:
    """A short ping-pong, on the demo's bench unless another is given."""
    if responder:
        bench = bench.replace("[nodes.responder]\n", f'[nodes.responder]\nfirmware = "{responder}"\n')
    return directbench.record(folder / "bench", bench, experiment).folder


def selftest(recording: Path) -> Finished:
    return gpiorig("firmware", "selftest", recording, "--os", "reference", "--json")


@pytest.mark.slow
@pytest.mark.parametrize("name", IMAGES)
def test_every_image_emits_every_point(name: str) -> None:
    """As `make firmware` built it."""
    done = gpiorig("firmware", "check", FIRMWARE / "build" / name / "reference.elf", "--os", "reference")

    assert (0, "") == (done.status, done.stderr)


@pytest.mark.slow
def test_check_names_the_point_that_is_left_out(masked: Path) -> None:
    done = gpiorig("firmware", "check", masked, "--os", "reference", "--json")

    assert 1 == done.status
    (lost,) = [hook for hook in done.numbers["hooks"] if hook["state"] == "LOST"]
    assert "sixlowpan_actor" == lost["symbol"]
    assert f"nothing in the image emits {LEFT_OUT}.enter, {LEFT_OUT}.exit:" in done.stderr


@pytest.mark.slow
def test_check_refuses_probes_that_show_nothing() -> None:
    empty = build("iotlab-m3", "PROBES=empty")

    refused = gpiorig("firmware", "check", empty, "--os", "reference")
    assert 1 == refused.status
    assert "its probes are empty, not normal" in refused.stderr
    assert 0 == gpiorig("firmware", "check", empty, "--os", "reference", "--probes", "empty").status


@pytest.mark.slow
def test_every_ping_pong_shows_every_event(tmp_path: Path) -> None:
    """All but the last, which has no end."""
    done = selftest(record(tmp_path))

    assert (0, "") == (done.status, done.stderr)
    assert (8, 7) == (done.numbers["packets"], done.numbers["tested"])
    assert {"initiator", "responder"} == {event["role"] for event in done.numbers["events"]}
    assert all(event["good"] for event in done.numbers["events"])


@pytest.mark.slow
def test_a_ping_pong_with_another_packet_in_it_is_not_looked_at(tmp_path: Path) -> None:
    """A third node broadcasts during every third one or so, as a stack does that looks for its neighbors."""
    others = '[nodes.noise]\nstart = true\napp = "broadcast"\ninterval_us = 50_000\n'
    bench = (ROOT / "rig/vbench/gpiorig/vbench/benches/interference.toml").read_text()
    done = selftest(record(tmp_path, bench=bench, experiment=EXPERIMENT + others))

    assert (0, "") == (done.status, done.stderr)
    assert 0 < done.numbers["tested"] < 7


@pytest.mark.slow
def test_no_ping_pong_that_shares_its_time_is_looked_at(tmp_path: Path) -> None:
    """On lossy links a radio still repeats a reply when the next request is sent: neither ping-pong is a fault."""
    bench = BENCH.read_text().replace("delay_ps = 10_000", "delay_ps = 10_000\nloss_ppm = 150_000")
    hasty = EXPERIMENT.replace("packets = 8", "packets = 150").replace("backoff = false", "interval_us = 16_000")
    done = selftest(record(tmp_path, bench=bench, experiment=hasty))

    assert (0, "") == (done.status, done.stderr)
    assert 50 < done.numbers["tested"] < 100


@pytest.mark.slow
def test_events_of_groups_that_are_off_are_not_asked_for(tmp_path: Path) -> None:
    """The experiment left them off at one node, and turned one on at the other; none of them came."""
    on = "[nodes.responder]\nevents_queue = true\n"
    recording = record(tmp_path, experiment=EXPERIMENT + on)
    hooks = tmp_path / "reference-1.toml"
    expected = '[selftest.{}]\n"app.tx" = 1\n"queue.pass" = 1\n"timer.set" = 1\n'
    roles = "".join(expected.format(role) for role in ("initiator", "responder"))
    hooks.write_text(f'os = "reference"\nversion = "1"\nsource = "a test"\n{roles}')
    done = gpiorig("firmware", "selftest", recording, "--os", "reference", "--hooks", hooks, "--json")

    asked = {(event["role"], event["event"]) for event in done.numbers["events"] if event["asked"]}
    assert {"app.tx.enter", "app.tx.exit"} == {event for role, event in asked if role == "initiator"}
    assert {("responder", "queue.pass")} == {pair for pair in asked if not pair[1].startswith("app")}
    text = gpiorig("firmware", "selftest", recording, "--os", "reference", "--hooks", hooks).stdout
    assert "3 more events of groups that are off (events_queue, events_timer)" in text


def test_the_firmwares_whose_groups_are_off() -> None:
    """As their settings have it: on at Contiki-NG's, whose images have no console to turn them on."""
    settings = tomllib.loads((FIRMWARE / "settings.toml").read_text())
    groups = {name: setting for name, setting in settings.items() if name.startswith("events_")}
    assert {"events_sched", "events_task", "events_queue", "events_timer", "events_slot"} == groups.keys()
    for setting in groups.values():
        firmwares = set(setting.get("firmwares", FIRMWARES["events_sched"]))
        on = {name for name in firmwares if setting.get(name, {}).get("default")}
        assert not setting.get("default") and firmwares - on == selftests.SWITCHED & firmwares


@pytest.mark.slow
def test_selftest_names_exactly_what_is_left_out(tmp_path: Path, masked: Path) -> None:
    """Of one node: the other has all its events."""
    done = selftest(record(tmp_path, responder=masked))

    assert 1 == done.status
    bad = {(event["node"], event["event"]) for event in done.numbers["events"] if not event["good"]}
    assert {("responder", f"{LEFT_OUT}.enter"), ("responder", f"{LEFT_OUT}.exit")} == bad
    for end in ("enter", "exit"):
        assert f"node responder (responder) never emitted {LEFT_OUT}.{end}, expected 1 a ping-pong." in done.stderr


def test_table_for_the_node_compiles(tmp_path: Path) -> None:
    """The C table of expected events is code of the event table."""
    done = gpiorig("firmware", "table", "--os", "reference", "--radio", "AT86RF231")
    (tmp_path / "expected.h").write_text(done.stdout)
    sum_of_all = "gpiorig_expected_initiator[0] + gpiorig_expected_responder[0]"
    source = f'#include "expected.h"\nint main(void) {{ return {sum_of_all}; }}'
    (tmp_path / "main.c").write_text(source)
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{FIRMWARE / 'include'}"]
    subprocess.run([*command, str(tmp_path / "main.c")], check=True)

    assert "GPIORIG_APP_TX_ENTER" == re.findall(r"GPIORIG_\w+", done.stdout)[0]
    assert "DRIVER_RX_DROP" not in done.stdout  # expected 0 times
