//! The serial flash M25P80 of a TelosB, as far as a start-up asks for it: its status and its identity.
//!
//! STMicroelectronics, M25P80 data sheet (rev. 10), section 6: table 4 has the instructions, 6.4 the status register
//! (RDSR), 6.11 deep power-down, 6.12 the electronic signature. Nothing writes here, so it is never busy (WIP is 0); its array
//! is not modelled, and whoever asks for that gets a remark in the log.

use crate::air::{Link, Message};
use crate::soc::{Drive, Outside};
use crate::trace::Pin;

const WRITE_ENABLE: u8 = 0x06;
const WRITE_DISABLE: u8 = 0x04;
const READ_STATUS: u8 = 0x05;
const READ_IDENTIFICATION: u8 = 0x9F;
const DEEP_POWER_DOWN: u8 = 0xB9;
const RELEASE: u8 = 0xAB;

/// Write enable latch, bit 1 of the status register; bit 0, write in progress, stays 0.
const WEL: u8 = 0x02;
/// Manufacturer, memory type, capacity (table 5).
const IDENTIFICATION: [u8; 3] = [0x20, 0x20, 0x14];
/// Electronic signature, after three dummy bytes (6.12).
const SIGNATURE: u8 = 0x13;
const DUMMY_BYTES: usize = 3;

/// The chip, on an SPI bus with a select that is low when it is meant.
pub struct M25p80 {
    bus: usize,
    select: Pin,
    selected: bool,
    /// Bytes since it was selected, and the first of them.
    received: usize,
    instruction: u8,
    enabled: bool,
    asleep: bool,
    notes: Vec<(u32, String)>,
}

impl M25p80 {
    pub fn new(bus: usize, select: Pin) -> M25p80 {
        M25p80 {
            bus,
            select,
            selected: false,
            received: 0,
            instruction: 0,
            enabled: false,
            asleep: false,
            notes: Vec::new(),
        }
    }

    fn instruct(&mut self, byte: u8) {
        self.instruction = byte;
        if self.asleep && byte != RELEASE {
            self.notes.push((
                0x100,
                "M25P80: asked in deep power-down, where it takes 0xab only".into(),
            ));
        } else if !matches!(
            byte,
            WRITE_ENABLE | WRITE_DISABLE | READ_STATUS | READ_IDENTIFICATION | DEEP_POWER_DOWN | RELEASE
        ) {
            let text = format!("M25P80: instruction 0x{:02x} is not modelled, it answers nothing", byte);
            self.notes.push((u32::from(byte), text));
        }
    }

    /// An instruction without data takes effect when the select rises.
    fn deselect(&mut self) {
        if self.received == 0 || self.asleep && self.instruction != RELEASE {
            return;
        }
        match self.instruction {
            WRITE_ENABLE => self.enabled = true,
            WRITE_DISABLE => self.enabled = false,
            DEEP_POWER_DOWN => self.asleep = true,
            RELEASE => self.asleep = false,
            _ => {}
        }
    }
}

impl Outside for M25p80 {
    fn pin(&mut self, pin: Pin, level: bool, _t_ps: u64) {
        if pin != self.select || level != self.selected {
            return;
        }
        if self.selected {
            self.deselect();
        }
        self.selected = !level;
        self.received = 0;
    }

    fn spi_out(&mut self, bus: usize, _t_ps: u64) -> Option<u8> {
        if bus != self.bus || !self.selected || self.received == 0 {
            return None;
        }
        match self.instruction {
            RELEASE if self.received > DUMMY_BYTES => Some(SIGNATURE),
            _ if self.asleep => None,
            READ_STATUS => Some(if self.enabled { WEL } else { 0 }),
            READ_IDENTIFICATION => IDENTIFICATION.get(self.received - 1).copied(),
            _ => None,
        }
    }

    fn spi_in(&mut self, bus: usize, byte: u8, _t_ps: u64) {
        if bus != self.bus || !self.selected {
            return;
        }
        if self.received == 0 {
            self.instruct(byte);
        }
        self.received += 1;
    }

    fn next_event(&self) -> Option<u64> {
        None
    }

    fn advance(&mut self, _t_ps: u64) {}

    fn take_drives(&mut self, _into: &mut Vec<Drive>) {}

    fn receive_signal(&mut self, _message: &Message, _link: &Link) {}

    fn has_messages(&self) -> bool {
        false
    }

    fn take_messages(&mut self, _into: &mut Vec<Message>) {}

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.notes)
    }
}
