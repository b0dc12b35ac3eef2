"""A trace for Perfetto's page, which fetches it from this machine.

The content policy of ui.perfetto.dev allows it to fetch from one address of this machine only, 127.0.0.1:9001
(https://github.com/google/perfetto, tools/open_trace_in_ui: "it's the only one allowed by the CSP").
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from gpiorig.analysis.traces import perfetto
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.export import export
from gpiorig.rig.progress import stage
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.view.answers import Answer, NoAnswerError

UI = "https://ui.perfetto.dev"
PORT = 9001
NAME = "/trace.pftrace"
HEADERS = (("Access-Control-Allow-Origin", UI), ("Cross-Origin-Resource-Policy", "cross-origin"))


def address() -> str:
    """The address of Perfetto's page with the trace."""
    return f"{UI}/#!/?url=http://127.0.0.1:{PORT}{NAME}"


class TraceSite:
    """The trace of a recording, as `gpiorig export` writes it.

    Parameters
    ----------
    recording
        The recording.
    folder
        Where it is written.
    """

    def __init__(self, recording: Recording, folder: Path) -> None:
        self._recording, self._path = recording, folder / NAME[1:]
        self._trace = b""

    def prepare(self) -> None:
        """Write the trace."""
        trace = export.trace_of(open_recording(self._recording))
        with stage("writing"):
            perfetto.write(self._path, trace, epoch_ns=export.epoch_ns(self._recording))
        self._trace = self._path.read_bytes()

    def answer(self, path: str, _query: Mapping[str, str]) -> Answer:
        """The trace.

        Raises
        ------
        NoAnswerError
            The address is another one.
        """
        if path != NAME:
            raise NoAnswerError(HTTPStatus.NOT_FOUND, f"{path}: only {NAME} is here.")
        return Answer(self._trace, "application/protobuf", headers=HEADERS)
