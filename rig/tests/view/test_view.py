"""What `gpiorig view` answers, and what it refuses; the command."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import gpiorig
from growing import PACKETS
from patience import wait_until
from servedruns import blank_figures, serving

from gpiorig.analysis import report
from gpiorig.analysis.decoderhost.stack import parse_stacks
from gpiorig.analysis.figures import packet_boxes
from gpiorig.analysis.report.packet_columns import columns_of
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.formats import sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser
from gpiorig.rig.errors import RigError
from gpiorig.rig.export.decoding import library
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.view import edges as edge_windows
from gpiorig.rig.view import perfetto, server
from gpiorig.rig.view.answers import Answer, NoAnswerError
from gpiorig.rig.view.edges import EdgeWindows, of_recording, of_session
from gpiorig.rig.view.shown_capture import ShownCapture
from gpiorig.rig.view.shown_run import ShownRun
from gpiorig.rig.view.site import Site

Served = tuple[str, list[ShownRun]]
pytestmark = pytest.mark.slow


def asked(at: str, path: str, *, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and content of an answer; `host` replaces the header."""
    connection = http.client.HTTPConnection(at.removeprefix("http://"), timeout=60)
    try:
        connection.putrequest(method, path, skip_host="host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def content(at: str, path: str) -> dict[str, Any]:
    """The object at an address."""
    status, _, body = asked(at, path)
    assert 200 == status, body
    answer: dict[str, Any] = json.loads(body)
    return answer


def test_pages_are_those_of_the_report_and_ask_their_server_only(served: Served) -> None:
    """`/` leads to the first run; each page has its policy, its runs, and the script of a served page."""
    at, _ = served
    assert (302, "/runs/1/") == ((answer := asked(at, "/"))[0], answer[1]["Location"])
    for number in (1, 2):
        status, headers, body = asked(at, f"/runs/{number}/")
        page = body.decode()
        assert (200, "text/html; charset=utf-8") == (status, headers["Content-Type"])
        assert "connect-src 'self'" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert f'<meta name="gpiorig-view" content="/runs/{number}"' in page
        assert 'class="edges"' in page and 'id="hero-packets"' in page
        assert not re.findall(r"(?:src|href)=\"(?!#|data:)", page)
        assert "Access-Control-Allow-Origin" not in headers


def test_the_difference_of_two_runs(served: Served) -> None:
    """The page that `gpiorig report RUN RUN` makes; a run is not compared with itself."""
    at, _ = served
    status, _, body = asked(at, "/compare/1/2/")
    assert (200, True) == (status, b"<h1>2 runs: run, copy</h1>" in body)
    assert asked(at, "/compare/1/2/")[2] == body
    page = body.decode()
    sections = dict(
        re.findall(r'<section id="(run-\d)" data-address="([^"]+)" data-folder="[^"]+/(?:run|copy)">', page)
    )
    assert {"run-1": "/runs/1", "run-2": "/runs/2"} == sections
    assert 2 == page.count('<div class="edges"') == page.count('<form class="any">')
    assert "compared</a>" not in page
    assert 404 == asked(at, "/compare/1/1/")[0] == asked(at, "/compare/1/3/")[0]


def test_the_difference_of_three_runs(recorded: Path, tmp_path: Path) -> None:
    """A link on each page leads to that of all runs, which has the edges of each."""
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        shutil.copytree(recorded, folder)
    with serving(folders, tmp_path / "pages") as (at, _):
        assert b'<a href="/compare/1/2/3/">all 3 compared</a>' in asked(at, "/runs/1/")[2]
        page = asked(at, "/compare/1/2/3/")[2].decode()
        assert 3 == page.count('<div class="edges"')
        assert "3 runs: a, b, c" in page
        assert 404 == asked(at, "/compare/1/2/1/")[0]


def test_what_is_drawn_already_does_not_wait(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a comparison is computed, pages, packets and edges of its runs are answered."""
    at, _ = served
    began, may_continue = threading.Event(), threading.Event()

    def compared(*words: Any, **options: Any) -> None:
        began.set()
        assert may_continue.wait(60)
        raise RigError("stopped by the test")

    monkeypatch.setattr(report, "write_set", compared)
    answers: list[int] = []
    comparison = threading.Thread(target=lambda: answers.append(asked(at, "/compare/2/1/")[0]))
    comparison.start()
    try:
        assert began.wait(60)
        first = content(at, "/runs/1/edges?from_ns=0&to_ns=1e9")
        for path in ("/runs/1/", "/runs/2/", "/runs/2/packet/1"):
            assert 200 == asked(at, path)[0]
        assert first["channels"] and answers == []
    finally:
        may_continue.set()
        comparison.join()
    assert [422] == answers


def test_connections_are_limited(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a thread: one too many is closed, and another is answered when one has ended."""
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    with server.server(lambda path, query: Answer(b"here"), port=0) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        at = server.address(listening).rstrip("/")
        place = ("127.0.0.1", listening.server_port)
        try:
            held = [socket.create_connection(place) for _ in range(2)]
            with socket.create_connection(place, timeout=60) as refused:
                assert b"" == refused.recv(1)
            for connection in held:
                connection.close()
            wait_until(lambda: _answers(at))
        finally:
            listening.shutdown()
            thread.join()


def _answers(at: str) -> bool:
    try:
        return asked(at, "/")[2] == b"here"
    except OSError:
        return False


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1", "127.0.0.1:1"])
def test_a_foreign_host_is_refused(served: Served, host: str) -> None:
    """The page of another host whose name leads here gets nothing."""
    at, _ = served
    status, _, body = asked(at, "/runs/1/packet/1", host=host)
    assert (421, ["error"]) == (status, list(json.loads(body)))
    port = at.rpartition(":")[2]
    assert 302 == asked(at, "/", host=f"localhost:{port}")[0]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_only_get(served: Served, method: str) -> None:
    """Everything else is not implemented."""
    assert 501 == asked(served[0], "/runs/1/", method=method)[0]


def test_it_listens_on_the_loopback_only(served: Served) -> None:
    """Another address of this machine has nothing at the port."""
    at, _ = served
    port = int(at.rpartition(":")[2])
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass


def test_any_packet(served: Served) -> None:
    """Every packet of the recording by its id: with its steps and layers, or what became of it."""
    at, runs = served
    analysis = runs[0].analysis
    route = analysis.routes[0]
    assert analysis.hops is not None
    assert 0 < len(route) < PACKETS
    lost = 0
    for identity in np.unique(analysis.hops.packets.ids).tolist():
        packet = content(at, f"/runs/1/packet/{identity}")
        rows = np.flatnonzero(route.ids == identity)
        lost += not len(rows)
        assert len(rows) or "steps" not in dict(packet["lanes"]).values()
        if len(rows):
            expected = packet_boxes.of_row(route, analysis.round_trips, int(rows[0])).as_dict()
            boxes = [box for box in packet["boxes"] if packet["lanes"][box[0]] == ["", "steps"]]
            assert [box for box in expected["boxes"] if box[0] == 0] == boxes
            assert expected["start"] == packet["start"]
            assert packet == content(at, f"/runs/1/packet/{identity}?at={packet['start']}")
    assert 0 < lost == PACKETS - len(route)


def test_a_window_of_edges_has_every_change(served: Served) -> None:
    """Levels and changes of each channel are those of the recording; a window reaches no further than that."""
    at, runs = served
    edges = runs[0].recording.edges()
    start_ns, period_ns = 3e6, 1e9 / float(edges.samplerate_hz)
    window = content(at, f"/runs/1/edges?from_ns={start_ns}&to_ns={start_ns + 5e5}")
    assert window["exact"] and [] == window["gaps"]
    assert (start_ns, start_ns + 5e5) == pytest.approx(
        (window["start"] * period_ns, window["end"] * period_ns), abs=100
    )
    assert [name for name in edges.channels if name] == [channel["name"] for channel in window["channels"]]
    _same(edges, window)
    everything = content(at, "/runs/1/edges?from_ns=-1e15&to_ns=1e15")
    assert (edges.start, edges.end) == (everything["start"], everything["end"])


def _same(edges: Edges, window: dict[str, Any]) -> None:
    within = edges.window(window["start"], window["end"])
    for channel in window["channels"]:
        assert within.initial_level(channel["name"]) == channel["level"]
        samples, _ = within.channel(channel["name"])
        assert (samples - window["start"]).tolist() == channel["edges"]


def test_many_edges_are_bins(served: Served) -> None:
    """A bin is `x` where the channel has both levels in it, and its level elsewhere."""
    at, runs = served
    window = content(at, "/runs/1/edges?from_ns=0&to_ns=1e12&bins=50")
    edges = runs[0].recording.edges()
    assert (False, 50, len(edges.samples)) == (window["exact"], window["bins"], window["changes"])
    for channel in window["channels"]:
        assert channel["bins"] == binned(edges, channel["name"], 50, edges.end - edges.start)


def binned(edges: Edges, name: str, count: int, length: int) -> str:
    """What a channel has in each of some bins, from the start of the capture on."""
    samples, levels = edges.channel(name)
    numbers = (samples - edges.start) * count // length
    level, letters = int(edges.initial_level(name)), ""
    for place in range(count):
        changed = numbers == place
        letters += "x" if changed.any() else str(level)
        level = int(levels[changed][-1]) if changed.any() else level
    return letters


def test_of_many_edges_long_windows_are_collected_and_short_ones_read(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every change, and the bins of all of it, are those of the edges in memory; bins are of whole samples."""
    recording = served[1][0].recording
    held = EdgeWindows(of_recording(recording))
    assert held.window(0, 1, bins=64)["exact"]
    monkeypatch.setattr(edge_windows, "HELD_ROWS", 0)
    streamed = EdgeWindows(of_recording(recording))
    for ends in ((3e6, 4e6), (5e8, 5.001e8)):
        window = held.window(*ends, bins=64)
        assert window["exact"] and window == streamed.window(*ends, bins=64)
    edges = recording.edges()
    window = streamed.window(0, 1e12, bins=50)
    count, length = window["bins"], window["end"] - window["start"]
    assert 50 <= count <= 100 and length % count == 0 and (window["start"], "read" in window) == (edges.start, False)
    for channel in window["channels"]:
        assert channel["bins"] == binned(edges, channel["name"], count, length)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "nothing is here"),
        ("/runs/3/", 404, "no run 3; there are 2"),
        ("/runs/0/", 404, "no run 0"),
        ("/runs/1/other", 404, "packet/ID, edges and live"),
        ("/runs/1/packet/99999", 404, "has no packet 99999"),
        ("/runs/1/packet/1?at=5", 404, "sent at sample 5"),
        ("/runs/1/packet/1?at=x", 400, "at=x: give an integer"),
        ("/runs/1/packet/../../etc", 404, "packet/ID"),
        ("/runs/1/live", 404, "no capture runs"),
        ("/runs/1/edges", 400, "from_ns=: give a number of ns"),
        ("/runs/1/edges?from_ns=nan&to_ns=1", 400, "from_ns=nan"),
        ("/runs/1/edges?from_ns=0&to_ns=1e999", 400, "to_ns=1e999"),
        ("/runs/1/edges?from_ns=500&to_ns=1", 404, "no edges from 500 to 1 ns"),
        ("/runs/1/edges?from_ns=1e16&to_ns=2e16", 404, "the capture has 0 to"),
        ("/runs/1/edges?from_ns=0&to_ns=1&bins=many", 400, "bins=many"),
    ],
)
def test_what_is_not_there_is_named(served: Served, path: str, status: int, words: str) -> None:
    """In one sentence, as JSON."""
    actual, _, body = asked(served[0], path)
    assert (status, True) == (actual, words in json.loads(body)["error"]), body


@pytest.fixture
def occupied() -> Iterator[int]:
    """A port that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_the_command_refuses(recorded: Path, occupied: int, tmp_path: Path) -> None:
    """In one line each."""
    for words, reason in (
        ((recorded, "--port", "70000"), "--port 70000: give a port from 1 to 65535"),
        ((recorded, recorded), "is given twice"),
        ((recorded, "--perfetto", "--port", "80"), "fetches from port 9001 only"),
        ((tmp_path / "none",), "cannot be read: No such file or directory; check the name"),
    ):
        done = gpiorig("view", *words)
        assert (2, 1, True) == (done.status, len(done.stderr.splitlines()), reason in done.stderr), done.stderr
    done = gpiorig("view", recorded, "--port", str(occupied))
    assert (2, True) == (done.status, f"port {occupied} of 127.0.0.1 is in use" in done.stderr)


@dataclass
class Reader:
    """Stands for the browser: asks for some paths, then presses Ctrl-C.

    Attributes
    ----------
    paths
        What it asks for, at the port of `at`, or at the address that is opened.
    opened, answers
        The addresses that were opened, and what came.
    """

    paths: Sequence[str]
    at: str = ""
    opened: list[str] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)

    def open(self, address: str) -> None:
        """Called with the address of the page, before requests are answered."""
        self.opened.append(address)
        threading.Thread(target=self._ask, args=((self.at or address).rstrip("/"),)).start()

    def _ask(self, at: str) -> None:
        try:
            self.answers += [asked(at, path) for path in self.paths]
        finally:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # which a terminal's reaches, too


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """SIGINT ends a command, also where the tests were started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_the_command(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints its address, opens it on request, answers, and is done."""
    reader = Reader(["/runs/1/packet/1", "/runs/1/edges?from_ns=0&to_ns=1e5"])
    monkeypatch.setattr(browser, "show_address", reader.open)
    done = gpiorig("view", recorded, "--open", "-q")
    assert (0, "", reader.opened) == (done.status, done.stderr, done.stdout.splitlines())
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", reader.opened[0])
    assert [200, 200] == [status for status, _, _ in reader.answers]


@pytest.mark.usefixtures("ctrl_c")
def test_the_trace_for_perfetto(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Served for one page of the internet only, equal to the export; the UI is opened with its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(perfetto, "PORT", port)
    reader = Reader(["/trace.pftrace", "/"], at=f"http://127.0.0.1:{port}")
    monkeypatch.setattr(browser, "show_address", reader.open)
    done = gpiorig("view", recorded, "--perfetto")
    assert (0, "") == (done.status, done.stderr)
    exported = tmp_path / "trace.pftrace"
    assert 0 == gpiorig("export", recorded, "-o", exported).status
    (status, headers, body), (other, *_) = reader.answers
    assert (200, 404, exported.read_bytes()) == (status, other, body)
    assert "https://ui.perfetto.dev" == headers["Access-Control-Allow-Origin"]
    assert "cross-origin" == headers["Cross-Origin-Resource-Policy"]
    assert [f"https://ui.perfetto.dev/#!/?url=http://127.0.0.1:{port}/trace.pftrace"] == reader.opened
    assert done.stdout.startswith(reader.opened[0])


def test_a_recording_without_a_bench_has_its_edges(recorded: Path, tmp_path: Path) -> None:
    """Of any capture: all channels in any window, and no packets."""
    assert 0 == gpiorig("export", recorded, "-o", tmp_path / "edges.vcd", "--from", "10ms", "--to", "30ms").status
    assert 0 == gpiorig("import", tmp_path / "edges.vcd", "-o", tmp_path / "plain").status
    edges = Recording.open(tmp_path / "plain").edges()
    with serving([tmp_path / "plain"], tmp_path / "pages") as (at, _):
        page = asked(at, "/runs/1/")[2]
        assert (True, False) == (b'class="edges"' in page, b'class="hero"' in page)
        window = content(at, "/runs/1/edges?from_ns=0&to_ns=1e12")
        assert (edges.start, edges.end) == (window["start"], window["end"])
        _same(edges, window)
        status, _, body = asked(at, "/runs/1/packet/1")
        assert (404, True) == (status, "has no bench" in json.loads(body)["error"])


def test_a_file_is_shown_where_it_is(recorded: Path, tmp_path: Path) -> None:
    """A capture of any tool: its edges, and what decoders find, as `gpiorig decode` prints it."""
    path = tmp_path / "edges.sr"
    assert 0 == gpiorig("export", recorded, "-o", path, "--from", "10ms", "--to", "60ms").status
    node = next(iter(Recording.open(recorded).nodes))
    stack = f"uart:rx={node}.uart_tx:baudrate=115200"
    printed = gpiorig("decode", path, "-P", stack, "--json").stdout.splitlines()
    expected = [
        (row["start"], row["end"], row["text"]) for row in map(json.loads, printed) if row.get("row") == "rx-data"
    ]
    assert len(expected) > 10
    edges = sr.read_sr(path)
    shown = ShownCapture(
        path, path.name, of_session(path, ReadOptions()), parse_stacks([stack], library(), edges.channels)
    )
    site = Site([shown], tmp_path)
    page = site.answer("/runs/1/", {}).body
    assert (True, True) == (b'class="edges"' in page, "samples at 24\N{NARROW NO-BREAK SPACE}MHz".encode() in page)
    window = shown.edges(0, 1e12, bins=100)
    wait_until(lambda: shown.edges(0, 1e12, bins=100)["decoded"]["ended"])
    for start, end, text in expected[::5]:
        period_ns = 1e9 / 24e6
        window = shown.edges(start * period_ns, end * period_ns, bins=100)
        _same(edges, window)
        named = {row["name"]: row for row in window["decoded"]["rows"]}
        spans = named["uart-1: rx-data"]["spans"]
        assert [start - window["start"], end - window["start"], text] in spans
    many = {row["name"]: row for row in shown.edges(0, 1e12, bins=100)["decoded"]["rows"]}
    assert len(expected) == many["uart-1: rx-data"].get("count", len(many["uart-1: rx-data"].get("spans", ())))
    with pytest.raises(NoAnswerError, match="has no bench"):
        shown.packet(1, None)


def test_bench_and_roles_that_a_recording_lacks(recorded: Path, tmp_path: Path) -> None:
    """Given as to `gpiorig report`, a capture by others has the packets of the recording that states them."""
    shutil.copytree(recorded, tmp_path / "own")
    info = Recording.open(recorded).info
    (tmp_path / "bench.toml").write_text(info.bench)
    Recording.open(tmp_path / "own").update(bench="", experiment="", parameters={})
    given = Given(tmp_path / "bench.toml", info.parameters["initiator"], info.parameters["responder"])
    with serving([tmp_path / "own"], tmp_path / "pages", given) as (at, runs):
        assert runs[0].analysis.round_trips is not None
        identity = int(runs[0].analysis.routes[0].ids[0])
        assert content(at, f"/runs/1/packet/{identity}")["boxes"]
        assert b'id="hero-packets"' in asked(at, "/runs/1/")[2]


@pytest.mark.usefixtures("ctrl_c")
def test_what_report_takes_view_takes(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits and quantities are on the page; a bench that the recording has is refused as by `report`."""
    reader = Reader(["/runs/1/"])
    monkeypatch.setattr(browser, "show_address", reader.open)
    with blank_figures():
        done = gpiorig("view", recorded, "--open", "--assert", "rtt.max < 1 us", "--quantity", "goodput")
    assert 0 == done.status, done.stderr
    page = reader.answers[0][2].decode()
    assert "rtt.max &lt; 1\u202fµs" in page and "goodput" in page
    done = gpiorig("view", recorded, "--bench", "demo")
    assert (2, True) == (done.status, "omit --bench" in done.stderr), done.stderr


def test_the_page_has_what_a_served_page_needs(served: Served) -> None:
    """The panel knows the ends of the recording; the columns of the picture are those of a page that is a file."""
    at, runs = served
    page = asked(at, "/runs/1/")[2].decode()
    events = runs[0].analysis.events
    end_ns = float(re.findall(r'data-end="([\d.]+)"', page)[0])
    assert events.end / float(events.samplerate_hz) * 1e9 == pytest.approx(end_ns)
    assert columns_of(runs[0].analysis.routes[0]).letters in page
