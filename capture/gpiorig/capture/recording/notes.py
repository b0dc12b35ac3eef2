"""Notes on how a recording was made: its analyzers' alignment, its instants' step, what its bench does not model."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from gpiorig.capture.edges.waveform import RateOrigin, TimeStep


class TimeStepNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The step of instants that were imported, as of `TimeStep`; steps in s as "numerator/denominator".

    Attributes
    ----------
    rate_origin, recorder
        As of `Waveform`: what the samplerate is, and what took the instants.
    resolution, step, possible
        Of the coarsest of the imported files, the step on which its edges lie, and a coarser one that they allow.
    is_certain, is_rounded, edges
        Whether a signal that keeps step is excluded, whether the step is not a multiple of the resolution, and the
        number of edges.
    """

    rate_origin: RateOrigin
    resolution: str
    step: str
    possible: str = "0"
    is_certain: bool = False
    is_rounded: bool = False
    edges: int = 0
    recorder: str = ""

    def as_step(self) -> TimeStep:
        """What it was made of."""
        return TimeStep(
            resolution_s=Fraction(self.resolution),
            step_s=Fraction(self.step),
            possible_s=Fraction(self.possible),
            is_certain=self.is_certain,
            is_rounded=self.is_rounded,
            edges=self.edges,
        )


class AlignmentNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one analyzer's samples were aligned with those of the reference, the first one of a merged recording.

    Attributes
    ----------
    analyzer, channels
        The analyzer, and the channels that come from it.
    pulses
        Sync pulses that both saw.
    rate_ppb
        How much faster its clock runs than the reference's, in parts per billion.
    pieces
        Straight intervals of the fit.
    residual_std_ns, residual_max_ns
        Distance of the pulses from the fit.
    uncertainty_ns
        Standard uncertainty (1 sigma) of an interval between one of its edges and one of the reference's.
    delay_ns, delay_limit_ns
        How much later the sync line's edges reach it than the reference, which is corrected, and the half width of the
        interval in which that certainly is, which is part of the uncertainty.
    """

    analyzer: str
    channels: tuple[str, ...]
    pulses: int
    rate_ppb: float
    pieces: int
    residual_std_ns: float
    residual_max_ns: float
    uncertainty_ns: float
    delay_ns: float = 0.0
    delay_limit_ns: float = 0.0


class BenchRemark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a firmware did that the virtual bench does not model, or models in part: a doubt of the recording.

    Attributes
    ----------
    node
        The node.
    pc
        Address of the instruction, as "0x08000000": of the last access to a register when it happened first.
    t_ps
        When it happened first, in virtual time.
    times
        How often it happened.
    what
        The device, its address, and what the model did instead.
    """

    node: str
    pc: str
    t_ps: int
    times: int
    what: str

    @property
    def sentence(self) -> str:
        """As text."""
        times = "once" if self.times == 1 else f"{self.times} times, first"
        return f"Node {self.node}: {self.what} ({times} at {self.t_ps / 1e12:.6f} s, PC {self.pc})."
