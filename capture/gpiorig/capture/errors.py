"""The base of all errors, and those of recording and of reading recordings.

CaptureError
 +-- NativeError       the native library is absent, too old, or failed
 +-- AnalyzerError     sigrok-cli or the logic analyzer: not installed, not found, busy, refuses, died, ended early
 +-- SerialPortError   a serial port: not there, no permission, in use, unplugged
 |    +-- SilenceError the expected line has not come within its deadline
 +-- RecordingError    a recording folder: missing, exists already, unreadable description, no samplerate
 +-- FormatError       the content of a file: damaged, cut short, of a kind that is not supported
"""

from __future__ import annotations

from pathlib import Path

MAX_CHARACTERS = 800  # of what is wrong: a value from a file may be as long as the file


class Error(Exception):
    """Base of all errors of gpiorig: what went wrong, where, and what to do."""


class CaptureError(Error):
    """Base of all errors of the capture component; its text is what, where, what to do.

    Parameters
    ----------
    what
        What went wrong, with the value that is wrong.
    where
        File (with offset), port or device.
    remedy
        What the user can do about it.
    """

    def __init__(self, what: str, *, where: str | Path = "", remedy: str = "") -> None:
        # One line, also where a library's words in it are several.
        words = " ".join(what.splitlines())
        if len(words) > MAX_CHARACTERS:
            words = f"{words[: MAX_CHARACTERS // 2]} … {words[-MAX_CHARACTERS // 4 :]}"
        self.what, self.where, self.remedy = words, str(where), remedy
        text = f"{self.where}: {self.what}" if self.where else self.what
        super().__init__(f"{text}; {remedy}" if remedy else text)


class NativeError(CaptureError):
    """The native library is absent, was built from other sources, or a kernel failed."""


class AnalyzerError(CaptureError):
    """sigrok-cli is not installed, finds no device, is refused, or the analyzer went away during a capture."""


class SerialPortError(CaptureError):
    """A serial port is missing, in use or unplugged, or the node on it did not answer in time.

    Attributes
    ----------
    node
        The node on it; empty where none is known.
    """

    node = ""


class SilenceError(SerialPortError):
    """The node on a serial port has not sent the expected line in time."""


class RecordingError(CaptureError):
    """A recording folder is missing, exists already, or its description cannot be used."""


class FormatError(CaptureError):
    """A file's content is damaged, cut short, or of a kind that is not supported."""
