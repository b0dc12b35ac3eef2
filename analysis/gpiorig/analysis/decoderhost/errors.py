"""What can go wrong around a decoder."""

from __future__ import annotations

from gpiorig.analysis.errors import AnalysisError


class DecoderError(AnalysisError):
    """A decoder that cannot be found, loaded, or set up as asked."""


class EndOfSamples(EOFError, SystemError):
    """Ends a blocked wait().

    libsigrokdecode 0.5.3 lets Python raise a SystemError there, later versions raise EOFError; decoders that write what
    is left at the end catch either.
    """


class Refused(SystemError):
    """A call that libsigrokdecode answers with NULL and without an exception, of which Python makes a SystemError."""


class Outside(BaseException):
    """Carries an error of the capture or of a sink through a decoder, which cannot take it for its own.

    Parameters
    ----------
    error
        What happened.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error
