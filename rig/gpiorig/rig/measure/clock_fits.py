"""The clocks of nodes by the lines of a log that carry host and node time, or by the pins of a recording."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from gpiorig.analysis.clocks import break_causes, node_clock, node_json, pairing, timer_guesses
from gpiorig.analysis.clocks.node_clock import NodeClock
from gpiorig.analysis.clocks.node_json import ClockOfNode
from gpiorig.analysis.delays.instruments import ASSUMED, CLOCK_PPM
from gpiorig.analysis.events import events
from gpiorig.analysis.logs import node_log
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import clock_lines, log_times
from gpiorig.rig.measure.clock_lines import Found
from gpiorig.rig.plain_json import Result
from gpiorig.rig.progress import iterate
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks

NAMELESS = "log"  # of a node that neither the log nor the pattern names


class ClockNumbers(Result, frozen=True, kw_only=True):
    """The clocks of nodes against a reference; counts of lines are of a log, `breaks` of the pins."""

    source: str
    reference: str
    reference_clock_ppm: float
    reference_clock_origin: str
    virtual: bool | None
    lines: int | UnsetType = UNSET
    matched: int | UnsetType = UNSET
    unmatched: int | UnsetType = UNSET
    stamps: int | UnsetType = UNSET
    irregularities: dict[str, int] | UnsetType = UNSET
    breaks: list[str] | UnsetType = UNSET
    state: str | None
    remarks: tuple[str, ...]
    nodes: dict[str, ClockOfNode]


def fitted(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NodeClock]]:
    """The clocks by node, by the pins where there is no pattern; before them, what they were fitted to, as JSON."""
    head, clocks = _from_pins(options) if options.pattern is None else _from_lines(options)
    return head, dict(sorted(clocks.items()))


def numbers(head: dict[str, Any], clocks: dict[str, NodeClock]) -> ClockNumbers:
    """For `--json`; `head` is that of `fitted`, with the fields of a `standing`."""
    return ClockNumbers(**head, nodes={node: node_json.of_clock(clock) for node, clock in clocks.items()})


def _from_lines(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NodeClock]]:
    pattern = re.compile(options.pattern)
    boot = re.compile(options.boot) if options.boot else None
    log_stamps = clock_lines.read(options.log, options, pattern=pattern, boot=boot)
    if not log_stamps.matched:
        raise RigError(
            f"{options.log}: none of {log_stamps.lines} lines matches --pattern {options.pattern!r} with a number; "
            "try it on one of its lines."
        )
    virtual = None
    if options.log.is_dir() and (options.log / DESCRIPTION).exists():
        virtual = Recording.open(options.log).info.virtual
    head = {
        "source": log_stamps.source,
        "reference": "host",
        "reference_clock_ppm": CLOCK_PPM,
        "reference_clock_origin": ASSUMED,
        "virtual": virtual,
        "lines": log_stamps.lines,
        "matched": log_stamps.matched,
        "unmatched": log_stamps.lines - log_stamps.matched,
        "stamps": sum(len(stamps.numbers) for stamps in log_stamps.nodes.values()),
        "irregularities": dict(log_stamps.odd),
    }
    return head, _fitted(options, log_stamps)


def _chosen(options: argparse.Namespace, nodes: Iterable[str]) -> list[str]:
    """The nodes that are asked for; raises `RigError` if one is not there."""
    there = list(nodes)
    if unknown := sorted(set(options.node).difference(there)):
        raise RigError(
            f"{options.log}: no timestamps of node {unknown[0]}; available nodes: {', '.join(sorted(there))}."
        )
    return [node for node in there if not options.node or node in options.node]


def _fitted(options: argparse.Namespace, log_stamps: Found) -> dict[str, NodeClock]:
    groups = clock_lines.groups(re.compile(options.pattern))
    clocks = {}
    named = {node or NAMELESS: stamps for node, stamps in log_stamps.nodes.items()}
    for node in iterate(_chosen(options, named), "fitting", unit="nodes"):
        stamps = named[node]
        ticks, digits = stamps.ticks()
        host_ns = np.array(stamps.host_ns, dtype=np.int64)
        tick_hz = clock_lines.tick_hz(options, groups, digits)
        if tick_hz is None:
            rate, usual = timer_guesses.nominal_hz(ticks, host_ns, 10**digits)
            if usual is None and len(ticks) > 2 and rate == rate:
                raise RigError(
                    f"{options.log}: the time of {node} counts {rate / 10**digits:.6g} per second of the "
                    "host, which is not a usual rate; give --tick-hz, or --time-unit."
                )
            tick_hz = usual or Fraction(10**digits)
        modulus = timer_guesses.likely_modulus(ticks) if options.bits is None else (1 << options.bits) * 10**digits
        if modulus and modulus >= log_times.LIMIT:
            raise RigError(
                f"--bits {options.bits}: too many for times with {digits} decimals; give fewer, or 0 if none wraps."
            )
        clocks[node] = node_clock.node_clock(
            node,
            ticks,
            host_ns,
            reference="host",
            tick_hz=tick_hz,
            modulus=None if options.bits == 0 else modulus,
            boots=stamps.boots,
            scale=10**digits,
            slack_ns=int(options.slack * 1e9),
        )
    return clocks


def _from_pins(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, NodeClock]]:
    opened = open_recording(options.log)
    recording = opened.recording
    logged = [node for node in opened.known_bench.nodes if node in recording.nodes]
    seen = events.from_edges(recording.edges(), opened.wiring)
    chosen = _chosen(options, logged)
    logs = {node: node_log.parse(recording.serial(node).data, node=node) for node in logged}
    causes = break_causes.causes(seen, logs, steady_ppm=checks.steady_ppm(logs), bounds=recording.info.bounds)
    clocks = {}
    for node in chosen:
        pairs, rate_hz = pairing.best(seen, logs[node]), seen.samplerate_hz
        breaks = sorted(cause.end for cause in causes if cause.node in {"", node})
        if len(pairs):
            clocks[node] = pairing.node_clock(pairs, node=node, samplerate_hz=rate_hz, breaks=breaks)
    if not clocks:
        raise RigError(
            f"{options.log}: no timestamp of a node belongs to an event on the pins; "
            "give --pattern to fit against the recorder's timestamps."
        )
    head = {
        "source": str(options.log),
        "reference": "analyzer",
        "reference_clock_ppm": opened.instruments.reference.clock_ppm,
        "reference_clock_origin": opened.instruments.reference.source("clock_ppm"),
        "virtual": recording.info.virtual,
    }
    return head | {"breaks": [cause.text for cause in causes]}, clocks
