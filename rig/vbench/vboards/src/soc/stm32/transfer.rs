//! One transfer of a DMA controller: what it moves, and the slaves of the bus matrix that it has meanwhile.

use crate::bus::Width;
use crate::core::v7m::Cpu;
use crate::soc::Chip;

/// One datum to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    pub channel: usize,
    pub from: u32,
    pub from_width: Width,
    pub to: u32,
    pub to_width: Width,
    /// Cycle at which the controller starts with it.
    pub start: u64,
}

/// A transfer has its slaves of the bus matrix for the cycles that it takes; returns the cycle after it.
pub fn occupy<C: Chip>(chip: &C, core: &mut Cpu, transfer: &Transfer) -> u64 {
    let read_at = transfer.start + core.timing().dma_transfer.saturating_sub(3);
    let read = core.hold_slave(chip, transfer.from, read_at);
    core.hold_slave(chip, transfer.to, read + 1)
}

/// Moves one datum between memories and devices: the low part of a wider source, zeros above a narrower one (RM0008
/// table 76). False: nothing answers at one of the addresses. Flash can be read, not written.
pub fn move_datum<C: Chip>(chip: &mut C, core: &mut Cpu, transfer: &Transfer) -> bool {
    let cycle = core.cycles;
    let from = transfer.from & !(transfer.from_width.bytes() as u32 - 1);
    let to = transfer.to & !(transfer.to_width.bytes() as u32 - 1);
    let mut bytes = [0; 4];
    let value = if core.read_memory(from, &mut bytes[..transfer.from_width.bytes()]) {
        u32::from_le_bytes(bytes)
    } else {
        match chip.read(from, transfer.from_width, cycle, 0) {
            Ok(value) => value,
            Err(_) => return false,
        }
    };
    let bytes = &value.to_le_bytes()[..transfer.to_width.bytes()];
    core.write_ram(to, bytes) || chip.write(to, transfer.to_width, value, cycle, 0).is_ok()
}
