//! One instruction (SLAU049 3.4).

use super::alu;
use super::operand::Place;
use super::timing::{self, Target};
use super::{Cpu, Peripherals, C, GIE, N, PC, POWER, SP, SR, SR_BITS, V, Z};

/// Flags that arithmetic sets.
const FLAGS: u16 = C | Z | N | V;

impl Cpu {
    #[inline(always)]
    pub(super) fn execute<P: Peripherals>(&mut self, chip: &mut P) {
        self.at = self.regs[PC];
        self.start = self.cycles;
        self.instructions += 1;
        let code = self.fetch();
        match code >> 13 {
            0 => self.single(chip, code),
            1 => self.jump(code),
            _ => self.double(chip, code),
        }
        self.cycles += self.length;
    }

    #[inline(always)]
    fn jump(&mut self, code: u16) {
        let sr = self.regs[SR];
        let negative = sr & N != 0;
        let taken = match code >> 10 & 7 {
            0 => sr & Z == 0,
            1 => sr & Z != 0,
            2 => sr & C == 0,
            3 => sr & C != 0,
            4 => negative,
            5 => negative == (sr & V != 0),
            6 => negative != (sr & V != 0),
            _ => true,
        };
        if taken {
            let offset = (code << 6) as i16 >> 5; // ten bits of words, signed
            self.regs[PC] = self.regs[PC].wrapping_add(offset as u16);
        }
        self.length = timing::JUMP;
    }

    #[inline(always)]
    fn double<P: Peripherals>(&mut self, chip: &mut P, code: u16) {
        let byte = code & 0x40 != 0;
        let found = self.source(code, usize::from(code >> 8 & 15), byte);
        let source = self.value(chip, found, byte);
        let target = self.target(code);
        let class = match target {
            Place::Memory(_) => Target::Memory,
            Place::Register(PC) => Target::ProgramCounter,
            _ => Target::Register,
        };
        self.length = timing::double(found.2, class);
        let operation = code >> 12;
        if operation == 4 {
            return self.put(chip, target, source, byte); // MOV reads no destination
        }
        let old = match target {
            Place::Memory(address) => {
                let cycle = self.start + self.length - timing::READ_BEFORE_END;
                self.load(chip, address, byte, cycle)
            }
            Place::Register(register) if byte => self.regs[register] & 0xFF,
            Place::Register(register) => self.regs[register],
            Place::Constant => 0,
        };
        let sr = self.regs[SR];
        let carry = sr & C;
        let (result, flags) = match operation {
            5 => alu::add(source, old, 0, byte),
            6 => alu::add(source, old, carry, byte),
            7 => alu::add(!source, old, carry, byte),
            8 => alu::add(!source, old, 1, byte),
            9 => return self.set_flags(alu::add(!source, old, 1, byte).1),
            10 => alu::add_decimal(source, old, carry, sr, byte),
            11 => return self.set_flags(alu::and(source, old, byte).1),
            12 => return self.put(chip, target, old & !source, byte),
            13 => return self.put(chip, target, old | source, byte),
            14 => alu::xor(source, old, byte),
            _ => alu::and(source, old, byte),
        };
        self.set_flags(flags);
        self.put(chip, target, result, byte);
    }

    #[inline(always)]
    fn single<P: Peripherals>(&mut self, chip: &mut P, code: u16) {
        let operation = code >> 7 & 7;
        if code < 0x1000 || operation == 7 {
            return self.illegal(code);
        }
        if operation == 6 {
            return self.return_from_interrupt(chip);
        }
        // SWPB, SXT and CALL exist as words only; the manual does not define them with the byte bit.
        let byte = code & 0x40 != 0 && matches!(operation, 0 | 2 | 4);
        let register = usize::from(code & 15);
        // PUSH and CALL move SP before they form an address with it: mspgcc stores a pointer at 56(SP) and calls through
        // 58(SP), which runs on hardware. mspdebug's simulator does it after, mspsim before.
        let lowered = operation >= 4 && register == SP && code & 0x30 != 0;
        if lowered {
            self.lower_stack();
        }
        let found = self.source(code, register, byte);
        let value = self.value(chip, found, byte);
        let (place, class) = (found.0, found.2);
        self.length = timing::shift(class);
        let (result, flags) = match operation {
            0 => alu::shift_right(value, self.regs[SR] & C != 0, byte),
            1 => return self.put(chip, place, value.swap_bytes(), false),
            2 => alu::shift_right(value, value & (if byte { 0x80 } else { 0x8000 }) != 0, byte),
            3 => alu::sign_extend(value),
            4 => {
                let immediate = code & 0x30 == 0x30 && register == PC;
                self.length = timing::push(class, immediate);
                if !lowered {
                    self.lower_stack();
                }
                return self.store(chip, self.regs[SP], value, byte);
            }
            _ => {
                self.length = timing::call(class);
                if !lowered {
                    self.lower_stack();
                }
                self.store(chip, self.regs[SP], self.regs[PC], false);
                self.regs[PC] = value & !1;
                return;
            }
        };
        self.set_flags(flags);
        self.put(chip, place, result, byte);
    }

    /// The stack pointer goes down by a word, for a byte too, which lies in its low half (SLAU049 3.4.6, PUSH).
    fn lower_stack(&mut self) {
        self.regs[SP] = self.regs[SP].wrapping_sub(2);
    }

    pub(super) fn push<P: Peripherals>(&mut self, chip: &mut P, value: u16) {
        self.lower_stack();
        self.store(chip, self.regs[SP], value, false);
    }

    fn pop<P: Peripherals>(&mut self, chip: &mut P, cycle: u64) -> u16 {
        let address = self.regs[SP];
        self.regs[SP] = address.wrapping_add(2);
        self.load(chip, address, false, cycle)
    }

    fn return_from_interrupt<P: Peripherals>(&mut self, chip: &mut P) {
        self.length = timing::RETI;
        let status = self.pop(chip, self.start + 1);
        self.set_status(status);
        self.shadow = false; // a pending interrupt is taken before the instruction returned to
        self.regs[PC] = self.pop(chip, self.start + 2) & !1;
    }

    #[inline(always)]
    fn set_flags(&mut self, flags: u16) {
        self.regs[SR] = self.regs[SR] & !FLAGS | flags;
    }

    /// A write to the status register; the loop looks around when it may matter.
    #[inline(always)]
    pub(super) fn set_status(&mut self, value: u16) {
        let old = self.regs[SR];
        self.regs[SR] = value & SR_BITS;
        if (old ^ value) & (GIE | POWER) != 0 {
            self.shadow = value & !old & GIE != 0;
            self.limit = 0;
        }
    }

    #[cold]
    fn illegal(&mut self, code: u16) {
        self.length = 1;
        self.stop(format!("0x{:04x} at 0x{:04x} is not an instruction", code, self.at));
    }
}
