"""`gpiorig view`: the page of recordings served on this machine, or a capture followed in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import threading
from collections.abc import Sequence
from http.server import ThreadingHTTPServer
from pathlib import Path

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser
from gpiorig.rig.commands.look import view_follow
from gpiorig.rig.errors import RigError
from gpiorig.rig.live.watch import Update
from gpiorig.rig.recordings import described, standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results.manifest import Options
from gpiorig.rig.verbosity import SHOWN
from gpiorig.rig.view import perfetto
from gpiorig.rig.view.perfetto import TraceSite
from gpiorig.rig.view.server import address, server
from gpiorig.rig.view.shown_run import ShownRun
from gpiorig.rig.view.site import Site

RESULTS = {"view": (Update,)}
POLL_S = 0.2


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or follow."""
    if options.follow:
        return view_follow.run(options)
    given = Given.of(options)
    recordings = described.distinct([given.open(folder) for folder in options.recordings])
    for recording in recordings:
        standing.of(recording).announce()
    with tempfile.TemporaryDirectory(prefix="gpiorig-view-") as folder:
        if options.perfetto:
            _serve_trace(recordings, options, Path(folder))
        else:
            _serve_pages(recordings, given, options, Path(folder))
    return 0


def _serve_pages(recordings: Sequence[Recording], given: Given, options: argparse.Namespace, folder: Path) -> None:
    asked = Options(asserted=tuple(options.assertions), quantities=tuple(options.quantities))
    runs = [
        ShownRun(recording, name, given=given, asked=asked)
        for recording, name in zip(recordings, described.names(recordings), strict=True)
    ]
    site = Site(runs, folder)
    with server(site.answer, port=options.port or 0) as listening:
        site.prepare()
        _serve(listening, address(listening), opened=options.open)


def _serve_trace(recordings: Sequence[Recording], options: argparse.Namespace, folder: Path) -> None:
    if options.port not in (None, perfetto.PORT):
        raise RigError(f"--port {options.port}: the Perfetto UI fetches from port {perfetto.PORT} only; omit --port.")
    site = TraceSite(recordings[0], folder)
    with server(site.answer, port=perfetto.PORT) as listening:
        site.prepare()
        _serve(listening, perfetto.address(), opened=True)


def _serve(listening: ThreadingHTTPServer, url: str, *, opened: bool) -> None:
    """Print the address to open, open it if asked to, and serve until Ctrl-C.

    In a thread: a signal in the main thread must not end a request halfway, of which the server would take the
    exception for its own.
    """
    serving = threading.Thread(target=listening.serve_forever, args=(POLL_S,), name="serving", daemon=True)
    serving.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the usual end
            print(url if SHOWN.quiet else f"{url}  (Ctrl-C ends)", flush=True)
            if opened:
                browser.show_address(url)
            serving.join()
    finally:
        listening.shutdown()
