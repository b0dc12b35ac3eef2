"""`gpiorig info`: what is in a recording or in a file of any known format."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import textwrap
from collections.abc import Sequence
from typing import Any

import msgspec

from gpiorig.analysis.delays.instruments import Analyzer
from gpiorig.analysis.measure import timestamps
from gpiorig.analysis.number_text import NS_PER_S, count_text, hertz_text, number_text, round_time_text
from gpiorig.capture import formats
from gpiorig.capture.edges.counts import count
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.time_step import TimestampStep
from gpiorig.capture.edges.waveform import RateOrigin, Waveform
from gpiorig.capture.formats import pcap
from gpiorig.capture.printable import printable
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.capture.text.node_lines import NodeLines
from gpiorig.rig import plain_json
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.plain_json import Result, plain
from gpiorig.rig.progress import watched
from gpiorig.rig.recordings import inputs, standing, time_base
from gpiorig.rig.recordings.import_files import PACKETS
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.recordings.summaries import CaptureSummary, FrameSummary, LogSummary

LINE = 120  # characters, after which names continue in the next line


RESULTS = {"info": (CaptureSummary, LogSummary, FrameSummary)}


def run(options: argparse.Namespace) -> int:
    """Read, in constant memory, and describe."""
    if options.formats:
        _print_formats()
        return 0
    if options.file is None:
        raise RigError("give a file or a recording folder; gpiorig info --help has examples.")
    if options.file.is_dir() and (options.format is None) and (options.file / DESCRIPTION).exists():
        recording = Recording.open(options.file)
        for node in recording.nodes:  # a damaged record of a port is an error, too
            recording.serial(node)
        described = describe(recording.waveform(), analyzer=_analyzer(recording))
        description = {"format": "recording", **described, **_about(recording, described["remarks"])}
    else:
        name, content = inputs.open_file(options.file, options, remarks=False)
        if isinstance(content, NodeLines):
            summary = content.summary()
            description = {"format": name, "source": content.source, **summary.as_json()}
            description["timestamps"] = stamps = timestamps.numbers(summary.step)
            description["text"] = [*summary.for_people(), f"  {content.source}", f"  {stamps.text}"]
        elif isinstance(content, Waveform):
            description = {"format": name, **describe(content)}
        else:
            description = {"format": name, "source": content.source, **content.summary()}
            if description["skipped"] and not description["frames"]:
                raise RigError(f"{options.file}: has no frame of IEEE 802.15.4: {_counts(description['skipped'])}.")
            step = TimestampStep(description.pop("step_ns"), description.pop("step_origin"))
            description["timestamps"] = stamps = timestamps.numbers(step)
            description["text"] = _frames_text(description)
            if description["frames"]:
                description["text"].append(f"  {stamps.text}")
    clock_text = description.pop("clock_text", None)
    text = description.pop("text", None) or [*_capture_text(description), f"  {clock_text}"]
    if options.json:
        print(plain_json.text(msgspec.convert(description, _kind(description))))
    else:
        print("\n".join([f"{options.file}: {text[0]}", *text[1:]]))
    return 0


def _kind(description: dict[str, Any]) -> type[Result]:
    """The structure of a description."""
    return CaptureSummary if "channels" in description else LogSummary if "lines" in description else FrameSummary


def _analyzer(recording: Recording) -> Analyzer | None:
    """What a recording was made with; a bench file that is wrong does not keep one from seeing what is in it."""
    with contextlib.suppress(BenchError):
        return open_recording(recording).instruments.reference
    return None


def describe(waveform: Waveform, *, analyzer: Analyzer | None = None) -> dict[str, Any]:
    """Samplerate, length and the edges of each named channel, as sample numbers; `analyzer` as of `time_base.watch`."""
    waveform, base_of = time_base.watch(waveform, analyzer=analyzer)
    counts = count(watched(waveform, "reading"))
    rate, base = counts.samplerate_hz, base_of()
    samples = counts.end - counts.start
    return {
        "samplerate_hz": int(rate) if rate.denominator == 1 else float(rate),
        "samples": samples,
        "duration_s": float(samples / rate),
        "start": counts.start,
        "epoch": waveform.epoch,
        "gaps": counts.gaps,
        "lost_samples": counts.lost,
        **({"groups": waveform.groups} if waveform.groups else {}),
        "channels": [dataclasses.asdict(channel) for channel in counts.channels],
        "source": waveform.source,
        "remarks": [*waveform.remarks, *base.sentences()],
        "time_base": plain(base.numbers()),
        "clock_text": base.clock_text(float(samples / rate) * NS_PER_S),
    }


def _about(recording: Recording, waveform_remarks: Sequence[str]) -> dict[str, Any]:
    """The origin of a recording, by its description, and all remarks on it."""
    info, source = recording.info, standing.of(recording)
    return {
        "analyzer": info.analyzer,
        "virtual": info.virtual,
        "state": source.state,
        "reason": recording.reason,
        "remarks": [*source.as_json()["remarks"], *waveform_remarks],
        "nodes": list(recording.nodes),
        "alignments": msgspec.to_builtins(info.alignments),
        "bench_remarks": [{**msgspec.to_builtins(remark), "text": remark.sentence} for remark in info.bench_remarks],
        "packets": _packets(recording),
    }


def _packets(recording: Recording) -> dict[str, Any]:
    """What the packet captures in a recording hold, by the name of the file."""
    files = sorted((recording.folder / PACKETS).glob("*"))
    return {path.name: pcap.read(path, ReadOptions()).summary() for path in files}


def _capture_text(description: dict[str, Any]) -> list[str]:
    state = "lost" if description["format"] == "recording" else "not known"
    lost = f" ({count_text(description['lost_samples'], 'sample')} {state})" if description["lost_samples"] else ""
    lost = lost or (" between groups" if description["gaps"] else "")
    begin = f" from sample {description['start']}" if description["start"] else ""
    lines = [
        f"{number_text(description['samples'])} {_samples_text(description)}, "
        f"{description['duration_s']:.6f} s{begin}, "
        f"{count_text(description['gaps'], 'gap')}{lost}"
    ]
    if not description["samples"] and description["format"] != "recording":
        lines = ["no rows"]
    elif not description["samples"]:
        lines = ["no samples" if description["channels"] else "no edges of an analyzer"]
    for channel in description["channels"]:
        first, last = channel["first_edge"], channel["last_edge"]
        span = f"samples {first} to {last}" if channel["edges"] else "constant"
        gaps = count_text(channel["across_gaps"], "gap")
        across = f", another level after {gaps}" if channel["across_gaps"] else ""
        level = {0: "starts low", 1: "starts high", None: "empty"}[channel["initial_level"]]
        lines.append(f"  {printable(channel['name'])}: {count_text(channel['edges'], 'edge')}, {span}, {level}{across}")
    if any(channel["across_gaps"] for channel in description["channels"]):
        lines.append("  another level after a gap is not an edge: its instant is not known")
    if description["format"] == "recording":
        lines.append(f"  {description['state']}; {description['analyzer'] or 'analyzer unknown'}")
        if nodes := description["nodes"]:
            names = f"serial port{'s' * (len(nodes) > 1)} of {count_text(len(nodes), 'node')}: {', '.join(nodes)}"
            lines += textwrap.wrap(names, LINE, initial_indent="  ", subsequent_indent="    ")
        lines += [f"  not modelled: {remark['text']}" for remark in description["bench_remarks"]]
        for name, packets in description["packets"].items():
            first, *more = _frames_text(packets)
            lines += [f"  {name}: {first}", *(f"  {line}" for line in more)]
    else:
        lines.append(f"  {description['source']}")
    lines += [f"  sample 0 is {description['epoch']}"] if description["epoch"] else []
    return lines + [f"  {remark}" for remark in description["remarks"]]


def _samples_text(description: dict[str, Any]) -> str:
    """What is counted: samples, or steps of the times in a file."""
    rate_hz = description["samplerate_hz"]
    if description["time_base"]["samplerate_origin"] == RateOrigin.TIMES:
        return f"steps of {round_time_text(NS_PER_S / rate_hz)}"
    return f"samples at {hertz_text(rate_hz)}"


def _counts(kinds: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items())


def _frames_text(summary: dict[str, Any]) -> list[str]:
    lines = ["no frames of IEEE 802.15.4"]
    if summary["frames"]:
        span = f"{summary['duration_s']:.6f} s from {summary['first']}"
        lines = [f"{count_text(summary['frames'], 'frame')} in {span}: {_counts(summary['kinds'])}"]
    lines += [f"  {node or '(no name)'}: {_counts(about['kinds'])}" for node, about in summary["nodes"].items()]
    lines += [f"  from {source}: {count}" for source, count in summary["sources"].items()]
    lines += [f"  {summary['bad_fcs']} with a wrong FCS"] if summary["bad_fcs"] else []
    lines += [f"  skipped: {why}: {count}" for why, count in summary["skipped"].items()]
    return lines + [f"  {remark}" for remark in summary["remarks"]]


def _print_formats() -> None:
    for name in formats.names():
        module = formats.module(name)
        ways = "read, write" if hasattr(module, "write") else "read"
        print(f"{name:16} {ways:12} {' '.join(module.SUFFIXES):18} {module.SUMMARY}")
