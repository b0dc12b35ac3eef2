//! The hardware multiplier (SLAU049F chapter 7). Results are there with the next instruction; its one or two cycles of
//! latency, which matter only to an indirect read right after OP2, are left out.

/// Registers by address.
pub const FIRST: u16 = 0x0130;
pub const LAST: u16 = 0x013F;

/// What the first operand's address asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Unsigned,
    Signed,
    Accumulate,
    SignedAccumulate,
}

/// The multiplier. Its registers survive a reset undefined; here they keep what they hold.
#[derive(Clone, Debug, Default)]
pub struct Multiplier {
    mode: Mode,
    first: u16,
    second: u16,
    /// RESHI and RESLO.
    result: u32,
    sumext: u16,
}

impl Multiplier {
    pub fn read(&self, address: u16) -> u16 {
        match address & !1 {
            0x0130 | 0x0132 | 0x0134 | 0x0136 => self.first,
            0x0138 => self.second,
            0x013A => self.result as u16,
            0x013C => (self.result >> 16) as u16,
            _ => self.sumext,
        }
    }

    /// A byte operand: signed ones are extended (SLAU049F 7.2.1).
    pub fn write(&mut self, address: u16, byte: bool, value: u16) {
        let extended = if byte {
            i16::from(value as u8 as i8) as u16
        } else {
            value
        };
        match address & !1 {
            0x0130 => self.load(Mode::Unsigned, value),
            0x0132 => self.load(Mode::Signed, extended),
            0x0134 => self.load(Mode::Accumulate, value),
            0x0136 => self.load(Mode::SignedAccumulate, extended),
            0x0138 => {
                let signed = matches!(self.mode, Mode::Signed | Mode::SignedAccumulate);
                self.second = if signed { extended } else { value };
                self.multiply();
            }
            0x013A => self.result = self.result & 0xFFFF_0000 | u32::from(value),
            0x013C => self.result = self.result & 0xFFFF | u32::from(value) << 16,
            _ => {} // SUMEXT is read only
        }
    }

    fn load(&mut self, mode: Mode, value: u16) {
        self.mode = mode;
        self.first = value;
    }

    /// The product and SUMEXT (SLAU049F table 7-2).
    fn multiply(&mut self) {
        let unsigned = u32::from(self.first) * u32::from(self.second);
        let signed = (i32::from(self.first as i16) * i32::from(self.second as i16)) as u32;
        let sign = |value: u32| if value >> 31 == 1 { 0xFFFF } else { 0 };
        match self.mode {
            Mode::Unsigned => {
                self.result = unsigned;
                self.sumext = 0;
            }
            Mode::Signed => {
                self.result = signed;
                self.sumext = sign(self.result);
            }
            Mode::Accumulate => {
                let (sum, carry) = self.result.overflowing_add(unsigned);
                self.result = sum;
                self.sumext = u16::from(carry);
            }
            Mode::SignedAccumulate => {
                self.result = self.result.wrapping_add(signed);
                self.sumext = sign(self.result);
            }
        }
    }
}
