//! Loads and stores: single, double, multiple, exclusive.

use super::fault::Trap;
use super::ops::*;
use super::Cpu;
use crate::bus::{Bus, Width};

fn width_of(size: u8) -> Width {
    match size & 3 {
        BYTE => Width::Byte,
        HALF => Width::Half,
        _ => Width::Word,
    }
}

fn extend(value: u32, size: u8) -> u32 {
    match size {
        SIGNED_BYTE => value as i8 as u32,
        SIGNED_HALF => value as i16 as u32,
        _ => value,
    }
}

impl Cpu {
    #[inline(always)]
    pub(super) fn execute_memory<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let offset = self.r(op.n).wrapping_add(op.imm);
        let indexed = || self.r(op.n).wrapping_add(self.r(op.m) << (op.x & 3));
        match op.kind {
            Kind::LdrImm => self.load_register(op, bus, offset, Width::Word, |v| v),
            Kind::LdrbImm => self.load_register(op, bus, offset, Width::Byte, |v| v),
            Kind::LdrhImm => self.load_register(op, bus, offset, Width::Half, |v| v),
            Kind::LdrsbImm => self.load_register(op, bus, offset, Width::Byte, |v| v as i8 as u32),
            Kind::LdrshImm => self.load_register(op, bus, offset, Width::Half, |v| v as i16 as u32),
            Kind::StrImm => self.store_immediate(op, bus, offset, Width::Word),
            Kind::StrbImm => self.store_immediate(op, bus, offset, Width::Byte),
            Kind::StrhImm => self.store_immediate(op, bus, offset, Width::Half),
            Kind::LdrReg => self.load_register(op, bus, indexed(), Width::Word, |v| v),
            Kind::LdrbReg => self.load_register(op, bus, indexed(), Width::Byte, |v| v),
            Kind::LdrhReg => self.load_register(op, bus, indexed(), Width::Half, |v| v),
            Kind::LdrsbReg => self.load_register(op, bus, indexed(), Width::Byte, |v| v as i8 as u32),
            Kind::LdrshReg => self.load_register(op, bus, indexed(), Width::Half, |v| v as i16 as u32),
            Kind::StrReg | Kind::StrbReg | Kind::StrhReg => self.store_indexed(op, bus, indexed()),
            Kind::LdrLit => {
                let address = (self.regs[15] & !3).wrapping_add(op.imm);
                self.load_register(op, bus, address, Width::Word, |v| v)
            }
            Kind::Load => self.load_any(op, bus),
            Kind::Store => self.store_any(op, bus),
            Kind::Ldm => self.load_multiple(op, bus),
            Kind::Stm => self.store_multiple(op, bus),
            Kind::Ldrd | Kind::Strd => self.double(op, bus),
            Kind::Ldrex | Kind::Strex => self.exclusive(op, bus),
            _ => self.execute_control(op, bus),
        }
    }

    /// An address that the instruction before has calculated comes a cycle too late.
    #[inline(always)]
    fn wait_for_address(&mut self, op: Op) {
        let previous = self.previous();
        if previous.calculates(op.n) || op.flags & INDEXED != 0 && previous.calculates(op.m) {
            self.cycles += self.timing.address_interlock;
        }
    }

    /// Charges a single load's second cycle, unless it pipelines with a load just before it.
    #[inline(always)]
    fn begin_load(&mut self, op: Op) {
        self.wait_for_address(op);
        if self.previous().is_store() {
            self.cycles += self.timing.store_load;
        }
        let follows = self.load_end + 1 == self.cycles;
        let depends = self.load_into == op.n || op.flags & INDEXED != 0 && self.load_into == op.m;
        if !follows || depends {
            self.cycles += self.timing.load;
        }
    }

    #[inline(always)]
    fn load_register<B: Bus>(
        &mut self,
        op: Op,
        bus: &mut B,
        address: u32,
        width: Width,
        extend: impl Fn(u32) -> u32,
    ) -> Result<(), Trap> {
        self.begin_load(op);
        let value = self.load(bus, address, width)?;
        self.set_r(op.d, extend(value));
        self.load_end = self.cycles;
        self.load_into = op.d;
        Ok(())
    }

    #[inline(always)]
    fn store_immediate<B: Bus>(&mut self, op: Op, bus: &mut B, address: u32, width: Width) -> Result<(), Trap> {
        self.wait_for_address(op);
        self.store(bus, address, width, self.r(op.d) & width.mask())
    }

    fn store_indexed<B: Bus>(&mut self, op: Op, bus: &mut B, address: u32) -> Result<(), Trap> {
        self.wait_for_address(op);
        let follows = self.load_end + 1 == self.cycles && self.load_into != op.n && self.load_into != op.m;
        if !follows {
            self.cycles += self.timing.store_indexed;
        }
        match op.kind {
            Kind::StrbReg => self.store(bus, address, Width::Byte, self.r(op.d) & 0xFF),
            Kind::StrhReg => self.store(bus, address, Width::Half, self.r(op.d) & 0xFFFF),
            _ => self.store(bus, address, Width::Word, self.r(op.d)),
        }
    }

    /// Base plus offset, and the address accessed, of the forms that `flags` describes.
    fn address(&self, op: Op) -> (u32, u32) {
        let base = if op.n == 15 { self.regs[15] & !3 } else { self.r(op.n) };
        let offset = if op.flags & INDEXED != 0 {
            self.r(op.m) << (op.x & 3)
        } else {
            op.imm
        };
        let sum = base.wrapping_add(offset);
        (sum, if op.flags & POST != 0 { base } else { sum })
    }

    fn load_any<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (sum, address) = self.address(op);
        self.begin_load(op);
        let width = width_of(op.s);
        let value = if op.flags & UNPRIVILEGED != 0 {
            self.as_user(|cpu| cpu.load(bus, address, width))?
        } else {
            self.load(bus, address, width)?
        };
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, sum);
        }
        if op.d == 15 {
            self.cycles += self.timing.load_pc;
            return self.branch_exchange(value, bus);
        }
        self.set_r(op.d, extend(value, op.s));
        if op.flags & WRITE_BACK == 0 {
            // A load with base update does not pipeline with the next (TRM 3.3.3).
            self.load_end = self.cycles;
            self.load_into = op.d;
        }
        Ok(())
    }

    fn store_any<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (sum, address) = self.address(op);
        let width = width_of(op.s);
        let value = match width {
            Width::Byte => self.r(op.d) & 0xFF,
            Width::Half => self.r(op.d) & 0xFFFF,
            Width::Word => self.r(op.d),
        };
        if op.flags & UNPRIVILEGED != 0 {
            self.as_user(|cpu| cpu.store(bus, address, width, value))?;
        } else {
            self.store(bus, address, width, value)?;
        }
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, sum);
        }
        Ok(())
    }

    /// First address of an LDM or STM, and the base after it.
    fn multiple_range(&self, op: Op) -> Result<(u32, u32), Trap> {
        let base = self.r(op.n);
        if base & 3 != 0 {
            return Err(Trap::Unaligned);
        }
        let bytes = 4 * op.imm.count_ones();
        Ok(if op.flags & DECREMENT != 0 {
            (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
        } else {
            (base, base.wrapping_add(bytes))
        })
    }

    fn load_multiple<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (mut address, end) = self.multiple_range(op)?;
        let mut values = [0u32; 16];
        let mut list = op.imm & 0xFFFF;
        while list != 0 {
            self.cycles += self.timing.per_register;
            values[list.trailing_zeros() as usize & 15] = self.load(bus, address, Width::Word)?;
            address = address.wrapping_add(4);
            list &= list - 1;
        }
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, end);
        }
        let mut list = op.imm & 0x7FFF;
        while list != 0 {
            let register = list.trailing_zeros();
            self.set_r(register as u8, values[register as usize & 15]);
            list &= list - 1;
        }
        if op.imm & 0x8000 != 0 {
            return self.branch_exchange(values[15], bus);
        }
        Ok(())
    }

    fn store_multiple<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (mut address, end) = self.multiple_range(op)?;
        let mut list = op.imm & 0xFFFF;
        while list != 0 {
            self.cycles += self.timing.per_register;
            self.store(bus, address, Width::Word, self.r(list.trailing_zeros() as u8))?;
            address = address.wrapping_add(4);
            list &= list - 1;
        }
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, end);
        }
        Ok(())
    }

    fn double<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (sum, address) = self.address(op);
        if address & 3 != 0 {
            return Err(Trap::Unaligned);
        }
        let second = address.wrapping_add(4);
        self.cycles += self.timing.per_register;
        if op.kind == Kind::Ldrd {
            let low = self.load(bus, address, Width::Word)?;
            self.cycles += self.timing.per_register;
            let high = self.load(bus, second, Width::Word)?;
            self.write_back(op, sum);
            self.set_r(op.d, low);
            self.set_r(op.m, high);
        } else {
            self.store(bus, address, Width::Word, self.r(op.d))?;
            self.cycles += self.timing.per_register;
            self.store(bus, second, Width::Word, self.r(op.m))?;
            self.write_back(op, sum);
        }
        Ok(())
    }

    fn write_back(&mut self, op: Op, sum: u32) {
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, sum);
        }
    }

    /// LDREX and STREX. The local monitor of the Cortex-M3 tags no address (TRM section 3.7).
    fn exclusive<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let address = self.r(op.n).wrapping_add(op.imm);
        let width = width_of(op.s);
        let misaligned = match width {
            Width::Byte => 0,
            Width::Half => address & 1,
            Width::Word => address & 3,
        };
        if misaligned != 0 {
            return Err(Trap::Unaligned);
        }
        self.cycles += self.timing.load;
        if op.kind == Kind::Ldrex {
            let value = self.load(bus, address, width)?;
            self.set_r(op.d, value);
            self.exclusive = true;
        } else if self.exclusive {
            self.exclusive = false;
            let mask = u32::MAX >> (32 - [8, 16, 32, 32][usize::from(op.s & 3)]);
            self.store(bus, address, width, self.r(op.d) & mask)?;
            self.set_r(op.m, 0);
        } else {
            self.set_r(op.m, 1);
        }
        Ok(())
    }
}
