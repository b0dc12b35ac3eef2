"""Samples that an analyzer loses without a word, through the real sigrok-cli: found, or below the stated bound."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from lossy_analyzer import SHIFT, LossyAnalyzer, Plan
from patience import PATIENCE_S, wait_until
from silent_losses import RATE_HZ, captured, outcomes

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.sigrok.analyzer import scan
from gpiorig.capture.sigrok.capture import Capture, Request
from gpiorig.capture.sigrok.conclusion import conclude

PLANS = {
    "clean": Plan(ppm=50),
    "middle": Plan(losses=[(1.5, 20_000)]),
    "end": Plan(losses=[(2.9, 30_000)]),
    "chronic": Plan(chronic=(0.01, 30)),
}


@pytest.mark.slow
def test_captures_of_three_seconds(tmp_path: Path) -> None:
    """`tests/studies/silent_losses.py` in small: none, one in the middle, one near the end, 0.3 % always."""
    with ThreadPoolExecutor(len(PLANS)) as pool:
        runs = {name: pool.submit(captured, plan, 3, tmp_path / name) for name, plan in PLANS.items()}
    for name, run in runs.items():
        recording, lost = run.result()
        info = recording.info
        if name == "chronic":
            assert "incomplete" == recording.state
            continue
        assert not [outcome for outcome in outcomes(recording, lost, 3) if outcome.is_false], info
        assert [(0, 3 * RATE_HZ)] == [(info.bounds[0].start, info.bounds[-1].end)]
        if name != "clean" or lost:  # this host has lost samples, too
            assert "incomplete" == recording.state, name
            for at, samples in lost:
                nearest = min(info.losses, key=lambda loss: abs(loss.start + loss.end - 2 * at))
                assert nearest.start <= at <= nearest.end, (name, info.losses)
                assert len(lost) > 1 or abs(samples - nearest.samples) <= nearest.uncertainty
            assert all(_is_right(recording, lost))
        else:
            assert "complete" == recording.state, info.reason


def _is_right(recording: Recording, lost: list[tuple[int, int]]) -> list[bool]:
    """Whether each edge is where the analyzer took it, within what is stated of the losses before it."""
    edges = recording.edges()
    period = 1 << (SHIFT + 1)
    rises = edges.samples[1:][(edges.levels[1:] & 1) > (edges.levels[:-1] & 1)]
    uncertain = sum(loss.uncertainty for loss in recording.info.losses)
    off = (rises - (1 << SHIFT) + period // 2) % period - period // 2
    missed = sum(samples for _, samples in lost) - sum(loss.samples for loss in recording.info.losses)
    return [bool(lost), abs(missed) <= uncertain, bool((off[rises < min(at for at, _ in lost)] == 0).all())]


@pytest.mark.slow
def test_a_stopped_sigrok_near_the_end(tmp_path: Path) -> None:
    """It is stopped for 1.2 s of the last 1.5 s; sockets hold some MB, and the analyzer loses the rest."""
    rate_hz, end = 8_000_000, 24_000_000
    info = RecordingInfo(samplerate=f"{rate_hz}/1", channels=(), epoch=Epoch(wall=""), virtual=False)
    recording = Recording.create(tmp_path / "run", info)
    with LossyAnalyzer(Plan(buffer_bytes=1 << 19)) as analyzer:
        request = Request(
            driver=analyzer.driver,
            channels=scan(analyzer.driver).channels,
            samplerate_hz=rate_hz,
            sample_limit=end,
            silence_s=PATIENCE_S,
        )
        capture = Capture.start(request, recording.edges_folder)
        wait_until(lambda: capture.samples_received > end // 2)
        os.kill(capture._session.process.pid, signal.SIGSTOP)
        time.sleep(1.2)
        os.kill(capture._session.process.pid, signal.SIGCONT)
        wait_until(lambda: capture.has_ended)
        result = capture.end()
        lost = [at for at, _ in analyzer.lost() if at < end]
    finished, _ = conclude(recording, result)

    assert lost
    assert "incomplete" == finished.info.state
    assert all(any(loss.start <= at <= loss.end for loss in finished.info.losses) for at in lost)
