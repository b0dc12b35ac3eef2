"""wait() and put() of decoders: the extension module of analysis/native, which `make native` builds."""

from collections.abc import Callable
from typing import Any, Protocol

from gpiorig.analysis.decoderhost.source import Chunk

class Host(Protocol):
    """What a decoder is bound to: it does what is not done natively."""

    def put(self, startsample: int, endsample: int, output_id: int, data: Any, /) -> None:
        """Take an output, unless it is one of a class that is not wanted, or was printed; sample numbers as uint64."""

    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int:
        """Make an output known."""

    def has_channel(self, index: int, /) -> bool:
        """Whether a channel of the capture was given to the decoder's channel."""

class Decoder:
    """Base class of all decoders; the host binds itself to an instance, as decoders do not call its `__init__`."""

    samplenum: int | None
    matched: tuple[bool, ...] | None
    def wait(self, conditions: Any = None, /) -> tuple[int, ...]: ...
    def put(self, startsample: int, endsample: int, output_id: int, data: Any, /) -> None: ...
    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int: ...
    def has_channel(self, index: int, /) -> bool: ...

class Lines:
    """Collects lines, and hands more than `limit` bytes of them to `write`."""

    def __init__(self, write: Callable[[bytes], object], limit: int, /) -> None: ...
    def add(self, text: str, /) -> None: ...
    def flush(self) -> None: ...

def bind(decoder: Decoder, host: Host, /) -> None:
    """Bind a decoder to its host, for as long as it works."""

def release(decoder: Decoder, /) -> None:
    """Undo it: the decoder and its host refer to each other."""

def stack(decoder: Decoder, above: Decoder, /) -> None:
    """Have `above.decode` called with each object that is put; what it raises goes to `Host.above_failed`."""

def feed(decoder: Decoder, bits: list[int], next_chunk: Callable[[], Chunk | None], /) -> None:
    """Give the lowest decoder the bit of the capture for each channel, negative for none, and the chunks."""

def output(
    decoder: Decoder,
    output_type: int,
    classes: int,
    wanted: list[int] | None,
    lines: Lines | None,
    head: str,
    shift: int | None,
    /,
) -> None:
    """Make the next output known: how many classes it has, and which are wanted; None: all.

    With `lines`, annotations become lines there: sample numbers less `shift`, unless that is None, and `head`.
    """

def sample(decoder: Decoder, /) -> int:
    """Where the last wait() ended; at first the first sample."""

def has_ended(decoder: Decoder, /) -> bool:
    """Whether a wait() came to the end of the samples."""
