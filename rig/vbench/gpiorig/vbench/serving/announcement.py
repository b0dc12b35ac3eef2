"""What a served virtual bench tells a person: where its ends are, and how other programs get there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from gpiorig.rig.bench.bench import Bench
from gpiorig.vbench.description import section
from gpiorig.vbench.serving.process import Endpoints


def text(bench: Bench, endpoints: Endpoints) -> str:
    """The ends of a bench."""
    virtual = section.of(bench)
    lines = [f"{bench.name}: {virtual.pace} pace, seed {virtual.seed}"]
    for name, driver in endpoints["analyzers"].items():
        lines.append(f"  analyzer {name}: {_analyzer(bench, name, driver)}")
    for name, end in endpoints["serial"].items():
        times = f"   stamps: {file}" if (file := end["stamps"]) else ""
        lines.append(f"  serial {name}: {end['path']} at {bench.nodes[name].bits_per_second} baud{times}")
    for name, end in endpoints["serial"].items():
        if "rfc2217" in end:
            lines.append(f"  serial {name} with modem lines: {end['rfc2217']}")
    for name, end in endpoints["debug"].items():
        lines.append(f"  debug {name}: openocd -c '{end['openocd']}'")
    if endpoints["environment"]:
        lines.append("The USB is there for programs with these variables, gpiorig and sigrok-cli among them:")
        lines.append(f"  {exports(endpoints['environment'])}")
    if virtual.pace == "fast":
        lines.append("Virtual time starts when every analyzer captures, and stands still when none does.")
    lines.append("Ctrl-C, or the end of standard input, ends the bench.")
    return "\n".join(lines)


def exports(variables: Mapping[str, str]) -> str:
    """The command of a shell that gives programs these variables."""
    return " ".join(["export", *(f"{name}={shlex.quote(value)}" for name, value in variables.items())])


def _analyzer(bench: Bench, name: str, driver: str) -> str:
    kind, _, connection = driver.partition(":conn=")
    if section.driver(bench, name) is not None:
        return f"{kind} at {connection}, its USB path"
    rate_hz = bench.analyzers[name].samplerate_hz
    return f"sigrok-cli -d {driver} -c samplerate={rate_hz} --continuous -O binary"
