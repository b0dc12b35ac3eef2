"""The glue on radios that there is no model of, on the PC: which events, in which order, with which ids."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import riotglue

pytestmark = pytest.mark.slow  # builds images

SENT, RECEIVED = 0x0304, 0x0506  # the ends of the payloads in foreign/riot/radios.c
Story = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The glue's files about radios."""
    glue = ("ids", "netdev", "hal", "submac", "cc2420", "openwsn")
    modules = (*riotglue.SUBMAC_MODULES, "netdev_legacy_api", "cc2420")
    options = ("-DGPIORIG_OPENWSN", "-Wl,--wrap=netdev_register_signal")
    return riotglue.build_library(tmp_path_factory.mktemp("radios") / "radios.so", "radios.c", glue, modules, *options)


@pytest.fixture
def library(built: Path, tmp_path: Path) -> ctypes.CDLL:
    """A copy of its own for each test: it has state."""
    return ctypes.CDLL(str(shutil.copy(built, tmp_path)))


@pytest.fixture
def story(library: ctypes.CDLL) -> Story:
    """Runs a scenario and returns its events."""
    return functools.partial(riotglue.events_of, library)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


SENDING = f"""
    radio.set_rx
    radio.set_idle
    driver.load.enter {SENT:04x}
    driver.load.exit {SENT:04x}
    driver.tx.exit {SENT:04x}
    driver.isr.enter
    mac.backoff.enter {SENT:04x}
    mac.backoff.exit {SENT:04x}
    driver.exec.enter {SENT:04x}
    driver.exec.exit {SENT:04x}
    driver.isr.exit
    radio.tx_start {SENT:04x}
    driver.isr.enter
"""


def test_submac_sends(story: Story) -> None:
    """Load in the send call; backoff and start in the bottom half; then software waits for the acknowledgement.

    The acknowledgement has no packet id; a bottom half that a thread asks for is not an interrupt, and the sleep of
    another thread is not a backoff.
    """
    expected = f"""
        mac.ack_wait.enter {SENT:04x}
        radio.set_rx
        driver.isr.exit
        radio.rx_start
        mac.ack_wait.exit {SENT:04x}
        radio.rx_complete
        driver.isr.enter
        driver.rx_read.enter
        driver.rx_read.exit
        radio.tx_complete {SENT:04x}
        driver.isr.exit
        driver.confirm {SENT:04x}
    """
    sending = lines(SENDING)
    assert [sending[0], f"driver.tx.enter {SENT:04x}", *sending[1:], *lines(expected)] == story("submac_transmission")


def test_what_a_radio_with_csma_sleeps_is_not_a_backoff(story: Story) -> None:
    """The submac leaves CSMA to it; the sleep in the bottom half is the driver's own."""
    events = story("radio_with_csma")

    assert (True, []) == (f"radio.tx_start {SENT:04x}" in events, [name for name in events if "backoff" in name])


def test_each_wait_for_an_acknowledgement_ends(story: Story) -> None:
    """By a retransmission, or when the submac gives up: then no acknowledgement came, though RIOT calls it complete."""
    shown = [event for event in story("submac_retransmission") if event.startswith(("mac.ack_wait", "radio.tx_"))]
    waits = [f"mac.ack_wait.{end} {SENT:04x}" for end in ("enter", "exit", "enter", "exit")]

    assert [f"radio.tx_start {SENT:04x}", *waits, f"radio.tx_no_ack {SENT:04x}"] == shown


def test_a_busy_channel_is_not_waited_on(story: Story) -> None:
    """The radio reports the end of a transmission that never began: no acknowledgement can come."""
    shown = [event for event in story("submac_busy_channel") if event.startswith(("mac.ack_wait", "radio.tx_"))]

    assert [f"radio.tx_start {SENT:04x}", f"radio.tx_busy {SENT:04x}"] == shown


def test_submac_receives_and_acknowledges_by_software(story: Story) -> None:
    """What is sent while a frame is read is its acknowledgement: no id, and the sleep before it is not a backoff."""
    expected = f"""
        radio.set_rx
        radio.rx_start
        radio.rx_complete
        isr.radio.enter
        isr.radio.exit
        driver.isr.enter
        driver.rx_length.enter
        driver.rx_length.exit
        driver.rx_read.enter
        driver.rx_read.exit {RECEIVED:04x}
        mac.sequence 0078
        driver.load.enter
        driver.load.exit
        driver.exec.enter
        driver.exec.exit
        driver.isr.exit
        radio.set_rx
    """
    assert lines(expected) == story("submac_reception")


def test_cc2420_is_told_by_its_strobes(story: Story) -> None:
    expected = f"""
        driver.tx.enter {SENT:04x}
        driver.prepare.enter {SENT:04x}
        driver.prepare.exit {SENT:04x}
        driver.load.enter {SENT:04x}
        driver.load.exit {SENT:04x}
        driver.load.enter {SENT:04x}
        driver.load.exit {SENT:04x}
        driver.exec.enter {SENT:04x}
        driver.exec.exit {SENT:04x}
        driver.tx.exit {SENT:04x}
        driver.exec.enter {SENT:04x}
        driver.exec.exit {SENT:04x}
        radio.rx_complete
        driver.rx_length.enter
        driver.rx_length.exit
        driver.rx_read.enter
        driver.rx_read.exit {RECEIVED:04x}
        mac.sequence 0078
        driver.rx_drop
        radio.tx_no_ack {SENT:04x}
        radio.tx_busy {SENT:04x}
    """
    assert lines(expected) == story("cc2420_rounds")


def test_the_new_interface_states_the_outcome_when_asked(story: Story) -> None:
    """The end of a transmission comes whatever came of it. What is refused in between changes no id."""
    expected = f"""
        driver.tx.enter {SENT:04x}
        driver.tx.exit {SENT:04x}
        driver.tx.enter 0000
        driver.tx.exit 0000
        radio.tx_complete {SENT:04x}
        driver.confirm {SENT:04x}
        radio.tx_no_ack {SENT:04x}
        driver.confirm {SENT:04x}
        radio.tx_busy {SENT:04x}
        driver.confirm {SENT:04x}
        driver.confirm {SENT:04x}
    """
    assert lines(expected) == story("new_interface")


def test_a_driver_of_the_old_interface_stays_one(library: ctypes.CDLL) -> None:
    """GNRC tells it by confirm_send, which is NULL."""
    library.cc2420_rounds()
    library.confirm_is_kept_null.restype = ctypes.c_bool

    assert library.confirm_is_kept_null()


def test_openwsn_has_its_radio_decorated(story: Story, library: ctypes.CDLL) -> None:
    """The callback is set inside its init; it still gets the radio's interrupts."""
    expected = f"""
        driver.load.enter {SENT:04x}
        driver.load.exit {SENT:04x}
        driver.exec.enter {SENT:04x}
        driver.exec.exit {SENT:04x}
        radio.tx_start {SENT:04x}
    """
    assert lines(expected) == story("openwsn_slot")
    assert 1 == library.callbacks_seen()


def test_a_driver_may_report_before_openwsn_listens(tmp_path: Path) -> None:
    """The AT86RF2xx's init calls the callback, which RIOT's package sets after it; then it is the package's own."""
    program = tmp_path / "openwsn"
    sources = [riotglue.GLUE / "openwsn.c", riotglue.FOREIGN / "riot" / "openwsn_netdev.c"]
    options = ["-DGPIORIG_PORT=host", "-DGPIORIG_PINS=0", "-DGPIORIG_OPENWSN", "-DMODULE_OPENWSN_RADIO_NETDEV"]
    command = ["cc", *riotglue.WARNINGS, *options, *riotglue.includes(), "-o", str(program), *map(str, sources)]
    subprocess.run(command, check=True)
    assert 0 == subprocess.run([program], check=False).returncode
