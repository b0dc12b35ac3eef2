"""The settings that a node's console takes: those of its firmware, and no others."""

from __future__ import annotations

from typing import Any

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.experiments.node_settings import FIRMWARES, Settings

_DEFAULTS = Settings().given()


def settings_of(console: Console) -> list[str]:
    """The settings that a firmware has."""
    if console.set is None:
        return list(console.settings)
    return [key for key, firmwares in FIRMWARES.items() if console.name in firmwares]


def settings(experiment: Experiment, node: str, console: Console) -> dict[str, Any]:
    """The settings of a node that its firmware has, in the order of sending.

    One that it does not have may be the default of all experiments; then it is not sent.

    Raises
    ------
    BenchError
        The firmware does not have a setting, or its console does not take such a value.
    """
    has, given = settings_of(console), experiment.settings_of(node)
    if node == experiment.initiator and experiment.duration_s is not None and console.done is not None:
        given["duration_s"] = experiment.duration_s
    subject = f"experiment {experiment.name}: node {node} runs {console.text}, which"
    for key, value in given.items():
        if key not in has and _DEFAULTS.get(key) != value:
            knows = f"it has {', '.join(has)}" if has else "it has none"
            raise BenchError(f"{subject} has no setting `{key}`; {knows}. Delete it, or set it at other nodes only.")
        if key in console.times_ms and value % 1000:
            raise BenchError(f"{subject} takes milliseconds without a fraction: {key} is {value}.")
    return {key: value for key, value in given.items() if key in has}


def check(experiment: Experiment, bench: Bench) -> None:
    """Check settings and kernel of every node whose console the bench file names, and that the run has an end.

    Raises
    ------
    BenchError
        As `settings`, or a firmware has no kernels to choose from, or the end of the run is missing.
    """
    consoles = bench.described_consoles
    for name, console in consoles.items():
        if console is not None:
            settings(experiment, name, console)
            if name in experiment.nodes and experiment.nodes[name].kernel and console.name != "reference":
                raise BenchError(
                    f"experiment {experiment.name}: node {name} runs {console.text}, which has no kernels to choose "
                    f"from. Delete `kernel` in [nodes.{name}]."
                )
    console = consoles[experiment.initiator]
    if console is None:
        return
    subject = f"experiment {experiment.name}: the initiator {experiment.initiator} runs {console.text}"
    if console.done is None and experiment.duration_s is None:
        raise BenchError(f"{subject}, so the run has no end; give duration_s.")
    if console.start and console.start_endless is None and experiment.packets is None:
        raise BenchError(f"{subject}, which sends a number of packets; give packets.")
