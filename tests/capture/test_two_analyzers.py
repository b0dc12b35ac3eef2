"""A bench with an analyzer on each board, recorded and merged, against the same bench with one analyzer on both."""

from __future__ import annotations

import shutil
from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import gpiorig
from numpy.typing import NDArray
from twoanalyzers import EXPERIMENT, PACKETS, one_analyzer, two_analyzers

from gpiorig.analysis.events import events
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.recordings import opened
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow  # runs virtual benches


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same experiment with one analyzer and with two."""
    folder = tmp_path_factory.mktemp("analyzers")
    (folder / "one.toml").write_text(one_analyzer())
    (folder / "two.toml").write_text(two_analyzers())
    experiment = folder / "experiment.toml"
    experiment.write_text(EXPERIMENT)
    for name in ("one", "two"):
        words = [folder / f"{name}.toml", experiment, "-o", folder / name, "--json"]
        done = gpiorig("run", *words)
        assert (0, "") == (done.status, done.stderr)
        assert PACKETS == done.numbers["packets_timelined"]
    return {name: folder / name for name in ("one", "two")}


def test_steps_across_analyzers_are_those_of_one(runs: dict[str, Path]) -> None:
    """Every step of every packet is the same to the sampling of both, also where it goes from one to the other."""
    one, two = (analyse(open_recording(Recording.open(runs[name]))) for name in ("one", "two"))

    assert np.array_equal(one.timelines.ids, two.timelines.ids)
    slow_samples = 1.5  # samples of the 24 MS/s one in a sample of the 16 MS/s one
    assert np.max(np.abs(one.routes[0].steps.samples - two.routes[0].steps.samples)) <= 2 * (1 + slow_samples)


def test_the_merged_recording_says_how_it_was_aligned(runs: dict[str, Path]) -> None:
    """Rate, residuals and uncertainty are in the recording; the residuals are those of sampling."""
    (note,) = Recording.open(runs["two"]).info.alignments

    assert 43_000 == pytest.approx(note.rate_ppb, abs=100)
    assert note.residual_max_ns <= 1e9 / 24e6 + 1e9 / 16e6
    assert 0 < note.residual_std_ns <= note.uncertainty_ns
    assert () == Recording.open(runs["two"]).verify()


def test_merge_of_the_parts_is_what_run_made(runs: dict[str, Path], tmp_path: Path) -> None:
    """`gpiorig merge` of the analyzers' own recordings gives the same edges."""
    parts = sorted((runs["two"] / "analyzers").iterdir())
    done = gpiorig("merge", *reversed(parts), "-o", tmp_path / "both", "--json")

    assert (0, "") == (done.status, done.stderr)
    ran, merged = Recording.open(runs["two"]).edges(), Recording.open(tmp_path / "both").edges()
    assert ran.channels == merged.channels
    assert np.array_equal(ran.samples, merged.samples)
    assert np.array_equal(ran.levels, merged.levels)


def test_a_delay_of_the_sync_line_moves_what_its_analyzer_saw(runs: dict[str, Path], tmp_path: Path) -> None:
    """A millisecond of cable; the delay and its limits are in the description, and the bench file can state them."""
    one, two = sorted((runs["two"] / "analyzers").iterdir())
    done = gpiorig("merge", one, two, "-o", tmp_path / "both", "--sync-delay", f"{two}=1000000+-500", "--json")
    assert (0, "") == (done.status, done.stderr)
    (note,) = Recording.open(tmp_path / "both").info.alignments
    (plain,) = Recording.open(runs["two"]).info.alignments
    assert (1e6, 500) == (note.delay_ns, note.delay_limit_ns)
    assert pytest.approx(np.hypot(plain.uncertainty_ns, 500 / np.sqrt(3)), abs=0.01) == note.uncertainty_ns

    strobes = [open_recording(Recording.open(folder)).recording.edges() for folder in (runs["two"], tmp_path / "both")]
    channel = next(name for name in note.channels if name.endswith(".strobe"))
    rises = [rises_of(edges, channel) for edges in strobes]
    assert np.all(np.abs(rises[1] - rises[0] - 24_000) <= 1)


def test_a_bench_file_states_the_delay(tmp_path: Path) -> None:
    """The reference's line is the longer one; the limits of both are independent."""
    one, two = (f"samplerate_hz = {rate}_000_000\n" for rate in (24, 16))
    text = two_analyzers().replace(one, f"{one}sync_delay_ns = 300\nsync_delay_limit_ns = 4\n")
    text = text.replace(two, f"{two}sync_delay_ns = 50\nsync_delay_limit_ns = 3\n")
    (note,) = directbench.record(tmp_path, text, EXPERIMENT).info.alignments
    assert (-250, 5) == (note.delay_ns, note.delay_limit_ns)


def rises_of(edges: Edges, channel: str) -> NDArray[np.int64]:
    high = edges.levels >> edges.channels.index(channel) & 1
    return edges.samples[1:][np.diff(high.astype(np.int8)) == 1]


def test_a_delay_that_is_not_understood_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    parts = sorted((runs["two"] / "analyzers").iterdir())
    for text in ("elsewhere=5", f"{parts[0]}=long"):
        done = gpiorig("merge", *parts, "-o", tmp_path / "out", "--sync-delay", text)
        assert 2 == done.status
        assert f"--sync-delay {text}: write RUN=NS" in done.stderr


def test_what_cannot_be_merged_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    """No sync line, one recording only: one error, and status 2."""
    part = runs["two"] / "analyzers" / "one"
    for words, message in (([part], "nothing to merge"), ([part, runs["one"]], "no channel 'sync'")):
        done = gpiorig("merge", *words, "-o", tmp_path / "out")
        assert 2 == done.status
        assert message in done.stderr


def test_a_loss_of_a_part_is_one_gap_of_the_merged(runs: dict[str, Path], tmp_path: Path) -> None:
    """What the reference lost is a gap in the merged edges, and not put in once more from its list of losses."""
    parts = [Path(shutil.copytree(part, tmp_path / part.name)) for part in (runs["two"] / "analyzers").iterdir()]
    reference = max((Recording.open(part) for part in parts), key=lambda part: part.info.samplerate_hz)
    end = reference.edges().end
    start = end - 40_000  # after the last sync pulse that matters, so that the line stays one
    reference.update(losses=(Loss(start=start, end=start + 100, samples=5000, uncertainty=1, found_by="a test"),))

    done = gpiorig("merge", *parts, "-o", tmp_path / "both")

    merged = Recording.open(tmp_path / "both")
    assert (1, "incomplete", ()) == (done.status, merged.state, merged.info.losses)
    assert "5100 samples are missing" in merged.info.reason
    assert np.array_equal(reference.open(reference.folder).edges().gaps, merged.edges().gaps)
    assert 1 == len(merged.edges().gaps)


@pytest.mark.parametrize("rate_hz", [16_000_000, 24_000_000])
@pytest.mark.parametrize("late_ns", [20, 40, 60])
@pytest.mark.parametrize("channel", ["P8_39", "P8_40"])
def test_skew_between_channels_damages_what_it_damages_on_one_analyzer(
    tmp_path: Path, rate_hz: int, late_ns: int, channel: str
) -> None:
    """Frames of the responder, whose strobe or data line is late, are the same merged as in its analyzer's part."""
    late = f"[virtual.analyzers.two.thresholds.{channel}]\nrise_ps = {late_ns}_000\nfall_ps = {late_ns}_000\n"
    text = two_analyzers().replace("samplerate_hz = 16_000_000", f"samplerate_hz = {rate_hz}") + late
    merged = directbench.record(tmp_path, text, EXPERIMENT)
    part = Recording.open(merged.folder / "analyzers" / "two")
    bench = benches.loads(text)
    responder = list(bench.nodes).index("responder")
    (lines,) = (node for node in opened.wiring(bench) if node.name == "responder")

    together = events.from_edges(merged.edges(), opened.wiring(bench))
    alone = events.from_edges(part.edges(), [lines])

    of_bus = np.isin(together.nodes, [responder])
    assert alone.codes.tolist() == together.codes[of_bus].tolist()
    assert alone.damaged.symbols.tolist() == together.damaged.symbols[together.damaged.nodes == responder].tolist()
    assert len(alone.codes) > 1000 or late_ns == 60
