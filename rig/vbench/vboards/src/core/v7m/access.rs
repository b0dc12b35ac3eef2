//! Data accesses: RAM and flash arrays, bit-band aliases, the private peripherals, and everything else on the bus.

use super::fault::Trap;
use super::memory::{half_at, word_at, Place};
use super::Cpu;
use crate::bus::{Bus, Width};

/// Where APB2 starts, after APB1 (RM0008 3.3, RM0351 2.2.2).
const APB2: u32 = 0x4001_0000;

fn size(width: Width) -> u32 {
    match width {
        Width::Byte => 1,
        Width::Half => 2,
        Width::Word => 4,
    }
}

#[inline(always)]
fn value_at(bytes: &[u8], offset: usize, width: Width) -> Option<u32> {
    match width {
        Width::Byte => bytes.get(offset).map(|&byte| u32::from(byte)),
        Width::Half => half_at(bytes, offset).map(u32::from),
        Width::Word => word_at(bytes, offset),
    }
}

#[inline(always)]
fn put_at(bytes: &mut [u8], offset: usize, width: Width, value: u32) -> Option<()> {
    let value = value.to_le_bytes();
    match width {
        Width::Byte => *bytes.get_mut(offset)? = value[0],
        Width::Half => bytes.get_mut(offset..)?.get_mut(..2)?.copy_from_slice(&value[..2]),
        Width::Word => bytes.get_mut(offset..)?.get_mut(..4)?.copy_from_slice(&value),
    }
    Some(())
}

/// The word-wide place and bit number of a bit-band alias (ARM DDI 0337, section 4.6; DDI 0403E, B3.1).
fn bit_band(address: u32, width: Width) -> Option<(u32, u32)> {
    match address >> 25 {
        0x11 | 0x21 => {
            let region = address & 0xF000_0000;
            let byte = region + ((address & 0x01FF_FFFF) >> 5);
            let bit = (address >> 2) & 7;
            let aligned = byte & !(size(width) - 1);
            Some((aligned, bit + 8 * (byte - aligned)))
        }
        _ => None,
    }
}

impl Cpu {
    /// Address of the instruction being executed.
    #[inline(always)]
    pub(super) fn current_pc(&self) -> u32 {
        self.regs[15].wrapping_sub(4)
    }

    /// Loads; the result is zero-extended. The cycles of the instruction itself are already charged.
    #[inline(always)]
    pub(super) fn load<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width) -> Result<u32, Trap> {
        let offset = address.wrapping_sub(self.mem.ram_base) as usize;
        if address & (size(width) - 1) == 0 {
            if let Some(value) = value_at(&self.mem.ram, offset, width) {
                self.begin_access(address, true);
                return Ok(value);
            }
        }
        self.load_elsewhere(bus, address, width)
    }

    /// Stores; the cycles of the instruction itself are already charged.
    #[inline(always)]
    pub(super) fn store<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width, value: u32) -> Result<(), Trap> {
        let offset = address.wrapping_sub(self.mem.ram_base) as usize;
        if address & (size(width) - 1) == 0 && put_at(&mut self.mem.ram, offset, width, value).is_some() {
            self.begin_access(address, false);
            return Ok(());
        }
        self.store_elsewhere(bus, address, width, value)
    }

    /// Charges the access and waits, if there may be something to wait for.
    #[inline(always)]
    fn begin_access(&mut self, address: u32, is_load: bool) {
        self.cycles += self.timing.access;
        if self.cycles <= self.busy_until {
            self.wait_for_others(address, is_load);
        }
    }

    /// DMB and DSB: waits until the write buffer is empty.
    pub(super) fn drain_buffer(&mut self) {
        self.cycles = self.cycles.max(self.buffer_free_at.saturating_sub(1));
    }

    fn unaligned_trap(&self) -> bool {
        self.scb.ccr & super::scb::CCR_UNALIGN_TRP != 0
    }

    #[inline(never)]
    fn load_elsewhere<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width) -> Result<u32, Trap> {
        let bytes = size(width);
        let unaligned = address & (bytes - 1) != 0;
        if unaligned {
            if self.unaligned_trap() {
                return Err(Trap::Unaligned);
            }
            self.cycles += self.timing.unaligned;
        }
        if let Some(place) = self.mem.place(address, bytes as usize) {
            match place {
                Place::Flash(offset) => self.cycles += self.fetch.data_read(offset, self.cycles),
                Place::Ram(..) => self.begin_access(address, true),
            }
            return value_at(self.mem.bytes(place), 0, width).ok_or(Trap::Bus(address));
        }
        if unaligned {
            let mut value = 0;
            for byte in 0..bytes {
                value |= self.load_device(bus, address.wrapping_add(byte), Width::Byte)? << (8 * byte);
            }
            return Ok(value);
        }
        self.load_device(bus, address, width)
    }

    #[inline(never)]
    fn store_elsewhere<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width, value: u32) -> Result<(), Trap> {
        let bytes = size(width);
        let unaligned = address & (bytes - 1) != 0;
        if unaligned {
            if self.unaligned_trap() {
                return Err(Trap::Unaligned);
            }
            self.cycles += self.timing.unaligned;
        }
        if let Some(place @ Place::Ram(..)) = self.mem.place(address, bytes as usize) {
            self.begin_access(address, false);
            return put_at(self.mem.bytes_mut(place), 0, width, value).ok_or(Trap::Bus(address));
        }
        if unaligned {
            for byte in 0..bytes {
                let part = (value >> (8 * byte)) & 0xFF;
                self.store_device(bus, address.wrapping_add(byte), Width::Byte, part)?;
            }
            return Ok(());
        }
        self.store_device(bus, address, width, value)
    }

    fn load_device<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width) -> Result<u32, Trap> {
        self.begin_access(address, true);
        if let Some((word, bit)) = bit_band(address, width) {
            return Ok(self.load(bus, word, width)? >> bit & 1);
        }
        if is_private(address) {
            if !self.privileged() {
                return Err(Trap::Bus(address));
            }
            return Ok(self.read_private(address, width));
        }
        self.cycles += self.bridge_cycles(bus, address);
        self.limit = 0;
        bus.read(address, width, self.cycles, self.current_pc())
            .map_err(|_| Trap::Bus(address))
    }

    /// What an access to a device waits for the bridge before it, if there is one.
    pub(super) fn bridge_cycles<B: Bus>(&self, bus: &B, address: u32) -> u64 {
        let changed = if address < APB2 {
            self.timing.apb1_wait_cycles
        } else {
            self.timing.apb2_wait_cycles
        };
        match bus.wait_cycles(address) {
            0 => 0,
            cycles => changed.unwrap_or_else(|| u64::from(cycles)),
        }
    }

    fn store_device<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width, value: u32) -> Result<(), Trap> {
        self.begin_access(address, false);
        if let Some((word, bit)) = bit_band(address, width) {
            let old = self.load(bus, word, width)?;
            return self.store(bus, word, width, old & !(1 << bit) | (value & 1) << bit);
        }
        self.limit = 0;
        if is_private(address) {
            if !self.privileged() {
                return Err(Trap::Bus(address));
            }
            self.write_private(address, width, value);
            return Ok(());
        }
        let at = self.holds.free_at(address, self.cycles) + self.bridge_cycles(bus, address);
        self.fill_buffer(at);
        if self.timing.write_buffer == 0 {
            self.cycles = at;
        }
        bus.write(address, width, value, at, self.current_pc())
            .map_err(|_| Trap::Bus(address))
    }
}

/// The private peripheral bus, but for ST's DBGMCU, which is the chip's (RM0008 section 31.16).
pub(super) fn is_private(address: u32) -> bool {
    address >> 20 == 0xE00 && address >> 12 != 0xE0042
}
