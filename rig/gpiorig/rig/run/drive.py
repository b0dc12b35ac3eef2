"""Driving the nodes of an experiment through the commands of their firmware (docs/reference/reference-firmware.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.errors import SerialPortError
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments.experiment import Experiment, Kernel
from gpiorig.rig.experiments.node_settings import NODE_NAMES

ANSWER_S = 10.0  # a node answers a command, or reports progress, within this
BOOT_S = 5.0
TRIES = 3  # of a command that a node has misheard

Progress = Callable[[int], object]


def drive(experiment: Experiment, ports: dict[str, SerialPort], progress: Progress) -> None:
    """Set the nodes up, start, wait for the end, silence them, and ask for their counts."""
    for port in ports.values():
        await_node(port)
    addresses = _addresses(experiment, list(ports))
    for name, port in ports.items():
        _check_identity(experiment, port, ask(port, "identify"))
        ask(port, "defaults")
        for key, value in _settings(experiment, name, addresses).items():
            ask(port, f"set {key} {value}")
        ask(port, "identify")  # with the address it has now: the log keeps the last
    started = [ports[name] for name in experiment.started]
    for port in started[:-1]:
        ask(port, "start")
    ask(started[-1], f"start {experiment.packets}" if experiment.packets else "start")
    interval_s = experiment.settings_of(experiment.initiator).get("interval_us", 0) / 1e6
    _await_done(started[-1], patience_s=ANSWER_S + interval_s, progress=progress)
    for port in started[:-1]:
        _stop(port, was_started=True)
    for port in ports.values():
        if port not in started[:-1]:
            _stop(port, was_started=False)
    for name, port in ports.items():
        given = experiment.settings_of(name).keys()
        if "mac" in given:
            ask(port, "mac")
        if given & {"mac", "worker_a_on_us", "worker_b_on_us"}:
            ask(port, "workers")
        ask(port, "report")


def _addresses(experiment: Experiment, nodes: list[str]) -> dict[str, int]:
    """Short addresses: initiator, responder, then the others, which must not answer in the place of these two."""
    first = [experiment.initiator, experiment.responder]
    return {name: address for address, name in enumerate([*first, *(n for n in nodes if n not in first)], start=1)}


def _settings(experiment: Experiment, node: str, addresses: dict[str, int]) -> dict[str, str | int]:
    """Settings of a node, in the order of sending."""
    peer = experiment.responder if node == experiment.initiator else experiment.initiator
    given = {"address": addresses[node], "peer": peer, **experiment.settings_of(node)}
    if node == experiment.initiator and experiment.duration_s is not None:
        given["duration_s"] = experiment.duration_s
    given |= {key: addresses[given[key]] for key in NODE_NAMES if key in given}
    return {key: value if isinstance(value, str) else int(value) for key, value in given.items()}


def _await_done(port: SerialPort, *, patience_s: float, progress: Progress) -> None:
    """Wait until the node says that it is done; `patience_s`: it says something at least this often."""
    through = 0
    while True:
        line = port.wait_line(lambda text: text.startswith(("packet ", "done ")), deadline_s=patience_s)
        if line.text.startswith("done "):
            return
        through += 1
        progress(through)


def _stop(port: SerialPort, *, was_started: bool) -> None:
    """Have a node send nothing any more; one that was started says what it did."""
    done = False

    def answered(text: str) -> bool:
        nonlocal done
        done = done or text.startswith("done ")
        return text.startswith(("ok ", "error"))

    ask(port, "stop", answered)
    if was_started and not done:
        port.wait_line(lambda text: text.startswith("done "), deadline_s=ANSWER_S)


def await_node(port: SerialPort) -> None:
    """Wait until a node has booted; one that says nothing may have booted before we listened."""
    try:
        port.wait_line(lambda line: line == "ready", deadline_s=BOOT_S)
    except SerialPortError:
        ask(port, "identify")


def _is_answer(text: str) -> bool:
    return text.startswith(("ok ", "error"))


def ask(port: SerialPort, command: str, is_answer: Callable[[str], bool] = _is_answer) -> str:
    """Send a command and return the node's answer; once more when the node says that it understood something else.

    A slow node loses a byte when its interrupts are masked for longer than two bytes take.

    Raises
    ------
    FirmwareError
        The node refuses the command.
    SerialPortError
        It does not answer.
    """
    for _ in range(TRIES):
        port.write_line(command)
        try:
            answer = port.wait_line(is_answer, deadline_s=ANSWER_S).text
        except SerialPortError as error:
            raise SerialPortError(
                f"no answer to `{command}`: {error.what}", where=port.device, remedy=error.remedy
            ) from error
        if not _is_misheard(command, answer):
            break
    if answer.startswith("error") or _is_misheard(command, answer):
        raise FirmwareError(f"node {port.node} refuses `{command}`: {answer}. Does it run the reference firmware?")
    return answer


def _is_misheard(command: str, answer: str) -> bool:
    """Whether an answer is to another command: one that the node does not know, or other words of `set`."""
    word, _, rest = command.partition(" ")
    another_set = word == "set" and answer.startswith("ok set ") and answer != f"ok set {rest.replace(' ', '=')}"
    return answer.startswith("error commands are") or another_set


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text, 16)
    except ValueError:
        return None


def _check_identity(experiment: Experiment, port: SerialPort, answer: str) -> None:
    """Refuse firmware with another event table, whose codes would get wrong names, another kernel or other probes."""
    fields = dict(word.partition("=")[::2] for word in answer.split())
    if _hexadecimal(fields.get("table", "")) != int(TABLE_CRC32, 16):
        raise FirmwareError(
            f"node {port.node} runs firmware with the event table {fields.get('table', 'unknown')}, this gpiorig has "
            f"{TABLE_CRC32}. Build it again with these sources and flash it."
        )
    compared: dict[str, str] = {"probes": experiment.probes}
    if fields.get("kernel") in get_args(Kernel):  # operating systems of others offer no choice
        compared["kernel"] = experiment.kernel
    for key, wanted in compared.items():
        if fields.get(key, wanted) != wanted:
            raise FirmwareError(
                f"node {port.node} runs firmware with {key} = {fields[key]}, the experiment wants {wanted}. Flash the "
                f"image that was built with {key.upper()}={wanted}, or change `{key}` in the experiment file."
            )
