"""The settings of a node. Generated from firmware-gpio-probes/settings.toml by `make generate`. Do not edit."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

# Least and largest value of each number, the widest limits of all firmwares.
LIMITS = {
    "channel": (11, 26),
    "interval_us": (1000, 1_000_000_000),
    "phase_us": (0, 1_000_000_000),
    "timeout_us": (1000, 1_000_000_000),
    "repeat_us": (0, 1_000_000_000),
    "payload": (8, 1000),
    "backoff_exponent": (0, 5),
    "seed": (0, 4_294_967_295),
    "queue": (1, 128),
    "print": (24, 150),
    "window": (1, 132),
    "train": (1, 1000),
    "gap_us": (0, 1_000_000_000),
    "predispatch_us": (0, 1_000_000_000),
    "heartbeat_us": (0, 1_000_000_000),
    "duration_s": (0, 2000),
    "rdc": (10, 20),
    "sync_us": (100_000, 100_000_000),
    "slotframe": (3, 101),
    "layer_priority": (0, 8),
    "worker_a_on_us": (0, 1_000_000_000),
    "worker_a_period_us": (1000, 1_000_000_000),
    "worker_a_phase_us": (0, 1_000_000_000),
    "worker_a_priority": (1, 8),
    "worker_b_on_us": (0, 1_000_000_000),
    "worker_b_period_us": (1000, 1_000_000_000),
    "worker_b_phase_us": (0, 1_000_000_000),
    "worker_b_priority": (1, 8),
    "flood_us": (0, 1_000_000_000),
}
# Settings that are the name of a node here and its address in the firmware.
NODE_NAMES = ("peer", "next_hop")
# The firmwares that have each setting.
FIRMWARES = {
    "address": {"reference", "riot", "contiki-ng"},
    "peer": {"reference", "riot", "contiki-ng"},
    "channel": {"reference", "riot", "contiki-ng"},
    "interval_us": {"reference", "riot", "contiki-ng"},
    "spacing": {"reference"},
    "phase_us": {"reference"},
    "timeout_us": {"reference", "riot", "contiki-ng"},
    "repeat_us": {"reference"},
    "payload": {"reference", "riot", "contiki-ng"},
    "csma": {"reference", "riot"},
    "backoff": {"reference", "riot", "contiki-ng"},
    "backoff_exponent": {"reference", "riot"},
    "finish": {"reference"},
    "seed": {"reference", "riot", "contiki-ng"},
    "queue": {"reference"},
    "app": {"reference", "riot", "contiki-ng"},
    "mac": {"reference"},
    "print": {"reference", "riot"},
    "announce": {"reference"},
    "window": {"reference"},
    "train": {"reference", "riot"},
    "gap_us": {"reference"},
    "fire": {"reference"},
    "predispatch_us": {"reference"},
    "heartbeat_us": {"reference"},
    "log": {"reference"},
    "duration_s": {"reference", "riot"},
    "events_sched": {"reference", "riot", "contiki-ng"},
    "events_task": {"reference", "riot", "contiki-ng"},
    "events_queue": {"reference", "riot", "contiki-ng"},
    "events_timer": {"reference", "riot"},
    "events_slot": {"reference"},
    "loopback": {"reference"},
    "next_hop": {"reference"},
    "gateway": {"reference"},
    "coordinator": {"contiki-ng"},
    "rdc": {"reference"},
    "sync_us": {"reference"},
    "slotframe": {"reference"},
    "slot_us": {"reference"},
    "hopping": {"reference"},
    "layer_priority": {"reference"},
    "worker_a_on_us": {"reference"},
    "worker_a_period_us": {"reference"},
    "worker_a_phase_us": {"reference"},
    "worker_a_priority": {"reference"},
    "worker_b_on_us": {"reference"},
    "worker_b_period_us": {"reference"},
    "worker_b_phase_us": {"reference"},
    "worker_b_priority": {"reference"},
    "radio_profile": {"reference"},
    "sync_task": {"reference"},
    "flood_us": {"reference"},
}


class NodeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the firmware, as `set` takes them (firmware-gpio-probes/settings.toml); None: its default."""

    app: (
        Literal[
            "pingpong",
            "macping",
            "print",
            "broadcast",
            "sender",
            "interferer",
            "train",
            "ticker",
            "saturate",
            "sleeper",
        ]
        | None
    ) = None
    mac: Literal["csma", "tdma", "slots"] | None = None
    peer: str | None = None
    channel: int | None = None
    interval_us: int | None = None
    spacing: Literal["fixed", "poisson"] | None = None
    phase_us: int | None = None
    timeout_us: int | None = None
    repeat_us: int | None = None
    payload: int | None = None
    csma: bool | None = None
    backoff: bool | None = None
    backoff_exponent: int | None = None
    finish: Literal["interrupt", "busy"] | None = None
    seed: int | None = None
    queue: int | None = None
    print: int | None = None
    announce: bool | None = None
    window: int | None = None
    train: int | None = None
    gap_us: int | None = None
    fire: Literal["sleep", "timer"] | None = None
    predispatch_us: int | None = None
    heartbeat_us: int | None = None
    log: bool | None = None
    events_sched: bool | None = None
    events_task: bool | None = None
    events_queue: bool | None = None
    events_timer: bool | None = None
    events_slot: bool | None = None
    loopback: Literal["off", "ipv6", "mac"] | None = None
    next_hop: str | None = None
    gateway: bool | None = None
    coordinator: bool | None = None
    rdc: int | None = None
    sync_us: int | None = None
    slotframe: int | None = None
    slot_us: Literal[10_000, 15_000, 20_000] | None = None
    hopping: bool | None = None
    layer_priority: int | None = None
    worker_a_on_us: int | None = None
    worker_a_period_us: int | None = None
    worker_a_phase_us: int | None = None
    worker_a_priority: int | None = None
    worker_b_on_us: int | None = None
    worker_b_period_us: int | None = None
    worker_b_phase_us: int | None = None
    worker_b_priority: int | None = None
    radio_profile: Literal["default", "yetimote"] | None = None
    sync_task: bool | None = None
    flood_us: int | None = None

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
