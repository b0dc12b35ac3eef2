//! Ports A to H (RM0351 chapter 8): modes, levels of the nets on the pins.

/// Ports of the STM32L476.
pub const PORTS: usize = 8;

/// MODER and PUPDR after reset: debug pins PA13 to PA15, PB3, PB4 are alternate; all others are analog (8.5.1, 8.5.4).
const RESET: [(u32, u32, u32); PORTS] = [
    (0xABFF_FFFF, 0x0C00_0000, 0x6400_0000),
    (0xFFFF_FEBF, 0, 0x0000_0100),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0x0000_000F, 0, 0),
];

/// One port. A set bit in a mask names a pin.
#[derive(Clone, Debug)]
pub struct Port {
    index: usize,
    moder: u32,
    otyper: u32,
    ospeedr: u32,
    pupdr: u32,
    odr: u16,
    lckr: u32,
    lock_step: u8,
    afr: [u32; 2],
    ascr: u32,
    /// Pins that something outside drives, and its levels.
    driven: u16,
    drive: u16,
    /// Pins whose alternate function is an output of the model, and the levels of these.
    functions: u16,
    alternate: u16,
    /// Level of a net that nobody drives (pull resistors of the board).
    rest: u16,
    masks: Masks,
    /// Levels now.
    net: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    output: u16,
    alternate: u16,
    analog: u16,
    pulled_up: u16,
    pulled_down: u16,
}

/// The pins whose two-bit field of a register is `wanted`.
fn pins_with(register: u32, wanted: u32) -> u16 {
    (0..16).fold(0, |all, pin| {
        all | u16::from(register >> (2 * pin) & 3 == wanted) << pin
    })
}

impl Port {
    /// Port `index` (0 = A) after reset on a board whose resistors pull the pins of `rest` up.
    pub fn new(index: usize, rest: u16) -> Port {
        let mut port = Port {
            index,
            moder: 0,
            otyper: 0,
            ospeedr: 0,
            pupdr: 0,
            odr: 0,
            lckr: 0,
            lock_step: 0,
            afr: [0; 2],
            ascr: 0,
            driven: 0,
            drive: 0,
            functions: 0,
            alternate: 0,
            rest,
            masks: Masks::default(),
            net: rest,
        };
        port.reset();
        port
    }

    /// Reset by RCC.
    pub fn reset(&mut self) {
        let (moder, ospeedr, pupdr) = RESET[self.index];
        *self = Port {
            moder,
            ospeedr,
            pupdr,
            otyper: 0,
            odr: 0,
            lckr: 0,
            lock_step: 0,
            afr: [0; 2],
            ascr: 0,
            functions: 0,
            ..*self
        };
        self.decode();
    }

    fn decode(&mut self) {
        self.masks = Masks {
            output: pins_with(self.moder, 1),
            alternate: pins_with(self.moder, 2),
            analog: pins_with(self.moder, 3),
            pulled_up: pins_with(self.pupdr, 1),
            pulled_down: pins_with(self.pupdr, 2),
        };
    }

    /// Number of the alternate function that pin `bit` has, if it has one.
    pub fn function(&self, bit: u16) -> Option<u32> {
        if self.masks.alternate >> bit & 1 == 0 {
            return None;
        }
        Some(self.afr[usize::from(bit) / 8] >> (4 * (bit % 8)) & 15)
    }

    /// Tells which pins carry an output of a device.
    pub fn set_functions(&mut self, pins: u16) {
        self.functions = pins;
    }

    /// Levels that the nets should have; [`Port::settle`] makes them so.
    fn levels(&self) -> u16 {
        let m = &self.masks;
        let carried = m.alternate & self.functions;
        let wanted = carried & self.alternate | m.output & self.odr;
        let held = (carried | m.output) & (!(self.otyper as u16) | !wanted);
        let pulled = m.pulled_up | !m.pulled_down & self.rest;
        let free = self.driven & self.drive | !self.driven & pulled;
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
        let mask = 1 << bit;
        self.driven |= mask;
        self.drive = if level { self.drive | mask } else { self.drive & !mask };
    }

    /// A device puts a level on its output.
    pub fn set_alternate(&mut self, bit: u16, level: bool) {
        let mask = 1 << bit;
        let low = self.alternate & !mask;
        self.alternate = if level { low | mask } else { low };
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.moder,
            0x04 => self.otyper,
            0x08 => self.ospeedr,
            0x0C => self.pupdr,
            0x10 => u32::from(self.net & !self.masks.analog),
            0x14 => u32::from(self.odr),
            0x18 | 0x28 => 0,
            0x1C => {
                if self.lock_step == 3 {
                    self.lckr |= 1 << 16;
                }
                self.lckr
            }
            0x20 | 0x24 => self.afr[(offset as usize - 0x20) / 4],
            0x2C => self.ascr,
            _ => return None,
        })
    }

    /// Writes a register; true if the modes or functions of pins changed.
    pub fn write(&mut self, offset: u32, value: u32) -> Option<bool> {
        match offset {
            // Set wins over reset (8.5.7).
            0x18 => self.odr = self.odr & !((value >> 16) as u16) | value as u16,
            0x28 => self.odr &= !(value as u16),
            0x14 => self.odr = value as u16,
            0x10 => {}
            0x1C => self.lock(value),
            0x2C => self.ascr = value & 0xFFFF,
            0x00 => self.moder = self.unlocked(self.moder, value, 2, 0),
            0x04 => self.otyper = self.unlocked(self.otyper, value, 1, 0) & 0xFFFF,
            0x08 => self.ospeedr = self.unlocked(self.ospeedr, value, 2, 0),
            0x0C => self.pupdr = self.unlocked(self.pupdr, value, 2, 0),
            0x20 => self.afr[0] = self.unlocked(self.afr[0], value, 4, 0),
            0x24 => self.afr[1] = self.unlocked(self.afr[1], value, 4, 8),
            _ => return None,
        }
        let modes = matches!(offset, 0x00 | 0x0C | 0x20 | 0x24);
        if modes {
            self.decode();
        }
        Some(modes)
    }

    /// A locked pin keeps its configuration (8.5.8); fields of `width` bits, the lowest for pin `first`.
    fn unlocked(&self, old: u32, new: u32, width: u32, first: u32) -> u32 {
        if self.lckr >> 16 & 1 == 0 {
            return new;
        }
        (0..32 / width).fold(0, |all, field| {
            let pin = first + field;
            let locked = pin < 16 && self.lckr >> pin & 1 == 1;
            all | if locked { old } else { new } & ((1 << width) - 1) << (width * field)
        })
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
