"""Serial lines of a bench: on the pins as in the recorder; `gpiorig serial` shows, records and replays them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import tty
from pathlib import Path

import pytest
from commandline import Demo, gpiorig, gpiorig_process
from patience import PATIENCE_S

from gpiorig.capture.buses import uart, uart_lines
from gpiorig.capture.buses.baudrate import estimate_baudrate
from gpiorig.capture.buses.uart import UartFormat
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import waveform_of
from gpiorig.capture.formats import iotlab_log
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.vbench.description import section

NODES = ("initiator", "responder")


@pytest.mark.parametrize("node", NODES)
def test_lines_on_the_pin_are_the_lines_of_the_recorder(demo: Demo, node: str) -> None:
    """And no line is in the host before its last stop bit is over, by the analyzer's clock and its known error."""
    recording = Recording.open(demo.folder)
    bench = benches.loads(recording.info.bench)
    form = UartFormat(baudrate=bench.nodes[node].described_board.baudrate)
    edges = recording.edges()
    on_pin = list(uart_lines.lines(uart.decode(waveform_of(edges), f"{node}.uart_tx", form)))
    recorded = recording.serial(node).lines()
    clock = section.of(bench).analyzers["la"]
    sample_ns = 10**9 / edges.samplerate_hz
    error_ns = edges.end * sample_ns * abs(clock.clock_ppb) / 10**9 + clock.phase_ps / 1000

    assert recorded.texts == tuple(line.text for line in on_pin)
    assert {0} == {line.errors for line in on_pin}
    assert all(line.start < line.end for line in on_pin)
    assert all(
        stamp_ns + error_ns >= line.end * sample_ns
        for stamp_ns, line in zip(recorded.stamps_ns.tolist(), on_pin, strict=True)
    )
    assert form.baudrate == estimate_baudrate(edges, f"{node}.uart_tx")


def test_a_recording_is_shown_in_the_order_of_its_stamps(demo: Demo) -> None:
    done = gpiorig("serial", demo.folder, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    recording = Recording.open(demo.folder)

    assert 0 == done.status
    assert sorted(line["stamp_ns"] for line in lines) == [line["stamp_ns"] for line in lines]
    for node in NODES:
        texts = [line["text"] for line in lines if (line["node"], line["kind"]) == (node, "received")]
        assert list(recording.serial(node).lines().texts) == texts
    for_people = gpiorig("serial", demo.folder, "--node", "responder", "--follow").stdout.splitlines()
    assert any(line.endswith(" responder | ready") for line in for_people)
    assert not any("initiator |" in line for line in for_people)


def test_the_aggregator_stamps_later_than_the_recorder(demo: Demo, tmp_path: Path) -> None:
    """Its log has the same lines, each at least a receive and the lines before it later; the audit reports how much."""
    log = tmp_path / "run.log"
    log.write_text(gpiorig("serial", demo.folder, "--aggregator", "--print-cost", "100us").stdout)
    block = iotlab_log.read(log, ReadOptions()).all()
    audit = gpiorig("serial", demo.folder, "--aggregator", "--print-cost", "100us", "--audit").numbers
    recording = Recording.open(demo.folder)

    assert {} == block.dirt
    for node in NODES:
        texts = tuple(text for sender, text in zip(block.nodes, block.texts, strict=True) if sender == node)
        assert recording.serial(node).lines().texts == texts
    assert len(block.texts) == audit["lines"]
    assert 0 < audit["error_ns"]["min"] <= audit["error_ns"]["median"] < audit["error_ns"]["max"]
    assert audit["virtual"]


def test_lines_of_the_pins_are_shown_with_their_latency(demo: Demo) -> None:
    """In the order of their ends; the recorder has each later, by the virtual adapter's latency timer at most."""
    done = gpiorig("serial", demo.folder, "--pins", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    audit = gpiorig("serial", demo.folder, "--pins", "--audit").numbers
    recording = Recording.open(demo.folder)
    bench = benches.loads(recording.info.bench)
    serial = section.of(bench).serial
    reader_us = serial.poll_us + serial.wake_us + serial.wake_tail_us + serial.other_us + serial.read_us

    assert sorted(line["end_sample"] for line in lines) == [line["end_sample"] for line in lines]
    for node in NODES:
        texts = [line["text"] for line in lines if line["node"] == node]
        assert list(recording.serial(node).lines().texts) == texts
        latencies = audit["nodes"][node]
        assert len(texts) == latencies["lines"]
        assert 0 < latencies["error_ns"]["min"] < latencies["error_ns"]["median"]
        assert latencies["error_ns"]["max"] < serial.latency_timer_ms * 1_000_000 + reader_us * 1000
    assert ("sample 0", True) == (audit["zero"], audit["virtual"])


@pytest.mark.slow
def test_ports_are_shown_recorded_and_talked_to(tmp_path: Path) -> None:
    """A pty and a TCP port at once: lines and losses are shown as they come, input goes where it is addressed."""
    master, slave = os.openpty()
    tty.setraw(slave)
    folder = tmp_path / "run"
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [f"m3-1={os.ttyname(slave)}", f"m3-2=socket://127.0.0.1:{server.getsockname()[1]}"]
        command = [sys.executable, "-m", "gpiorig.rig.cli", "serial", *words, "-o", str(folder), "--json"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shown:
            assert shown.stdin
            assert shown.stdout
            server.settimeout(PATIENCE_S)
            peer, _ = server.accept()
            assert {"opened"} == {json.loads(shown.stdout.readline())["kind"] for _ in range(2)}
            os.write(master, b"from m3-1\n")
            assert ("m3-1", "from m3-1") == node_and_text(shown.stdout.readline())
            peer.sendall(b"from m3-2\r\n")
            assert ("m3-2", "from m3-2") == node_and_text(shown.stdout.readline())
            shown.stdin.write("m3,2;for m3-2\n")
            shown.stdin.flush()
            assert ("m3-2", "for m3-2") == node_and_text(shown.stdout.readline())
            assert b"for m3-2\n" == peer.recv(100)
            peer.close()
            assert "lost" == json.loads(shown.stdout.readline())["kind"]
            time.sleep(0.1)
            shown.terminate()
            shown.communicate(timeout=PATIENCE_S)  # its last words; with its output closed it would end with 141
    os.close(master)
    os.close(slave)
    recording = Recording.open(folder)

    assert 1 == shown.returncode  # something was lost
    assert ("incomplete", ("m3-1", "m3-2")) == (recording.info.state, recording.nodes)
    assert "serial/m3-2.rec: the port was gone 1 times" == recording.info.reason
    assert ("from m3-2",) == recording.serial("m3-2").lines().texts
    assert recording.info.reason == recording.verify()[-1]


def node_and_text(line: str) -> tuple[str, str]:
    row = json.loads(line)
    return row["node"], row["text"]


def test_a_port_that_cannot_be_opened_leaves_no_recording(tmp_path: Path) -> None:
    done = gpiorig("serial", "/dev/ttyNONE0", "-o", tmp_path / "run")

    assert 2 == done.status
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_duration_is_a_time(tmp_path: Path) -> None:
    """As of `gpiorig capture`."""
    master, slave = os.openpty()
    tty.setraw(slave)
    done = gpiorig_process("serial", f"a={os.ttyname(slave)}", "-o", tmp_path / "run", "--duration", "100ms")
    os.close(master)
    os.close(slave)

    assert (0, "complete") == (done.status, Recording.open(tmp_path / "run").info.state)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/dev/ttyNONE0"], "there is no such port"),
        (["a=/dev/x", "a=/dev/y"], "two ports are named a"),
        (["a=/dev/x", "--node", "b"], "no node b; available nodes: a"),
        (["a=/dev/x", "--follow"], "are for a recording"),
        (["a=/dev/x", "--duration", "soon"], "is not a time: write 90s"),
    ],
)
def test_wrong_use_is_one_clear_error(words: list[str], message: str) -> None:
    done = gpiorig("serial", *words)

    assert 2 == done.status
    assert message in done.stderr
    assert "" == done.stdout
