"""Driving the nodes of an experiment through the consoles of their firmware (docs/reference/consoles.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import get_args

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.rig.bench import consoles, virtual_ids
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments import console_settings
from gpiorig.rig.experiments.experiment import Experiment, Kernel
from gpiorig.rig.experiments.node_settings import NODE_NAMES
from gpiorig.rig.run.dialogue import BOOT_S, Dialogue, Port, Progress

RIOT_SHELL = "riot-shell"  # the console whose address is derived from the serial number of the chip
OURS = "reference"  # the console of a node whose bench file names none, until it has identified itself


def drive(
    experiment: Experiment,
    ports: Mapping[str, Port | None],
    progress: Progress,
    described: Mapping[str, Console | None] | None = None,
    *,
    answered: Callable[[str, bool | None], object] = lambda node, virtual: None,
) -> None:
    """Set the nodes up, start, wait for the end, silence them, and ask for their counts.

    Parameters
    ----------
    experiment
        What to run.
    ports
        The port of each node; None: it has none, and is not spoken to.
    progress
        Called with the number of packets that are through.
    described
        The consoles that the bench file names, by node.
    answered
        Called with a node and whether it is a virtual board, by what it answers; None: its answers do not tell.

    Raises
    ------
    BenchError, FirmwareError
        A firmware does not have a setting, refuses a command, or is not the one that the experiment is for.
    SerialPortError
        A node does not answer.
    """
    named = {name: (described or {}).get(name) for name in ports}
    nodes = {name: Dialogue(name, port, named[name] or consoles.load(OURS)) for name, port in ports.items()}
    deadline_s = BOOT_S
    for node in nodes.values():
        if not node.await_boot(deadline_s=deadline_s):
            deadline_s = 0.0  # the others had as long to boot
    for name, node in nodes.items():
        if node.console.identifies:
            fields = _identify(experiment, node, is_named=named[name] is not None)
            answered(name, virtual_ids.of_answer(fields))
    given = {name: console_settings.settings(experiment, name, node.console) for name, node in nodes.items()}
    addresses = _addresses(experiment, list(nodes))
    for name, node in nodes.items():
        for command in node.console.set_up:
            node.ask(command)
        node.learn()
        if node.console.name == RIOT_SHELL:
            answered(name, virtual_ids.of_link_local(node.values.address))
        node.set(_sent(experiment, name, given[name], addresses) if node.console.set else given[name])
        if node.console.identifies and node.console.hello:
            node.ask(node.console.hello)  # with the address it has now: the log keeps the last
    answering, initiator = [nodes[name] for name in experiment.started[:-1]], nodes[experiment.initiator]
    for node in answering:
        node.start(None, nodes[experiment.initiator])
    initiator.start(experiment.packets, nodes[experiment.responder])
    initiator.await_done(duration_s=experiment.duration_s, progress=progress)
    for node in answering:
        node.stop(was_started=True)
    for node in nodes.values():
        if node not in answering:
            node.stop(was_started=False)
    for name, node in nodes.items():
        node.report(given[name])


def _addresses(experiment: Experiment, nodes: list[str]) -> dict[str, int]:
    """Short addresses: initiator, responder, then the others, which must not answer in the place of these two."""
    roles = [experiment.initiator, experiment.responder]
    return {name: address for address, name in enumerate([*roles, *(n for n in nodes if n not in roles)], start=1)}


def _sent(
    experiment: Experiment, node: str, given: Mapping[str, str | int], addresses: Mapping[str, int]
) -> dict[str, str | int]:
    """The settings of a node as its console takes them, its addresses first."""
    peer = experiment.responder if node == experiment.initiator else experiment.initiator
    sent = {"address": addresses[node], "peer": peer, **given}
    sent |= {key: addresses[str(sent[key])] for key in NODE_NAMES if key in sent}
    return {key: value if isinstance(value, str) else int(value) for key, value in sent.items()}


def _identify(experiment: Experiment, node: Dialogue, *, is_named: bool) -> dict[str, str]:
    """Ask which firmware it is, and speak to it as such; returns the fields of its answer.

    Refuses another event table, whose codes would get wrong names, another firmware than the bench file names, another
    kernel and other probes.
    """
    fields = dict(word.partition("=")[::2] for word in node.ask(str(node.console.hello)).split())
    if _hexadecimal(fields.get("table", "")) != int(TABLE_CRC32, 16):
        raise FirmwareError(
            f"node {node.node} runs firmware with the event table {fields.get('table', 'unknown')}, this gpiorig has "
            f"{TABLE_CRC32}. Build it again with these sources and flash it."
        )
    firmware = fields.get("firmware", node.console.name)
    if firmware != node.console.name and firmware in consoles.names():
        if is_named:
            raise FirmwareError(
                f"node {node.node} runs {consoles.load(firmware).text}; its console in the bench file is "
                f'"{node.console.name}". Write console = "{firmware}", or delete the key.'
            )
        node.console = consoles.load(firmware)
    compared: dict[str, str] = {"probes": experiment.probes}
    if fields.get("kernel") in get_args(Kernel):  # operating systems of others offer no choice
        compared["kernel"] = experiment.kernel_of(node.node)
    for key, value in compared.items():
        if fields.get(key, value) != value:
            raise FirmwareError(
                f"node {node.node} runs firmware with {key} = {fields[key]}, the experiment wants {value}. Flash the "
                f"image that was built with {key.upper()}={value}, or change `{key}` in the experiment file."
            )
    return fields


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text, 16)
    except ValueError:
        return None
