"""`gpiorig measure` and `gpiorig latency`, as users call them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commandline import Demo, gpiorig

from gpiorig.analysis.tables import stages
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

VCD = """$timescale 1 us $end
$scope module a $end
$var wire 1 ! irq $end
$upscope $end
$scope module b $end
$var wire 1 " irq $end
$upscope $end
$enddefinitions $end
#0 0! 0"
#10 1!
#14 1"
#20 0!
#25 0"
#30 1!
#33 1"
#40 0!
#100 0"
"""
IOTLAB = """1700000000.000000;m3-1;send 1
1700000000.010000;m3-2;send 1
1700000000.012500;m3-1;got 1
1700000000.020000;m3-2;got 1
1700000000.030000;m3-1;send 2
1700000000.040000;m3-1;got 3
"""


@pytest.fixture
def vcd(tmp_path: Path) -> Path:
    path = tmp_path / "pins.vcd"
    path.write_text(VCD)
    return path


def test_pairs_of_a_file(vcd: Path) -> None:
    """Every number of the documented JSON, from a file whose edges are known."""
    done = gpiorig("measure", vcd, "--start", "a.irq:rise", "--end", "b.irq:rise", "--json")

    assert (0, "") == (done.status, done.stderr)
    numbers = done.numbers
    assert (2, 0, 0, None) == (numbers["n"], numbers["unpaired_start"], numbers["unpaired_end"], numbers["virtual"])
    assert (3000, 3500, 4000, 3500) == (numbers["min_ns"], numbers["median_ns"], numbers["max_ns"], numbers["mean_ns"])
    assert (3050, 3950) == (numbers["p5_ns"], numbers["p95_ns"])
    assert np.std([3000, 4000], ddof=1) == pytest.approx(numbers["std_ns"])
    # docs/guide/uncertainty.md: 0.95 of a sample and 1.5 apertures of 2 ns; 5 ns of skew and 100 ppm are added.
    fixed_ns = 953 + 2 * 5 / 3**0.5
    assert fixed_ns + 2 * 100e-6 * 4000 / 3**0.5 == pytest.approx(numbers["uncertainty_ns"])
    assert fixed_ns + 2 * 100e-6 * 3500 / 3**0.5 == pytest.approx(numbers["median_uncertainty_ns"])


@pytest.mark.parametrize(
    ("words", "median_ns", "n"),
    [
        (["--period", "a.irq:rise"], 20_000, 1),
        (["--period", "a.irq:edge"], 10_000, 3),
        (["--width", "a.irq:high"], 10_000, 2),
        (["--width", "a.irq:low"], 10_000, 1),
        (["--skew", "a.irq", "b.irq", "--max-gap", "20us"], 4_000, 3),
        (["--start", "a.irq:rise", "--end", "b.irq:fall"], 42_500, 2),
    ],
)
def test_every_way_to_measure(vcd: Path, words: list[str], median_ns: float, n: int) -> None:
    """Periods, widths, skews: medians by hand."""
    numbers = gpiorig("measure", vcd, *words, "--json").numbers

    assert (n, median_ns) == (numbers["n"], numbers["median_ns"])


def test_per_node_takes_the_channels_named_after_nodes(vcd: Path, tmp_path: Path) -> None:
    """In the table each delay stands with its node and with its own ±."""
    path = tmp_path / "d.csv"
    numbers = gpiorig("measure", vcd, "--width", "irq:high", "--per", "node", "--json", "-o", path).numbers
    delays = stages.read(path).to_pydict()

    assert ["a", "a", "b", "b"] == delays["measured"]
    assert [10_000, 10_000, 11_000, 67_000] == delays["delay_ns"]
    assert numbers["nodes"]["b"]["uncertainty_ns"] == pytest.approx(delays["uncertainty_ns"][3])
    assert delays["uncertainty_ns"][3] > delays["uncertainty_ns"][2]

    assert {"a": 10_000, "b": 39_000} == {node: counts["median_ns"] for node, counts in numbers["nodes"].items()}


def test_delays_and_figure_are_written(vcd: Path, tmp_path: Path) -> None:
    done = gpiorig(
        "measure", vcd, "--width", "a.irq:high", "-o", tmp_path / "d.parquet", "--figure", tmp_path / "d.png"
    )

    assert (0, "") == (done.status, done.stderr)
    delays = stages.read(tmp_path / "d.parquet")
    assert [10_000.0, 10_000.0] == delays["delay_ns"].to_pylist()
    longest = gpiorig("measure", vcd, "--width", "a.irq:high", "--json").numbers["uncertainty_ns"]
    assert [longest, longest] == pytest.approx(delays["uncertainty_ns"].to_pylist())
    assert b"\x89PNG" == (tmp_path / "d.png").read_bytes()[:4]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--start", "x", "--end", "a.irq"], "no channel `x` in this capture; available channels: a.irq, b.irq"),
        (["--start", "a.irq"], "give one measurement"),
        (["--period", "a.irq:high"], "write a.irq:rise or a.irq:fall or a.irq:edge"),
        (["--width", "a.irq:rise"], "write a.irq:high or a.irq:low"),
        (["--width", "a.irq", "--max-gap", "5 parsecs"], "is not a time"),
        (["--width", "strobe", "--per", "node"], "no node has the lines strobe"),
        (["--skew", "a.irq:rise", "b.irq:fall"], "edges of one kind"),
        (["--skew", "a.irq", "a.irq"], "a skew is between two"),
        (["--start", "b.irq:rise", "--end", "b.irq:rise", "--max-gap", "1us", "--figure", "f.png"], "no delay to draw"),
        (["--width", "a.irq", "--figure", "f.xyz"], "one of .png, .svg, .pdf"),
        (["--width", "a.irq", "-o", "no/such/folder/d.csv"], "there is no folder no/such/folder"),
    ],
)
def test_wrong_use_is_one_clear_error(vcd: Path, words: list[str], text: str) -> None:
    done = gpiorig("measure", vcd, *words)

    assert 2 == done.status
    assert text in done.stderr
    assert 1 == len(done.stderr.splitlines())


def test_no_pair_is_a_result(vcd: Path) -> None:
    """Edges without a partner are counted, and what is not defined is null."""
    done = gpiorig("measure", vcd, "--start", "b.irq:fall", "--end", "a.irq:fall", "--max-gap", "1us", "--json")

    assert 0 == done.status
    assert (0, 2, 2, 1) == tuple(done.numbers[key] for key in ("n", "unpaired_start", "unpaired_end", "too_long"))
    assert {None} == {done.numbers[key] for key in ("median_ns", "std_ns", "uncertainty_ns")}


def test_the_error_of_a_clock_has_a_limit(vcd: Path) -> None:
    """Neither a negative one, which would make ± smaller, nor one that is not a number."""
    for ppm in ("-50", "nan"):
        done = gpiorig("measure", vcd, "--width", "a.irq", f"--clock-ppm={ppm}")

        assert (2, True) == (done.status, f"{ppm!r} is not a limit of a clock's error" in done.stderr)


def test_times_finer_than_samples_are_pointed_out(tmp_path: Path) -> None:
    """A table of times in ps tells nothing of the analyzer; with its samplerate ± is that of its samples."""
    path = tmp_path / "pins.csv"
    path.write_text("Time[s], A:x\n0.000000000000, 0\n0.000010416612, 1\n0.000020833391, 0\n")

    finer, known = (
        gpiorig("measure", path, "--width", "A:x:high", *words) for words in ([], ["--samplerate", "24MHz"])
    )

    assert "steps of 0.001 ns" in finer.stdout
    assert "steps of" not in known.stdout
    assert "1 delay, each ± 49.0 ns (k = 2)" in known.stdout


def test_a_colon_in_a_channels_name_is_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "pins.csv"
    path.write_text("Time[s],D0:rise\n0.0,0\n0.1,1\n")

    done = gpiorig("measure", path, "--period", "D0:rise")

    assert (2, True) == (done.status, "after it: D0:rise:rise." in done.stderr)


def test_a_recording_agrees_with_its_timelines(demo: Demo) -> None:
    """From the frame's mark to the receiver's interrupt, measured on the channels, agrees with the timelines."""
    result = analyse(open_recording(Recording.open(demo.folder)))
    air = result.timelines.column("request.irq") - result.timelines.column("request.air.start")
    header = result.timelines.header_samples[0]

    numbers = gpiorig(
        "measure",
        demo.folder,
        *("--start", "responder.tap.frame_timestamp:rise", "--end", "responder.tap.irq:rise", "--json"),
    ).numbers

    ignored = gpiorig("measure", demo.folder, "--period", "initiator.tap.irq", "--samplerate", "1MHz")
    assert (2, True) == (ignored.status, "--samplerate: " in ignored.stderr)
    assert numbers["virtual"]
    assert len(air) == numbers["n"]
    period_ns = 1e9 / 24e6
    assert (np.median(air) - header) * period_ns == pytest.approx(numbers["median_ns"])
    assert (air.max() - header) * period_ns == pytest.approx(numbers["max_ns"])


def test_lines_of_a_virtual_recording_are_labelled(demo: Demo) -> None:
    """Each line of two nodes is paired or counted, and numbers of a virtual bench are marked as such."""
    words = ["--request", r"seq=(?P<id>\d+) rx_us", "--response", r"seq=(?P<id>\d+) tx_us", "--across-nodes"]

    done = gpiorig("latency", demo.folder, *words)

    assert "responder: " in done.stdout
    assert done.stated.endswith("Virtual bench: these numbers test the rig; they are not a measurement of hardware.\n")
    numbers = gpiorig("latency", demo.folder, *words, "--json").numbers
    assert (True, 0) == (numbers["virtual"], numbers["backsteps"])
    lines = {node: Recording.open(demo.folder).serial(node).lines().texts for node in ("initiator", "responder")}
    assert {node: sum("packet seq=" in text for text in texts) for node, texts in lines.items()} == {
        "responder": numbers["n"] + numbers["unpaired_request"],
        "initiator": numbers["n"] + numbers["unpaired_response"],
    }


def test_lines_of_a_log_are_paired(tmp_path: Path) -> None:
    """Requests and responses of the same node and id; what is left over is counted, by node."""
    log = tmp_path / "iotlab.log"
    log.write_text(IOTLAB)
    words = ("latency", log, "--request", r"send (?P<id>\d+)", "--response", r"got (?P<id>\d+)", "--json")

    numbers = gpiorig(*words).numbers

    assert (2, 1, 1) == (numbers["n"], numbers["unpaired_request"], numbers["unpaired_response"])
    assert {"m3-1": 12_500_000, "m3-2": 10_000_000} == {
        n: counts["median_ns"] for n, counts in numbers["nodes"].items()
    }
    across = gpiorig(*words, "--across-nodes").numbers
    assert (1, 2_500_000) == (across["n"], across["max_ns"])  # m3-2 sent id 1 again: that one is answered


def test_patterns_may_name_the_node_and_the_time(tmp_path: Path) -> None:
    """Text of no known format, with its own times; the node is a group of the pattern."""
    log = tmp_path / "any.txt"
    log.write_text("[1.5] to x 1\n[1.75] to y 1\n[2.5] from x 1\nnoise\n")
    words = [r"\[(?P<time>[\d.]+)\] to (?P<node>\w) (?P<id>\d+)", r"\[(?P<time>[\d.]+)\] from (?P<node>\w) (?P<id>\d+)"]

    numbers = gpiorig("latency", log, "--request", words[0], "--response", words[1], "--json").numbers

    assert (1, 10**9) == (numbers["n"], numbers["median_ns"])
    assert 1 == numbers["nodes"]["y"]["unpaired_request"]


def test_damaged_lines_of_a_log_are_counted(tmp_path: Path) -> None:
    """A time that is none, an id that is not there: omitted, counted, and never taken for equal ids."""
    log = tmp_path / "cooja.log"
    log.write_bytes(
        b"00:01.000 ID:1 ping 7\nNaN ID:1 ping 8\n00:01.5\xff ID:1 pong 8\n00:02.500 ID:1 pong 7\n"
        b"00:03.000 ID:1 ping \n00:04.000 ID:1 pong \n"
    )
    words = [rf"^(?P<time>\S+) ID:(?P<node>\d+) {word} (?P<id>\d+)?" for word in ("ping", "pong")]

    numbers = gpiorig("latency", log, "--request", words[0], "--response", words[1], "--json").numbers

    assert (1, 1_500_000_000, 4) == (numbers["n"], numbers["max_ns"], numbers["unusable_lines"])
    assert (0, 0) == (numbers["unpaired_request"], numbers["unpaired_response"])


def test_several_logs_are_put_in_the_order_of_their_stamps(tmp_path: Path) -> None:
    """A log for each node, the receiver's given first; --max-gap keeps an old request from a response to a lost one."""
    sender, receiver = tmp_path / "a.log", tmp_path / "b.log"
    sender.write_text("1.0 tx 1\n2.0 tx 2\n")
    receiver.write_text("1.01 rx 1\n9.0 rx 2\n")
    words = ["--request", r"(?P<time>\S+) tx (?P<id>\d+)", "--response", r"(?P<time>\S+) rx (?P<id>\d+)"]

    numbers = gpiorig("latency", receiver, sender, *words, "--across-nodes", "--max-gap", "2s", "--json").numbers

    assert (1, 10_000_000, 1) == (numbers["n"], numbers["max_ns"], numbers["too_long"])
    assert {"a": 1, "b": 0} == {node: counts["unpaired_request"] for node, counts in numbers["nodes"].items()}


@pytest.mark.parametrize(
    ("request_", "response", "text"),
    [
        ("send", r"got (?P<id>\d+)", "only one of the patterns has the group `id`"),
        (r"send (?P<id>\d+) (?P<against>.)", r"got (?P<id>\d+)(?P<against>.)", "give it to one"),
        (r"send (?P<id_us>\d+)", r"got (?P<id>\d+)", "id_us is not a time"),
        (r"(?P<time>.) (?P<time_us>.)", r"(?P<time>.)", "has the groups time and time_us; keep one"),
        ("(", r"got (?P<id>\d+)", "is not a regular expression"),
        (r"(?P<time>.)(?P<id>.)", r"got (?P<id>\d+)", "only one of the patterns has the group `time`"),
        (r"never (?P<id>\d+)", r"nowhere (?P<id>\d+)", "no line is a request or a response"),
        (
            r"(?P<time>send) (?P<id>\d+)",
            r"(?P<time>got) (?P<id>\d+)",
            "of no matching line `id` and `time` can be read",
        ),
    ],
)
def test_wrong_patterns_are_one_clear_error(tmp_path: Path, request_: str, response: str, text: str) -> None:
    log = tmp_path / "iotlab.log"
    log.write_text(IOTLAB)

    done = gpiorig("latency", log, "--request", request_, "--response", response)

    assert 2 == done.status
    assert text in done.stderr


def test_every_match_of_a_line_is_a_stamp(tmp_path: Path) -> None:
    """The same records in few lines and in many give the same pairs."""
    records = ['{"t": 1.0, "tx": 1}, {"t": 1.2, "rx": 1}', '{"t": 2.0, "tx": 2}, {"t": 2.5, "rx": 2}']
    records.append('{"t": 3.0, "tx": 3}, {"t": 3.4, "rx": 3}')
    few, many = tmp_path / "few.txt", tmp_path / "many.txt"
    few.write_text(f"{records[0]}\n{records[1]}, {records[2]}\n")
    many.write_text(", ".join(records).replace("}, ", "}\n") + "\n")
    words = [r'"t": (?P<time>[\d.]+), "' + side + r'": (?P<id>\d+)' for side in ("tx", "rx")]

    numbers, wanted = (
        gpiorig("latency", path, "--request", words[0], "--response", words[1], "--across-nodes", "--json").numbers
        for path in (few, many)
    )

    assert (3, 400_000_000, 0) == (numbers["n"], numbers["median_ns"], numbers["unpaired_request"])
    assert numbers | {"source": ""} == wanted | {"source": ""}


def test_ids_that_never_meet_are_shown(tmp_path: Path) -> None:
    """Decimal on one side, hexadecimal on the other."""
    log = tmp_path / "iotlab.log"
    log.write_text("1700000000.0;m3-1;send a7\n1700000000.5;m3-1;got 0xa7\n")
    done = gpiorig("latency", log, "--request", r"send (?P<id>\w+)", "--response", r"got (?P<id>\w+)")
    assert "'a7' of a request, '0xa7' of a response" in done.stdout


def test_hundreds_of_nodes_are_ten_and_a_count(tmp_path: Path) -> None:
    log = tmp_path / "iotlab.log"
    log.write_text("".join(f"1700000000.{k:06};m3-{k};send 1\n1700000001.{k:06};m3-{k};got 1\n" for k in range(300)))
    words = ["latency", log, "--request", r"send (?P<id>\w+)", "--response", r"got (?P<id>\w+)"]
    assert "and 290 more nodes; --json prints all" in (text := gpiorig(*words).stdout)
    assert len(text.splitlines()) <= 15
    assert 300 == len(gpiorig(*words, "--json").numbers["nodes"])


@pytest.mark.parametrize(
    ("text", "pattern", "delays_ns", "missing"),
    [
        ("1, 52.4\n2, 52.6\n5, 53.0\n", r"^(?P<id>\d+), (?P<value_ms>[\d.]+)", [52_400_000, 53_000_000], 2),
        ("t_s,lost,delay_ms\n0.25,0,8.15\n0.35,1,9.40\n", r"^.*,(?P<value_ms>[\d.]+)$", [8_150_000, 9_400_000], 0),
        ("sent 10 acked 25; sent 30 acked 50\n", r"sent (?P<begin_us>\d+) acked (?P<end_us>\d+)", [15_000, 20_000], 0),
    ],
)
def test_delays_that_stand_in_lines(
    tmp_path: Path, text: str, pattern: str, delays_ns: list[int], missing: int
) -> None:
    """Tables of delays, and two times in one line: every match is a delay; numbers that are missing are counted."""
    path = tmp_path / "table.csv"
    path.write_text(text)
    numbers = gpiorig("latency", path, "--value", pattern, "--json").numbers
    assert (delays_ns, missing) == ([numbers["min_ns"], numbers["max_ns"]], numbers["missing_ids"])
    assert "median" in gpiorig("latency", path, "--value", pattern).stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--value", r"(?P<delay>\d+)"], "has no delay"),
        (["--value", r"x(?P<value>\d+)"], "no delay in 6 lines"),
        (["--value", r"(?P<value>\d+)", "--request", "x"], "omit --request and --response"),
        (["--request", r"(?P<id>\d+)"], "give --request and --response, or --value"),
    ],
)
def test_wrong_values_are_one_clear_error(tmp_path: Path, words: list[str], text: str) -> None:
    log = tmp_path / "iotlab.log"
    log.write_text(IOTLAB)
    done = gpiorig("latency", log, *words)
    assert 2 == done.status
    assert text in done.stderr


def test_skew_of_pins_that_toggle(tmp_path: Path) -> None:
    """B began high: edges of one direction are a period apart, which is reported; as toggles they are 3 us apart."""
    path = tmp_path / "toggles.vcd"
    edges = "".join(f'#{100 * k} {k % 2}!\n#{100 * k + 3} {1 - k % 2}"\n' for k in range(1, 20))
    head = '$timescale 1 us $end $var wire 1 ! a $end $var wire 1 " b $end $enddefinitions $end\n'
    path.write_text(f'{head}#0 0! 1"\n{edges}#2000 0!\n')

    done = gpiorig("measure", path, "--skew", "a", "b")
    toggles = gpiorig("measure", path, "--skew", "a:toggle", "b:toggle", "--json").numbers

    assert "measure --skew a:toggle b:toggle" in done.stdout
    assert (19, 3_000, 3_000, "") == (toggles["n"], toggles["min_ns"], toggles["max_ns"], toggles["hint"])


@pytest.mark.parametrize(
    "log",
    [
        "0.001 node1 send 1\n0.003 node1 recv 1\n",
        "[    1.234567] send 1\n[    1.236567] recv 1\n",
        "2025-12-10T19:17:21.511 send 1\n2025-12-10T19:17:21.513 recv 1\n",
        "00:00.523\tID:2\tsend 1\n00:00.525\tID:2\trecv 1\n",
    ],
)
def test_a_log_with_times_needs_no_regex_for_them(tmp_path: Path, log: str) -> None:
    """The example of README.md."""
    path = tmp_path / "node.log"
    path.write_text(log, encoding="utf-8")

    numbers = gpiorig(
        "latency", path, "--request", r"send (?P<id>\d+)", "--response", r"recv (?P<id>\d+)", "--json"
    ).numbers

    assert (1, 2_000_000) == (numbers["n"], numbers["median_ns"])


def test_remedies_for_times_that_are_not_clear(tmp_path: Path) -> None:
    """Integers lack their unit; a time in an unknown place goes into a group. Both errors' remedies work."""
    log, words = tmp_path / "node.log", ["--request", r"send (?P<id>\d+)", "--response", r"recv (?P<id>\d+)"]
    log.write_text("100 send 1\n350 recv 1\n", encoding="utf-8")

    done = gpiorig("latency", log, *words)

    assert (2, True) == (done.status, "give --columns unit=us" in done.stderr)
    assert 250_000 == gpiorig("latency", log, *words, "--columns", "unit=us", "--json").numbers["median_ns"]
    assert 250_000 == gpiorig("latency", log, *words, "--time-unit", "us", "--json").numbers["median_ns"]

    log.write_text("at 0.1 send 1\nat 0.35 recv 1\n", encoding="utf-8")
    done = gpiorig("latency", log, *words)

    assert (2, True) == (done.status, "put that in a group (?P<time>" in done.stderr)
    timed = [words[0], r"at (?P<time>\S+) " + words[1], words[2], r"at (?P<time>\S+) " + words[3]]
    assert 250_000_000 == gpiorig("latency", log, *timed, "--json").numbers["median_ns"]


def test_two_logs_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    """Their nodes would have one name; the field that names the node, as the error has it, keeps them apart."""
    logs = [tmp_path / folder / "node.log" for folder in "ab"]
    for log in logs:
        log.parent.mkdir()
        log.write_text(f"0.1 n-{log.parent.name} boot\n0.2 n-{log.parent.name} ready\n", encoding="utf-8")

    done = gpiorig("import", *logs, "-o", tmp_path / "run")

    assert (2, True) == (done.status, "--columns node=2" in done.stderr)
    assert 0 == gpiorig("import", *logs, "--columns", "node=2", "-o", tmp_path / "run").status
    assert ("n-a", "n-b") == Recording.open(tmp_path / "run").nodes


def test_a_log_with_times_is_imported_and_fitted(tmp_path: Path) -> None:
    """Its node has the name of the file; `clocks` reads the same lines."""
    log = tmp_path / "node.log"
    log.write_text("".join(f"{k}.000 now={k * 1_000_100}\n" for k in range(50)), encoding="utf-8")

    imported = gpiorig("import", log, "-o", tmp_path / "run")
    fitted = gpiorig("clocks", log, "--pattern", r"now=(?P<node_time_us>\d+)", "--json").numbers

    assert 0 == imported.status
    assert ("node",) == Recording.open(tmp_path / "run").nodes
    (clock,) = fitted["nodes"].values()
    assert 100.0 == pytest.approx(clock["boot_periods"][0]["ppm"], abs=0.01)
