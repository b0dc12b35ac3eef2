"""wait() by edges against the rule applied sample by sample, as libsigrokdecode 0.5.3 does (`find_match`)."""

from __future__ import annotations

import random
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from gpiorig.analysis.decoderhost import native
from gpiorig.analysis.decoderhost.errors import EndOfSamples, Refused
from gpiorig.analysis.decoderhost.source import Chunk

UNMAPPED = -1


class Pins:
    """A decoder that only waits."""

    def __init__(self, bits: Sequence[int], blocks: Iterator[Chunk]) -> None:
        self.decoder = native.Decoder()
        native.bind(self.decoder, self)  # type: ignore[arg-type]
        native.feed(self.decoder, list(bits), lambda: next(blocks, None))

    def wait(self, conditions: Any) -> tuple[tuple[int, ...], int, tuple[bool, ...] | None]:
        pins = self.decoder.wait(conditions)
        return pins, self.decoder.samplenum, self.decoder.matched


class SlowPins:
    """The rule, on a list of samples."""

    def __init__(self, samples: Sequence[int], bits: Sequence[int], start: int) -> None:
        self.samples, self.bits, self.start = samples, bits, start
        self.at = 0
        self.waited = False
        self.old: list[int] = [2] * len(bits)  # SRD_INITIAL_PIN_SAME_AS_SAMPLE0

    def pin(self, channel: int, at: int) -> int:
        bit = self.bits[channel]
        return self.samples[at] >> bit & 1 if bit >= 0 else 0

    def wait(self, conditions: Any) -> tuple[tuple[int, ...], int, tuple[bool, ...] | None]:
        if not conditions:
            conditions = [{"skip": 1 if self.at or self.waited else 0}]
        elif isinstance(conditions, dict):
            conditions = [conditions]
        self.waited = True
        skipped = [{name: 0 for name in condition} for condition in conditions]
        matched: list[bool] | None = None
        if any(conditions):
            if self.at == 0:
                self.old = [self.pin(i, 0) if old == 2 and self.bits[i] >= 0 else old for i, old in enumerate(self.old)]
            while True:
                if self.at >= len(self.samples):
                    raise EndOfSamples
                holds = [
                    bool(condition) and self.holds(condition, counts)
                    for condition, counts in zip(conditions, skipped, strict=True)
                ]
                self.old = [self.pin(i, self.at) if self.bits[i] >= 0 else old for i, old in enumerate(self.old)]
                if any(holds):
                    matched = holds
                    break
                self.at += 1
        pins = tuple(self.pin(i, self.at) if bit >= 0 else 0xFF for i, bit in enumerate(self.bits))
        return pins, self.at + self.start, None if matched is None else tuple(matched)

    def holds(self, condition: dict[Any, Any], skipped: dict[Any, int]) -> bool:
        if any((isinstance(k, int) and k not in range(len(self.bits))) or v == -1 for k, v in condition.items()):
            return False
        for key, value in condition.items():
            if isinstance(key, str):
                if skipped[key] != value:
                    skipped[key] += 1
                    return False
                continue
            old, new = self.old[key], self.pin(key, self.at)
            true = {
                "h": new == 1,
                "l": new == 0,
                "r": (old, new) == (0, 1),
                "f": (old, new) == (1, 0),
                "e": (old, new) in ((0, 1), (1, 0)),
                "n": (old, new) in ((0, 0), (1, 1)),
            }
            if not true[value]:
                return False
        return True


def chunks(rng: random.Random, samples: Sequence[int], start: int) -> list[Chunk]:
    """The samples as chunks of any length, with rows also where other channels change or nothing does."""
    blocks = []
    at = 0
    while at < len(samples):
        end = min(len(samples), at + rng.choice((1, 2, 10, 100)))
        rows = [i for i in range(at, end) if i == at or samples[i] != samples[i - 1] or rng.random() < 0.1]
        levels = np.array([samples[i] for i in rows], dtype=np.uint64)
        blocks.append(Chunk(np.array(rows, dtype=np.int64) + start, levels, end + start))
        at = end
    return blocks


def random_conditions(rng: random.Random, channels: int) -> Any:
    def term() -> tuple[int | str, str | int]:
        if rng.random() < 0.2:
            return rng.choice(("skip", "skip", "again")), rng.choice((0, 1, 2, 5, 30, 90, -1))
        return rng.randrange(channels + (rng.random() < 0.02)), rng.choice("hlrfen")

    def condition() -> dict[int | str, str | int]:
        return dict(term() for _ in range(rng.choice((0, 1, 1, 1, 2, 3))))

    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice((None, {}, []))
    return condition() if kind < 4 else [condition() for _ in range(rng.randint(1, 4))]


@pytest.mark.parametrize(
    ("start", "count"),
    [(1_000_000_007, 40), *(pytest.param(start, 300, marks=pytest.mark.slow) for start in (0, 1_000_000_007))],
)
def test_equal_to_the_rule_sample_by_sample(start: int, count: int) -> None:
    """On random pins, chunks and conditions the matches are those of the plain rule, up to the end."""
    matches = ends = 0
    for seed in range(count):
        rng = random.Random(seed)
        length = rng.choice((1, 30, 300, 2000))
        samples = [rng.getrandbits(4)]
        while len(samples) < length:
            samples += [rng.getrandbits(4) if rng.random() < 0.7 else samples[-1]] * rng.choice((1, 1, 2, 3, 20))
        bits = [rng.choice((0, 1, 2, 3, UNMAPPED)) for _ in range(4)]
        blocks = iter(chunks(rng, samples, start))
        pins, slow = Pins(bits, blocks), SlowPins(samples, bits, start)
        for _ in range(40):
            conditions = random_conditions(rng, 4)
            if conditions and rng.random() < 0.7:  # else one that never holds would end most runs at once
                others = [conditions] if isinstance(conditions, dict) else conditions
                conditions = [*others, {"skip": rng.randint(1, 60)}]
            try:
                expected = slow.wait(conditions)
            except EndOfSamples:
                with pytest.raises(EndOfSamples):
                    pins.wait(conditions)
                ends += 1
                break
            assert expected == pins.wait(conditions), (seed, conditions)
            matches += 1
    assert matches > 10 * count
    assert ends > count / 6


def one_chunk(levels: Sequence[int]) -> Pins:
    blocks = iter([Chunk(np.arange(len(levels), dtype=np.int64), np.array(levels, dtype=np.uint64), len(levels))])
    return Pins([0], blocks)


@pytest.mark.parametrize("conditions", ["r", ({0: "r"},), [("r",)], {0: 1}, {"skip": "1"}, {1.5: "r"}])
def test_what_is_no_condition_is_refused(conditions: Any) -> None:
    """Of what libsigrokdecode answers with NULL, Python makes a SystemError."""
    with pytest.raises(Refused):
        one_chunk([0, 1]).wait(conditions)


def test_the_end_is_said_again() -> None:
    """A decoder that waits on after the end gets the end each time, in both ways that libsigrokdecode has."""
    pins = one_chunk([0, 1])
    for kind in (EOFError, SystemError):
        with pytest.raises(kind):
            pins.wait({0: "f"})


def test_a_released_decoder_is_freed_at_once() -> None:
    """It and its host refer to each other while it is bound; a capture with many gaps binds many."""

    class Waiter(native.Decoder):
        pass

    class Host:
        def __init__(self) -> None:
            self.decoder = Waiter()
            native.bind(self.decoder, self)  # type: ignore[arg-type]

    host = Host()
    decoder, freed = host.decoder, weakref.ref(host)
    chunks_left = iter([Chunk(np.arange(2, dtype=np.int64), np.array([0, 1], dtype=np.uint64), 2)])
    native.feed(decoder, [0], lambda: next(chunks_left, None))
    assert (1,) == decoder.wait({0: "r"})
    native.release(decoder)
    del host, decoder

    assert freed() is None


def test_a_decoder_that_is_not_bound_can_do_nothing() -> None:
    """As in libsigrokdecode, in a decoder's `__init__`."""
    decoder = native.Decoder()
    for call in (decoder.wait, lambda: decoder.put(0, 1, 0, [0, []]), lambda: decoder.register(0)):
        with pytest.raises(Exception, match="decoder instance not found"):
            call()
    with pytest.raises(TypeError, match=r"not a sigrokdecode\.Decoder"):
        native.release(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="wrong number of arguments"):
        decoder.put(0, 1)  # type: ignore[call-arg]
