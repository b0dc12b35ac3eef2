"""Analyzers that sigrok-cli lists: those that come back with firmware, and what else is at a port; with made scans."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok import analyzer

LINES = [("fx2lafw:conn=1.5 - Saleae Logic", "fx2lafw:conn=1.5", "D0"), ("fx2lafw:conn=1.6", "fx2lafw:conn=1.6", "D0")]


@pytest.mark.parametrize("returns", [True, False])
def test_analyzers_that_were_given_firmware_are_waited_for(returns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until both are there, and none of them was given it in this very scan; six seconds at most."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(analyzer, "time", clock)
    scans = iter(["empty", (LINES[:1], ""), (LINES, analyzer.LOADED), (LINES if returns else LINES[:1], "")])
    last = [None]

    def listed(driver: str, *, deadline_s: float) -> object:
        last[0] = next(scans, last[0])  # type: ignore[assignment]
        if last[0] == "empty":
            raise AnalyzerError("its port is empty", where=driver)
        return last[0]

    monkeypatch.setattr(analyzer, "_listed", listed)
    if returns:
        assert LINES == analyzer._returned("fx2lafw", 2, deadline_s=1.0)
        assert 100.0 + analyzer.GONE_S + 3 * analyzer.LOOK_S == pytest.approx(now[0])
    else:
        with pytest.raises(AnalyzerError, match="after 6 s 1 of 2 analyzers were back on the USB: its port is empty"):
            analyzer._returned("fx2lafw", 2, deadline_s=1.0)
        assert 0 <= now[0] - 100.0 - analyzer.RENUMERATION_S < 2 * analyzer.LOOK_S


@pytest.mark.parametrize(
    ("path", "messages", "what"),
    [
        ("1-3", "", "at this port is usb:1-3 (STLink), which is not an analyzer of this driver"),
        ("1-4", "", "no such analyzer was found"),
        ("1-3", "sr: fx2lafw: Unable to sample at 24000000Hz when collecting 16-bit samples.", None),
    ],
)
def test_what_else_is_at_the_port(path: str, messages: str, what: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stated where sigrok-cli found nothing; a complaint of its own goes before it."""
    device = SimpleNamespace(path=path, name="STLink", ids="")
    monkeypatch.setattr(analyzer.tree, "devices", lambda: [device])
    error = analyzer._absent("fx2lafw:conn=usb:1-3", messages)
    if what is None:
        assert "at this port" not in error.what and not error.what.startswith(analyzer.ABSENT)
    else:
        assert error.what.startswith(what)
