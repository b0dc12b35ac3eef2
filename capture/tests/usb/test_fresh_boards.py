"""Analyzers whose firmware a scan loads: they leave the USB and come back at another address."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from usbtree import UsbTree

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok import analyzer

# Messages of sigrok-cli 0.7.2 with libsigrok 0.5.2, at log level 3, for an FX2 without firmware; an analyzer whose
# address is not known is listed without one (src/hardware/fx2lafw/api.c, scan; sigrok-cli's show.c, print_dev_line).
UPLOAD = "sr: ezusb: Uploading firmware 'fx2lafw-saleae-logic.fw'.\nsr: ezusb: Firmware upload done."
LISTED = "Saleae Logic with 8 channels: D0 D1 D2 D3 D4 D5 D6 D7"
ANSWER = """#!/bin/sh
echo "$3 $4" >> {folder}/calls
if [ -e {folder}/loaded ]; then
    [ $(date +%s%N) -gt $(cat {folder}/loaded) ] || exit 0
    for address in {addresses}; do echo "fx2lafw:conn=1.$address - {listed}"; done
    exit 0
fi
echo $(( $(date +%s%N) + {away_ms} * 1000000 )) > {folder}/loaded
for address in {addresses}; do
    echo "{upload}" >&2
    echo "fx2lafw - {listed}"
done
"""


def install(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *, away_ms: int, addresses: str = "6", loaded: bool = False
) -> None:
    """A sigrok-cli whose first scan loads firmware, unless `loaded`; what it lists is away for `away_ms`."""
    program = folder / "sigrok-cli"
    program.write_text(ANSWER.format(folder=folder, upload=UPLOAD, listed=LISTED, away_ms=away_ms, addresses=addresses))
    program.chmod(0o755)
    if loaded:
        (folder / "loaded").write_text("0")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("SYSFS_PATH", str(folder / "sys"))


def test_a_scan_that_loads_firmware_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the analyzer once that is back, so that the next command finds it."""
    install(monkeypatch, tmp_path, away_ms=700)
    begin_s = time.monotonic()

    assert "fx2lafw:conn=1.6 - Saleae Logic" == analyzer.scan("fx2lafw").description
    assert time.monotonic() - begin_s >= 0.7


def test_without_an_upload_nothing_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One call of sigrok-cli is all."""
    install(monkeypatch, tmp_path, away_ms=0, loaded=True)
    analyzer.scan("fx2lafw")

    assert ["-d fx2lafw"] == (tmp_path / "calls").read_text().splitlines()


def test_two_fresh_boards_are_named_by_their_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by the port that it is plugged in at, whatever address it has now."""
    install(monkeypatch, tmp_path, away_ms=300, addresses="6 7")
    tree = UsbTree(tmp_path)
    tree.device("1-2.6", "0925:3881")
    tree.device("1-2.7", "0925:3881")

    analyzers = analyzer.scan_all("fx2lafw")

    assert ["fx2lafw:conn=usb:1-2.6", "fx2lafw:conn=usb:1-2.7"] == [listed.driver for listed in analyzers]
    assert "fx2lafw:conn=usb:1-2.6 - Saleae Logic" == analyzers[0].description


def test_an_analyzer_that_does_not_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error states that firmware was loaded, and what was waited for."""
    monkeypatch.setattr(analyzer, "RENUMERATION_S", 0.6)
    install(monkeypatch, tmp_path, away_ms=60_000)

    with pytest.raises(
        AnalyzerError, match=r"firmware was loaded, and after 0\.6 s 0 of 1 analyzers were back on the USB; plug it in"
    ):
        analyzer.scan("fx2lafw")


def test_an_address_is_followed_through_the_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`conn=1.5` is looked up once: the port stays, and libsigrok is asked for the address that it has each time."""
    install(monkeypatch, tmp_path, away_ms=600)
    tree = UsbTree(tmp_path)
    folder = tree.device("1-5", "0925:3881")
    run = analyzer._run

    def moved(arguments: list[str], **options: object) -> tuple[str, str]:
        answer = run(arguments, **options)  # type: ignore[arg-type]
        (folder / "devnum").write_text("6\n")
        return answer

    monkeypatch.setattr(analyzer, "_run", moved)

    assert "fx2lafw:conn=usb:1-5" == analyzer.scan("fx2lafw:conn=1.5").driver
    calls = (tmp_path / "calls").read_text().splitlines()
    assert ("-d fx2lafw:conn=1.5", {"-d fx2lafw:conn=1.6"}) == (calls[0], set(calls[1:]))


def test_firmware_of_another_version_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """fx2lafw reports it and continues with status 0 (libsigrok 0.5.2, src/hardware/fx2lafw/protocol.c)."""
    program = tmp_path / "sigrok-cli"
    program.write_text("#!/bin/sh\necho 'sr: fx2lafw: Expected firmware version 1.x, got 2.0.' >&2\necho 24000000\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(AnalyzerError, match=r"was not made for \(Expected firmware version 1\.x, got 2\.0\).*plug it"):
        analyzer.taken_rate("fx2lafw", 24_000_000)
