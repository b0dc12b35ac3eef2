"""Experiment files: which node does what, with which firmware and settings (docs/reference/experiments.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from gpiorig.analysis.compare.limits import assertion, threshold
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities import names as quantities
from gpiorig.analysis.quantities.delay_names import ONE_WAY, RTT
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.node_settings import LIMITS, NODE_NAMES, NodeSettings, Settings
from gpiorig.rig.experiments.packet_count import MAX_PACKETS
from gpiorig.rig.experiments.probe_kinds import Probes
from gpiorig.rig.strict_toml import load as load_toml

Kernel = Literal["events", "threads"]

NOT_SETTINGS = ("start", "kernel")  # keys of a node that are not sent to it

WITH_ID = ("payload",)  # settings of a size that the packet id of our firmware is part of

# Applications whose packets make round trips between initiator and responder.
ROUND_TRIPS = ("pingpong", "macping", "print")


class NodeRole(NodeSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one node has different from all: keys of `[settings]`, and these.

    Attributes
    ----------
    start
        It is started before the initiator, and stopped after it.
    kernel
        Of its reference firmware.
    """

    start: bool = False
    kernel: Kernel | None = None


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run on a bench: it ends after `packets` or after `duration_s`, whichever comes first.

    Attributes
    ----------
    initiator, responder
        Nodes of the bench: addresses 1 and 2, each other's `peer`. Others get 3, 4, … in the order of the bench file,
        and the initiator as their peer.
    packets
        Packets that the initiator sends, 1 to 65535.
    duration_s
        After this time the initiator stops, 1 to 2000.
    kernel, probes
        Of the reference firmware: a virtual bench loads that image unless the bench file names another; on boards the
        answer to `identify` is compared.
    settings, nodes
        Keys of firmware-gpio-probes/settings.toml, of all nodes and of single ones.
    assertions
        Limits that the run must meet (docs/guide/compare.md).
    thresholds
        Largest changes from another run, for ``gpiorig compare``.
    quantities
        What the report and the table `quantities` show in addition (docs/guide/quantities.md).
    """

    name: str
    initiator: str
    responder: str
    packets: int | None = None
    duration_s: int | None = None
    kernel: Kernel = "events"
    probes: Probes = "normal"
    settings: Settings = Settings()
    nodes: dict[str, NodeRole] = {}
    assertions: tuple[str, ...] = msgspec.field(name="assert", default=())
    thresholds: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()

    @property
    def app(self) -> str:
        """The application of the initiator."""
        return str(self.settings_of(self.initiator).get("app", "pingpong"))

    def settings_of(self, node: str) -> dict[str, Any]:
        """The settings of a node: its own, and those of all that it does not change."""
        given = self.nodes[node].given() if node in self.nodes else {}
        return self.settings.given() | {key: value for key, value in given.items() if key not in NOT_SETTINGS}

    def kernel_of(self, node: str) -> Kernel:
        """The kernel of a node: its own, or that of all."""
        role = self.nodes.get(node)
        return self.kernel if role is None or role.kernel is None else role.kernel

    @property
    def started(self) -> list[str]:
        """The nodes that are started, the initiator last."""
        return [name for name, role in self.nodes.items() if role.start and name != self.initiator] + [self.initiator]


def load(path: Path, bench: Bench, *, packets: int | None = None) -> Experiment:
    """The checked experiment of a file; `packets` replaces the number in the file.

    Raises `BenchError` with the file, the key and the remedy.
    """
    experiment = check(load_toml(path, Experiment, what="experiment file"), bench, what=f"experiment file {path}")
    if packets is None:
        return experiment
    return check(msgspec.structs.replace(experiment, packets=packets), bench, what="--packets")


def check(experiment: Experiment, bench: Bench, *, what: str) -> Experiment:
    """The experiment unchanged; raises `BenchError` if it is impossible on this bench."""
    _check_nodes(experiment, bench, what=what)
    _check_numbers(experiment, bench, what=what)
    _check_quantities(experiment, bench, what=what)
    return experiment


def _check_nodes(experiment: Experiment, bench: Bench, *, what: str) -> None:
    nodes = {role: getattr(experiment, role) for role in ("initiator", "responder")}
    nodes |= {f"nodes.{name}": name for name in experiment.nodes}
    nodes |= {
        f"{key} of {name}": value
        for name in bench.nodes
        for key, value in experiment.settings_of(name).items()
        if key in NODE_NAMES
    }
    for role, node in nodes.items():
        if node not in bench.nodes:
            raise BenchError(f"{what}: {role} is `{node}`; the bench has {', '.join(bench.nodes)}.")
    if experiment.initiator == experiment.responder:
        raise BenchError(f"{what}: initiator and responder are the same node; name two.")


def _check_numbers(experiment: Experiment, bench: Bench, *, what: str) -> None:
    """Check the end of the run, and every setting against the widest limits of all firmwares."""
    consoles = bench.described_consoles.values()
    least = {key: 0 for key in WITH_ID if not any(console is None or console.set for console in consoles)}
    if experiment.packets is None and experiment.duration_s is None:
        raise BenchError(f"{what}: neither packets nor duration_s; give one, or both, to define the end of the run.")
    numbers = [("packets", experiment.packets, (1, MAX_PACKETS))]
    numbers += [("duration_s", experiment.duration_s, (1, LIMITS["duration_s"][1]))]
    tables = {"settings": experiment.settings} | {f"nodes.{name}": role for name, role in experiment.nodes.items()}
    for table, settings in tables.items():
        given = settings.given()
        for key, (minimum, maximum) in LIMITS.items():
            if key in given:
                numbers.append((f"{table}.{key}", given[key], (least.get(key, minimum), maximum)))
    for key, value, (minimum, maximum) in numbers:
        if value is not None and not minimum <= value <= maximum:
            raise BenchError(f"{what}: {key} is {value}; use {minimum} to {maximum}.")


def _check_quantities(experiment: Experiment, bench: Bench, *, what: str) -> None:
    """Check that the assertions and thresholds are of quantities that the run has."""
    if experiment.assertions and experiment.probes in ("empty", "off"):
        raise BenchError(f"{what}: assert: without probes there are no delays on the pins to assert anything of.")
    if experiment.quantities and experiment.probes in ("empty", "off"):
        raise BenchError(f"{what}: quantities: without probes the pins show none of them.")
    total = RTT if experiment.app in ROUND_TRIPS else ONE_WAY
    try:
        asked = quantities.parse_all(experiment.quantities)
        limits = [("assert", text, assertion(text).quantity) for text in experiment.assertions]
        limits += [("thresholds", text, threshold(text).quantity) for text in experiment.thresholds]
    except QuantityError as error:
        raise BenchError(f"{what}: {error}") from error
    for quantity in asked:
        limits.append(("quantities", quantity.name, quantity.subject))
        if quantity.node not in ("", *bench.nodes):
            raise BenchError(f"{what}: quantities: no node `{quantity.node}`; the bench has {', '.join(bench.nodes)}.")
    for key, text, name in limits:
        if name in {RTT, ONE_WAY} - {total}:
            raise BenchError(f"{what}: {key}: `{text}`: the total delay of `{experiment.app}` is called `{total}`.")
