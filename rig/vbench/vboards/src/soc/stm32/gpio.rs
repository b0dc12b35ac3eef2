//! A general-purpose port: data and lock registers, levels of the nets on its pins (RM0008 chapter 9, RM0351 chapter 8).
//! The families differ in the configuration of pins and in the offsets.

/// Offsets of the registers that both families have.
pub struct Offsets {
    pub idr: u32,
    pub odr: u32,
    pub bsrr: u32,
    pub brr: u32,
    pub lckr: u32,
}

/// The pins of each mode. A set bit in a mask names a pin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modes {
    pub output: u16,
    pub alternate: u16,
    pub open_drain: u16,
    pub analog: u16,
    pub pulled: u16,
    /// Those of the pulled pins whose resistor is at the supply.
    pub pulled_up: u16,
}

/// The registers of a family that configure the pins of a port.
pub trait Configuration {
    const OFFSETS: Offsets;
    /// ODR selects the direction of the pull resistors.
    const PULL_BY_ODR: bool;
    /// Pins whose alternate function, if selected, is an output of the model after reset.
    const FUNCTIONS: u16;

    fn reset(&mut self);
    fn modes(&self) -> Modes;
    fn read(&self, offset: u32) -> Option<u32>;
    /// Writes a register except for the fields of `locked` pins; true if modes or functions of pins changed.
    fn write(&mut self, offset: u32, value: u32, locked: u16) -> Option<bool>;
}

/// One port.
#[derive(Clone, Debug)]
pub struct Port<C> {
    pub(crate) configuration: C,
    odr: u16,
    lckr: u32,
    lock_step: u8,
    /// Pins that something outside drives, and its levels.
    driven: u16,
    drive: u16,
    /// Pins whose alternate function is an output of the model, and the levels of these.
    functions: u16,
    alternate: u16,
    /// Level of a net without a driver (pull resistors of the board).
    rest: u16,
    modes: Modes,
    /// Levels now.
    net: u16,
}

impl<C: Configuration> Port<C> {
    /// A port after reset on a board whose resistors pull the pins of `rest` up.
    pub fn with_configuration(configuration: C, rest: u16) -> Port<C> {
        let mut port = Port {
            configuration,
            odr: 0,
            lckr: 0,
            lock_step: 0,
            driven: 0,
            drive: 0,
            functions: 0,
            alternate: 0,
            rest,
            modes: Modes::default(),
            net: rest,
        };
        port.reset();
        port
    }

    /// Reset by RCC.
    pub fn reset(&mut self) {
        self.configuration.reset();
        self.odr = 0;
        self.lckr = 0;
        self.lock_step = 0;
        self.functions = C::FUNCTIONS;
        self.modes = self.configuration.modes();
    }

    /// Sets the pins that carry an output of a device.
    pub fn set_functions(&mut self, pins: u16) {
        self.functions = pins;
    }

    /// Pins that an alternate function drives.
    pub fn alternate_outputs(&self) -> u16 {
        self.modes.alternate & self.functions
    }

    /// Levels that the nets should have; [`Port::settle`] makes them so.
    fn levels(&self) -> u16 {
        let m = &self.modes;
        let carried = self.alternate_outputs();
        let wanted = carried & self.alternate | m.output & self.odr;
        let held = (carried | m.output) & (!m.open_drain | !wanted);
        let up = if C::PULL_BY_ODR { self.odr } else { m.pulled_up };
        let free = self.driven & self.drive | !self.driven & (m.pulled & up | !m.pulled & self.rest);
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

    /// Something outside puts a level on a pin.
    pub fn drive(&mut self, bit: u16, level: bool) {
        self.driven |= 1 << bit;
        self.drive = self.drive & !(1 << bit) | u16::from(level) << bit;
    }

    /// A device puts a level on its output.
    pub fn set_alternate(&mut self, bit: u16, level: bool) {
        self.alternate = self.alternate & !(1 << bit) | u16::from(level) << bit;
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        let at = C::OFFSETS;
        if offset == at.idr {
            Some(u32::from(self.net & !self.modes.analog))
        } else if offset == at.odr {
            Some(u32::from(self.odr))
        } else if offset == at.bsrr || offset == at.brr {
            Some(0)
        } else if offset == at.lckr {
            if self.lock_step == 3 {
                self.lckr |= 1 << 16;
            }
            Some(self.lckr)
        } else {
            self.configuration.read(offset)
        }
    }

    /// Writes a register; true if the modes or functions of pins changed.
    pub fn write(&mut self, offset: u32, value: u32) -> Option<bool> {
        let at = C::OFFSETS;
        if offset == at.bsrr {
            // Set wins over reset (RM0008 9.2.5, RM0351 8.5.7).
            self.odr = self.odr & !((value >> 16) as u16) | value as u16;
        } else if offset == at.brr {
            self.odr &= !(value as u16);
        } else if offset == at.odr {
            self.odr = value as u16;
        } else if offset == at.lckr {
            self.lock(value);
        } else if offset != at.idr {
            // A locked pin keeps its configuration (RM0008 9.2.7, RM0351 8.5.8).
            let locked = if self.lckr >> 16 & 1 == 1 { self.lckr as u16 } else { 0 };
            let changed = self.configuration.write(offset, value, locked)?;
            self.modes = self.configuration.modes();
            return Some(changed);
        }
        Some(false)
    }

    /// Lock key: write 1, write 0, write 1, read, with the same pins.
    fn lock(&mut self, value: u32) {
        if self.lckr >> 16 & 1 == 1 {
            return;
        }
        let same = self.lckr == value & 0xFFFF;
        self.lock_step = match (self.lock_step, value >> 16 & 1 == 1) {
            (1, false) if same => 2,
            (2, true) if same => 3,
            (_, true) => 1,
            _ => 0,
        };
        self.lckr = value & 0xFFFF;
    }
}

/// `new` with the fields of `locked` pins as in `old`; fields of `width` bits, the lowest for pin `first`.
pub fn unlocked(old: u32, new: u32, locked: u16, width: u32, first: u32) -> u32 {
    let mask = (1 << width) - 1;
    (first..16.min(first + 32 / width))
        .filter(|pin| locked >> pin & 1 == 1)
        .fold(new, |all, pin| {
            let field = mask << (width * (pin - first));
            all & !field | old & field
        })
}
