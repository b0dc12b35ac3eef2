"""The two paces: fast, where host input still reaches a board that never sleeps; and real time."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from commandline import ROOT, gpiorig, gpiorig_running
from patience import PATIENCE_S
from virtualbench import Sigrok, bench_text, capture, changes, served

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.serial.port import SerialPort
from gpiorig.rig.results import report
from gpiorig.vbench.ends import pace
from gpiorig.vbench.ends.pace import ENTRY_PS, HostClock

STROBE = "P8_45"
ENTRY_NS = ENTRY_PS // 1000
MS_NS = 1_000_000
TCK_S = 1e-6  # of the virtual debug adapter
CLOCK_BLOCK, CLOCKS = b"04" * 1000, 200_000  # remote_bitbang: TCK down and up
ECHO_NS = 25 * MS_NS  # 3 bytes there, 7 back, a print in between, latency timer, poll, reader


def read_tick(port: serial.Serial) -> int:
    """The number of the next tick line."""
    while not (line := port.readline()).startswith(b"tick "):
        assert line, "nothing came in time"
    return int(line.removeprefix(b"tick "))


def test_what_the_boards_compute_is_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that take longer than the host's clock to live through a pause do not make the next one longer."""
    now_s = [10.0]
    monkeypatch.setattr(pace, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    clock = HostClock()
    for _ in range(3):
        now_s[0] += 0.002
        assert 2 * 10**9 == pytest.approx(clock.pause_ps(), abs=1e3)
        with clock.stopped():
            now_s[0] += 0.004


@pytest.mark.slow
def test_fast_pace_lets_input_in_though_no_board_sleeps(tmp_path: Path, tick: Path) -> None:
    """A line for a board that never sleeps enters at a multiple of 100 ms, and is answered."""
    with served(tmp_path, bench_text(), tick) as process:
        end = process.endpoints["serial"]["node"]
        record = tmp_path / "node.rec"
        with SerialPort("node", end["path"], baudrate=500_000, record=record, stamps=Path(end["stamps"])) as port:
            running = Sigrok(process.endpoints["analyzers"]["la"], "--samples", "500000000", rate_hz=1_000_000)
            for word in ("hi", "ho"):
                port.write_line(word)
                line = port.wait_line(lambda text, word=word: text == f"got {word}", deadline_s=PATIENCE_S)
                assert line.stamp_ns % ENTRY_NS < ECHO_NS
            running.process.kill()
            running.samples(2)


@pytest.mark.slow
def test_real_time(tmp_path: Path, tick: Path) -> None:
    """Serial lines come without an analyzer; analyzers come and go; input enters; time never runs ahead."""
    start_s = time.monotonic()
    text = bench_text(virtual='pace = "real-time"')
    with served(tmp_path, text, tick) as process:
        end = process.endpoints["serial"]["node"]
        assert end["stamps"] is None
        with serial.Serial(end["path"], 500_000, timeout=PATIENCE_S) as port:
            before = read_tick(port)
            for _ in range(2):
                samples = capture(process, "la", samples=480_000)
                assert 19 <= len(changes(samples, STROBE)) <= 20
                before, now = read_tick(port), before
                assert before > now
            port.write(b"hi\n")
            while (line := port.readline()) != b"got hi\n":
                assert line, "no echo came in time"
            last = read_tick(port)
            assert last <= (time.monotonic() - start_s) * 1000


@pytest.mark.slow
def test_real_time_says_how_it_kept_up(tmp_path: Path, tick: Path) -> None:
    """Ends are printed as text; Ctrl-C ends the bench in order, and it reports how late the ticks were."""
    path = tmp_path / "bench.toml"
    path.write_text(bench_text())
    words = ["bench", "virtual", path, "--firmware", f"node={tick}"]  # without --json it has the host's time
    with gpiorig_running(*words) as process:
        assert process.stdout is not None
        shown = [process.stdout.readline() for _ in range(4)]
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)  # its standard input is still open
        _, errors = process.communicate()

    assert 0 == process.returncode
    assert "real-time pace" in shown[0]
    assert "sigrok-cli -d beaglelogic:conn=tcp-raw/127.0.0.1/" in shown[1]
    assert "serial node: /dev/pts/" in shown[2]
    assert "ticks of 2 ms were late, at worst by" in errors


@pytest.mark.slow
@pytest.mark.parametrize("stdin", [os.devnull, "file"])
def test_a_standard_input_that_cannot_be_polled(tmp_path: Path, tick: Path, stdin: str) -> None:
    """The bench is served with /dev/null and with a file, as from a script; Ctrl-C ends it."""
    (path := tmp_path / "bench.toml").write_text(bench_text())
    (tmp_path / "file").write_text("text\n")
    fast = ("--pace", "fast")
    with (
        (tmp_path / stdin).open() as control,
        gpiorig_running("bench", "virtual", path, *fast, "--firmware", f"node={tick}", stdin=control) as process,
    ):
        assert process.stdout is not None
        shown = [process.stdout.readline() for _ in range(2)]
        driver = shown[1].split()[4]
        done = gpiorig("capture", "--bench", path, "-d", driver, "--duration", "10ms", "-o", tmp_path / "run")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)

    assert (0, 0, "") == (process.returncode, done.status, errors)


def test_error_for_people(tmp_path: Path) -> None:
    """An image that is not there is one error on standard error, without --json."""
    path = tmp_path / "bench.toml"
    path.write_text(bench_text())
    done = gpiorig("bench", "virtual", path, "--firmware", "node=/none.elf")

    assert (2, "") == (done.status, done.stdout)
    assert done.stderr.startswith("gpiorig bench: error: firmware /none.elf: No such file")


def test_a_bench_file_asks_for_real_time(tmp_path: Path) -> None:
    """A bench that is used as a real one cannot have the fast pace: its analyzer would be silent, which is an error."""
    path = tmp_path / "bench.toml"
    path.write_text(bench_text())
    done = gpiorig("bench", "virtual", path, "--pace", "fast", "--bench-file", tmp_path / "served.toml")

    assert (2, "", False) == (done.status, done.stdout, (tmp_path / "served.toml").exists())
    assert "its analyzers are silent while its boards sleep. Omit --pace fast." in done.stderr


@pytest.mark.slow
def test_run_in_real_time(tmp_path: Path) -> None:
    """A complete experiment at the real-time pace: stamps are the host's, and every packet is accounted for."""
    demo = (ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml").read_text()
    path = tmp_path / "bench.toml"
    path.write_text(demo.replace("seed = 1", 'seed = 1\npace = "real-time"'))
    words = ["-o", tmp_path / "run", "--packets", "20", "--no-report"]
    done = gpiorig("run", path, ROOT / "experiments" / "pingpong.toml", *words)

    assert 0 == done.status, done.stderr
    recording = Recording.open(tmp_path / "run")
    assert "host" == recording.info.serial_clock
    numbers = report.of(recording)
    assert (20, ()) == (numbers.numbers.packets_timelined, numbers.data.notes)


@pytest.mark.slow
def test_a_debug_adapter_does_not_outrun_the_wall_clock(tmp_path: Path, tick: Path) -> None:
    """A TCK of a debugger takes virtual time, which a quick host runs through sooner: its program waits for it."""
    with served(tmp_path, bench_text(virtual='pace = "real-time"'), tick) as process:
        port = process.endpoints["debug"]["node"]["port"]
        with socket.create_connection(("127.0.0.1", port)) as adapter:
            start_s = time.monotonic()
            for _ in range(2 * CLOCKS // len(CLOCK_BLOCK)):
                adapter.sendall(CLOCK_BLOCK + b"R")
                assert adapter.recv(1) in b"01"
            assert time.monotonic() - start_s >= CLOCKS * TCK_S
