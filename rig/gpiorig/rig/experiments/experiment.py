"""Experiment files: which node does what, with which firmware and settings (docs/reference/experiments.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from gpiorig.analysis.compare import assertions, delays, thresholds
from gpiorig.analysis.errors import QuantityError
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml

# A packet id has 16 bits and 0 is none, so one run has at most this many packets.
MAX_PACKETS = 65_535
MAX_DURATION_S = 2_000  # what the firmware's setting takes

Kernel = Literal["events", "threads"]
Probes = Literal["normal", "empty", "doubled", "off"]
App = Literal["pingpong", "macping", "print", "broadcast", "sender", "interferer", "train"]
Mac = Literal["csma", "tdma", "slots"]

# Applications whose packets make round trips between initiator and responder.
ROUND_TRIPS = ("pingpong", "macping", "print")
# Settings that are the name of a node here and its address in the firmware.
NODE_NAMES = ("peer", "next_hop")


class NodeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the reference firmware, as `set` takes them (docs/reference/reference-firmware.md); None: default."""

    app: App | None = None
    mac: Mac | None = None
    peer: str | None = None
    channel: int | None = None
    interval_us: int | None = None
    timeout_us: int | None = None
    payload: int | None = None
    csma: bool | None = None
    backoff: bool | None = None
    finish: Literal["interrupt", "busy"] | None = None
    seed: int | None = None
    queue: int | None = None
    print: int | None = None
    window: int | None = None
    train: int | None = None
    gap_us: int | None = None
    fire: Literal["sleep", "timer"] | None = None
    heartbeat_us: int | None = None
    log: bool | None = None  # images built with LOG= only
    events_sched: bool | None = None
    events_task: bool | None = None
    events_queue: bool | None = None
    events_timer: bool | None = None
    events_slot: bool | None = None
    next_hop: str | None = None
    gateway: bool | None = None
    rdc: int | None = None
    sync_us: int | None = None
    slotframe: int | None = None
    slot_us: int | None = None
    hopping: bool | None = None
    layer_priority: int | None = None
    worker_a_on_us: int | None = None
    worker_a_period_us: int | None = None
    worker_a_priority: int | None = None
    worker_b_on_us: int | None = None
    worker_b_period_us: int | None = None
    worker_b_priority: int | None = None

    def given(self) -> dict[str, Any]:
        """Those that are not None."""
        return {key: value for key, value in msgspec.to_builtins(self).items() if value is not None}


class Settings(NodeSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of all nodes. Those with a value are sent to every firmware, also one that knows only them."""

    channel: int | None = 26
    interval_us: int | None = 20_000
    timeout_us: int | None = 15_000
    payload: int | None = 32
    backoff: bool | None = True
    seed: int | None = 1


class NodeRole(NodeSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one node does differently: its own settings, and whether it is started besides the initiator."""

    start: bool = False


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What runs on a bench: until `packets` are through, or for `duration_s`, whichever comes first."""

    name: str
    initiator: str
    responder: str
    packets: int | None = None
    duration_s: int | None = None
    kernel: Kernel = "events"
    probes: Probes = "normal"
    settings: Settings = Settings()
    nodes: dict[str, NodeRole] = {}
    assertions: tuple[str, ...] = msgspec.field(name="assert", default=())  # limits of this run, `analysis.assertions`
    thresholds: tuple[str, ...] = ()  # largest changes from another run, `analysis.thresholds`

    @property
    def app(self) -> str:
        """The application of the initiator."""
        return str(self.settings_of(self.initiator).get("app", "pingpong"))

    def settings_of(self, node: str) -> dict[str, Any]:
        """The settings of a node, its own before those of all; without its role, addresses and the duration."""
        own = self.nodes[node].given() if node in self.nodes else {}
        own.pop("start", None)
        return self.settings.given() | own

    @property
    def started(self) -> list[str]:
        """The nodes that are started, the initiator last."""
        return [name for name, role in self.nodes.items() if role.start and name != self.initiator] + [self.initiator]


def load(path: Path, bench: Bench, *, packets: int | None = None) -> Experiment:
    """The checked experiment of a file, with so many packets if they are given (`--packets`).

    Raises `BenchError` with the file, the key and the remedy.
    """
    experiment = check(load_toml(path, Experiment, what="experiment file"), bench, what=f"experiment file {path}")
    if packets is None:
        return experiment
    return check(msgspec.structs.replace(experiment, packets=packets), bench, what="--packets")


def check(experiment: Experiment, bench: Bench, *, what: str) -> Experiment:
    """The experiment itself, if this bench can do it."""
    named = {role: getattr(experiment, role) for role in ("initiator", "responder")}
    named |= {f"nodes.{name}": name for name in experiment.nodes}
    named |= {
        f"{key} of {name}": value
        for name in bench.nodes
        for key, value in experiment.settings_of(name).items()
        if key in NODE_NAMES
    }
    for role, node in named.items():
        if node not in bench.nodes:
            raise BenchError(f"{what}: {role} is `{node}`; the bench has {', '.join(bench.nodes)}.")
    if experiment.initiator == experiment.responder:
        raise BenchError(f"{what}: initiator and responder are the same node; name two.")
    if experiment.packets is None and experiment.duration_s is None:
        raise BenchError(f"{what}: neither packets nor duration_s; give one, or both, to say when the run ends.")
    if experiment.packets is not None and not 1 <= experiment.packets <= MAX_PACKETS:
        raise BenchError(f"{what}: packets is {experiment.packets}; it must be 1 to {MAX_PACKETS} (16-bit packet id).")
    if experiment.duration_s is not None and not 1 <= experiment.duration_s <= MAX_DURATION_S:
        raise BenchError(f"{what}: duration_s is {experiment.duration_s}; it must be 1 to {MAX_DURATION_S}.")
    if experiment.assertions and experiment.probes in ("empty", "off"):
        raise BenchError(f"{what}: assert: without probes there are no delays on the pins to assert anything of.")
    whole = delays.RTT if experiment.app in ROUND_TRIPS else delays.ONE_WAY
    try:
        limits = [("assert", text, assertions.parse(text).quantity) for text in experiment.assertions]
        limits += [("thresholds", text, thresholds.parse(text).quantity) for text in experiment.thresholds]
    except QuantityError as error:
        raise BenchError(f"{what}: {error}") from error
    for key, text, quantity in limits:
        if quantity in {delays.RTT, delays.ONE_WAY} - {whole}:
            raise BenchError(f"{what}: {key}: `{text}`: the whole delay of `{experiment.app}` is called `{whole}`.")
    return experiment
