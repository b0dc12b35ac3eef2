"""UART lines decoded from edges, against sigrok's own decoder under the real sigrok-cli."""

from __future__ import annotations

import math
import random
import re
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from gpiorig.capture.buses import uart
from gpiorig.capture.buses.baudrate import estimate_baudrate
from gpiorig.capture.buses.uart import Characters, Flag, UartDecoder, UartFormat, decode, joined
from gpiorig.capture.buses.uart_lines import UartLine, lines
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Block, Waveform, waveform_of
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.formats.sr import write_sr

RATE = Fraction(1_000_000)
SIGROK_PARITY = {"space": "zero", "mark": "one"}
ANNOTATION = re.compile(r"(\d+)-(\d+) uart-(\d+): (.*)")


def levels_of(form: UartFormat, values: list[int], *, generator: random.Random, damage: bool) -> list[int]:
    """The line's level at each sample while these characters are sent, with idle time between and damage on request."""
    bit = RATE / form.baudrate
    pieces: list[tuple[int, Fraction]] = [(1, 15 * bit)]
    for value in values:
        data = [value >> index & 1 for index in range(form.data_bits)]
        odd = 1 - sum(data) % 2
        parity = {"none": [], "odd": [odd], "even": [1 - odd], "space": [0], "mark": [1], "ignore": [odd]}[form.parity]
        bits = [0, *(data[::-1] if form.msb_first else data), *parity]
        if damage and generator.random() < 0.3:
            bits[generator.randrange(len(bits))] ^= 1
        pieces += [(level, bit) for level in bits] + [(1, bit * Fraction(form.stop_bits))]
        if damage and generator.random() < 0.1:
            pieces[-1] = (0, bit * generator.randrange(1, 25))
            pieces.append((1, bit * Fraction(generator.randrange(1, 40), 10)))
        pieces.append((1, bit * Fraction(generator.choice([0, 0, 3, 27]), 10)))
    pieces.append((1, 20 * bit))
    levels: list[int] = []
    at = Fraction(0)
    for level, length in pieces:
        at += length
        levels += [level] * (round(at) - len(levels))
    if damage:
        for _ in range(len(levels) // 50):
            levels[generator.randrange(len(levels))] ^= 1
    return [level ^ form.inverted for level in levels]


def edges_of(columns: list[list[int]], channels: list[str]) -> Edges:
    length = max(len(column) for column in columns)
    levels = np.zeros(length, dtype=np.uint64)
    for bit, column in enumerate(columns):
        column_levels = np.array(column + [column[-1]] * (length - len(column)), dtype=np.uint64)
        levels |= column_levels << np.uint64(bit)
    rows = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1])
    return Edges.from_blocks([(rows.astype(np.int64), levels[rows])], samplerate_hz=RATE, channels=channels, end=length)


def sigrok(path: Path, channels: list[str], forms: list[UartFormat]) -> list[list[tuple[int, int, str]]]:
    """Annotations of sigrok's decoder for each channel: start, end and text of its annotations, the bits omitted."""
    command = ["sigrok-cli", "-i", str(path), "--protocol-decoder-samplenum"]
    for channel, form in zip(channels, forms, strict=True):
        options = {
            "rx": channel,
            "baudrate": form.baudrate,
            "data_bits": form.data_bits,
            "parity": SIGROK_PARITY.get(form.parity, form.parity),
            "stop_bits": form.stop_bits,
            "bit_order": "msb-first" if form.msb_first else "lsb-first",
            "invert_rx": "yes" if form.inverted else "no",
        }
        command += ["-P", "uart:" + ":".join(f"{key}={value}" for key, value in options.items())]
    command += ["-A", "uart=rx-data:rx-parity-ok:rx-parity-err:rx-warnings:rx-break"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 or "bool_dealloc" in done.stderr, done.stderr  # evidence/sigrok-notes.md: has_channel
    annotations: list[list[tuple[int, int, str]]] = [[] for _ in forms]
    for line in done.stdout.splitlines():
        match = ANNOTATION.fullmatch(line)
        assert match, line
        annotations[int(match[3]) - 1].append((int(match[1]), int(match[2]), match[4].strip('"').split('" "')[0]))
    return annotations


def as_sigrok(characters: Characters, form: UartFormat) -> list[tuple[int, int, str]]:
    """The same annotations, from ours."""
    bit = form.bit_samples(RATE)
    before, after = math.floor(bit / 2), math.ceil(bit / 2)
    annotations = []
    digits = (form.data_bits + 3) // 4
    rows = zip(*(array.tolist() for array in (characters.starts, characters.ends, characters.values)), strict=True)
    for (start, end, value), flags in zip(rows, characters.flags.tolist(), strict=True):

        def read(number: int, start: int = start) -> int:
            return math.ceil(start + (bit - 1) / 2 + number * bit)

        if flags & Flag.BREAK:
            annotations.append((start, end, "Break condition"))
            continue
        if flags & Flag.FALSE_START:
            annotations.append((end - after - before, end, "Frame error"))
            continue
        annotations.append((read(1) - before, read(form.data_bits) + after, f"{value:0{digits}X}"))
        if form.parity != "none":
            parity = read(form.data_bits + 1)
            text = "Parity error" if flags & Flag.PARITY else "Parity bit"
            annotations.append((parity - before, parity + after, text))
        if flags & Flag.FRAMING:
            annotations.append((end - after - before, end, "Frame error"))
        annotations.append((end - after - before, end, "Stop bit"))
    return annotations


FORMS = [
    UartFormat(baudrate=100_000),
    UartFormat(baudrate=115_200, data_bits=7, parity="even"),
    UartFormat(baudrate=230_400, parity="odd", stop_bits=1.5),
    UartFormat(baudrate=500_000, data_bits=9),
    UartFormat(baudrate=57_600, data_bits=5, parity="mark", stop_bits=1.5),
    UartFormat(baudrate=38_400, data_bits=6, parity="space", msb_first=True),
    UartFormat(baudrate=250_000, inverted=True, parity="ignore"),
    UartFormat(baudrate=333_333, msb_first=True),
]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [False, True])
def test_every_character_and_error_is_where_sigrok_says(tmp_path: Path, *, damage: bool) -> None:
    """Instants, values and errors are sigrok's, on intact and on damaged lines of every format."""
    generator = random.Random(5 + damage)
    values = [[generator.randrange(1 << form.data_bits) for _ in range(150)] for form in FORMS]
    columns = [levels_of(*pair, generator=generator, damage=damage) for pair in zip(FORMS, values, strict=True)]
    channels = [f"line{index}" for index in range(len(FORMS))]
    edges = edges_of(columns, channels)
    write_sr(tmp_path / "lines.sr", edges)
    expected = sigrok(tmp_path / "lines.sr", channels, FORMS)

    for channel, form, sent, actual in zip(channels, FORMS, values, expected, strict=True):
        characters = joined(decode(waveform_of(edges), channel, form))
        assert actual == as_sigrok(characters, form), form
        assert damage == bool(characters.flags.any())
        if not damage:
            assert sent == characters.values.tolist()


def test_noise_is_decoded_as_sigrok_does(tmp_path: Path) -> None:
    """A line of random levels, where hardly a character is intact."""
    generator = random.Random(7)
    forms = FORMS[1:3] + FORMS[6:]
    columns = []
    for _ in forms:
        column: list[int] = []
        while len(column) < 20_000:
            column += [len(column) % 2] * generator.choice([1, 2, 3, 5, 8, 20, 60, 200])
            column += [0] * generator.choice([1, 4, 30, 120])
        columns.append(column)
    channels = [f"line{index}" for index in range(len(forms))]
    edges = edges_of(columns, channels)
    write_sr(tmp_path / "noise.sr", edges)

    for channel, form, actual in zip(channels, forms, sigrok(tmp_path / "noise.sr", channels, forms), strict=True):
        assert actual == as_sigrok(joined(decode(waveform_of(edges), channel, form)), form), form


def test_blocks_may_cut_a_line_anywhere() -> None:
    generator = random.Random(9)
    form = FORMS[2]
    column = levels_of(form, [generator.randrange(256) for _ in range(60)], generator=generator, damage=True)
    edges = edges_of([column], ["tx"])
    expected = joined(decode(waveform_of(edges), "tx", form))
    for _ in range(20):
        decoder = UartDecoder(0, samplerate_hz=RATE, form=form)
        cuts = sorted(generator.sample(range(edges.end), 12))
        parts = []
        for start, end in zip([0, *cuts], [*cuts, edges.end], strict=True):
            rows = slice(*np.searchsorted(edges.samples, [start, end]))
            parts.append(decoder.feed(edges.samples[rows], edges.levels[rows], end=end))
        actual = joined(parts)
        for name in ("starts", "ends", "values", "flags"):
            assert getattr(expected, name).tolist() == getattr(actual, name).tolist()


@pytest.mark.parametrize("edges_of_a_call", [1, 2, 5, 7])
def test_calls_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch, edges_of_a_call: int) -> None:
    """A call may be full exactly at the last edge; what is complete then ends at the next edge of the line."""
    form = FORMS[2]
    column = levels_of(form, list(range(40)), generator=random.Random(4), damage=True)
    edges = edges_of([column], ["tx"])
    for size in (edges.samples.size, 5, 7, 35):
        rows = edges.samples[:size], edges.levels[:size]
        with monkeypatch.context() as patch:
            expected = UartDecoder(0, samplerate_hz=RATE, form=form).feed(*rows, end=edges.end)
            patch.setattr(uart, "BLOCK", edges_of_a_call)
            actual = UartDecoder(0, samplerate_hz=RATE, form=form).feed(*rows, end=edges.end)
        assert expected.starts.size > size // 10
        for name in ("starts", "ends", "values", "flags"):
            assert getattr(expected, name).tolist() == getattr(actual, name).tolist()


def test_after_lost_samples_a_character_begins_again() -> None:
    """A character that a gap cuts is not put together from its two ends."""
    form = FORMS[0]
    edges = edges_of([levels_of(form, [0x41, 0x42, 0x43], generator=random.Random(1), damage=False)], ["tx"])
    first, second, third = joined(decode(waveform_of(edges), "tx", form)).starts.tolist()
    gap = np.array([[second + 15, third - 5]], dtype=np.int64)
    before, after = edges.window(0, second + 15), edges.window(third - 5, edges.end)

    def read() -> Iterator[Block]:
        yield Block(before.samples, before.levels, third - 5, gap)
        yield Block(after.samples, after.levels, edges.end)

    characters = joined(decode(Waveform(samplerate_hz=RATE, channels=("tx",), read=read), "tx", form))

    assert [(first, 0x41), (third, 0x43)] == list(
        zip(characters.starts.tolist(), characters.values.tolist(), strict=True)
    )


def test_lines_have_the_instants_of_their_first_and_last_bit() -> None:
    form = FORMS[0]
    text = "boot\r\n\nhalf ä".encode()
    edges = edges_of([levels_of(form, list(text), generator=random.Random(2), damage=False)], ["tx"])
    parts = list(decode(waveform_of(edges), "tx", form))
    characters = joined(parts)
    starts, ends = characters.starts.tolist(), characters.ends.tolist()
    expected = [UartLine(starts[0], ends[5], "boot", 0), UartLine(starts[6], ends[6], "", 0)]

    assert expected == list(lines(parts))
    assert expected == list(lines(characters.select(slice(at, at + 1)) for at in range(len(text))))


@pytest.mark.parametrize("baudrate", [9600, 115_200, 230_400])
def test_the_baud_rate_is_found_in_the_pulses(baudrate: int) -> None:
    form = UartFormat(baudrate=baudrate)
    column = levels_of(form, list(b"hello, world of baud rates"), generator=random.Random(3), damage=False)

    assert baudrate == estimate_baudrate(edges_of([column], ["tx"]), "tx")


def test_a_baud_rate_cannot_be_found_on_a_still_line() -> None:
    with pytest.raises(CaptureError, match="no usual baud rate fits the 0 pulses"):
        estimate_baudrate(edges_of([[1] * 100], ["tx"]), "tx")


def forms_that_cannot_be() -> list[tuple[dict[str, object], str]]:
    return [
        ({"baudrate": 0}, "0 baud"),
        ({"data_bits": 4}, "4 data bits"),
        ({"parity": "both"}, "parity 'both'"),
        ({"stop_bits": 3.0}, r"3\.0 stop bits"),
    ]


@pytest.mark.parametrize(("options", "message"), forms_that_cannot_be())
def test_a_format_that_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(CaptureError, match=message):
        UartFormat(**{"baudrate": 9600} | options)  # type: ignore[arg-type]


def test_a_line_that_cannot_be_decoded_is_refused() -> None:
    edges = edges_of([[1, 0, 1]], ["tx"])
    with pytest.raises(CaptureError, match="less than a sample per bit"):
        list(decode(waveform_of(edges), "tx", UartFormat(baudrate=2_000_000)))
    fastest = UartFormat(baudrate=1_000_000)
    assert 1 == len(list(decode(waveform_of(edges), "tx", fastest))), "a sample per bit"
    for channel in (-1, 64):
        with pytest.raises(CaptureError, match=f"channel {channel} of a UART; channels are 0 to 63"):
            UartDecoder(channel, samplerate_hz=RATE, form=fastest)
    UartDecoder(63, samplerate_hz=RATE, form=fastest)
    with pytest.raises(CaptureError, match="no channel 'rx' in this capture; available channels: tx"):
        list(decode(waveform_of(edges), "rx", UartFormat(baudrate=9600)))
