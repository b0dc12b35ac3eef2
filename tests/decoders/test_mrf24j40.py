"""sigrok's own decoder `mrf24j40` under both programs, our `mrf24j40m` next to it, and recordings of real modules.

Those are in a checkout of https://github.com/sigrokproject/sigrok-dumps, whose path is in SIGROK_DUMPS; without it they
are skipped.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import mrf24j40_silicon as silicon
import pytest
from commandline import ROOT, gpiorig
from radio_captures import RADIOS, sigrok

VIRTUAL = next(radio.capture for radio in RADIOS if radio.decoder == "mrf24j40m")
VIRTUAL_LINES = "clk=initiator.spi_clk:mosi=initiator.spi_mosi:miso=initiator.spi_miso:cs=initiator.tap.select"
SENSORMOTE_LINES = "clk=SCK:mosi=SDI:miso=SDO:cs=nCS"
ECG_LINES = "clk=SCK,mosi=SDI,miso=SDO,select=CS#"
PAGE = (ROOT / "docs/evidence/silicon.md").read_text()


@pytest.fixture
def dumps() -> Path:
    """A checkout of sigrok-dumps."""
    if not os.environ.get("SIGROK_DUMPS"):
        pytest.skip("SIGROK_DUMPS is not set")
    return Path(os.environ["SIGROK_DUMPS"])


def both(capture: Path, lines: str) -> tuple[list[str], list[str]]:
    """What sigrok's decoder shows under sigrok-cli, and under `gpiorig decode`."""
    stack = f"spi:{lines},mrf24j40"
    done = sigrok(capture, "-P", stack, "-A", "mrf24j40", "--protocol-decoder-samplenum")
    ours = gpiorig("decode", capture, "-P", stack, "-A", "mrf24j40", "--samplenum")
    return done.stdout.decode().splitlines(), ours.stdout.splitlines()


@pytest.mark.slow
def test_both_programs_on_a_virtual_board() -> None:
    """The same annotations; the frames that it shows are those of our decoder, which knows no octets next to them."""
    theirs, ours = both(VIRTUAL, VIRTUAL_LINES)
    assert theirs == ours and len(theirs) > 500
    shown = [(match[1], bytes.fromhex(match[2])) for line in ours if (match := re.search(r"(TX|RX) frame: (.*)", line))]
    chip = ("--chip", "mrf24j40m", "--lines", VIRTUAL_LINES.replace(":", ",").replace("cs=", "select="))
    frames = gpiorig("radio", VIRTUAL, *chip, "--json").numbers["frames"]
    expected = []
    for frame in frames:
        psdu = bytes.fromhex(frame["octets"])
        head = bytes([0, len(psdu)]) if frame["sent"] else bytes([len(psdu) + silicon.FCS])
        expected.append(("TX" if frame["sent"] else "RX", head + psdu))
    assert expected == shown and ["TX", "RX"] * 2 == [way for way, _ in shown]
    assert not any("Misplaced" in line for line in ours)


@pytest.mark.parametrize("name", ["mrf24j40-reset-wakeup.sr", "mrf24j40-wake-tx-ack.sr"])
def test_both_programs_on_a_real_module(dumps: Path, name: str) -> None:
    theirs, ours = both(dumps / "spi/mrf24j40/sensormote" / name, SENSORMOTE_LINES)
    assert theirs == ours and len(theirs) > 25


def test_frames_of_a_real_module(dumps: Path) -> None:
    """An ECG's module: each frame that it received, which its driver reads with its FCS, has the right one."""
    capture = dumps / "spi/mrf24j40" / silicon.ECG[0]
    done = gpiorig("radio", capture, "--chip", "mrf24j40m", "--lines", ECG_LINES, "--json")
    frames = done.numbers["frames"]
    received = [frame for frame in frames if not frame["sent"]]
    assert all(frame["crc_ok"] for frame in received) and len(received) > 50
    assert 28 <= min(frame["lqi"] for frame in received) and max(frame["lqi"] for frame in received) <= 37
    assert 502 == sum(frame["sent"] for frame in frames)


def test_the_table_of_silicon(dumps: Path) -> None:
    """docs/evidence/silicon.md has what the recordings give."""
    for row in silicon.rows(dumps):
        assert "| " + " | ".join(row.cells()) + " |" in PAGE, row
    assert f"took {silicon.single_us(dumps):.1f} µs" in PAGE
