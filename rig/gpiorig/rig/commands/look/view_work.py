"""`gpiorig view`: the page of recordings served on this machine, or a capture followed in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import threading
from collections.abc import Sequence
from http.server import ThreadingHTTPServer
from pathlib import Path

from gpiorig.analysis.decoderhost.stack import Stack, parse_stacks
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser
from gpiorig.rig.commands.look import view_follow
from gpiorig.rig.errors import RigError
from gpiorig.rig.export import decoding
from gpiorig.rig.live.watch import Update
from gpiorig.rig.recordings import described, import_files, inputs, standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.manifest import Options
from gpiorig.rig.verbosity import SHOWN, note
from gpiorig.rig.view import perfetto
from gpiorig.rig.view.edges import of_session
from gpiorig.rig.view.perfetto import TraceSite
from gpiorig.rig.view.server import address, server
from gpiorig.rig.view.shown_capture import ShownCapture
from gpiorig.rig.view.shown_run import ShownRun
from gpiorig.rig.view.site import Site

RESULTS = {"view": (Update,)}
POLL_S = 0.2
SR = "sr"  # the format that can be read from any sample on


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C, or follow."""
    if options.follow:
        return view_follow.run(options)
    given = Given.of(options)
    with tempfile.TemporaryDirectory(prefix="gpiorig-view-") as folder:
        if options.perfetto:
            _serve_trace(given.open(options.recordings[0]), options, Path(folder))
        else:
            _serve_pages(_opened(given, options, Path(folder)), given, options, Path(folder))
    return 0


def _opened(given: Given, options: argparse.Namespace, folder: Path) -> list[Recording | ShownCapture]:
    """What is to be shown, each recording once; prints their standing."""
    opened: list[Recording | ShownCapture] = []
    for number, path in enumerate(options.recordings):
        if path.is_file() and _is_shown_from_file(path, given, options):
            opened.append(_capture(path, options))
        elif path.is_file():
            opened.append(given.open(_imported(path, folder / f"imported-{number}" / path.stem, options)))
        else:
            opened.append(given.open(path))
    for recording in described.distinct([source for source in opened if isinstance(source, Recording)]):
        standing.of(recording).announce()
    return opened


def _serve_pages(
    opened: Sequence[Recording | ShownCapture], given: Given, options: argparse.Namespace, folder: Path
) -> None:
    asked = Options(asserted=tuple(options.assertions), quantities=tuple(options.quantities))
    recordings = [source for source in opened if isinstance(source, Recording)]
    names = dict(zip((recording.folder for recording in recordings), described.names(recordings), strict=True))

    def run_of(recording: Recording) -> ShownRun:
        stacks = _stacks_of(recording, options)
        return ShownRun(recording, names[recording.folder], given=given, asked=asked, stacks=stacks)

    runs = [source if isinstance(source, ShownCapture) else run_of(source) for source in opened]
    site = Site(runs, folder)
    with server(site.answer, port=options.port or 0) as listening:
        site.prepare()
        _serve(listening, address(listening), opened=options.open)


def _is_shown_from_file(path: Path, given: Given, options: argparse.Namespace) -> bool:
    """Whether a file is read where it is: it has no packets, and can be read from any sample on."""
    return given.is_empty and inputs.format_of(path, options) == SR


def _capture(path: Path, options: argparse.Namespace) -> ShownCapture:
    source = of_session(path, inputs.read_options(options))
    waveform = source.reading(0)
    standing.announced(path, waveform)
    return ShownCapture(path, path.name, source, _stacks(options.stacks or (), waveform.channels))


def _imported(path: Path, folder: Path, options: argparse.Namespace) -> Path:
    """A temporary recording of a file."""
    _, content = inputs.open_file(path, options, remarks=False)
    if not isinstance(content, Waveform):
        raise RigError(f"{path}: has no levels of channels to show; give a capture of a logic analyzer.")
    for remark in import_files.import_files([(path, content)], folder).remarks:
        note(f"{path}: {remark}")
    return folder


def _stacks_of(recording: Recording, options: argparse.Namespace) -> list[Stack]:
    bench = open_recording(recording).bench
    texts, added = decoding.specifications(options.stacks or (), bench)
    for remark in added:
        note(f"{recording.folder}: {remark}")
    return _stacks(texts, recording.info.channels)


def _stacks(texts: Sequence[str], channels: Sequence[str]) -> list[Stack]:
    return parse_stacks(texts, decoding.library(), channels) if texts else []


def _serve_trace(recording: Recording, options: argparse.Namespace, folder: Path) -> None:
    standing.of(recording).announce()
    if options.port not in (None, perfetto.PORT):
        raise RigError(f"--port {options.port}: the Perfetto UI fetches from port {perfetto.PORT} only; omit --port.")
    site = TraceSite(recording, folder)
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
