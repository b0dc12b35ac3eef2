"""`gpiorig clocks`, as users call it, and clocks of the virtual bench against what they are set to."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import directbench
import numpy as np
import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig.analysis.clocks import pairing
from gpiorig.analysis.events import events
from gpiorig.analysis.logs import node_log
from gpiorig.rig.bench import benches
from gpiorig.rig.recordings import opened

START_S = 1_763_000_000
BENCH = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
ANY = r"(?P<host>\S+) (?P<node_time>\S+)"
EXPERIMENT = """
name = "clocks"
initiator = "initiator"
responder = "responder"
packets = 3000
[settings]
interval_us = 20_000
timeout_us = 15_000
payload = 32
backoff = true
seed = 1
"""


def lines(form: str, *, ppm: float = 100.0, reset_at: int | None = 600, n: int = 1000) -> str:
    """A log of one line a second or so, of a node that is `ppm` fast, begins again once, and goes back once."""
    random = np.random.default_rng(1)
    at = np.arange(n) + random.random(n) / 2
    node = 5 + at * (1 + ppm * 1e-6)
    if reset_at is not None:
        node[reset_at:] -= node[reset_at] - 0.25
    node[100] -= 3.0
    host = START_S + at + random.exponential(0.001, n)
    rows = zip(host.tolist(), node.tolist(), strict=True)
    return "".join(form.format(host=h, us=int(t * 1e6), ms=int(t * 1e3), s=t) + "\n" for h, t in rows)


@pytest.mark.parametrize(
    ("form", "pattern", "words"),
    [
        ("{host:.6f};m3-1;now={us} us", r"now=(?P<node_time_us>\d+)", []),
        ("{host:.6f};m3-1;now={us}", r"now=(?P<node_time>\d+)", []),
        ("[{host:.6f}] m3-1: {s:.6f}", r"\[(?P<host>[\d.]+)\] (?P<node>\S+): (?P<node_time>[\d.]+)", []),
        ("{host:.6f} m3-1 t={us}", r"(?P<host_s>[\d.]+) (?P<node>\S+) t=(?P<ticks>\d+)", ["--tick-hz", "1000000"]),
        ("{host:.6f} m3-1 t={ms}", r"(?P<host>[\d.]+) (?P<node>\S+) t=(?P<node_time>\d+)", ["--time-unit", "ms"]),
    ],
    ids=["iotlab", "unit found out", "decimal seconds", "ticks", "milliseconds"],
)
def test_a_log(tmp_path: Path, form: str, pattern: str, words: list[str]) -> None:
    """The documented JSON: rate, reset, step back, of a log whose truth is known, whatever its form."""
    path = tmp_path / "a.log"
    path.write_text("a line without timestamps\n" + lines(form))
    done = gpiorig("clocks", path, "--pattern", pattern, "--json", *words)
    irregular = f"{path}: irregular: line without a timestamp: 1\n" if "host" not in pattern else ""
    assert (0, irregular) == (done.status, done.stderr)
    clock = done.numbers["nodes"]["m3-1"]
    assert (1000, 1, 1) == (clock["n"], clock["resets"], clock["backsteps"])
    assert [600, 400] == [period["n"] for period in clock["boot_periods"]]
    assert [1, 0] == [period["backsteps"] for period in clock["boot_periods"]]
    for period in clock["boot_periods"]:
        low, high = period["ppm_interval"]
        assert low < 100 < high
        assert high - low < 5
        assert 1 + period["ppm"] / 1e6 == period["rate"]
        assert period["residual_std_s"] < 0.002
    assert -START_S + 5 == pytest.approx(clock["boot_periods"][0]["offset_s"], abs=0.01)
    assert done.numbers["matched"] == 1000


def test_node_alone_holds_the_time(tmp_path: Path) -> None:
    """Groups `host` and `node` are enough for a log of one node."""
    path = tmp_path / "a.txt"
    path.write_text(lines("{host:.6f} {s:.6f}", reset_at=None))
    nodes = gpiorig("clocks", path, "--pattern", r"(?P<host>\S+) (?P<node>\S+)", "--json").numbers["nodes"]
    assert [1000] == [clock["n"] for clock in nodes.values()]
    assert pytest.approx(100, abs=1) == nodes["log"]["boot_periods"][0]["ppm"]


@pytest.mark.slow
def test_text_and_figure(tmp_path: Path) -> None:
    """What people read, and a picture that is one."""
    path = tmp_path / "a.log"
    path.write_text(lines("{host:.6f};m3-1;now={us}"))
    done = gpiorig("clocks", path, "--pattern", r"now=(?P<node_time_us>\d+)", "--figure", tmp_path / "a.png")
    assert 0 == done.status
    assert (
        "m3-1 against host: 1\N{NARROW NO-BREAK SPACE}000 timestamps in steps of 1 µs, 1 reset, 1 step back"
        in done.stdout
    )
    assert "minimum delay: +" in done.stdout
    assert "1000 of 1000 lines matched" in done.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_boot_lines(tmp_path: Path) -> None:
    """A boot that the timestamps do not show is one if a line reports it."""
    path = tmp_path / "a.log"
    rows = lines("{host:.6f};m3-1;now={us}", reset_at=None).splitlines(keepends=True)
    path.write_text("".join([*rows[:500], f"{START_S + 500}.000000;m3-1;main(): booting\n", *rows[500:]]))
    numbers = gpiorig("clocks", path, "--pattern", r"now=(?P<node_time_us>\d+)", "--boot", "booting", "--json").numbers
    assert [500, 500] == [period["n"] for period in numbers["nodes"]["m3-1"]["boot_periods"]]


@pytest.mark.parametrize(
    ("text", "words", "status", "message"),
    [
        ("1.0;m3-1;x", ["--pattern", "x"], 2, "no group for the node's time; put it in (?P<node_time>"),
        ("1.0;m3-1;x", ["--pattern", "(?P<node_time>"], 2, "is not a regular expression"),
        ("what\n", ["--pattern", r"(?P<node_time>\d+)"], 2, "put that in a group (?P<time>"),
        ("1 2\n", ["--pattern", r"(?P<host>\d) (?P<node_time>x)"], 2, "none of 1 lines matches"),
        ("1 7\n2 7\n3 7\n", ["--pattern", r"(?P<host>\d) (?P<node_time>\d)"], 1, "the clock does not move"),
        ("1 7\n", ["--pattern", r"(?P<host>\d) (?P<node_time>\d)"], 1, "fewer than 3 timestamps"),
        ("1 1\n2 4\n3 7\n4 10\n", ["--pattern", r"(?P<host>\d) (?P<node_time>\d+)"], 2, "counts 3 per second"),
        ("1 1\n", [], 2, "is not a recording; give --pattern"),
        ("1 1\n2 2\n3 3\n", ["--pattern", r"(?P<host>\d) (?P<node_time>\d)", "--node", "a"], 2, "timestamps of node a"),
        ("1 nan\n2 inf\n3 1e99\n", ["--pattern", ANY], 2, "none of 3 lines matches"),
        ("1 1\n2 2\n3 nan\n4 4\n", ["--pattern", ANY], 0, "not a number, or too large a one: 1"),
        ("1 1e15\n2 2e15\n3 3e15\n", ["--pattern", ANY, "--time-unit", "s"], 2, "beyond 292 years"),
        ("1 1\n", ["--pattern", ANY, "--bits", "-3"], 2, "is not a number of bits"),
        ("1 1.5\n2 2.5\n", ["--pattern", ANY, "--bits", "62"], 2, "too many for times with 1 decimals"),
        ("1 1\n", ["--pattern", ANY, "--slack", "nan"], 2, "is not a time"),
        ("1 1\n", ["--pattern", ANY, "--tick-hz", "1/0"], 2, "is not a rate"),
        ("1 1\n", ["--pattern", ANY, "--figure", "a.xyz"], 2, "one of .png, .svg, .pdf"),
        (
            "1 a 1\nboot\n2 b 1\n",
            ["--pattern", r"(?P<host>\d) (?P<node>\S) (?P<ticks>\d)", "--boot", "boot"],
            2,
            "which",
        ),
    ],
)
def test_bad_input(tmp_path: Path, text: str, words: list[str], status: int, message: str) -> None:
    """One sentence that states what to do, or a flagged result; never a traceback."""
    path = tmp_path / "a.txt"
    path.write_text(text)
    done = gpiorig("clocks", path, *words)
    assert status == done.status, done.stderr
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("form", "group"),
    [
        (lambda us: f"{us:#x}", r"(?P<node_time_us>\S+)"),
        (lambda us: f"{us:08x}", r"(?P<node_time_us_hex>\S+)"),
        (lambda us: f"{us / 1e6!r}", r"(?P<node_time>\S+)"),
        (lambda us: f"{us - 2**31}", r"(?P<node_time_us>\S+)"),
        (lambda us: f"{(us + 2**32 - 10**7 + 2**31) % 2**32 - 2**31}", r"(?P<node_time_us>\S+)"),
    ],
    ids=["0x", "hex", "float", "negative", "wraps with a sign"],
)
def test_numbers(tmp_path: Path, form: Callable[[int], str], group: str) -> None:
    """However a node prints its time, the rate comes out."""
    at = np.arange(0, 600, 0.5)
    rows = zip((START_S + at).tolist(), np.rint(at * (1e6 + 50)).astype(int).tolist(), strict=True)
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{host:.6f} {form(us)}\n" for host, us in rows))
    (clock,) = gpiorig("clocks", path, "--pattern", rf"(?P<host>\S+) {group}", "--json").numbers["nodes"].values()
    assert (1200, 0, 0) == (clock["n"], clock["resets"], clock["backsteps"])
    assert pytest.approx(50, abs=0.01) == clock["boot_periods"][0]["ppm"]


def test_nodes_that_boot_in_one_log(tmp_path: Path) -> None:
    """Of two nodes in one text, that one boots which the line names, and --node reads that one alone."""
    rows = [f"{at}.5 {node} t={at * unit}" for at in range(40) for node, unit in (("a", 1000), ("b", 12345))]
    rows.insert(50, "25.1 a booting")
    path = tmp_path / "a.txt"
    path.write_text("\n".join(rows))
    words = ["--pattern", r"(?P<host>\S+) (?P<node>\S+) t=(?P<ticks>\d+)", "--boot", r"(?P<node>\S+) booting", "--json"]
    assert "12345 per second" in gpiorig("clocks", path, *words).stderr
    assert {"a": [25, 15]} == counts(gpiorig("clocks", path, *words, "--node", "a").numbers)
    assert {"b": [40]} == counts(gpiorig("clocks", path, *words, "--node", "b", "--tick-hz", "12345").numbers)


def counts(numbers: dict[str, Any]) -> dict[str, list[int]]:
    """Timestamps of the boot periods of each node."""
    return {node: [period["n"] for period in clock["boot_periods"]] for node, clock in numbers["nodes"].items()}


def test_no_empty_figure(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1 7\n2 7\n3 7\n")
    done = gpiorig("clocks", path, "--pattern", r"(?P<host>\d) (?P<node_time>\d)", "--figure", tmp_path / "a.png")
    assert (2, False) == (done.status, (tmp_path / "a.png").exists())
    assert "nothing to draw" in done.stderr


def test_a_recording_against_its_pins(demo: Demo) -> None:
    """Every stamp of the demo's logs has its event, and the intervals hold the clocks that are set."""
    done = gpiorig("clocks", demo.folder, "--json")
    assert (0, "") == (done.status, done.stderr)
    for node, ppm in truth_ppm().items():
        clock = done.numbers["nodes"][node]
        assert (demo.numbers["packets_sent"], 0, 0, 0) == tuple(
            clock[key] for key in ("n", "resets", "wraps", "backsteps")
        )
        (one,) = clock["boot_periods"]
        assert one["ppm_interval"][0] < ppm < one["ppm_interval"][1]


def truth_ppm() -> dict[str, float]:
    """What the nodes' clocks are set to, against the analyzer's."""
    virtual = tomllib.loads(BENCH.read_text())["virtual"]
    analyzer = 1 + virtual["analyzers"]["la"]["clock_ppb"] * 1e-9
    return {name: ((1 + node["clock_ppb"] * 1e-9) / analyzer - 1) * 1e6 for name, node in virtual["nodes"].items()}


@pytest.mark.slow
def test_clocks_of_the_virtual_bench_over_a_minute(tmp_path: Path) -> None:
    """Within 0.05 ppm of what they are set to, over 60 virtual seconds, by send calls and by arrivals."""
    recording = directbench.record(tmp_path, BENCH.read_text(), EXPERIMENT)
    seen = events.from_edges(recording.edges(), opened.wiring(benches.loads(recording.info.bench)))
    for node, ppm in truth_ppm().items():
        own = node_log.parse(recording.serial(node).data, node=node)
        for pairs in (pairing.sent(seen, own), pairing.received(seen, own)):
            assert (3000, 0, 0) == (len(pairs), pairs.unmatched_timestamps, pairs.unmatched_samples)
            (period,) = pairing.node_clock(pairs, node=node, samplerate_hz=seen.samplerate_hz).boot_periods
            (one,) = period.segments
            assert one.end_ns - one.start_ns > 59.9e9
            assert abs(one.ppm.value - ppm) < 0.05
            assert one.ppm.low < ppm < one.ppm.high


def test_every_stamp_of_a_line_counts(tmp_path: Path) -> None:
    """The same records in one line and in many give the same fit; lines and timestamps are both counted."""
    records = [f'{{"t": {START_S + k}.25, "n": {k + 7}}}' for k in range(200)]
    one, many = tmp_path / "one.txt", tmp_path / "many.txt"
    one.write_text(", ".join(records) + "\n")
    many.write_text("\n".join(records) + "\n")
    pattern = r'"t": (?P<host>[\d.]+), "n": (?P<node_time_s>\d+)'

    numbers, wanted = (gpiorig("clocks", path, "--pattern", pattern, "--json").numbers for path in (one, many))

    assert (1, 1, 200) == (numbers["lines"], numbers["matched"], numbers["stamps"])
    assert (200, 200, 200) == (wanted["lines"], wanted["matched"], wanted["stamps"])
    assert numbers["nodes"] == wanted["nodes"]
    assert "1 of 1 lines matched, with 200 timestamps" in gpiorig("clocks", one, "--pattern", pattern).stdout


def test_a_counter_of_few_bits_is_no_clock(tmp_path: Path) -> None:
    """The low byte of a 50 Hz counter, a line a second: one line of text that states what to try, not 1163 fits."""
    random = np.random.default_rng(2)
    at = np.cumsum(random.uniform(0.2, 1.8, 6000))
    path = tmp_path / "bytes.txt"
    rows = zip(at.tolist(), (at * 50).astype(int).tolist(), strict=True)
    path.write_text("".join(f"{START_S + t:.6f} {ticks % 256}\n" for t, ticks in rows))
    words = ["clocks", path, "--pattern", ANY, "--tick-hz", "50"]

    begun = time.process_time()
    wrong = gpiorig(*words)
    taken_s = time.process_time() - begun

    assert 1 == wrong.status
    assert "no clock, or one of fewer bits: values 0 to 255; try --bits 8" in wrong.stdout
    assert len(wrong.stdout.splitlines()) <= 4
    assert taken_s < 3
    (period,) = gpiorig(*words, "--bits", "8", "--json").numbers["nodes"]["log"]["boot_periods"]
    assert abs(period["ppm"]) < 1


@pytest.mark.slow
def test_ten_stretches_are_printed(tmp_path: Path) -> None:
    """A node that boots every minute: ten boot periods in text, all in JSON."""
    path = tmp_path / "boots.txt"
    path.write_text("".join(f"{START_S + k}.5 {k % 60}\n" for k in range(12 * 60)))
    words = ["clocks", path, "--pattern", ANY, "--tick-hz", "1"]
    text = gpiorig(*words).stdout
    assert 10 == text.count("  60 timestamps over")
    assert "and 2 more boot periods; --json prints all" in text
    assert 12 == len(gpiorig(*words, "--json").numbers["nodes"]["log"]["boot_periods"])


def test_a_residual_is_stated_to_the_step(tmp_path: Path) -> None:
    """A clock of 1 ms that is read at its ticks leaves none: it is below 1 ms, not 0.006 ns."""
    path = tmp_path / "ticks.txt"
    path.write_text("".join(f"{START_S + k}.{k % 3}07 {5.003 + k + k % 3 / 10:.3f}\n" for k in range(100)))
    text = gpiorig("clocks", path, "--pattern", ANY, "--tick-hz", "1").stdout
    assert "in steps of 1 ms" in text
    assert "residual below 1 ms (standard deviation)" in text


def test_bands_are_named(tmp_path: Path) -> None:
    """A third of the lines is 200 ms late."""
    random = np.random.default_rng(4)
    path = tmp_path / "bands.txt"
    late = np.where(random.random(600) < 1 / 3, 0.2, 0.0) + random.exponential(0.002, 600)
    path.write_text("".join(f"{START_S + k + late[k]:.6f} {k}.000\n" for k in range(600)))
    words = ["clocks", path, "--pattern", ANY, "--tick-hz", "1"]
    text = gpiorig(*words).stdout.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "timestamps lie in 2 bands, at \N{MINUS SIGN}200 ms, 0 from the largest" in text


@pytest.mark.slow
def test_a_recording_with_a_break(tmp_path: Path) -> None:
    """A clock that steps is stated and fitted before and after it: no figure is of a line over the step."""
    fault = 'kind = "clock_step"\nnode = "responder"\nat_us = 800_000\nppb = 0\ngap_us = 100'
    recording = directbench.record(
        tmp_path, f"{BENCH.read_text()}\n[[virtual.faults]]\n{fault}\n", EXPERIMENT, packets=50
    )
    done = gpiorig("clocks", recording.folder, "--json")
    (period,) = done.numbers["nodes"]["responder"]["boot_periods"]
    (sound,) = done.numbers["nodes"]["initiator"]["boot_periods"]
    truth = truth_ppm()["responder"]

    assert ["The clock of node responder stepped back by "] == [text[:44] for text in done.numbers["breaks"]]
    assert [] == sound["segments"]
    assert 2 == len(period["segments"])
    assert all(abs(part["ppm"] - truth) < 10 for part in period["segments"])
    assert abs(period["ppm"] - truth) < 10
    assert period["residual_std_s"] < 2e-6
    assert "Each clock that it concerns is fitted before it and after it." in gpiorig("clocks", recording.folder).stdout


@pytest.mark.slow
def test_breaks_of_analyzer_and_node(tmp_path: Path) -> None:
    """Samples are lost, then a clock stands still, and a serial line loses bytes: each break by place, size, cause."""
    faults = (
        'kind = "dropped"\nsamples = 5_000\nat_us = [600_000]',
        'kind = "clock_step"\nnode = "responder"\nat_us = 800_000\ngap_us = 200',
        'kind = "lost_bytes"\nnode = "initiator"\nppm = 3_000\nfrom_us = 450_000',
    )
    bench, run = tmp_path / "bench.toml", tmp_path / "run"
    bench.write_text(BENCH.read_text() + "".join(f"\n[[virtual.faults]]\n{fault}\n" for fault in faults))
    assert 0 == gpiorig("run", bench, "pingpong", "-o", run, "--packets", "34", "--no-report").status
    lost, step = gpiorig("clocks", run, "--json").numbers["breaks"]

    match = re.match(r"(\d+) ± (\d+) samples are missing between (\S+) and (\S+) s, by the timers of ini", lost)
    assert match, lost
    assert abs(int(match[1]) - 5_000) <= int(match[2]) < 500
    assert float(match[3]) < 0.6 < float(match[4])
    match = re.match(r"The clock of node responder stepped back by (\d+) ± (\d+) µs between (\S+) and (\S+) s; ", step)
    assert match, step
    assert abs(int(match[1]) - 200) <= int(match[2]) < 50
    assert float(match[3]) < 0.8 - 5_000 / 24e6 < float(match[4])
