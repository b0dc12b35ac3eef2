"""Starting captures and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gpiorig.api.session import Session, StrPath


def start_run(
    bench: StrPath,
    experiment: StrPath,
    output: StrPath,
    *,
    packets: int | None = None,
    flash: bool = False,
    note: str = "",
) -> Session:
    """Start an experiment on a bench, as `gpiorig run --no-report` does; `wait` for its end.

    Parameters
    ----------
    bench, experiment
        Files, or names of what comes with gpiorig.
    output
        Folder of the recording, which must not exist.
    packets
        In place of the experiment's number.
    flash
        First put the experiment's images onto boards that hold others.
    note
        A text that the recording keeps.

    Raises
    ------
    Error
        It cannot start.
    """
    words = [str(Path(bench)), str(Path(experiment)), "--no-report", "--json"]
    words += [] if packets is None else ["--packets", str(packets)]
    words += ["--flash"] * flash + (["--note", note] if note else [])
    return Session("run", words, Path(output)).started()


def start_capture(
    output: StrPath,
    *,
    driver: str | None = None,
    samplerate: str | int | None = None,
    channels: Sequence[str] = (),
    bench: StrPath | None = None,
    initiator: str | None = None,
    responder: str | None = None,
    firmware: Mapping[str, StrPath] | None = None,
    serial: bool = True,
    duration_s: float | None = None,
    samples: int | None = None,
    heartbeats: Mapping[str, str] | None = None,
    config: Mapping[str, str] | None = None,
    one_shot: bool = False,
    restart_s: float | None = None,
    virtual: bool = False,
) -> Session:
    """Start a capture of a logic analyzer, or of the lines of a bench, as `gpiorig capture` does.

    It returns when samples are recorded. The capture ends by its length, by `Session.stop`, or when the program ends.

    Parameters
    ----------
    output
        Folder of the recording, which must not exist.
    driver, samplerate, channels
        Sigrok's driver (`fx2lafw`), the rate (`24MHz`), the channels (`D0`, or `D0=request` with a name of yours;
        none: all).
    bench
        In place of these: a bench file, or the name of a bench that comes with gpiorig.
    initiator, responder, firmware, serial
        Of a bench: the two nodes of round trips, images of a virtual bench by node, whether serial ports are recorded.
    duration_s, samples
        Length of the capture, in one of them; without, it runs until it is stopped.
    heartbeats
        Periods of square waves by channel: `{"D7": "1ms"}`.
    config, one_shot, restart_s, virtual
        As the options of the command.

    Raises
    ------
    Error
        It cannot start.
    """
    values = {
        "driver": driver,
        "samplerate": samplerate,
        "channels": ",".join(channels),
        "bench": bench and str(Path(bench)),
        "initiator": initiator,
        "responder": responder,
        "duration": None if duration_s is None else f"{duration_s:.9f}s",
        "samples": samples,
        "restart": None if restart_s is None else f"{restart_s:.9f}s",
    }
    words = ["--json", *(f"--{name}={value}" for name, value in values.items() if value not in (None, ""))]
    words += [f"--firmware={node}={Path(image)}" for node, image in (firmware or {}).items()]
    words += [f"--heartbeat={channel}={period}" for channel, period in (heartbeats or {}).items()]
    words += [f"--config={key}={value}" for key, value in (config or {}).items()]
    words += ["--no-serial"] * (not serial) + ["--one-shot"] * one_shot + ["--virtual"] * virtual
    return Session("capture", words, Path(output)).started()
