//! Addressing modes (SLAU049 3.3) and the accesses they make.

use super::timing::{self, Source};
use super::{Cpu, Kind, Peripherals, CG, PC, SP, SR};

/// Where an operand lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Register(usize),
    Memory(u16),
    /// A constant of the generators: a result is lost.
    Constant,
}

impl Cpu {
    /// The next word of the instruction.
    #[inline(always)]
    pub(super) fn fetch(&mut self) -> u16 {
        let address = self.regs[PC];
        self.regs[PC] = address.wrapping_add(2);
        if self.mem.kind(address) == Kind::Device {
            self.no_memory(address);
        }
        self.mem.word(address)
    }

    #[cold]
    fn no_memory(&mut self, address: u16) {
        self.stop(format!("instruction fetch at 0x{:04x}, where no memory is", address));
    }

    /// Base of an indexed operand: the program counter stands for the address of the index (SLAU049 3.3.3).
    #[inline(always)]
    fn indexed(&mut self, register: usize) -> u16 {
        let base = self.regs[register];
        self.fetch().wrapping_add(base)
    }

    /// Source operand of both formats: where, its value if it is in no memory, and its class of time.
    #[inline(always)]
    pub(super) fn source(&mut self, code: u16, register: usize, byte: bool) -> (Place, u16, Source) {
        match (code >> 4 & 3, register) {
            (0, CG) => (Place::Constant, 0, Source::Register),
            (0, _) => (Place::Register(register), self.regs[register], Source::Register),
            (1, CG) => (Place::Constant, 1, Source::Register),
            (1, SR) => (Place::Memory(self.fetch()), 0, Source::Indexed),
            (1, _) => (Place::Memory(self.indexed(register)), 0, Source::Indexed),
            (2, CG) => (Place::Constant, 2, Source::Register),
            (2, SR) => (Place::Constant, 4, Source::Register),
            (2, _) => (Place::Memory(self.regs[register]), 0, Source::Indirect),
            (_, CG) => (Place::Constant, 0xFFFF, Source::Register),
            (_, SR) => (Place::Constant, 8, Source::Register),
            (_, _) => {
                let address = self.regs[register];
                // PC and SP stay even: they advance by a word in byte operations too (SLAU049 3.2.1, 3.2.2, 3.3.6).
                let step = if byte && register > SP { 1 } else { 2 };
                self.regs[register] = address.wrapping_add(step);
                if register == PC && self.mem.kind(address) == Kind::Device {
                    self.no_memory(address);
                }
                (Place::Memory(address), 0, Source::Increment)
            }
        }
    }

    /// Destination of a two-operand instruction.
    #[inline(always)]
    pub(super) fn target(&mut self, code: u16) -> Place {
        let register = usize::from(code & 15);
        match (code & 0x80 != 0, register) {
            (false, _) => Place::Register(register),
            (true, SR) => Place::Memory(self.fetch()),
            // R3 reads as 0 here too; the manual does not define what X(R3) is.
            (true, _) => Place::Memory(self.indexed(register)),
        }
    }

    /// Value of an operand; `value` is what [`Cpu::source`] has found already.
    #[inline(always)]
    pub(super) fn value<P: Peripherals>(&mut self, chip: &mut P, found: (Place, u16, Source), byte: bool) -> u16 {
        let value = match found.0 {
            Place::Memory(address) => self.load(chip, address, byte, self.start + timing::source_read(found.2)),
            _ => found.1,
        };
        if byte {
            value & 0xFF
        } else {
            value
        }
    }

    #[inline(always)]
    pub(super) fn load<P: Peripherals>(&mut self, chip: &mut P, address: u16, byte: bool, cycle: u64) -> u16 {
        if self.mem.kind(address) == Kind::Device {
            return self.load_register(chip, address, byte, cycle);
        }
        if byte {
            u16::from(self.mem.byte(address))
        } else {
            self.mem.word(address)
        }
    }

    #[inline(never)]
    fn load_register<P: Peripherals>(&mut self, chip: &mut P, address: u16, byte: bool, cycle: u64) -> u16 {
        self.limit = 0;
        chip.read(if byte { address } else { address & !1 }, byte, cycle, self.at)
    }

    /// Writes to memory in the last cycle of the instruction; a word ignores bit 0 of its address.
    #[inline(always)]
    pub(super) fn store<P: Peripherals>(&mut self, chip: &mut P, address: u16, value: u16, byte: bool) {
        if self.mem.kind(address) != Kind::Ram {
            return self.store_register(chip, address, value, byte);
        }
        if byte {
            self.mem.set_byte(address, value as u8);
        } else {
            self.mem.set_word(address, value);
        }
    }

    #[inline(never)]
    fn store_register<P: Peripherals>(&mut self, chip: &mut P, address: u16, value: u16, byte: bool) {
        self.limit = 0;
        let cycle = self.start + self.length - timing::WRITE_BEFORE_END;
        chip.write(if byte { address } else { address & !1 }, byte, value, cycle, self.at);
    }

    /// Writes a result; a byte clears the high byte of a register (SLAU049 3.2).
    #[inline(always)]
    pub(super) fn put<P: Peripherals>(&mut self, chip: &mut P, place: Place, value: u16, byte: bool) {
        match place {
            Place::Register(register) => self.set_register(register, if byte { value & 0xFF } else { value }),
            Place::Memory(address) => self.store(chip, address, value, byte),
            Place::Constant => {}
        }
    }

    #[inline(always)]
    fn set_register(&mut self, register: usize, value: u16) {
        match register {
            PC | SP => self.regs[register] = value & !1,
            SR => self.set_status(value),
            CG => {}
            _ => self.regs[register] = value,
        }
    }
}
