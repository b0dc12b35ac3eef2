"""A node's side of an experiment: commands to its console, and its answers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Protocol

from gpiorig.capture.errors import SerialPortError, SilenceError
from gpiorig.capture.serial.line_inbox import Line
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.errors import FirmwareError

ANSWER_S = 10.0  # a node answers a command, or reports progress, within this
BOOT_S = 5.0
# Most slotframes until a packet of the MAC `slots` is settled: 16 tries, each after at most 127 cells that pass, one in
# each slotframe (RETRIES and MAX_EXPONENT of firmware-gpio-probes/reference/stack/mac_slots.c).
SLOTFRAMES = 16 * 128
SLOTFRAME, SLOT_US = 11, 10_000  # defaults of settings.toml
TRIES = 3  # of a command that a node has misheard
LOSES = "its serial line loses bytes, or the board has no supply any more: look at cable, ground and supply"

Progress = Callable[[int], object]


class Port(Protocol):
    """A serial port as a dialogue uses it (`gpiorig.capture.serial.port.SerialPort`)."""

    @property
    def device(self) -> str:
        """What messages call it."""

    def write_line(self, text: str) -> None:
        """Send a line."""

    def wait_line(self, predicate: Callable[[str], bool], *, deadline_s: float) -> Line:
        """Wait for a line; lines before it are passed over."""

    def pass_time(self, duration_s: float) -> None:
        """Wait, on a virtual bench for its seconds."""


class Dialogue:
    """The console of a node on its port, which a node that is not spoken to may lack.

    Attributes
    ----------
    console
        How the firmware is spoken to.
    values
        What commands are filled in with: the settings that the node has got, and what it answered to questions.
    """

    def __init__(self, node: str, port: Port | None, console: Console) -> None:
        self.node, self.console = node, console
        self.values = SimpleNamespace()
        self._port = port
        self._is_in_use = False  # from its first answer until it is stopped: a boot ends what it was set to

    @property
    def _connected(self) -> Port:
        """The port, which only a node that is not spoken to may lack."""
        assert self._port is not None
        return self._port

    def await_boot(self, *, deadline_s: float) -> bool:
        """Wait until the node has booted; returns False if it was silent, since it may have booted before."""
        ready, hello = self.console.ready, self.console.hello
        try:
            if ready is not None:
                self._connected.wait_line(_matches(ready), deadline_s=deadline_s)
        except SerialPortError:
            if hello is not None:
                self.ask(hello)
            return False
        return True

    def ask(self, command: str, *, answer: str | None = None, expected: str | None = None) -> str:
        """Send a command and return the node's answer; once more where it answers another command.

        A slow node loses a byte when its interrupts are masked for longer than two bytes take.

        Parameters
        ----------
        command
            The line to send.
        answer
            What the line of the answer matches, in place of the console's own.
        expected
            The answer itself, where only one is right; another without a refusal is to a misheard command.

        Raises
        ------
        FirmwareError
            The node refuses the command.
        SerialPortError
            It does not answer, or boots in place of that.
        """
        for _ in range(TRIES):
            self._connected.write_line(command)
            text = self._awaited(answer or self.console.answer, awaited=f"answer to `{command}`", deadline_s=ANSWER_S)
            self._is_in_use = True
            is_refused = bool(self.console.refusal and re.search(self.console.refusal, text))
            is_misheard = bool(self.console.misheard and re.search(self.console.misheard, text)) or (
                expected not in (None, text) and not is_refused
            )
            if not is_misheard:
                break
        if is_refused or is_misheard:
            raise FirmwareError(f"node {self.node} refuses `{command}`: {text}. Does it run {self.console.text}?")
        return text

    def learn(self) -> None:
        """Ask the console's questions; the named groups of the answers become values."""
        for question in self.console.ask:
            match = re.search(question.answer, self.ask(question.command, answer=question.answer))
            self.values.__dict__.update(match.groupdict() if match else {})

    def set(self, settings: Mapping[str, str | int]) -> None:
        """Send the settings, in their order."""
        self.values.__dict__.update(settings)
        for key in self.console.times_ms:
            if key in settings:
                self.values.__dict__[key.removesuffix("_us") + "_ms"] = int(settings[key]) // 1000
        for key, value in settings.items():
            command, answer = self.console.set or self.console.settings[key], self.console.set_answer
            if command:
                self.ask(
                    self._filled(command, key=key, value=value),
                    expected=self._filled(answer, key=key, value=value) if answer else None,
                )

    def start(self, packets: int | None, peer: Dialogue) -> None:
        """Start the application; with no number of packets until it is stopped."""
        command = self.console.start_endless if packets is None else self.console.start
        if command is None:
            return
        line = self._filled(command, packets=packets, peer=peer.values)
        if self.console.started is not None:
            self.ask(line, answer=self.console.started)
        else:
            self._connected.write_line(line)

    def await_done(self, *, duration_s: int | None, progress: Progress) -> None:
        """Wait for the line at the end, or without such a line for the duration of the run."""
        done, packet = self.console.done, self.console.packet
        if done is None:
            wait = time.sleep if self._port is None else self._port.pass_time
            wait(float(duration_s or 0))
            return
        news = f"{done}|{packet}" if packet else done
        patience_s, through = ANSWER_S + getattr(self.values, "interval_us", 0) / 1e6, 0
        while not re.search(done, self._awaited(news, awaited="line at the end", deadline_s=patience_s)):
            through += 1
            progress(through)

    def stop(self, *, was_started: bool) -> None:
        """Have the node send nothing any more; one that was started prints its sums."""
        command, done = self.console.stop, self.console.done
        self._is_in_use = False
        if command is None:
            return
        if not was_started or done is None:
            self.ask(command)
            return
        # The line at the end comes before or after the answer.
        line = self.ask(command, answer=f"{self.console.answer}|{done}")
        rest = self.console.answer if re.search(done, line) else done
        self._connected.wait_line(_matches(rest), deadline_s=ANSWER_S + self._settling_s())

    def _settling_s(self) -> float:
        """How long a packet may be on its way, after which a node that was stopped prints its sums."""
        given = self.values.__dict__
        if given.get("mac") != "slots":
            return 0.0
        return SLOTFRAMES * int(given.get("slotframe", SLOTFRAME)) * int(given.get("slot_us", SLOT_US)) / 1e6

    def report(self, given: Mapping[str, Any]) -> None:
        """Ask for what the node has counted."""
        for command, settings in self.console.report.items():
            if not settings or given.keys() & set(settings):
                self.ask(command)

    def _awaited(self, pattern: str, *, awaited: str, deadline_s: float) -> str:
        """The line that matches; an error names why it does not come."""
        port, boot = self._connected, self.console.ready if self._is_in_use else None
        try:
            text = port.wait_line(_matches(f"{pattern}|{boot}" if boot else pattern), deadline_s=deadline_s).text
        except SilenceError as error:
            remedy = LOSES if self._is_in_use else error.remedy
            raise SilenceError(f"no {awaited}: {error.what}", where=port.device, remedy=remedy) from error
        if boot and re.search(boot, text):
            problem = f"no {awaited}: node {self.node} has booted in place of that"
            raise SerialPortError(problem, where=port.device, remedy="look at its supply, and at what resets it")
        return text

    def _filled(self, command: str, **more: object) -> str:
        return command.format_map({**self.values.__dict__, **more})


def _matches(pattern: str) -> Callable[[str], bool]:
    expression = re.compile(pattern)
    return lambda line: expression.search(line) is not None
