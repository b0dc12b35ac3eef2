//! The bus matrix: access widths, bit-banding, delays of the bridges.

use crate::bus::{BusError, Width, DEBUGGER};
use crate::log::{Log, Topic};
use crate::soc::watch::Access;

/// Bit-band alias of the peripherals (Cortex-M3 and Cortex-M4 TRM, 3.7).
const BIT_BAND: std::ops::Range<u32> = 0x4200_0000..0x4400_0000;
/// End of the APB peripherals.
const APB_END: u32 = 0x4001_8000;
/// From here on a chip has only registers of its core (ARMv7-M ARM B3.1).
const SYSTEM: u32 = 0xE000_0000;

/// The registers of a chip, accessed at aligned addresses; a few depend on the width of the access.
pub trait Registers {
    fn read_word(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError>;
    fn write_word(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError>;
    /// Whether the effect of a write depends on its width.
    fn depends_on_width(&self, _address: u32) -> bool {
        false
    }
}

/// Word and bit that a bit-band address means.
fn bit_band(address: u32) -> (u32, u32) {
    let offset = address - BIT_BAND.start;
    let byte = 0x4000_0000 + (offset >> 5);
    (byte & !3, (byte & 3) * 8 + (offset >> 2 & 7))
}

pub fn read(chip: &mut impl Registers, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
    if BIT_BAND.contains(&address) {
        let (word, bit) = bit_band(address);
        let value = chip.read_word(word, Width::Word, cycle, pc)?;
        return Ok(value >> bit & 1);
    }
    let value = chip.read_word(address & !3, width, cycle, pc)?;
    Ok(value >> (8 * (address & 3)) & width.mask())
}

pub fn write(
    chip: &mut impl Registers,
    address: u32,
    width: Width,
    value: u32,
    cycle: u64,
    pc: u32,
) -> Result<(), BusError> {
    if BIT_BAND.contains(&address) {
        let (word, bit) = bit_band(address);
        let old = chip.read_word(word, Width::Word, cycle, pc)?;
        return chip.write_word(word, Width::Word, old & !(1 << bit) | (value & 1) << bit, cycle, pc);
    }
    let value = match width {
        _ if chip.depends_on_width(address) => value & width.mask(),
        Width::Word => value,
        // RM0008 2.1, RM0351 2.1.12: the APB bridges put a narrow write on all byte lanes; on the AHB the others keep
        // theirs.
        Width::Byte if address < APB_END => (value & 0xFF) * 0x0101_0101,
        Width::Half if address < APB_END => (value & 0xFFFF) * 0x0001_0001,
        _ => {
            let shift = 8 * (address & 3);
            let old = chip.read_word(address & !3, Width::Word, cycle, pc)?;
            old & !(width.mask() << shift) | (value & width.mask()) << shift
        }
    };
    chip.write_word(address & !3, width, value, cycle, pc)
}

/// What an access over an APB bridge waits: a transfer takes two cycles of its bus (IHI 0024, 3.1), one of which is that
/// of the access itself. On silicon stores to APB2 at HCLK take 2.0 cycles each (toggle-f103-str-unrolled-144 of
/// rig/vbench/tests/silicon/points.toml). What a slower APB waits until its clock begins is not modelled, nor measured.
pub fn wait_cycles(address: u32, apb1_div: u64, apb2_div: u64) -> u32 {
    match address {
        0x4000_0000..=0x4000_FFFF => 2 * apb1_div as u32 - 1,
        0x4001_0000..=0x4001_7FFF => 2 * apb2_div as u32 - 1,
        _ => 0,
    }
}

/// Logs an access that no device answers; what ends a strict run, if it is the firmware's mistake.
///
/// A debugger may look anywhere, and an erased chip, whose stack pointer is all ones, stacks among the core's registers.
pub fn unmapped(log: &mut Log, board: u16, access: Access, what: &str) -> Option<String> {
    let Access { address, pc, t_ps } = access;
    let text = format!("{} unmapped register 0x{:08x}", what, address);
    let fault = format!("board {}: {} at PC 0x{:08x}, t = {} ps", board, text, pc, t_ps);
    log.once(t_ps, Topic::Read, address, || text);
    (pc != DEBUGGER && address < SYSTEM).then_some(fault)
}
