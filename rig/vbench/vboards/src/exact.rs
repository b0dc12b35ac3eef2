//! Causes of jitter that a bench leaves out: what each of them does shows in a run without it.

/// What is exact, where hardware is not. By default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// Radios see and do everything at once, without waiting for an edge of their crystal.
    pub radio_phase: bool,
    /// The crystals of the radios have their nominal frequency.
    pub radio_rate: bool,
    /// The DCO of an MSP430 is the typical one of its data sheet and does not wander.
    pub dco: bool,
    /// It starts in the greatest time of its data sheet.
    pub dco_start: bool,
}
