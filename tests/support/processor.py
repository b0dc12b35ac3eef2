"""A processor that runs threads or tasks at random, with spans, interrupts and sleep; it knows who had each sample."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from madeevents import events_of_rows

from gpiorig.analysis.events.events import Events

NODE = "node"
POINTS = ("udp.tx", "ipv6.tx", "mac.rx", "driver.load")
INTERRUPTS = ("isr.timer", "isr.uart", "isr.radio", "timer.fire")


def events_of(log, *, gaps=(), end):
    """Events of one node from rows (sample, event, id)."""
    rows = ((at, 0, name, id_) for at, name, id_ in log)
    return events_of_rows(rows, (NODE,), end=end, rate_hz=1_000_000_000, gaps=gaps)


def _positions(stack: list[tuple[str, int]]) -> tuple[int, ...]:
    return tuple(position for _, position in stack)


@dataclass
class Processor:
    """Threads are switched at any time; a task runs to its end, another one may run inside it."""

    seed: int
    threads: bool
    now: int = 5
    log: list[tuple[int, str, int]] = field(default_factory=list)
    # of every sample: occupant, positions of the open enters of what runs, the innermost last
    truth: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.interrupts: list[tuple[str, int]] = []  # name, or "" of a layer's span; position of the enter
        self.stacks: dict[int, list[tuple[str, int]]] = {}
        self.current: list[int] = []
        self.asleep = False
        self.spans = 100

    def owner(self) -> tuple[str, tuple[int, ...]]:
        """Who has the processor now."""
        if self.interrupts:
            name = next(name for name, _ in reversed(self.interrupts) if name in INTERRUPTS)
            return name, _positions(self.interrupts)
        if self.asleep or (self.threads and self.current and self.current[-1] == 0):
            return "sleep", ()
        if not self.current:
            stack = self.stacks.get(-1, [])
            return "stack, in no known task" if stack else "nothing seen", _positions(stack)
        stack = self.stacks[self.current[-1]]
        what = "thread" if self.threads else "task"
        number = self.current[-1] if self.threads else self.log[self.current[-1]][2]
        return f"{what} {number}", _positions(stack)

    def emit(self, name: str, id_: int = -1) -> int:
        """Let time go by, then log an event."""
        until = self.now + self.random.randint(1, 9)
        self.truth += [self.owner()] * (until - len(self.truth))
        self.now = until
        self.log.append((until, name, id_))
        return len(self.log) - 1

    def stack(self) -> list[tuple[str, int]]:
        """What the next span is put on."""
        return self.interrupts or self.stacks.setdefault(self.current[-1] if self.current else -1, [])

    def enter(self) -> None:
        name = self.random.choice(POINTS)
        stack = self.interrupts if self.interrupts else self.stack()
        self.spans += 1
        stack.append((name, self.emit(f"{name}.enter", self.spans)))

    def leave(self) -> None:
        stack = self.interrupts if self.interrupts else self.stack()
        if stack:
            name, position = stack[-1]
            self.emit(f"{name}.exit", self.log[position][2])
            stack.pop()

    def interrupt(self) -> None:
        if len(self.interrupts) < 4:
            name = self.random.choice(INTERRUPTS)
            self.interrupts.append((name, self.emit(f"{name}.enter")))

    def dispatch(self) -> None:
        if self.threads:
            to = self.random.randrange(5)
            self.emit("sched.switch", to)
            self.current = [to]
            self.stacks.setdefault(to, [])
        elif not self.interrupts and self.random.random() < 0.5:
            position = self.emit("task.run.enter", self.random.randrange(5))
            self.current.append(position)
            self.stacks[position] = []
        elif not self.interrupts and self.current and not self.stack():
            self.emit("task.run.exit", self.log[self.current[-1]][2])
            self.current.pop()

    def sleep(self) -> None:
        if not self.interrupts and not self.threads and not self.current and not self.stacks.get(-1):
            self.emit(f"sched.sleep.{'exit' if self.asleep else 'enter'}")
            self.asleep = not self.asleep

    def run(self, actions: int) -> Events:
        """Do anything, then end all that is open."""
        if self.threads:
            self.dispatch()
        for _ in range(actions):
            do = [self.enter, self.leave, self.interrupt, self.leave, self.dispatch, self.sleep]
            if self.asleep and not self.interrupts:
                do = [self.interrupt, self.sleep]
            self.random.choice(do)()
        while self.interrupts:
            self.leave()
        if self.asleep:
            self.sleep()
        for key in list(self.stacks):
            if self.threads and self.stacks[key] and key >= 0:
                self.emit("sched.switch", key)
                self.current = [key]
            while self.threads and key >= 0 and self.stacks[key]:
                self.leave()
        while not self.threads and self.current:
            while self.stack():
                self.leave()
            self.emit("task.run.exit", self.log[self.current[-1]][2])
            self.current.pop()
        while not self.threads and self.stacks.get(-1):
            self.leave()
        self.emit("rig.marker", 0)
        return events_of(self.log, end=self.now)
