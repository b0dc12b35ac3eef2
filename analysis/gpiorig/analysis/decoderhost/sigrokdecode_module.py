"""The module `sigrokdecode` that decoders import; only those loaded by `library` see it."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Protocol

# libsigrokdecode.h, enum srd_output_type and enum srd_configkey
OUTPUT_ANN, OUTPUT_PYTHON, OUTPUT_BINARY, OUTPUT_META = range(4)
SRD_CONF_SAMPLERATE = 10000


class Host(Protocol):
    """What a decoder's methods lead to."""

    def put(self, startsample: int, endsample: int, output_id: int, data: Any) -> None:
        """Take an output."""

    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int:
        """Make an output known."""

    def wait(self, conditions: Any = None) -> tuple[int, ...]:
        """Continue to the next sample at which a condition holds."""

    def has_channel(self, index: int) -> bool:
        """Whether a channel of the capture was given to the decoder's channel."""


class Decoder:
    """Base class of all decoders.

    Decoders do not call its `__init__`, so the host puts itself into the instance once it is made.
    """

    _gpiorig_host: Host | None = None

    def put(self, startsample: int, endsample: int, output_id: int, data: Any) -> None:
        """Give out an annotation, bytes, a value, or an object for the decoder above."""
        _host_of(self).put(startsample, endsample, output_id, data)

    def register(self, output_type: int, proto_id: str | None = None, meta: Any = None) -> int:
        """Make an output known; returns its number for `put`."""
        return _host_of(self).register(output_type, proto_id, meta)

    def wait(self, conditions: Any = None) -> tuple[int, ...]:
        """Continue to the next sample at which a condition holds; returns the pins there."""
        return _host_of(self).wait(conditions)

    def has_channel(self, index: int) -> bool:
        """Whether a channel of the capture was given to the decoder's channel."""
        return _host_of(self).has_channel(index)


def _host_of(decoder: Decoder) -> Host:
    if decoder._gpiorig_host is None:
        raise Exception("decoder instance not found")  # as in libsigrokdecode, in a decoder's __init__
    return decoder._gpiorig_host


def module() -> ModuleType:
    """Return the stub module."""
    sigrokdecode = ModuleType("sigrokdecode", "sigrokdecode module")
    sigrokdecode.__dict__.update(
        Decoder=Decoder,
        OUTPUT_ANN=OUTPUT_ANN,
        OUTPUT_PYTHON=OUTPUT_PYTHON,
        OUTPUT_BINARY=OUTPUT_BINARY,
        OUTPUT_META=OUTPUT_META,
        SRD_CONF_SAMPLERATE=SRD_CONF_SAMPLERATE,
    )
    return sigrokdecode
