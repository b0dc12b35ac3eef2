"""What was recorded, a folder or a file: its edges, and what the commands for captures and logs compute of it."""

from __future__ import annotations

import argparse
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from gpiorig.analysis.decoderhost.outputs import OutputKind
from gpiorig.analysis.decoderhost.stack import parse_stacks
from gpiorig.api import edges as edges_module
from gpiorig.api import given
from gpiorig.api.delays import Delays
from gpiorig.api.edges import Edges
from gpiorig.api.tabular import timed
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoding
from gpiorig.rig.measure import measured
from gpiorig.rig.plain_json import plain
from gpiorig.rig.recordings import inputs, standing
from gpiorig.rig.recordings.opened import Opened, open_recording

if TYPE_CHECKING:
    from gpiorig.rig.recordings.inputs import Content

RECORDING = "recording"  # format of a folder
ALL = slice(None)


class Source:
    """A recording folder, or a file of any format that gpiorig reads.

    Parameters
    ----------
    path
        The folder or the file.
    reading
        What the file does not state, as `gpiorig.rig.arguments.input_options` has it.
    described
        The recording, with what was given of it; None of a file.
    """

    def __init__(self, path: Path, reading: argparse.Namespace, described: Recording | None) -> None:
        self._path, self._reading, self._described = path, reading, described

    @property
    def path(self) -> Path:
        """The folder of the recording, or the file."""
        return self._path

    @property
    def format(self) -> str:
        """`recording`, or the name of the file's format (docs/guide/files.md)."""
        return RECORDING if self._described is not None else self._file[0]

    @property
    def state(self) -> str | None:
        """Whether the recording is `complete`, `incomplete` or `interrupted`; None of a file: that is not known."""
        return None if self._described is None else self._described.state

    @property
    def virtual(self) -> bool | None:
        """Whether it is from a virtual bench: then no number is a measurement of hardware; None: that is not known."""
        return self._described.info.virtual if self._described is not None else getattr(self._file[1], "virtual", None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why it is in that state, what was lost, within which bound, whose boards; what the reader of a file saw."""
        if self._described is not None:
            return tuple(standing.of(self._described).as_json()["remarks"])
        content = self._file[1]
        read = tuple(content.remarks) if isinstance(content, Waveform) else ()
        return (*standing.of_source(self._path, content if isinstance(content, Waveform) else None).remarks, *read)

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels; empty where it has none."""
        content = None if self._described is not None else self._file[1]
        names = self._described.info.channels if self._described is not None else getattr(content, "channels", ())
        return tuple(filter(None, names))

    @property
    def samplerate_hz(self) -> float:
        """Samples per second; of a file of times their resolution."""
        return float(self._waveform().samplerate_hz)

    def edges(self, channel: str) -> Edges:
        """Read the edges of a channel; `channels` has the names.

        Raises
        ------
        Error
            There is no such channel, or no channel at all.
        """
        return edges_module.of_channel(self._waveform(), channel)

    def levels(self) -> pa.Table:
        """A row wherever any channel changed, a column for each channel with its level from then on.

        A row that is not `known` begins lost samples. All of it is in memory: 9 bytes for each row, and one for each
        channel.
        """
        return edges_module.all_levels(self._waveform())

    def measure(
        self,
        start: str = "",
        end: str = "",
        *,
        period: str = "",
        width: str = "",
        skew: tuple[str, str] | None = None,
        per_node: bool = False,
        max_gap_s: float | None = None,
        nominal_s: float | None = None,
        clock_ppm: float | None = None,
    ) -> Delays:
        """Measure delays between edges, as `gpiorig measure` does (docs/guide/measure.md).

        Parameters
        ----------
        start, end
            From each such edge to the next: a channel, and after a colon `rise` (unless given), `fall` or `edge`.
        period
            From one such edge to the next.
        width
            How long a channel is `high` (unless given after a colon) or `low`.
        skew
            Two channels: how much later the second shows the edges that both have.
        per_node
            For each node with channels NODE.CH; then a channel is CH alone.
        max_gap_s
            Longest delay that is a pair.
        nominal_s
            What the mean is compared with.
        clock_ppm
            Limit of the analyzer's clock error, in place of the one that is known.

        Raises
        ------
        Error
            Not one measurement was asked for, or a channel is not there.
        """
        spec = given.measurement(start, end, period, width, skew)
        waveform, opened = self._waveform(), self._opened
        result = measured.measure(
            waveform,
            opened.instruments if opened else None,
            spec,
            per_node=per_node,
            longest_s=given.exact(max_gap_s),
            nominal_s=given.exact(nominal_s),
            clock_ppm=clock_ppm,
            clock_source="given as clock_ppm",
        )
        head = {"samplerate_hz": float(result.samplerate_hz), "virtual": waveform.virtual}
        head |= standing.of_source(self._path, waveform).as_json()
        of_nodes = {name or of_node.pairs.name: of_node.single.delays for name, of_node in result.measurements.items()}
        return Delays(
            name=next(iter(result.measurements.values())).pairs.name if not per_node else " and ".join(of_nodes),
            table=timed(result.table(ALL), result.samplerate_hz, waveform.epoch),
            numbers=plain(result.numbers(**head)),
            series=of_nodes,
            unit_hz=result.samplerate_hz,
            virtual=bool(waveform.virtual),
        )

    def decode(
        self, *stacks: str, annotations: str = "", binary: str = "", meta: str = "", python: str = ""
    ) -> pa.Table:
        """Run sigrok's decoders, as `gpiorig decode` does (docs/guide/decoders.md).

        Parameters
        ----------
        stacks
            Such as `uart:rx=D0:baudrate=115200`, or several decoders on each other, separated by commas.
        annotations, binary, meta, python
            Outputs to keep, as of -A, -B, -M and --python; without any all but the last.

        Returns
        -------
        pyarrow.Table
            A row for each output: `start_sample`, `end_sample`, `decoder`, `kind`, `class`, `row`, `text`, ….

        Raises
        ------
        Error
            A decoder is not there, cannot be set up so, or raised an exception.
        """
        from gpiorig.analysis.decoderhost import table

        waveform, bench = self._waveform(), self._opened.bench if self._opened else None
        texts, _ = decoding.specifications(stacks, bench)
        parsed = parse_stacks(texts, decoding.library(), waveform.channels)
        kinds = (OutputKind.ANNOTATION, OutputKind.BINARY, OutputKind.META, OutputKind.PYTHON)
        asked = dict(zip(kinds, (annotations, binary, meta, python), strict=True))
        selection = decoding.selection(parsed, asked, usual=decoding.TABLE_KINDS)
        rows, outcome = table.decode_table(waveform, parsed, selection=selection)
        if outcome.failures:
            failure = outcome.failures[0]
            raise RigError(f"{self._path}: {failure.source} failed at sample {failure.sample}: {failure.what}.")
        names = {"start": "start_sample", "end": "end_sample"}
        named = rows.rename_columns([names.get(name, name) for name in rows.column_names])
        return timed(named, waveform.samplerate_hz, waveform.epoch)

    @cached_property
    def _file(self) -> tuple[str, Content]:
        return inputs.open_file(self._path, self._reading, remarks=False)

    @cached_property
    def _opened(self) -> Opened | None:
        """What the recording means; None of a file."""
        return None if self._described is None else open_recording(self._described)

    def _waveform(self) -> Waveform:
        """The capture; raises `RigError` where there is none."""
        if self._described is not None:
            return self._described.waveform()
        name, content = self._file
        if not isinstance(content, Waveform):
            raise RigError(f"{self._path}: {name} has no edges; `latency` is for logs and packet captures.")
        return content
