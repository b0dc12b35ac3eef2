"""The host as a recording states it."""

from __future__ import annotations

from pathlib import Path

from gpiorig.rig.host import machine


def test_the_processor_is_the_first_that_is_named(tmp_path: Path) -> None:
    """By /proc/cpuinfo as on a PC; on a host whose kernel does not name it, it is empty."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: AMD EPYC 7B13\n\nprocessor\t: 1\nmodel name\t: another\n")

    assert "AMD EPYC 7B13" == machine.facts(cpuinfo)["processor"]
    assert "" == machine.facts(tmp_path / "none")["processor"]
