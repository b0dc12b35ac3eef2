//! The serial number chip DS2411 on a 1-Wire line: reset and presence pulse, READ ROM.
//!
//! Maxim, DS2411 data sheet (19-6131, rev. 11/11), standard speed. Its times are limits: the model has one value within
//! each. Not modelled: MATCH, SEARCH and SKIP ROM, overdrive; they are logged and the chip waits for the next reset.

use crate::air::US;
use crate::soc::{Drive, Outside};
use crate::trace::Pin;

/// Reset low time, tRSTL: 480 us at least.
const RESET_PS: u64 = 480 * US;
/// From the end of a reset to the presence pulse, tPDH: 15 to 60 us; its length, tPDL: 60 to 240 us.
const PRESENCE_AFTER_PS: u64 = 30 * US;
const PRESENCE_PS: u64 = 120 * US;
/// In a time slot, from the falling edge: when the chip samples a bit that the master writes, and for how long it pulls the
/// line low to send a 0. A written 1 is high again after 15 us (tW1L), a 0 low for 60 us (tW0L); the master reads before 15 us
/// (tMSR).
const SLOT_PS: u64 = 30 * US;

const FAMILY: u8 = 0x01;
const READ_ROM: u8 = 0x33;
const ROM_BITS: u32 = 64;

/// What the chip does with the next time slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing until a reset.
    Deaf,
    /// The presence pulse is to come, or under way.
    Presence,
    /// A command arrives, the lowest bit first: the number of bits that are in.
    Command { bits: u32, byte: u8 },
    /// The ROM is sent: the number of bits that are out.
    Rom(u32),
}

/// The chip.
pub struct Ds2411 {
    line: Pin,
    /// Family code, serial number, CRC; the lowest bit is sent first.
    rom: u64,
    phase: Phase,
    /// When the line last fell; None while it is high.
    low_since_ps: Option<u64>,
    /// Levels that the chip puts on the line at instants to come; true: it lets go.
    planned: Vec<(u64, bool)>,
    drives: Vec<Drive>,
    notes: Vec<(u32, String)>,
}

/// The check of the first 56 bits of a ROM: X8 + X5 + X4 + 1, shifted to the right from 0.
fn crc8(rom: u64) -> u8 {
    (0..56).fold(0, |crc: u8, bit| {
        let carry = (crc ^ (rom >> bit) as u8) & 1;
        crc >> 1 ^ (carry * 0x8C)
    })
}

impl Ds2411 {
    /// A chip with the lower 48 bits of a serial number.
    pub fn new(line: Pin, serial_number: u64) -> Ds2411 {
        let rom = serial_number << 16 >> 8 | u64::from(FAMILY);
        Ds2411 {
            line,
            rom: u64::from(crc8(rom)) << 56 | rom,
            phase: Phase::Deaf,
            low_since_ps: None,
            planned: Vec::new(),
            drives: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn pull(&mut self, from_ps: u64, for_ps: u64) {
        self.planned.push((from_ps, false));
        self.planned.push((from_ps + for_ps, true));
    }

    /// The line falls: a time slot, or a reset, or the chip itself.
    fn fall(&mut self, t_ps: u64) {
        self.low_since_ps = Some(t_ps);
        if let Phase::Rom(sent) = self.phase {
            if self.rom >> sent & 1 == 0 {
                self.pull(t_ps, SLOT_PS);
            }
            self.phase = match sent + 1 {
                ROM_BITS => Phase::Deaf,
                sent => Phase::Rom(sent),
            };
        }
    }

    fn rise(&mut self, t_ps: u64) {
        let low_ps = match self.low_since_ps.take() {
            Some(since_ps) => t_ps - since_ps,
            None => return,
        };
        if low_ps >= RESET_PS {
            self.phase = Phase::Presence;
            self.planned.clear();
            return self.pull(t_ps + PRESENCE_AFTER_PS, PRESENCE_PS);
        }
        match self.phase {
            Phase::Presence if self.planned.is_empty() => self.phase = Phase::Command { bits: 0, byte: 0 },
            Phase::Command { bits, byte } => self.take_bit(bits, byte, low_ps < SLOT_PS),
            _ => {}
        }
    }

    fn take_bit(&mut self, bits: u32, byte: u8, bit: bool) {
        let byte = byte | u8::from(bit) << bits;
        self.phase = match (bits + 1, byte) {
            (8, READ_ROM) => Phase::Rom(0),
            (8, other) => {
                let text = format!("DS2411: ROM command 0x{:02x} is not modelled, no answer", other);
                self.notes.push((0x200 | u32::from(other), text));
                Phase::Deaf
            }
            (bits, byte) => Phase::Command { bits, byte },
        };
    }
}

impl Outside for Ds2411 {
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64) {
        if pin != self.line {
            return;
        }
        if level {
            self.rise(t_ps);
        } else {
            self.fall(t_ps);
        }
    }

    fn spi_out(&mut self, _bus: usize, _t_ps: u64) -> Option<u8> {
        None
    }

    fn spi_in(&mut self, _bus: usize, _byte: u8, _t_ps: u64) {}

    fn next_event(&self) -> Option<u64> {
        self.planned.first().map(|planned| planned.0)
    }

    fn advance(&mut self, t_ps: u64) {
        let due = self.planned.partition_point(|planned| planned.0 <= t_ps);
        for (t_ps, level) in self.planned.drain(..due) {
            let pin = self.line;
            self.drives.push(Drive { t_ps, pin, level });
        }
    }

    fn take_drives(&mut self, into: &mut Vec<Drive>) {
        into.append(&mut self.drives);
    }

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.notes)
    }
}
