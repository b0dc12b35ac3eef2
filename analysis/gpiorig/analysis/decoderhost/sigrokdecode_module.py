"""The module `sigrokdecode` that decoders import; only those loaded by `library` see it."""

from __future__ import annotations

from types import ModuleType

from gpiorig.analysis.decoderhost.errors import DecoderError

# libsigrokdecode.h, enum srd_output_type and enum srd_configkey
OUTPUT_ANN, OUTPUT_PYTHON, OUTPUT_BINARY, OUTPUT_META = range(4)
SRD_CONF_SAMPLERATE = 10000


def module() -> ModuleType:
    """Return the stub module.

    Raises
    ------
    DecoderError
        The extension module is missing: help and documents are made in a checkout in which nothing was built.
    """
    try:
        from gpiorig.analysis.decoderhost.native import Decoder
    except ImportError as error:
        raise DecoderError(f"decoders cannot run: {error}; run `make native`, or install gpiorig again") from error
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
