"""Where the numbers of a recording come from: bench, firmware, settings, tools, host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpiorig.capture.recording.description import ROLES
from gpiorig.capture.recording.origin import Origin
from gpiorig.capture.recording.recording import RecordingInfo
from gpiorig.rig.bench import boards, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.distributions import VBENCH

if TYPE_CHECKING:  # slow to import, and every command states whose boards its recording is of
    from gpiorig.analysis.logs.node_log import NodeLog
    from gpiorig.rig.recordings.opened import Opened

VIRTUAL = "Virtual bench: these numbers test the rig; they are not a measurement of hardware."
NOT_ASKED = "Whether the boards are virtual was not asked: neither the bench file nor an answer of theirs states it."
SYSTEMS = {"reference": "reference firmware", "riot": "RIOT", "contiki-ng": "Contiki-NG"}  # as `identify` names them
SHORT_DIGITS, SHORT_IMAGES = 8, 2  # of a sha256, and images, in the line above the page's fold
_BOARDS = {True: "virtual", False: "with the serial numbers of chips, which they have answered", None: NOT_ASKED}


def boards_sentence(info: RecordingInfo) -> str:
    """Whether the numbers are those of virtual boards, where that must be known; "" where they are not."""
    return VIRTUAL if info.virtual else NOT_ASKED if info.virtual is None and info.bench else ""


def missing(opened: Opened, logs: Mapping[str, NodeLog]) -> dict[str, str]:
    """Parts that a recording of an experiment has and this one lacks, with the consequence of each."""
    info = opened.recording.info
    if info.experiment:
        return {}
    lacking = {"experiment": "what the nodes were to send, and to which node, is not known"}
    if not opened.answered and not all(role in info.parameters for role in ROLES):
        lacking["initiator and responder"] = "packets go one way; give both for round trips"
    if not opened.recording.nodes:
        lacking["serial record"] = "the clocks of the nodes are not known"
    if not any(log.done for log in logs.values()):
        lacking["counts of the firmware"] = "packets and frames are counted on the pins alone"
    return lacking


def unprobed(opened: Opened) -> list[str]:
    """What is recorded of nodes without a symbol bus, and what is not, a sentence for those with the same lines."""
    nodes = {} if opened.bench is None else opened.bench.nodes
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, node in nodes.items():
        if not node.has_bus:
            port = ("the serial port (`gpiorig serial`)",) if name in opened.recording.nodes else ()
            alike.setdefault((*node.lines, *port), []).append(name)
    return [
        f"No symbol bus is wired at {' and '.join(names)}: what the software does there, and which packets it reads, "
        f"is not recorded. Recorded: {', '.join(parts) or 'nothing'}."
        for parts, names in alike.items()
    ]


def _model_changes(bench: Bench) -> str:
    """Settings of a virtual bench's timing model that are not its own; "" where there are none."""
    if bench.virtual is None:
        return ""
    if not VBENCH.is_installed:
        return f"not read: the bench was a virtual one. {VBENCH.remedy}"
    changes = virtual_section.load(bench.name).model_changes(bench)
    return ", ".join(f"{name} = {value}" for name, value in changes.items())


def in_short(opened: Opened, logs: Mapping[str, NodeLog]) -> tuple[str, ...]:
    """Boards, systems and images of the nodes, a few words each; what is not known is omitted."""
    info, bench = opened.recording.info, opened.known_bench
    boards_of = Counter(node.board_name for node in bench.nodes.values())
    systems = dict.fromkeys(_system(log.identity) for log in logs.values())
    images = dict.fromkeys(digest[:SHORT_DIGITS] for digest in info.firmware.values())
    return (
        *(f"{name} \N{MULTIPLICATION SIGN} {count}" if count > 1 else name for name, count in boards_of.items()),
        *filter(None, [" and ".join(filter(None, systems))]),
        *([f"image {' and '.join([*images][:SHORT_IMAGES])}{', …' * (len(images) > SHORT_IMAGES)}"] if images else []),
    )


def _system(identity: Mapping[str, str]) -> str:
    """The system that a node names, with the kernel of the reference firmware; empty where it names none."""
    firmware, kernel = identity.get("firmware", ""), identity.get("kernel", "")
    return f"{SYSTEMS.get(firmware, firmware)}{f', kernel {kernel}' if kernel else ''}"


def of(opened: Opened, logs: Mapping[str, NodeLog]) -> dict[str, str]:
    """Where the numbers come from, in the order to print."""
    info, bench = opened.recording.info, opened.known_bench
    marks = {
        (node.board_name, boards.timestamp_ns(opened.boards[name], name, info.parameters)): opened.boards[name].radio
        for name, node in bench.nodes.items()
    }
    model = _model_changes(bench)
    origin = info.origin or Origin(bench_file="", bench_sha256="")
    return {
        **({"note": origin.note} if origin.note else {}),
        "recorded": f"{info.epoch.wall} ({info.epoch.note})",
        "bench": bench.name,
        "boards": _BOARDS[info.virtual],
        **{name: f"none: {consequence}" for name, consequence in missing(opened, logs).items()},
        **({"changed timing model": model} if model else {}),
        "analyzer": info.analyzer,
        "samplerate": f"{float(info.samplerate_hz) / 1e6:g} MHz",
        **{f"parameter {key}": str(value) for key, value in info.parameters.items()},
        "first bit on the air": "; ".join(
            f"{board}: {mark_ns / 1e3:g} µs before the mark ({radio.frame_timestamp_source})"
            for (board, mark_ns), radio in marks.items()
        ),
        **{f"firmware of {node}, sha256": digest for node, digest in info.firmware.items()},
        **{f"firmware of {node}, compiler": image.compiler for node, image in origin.images.items() if image.compiler},
        **{
            f"node {node} reports": " ".join(f"{key}={value}" for key, value in log.identity.items())
            for node, log in logs.items()
        },
        **{f"version of {tool}": number for tool, number in info.tools.items()},
        **({"host": ", ".join(filter(None, origin.host.values()))} if origin.host else {}),
    }
