"""Live results: what a recording that grows shows is what its analysis shows at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import analyzerparts
import growing
import numpy as np
import pytest
from commandline import gpiorig
from growing import PACKETS, Growing

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.decoder import Decoded
from gpiorig.analysis.packets import delivery
from gpiorig.analysis.statistics.summary import summarize
from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import write_waveform
from gpiorig.rig.live import view
from gpiorig.rig.live import watch as watching
from gpiorig.rig.live.aligned import Aligned, Lane
from gpiorig.rig.live.distribution import RESOLUTION, Delays
from gpiorig.rig.live.packets import Packets
from gpiorig.rig.live.step_sums import StepSums
from gpiorig.rig.live.watch import Update, Watch
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

RATE_HZ = Fraction(24_000_000)
STEPS = 12
SETTLE_S = Fraction(1, 10)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recording with losses on the air, not to be written to."""
    return growing.recorded(tmp_path_factory)


@pytest.fixture(scope="module")
def expected(recorded: Path) -> Analysis:
    """Its analysis."""
    return analyse(open_recording(Recording.open(recorded)))


def until(updates: Iterator[Update], reached_s: float) -> Update:
    """The first update that reaches so far."""
    return next(update for update in updates if update.reached_s >= reached_s or update.is_last)


@pytest.mark.slow
def test_a_growing_recording_shows_what_its_analysis_shows(recorded: Path, expected: Analysis, tmp_path: Path) -> None:
    """Counts are exact, at any moment for events; at the end all packets are counted once, with their delays."""
    growing = Growing.begin(recorded, tmp_path / "run")
    watch = Watch(tmp_path / "run", window_s=Fraction(30), settle_s=SETTLE_S)
    updates = watch.updates(0)
    assert "capturing" == next(updates).state
    counted = []
    for step in range(1, STEPS + 1):
        sample = growing.write(step / STEPS)
        update = until(updates, float(sample / RATE_HZ))
        assert "capturing" == update.state
        events = sum(node.events for node in update.nodes.values())
        assert 0 <= np.searchsorted(expected.events.samples, sample) - events <= 4  # frames that are still open
        counted.append(sum(node.sent for node in update.nodes.values()))
    assert counted == sorted(counted) and len({*counted}) > STEPS // 2
    assert any("Provisional" in remark for remark in view.remarks(update))
    growing.end()
    last = until(updates, 1e9)
    assert [] == list(updates)
    assert ("complete", "", True) == (last.state, last.reason, last.virtual)
    hops, lines = expected.hops, expected.timelines
    assert hops is not None and lines is not None
    for number, (name, node) in enumerate(last.nodes.items()):
        assert expected.events.node_names[number] == name
        own = hops.packets.called & (hops.packets.origins == number)
        delivered = np.count_nonzero(own & (hops.packets.status == delivery.DELIVERED))
        lost = np.count_nonzero(own & hops.packets.lost)
        assert (np.count_nonzero(expected.events.nodes == number), 0) == (node.events, node.damaged)
        assert (np.count_nonzero(own), delivered, lost, 0) == (node.sent, node.delivered, node.lost, node.other)
    assert 0 < last.nodes["responder"].lost < PACKETS
    duration_s = float(expected.events.end / RATE_HZ)
    rates = [node.events / duration_s for node in last.nodes.values()]
    assert rates == pytest.approx([node.events_per_s for node in last.nodes.values()], rel=0.1)
    summary = summarize(lines.rtt[lines.rtt >= 0], samplerate_hz=RATE_HZ)
    recent, every = last.delays["rtt"].window, last.delays["rtt"].all
    assert (summary.n, summary.median_ns, summary.p99_ns, summary.peak_to_peak_ns) == (
        recent.n, recent.median_ns, recent.p99_ns, recent.p2p_ns
    )  # fmt: skip
    assert (summary.n, summary.peak_to_peak_ns) == (every.n, every.p2p_ns)
    unattributed = hops.events.nodes[hops.unattributed.positions]
    counts = [node.unattributed for node in last.nodes.values()]
    assert np.bincount(unattributed, minlength=len(counts)).tolist() == counts
    assert last.sentence.startswith(f"Of {summary.n} packets so far: ")
    assert [] == view.failed(last) and not any("Provisional" in remark for remark in view.remarks(last))
    assert summary.median_ns == pytest.approx(every.median_ns, rel=RESOLUTION)
    assert summary.p99_ns == pytest.approx(every.p99_ns, rel=RESOLUTION)


def test_where_the_time_goes_is_that_of_the_report(expected: Analysis) -> None:
    """Sums over parts give the shares of the mean and of the variance that the report has of all packets."""
    route = expected.routes[0]
    steps, totals = route.steps.samples.astype(float), route.totals.astype(float)
    kinds = [step.kind for step in route.steps.steps]
    sums = StepSums()
    assert "" == sums.sentence
    for rows in np.array_split(np.arange(len(route)), 4):
        sums.add(route.select(rows))
    for kind in {*kinds}:
        own = steps[:, [of_step is kind for of_step in kinds]].sum(axis=1)
        assert own.sum() / totals.sum() == pytest.approx(sums.means[kind])
        assert np.cov(own, totals)[0, 1] / totals.var(ddof=1) == pytest.approx(sums.variances[kind], abs=1e-9)
    still = StepSums()
    still.add(route.select(np.zeros(3, dtype=np.int64)))
    assert {} == still.variances and "variance" not in still.sentence


def test_analyzers_that_are_not_aligned(recorded: Path) -> None:
    """Those of `sync_frames` are refused with the remedy; of all only the last minute of events is kept."""
    opened = open_recording(recorded)
    packets = Packets(opened, settle_s=SETTLE_S, window_s=Fraction(30))
    lane = Lane(opened.recording, opened.wiring, [node.name for node in opened.wiring])
    aligned = Aligned([lane], packets, by_frames=True)
    none = np.zeros(0, dtype=np.int64)
    for second in range(100):
        at = np.array([second * int(RATE_HZ)])
        node, code, identity = np.zeros(1, dtype=np.uint16), np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int32)
        undamaged = (none, none.astype(np.uint16), none.astype(np.int32), none)
        lane.feed(Decoded(at, node, code, identity, *undamaged), no_gaps(), int(at[0]) + 1)
        aligned.count()
    assert "`sync_frames`" in aligned.reason and "put a sync line on a channel of each" in aligned.reason
    events, gaps = lane.take(None, begin=0, end=int(RATE_HZ) * 1000)
    assert 60 == len(events.samples) and [[0, 39 * int(RATE_HZ) + 1]] == gaps.tolist()


def test_the_window_forgets(recorded: Path, expected: Analysis, tmp_path: Path) -> None:
    """Delays of the window are those of the packets of the last seconds, and the events that are kept are few."""
    growing = Growing.begin(recorded, tmp_path / "run")
    watch = Watch(tmp_path / "run", window_s=Fraction(1, 2), settle_s=SETTLE_S)
    updates = watch.updates(0)
    for step in range(1, STEPS + 1):
        sample = growing.write(step / STEPS)
        update = until(updates, float(sample / RATE_HZ))
    assert expected.timelines is not None
    end = sample - int(SETTLE_S * RATE_HZ)
    starts = expected.timelines.samples[expected.timelines.rtt >= 0, 0]
    recent, every = update.delays["rtt"].window, update.delays["rtt"].all
    assert np.count_nonzero(starts < end) == every.n
    assert np.count_nonzero((starts < end) & (starts >= end - int(RATE_HZ / 2))) == recent.n < every.n
    growing.end()
    at_once = Watch(tmp_path / "run", window_s=Fraction(1, 2), settle_s=SETTLE_S)
    assert until(updates, 1e9).delays == until(at_once.updates(60), 1e9).delays  # read late, and in one part


def test_what_ends_without_a_word(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capture that waits, one that was killed before and after its first samples, and one that is concluded."""
    growing = Growing.begin(recorded, tmp_path / "killed")
    growing.write(0.5)
    growing.writer.close(in_order=False)
    done = gpiorig("view", "--follow", tmp_path / "killed")
    assert (1, True) == (done.status, "interrupted (the program that recorded it ended" in done.stdout)
    with max((tmp_path / "killed" / "edges").glob("*.seg")).open("ab") as file:
        file.write(b"gpe1")
    last = until(Watch(tmp_path / "killed", window_s=Fraction(30), settle_s=SETTLE_S).updates(0), 1e9)
    assert "the last block is cut short" in last.reason
    Recording.create(tmp_path / "waits", growing.recording.info)
    updates = Watch(tmp_path / "waits", window_s=Fraction(30), settle_s=SETTLE_S).updates(0)
    assert ("waiting", None) == (next(updates).state, next(updates).age_s)
    monkeypatch.setattr(watching, "START_S", 0)
    assert ("interrupted", True) == ((last := next(updates)).state, "before the first sample" in last.reason)
    growing = Growing.begin(recorded, tmp_path / "concluded")
    growing.write(1)
    growing.writer.close()
    updates = Watch(tmp_path / "concluded", window_s=Fraction(30), settle_s=SETTLE_S).updates(0)
    assert "concluding" == [next(updates) for _ in range(3)][-1].state
    growing.recording.finish(problems=["something is missing"])
    assert ("incomplete", "something is missing") == ((last := until(updates, 1e9)).state, last.reason)


def test_lost_samples_and_damage_are_named(recorded: Path, tmp_path: Path) -> None:
    """A gap is counted; packets that overlap it are neither delivered nor lost."""
    growing = Growing.begin(recorded, tmp_path / "run")
    start = growing.write(0.4)
    growing.writer.gap(start, start + 2_400_000)
    edges = growing.source.edges()
    first = int(np.searchsorted(edges.samples, start + 2_400_000))
    levels = np.append(edges.levels[first - 1], edges.levels[first:])
    growing.writer.append(np.append(start + 2_400_000, edges.samples[first:]), levels, watermark=edges.end)
    growing.end()
    last = until(Watch(tmp_path / "run", window_s=Fraction(30), settle_s=SETTLE_S).updates(0), 1e9)
    assert 2_400_000 == last.lost_samples
    assert "2400000 samples were lost at" in last.last_problem or "damaged frame" in last.last_problem
    sent = sum(node.sent for node in last.nodes.values())
    assert sum(node.delivered + node.lost + node.other for node in last.nodes.values()) == sent < 2 * PACKETS


def test_several_analyzers(recorded: Path, expected: Analysis, tmp_path: Path) -> None:
    """Without a sync line the events of each analyzer's nodes are counted; why packets are not is stated."""
    source = Recording.open(recorded)
    run = Recording.create(tmp_path / "run", source.info).update(state="capturing", files={})
    for node in expected.events.node_names:
        channels = tuple(name if name.startswith(f"{node}.") else "" for name in source.info.channels)
        part = Recording.create(tmp_path / "run" / "analyzers" / node, run.info).update(channels=channels)
        write_waveform(part.edges_folder, source.waveform())
    run.finish(unchecked="a test made it")
    done = gpiorig("view", "--follow", tmp_path / "run", "--json")
    update = json.loads(done.stdout.splitlines()[-1])
    assert (0, 2, {}) == (done.status, update["analyzers"], update["delays"])
    first = sorted(expected.events.node_names)[0]
    assert f"not aligned: {first} has no sync line; put it on a channel of each analyzer" in update["not_aligned"]
    assert update["not_aligned"].removesuffix(".") in gpiorig("view", "--follow", tmp_path / "run").stdout
    counts = {name: node["events"] for name, node in update["nodes"].items()}
    numbers = enumerate(expected.events.node_names)
    assert {name: np.count_nonzero(expected.events.nodes == number) for number, name in numbers} == counts


@pytest.mark.slow
def test_packets_over_several_analyzers(recorded: Path, expected: Analysis, tmp_path: Path) -> None:
    """Aligned by the sync line, they are counted as with one analyzer, at any moment; delays within two samples."""
    source = Recording.open(recorded)
    run, parts = analyzerparts.split(source, tmp_path / "run")
    updates = Watch(tmp_path / "run", window_s=Fraction(30), settle_s=SETTLE_S).updates(0)
    next(updates)
    end, counted = source.edges().end, []
    for step in range(1, STEPS + 1):
        for part in parts:
            part.write(end * step // STEPS)
        update = until(updates, float(end * step // STEPS / RATE_HZ))
        counted.append(sum(node.sent for node in update.nodes.values()))
    assert counted == sorted(counted) and len({*counted}) > STEPS // 2
    for part in parts:
        part.writer.close()
    run.finish(unchecked="a test made it")
    last = until(updates, 1e9)

    alone = Watch(recorded, window_s=Fraction(30), settle_s=SETTLE_S)
    one = until(alone.updates(0), 1e9)
    assert ("complete", "", 2) == (last.state, last.not_aligned, last.analyzers)
    fates = ("events", "sent", "delivered", "lost", "other")
    for name, node in one.nodes.items():
        assert [getattr(node, fate) for fate in fates] == [getattr(last.nodes[name], fate) for fate in fates]
    assert one.delays.keys() == last.delays.keys()
    for name, delay in one.delays.items():
        every, aligned = delay.all, last.delays[name].all
        assert every.n == aligned.n
        assert abs(every.p2p_ns - aligned.p2p_ns) <= 2e9 / RATE_HZ


def test_a_recording_without_a_bench(tmp_path: Path, recorded: Path) -> None:
    """It is refused, with what to do."""
    info = Recording.open(recorded).info
    Recording.create(tmp_path / "run", info).update(bench="", files={}, state="capturing")
    done = gpiorig("view", "--follow", tmp_path / "run")
    assert (2, True) == (done.status, "capture --bench" in done.stderr)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--follow", "--interval", "0s"), "--interval 0s: give at least 100ms."),
        (("--follow", "--open"), "--open: it is of the page; omit it with --follow."),
        (("--follow", "--assert", "loss < 1 %"), "--assert: it is of the page"),
        (("--window", "5m"), "--window: it is of --follow; add that."),
        (("--json",), "--json: it is of --follow; add that."),
        (("run2", "--follow"), "give one RUN."),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], error: str) -> None:
    """Those of the page and those of the table in the terminal; refused before anything is read."""
    done = gpiorig("view", "run", *words)
    assert (2, True) == (done.status, error in done.stderr), done.stderr


@pytest.mark.parametrize("seed", range(3))
def test_quantiles_of_a_histogram(seed: int) -> None:
    """Number and peak-to-peak are exact, quantiles within the stated resolution."""
    values = np.random.default_rng(seed).lognormal(10 + seed, 1, 20_000).astype(np.int64) + 1
    delays = Delays(RATE_HZ)
    for part in np.array_split(values, 7):
        delays.add(part, starts=np.zeros_like(part))
    summary, every = summarize(values, samplerate_hz=RATE_HZ), delays.all()
    assert (summary.n, summary.peak_to_peak_ns) == (every.n, every.p2p_ns)
    assert (summary.median_ns, summary.p99_ns) == pytest.approx((every.median_ns, every.p99_ns), rel=RESOLUTION)
