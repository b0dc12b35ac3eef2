//! P0 and P1 (PS "GPIO"): 48 pins, a set bit `n` of a mask is pin `n`, P1.00 is pin 32.
//!
//! A pin that a peripheral owns has the peripheral's level. Analog functions, drive strengths as currents, and DETECTMODE's
//! latched signal are not modelled; LATCH is.

use crate::trace::Pin;

/// All pins.
pub const PINS: u32 = 48;
/// As the trace counts ports: 16 pins each.
pub const PORTS: usize = 3;
const P1: u32 = 32;
const PULL_DOWN: u32 = 1;
const PULL_UP: u32 = 3;

/// A level that a sensing pin waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Off,
    High,
    Low,
}

/// Both ports.
#[derive(Clone, Debug)]
pub struct Gpio {
    out: u64,
    dir: u64,
    cnf: [u32; PINS as usize],
    latch: u64,
    detect_mode: [u32; 2],
    /// Pins that something outside drives, and its levels.
    driven: u64,
    drive: u64,
    /// Pins that a peripheral drives, and its levels.
    owned: u64,
    owned_levels: u64,
    /// Levels of nets without a driver (resistors of the board).
    rest: u64,
    net: u64,
    detect: bool,
}

/// Name of a pin as the PS writes it.
pub fn name(pin: Pin) -> String {
    format!("P{}.{:02}", pin / P1 as u16, pin % P1 as u16)
}

/// The pin of a name, if the chip has it.
pub fn parse(text: &str) -> Option<Pin> {
    (0..PINS as Pin).find(|&pin| name(pin).eq_ignore_ascii_case(text))
}

impl Gpio {
    /// After reset, on a board whose resistors pull the pins of `rest` up. PIN_CNF's input buffer is off.
    pub fn new(rest: u64) -> Gpio {
        Gpio {
            out: 0,
            dir: 0,
            cnf: [2; PINS as usize],
            latch: 0,
            detect_mode: [0; 2],
            driven: 0,
            drive: 0,
            owned: 0,
            owned_levels: 0,
            rest,
            net: rest,
            detect: false,
        }
    }

    /// The same after a reset: what is outside stays.
    pub fn after_reset(&self) -> Gpio {
        Gpio {
            driven: self.driven,
            drive: self.drive,
            net: self.net,
            ..Gpio::new(self.rest)
        }
    }

    fn pull(&self, pin: u32) -> u32 {
        self.cnf[pin as usize] >> 2 & 3
    }

    fn sense(&self, pin: u32) -> Sense {
        match self.cnf[pin as usize] >> 16 & 3 {
            2 => Sense::High,
            3 => Sense::Low,
            _ => Sense::Off,
        }
    }

    /// Whether a pin that is an output leaves this level to the resistors: D0S1, D0H1, S0D1, H0D1.
    fn leaves(&self, pin: u32, level: bool) -> bool {
        match self.cnf[pin as usize] >> 8 & 7 {
            4 | 5 => !level,
            6 | 7 => level,
            _ => false,
        }
    }

    fn free_level(&self, pin: u32) -> bool {
        if self.driven >> pin & 1 == 1 {
            return self.drive >> pin & 1 == 1;
        }
        match self.pull(pin) {
            PULL_UP => true,
            PULL_DOWN => false,
            _ => self.rest >> pin & 1 == 1,
        }
    }

    fn level(&self, pin: u32) -> bool {
        let owned = self.owned >> pin & 1 == 1;
        let level = (if owned { self.owned_levels } else { self.out }) >> pin & 1 == 1;
        if (owned || self.dir >> pin & 1 == 1) && !self.leaves(pin, level) {
            level
        } else {
            self.free_level(pin)
        }
    }

    /// Brings the nets of some pins to their levels; returns those that changed.
    pub fn settle(&mut self, mut pins: u64) -> u64 {
        let mut changed = 0;
        while pins != 0 {
            let pin = pins.trailing_zeros();
            pins &= pins - 1;
            changed |= u64::from(self.level(pin) != (self.net >> pin & 1 == 1)) << pin;
        }
        self.net ^= changed;
        changed
    }

    pub fn net(&self) -> u64 {
        self.net
    }

    /// Levels of 16 pins as the trace counts them.
    pub fn port(&self, port: usize) -> u16 {
        (self.net >> (16 * port)) as u16
    }

    /// Something outside puts a level on a pin.
    pub fn set_drive(&mut self, pin: u32, level: bool) {
        self.driven |= 1 << pin;
        self.drive = self.drive & !(1 << pin) | u64::from(level) << pin;
    }

    /// Pins that peripherals own, and their levels. Returns the pins to look at.
    pub fn set_owned(&mut self, owned: u64, levels: u64) -> u64 {
        let touched = self.owned ^ owned | owned & (self.owned_levels ^ levels);
        (self.owned, self.owned_levels) = (owned, levels);
        touched
    }

    /// Level of OUT, which a peripheral may start from.
    pub fn out(&self) -> u64 {
        self.out
    }

    /// True when DETECT has risen since the last look: a pin has the level that it senses.
    pub fn detect_rises(&mut self) -> bool {
        let mut now = false;
        for pin in 0..PINS {
            let high = self.net >> pin & 1 == 1;
            let meets = match self.sense(pin) {
                Sense::Off => false,
                Sense::High => high,
                Sense::Low => !high,
            };
            now |= meets;
            self.latch |= u64::from(meets) << pin;
        }
        let before = std::mem::replace(&mut self.detect, now);
        now && !before
    }

    /// Whether any pin senses.
    pub fn senses(&self) -> bool {
        (0..PINS).any(|pin| self.sense(pin) != Sense::Off)
    }

    /// Reads a register of port `port` (0 or 1).
    pub fn read(&self, port: usize, offset: u32) -> Option<u32> {
        let first = 32 * port as u32;
        let half = |all: u64| (all >> first) as u32;
        Some(match offset {
            0x504 | 0x508 | 0x50C => half(self.out),
            0x510 => half(self.net & self.inputs()),
            0x514 | 0x518 | 0x51C => half(self.dir),
            0x520 => half(self.latch),
            0x524 => self.detect_mode[port],
            0x700..=0x77C if first + (offset - 0x700) / 4 < PINS => self.cnf[(first + (offset - 0x700) / 4) as usize],
            _ => return None,
        })
    }

    fn inputs(&self) -> u64 {
        (0..PINS).fold(0, |all, pin| all | u64::from(self.cnf[pin as usize] & 2 == 0) << pin)
    }

    fn set_direction(&mut self, dir: u64) {
        self.dir = dir;
        for pin in 0..PINS {
            let cnf = &mut self.cnf[pin as usize];
            *cnf = *cnf & !1 | (dir >> pin & 1) as u32;
        }
    }

    /// Writes a register; the pins to look at.
    pub fn write(&mut self, port: usize, offset: u32, value: u32) -> Option<u64> {
        let first = 32 * port as u32;
        let (value64, mask) = (u64::from(value) << first, u64::from(u32::MAX) << first);
        let (old_out, old_dir) = (self.out, self.dir);
        match offset {
            0x504 => self.out = self.out & !mask | value64,
            0x508 => self.out |= value64,
            0x50C => self.out &= !value64,
            0x510 => {}
            0x514 => self.set_direction(self.dir & !mask | value64),
            0x518 => self.set_direction(self.dir | value64),
            0x51C => self.set_direction(self.dir & !value64),
            0x520 => self.latch &= !value64,
            0x524 => self.detect_mode[port] = value & 1,
            0x700..=0x77C if first + (offset - 0x700) / 4 < PINS => {
                let pin = first + (offset - 0x700) / 4;
                self.cnf[pin as usize] = value & 0x0003_070F;
                self.dir = self.dir & !(1 << pin) | u64::from(value & 1) << pin;
                return Some(1 << pin);
            }
            _ => return None,
        }
        Some((self.out ^ old_out | self.dir ^ old_dir) & ((1 << PINS) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pins have the names of the PS, and no others.
    #[test]
    fn pins_have_names() {
        assert_eq!("P1.05", name(37));
        assert_eq!(Some(37), parse("p1.05"));
        assert_eq!(None, parse("P1.5"));
        assert_eq!(None, parse("P1.16"));
    }

    /// An output that disconnects its high level leaves the pin to a pull resistor.
    #[test]
    fn open_drain_needs_a_resistor() {
        let mut gpio = Gpio::new(0);
        gpio.write(0, 0x700, 1 | 6 << 8);
        gpio.write(0, 0x508, 1);
        gpio.settle(1);
        assert_eq!(0, gpio.port(0));
        gpio.write(0, 0x700, 1 | 6 << 8 | PULL_UP << 2);
        gpio.settle(1);
        assert_eq!(1, gpio.port(0));
        gpio.write(0, 0x50C, 1);
        gpio.settle(1);
        assert_eq!(0, gpio.port(0));
    }
}
