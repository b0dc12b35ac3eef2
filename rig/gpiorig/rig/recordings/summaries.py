"""What is in a recording, a capture, a log or a packet capture: the objects of `gpiorig info --json`."""

from __future__ import annotations

from msgspec import UNSET, UnsetType, field

from gpiorig.analysis.measure.timestamps import TimestampNumbers
from gpiorig.capture.edges.counts import ChannelCount
from gpiorig.capture.recording.notes import AlignmentNote, BenchRemark
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.recordings.time_base import TimeBaseNumbers


class RemarkText(BenchRemark, frozen=True, kw_only=True):
    """What the virtual bench does not model and the firmware did, also as a sentence."""

    text: str


class FrameCounts(Result, frozen=True, kw_only=True):
    """Frames of a node by kind."""

    frames: int
    kinds: dict[str, int]


class FrameSummary(Result, frozen=True, kw_only=True):
    """The frames of a packet capture, and how far its timestamps can be their times."""

    format: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    frames: int
    earliest: str | None = field(name="first")
    latest: str | None = field(name="last")
    duration_s: Number
    bad_fcs: int
    kinds: dict[str, int]
    nodes: dict[str, FrameCounts]
    sources: dict[str, int]
    skipped: dict[str, int]
    back_steps: int
    equal_stamps: int
    duplicates: int
    step_ns: Number | UnsetType = UNSET
    step_origin: str | UnsetType = UNSET
    remarks: list[str]
    timestamps: TimestampNumbers | UnsetType = UNSET


class CaptureSummary(Result, frozen=True, kw_only=True):
    """The edges of a recording or a file, in samples; from `analyzer` on the fields are of a recording."""

    format: str
    samplerate_hz: int | float
    samples: int
    duration_s: Number
    start: int
    epoch: str
    gaps: int
    lost_samples: int
    groups: int | UnsetType = UNSET
    channels: list[ChannelCount]
    source: str
    remarks: list[str]
    time_base: TimeBaseNumbers
    analyzer: str | UnsetType = UNSET
    virtual: bool | UnsetType | None = UNSET
    state: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    nodes: list[str] | UnsetType = UNSET
    alignments: list[AlignmentNote] | UnsetType = UNSET
    bench_remarks: list[RemarkText] | UnsetType = UNSET
    packets: dict[str, FrameSummary] | UnsetType = UNSET


class NodeLineCounts(Result, frozen=True, kw_only=True):
    """Lines of a node; an empty name is of notices about none."""

    name: str
    received: int
    sent: int
    notice: int


class LogSummary(Result, frozen=True, kw_only=True):
    """The lines of a log; instants in ns since 1970."""

    format: str
    source: str
    lines: int
    first_ns: int | None
    last_ns: int | None
    nodes: list[NodeLineCounts]
    irregularities: dict[str, int]
    timestamps: TimestampNumbers
