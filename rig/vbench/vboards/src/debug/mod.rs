//! Debug ports: what a debug adapter on a board's connector sees.

mod dap;
mod tap;

pub use tap::{Effect, Jtag, TapIds};

use crate::bus::{BusError, Width};

/// A chip's memory as its debug port reaches it.
pub trait Target {
    /// Identification codes of its JTAG chain.
    fn jtag_ids(&self) -> TapIds;
    /// Reads at the instant `at_ps`.
    fn read(&mut self, address: u32, width: Width, at_ps: u64) -> Result<u32, BusError>;
    fn write(&mut self, address: u32, width: Width, value: u32, at_ps: u64) -> Result<(), BusError>;
    /// Level of the reset line: `true` holds the chip in reset.
    fn hold_reset(&mut self, held: bool, at_ps: u64);
}
