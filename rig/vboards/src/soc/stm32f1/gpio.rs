//! Ports A to G (RM0008 chapter 9): modes, levels of the nets on the pins.

/// Ports of the STM32F103xE.
pub const PORTS: usize = 7;

/// One port. A set bit in a mask names a pin.
#[derive(Clone, Debug)]
pub struct Port {
    crl: u32,
    crh: u32,
    odr: u16,
    lckr: u32,
    lock_step: u8,
    /// Pins that something outside drives, and its levels.
    driven: u16,
    drive: u16,
    /// Levels of the alternate functions.
    alternate: u16,
    /// Level of a net that nobody drives (pull resistors of the board).
    rest: u16,
    modes: Modes,
    /// Levels now.
    net: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Modes {
    output: u16,
    open_drain: u16,
    alternate: u16,
    pulled: u16,
    analog: u16,
}

impl Port {
    /// A port after reset on a board whose resistors pull the pins of `rest` up.
    pub fn new(rest: u16) -> Port {
        let mut port = Port {
            crl: 0,
            crh: 0,
            odr: 0,
            lckr: 0,
            lock_step: 0,
            driven: 0,
            drive: 0,
            alternate: 0,
            rest,
            modes: Modes::default(),
            net: rest,
        };
        port.reset();
        port
    }

    /// Reset by RCC: all pins floating inputs.
    pub fn reset(&mut self) {
        self.crl = 0x4444_4444;
        self.crh = 0x4444_4444;
        self.odr = 0;
        self.lckr = 0;
        self.lock_step = 0;
        self.decode();
    }

    /// Table 20: MODE 0 is input with CNF analog, floating, pulled; else output with CNF bit 0 open drain, bit 1 alternate.
    fn decode(&mut self) {
        let mut modes = Modes::default();
        for pin in 0..16 {
            let field = if pin < 8 {
                self.crl >> (4 * pin)
            } else {
                self.crh >> (4 * (pin - 8))
            } & 15;
            let mask = 1u16 << pin;
            match (field & 3, field >> 2) {
                (0, 0) => modes.analog |= mask,
                (0, 2) => modes.pulled |= mask,
                (0, _) => {}
                (_, configuration) => {
                    modes.output |= mask;
                    modes.open_drain |= if configuration & 1 != 0 { mask } else { 0 };
                    modes.alternate |= if configuration & 2 != 0 { mask } else { 0 };
                }
            }
        }
        self.modes = modes;
    }

    /// Levels that the nets should have; [`Port::settle`] makes them so.
    fn levels(&self) -> u16 {
        let m = &self.modes;
        let wanted = m.alternate & self.alternate | !m.alternate & self.odr;
        let held = m.output & (!m.open_drain | !wanted);
        let free = self.driven & self.drive | !self.driven & (m.pulled & self.odr | !m.pulled & self.rest);
        held & wanted | !held & free
    }

    /// Brings the nets to their levels; returns the pins that changed.
    pub fn settle(&mut self) -> u16 {
        let levels = self.levels();
        let changed = levels ^ self.net;
        self.net = levels;
        changed
    }

    /// Whether the nets do not have their levels yet.
    pub fn unsettled(&self) -> bool {
        self.levels() != self.net
    }

    /// Levels of the nets.
    pub fn net(&self) -> u16 {
        self.net
    }

    /// Pins that an alternate function drives.
    pub fn alternate_outputs(&self) -> u16 {
        self.modes.output & self.modes.alternate
    }

    /// Something outside puts a level on a pin.
    pub fn drive(&mut self, bit: u16, level: bool) {
        let mask = 1 << bit;
        self.driven |= mask;
        self.drive = if level { self.drive | mask } else { self.drive & !mask };
    }

    /// A peripheral puts a level on its output.
    pub fn set_alternate(&mut self, bit: u16, level: bool) {
        let mask = 1 << bit;
        self.alternate = if level {
            self.alternate | mask
        } else {
            self.alternate & !mask
        };
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.crl,
            0x04 => self.crh,
            0x08 => u32::from(self.net & !self.modes.analog),
            0x0C => u32::from(self.odr),
            0x10 | 0x14 => 0,
            0x18 => {
                if self.lock_step == 3 {
                    self.lckr |= 1 << 16;
                }
                self.lckr
            }
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => {
                self.crl = self.unlocked(self.crl, value, 0);
                self.decode();
            }
            0x04 => {
                self.crh = self.unlocked(self.crh, value, 8);
                self.decode();
            }
            0x08 => {}
            0x0C => self.odr = value as u16,
            // Set wins over reset (9.2.5).
            0x10 => self.odr = self.odr & !((value >> 16) as u16) | value as u16,
            0x14 => self.odr &= !(value as u16),
            0x18 => self.lock(value),
            _ => return None,
        }
        Some(())
    }

    /// A locked pin keeps its configuration (9.2.7).
    fn unlocked(&self, old: u32, new: u32, first: u32) -> u32 {
        if self.lckr >> 16 & 1 == 0 {
            return new;
        }
        (0..8).fold(0, |all, pin| {
            let from = if self.lckr >> (first + pin) & 1 == 1 { old } else { new };
            all | from & (15 << (4 * pin))
        })
    }

    /// Lock key: write 1, write 0, write 1, read, with the same pins.
    fn lock(&mut self, value: u32) {
        if self.lckr >> 16 & 1 == 1 {
            return;
        }
        let key = value >> 16 & 1 == 1;
        self.lock_step = match (self.lock_step, key) {
            (1, false) => 2,
            (2, true) => 3,
            (_, true) => 1,
            _ => 0,
        };
        self.lckr = value & 0xFFFF;
    }
}
