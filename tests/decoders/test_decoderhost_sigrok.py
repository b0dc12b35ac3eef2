"""Decoders give the same in our host as in the real sigrok-cli; `decoderhost_compare.py` does so for all installed."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import decoderhost_compare as comparison
import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig.analysis.decoderhost import native
from gpiorig.analysis.decoderhost.host import decode
from gpiorig.analysis.decoderhost.library import Library
from gpiorig.analysis.decoderhost.outputs import OutputKind, Selection
from gpiorig.analysis.decoderhost.stack import parse_stacks
from gpiorig.capture.edges.waveform import waveform_of

OURS = sorted(path.parent.name for path in comparison.OURS.glob("*/pd.py"))
OPTIONS = {
    "gpio_timeline": ":wiring=a/strobe@0/d0@1/d1@2/tap.irq@3+b/strobe@4/d0@5/tap.irq@6"
}  # what a decoder does not run without
# Of each way to use wait(), put() and options some, and long stacks; all installed ones were compared by hand.
INSTALLED = (
    *("can", "cc1101", "counter", "dali", "dmx512", "guess_bitrate", "i2c", "i2s", "ir_nec", "jitter", "jtag"),
    *("max7219", "midi", "nrf24l01", "onewire_network", "parallel", "ps2", "pwm", "sdcard_spi", "spi", "timing"),
    *("uart", "usb_request", "wiegand"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our decoders and those for tests."""
    return comparison.decoder_folder(tmp_path_factory.mktemp("decoders"))


@pytest.fixture(scope="module")
def library(folder: Path) -> Library:
    return comparison.library(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OURS, *INSTALLED])
def test_equal_to_sigrok_cli(name: str, library: Library, folder: Path, tmp_path: Path) -> None:
    """Annotations, objects for the decoder above, bytes and values, on random pins, to the letter and in order."""
    rng = random.Random(name)
    kinds = comparison.chain(library.load(name), comparison.loadable(library), stacked=name in OURS)
    text = comparison.specification(kinds, rng)
    edges = comparison.random_edges(rng, max(2, text.partition(",")[0].count("=D")), 6_000, samplerate_hz=24_000_000)

    assert "" == comparison.compare(edges, text, library, folder, tmp_path).differs


@pytest.mark.parametrize("seed", range(8))
def test_any_condition_waits_alike(seed: int, library: Library, folder: Path, tmp_path: Path) -> None:
    """A decoder that waits for anything a decoder can wait for sees the same samples, pins and matches."""
    edges = comparison.random_edges(random.Random(seed), 4, 20_000)
    wires = ("a=D0:b=D3", "a=D1:b=D1:c=D2", "a=D3:b=D2:c=D1:d=D0", "a=D0:b=D1:d=D3")[seed % 4]
    done = comparison.compare(edges, f"waiter:{wires}:seed={seed}", library, folder, tmp_path, everything=False)

    assert "" == done.differs
    assert done.lines > 3


def test_several_stacks(library: Library, folder: Path, tmp_path: Path) -> None:
    """Each stack gives the same; ours come one after the other, sigrok-cli's interleaved."""
    stacks = ["uart:rx=D0", "spi:clk=D1:mosi=D2:miso=D0", "uart:rx=D2:tx=D1:baudrate=0x4b00"]
    edges = comparison.random_edges(random.Random(5), 3, 20_000)
    path = tmp_path / "several.sr"
    comparison.write_sr(path, edges)
    reference = comparison.by_sigrok(path, stacks, folder=folder)
    lines, outcome = comparison.by_host(waveform_of(edges), stacks, library)

    assert outcome.failed == 0
    for source in ("uart-1", "spi-1", "uart-2"):
        expected = [line for line in reference.stdout.decode().splitlines() if f" {source}: " in line]
        assert expected == [line for line in lines.annotations if f" {source}: " in line]
        assert len(expected) > 20


def run_sigrok(path: Path, *words: str) -> bytes:
    """What sigrok-cli prints, with our decoders."""
    environment = os.environ | {"SIGROKDECODE_DIR": str(comparison.OURS)}
    done = subprocess.run(["sigrok-cli", "-i", path, *words], capture_output=True, env=environment)
    assert done.returncode == 0
    assert done.stdout
    return done.stdout


def run_ours(path: Path, *words: str) -> bytes:
    """What our command prints."""
    command = [ROOT / ".venv" / "bin" / "gpiorig", "decode", path, *words]
    return subprocess.run(command, capture_output=True, check=True).stdout


@pytest.mark.slow
def test_the_command_on_a_recording(demo: Demo, tmp_path: Path) -> None:
    """A recording gives what its .sr file gives under sigrok-cli."""
    path = tmp_path / "demo.sr"
    assert 0 == gpiorig("export", demo.folder, "-o", path).status
    lines = {"strobe": "strobe", "d0": "d0", "d1": "d1", "span0": "tap.irq", "span1": "tap.frame_timestamp"}
    wires = ":".join(f"{channel}=responder.{line}" for channel, line in lines.items())
    words = ("-P", f"gpio_probe:{wires}:width=2", "-A", "gpio_probe=warnings:rig:radio-events")

    expected = run_sigrok(path, *words, "--protocol-decoder-samplenum")
    assert expected == run_ours(demo.folder, *words, "--samplenum")


@pytest.mark.slow
@pytest.mark.parametrize("show", [(), ("-A", "uart=rx-data:RX_Warnings"), ("-B", "uart=rx"), ("-M", "i2c")])
def test_the_command_prints_what_sigrok_cli_prints(show: tuple[str, ...], tmp_path: Path) -> None:
    """Text and bytes; a class or row is found whatever its case and punctuation."""
    path = tmp_path / "random.sr"
    comparison.write_sr(path, comparison.random_edges(random.Random(1), 2, 30_000))
    words = ("-P", "i2c:scl=D0:sda=D1" if "i2c" in show else "uart:rx=D0:tx=D1", *show)

    assert run_sigrok(path, *words) == run_ours(path, *words)


def has_channel_calls(source: str) -> list[int]:
    """Lines in which has_channel is named."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr == "has_channel"
    ]


@pytest.mark.parametrize("name", OURS)
def test_none_of_ours_calls_has_channel(
    name: str, library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """has_channel() of libsigrokdecode 0.5.3 gives away references to True and False until Python aborts."""

    def abort(self: native.Decoder, index: int) -> bool:
        raise AssertionError("has_channel() was called")

    assert [2] == has_channel_calls("x = 1\nself.has_channel(x)\n")
    for path in (comparison.OURS / name).glob("*.py"):
        assert [] == has_channel_calls(path.read_text()), path

    monkeypatch.setattr(native.Decoder, "has_channel", abort)
    monkeypatch.setattr("gpiorig.analysis.decoderhost.instance.Instance.has_channel", abort)
    kinds = comparison.chain(library.load(name), comparison.loadable(library))
    wires = "".join(f":{channel}=D{i}" for i, channel in enumerate(kinds[0].channels))
    edges = comparison.random_edges(random.Random(name), len(kinds[0].channels), 20_000, samplerate_hz=24_000_000)
    text = ",".join(kind.id + (wires if kind is kinds[0] else "") + OPTIONS.get(kind.id, "") for kind in kinds)
    stacks = parse_stacks([text], library, edges.channels)
    wanted = Selection.everything(stacks, OutputKind.ANNOTATION)
    outcome = decode(waveform_of(edges), stacks, selection=wanted, sink=comparison.Lines())

    assert [] == outcome.failures


THOUSAND_RUNS = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Of libsigrokdecode.h 0.5.3 and glib, as far as needed: their headers are not in Debian's runtime packages. */
extern int srd_init(const char *path), srd_exit(void), srd_decoder_load(const char *name);
extern int srd_session_new(void **session), srd_session_start(void *session);
extern int srd_session_metadata_set(void *session, int key, void *data);
extern int srd_session_send(void *, uint64_t from, uint64_t to, const uint8_t *data, uint64_t size, uint64_t unit);
extern int srd_session_terminate_reset(void *session);
extern int srd_pd_output_callback_add(void *session, int type, void (*call)(void *, void *), void *data);
extern void *srd_inst_new(void *session, const char *name, void *options);
extern int srd_inst_stack(void *session, void *below, void *above);
extern void *g_hash_table_new(void *hash, void *equal), *g_variant_new_uint64(uint64_t value);
extern void *g_variant_new_string(const char *), *g_variant_ref_sink(void *);
extern int g_hash_table_insert(void *table, void *key, void *value);
extern unsigned g_str_hash(const void *), g_str_equal(const void *, const void *);

static uint64_t outputs;
static void count(void *data, void *unused) { (void)data; (void)unused; outputs++; }

/* runs COUNT DECODER[:option=text]..., the lowest decoder first */
int main(int argc, char **argv)
{
    enum { SAMPLES = 256, UNIT = 8, SAMPLERATE = 10000, OUTPUT_ANN = 0 };
    static uint8_t samples[SAMPLES * UNIT];
    void *session, *below = NULL;
    if (argc < 3 || srd_init(NULL) || srd_session_new(&session)) return 3;
    srd_pd_output_callback_add(session, OUTPUT_ANN, count, NULL);
    for (int i = 2; i < argc; i++) {
        void *options = g_hash_table_new((void *)g_str_hash, (void *)g_str_equal);
        char *name = strtok(argv[i], ":"), *key;
        while ((key = strtok(NULL, "=")))
            g_hash_table_insert(options, key, g_variant_ref_sink(g_variant_new_string(strtok(NULL, ":"))));
        void *made = srd_decoder_load(name) ? NULL : srd_inst_new(session, name, options);
        if (!made || (below && srd_inst_stack(session, below, made))) return 4;
        below = made;
    }
    for (int run = atoi(argv[1]); run > 0; run--) {
        srand((unsigned)run);
        for (int i = 0; i < SAMPLES * UNIT; i++)
            samples[i] = (uint8_t)(i >= UNIT && rand() % 4 ? samples[i - UNIT] : rand() >> 7);
        srd_session_metadata_set(session, SAMPLERATE, g_variant_new_uint64(24000000));
        if (srd_session_start(session)) return 5;
        srd_session_send(session, 0, SAMPLES, samples, sizeof samples, UNIT);
        srd_session_terminate_reset(session);
    }
    printf("%llu\n", (unsigned long long)outputs);
    fflush(stdout);
    return srd_exit();
}
"""


@pytest.fixture(scope="module")
def thousand_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A program that starts, feeds and resets a decoder many times in one libsigrokdecode, as PulseView does."""
    work = tmp_path_factory.mktemp("thousand")
    (work / "runs.c").write_text(THOUSAND_RUNS)
    libraries = ["-l:libsigrokdecode.so.4", "-l:libglib-2.0.so.0"]
    subprocess.run(["gcc", "-O2", "-o", work / "runs", work / "runs.c", *libraries], check=True)
    yield work / "runs"


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_a_thousand_runs_in_one_process(name: str, library: Library, thousand_runs: Path) -> None:
    """Each of our decoders can be run 1000 times by one libsigrokdecode, without a crash or an exception."""
    kinds = comparison.chain(library.load(name), comparison.loadable(library))
    done = subprocess.run(
        [thousand_runs, "1000", *(kind.id + OPTIONS.get(kind.id, "") for kind in kinds)],
        capture_output=True,
        env=os.environ | {"SIGROKDECODE_DIR": str(comparison.OURS)},
        check=False,
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert int(done.stdout) > 1000


def test_the_command_says_what_failed(tmp_path: Path) -> None:
    """A decoder that raises: status 1, where and what; a channel that is not there: status 2, and those that are."""
    path = tmp_path / "random.sr"
    comparison.write_sr(path, comparison.random_edges(random.Random(1), 2, 3_000))

    refused = gpiorig("decode", path, "-P", "uart:rx=D7")
    assert 2 == refused.status
    assert "the capture has no such channel; it has D0, D1" in refused.stderr
    raised = gpiorig("decode", path, "-P", "uart:rx=D0:baudrate=0")
    assert 1 == raised.status
    assert "uart-1 (stack 1) failed at sample" in raised.stderr
    assert "ZeroDivisionError" in raised.stderr
    assert "uart/pd.py" in raised.stderr


NOT_NEEDED = ("pyarrow", "msgspec", "scipy", "tqdm", "importlib.metadata", "gpiorig.analysis.packets")


def test_a_decode_imports_what_it_needs(tmp_path: Path) -> None:
    """Of a capture: numpy, but no tables, no statistics, no benches."""
    path = tmp_path / "random.sr"
    comparison.write_sr(path, comparison.random_edges(random.Random(1), 2, 3_000))
    words = ["decode", str(path), "-P", "uart:rx=D0"]
    script = f"import sys; from gpiorig.rig import cli; cli.main({words!r}); print('modules:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    modules = done.stdout.rpartition("modules:")[2].split()
    assert "numpy" in modules
    assert [] == [name for name in NOT_NEEDED if name in modules]


def test_without_the_extension_module(tmp_path: Path) -> None:
    """Help and schemas are made in a checkout in which nothing was built; a decode asks for it."""
    path = tmp_path / "random.sr"
    comparison.write_sr(path, comparison.random_edges(random.Random(1), 2, 3_000))
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
sys.modules["gpiorig.analysis.decoderhost.native"] = None
import results
from gpiorig.rig import cli
assert "decode" in results.results()
assert cli.tree().format_help()
sys.exit(cli.main(["decode", {str(path)!r}, "-P", "uart:rx=D0"]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert 2 == done.returncode, done.stderr
    assert re.search("decoders cannot run: .*; run `make native`, or install gpiorig again", done.stderr)
