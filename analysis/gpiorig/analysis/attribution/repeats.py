"""Repeats: the part of a delay that waits for a retransmission, which the packets show without a test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.number_text import count_text, share_text, time_text

Samples = NDArray[np.int64]
KIND = "retransmission"


def finding(delays: Samples, repeats: Samples, *, period_ns: float) -> Finding | None:
    """The share of the waits for retransmissions in the variance of a delay; None where no packet waited for one.

    Parameters
    ----------
    delays, repeats
        int64[k], samples: the delay of each packet, and the part of it that waits for a retransmission.
    period_ns
        Of a sample.
    """
    waited, variance = repeats[repeats > 0], float(np.var(delays))
    if not len(waited) or not variance:
        return None
    share = float(np.mean((repeats - repeats.mean()) * (delays - delays.mean()))) / variance
    least, most = (time_text(float(samples) * period_ns) for samples in (waited.min(), waited.max()))
    until = f"{least} to {most}" if least != most else least
    packets = f"{len(waited)} of {count_text(len(delays), 'packet')}"
    shown = share_text(share) if share < 1 else "all"
    return Finding(
        kind=KIND,
        sentence=f"{packets} waited for a retransmission, {until}, which makes {shown} of the variance.",
        p_value=0.0,
        share=share,
        numbers={"retransmitted_packets": len(waited), "packets": len(delays)},
    )
