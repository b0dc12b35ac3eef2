"""Round trips under loss on two virtual M3, and what their retransmissions cost by the record of the losses.

The chain of a round trip by the record: the reply that was acknowledged before the initiator's log has the end; the
first attempt of that frame; the last acknowledged request at least as long before it as a responder ever takes. What
is waited for is the time from the first attempt to the one that arrived, each way, and what the reply was later than
usual when the request was on the air again before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from directbench import record
from numpy.typing import NDArray
from radiowaits import bench_text, links

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.vbench.boards import truth
from gpiorig.vbench.boards.truth import FrameOnAir

NODES = {"initiator": "iotlab-m3", "responder": "iotlab-m3"}
BOTH_WAYS = (("initiator", "responder"), ("responder", "initiator"))
LOSS_PPM = 150_000
ACKNOWLEDGED_PS = 400_000_000  # an acknowledgement begins 12 symbols after the frame, 192 us
DATA, ACK = 1, 2  # frame types of IEEE 802.15.4


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """Of each round trip, float64[k], us: the round trip, the application's repetitions, those of the radios."""

    ids: NDArray[np.int64]
    round_trips: NDArray[np.float64]
    application: NDArray[np.float64]
    radio: NDArray[np.float64]

    def shares(self) -> tuple[float, float]:
        """Of waiting for a retransmission in the mean and in the variance."""
        waits, trips = self.application + self.radio, self.round_trips
        return float(waits.mean() / trips.mean()), float(np.cov(waits, trips)[0, 1] / trips.var(ddof=1))


def run(folder: Path, *, seed: int, packets: int, repeat_us: int, lost_ppm: int = LOSS_PPM) -> tuple[Recording, Path]:
    """Ping-pong with answers to repeated requests, under loss; the recording and its record of losses."""
    settings = Settings(interval_us=150_000, timeout_us=145_000, repeat_us=repeat_us)
    experiment = Experiment("retransmissions", "initiator", "responder", packets=packets, settings=settings)
    folder.mkdir(exist_ok=True)
    bench = bench_text(folder, NODES).replace("seed = 1\n", f"seed = {seed}\n")
    recording = record(folder, bench + links(NODES, dict.fromkeys(BOTH_WAYS, lost_ppm)), experiment)
    return recording, folder / "truth"


def frames_on_air(path: Path, recording: Recording) -> list[FrameOnAir]:
    """Every frame on the air, by the record of the losses."""
    return truth.losses(path, benches.loads(recording.info.bench))


def id_of(frame: FrameOnAir) -> int:
    """The last two bytes before the checksum."""
    return int.from_bytes(frame.psdu[-4:-2], "big")


def true_waits(frames: Sequence[FrameOnAir], logged_us: Mapping[int, int]) -> Waits:
    """By the record of the losses, and the round trips by the initiator's own log, by id."""
    acks = [frame for frame in frames if frame.psdu[0] & 7 == ACK]
    starts = defaultdict(list)
    for ack in acks:
        starts[ack.node, ack.psdu[2]].append(ack.start_ps)

    def acknowledged(frame: FrameOnAir) -> bool:
        other = "responder" if frame.node == "initiator" else "initiator"
        return any(0 < at - frame.end_ps < ACKNOWLEDGED_PS for at in starts[other, frame.psdu[2]])

    by_id: dict[int, list[FrameOnAir]] = defaultdict(list)
    for frame in frames:
        if frame.psdu[0] & 7 == DATA:
            by_id[id_of(frame)].append(frame)
    alone = {i: of for i, of in by_id.items() if [f.node for f in of] == list(NODES) and i in logged_us}
    between = [reply.start_ps - request.end_ps for request, reply in alone.values()]
    last = min(request.start_ps + logged_us[i] * 10**6 - reply.end_ps for i, (request, reply) in alone.items())
    rows = []
    for i, logged in logged_us.items():
        requests, replies = ([f for f in by_id[i] if f.node == node] for node in NODES)
        until = requests[0].start_ps + logged * 10**6 - last + 2 * 10**6
        arrived = _latest(replies, until, acknowledged)
        sent = [reply for reply in replies if arrived is not None and reply.psdu[2] == arrived.psdu[2]]
        cause = _latest(requests, sent[0].start_ps - min(between) + 10**6, acknowledged) if sent else None
        if arrived is None or cause is None:
            continue
        tried = next(request for request in requests if request.psdu[2] == cause.psdu[2])
        radio = cause.start_ps - tried.start_ps + arrived.start_ps - sent[0].start_ps
        if any(cause.end_ps < frame.start_ps < sent[0].start_ps for frame in by_id[i]):
            radio += sent[0].start_ps - cause.end_ps - int(np.mean(between))
        rows.append((i, logged, (tried.start_ps - requests[0].start_ps) / 1e6, radio / 1e6))
    ids, trips, application, radio_us = np.array(rows, dtype=np.float64).T
    return Waits(ids.astype(np.int64), trips, application, radio_us)


def _latest(frames: Sequence[FrameOnAir], until_ps: int, acknowledged: object) -> FrameOnAir | None:
    """The last of some frames that was over by an instant and acknowledged."""
    assert callable(acknowledged)
    return next((frame for frame in reversed(frames) if frame.end_ps <= until_ps and acknowledged(frame)), None)
