//! Flash and RAM of the chip, as arrays, and the predecode cache of the flash.

use super::ops::Op;

/// Places in the predecode cache of RAM.
pub(super) const RAM_OPS: usize = 1024;

/// Where an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Offset into the flash.
    Flash(usize),
    /// Index of a RAM and offset into it; the main RAM is 0.
    Ram(usize, usize),
}

/// One RAM.
pub(super) struct Ram {
    pub base: u32,
    pub bytes: Vec<u8>,
}

/// Flash (also visible at 0) and RAMs.
pub struct Memory {
    pub(super) flash_base: u32,
    pub(super) flash: Vec<u8>,
    pub(super) ram_base: u32,
    pub(super) ram: Vec<u8>,
    pub(super) more_ram: Vec<Ram>,
    /// One place per halfword of flash.
    pub(super) ops: Vec<Op>,
    /// Code in RAM, by the low bits of its address: the words it was decoded from, and the result.
    pub(super) ram_ops: Vec<(u32, Op)>,
}

/// Little-endian word at `offset`, if it lies inside.
#[inline(always)]
pub(super) fn word_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let four = bytes.get(offset..)?.get(..4)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// Little-endian halfword at `offset`, if it lies inside.
#[inline(always)]
pub(super) fn half_at(bytes: &[u8], offset: usize) -> Option<u16> {
    let two = bytes.get(offset..)?.get(..2)?;
    Some(u16::from_le_bytes([two[0], two[1]]))
}

impl Memory {
    pub(super) fn new(flash_base: u32, flash: Vec<u8>, ram_base: u32, ram_bytes: usize) -> Memory {
        let ops = vec![Op::UNDECODED; flash.len() / 2];
        Memory {
            flash_base,
            flash,
            ram_base,
            ram: vec![0; ram_bytes],
            more_ram: Vec::new(),
            ops,
            ram_ops: vec![(0, Op::UNDECODED); RAM_OPS],
        }
    }

    /// Finds `len` bytes at `address`; None unless all of them lie in one array.
    pub(super) fn place(&self, address: u32, len: usize) -> Option<Place> {
        let inside = |base: u32, size: usize| {
            let offset = address.wrapping_sub(base) as usize;
            let end = offset.checked_add(len)?;
            if end <= size {
                Some(offset)
            } else {
                None
            }
        };
        if let Some(offset) = inside(self.ram_base, self.ram.len()) {
            return Some(Place::Ram(0, offset));
        }
        if let Some(offset) = inside(self.flash_base, self.flash.len()).or_else(|| inside(0, self.flash.len())) {
            return Some(Place::Flash(offset));
        }
        for (index, ram) in self.more_ram.iter().enumerate() {
            if let Some(offset) = inside(ram.base, ram.bytes.len()) {
                return Some(Place::Ram(index + 1, offset));
            }
        }
        None
    }

    /// The bytes from a place to the end of its array.
    pub(super) fn bytes(&self, place: Place) -> &[u8] {
        match place {
            Place::Flash(offset) => &self.flash[offset..],
            Place::Ram(0, offset) => &self.ram[offset..],
            Place::Ram(index, offset) => &self.more_ram[index - 1].bytes[offset..],
        }
    }

    pub(super) fn bytes_mut(&mut self, place: Place) -> &mut [u8] {
        match place {
            Place::Flash(offset) => &mut self.flash[offset..],
            Place::Ram(0, offset) => &mut self.ram[offset..],
            Place::Ram(index, offset) => &mut self.more_ram[index - 1].bytes[offset..],
        }
    }

    /// Copies memory out; false if some byte is neither flash nor RAM.
    pub(super) fn read(&self, address: u32, into: &mut [u8]) -> bool {
        match self.place(address, into.len()) {
            Some(place) => {
                into.copy_from_slice(&self.bytes(place)[..into.len()]);
                true
            }
            None => false,
        }
    }

    /// Copies into memory, flash too; false, and nothing done, if some byte is neither flash nor RAM.
    pub(super) fn write(&mut self, address: u32, from: &[u8]) -> bool {
        let place = match self.place(address, from.len()) {
            Some(place) => place,
            None => return false,
        };
        self.bytes_mut(place)[..from.len()].copy_from_slice(from);
        if let Place::Flash(offset) = place {
            // A 32-bit instruction may begin one halfword before the first byte written.
            let first = (offset / 2).saturating_sub(1);
            let last = ((offset + from.len() + 1) / 2).min(self.ops.len());
            for op in &mut self.ops[first.min(last)..last] {
                *op = Op::UNDECODED;
            }
        }
        true
    }
}
