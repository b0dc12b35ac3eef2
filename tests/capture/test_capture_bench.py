"""`gpiorig capture --bench` and `gpiorig report` of it: any firmware, without an experiment or a serial protocol."""

from __future__ import annotations

import os
import shutil
import signal
import tty
from collections.abc import Iterator
from pathlib import Path

import ownapplication
import pyarrow.parquet as pq
import pytest
import shared
from commandline import gpiorig, gpiorig_running
from patience import PATIENCE_S, wait_until
from twoanalyzers import two_analyzers

from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.experiments.images import reference_image
from gpiorig.vbench.serving.process import VirtualBenchProcess

pytestmark = pytest.mark.slow  # builds images, records

REAL_BENCH = """
name = "real"
[analyzers.la]
samplerate_hz = 24_000_000
driver = "demo:logic_channels=8:analog_channels=0"
[nodes.node]
board = "iotlab-m3"
serial = "/dev/no-such-port"
lines = { strobe = "D0", d0 = "D1", d1 = "D2" }
"""
ROLES = ("--initiator", "client", "--responder", "server")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A recording of the own application, one second."""
    folder = shared.filled(tmp_path_factory, "own-application", ownapplication.record)
    with shared.unchanged(folder):
        yield folder


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(recorded / "run", tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """The bench file."""
    path = tmp_path / "bench.toml"
    path.write_text(ownapplication.bench_text())
    return path


def test_the_bench_file_describes_the_recording(recorded: Path) -> None:
    """Channels, rate, images and bench are in the description, the lines of the ports in the serial records."""
    recording = Recording.open(recorded / "run")
    info = recording.info

    assert ("24000000/1", True, "", "virtual") == (
        info.samplerate, info.virtual, info.experiment, info.serial_clock
    )  # fmt: skip
    assert {"client.strobe", "client.tap.irq", "server.strobe"} <= set(info.channels)
    assert ownapplication.bench_text() == info.bench
    assert {"client", "server"} == set(info.firmware) == set(recording.nodes)
    assert b"own: boot board=iotlab-m3" in recording.serial("client").data


def test_the_same_seed_gives_the_same_edges(recorded: Path, tmp_path: Path) -> None:
    """Also without the ports; the recording ends at the sample that was asked for."""
    ownapplication.record(tmp_path, "--no-serial")
    first, second = (Recording.open(folder / "run") for folder in (recorded, tmp_path))

    assert ("client", "server") == first.nodes
    assert () == second.nodes
    assert first.edges().samples.tolist() == second.edges().samples.tolist()


def test_a_report_without_roles_has_routes(run: Path) -> None:
    """Every packet is delivered, each way a route; the page and the terminal state what is missing."""
    done = gpiorig("report", run)
    numbers = gpiorig("report", run, "--json").numbers

    assert (0, "") == (done.status, done.stderr)
    assert ["client > server", "server > client"] == sorted(route["route"] for route in numbers["routes"])
    assert 0 == numbers["lost"] < numbers["packets_timelined"] == numbers["packets_sent"]
    missing = "Not in this recording: experiment, initiator and responder, counts of the firmware (see provenance)."
    assert missing in done.stdout
    assert "none: packets go one way; give both for round trips" in (run / "report" / "report.html").read_text()


def test_a_report_with_roles_has_round_trips(run: Path) -> None:
    """As `gpiorig run` of the ping-pong has them; a report without the options has them, too."""
    done = gpiorig("report", run, *ROLES, "--json")

    assert (0, "") == (done.status, done.stderr)
    assert "round trip" == done.numbers["routes"][0]["route"]
    assert 40 < done.numbers["packets_timelined"] == done.numbers["packets_sent"]
    assert (run / "round_trips.parquet").exists()
    again = gpiorig("report", run, "--json")
    assert done.numbers["routes"] == again.numbers["routes"]
    assert done.numbers["remarks"] == again.numbers["remarks"]
    assert "Given after the recording: initiator client, responder server." in again.numbers["remarks"]


def test_roles_given_once_are_those_of_every_later_command(run: Path, tmp_path: Path) -> None:
    """Tables, comparisons, stores, batches, pages and PulseView have the round trips of the report; each states why."""
    timelined = gpiorig("report", run, *ROLES, "--json").numbers["packets_timelined"]
    for name in ("round_trips", "timelines", "steps"):
        done = gpiorig("export", run, "-o", tmp_path / f"{name}.parquet", "--table", name)
        assert (0, 1) == (done.status, done.stated.count("Given after the recording: initiator client"))
        exported = stages.read(tmp_path / f"{name}.parquet")  # steps without the report's uncertainties
        assert stages.read(run / f"{name}.parquet").select(exported.column_names).equals(exported)
    compared = gpiorig("compare", run, run, "--fresh", "--json")
    assert (0, "rtt") == (compared.status, compared.numbers["changes"][0]["name"])
    assert 0 == gpiorig("export", run, "--pulseview", "--packet", "typical", "-o", tmp_path / "typical.sr").status
    assert 0 == gpiorig("batch", run, "-o", tmp_path / "out", "--no-report", "--workers", "1").status
    rows = pq.read_table(tmp_path / "out" / "runs.parquet").to_pylist()
    assert [timelined] == [row["packets_timelined"] for row in rows]
    reproduced = gpiorig("report", "--reproduce", run)
    assert 0 == reproduced.status, reproduced.stdout + reproduced.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("export", "RUN", "-o", "OUT.parquet", "--table", "round_trips"),
        ("export", "RUN", "--pulseview", "--packet", "slowest", "-o", "OUT.sr"),
        ("packets", "RUN", "--slowest", "1"),
        ("batch", "RUN", "-o", "OUT", "--do", "decode", "--workers", "1"),
    ],
)
def test_commands_take_roles_and_keep_them(run: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    """As `report` does: the recording has them afterwards."""
    places = [word.replace("RUN", str(run)).replace("OUT", str(tmp_path / "out")) for word in command]
    assert 0 == gpiorig(*places, *ROLES).status
    info = Recording.open(run).info
    assert {"initiator": "client", "responder": "server"} == {role: info.parameters[role] for role in info.given}


def test_a_store_has_the_tables_of_the_roles(run: Path, tmp_path: Path) -> None:
    """Those from before the roles were given are replaced."""
    place = ("-s", tmp_path / "store", "--json")
    before, after, again = (gpiorig("store", "add", run, *place, *roles) for roles in ((), ROLES, ()))
    assert ["added", "replaced", "present"] == [done.numbers["status"] for done in (before, after, again)]
    count = gpiorig("store", "query", "select distinct route from steps", *place)
    assert "round trip" in count.stdout and after.numbers["run"] != before.numbers["run"]


def test_other_commands_take_the_recording(run: Path) -> None:
    """None of them needs an experiment or a serial record."""
    shutil.rmtree(run / "serial")
    description = run / "recording.toml"
    text = description.read_text()
    description.write_text(text[: text.index("[files")] if "[files" in text else text)
    for words in (("info", run), ("report", run), ("compare", run, run), ("decode", "--wiring", run)):
        done = gpiorig(*words)
        assert 0 == done.status, (words, done.stderr)


def test_an_import_is_reported_with_a_bench(run: Path, bench: Path, tmp_path: Path) -> None:
    """Channels of other tools are named as in the bench file; those that are missing are named."""
    gpiorig("export", run, "-o", tmp_path / "run.sr")
    gpiorig("import", tmp_path / "run.sr", "-o", tmp_path / "imported")
    imported = tmp_path / "imported"
    done = gpiorig("report", imported, "--bench", bench, *ROLES)

    assert (0, "") == (done.status, done.stderr)
    assert "Not in this recording: experiment, serial record, counts of the firmware (see provenance)." in done.stdout
    assert "not a measurement of hardware" in done.stdout
    bench.write_text(bench.read_text().replace("uart_tx", "spi_clk"))
    refused = gpiorig("report", imported, "--bench", bench)
    assert 2 == refused.status
    assert f"{imported}: has no channel client.spi_clk, server.spi_clk, which {bench} names" in refused.stderr


def test_boards_that_sleep_end_the_recording(tmp_path: Path, bench: Path) -> None:
    """The reference firmware waits for a command: virtual time stops, and no sample of the 60 s comes any more."""
    done = gpiorig("capture", "--bench", bench, "--duration", "60s", "-o", tmp_path / "asleep", "--json")
    report = gpiorig("report", tmp_path / "asleep")

    assert (0, "") == (done.status, done.stderr)
    assert "complete" == done.numbers["state"]
    assert "every virtual board sleeps with nothing to come" == done.numbers["stopped"]
    assert 0 < done.numbers["duration_s"] < 1
    assert (0, "") == (report.status, report.stderr)
    assert "No packet in the events" in report.stdout


def test_a_bench_that_is_served(tmp_path: Path, bench: Path) -> None:
    """Its analyzer is given with --driver; whoever serves it has the ports and types the commands."""
    with VirtualBenchProcess(bench, firmware={name: ownapplication.image(name) for name in ("client", "server")}) as it:
        end = it.endpoints["serial"]["client"]["path"]
        typing = os.open(str(end), os.O_RDWR | os.O_NOCTTY)
        tty.setraw(typing)
        words = ("-d", it.endpoints["analyzers"]["la"], "--duration", "200ms", *ROLES)
        done = gpiorig("capture", "--bench", bench, *words, "-o", tmp_path / "served", "--json")
        os.close(typing)

    assert (0, "", "complete") == (done.status, done.stderr, done.numbers["state"])
    assert [] == done.numbers["nodes"]
    assert "client" == Recording.open(tmp_path / "served").info.parameters["initiator"]


def test_a_bench_that_stops_at_once_leaves_nothing(tmp_path: Path, bench: Path) -> None:
    """An image of another board: the error is the virtual bench's own, and the next attempt can have the folder."""
    other = reference_image("nucleo-l476rg")
    done = gpiorig("capture", "--bench", bench, "--firmware", f"client={other}", "-o", tmp_path / "run")

    assert 2 == done.status
    assert "node client: write to unmapped register" in done.stderr
    assert not (tmp_path / "run").exists()


def test_several_analyzers(tmp_path: Path) -> None:
    """All of them record for this time, and their recordings are merged by the sync line."""
    (bench := tmp_path / "bench.toml").write_text(ownapplication.named(two_analyzers()))
    words = (*ownapplication.firmware(), *ROLES, "--duration", "1s", "-o", tmp_path / "run", "--json")
    done = gpiorig("capture", "--bench", bench, *words)
    reported = gpiorig("report", tmp_path / "run", "--json")

    assert (0, "", "complete") == (done.status, done.stderr, done.numbers["state"])
    assert {"one": 24_000_000, "two": 16_000_000} == {
        name: analyzer["samples"] for name, analyzer in done.numbers["analyzers"].items()
    }
    assert (0, "") == (reported.status, reported.stderr)
    assert 40 < reported.numbers["packets_timelined"] == reported.numbers["packets_sent"] - 1  # one is cut by the end
    assert 0 == reported.numbers["lost"]
    refused = gpiorig("capture", "--bench", bench, "-d", "demo", "-o", tmp_path / "refused")
    assert "--driver names one analyzer, the bench has one, two" in refused.stderr


def test_a_real_bench(tmp_path: Path) -> None:
    """Driver and ports are those of the file; a port that is not there ends it before it starts."""
    (bench := tmp_path / "bench.toml").write_text(REAL_BENCH)
    words = ("capture", "--bench", bench, "--duration", "100ms", "-o", tmp_path / "run")
    refused = gpiorig(*words)
    assert (2, False) == (refused.status, (tmp_path / "run").exists())
    assert "/dev/no-such-port: " in refused.stderr
    done = gpiorig(*words, "--no-serial", "--json")

    assert (0, "") == (done.status, done.stderr)
    info = Recording.open(tmp_path / "run").info
    assert (None, 2_400_000) == (info.virtual, done.numbers["samples"])
    assert ("node.strobe", "node.d0", "node.d1") == info.channels[:3]


def test_symbols_of_less_than_three_samples_are_refused(tmp_path: Path) -> None:
    (bench := tmp_path / "bench.toml").write_text(ownapplication.bench_text().replace("24_000_000", "16_000_000"))
    refused = gpiorig("capture", "--bench", bench, "-o", tmp_path / "run")

    assert (2, False) == (refused.status, (tmp_path / "run").exists())
    assert "nodes.client.symbol_ns: 125 ns are 2 samples of analyzer la" in refused.stderr


def test_ctrl_c_is_the_usual_end(tmp_path: Path, bench: Path) -> None:
    """It reaches the entire group of processes; the virtual bench ends with the command."""
    words = ("capture", "--bench", bench, *ownapplication.firmware(), "--json", "-o", tmp_path / "run")
    with gpiorig_running(*words) as capture:
        wait_until(lambda: sum(path.stat().st_size for path in tmp_path.glob("run/edges/*.seg")) > 100_000)
        os.killpg(capture.pid, signal.SIGINT)
        _, complained = capture.communicate(timeout=PATIENCE_S)

    assert (0, "") == (capture.returncode, complained)
    assert "complete" == Recording.open(tmp_path / "run").state


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("-c", "D0"), "the bench determines --channels; omit it together with --bench."),
        (("--samplerate", "1MHz"), "the bench determines --samplerate; omit it together with --bench."),
        (("--heartbeat", "D7=1ms"), "the bench determines --heartbeat; omit it together with --bench."),
        (("--virtual",), "the bench determines --virtual; omit it together with --bench."),
        (("--resume",), "--resume continues a recording as it was begun; omit --bench."),
        (("--initiator", "client"), "give --responder too"),
        (
            ("--initiator", "client", "--responder", "x"),
            "--responder x: the bench has no such node; it has client, server.",
        ),
        (("--initiator", "client", "--responder", "client"), "--initiator and --responder are both client"),
        (("--firmware", "x=y"), "--firmware x=y: give NODE=ELF with one of client, server."),
        (("-d", "demo", "--firmware", "client=y"), "--firmware is for a virtual bench that this command starts"),
    ],
)
def test_what_is_refused(tmp_path: Path, bench: Path, words: tuple[str, ...], refusal: str) -> None:
    """One error, before anything is started; nothing is left."""
    done = gpiorig("capture", "--bench", bench, *words, "-o", tmp_path / "refused")

    assert 2 == done.status
    assert refusal in done.stderr
    assert not (tmp_path / "refused").exists()


def test_options_of_a_bench_need_it(tmp_path: Path) -> None:
    """Without the bench file nothing has the names."""
    done = gpiorig("capture", "-d", "demo", "--samplerate", "1MHz", "--initiator", "a", "-o", tmp_path / "refused")

    assert (2, True) == (done.status, "--initiator needs the bench file that names the nodes" in done.stderr)


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("--initiator", "client"), "give --responder too"),
        (("--bench", "demo"), "contains the bench it was recorded on; omit --bench"),
    ],
)
def test_what_a_report_refuses(run: Path, words: tuple[str, ...], refusal: str) -> None:
    """One role, and another bench."""
    done = gpiorig("report", run, *words)

    assert 2 == done.status
    assert refusal in done.stderr
