"""Experiment files: what each node is told, and which image it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.rig import firmware
from gpiorig.rig.errors import BenchError, FirmwareError
from gpiorig.rig.experiment import Experiment
from gpiorig.rig.toml import parse

TEXT = """
name = "x"
initiator = "a"
responder = "b"
duration_s = 60
kernel = "threads"
[settings]
app = "sender"
payload = 100
[nodes.noise]
start = true
app = "interferer"
[nodes.b]
payload = 50
"""


def read(text: str = TEXT) -> Experiment:
    """An experiment file."""
    return parse(text, Experiment, what="experiment file")


def test_a_node_s_own_settings_go_before_those_of_all() -> None:
    """What is not in the file is left to the firmware, but for what every firmware is told."""
    always = {"channel": 26, "interval_us": 20_000, "timeout_us": 15_000, "backoff": True, "seed": 1}

    assert {**always, "app": "sender", "payload": 100} == read().settings_of("a")
    assert {**always, "app": "sender", "payload": 50} == read().settings_of("b")
    assert {**always, "app": "interferer", "payload": 100} == read().settings_of("noise")


def test_the_initiator_starts_last() -> None:
    """Nodes with `start` are under way before the packets that are observed."""
    assert ["noise", "a"] == read().started
    assert "sender" == read().app


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('app = "pong"', "settings.app"),
        ('app = "sender"\nqueues = 8', "did you mean `queue`"),
        ('app = "sender"\ncsma = 1', "settings.csma"),
    ],
)
def test_wrong_settings_are_refused(wrong: str, message: str) -> None:
    """A name, a key or a type that is not one."""
    with pytest.raises(BenchError, match=message):
        read(TEXT.replace('app = "sender"', wrong, 1))


@pytest.mark.parametrize(
    ("kernel", "probes", "folder"),
    [
        ("events", "normal", "iotlab-m3"),
        ("threads", "normal", "iotlab-m3-threads"),
        ("events", "off", "iotlab-m3-off"),
        ("threads", "doubled", "iotlab-m3-threads-doubled"),
    ],
)
def test_kernel_and_probes_choose_the_image(kernel: str, probes: str, folder: str) -> None:
    """Where firmware-gpio-probes/Makefile puts it."""
    image = firmware.reference_image("iotlab-m3", kernel, probes)

    assert firmware.FIRMWARE_FOLDER / "build" / folder / "reference.elf" == image


def test_a_missing_image_says_how_to_make_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command that builds just that image."""
    monkeypatch.setattr(firmware, "FIRMWARE_FOLDER", tmp_path)

    with pytest.raises(FirmwareError, match="BOARD=telosb KERNEL=threads PROBES=empty"):
        firmware.sha256(firmware.reference_image("telosb", "threads", "empty"))


def test_an_installation_without_firmware_says_where_there_is_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel has no reference firmware, and no makefile to run either."""
    monkeypatch.setattr(firmware, "FIRMWARE_FOLDER", tmp_path / "none")
    with pytest.raises(FirmwareError, match="built in a checkout of gpiorig"):
        firmware.sha256(firmware.reference_image("iotlab-m3"))
