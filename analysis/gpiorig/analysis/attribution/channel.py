"""Channel: the shares of the variance from a busy channel, from repeated frames, and from one backoff.

A wait is split at one backoff: the longest wait on the lattice of those packets that met nothing on the air. Packets
that waited longer had been repeated (their own frame was on the air before), or met a frame of others before one
backoff was over, or neither. Two questions are tested:

- Are repeated packets among the long ones (Fisher's exact test)?
- Do waits end less often once a frame of others has been on the air? A longer wait meets more of everything, so at
  each instant at which a wait ends only those are compared that wait until then (the log-rank test with an exposure
  that changes in time: Mantel, Cancer Chemotherapy Reports 50, 1966; Mantel and Byar, JASA 69, 1974).

There is a finding where one of the two is significant. Its claim: repetitions were seen, so they count unless
there are short ones among them, which no repetition leaves; others on the air may be there by chance, so they count
only where their test is significant, and then only the number beyond chance: (m - c)/(1 - c), m the share of the
long packets that met others, c the probability that a window of one backoff meets them at any time (the attributable
fraction of the exposed; Levin, Acta Unio Internationalis Contra Cancrum 9, 1953).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from gpiorig.analysis.attribution import lattice
from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.lattice import MIN_LEVELS
from gpiorig.analysis.attribution.on_air import Wait
from gpiorig.analysis.attribution.shares import joining
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics.interval_text import NEXT_TO_NOTHING, share_interval
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES

Flags = NDArray[np.bool_]
MIN_FREE = 30  # packets that met nothing on the air, to know the wait without frames
EVIDENT = 1e-3  # chance of a lattice that shows where one backoff ends
ONE_BACKOFF, UNEXPLAINED, BUSY, RETRIES = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The packets of a step, or of the total delay, split at one backoff.

    Parameters
    ----------
    free
        bool[k], packets that met nothing on the air.
    long
        bool[k], those that waited longer than one backoff.
    repeated
        bool[k], those whose frame was on the air before.
    met
        bool[k], a frame of others was on the air before one backoff was over.
    chance
        Probability that a window of one backoff meets others at any time.
    p_busy, p_repeated
        Chance of the observed numbers if others on the air, or repetitions, did not matter.
    most
        Samples: the longest wait of one backoff; NaN of several waits.
    """

    free: Flags
    long: Flags
    repeated: Flags
    met: Flags
    chance: float
    p_busy: float
    p_repeated: float
    most: float


def split(delays: NDArray[np.int64], wait: Wait) -> Split | str:
    """Split one wait, int64[k] samples; or the reason why it cannot be split."""
    free = np.isinf(wait.others) & ~wait.repeated
    if int(free.sum()) < MIN_FREE:
        return (
            f"{count_text(int(free.sum()), 'packet')} met nothing on the air, fewer than {MIN_FREE}: how long the wait "
            "is without others is not known"
        )
    levels = one_backoff(delays[free])
    most = levels.beyond if levels is not None else float(delays[free].max()) + RESOLUTION_SAMPLES
    long = delays > most
    return Split(
        free=free,
        long=long,
        repeated=wait.repeated,
        met=wait.others <= most,
        chance=wait.chance(most),
        p_busy=_held_up(delays[~wait.repeated], wait.others[~wait.repeated], most),
        p_repeated=_among(wait.repeated, long),
        most=most,
    )


def one_backoff(delays: NDArray[np.int64]) -> lattice.Lattice | None:
    """The levels of one backoff, from waits that met nothing on the air; None where they are not evident."""
    return _evident(lattice.fit(delays))


def backoff_levels(delays: NDArray[np.int64]) -> lattice.Lattice | None:
    """The same where some of the waits met frames that no line shows: from the shortest, then over all of them."""
    levels = _evident(lattice.fit(delays)) or _evident(lattice.shortest(delays))
    return _evident(levels.over(delays)) if levels is not None else None


def _evident(levels: lattice.Lattice | None) -> lattice.Lattice | None:
    if levels is None or levels.p_value > EVIDENT or not MIN_LEVELS <= levels.levels <= lattice.MAX_LEVELS:
        return None
    return levels


def together(parts: Sequence[Split]) -> Split | None:
    """The split of the total delay: a packet has the flags of any of its waits; None without a wait."""
    if not parts:
        return None

    def in_any(flags: list[Flags]) -> Flags:
        any_of_them: Flags = np.logical_or.reduce(flags)
        return any_of_them

    return Split(
        free=~in_any([~part.free for part in parts]),
        long=in_any([part.long for part in parts]),
        repeated=in_any([part.repeated for part in parts]),
        met=in_any([part.met & part.long for part in parts]),
        chance=max(part.chance for part in parts),
        p_busy=min(1.0, len(parts) * min(part.p_busy for part in parts)),
        p_repeated=min(1.0, len(parts) * min(part.p_repeated for part in parts)),
        most=float("nan") if len(parts) > 1 else parts[0].most,
    )


def _among(repeated: Flags, long: Flags) -> float:
    """Chance that at least this number of the repeated packets are among the long ones."""
    if not all(flags.any() and not flags.all() for flags in (repeated, long)):
        return 1.0  # nothing to compare
    from scipy.stats import fisher_exact  # here, because the import of scipy.stats takes half a second

    table = [[int(np.count_nonzero((repeated == a) & (long == b))) for b in (True, False)] for a in (True, False)]
    return float(fisher_exact(table, alternative="greater").pvalue)


def _held_up(delays: NDArray[np.int64], others: NDArray[np.float64], most: float) -> float:
    """Chance that at most this number of waits end after others were on the air, up to one backoff."""
    ended, counts = np.unique(delays[delays <= most], return_counts=True)
    if not len(ended):
        return 1.0
    waiting = len(delays) - np.searchsorted(np.sort(delays), ended)
    met = others < delays
    over = np.sort(delays[met])
    exposed = np.searchsorted(np.sort(others[met]), ended) - np.searchsorted(over, ended)
    ending = np.searchsorted(over, ended, side="right") - np.searchsorted(over, ended)
    share = exposed / waiting
    variance = float(np.sum(counts * share * (1 - share) * (waiting - counts) / np.maximum(waiting - 1, 1)))
    if variance <= 0:
        return 1.0
    return float(ndtr(float(np.sum(ending - counts * share)) / np.sqrt(variance)))


def test(delays: NDArray[np.int64], at: Split, *, period_ns: float, level: float) -> Finding | None:
    """Test whether others on the air, and repeated frames, make delays longer.

    Parameters
    ----------
    delays
        int64[k], samples, in the order of sending.
    at
        Of these packets.
    period_ns
        Of a sample.
    level
        Of the two tests together.
    """
    if not at.long.any() or at.long.all():
        return None
    busy, repeated = at.long & at.met & ~at.repeated, at.long & at.repeated
    groups = np.where(at.long, UNEXPLAINED, ONE_BACKOFF)
    groups[busy & (at.p_busy <= level / 2)] = BUSY
    if at.p_repeated <= level / 2 or not (at.repeated & ~at.long).any():
        groups[repeated] = RETRIES
    one, rest, crowded, again = joining(delays.astype(np.float64), groups, 4)
    others = at.long & ~at.repeated
    exposed = float(np.mean(at.met[others])) if others.any() else 0.0
    worth = max(0.0, (exposed - at.chance) / (1 - at.chance)) if at.chance < 1 else 0.0
    unexplained = rest.value + (1 - worth) * crowded.value
    crowded = crowded.scaled(worth)
    counts = [int(np.count_nonzero(groups == group)) for group in range(4)]
    return Finding(
        kind="channel",
        sentence=_sentence(at, one, crowded, again, unexplained, counts, period_ns=period_ns),
        p_value=min(1.0, 2 * min(at.p_busy, at.p_repeated)),
        share=crowded.value + again.value,
        numbers={
            "busy_share": crowded,
            "retries_share": again,
            "one_backoff_share": one,
            "unexplained_share": unexplained,
            "busy_packets": counts[BUSY],
            "retried_packets": counts[RETRIES],
            "unexplained_packets": counts[UNEXPLAINED],
            "one_backoff_ns": at.most * period_ns,
            "packets": len(delays),
        },
    )


def _sentence(
    at: Split,
    one: Interval,
    busy: Interval,
    again: Interval,
    unexplained: float,
    counts: Sequence[int],
    *,
    period_ns: float,
) -> str:
    named = [("a busy channel", busy), ("retries", again)]
    causes = [f"{cause} {share_interval(share)}" for cause, share in named if share.value > 0]
    if not causes:
        return "Neither a busy channel nor retries make the delays longer."
    until = f" ({time_text(at.most * period_ns)} at most)" if np.isfinite(at.most) else " for each wait"
    long, n = int(np.count_nonzero(at.long)), len(at.long)
    text = (
        f"The channel makes the delays differ: of the variance {' and '.join(causes)}, one backoff{until} "
        f"{share_interval(one)}. Of {count_text(n, 'packet')} {long} waited longer than that: "
    )
    parts = []
    if counts[BUSY]:
        parts.append(f"{counts[BUSY]} met a frame of others on the air before it was over")
    if counts[RETRIES]:
        parts.append(f"the frame of {counts[RETRIES]} had been on the air before")
    if counts[UNEXPLAINED]:
        parts.append(f"for {counts[UNEXPLAINED]} the cause is unknown")
    text += ", ".join(parts)
    return text + (
        f"; {share_text(unexplained)} is of these or may be chance." if unexplained >= NEXT_TO_NOTHING else "."
    )
