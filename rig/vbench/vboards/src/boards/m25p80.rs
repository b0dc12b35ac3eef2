//! The serial flash M25P80: 1 MByte in 16 sectors of 256 pages of 256 bytes, on an SPI bus.
//!
//! STMicroelectronics, M25P80 data sheet (rev. 10): table 2 protected areas, table 4 instructions, section 6 each of them;
//! typical times of the edition of August 2004, first page. Not modelled: pin W (as if high), the 3 us and 30 us into and
//! out of deep power-down, the shorter time of a page that is programmed in part.

use crate::air::US;
use crate::soc::{Drive, Outside};
use crate::trace::Pin;

const WRITE_STATUS: u8 = 0x01;
const PAGE_PROGRAM: u8 = 0x02;
const READ: u8 = 0x03;
const WRITE_DISABLE: u8 = 0x04;
const READ_STATUS: u8 = 0x05;
const WRITE_ENABLE: u8 = 0x06;
const FAST_READ: u8 = 0x0B;
const READ_IDENTIFICATION: u8 = 0x9F;
const RELEASE: u8 = 0xAB;
const DEEP_POWER_DOWN: u8 = 0xB9;
const BULK_ERASE: u8 = 0xC7;
const SECTOR_ERASE: u8 = 0xD8;
const KNOWN: [u8; 12] = [
    WRITE_STATUS,
    PAGE_PROGRAM,
    READ,
    WRITE_DISABLE,
    READ_STATUS,
    WRITE_ENABLE,
    FAST_READ,
    READ_IDENTIFICATION,
    RELEASE,
    DEEP_POWER_DOWN,
    BULK_ERASE,
    SECTOR_ERASE,
];

/// Status register (6.4): write in progress, write enable latch, and what WRSR writes: SRWD, BP2 to BP0.
const WIP: u8 = 0x01;
const WEL: u8 = 0x02;
const KEPT_STATUS: u8 = 0x9C;
/// Manufacturer, memory type, capacity (table 5).
const IDENTIFICATION: [u8; 3] = [0x20, 0x20, 0x14];
/// Electronic signature, after three dummy bytes (6.12).
const SIGNATURE: u8 = 0x13;

const BYTES: usize = 1 << 20;
const SECTOR: usize = 1 << 16;
const PAGE: usize = 1 << 8;
/// An instruction and its three address bytes.
const ADDRESSED: usize = 4;

/// Typical times: a page, a sector, all of it; the status register (tW, 5 ms, unverified).
const PROGRAM_PS: u64 = 1_400 * US;
const SECTOR_ERASE_PS: u64 = 1_000_000 * US;
const BULK_ERASE_PS: u64 = 10_000_000 * US;
const WRITE_STATUS_PS: u64 = 5_000 * US;

/// The chip, with its select and hold, both low when they are meant.
pub struct M25p80 {
    bus: usize,
    select: Pin,
    hold: Pin,
    selected: bool,
    held: bool,
    /// Bytes since it was selected, and the first of them.
    received: usize,
    instruction: u8,
    address: usize,
    /// What PP would write, byte by byte of the page; WRSR has its byte in the first.
    page: [u8; PAGE],
    status: u8,
    enabled: bool,
    asleep: bool,
    /// It programs or erases until then.
    busy_until_ps: u64,
    memory: Vec<u8>,
    notes: Vec<(u32, String)>,
}

impl M25p80 {
    /// An erased chip.
    pub fn new(bus: usize, select: Pin, hold: Pin) -> M25p80 {
        M25p80 {
            bus,
            select,
            hold,
            selected: false,
            held: false,
            received: 0,
            instruction: 0,
            address: 0,
            page: [0xFF; PAGE],
            status: 0,
            enabled: false,
            asleep: false,
            busy_until_ps: 0,
            memory: vec![0xFF; BYTES],
            notes: Vec::new(),
        }
    }

    fn listens(&self, bus: usize) -> bool {
        bus == self.bus && self.selected && !self.held
    }

    fn note(&mut self, text: String) {
        self.notes.push((0x100 | u32::from(self.instruction), text));
    }

    /// The first byte after the select. What the chip does not take now, it does not take at all.
    fn instruct(&mut self, byte: u8, t_ps: u64) {
        self.instruction = byte;
        self.page = [0xFF; PAGE];
        let refusal = if !KNOWN.contains(&byte) {
            "is none of this chip's"
        } else if self.asleep && byte != RELEASE {
            "comes in deep power-down, where only 0xab is taken"
        } else if t_ps < self.busy_until_ps && byte != READ_STATUS {
            "comes during a write cycle, where only 0x05 is taken"
        } else {
            return;
        };
        self.note(format!("M25P80: instruction 0x{:02x} {}, ignored", byte, refusal));
        self.instruction = 0;
    }

    /// A byte after the instruction.
    fn argument(&mut self, byte: u8) {
        match self.instruction {
            READ | FAST_READ | PAGE_PROGRAM | SECTOR_ERASE if self.received < ADDRESSED => {
                self.address = (self.address << 8 | usize::from(byte)) % BYTES;
            }
            PAGE_PROGRAM => {
                // 6.8: beyond the end of a page it continues at its start; the last 256 bytes count.
                self.page[self.address % PAGE] = byte;
                self.address = self.address / PAGE * PAGE + (self.address + 1) % PAGE;
            }
            WRITE_STATUS if self.received == 1 => self.page[0] = byte,
            _ => {}
        }
    }

    fn is_protected(&self, sector: usize) -> bool {
        match self.status >> 2 & 7 {
            0 => false,
            level => sector >= (BYTES / SECTOR).saturating_sub(1 << (level - 1)),
        }
    }

    /// An instruction takes effect when the select rises.
    fn execute(&mut self, t_ps: u64) {
        match self.instruction {
            WRITE_ENABLE => self.enabled = true,
            WRITE_DISABLE => self.enabled = false,
            DEEP_POWER_DOWN => self.asleep = true,
            RELEASE => self.asleep = false,
            WRITE_STATUS if self.received == 2 => self.write(t_ps, WRITE_STATUS_PS),
            PAGE_PROGRAM if self.received > ADDRESSED => self.write(t_ps, PROGRAM_PS),
            SECTOR_ERASE if self.received == ADDRESSED => self.write(t_ps, SECTOR_ERASE_PS),
            BULK_ERASE if self.received == 1 => self.write(t_ps, BULK_ERASE_PS),
            _ => {}
        }
    }

    /// A write cycle. The latch falls at an unspecified time in it (6.4), here at its start.
    fn write(&mut self, t_ps: u64, cycle_ps: u64) {
        let (sector, page) = (self.address / SECTOR, self.address / PAGE * PAGE);
        let forbidden = match self.instruction {
            WRITE_STATUS => false,
            BULK_ERASE => self.is_protected(BYTES / SECTOR - 1),
            _ => self.is_protected(sector),
        };
        if !self.enabled || forbidden {
            let why = if forbidden {
                "a protected area"
            } else {
                "no write enable"
            };
            let text = format!("M25P80: instruction 0x{:02x} with {}, ignored", self.instruction, why);
            return self.note(text);
        }
        match self.instruction {
            WRITE_STATUS => self.status = self.page[0] & KEPT_STATUS,
            SECTOR_ERASE => self.memory[sector * SECTOR..][..SECTOR].fill(0xFF),
            BULK_ERASE => self.memory.fill(0xFF),
            _ => {
                for (cell, byte) in self.memory[page..].iter_mut().zip(self.page) {
                    *cell &= byte; // programming only clears bits
                }
            }
        }
        self.enabled = false;
        self.busy_until_ps = t_ps + cycle_ps;
    }

    fn read(&mut self) -> u8 {
        let byte = self.memory[self.address];
        self.address = (self.address + 1) % BYTES;
        byte
    }
}

impl Outside for M25p80 {
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64) {
        if pin == self.hold {
            self.held = !level;
        }
        if pin != self.select || level != self.selected {
            return;
        }
        if self.selected && self.received > 0 {
            self.execute(t_ps);
        }
        self.selected = !level;
        self.received = 0;
    }

    fn spi_out(&mut self, bus: usize, t_ps: u64) -> Option<u8> {
        if !self.listens(bus) || self.received == 0 {
            return None;
        }
        match self.instruction {
            READ_STATUS => {
                let bit = |on: bool, bit: u8| if on { bit } else { 0 };
                Some(self.status | bit(self.enabled, WEL) | bit(t_ps < self.busy_until_ps, WIP))
            }
            READ_IDENTIFICATION => IDENTIFICATION.get(self.received - 1).copied(),
            RELEASE if self.received >= ADDRESSED => Some(SIGNATURE),
            READ if self.received >= ADDRESSED => Some(self.read()),
            FAST_READ if self.received > ADDRESSED => Some(self.read()),
            _ => None,
        }
    }

    fn spi_in(&mut self, bus: usize, byte: u8, t_ps: u64) {
        if !self.listens(bus) {
            return;
        }
        match self.received {
            0 => self.instruct(byte, t_ps),
            _ => self.argument(byte),
        }
        self.received += 1;
    }

    fn next_event(&self) -> Option<u64> {
        None
    }

    fn advance(&mut self, _t_ps: u64) {}

    fn take_drives(&mut self, _into: &mut Vec<Drive>) {}

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.notes)
    }

    /// The array and the status register.
    fn kept(&self) -> Vec<u8> {
        let mut kept = self.memory.clone();
        kept.push(self.status);
        kept
    }

    fn restore(&mut self, kept: &[u8]) {
        if let Some((&status, memory)) = kept.split_last() {
            self.status = status;
            self.memory.copy_from_slice(memory);
        }
    }
}
