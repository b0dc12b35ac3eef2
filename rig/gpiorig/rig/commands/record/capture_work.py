"""`gpiorig capture`: record a logic analyzer, for as long as you like."""

from __future__ import annotations

import argparse
import datetime
import time
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

from msgspec import structs

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok.analyzer import scan, versions
from gpiorig.capture.sigrok.capture import START_DEADLINE_S, Capture, CaptureResult, Request, Restart, Resume
from gpiorig.capture.sigrok.conclusion import CODED, conclude
from gpiorig.capture.sigrok.result import WALL_UNCERTAINTY_S
from gpiorig.rig import names, plain_json
from gpiorig.rig.bench import benches, drivers
from gpiorig.rig.commands.record.capture import heartbeats
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments import images
from gpiorig.rig.host import log_file
from gpiorig.rig.progress import bar
from gpiorig.rig.recordings import captured, described, standing
from gpiorig.rig.recordings.captured import CaptureNumbers
from gpiorig.rig.run import bench_capture, resumption
from gpiorig.rig.run.captures import Options
from gpiorig.rig.verbosity import note

ON = ("on", "true", "yes", "1")  # libsigrok 0.5.2, src/strutil.c, sr_parse_boolstring
TICK_S, FIRST_TICK_S = 0.5, 0.02  # the latter until sample 0 has its time


BEFORE_SAMPLES = "start of the capture on the host's clock, before the first sample"


RESULTS = {"capture": (CaptureNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Record, and say how it went."""
    if options.bench is not None:
        return _of_bench(options)
    periods_ns = {name: CODED if ns is None else ns for name, ns in heartbeats(options.heartbeat).items()}
    before = _resumable(options) if options.resume else None
    recording, channels = _created(options) if before is None else _resumed(options, before)
    with log_file.writing(recording.folder):
        recording, result = _captured(options, recording, channels, before)
        recording, counted = conclude(recording, result, heartbeats=periods_ns)
        if not result.samples and result.problems:
            recording.discard()
            raise RigError(result.problems[0])
    results = captured.numbers(recording, result, counted), captured.text(recording, result, counted)
    return _print(recording, *results, as_json=options.json)


def _captured(
    options: argparse.Namespace, recording: Recording, channels: list[str], before: Recording | None
) -> tuple[Recording, CaptureResult]:
    """The recording and what was captured into it, up to the end or to Ctrl-C; one without a start is as `before`."""
    sizes = _sizes(recording)
    try:
        capture = _start(options, recording, channels)
    except BaseException:
        _as_before(recording, before, sizes)
        raise
    try:
        recording = _watch(capture, recording, quiet=options.json)
        return recording, capture.end()
    except BaseException:
        capture.abort()
        raise


def _of_bench(options: argparse.Namespace) -> int:
    """Record the lines of a bench, and say how it went."""
    bench_file = names.bench(options.bench)
    bench = benches.load(bench_file)
    fastest_hz = max(analyzer.samplerate_hz for analyzer in bench.analyzers.values())
    duration_s = None if options.samples is None else Fraction(options.samples, fastest_hz)
    if options.duration is not None:
        duration_s = options.duration
    finished = bench_capture.capture(
        bench,
        bench_file,
        options.output,
        driver=options.driver,
        firmware=images.given(options.firmware, bench),
        roles=described.roles(bench, initiator=options.initiator, responder=options.responder),
        serial=not options.no_serial,
        options=Options(
            duration_s=duration_s,
            silence_s=float(options.silence),
            restart=None if options.restart is None else Restart(patience_s=float(options.restart)),
            one_shot=options.one_shot,
            config=options.config,
        ),
        quiet=options.json,
    )
    return _print(finished.recording, finished.numbers(), finished.text(), as_json=options.json)


def _print(recording: Recording, numbers: CaptureNumbers, text: str, *, as_json: bool) -> int:
    """Print how it went; the text states the state, not whose boards it is of. 1 if the recording is not complete."""
    source = standing.of(recording)
    print(plain_json.text(structs.replace(numbers, **source.as_json())) if as_json else text)
    if source.boards and not as_json:
        note(f"{recording.folder}: {source.boards}")
    return int(not source.is_complete)


def _created(options: argparse.Namespace) -> tuple[Recording, list[str]]:
    """A new recording, and the analyzer's channels as `Request` takes them."""
    analyzer = scan(options.driver)
    selection = analyzer.selection(_asked(options) or analyzer.channels)
    _check_driver(analyzer.driver, list(selection), options.samplerate, options)
    info = RecordingInfo(
        samplerate=f"{options.samplerate}/1",
        channels=tuple(selection.get(name, "") for name in analyzer.channels),
        epoch=Epoch(wall=_now(), note=BEFORE_SAMPLES),
        virtual=options.virtual or None,
        analyzer=analyzer.driver,
        tools={"gpiorig": version("gpiorig"), **versions()},
    )
    return Recording.create(options.output, info), [f"{name}={ours}" for name, ours in selection.items()]


def _check_driver(driver: str, channels: list[str], rate_hz: int, options: argparse.Namespace) -> None:
    """Raise what is known of the driver that speaks against the capture, before there is a folder for it."""
    facts = drivers.known(driver)
    if facts is None:
        return
    if refusal := facts.refusal(channels, rate_hz):
        raise RigError(f"{driver} {refusal}.")
    lacking = [key for key in facts.needs if not {f"{key}={word}" for word in ON} & set(options.config)]
    if lacking and not options.one_shot:
        raise RigError(
            f"{driver} ends when its memory is full: add --config {lacking[0]}=on, or --one-shot to fill it once."
        )


def _asked(options: argparse.Namespace) -> list[str]:
    return options.channels.split(",") if options.channels else []


def _resumable(options: argparse.Namespace) -> Recording:
    recording = Recording.open(options.output)
    info = recording.info
    given = [name for name in ("driver", "channels", "samplerate") if getattr(options, name) is not None]
    if given and (given != ["channels"] or info.channels):
        raise RigError(f"--resume continues as {options.output} was begun: leave --{given[0]} out.")
    if info.virtual and not (info.bench and benches.from_recording(recording).virtual is None):
        raise RigError(
            f"{options.output} is of a virtual bench: the length of its pause is not known. Record it again, into "
            "another folder."
        )
    if not info.channels and recording.segments().watermark:
        raise RigError(f"{options.output} does not say which channels its edges are of. Record into another folder.")
    return recording


def _resumed(options: argparse.Namespace, before: Recording) -> tuple[Recording, list[str]]:
    """A recording that continues, and its channels; one that was killed before it knew any begins now."""
    analyzer, info = scan(before.info.analyzer), before.info
    selection = dict(zip(analyzer.channels, info.channels, strict=False))
    if info.channels and len(info.channels) != len(analyzer.channels):
        raise RigError(
            f"{before.folder}: it is of {len(info.channels)} channels, and {analyzer.driver} has "
            f"{len(analyzer.channels)} now. Record into another folder."
        )
    epoch = info.epoch
    if not info.channels:
        selection = analyzer.selection(_asked(options) or analyzer.channels)
        epoch = Epoch(wall=_now(), note=BEFORE_SAMPLES)
    channels = tuple(selection.get(name, "") for name in analyzer.channels)
    if info.channels and (limit := _limit(options, int(info.samplerate_hz))) is not None:
        resumption.refuse_past(before, limit)
    recording = resumption.begun(before, channels=channels, epoch=epoch)
    return recording, [f"{name}={ours}" for name, ours in selection.items() if ours]


def _limit(options: argparse.Namespace, rate_hz: int) -> int | None:
    """Number of the sample before which the capture is to end."""
    samples: int | None = options.samples
    return samples if options.duration is None else round(options.duration * rate_hz)


def _as_before(recording: Recording, before: Recording | None, sizes: dict[Path, int]) -> None:
    """A capture has not started: a new folder would only hinder the next attempt."""
    if before is None:
        recording.discard()
    elif _sizes(recording) == sizes:
        before.update()


def _sizes(recording: Recording) -> dict[Path, int]:
    """Size of each segment file that holds something."""
    sizes = {path: path.stat().st_size for path in recording.edges_folder.glob("*.seg")}
    return {path: size for path, size in sizes.items() if size}


def _start(options: argparse.Namespace, recording: Recording, channels: list[str]) -> Capture:
    info = recording.info
    rate_hz = int(info.samplerate_hz)
    request = Request(
        driver=info.analyzer,
        channels=channels,
        samplerate_hz=rate_hz,
        sample_limit=_limit(options, rate_hz),
        silence_s=None if options.virtual else float(options.silence),
        restart=None if options.restart is None else Restart(patience_s=float(options.restart)),
        one_shot=options.one_shot,
        config=options.config,
    )
    uncertainty_s = START_DEADLINE_S if info.epoch.note == BEFORE_SAMPLES else WALL_UNCERTAINTY_S
    resume = Resume(resumption.files_began(info), uncertainty_s) if options.resume else None
    return Capture.start(request, recording.edges_folder, resume=resume)


def _watch(capture: Capture, recording: Recording, *, quiet: bool) -> Recording:
    """Wait until the capture is over, or Ctrl-C; says when sample 0 was as soon as that is known."""
    began = recording.info.epoch.wall
    stream = capture.stream
    edges, at_s = 0, time.monotonic()
    try:
        with bar("recording", total=capture.sample_limit, unit="samples", hidden=quiet) as drawn:
            while not capture.has_ended:
                time.sleep(TICK_S if capture.resumed or recording.info.epoch.wall != began else FIRST_TICK_S)
                now_s = time.monotonic()
                if recording.info.epoch.wall == began and stream.received and not capture.resumed:
                    recording = _dated(recording, capture)
                room = stream.headroom()
                drawn.set_postfix_str(
                    f"{(stream.edges - edges) / (now_s - at_s):,.0f} changes/s, reader {room.reader_busy:.0%} busy, "
                    f"pipe ≤ {room.pipe_fullest:.0%}, disk queue ≤ {room.queue_fullest:.0%}"
                )
                drawn.update(stream.samples - drawn.n)
                edges, at_s = stream.edges, now_s
    except KeyboardInterrupt:
        pass  # the usual end
    return recording


def _dated(recording: Recording, capture: Capture) -> Recording:
    age_s = capture.stream.age_s()
    wall = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=age_s)
    note = "sample 0 on the host's clock; the analyzer took it earlier, by the time its samples are under way"
    return recording.update(epoch=Epoch(wall=wall.isoformat(timespec="microseconds"), note=note))


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
