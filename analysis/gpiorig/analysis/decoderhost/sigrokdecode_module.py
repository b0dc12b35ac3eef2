"""The module `sigrokdecode` that decoders import; only those loaded by `library` see it."""

from __future__ import annotations

from types import ModuleType

from gpiorig.analysis.decoderhost.native import Decoder

# libsigrokdecode.h, enum srd_output_type and enum srd_configkey
OUTPUT_ANN, OUTPUT_PYTHON, OUTPUT_BINARY, OUTPUT_META = range(4)
SRD_CONF_SAMPLERATE = 10000


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
