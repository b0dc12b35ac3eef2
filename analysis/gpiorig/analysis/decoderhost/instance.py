"""One decoder at work: what register() and put() do (libsigrokdecode 0.5.3, `type_decoder.c`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpiorig.analysis.decoderhost import native, sigrokdecode_module
from gpiorig.analysis.decoderhost.errors import Outside, Refused
from gpiorig.analysis.decoderhost.outputs import Output, OutputKind, Selection, Sink
from gpiorig.analysis.decoderhost.printer import Printer
from gpiorig.analysis.decoderhost.source import Chunk
from gpiorig.analysis.decoderhost.stack import UNMAPPED, Layer

KINDS = tuple(OutputKind)
SIGN = 1 << 63


class Instance:
    """A decoder of a stack, from the beginning of an interval without gaps to its end.

    Parameters
    ----------
    layer
        The decoder and its options.
    stack
        Number of its stack.
    selection, sink
        What of its outputs is wanted, and who takes it.
    shift
        How much the decoder's sample numbers are above those of the capture.
    failed
        Called with the instance, an exception or a text, when the decoder did something wrong.
    """

    def __init__(
        self,
        layer: Layer,
        *,
        stack: int,
        selection: Selection,
        sink: Sink,
        shift: int,
        failed: Callable[[Instance, Exception | str], None],
    ) -> None:
        self.layer = layer
        self._stack = stack
        self._selection = selection
        self._sink = sink
        self._shift = shift
        self._failed = failed
        self._outputs: list[Output] = []
        self._wanted: list[set[int] | None] = []  # classes of each output; None: all
        self._bits: tuple[int, ...] = ()
        self._above: Instance | None = None
        decoder: Any = layer.kind.type
        self.decoder = decoder()
        native.bind(self.decoder, self)
        if hasattr(decoder, "options"):
            self.decoder.options = dict(layer.options)

    def release(self) -> None:
        """End: the decoder can neither wait nor put any more."""
        native.release(self.decoder)

    def attach(self, bits: tuple[int, ...], next_chunk: Callable[[], Chunk | None]) -> None:
        """Give the lowest decoder of a stack its pins."""
        self._bits = bits
        native.feed(self.decoder, list(bits), next_chunk)

    def stack(self, above: Instance) -> None:
        """Put another decoder on top."""
        self._above = above
        native.stack(self.decoder, above.decoder)

    def tell_samplerate(self, samplerate_hz: int | None) -> None:
        """Tell the decoder the samplerate, if it wants to know and there is one."""
        if samplerate_hz is not None and hasattr(self.decoder, "metadata"):
            self.decoder.metadata(sigrokdecode_module.SRD_CONF_SAMPLERATE, samplerate_hz)

    def start(self, first_sample: int) -> None:
        """Start the decoder."""
        self.decoder.start()
        self.decoder.samplenum = first_sample
        self.decoder.matched = None

    def has_channel(self, index: int) -> bool:
        """Whether a channel of the capture was given to the decoder's channel."""
        if index not in range(len(self.layer.kind.channels)):
            raise IndexError("invalid channel index")
        return index < len(self._bits) and self._bits[index] != UNMAPPED

    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int:
        """Make an output known; the same one twice is one."""
        meta_type, meta_name, meta_description = meta or (None, "", "")
        kind = KINDS[output_type]
        if kind is OutputKind.META and meta_type not in (int, float):
            raise TypeError("Unsupported type.")
        number = len(self._outputs)
        source = proto_id or self.layer.name
        output = Output(number, kind, source, self._stack, self.layer, meta_type, str(meta_name), str(meta_description))
        for known in self._outputs:
            if (known.kind, known.source) == (kind, source) and (
                kind is not OutputKind.META
                or (known.meta_type, known.meta_name, known.meta_description)
                == (output.meta_type, output.meta_name, output.meta_description)
            ):
                return known.number
        self._outputs.append(output)
        classes = self._selection.classes(kind, self.layer.kind.id)
        self._wanted.append(classes)
        lines = self._sink.lines if isinstance(self._sink, Printer) else None
        shift = self._shift if isinstance(self._sink, Printer) and self._sink.samplenum else None
        native.output(
            self.decoder,
            output_type,
            len(self.layer.kind.annotations),
            None if classes is None else sorted(classes),
            lines,
            f"{source}: ",
            shift,
        )
        return number

    def above_failed(self, error: Exception) -> None:
        """The decoder above raised; libsigrokdecode prints it and continues."""
        if self._above is not None:
            self._failed(self._above, error)

    def put(self, startsample: int, endsample: int, output_id: int, data: Any) -> None:
        """Hand an output to the sink; one that is malformed is dropped and reported."""
        if not 0 <= output_id < len(self._outputs):
            raise Refused(f"output {output_id} is not registered")
        start, end = self._sample(startsample), self._sample(endsample)
        try:
            self._put(self._outputs[output_id], start, end, data, self._wanted[output_id])
        except Exception as error:
            raise Outside(error) from error

    def _put(self, output: Output, start: int, end: int, data: Any, classes: set[int] | None) -> None:
        match output.kind:
            case OutputKind.ANNOTATION:
                self._put_annotation(output, start, end, data, classes)
            case OutputKind.PYTHON:
                self._sink.python(output, start, end, data)
            case OutputKind.BINARY:
                self._put_binary(output, start, end, data, classes)
            case OutputKind.META:
                if isinstance(data, int | float) and isinstance(data, output.meta_type or int):
                    self._sink.meta(output, start, end, data)
                else:
                    self._failed(self, f"put {data!r} as a value of another type than it registered")

    def _sample(self, unsigned: int) -> int:
        return (unsigned if unsigned < SIGN else unsigned - 2 * SIGN) - self._shift

    def _put_annotation(self, output: Output, start: int, end: int, data: Any, classes: set[int] | None) -> None:
        problem = _problem(data, len(self.layer.kind.annotations), "annotation", list)
        if problem:
            self._failed(self, f"put {problem}")
        elif classes is None or data[0] in classes:
            try:
                texts = [text.partition("\0")[0] if "\0" in text else text for text in data[1]]  # a C string ends there
            except TypeError:
                self._failed(self, f"put an annotation with a text that is not a string: {data[1]!r}")
            else:
                self._sink.annotation(output, start, end, int(data[0]), texts)

    def _put_binary(self, output: Output, start: int, end: int, data: Any, classes: set[int] | None) -> None:
        problem = _problem(data, len(self.layer.kind.binaries), "binary", bytes)
        if problem or not data[1]:
            self._failed(self, f"put {problem or 'a binary output without bytes'}")
        elif classes is None or data[0] in classes:
            self._sink.binary(output, start, end, int(data[0]), data[1])


def _problem(data: Any, classes: int, what: str, second: type) -> str:
    """What is wrong with [class, content], or ""."""
    if not isinstance(data, list) or len(data) != 2:
        return f"{what} output {data!r}, which is not a list of two"
    if not isinstance(data[0], int) or data[0] not in range(classes):
        return f"{what} class {data[0]!r}, which it has not registered"
    if not isinstance(data[1], second):
        return f"{what} output {data!r}, whose second element is no {second.__name__}"
    return ""
