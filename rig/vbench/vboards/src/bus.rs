//! What a core needs from the chip around it.
//!
//! A core owns flash, RAM and its private peripherals; every other access goes through [`Bus`].
//! Time is the core's own cycle count; the chip turns it into picoseconds where it meets the world.

/// Width of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Byte,
    Half,
    Word,
}

impl Width {
    /// Bytes of an access.
    pub fn bytes(self) -> usize {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
        }
    }

    /// The bits of a word that an access at its lowest address takes.
    pub fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }
}

/// Program counter of accesses that a debugger makes: they never end a run.
pub const DEBUGGER: u32 = u32::MAX;

/// An access that no device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// The chip as its core sees it.
pub trait Bus {
    /// Reads a device register. `cycle` is the instant of the access, `pc` the instruction that makes it.
    fn read(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError>;

    /// Writes a device register.
    fn write(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError>;

    /// Extra cycles that an access to `address` costs over one to RAM (bus bridges).
    fn wait_cycles(&self, address: u32) -> u32;

    /// Levels of the interrupt lines into the core, bit n = IRQ n; called only after [`Bus::irq_changed`].
    fn irq_levels(&self) -> u128;

    /// True once after the interrupt lines may have changed.
    fn irq_changed(&mut self) -> bool;

    /// Wait states of a flash line fetch at the present settings of the chip.
    fn flash_wait_states(&self) -> u32;

    /// Whether the flash reads the line after the one that it hands out.
    fn flash_prefetch(&self) -> bool;

    /// Cycle by which the core must hand control back (the chip's next event). The core reads it again after every
    /// device access, because a register access may create an earlier event. `u64::MAX` when nothing is due.
    fn horizon(&self) -> u64;
}
