"""Experiments and the consoles that a bench file names: what is refused before the run."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest

from gpiorig.rig.bench import benches, consoles
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments import console_settings
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings

DEMO = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()


def bench(initiator: str, responder: str) -> Bench:
    """The demo's, whose nodes have these consoles."""
    text = DEMO
    for console in (initiator, responder):
        text = text.replace('board = "iotlab-m3"\n', f'console = "{console}"\nboard= "iotlab-m3"\n', 1)
    return benches.loads(text)


def experiment(**changes: Any) -> Experiment:
    return Experiment(**{"name": "x", "initiator": "initiator", "responder": "responder", "packets": 1} | changes)


def test_nodes_may_have_different_systems() -> None:
    """Each gets the settings of its own firmware; one at a node that has it is not refused because of another."""
    mixed = bench("riot", "contiki-ng")
    console_settings.check(experiment(nodes={"responder": NodeRole(coordinator=True)}), mixed)

    assert mixed.nodes["initiator"].described_console == consoles.load("riot")


@pytest.mark.parametrize(
    ("names", "changes", "message"),
    [
        (("riot", "contiki-ng"), {"settings": Settings(coordinator=True)}, "node initiator runs the RIOT application"),
        (("riot", "riot"), {"settings": Settings(rdc=12)}, "has no setting `rdc`; it has address, peer, channel"),
        (("none", "none"), {}, "the initiator initiator runs a firmware without a console, so the run has no end"),
        (("riot-shell", "riot-shell"), {"packets": None, "duration_s": 9}, "has no setting `duration_s`"),
        (
            ("riot", "reference"),
            {"nodes": {"initiator": NodeRole(kernel="threads")}},
            "which has no kernels to choose from. Delete `kernel` in [nodes.initiator].",
        ),
        (("none", "none"), {"duration_s": 9, "settings": Settings(channel=11)}, "`channel`; it has none. Delete it"),
    ],
)
def test_what_a_firmware_lacks_is_refused(names: tuple[str, str], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BenchError, match=re.escape(message)):
        console_settings.check(experiment(**changes), bench(*names))


def test_a_shell_without_an_end_needs_a_number_of_packets() -> None:
    """Both ends of an experiment may be missing in the file, where `--packets` is given."""
    with pytest.raises(BenchError, match="runs RIOT's shell, which sends a number of packets; give packets"):
        console_settings.check(experiment(packets=None), bench("riot-shell", "riot-shell"))


@pytest.mark.parametrize("name", consoles.names())
def test_every_description_is_valid(name: str) -> None:
    console = consoles.load(name)
    patterns = (console.answer, console.refusal, *(question.answer for question in console.ask))

    assert name == console.name
    assert all(re.compile(pattern) for pattern in patterns)
    assert console.set is None or console_settings.settings_of(console)


def test_a_real_node_that_is_not_spoken_to_needs_no_port() -> None:
    """And an unknown console is refused with those that have a description."""
    real = DEMO.partition("# Clock errors")[0].replace("[analyzers.la]\n", '[analyzers.la]\ndriver = "demo"\n')
    silent = real.replace('board = "iotlab-m3"\n', 'board = "iotlab-m3"\nconsole = "none"\n')

    assert [None, None] == [node.serial for node in benches.loads(silent).nodes.values()]
    with pytest.raises(BenchError, match=r'give its port, .* or console = "none"'):
        benches.loads(real)
    with pytest.raises(BenchError, match=r"unknown console `zephyr`; .*: contiki-ng, none, reference, riot, "):
        benches.loads(silent.replace('"none"', '"zephyr"'))
