//! The switch between the FTDI's modem lines and the processor's reset on a TelosB: an ADG715 on a bit-banged I2C bus.
//!
//! DTR is SDA and RTS is SCL, both inverted; switch S1 pulls RST/NMI to ground and S2 pulls TCK (Telos revision B
//! schematics, 2004-09-27; the same in TinyOS's tos-bsl and python-msp430-tools). Analog Devices, ADG714/ADG715 data
//! sheet: address 1001 0 A1 A0, one data byte, a bit per switch.

const ADDRESS: u8 = 0x90;
const RST: u8 = 1 << 0;
const TCK: u8 = 1 << 1;
/// Falling edges of TCK while RST is low that start the bootstrap loader (SLAU319, entry at dedicated JTAG pins).
const ENTRY_EDGES: u32 = 2;

/// What the two lines ask of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// RST is low.
    Hold,
    /// RST has gone up: the user's program starts.
    Reset,
    /// RST has gone up after the entry sequence.
    Loader,
}

/// The switch and what has been seen on its bus.
#[derive(Clone, Debug, Default)]
pub struct Adg715 {
    sda: bool,
    scl: bool,
    /// Bits since the start condition, and how many.
    shift: u16,
    bits: u32,
    /// Bytes of the message that have been acknowledged.
    bytes: u32,
    selected: bool,
    /// Closed switches.
    closed: u8,
    falls: u32,
}

impl Adg715 {
    /// The modem lines have new states (true: asserted, the wire is low).
    pub fn modem(&mut self, dtr: bool, rts: bool) -> Option<Ask> {
        let (sda, scl) = (!dtr, !rts);
        let mut ask = None;
        if scl && self.scl && sda != self.sda {
            // Start or stop: a message begins.
            self.shift = 0;
            self.bits = 0;
            self.bytes = 0;
            self.selected = !sda;
        } else if scl && !self.scl && self.selected {
            self.shift = self.shift << 1 | u16::from(sda);
            self.bits += 1;
            if self.bits == 9 {
                ask = self.byte((self.shift >> 1) as u8);
            }
        }
        self.sda = sda;
        self.scl = scl;
        ask
    }

    fn byte(&mut self, byte: u8) -> Option<Ask> {
        self.bits = 0;
        self.shift = 0;
        self.bytes += 1;
        match self.bytes {
            1 => {
                self.selected = byte == ADDRESS;
                None
            }
            2 => self.set(byte),
            _ => None,
        }
    }

    fn set(&mut self, closed: u8) -> Option<Ask> {
        let before = self.closed;
        self.closed = closed;
        if closed & !before & TCK != 0 && closed & RST != 0 && before & RST != 0 {
            self.falls += 1;
        }
        match (before & RST != 0, closed & RST != 0) {
            (false, true) => {
                self.falls = 0;
                Some(Ask::Hold)
            }
            (true, false) if self.falls >= ENTRY_EDGES && closed & TCK != 0 => Some(Ask::Loader),
            (true, false) => Some(Ask::Reset),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One message to the switch, a line at a time.
    fn send(switch: &mut Adg715, byte: u8) -> Option<Ask> {
        let mut ask = None;
        let mut set = |sda: bool, scl: bool| ask = switch.modem(!sda, !scl).or(ask);
        set(true, true);
        set(false, true);
        for byte in [ADDRESS, byte] {
            for bit in (0..8).rev().map(|bit| byte >> bit & 1 == 1).chain([false]) {
                set(bit, false);
                set(bit, true);
                set(bit, false);
            }
        }
        set(false, false);
        set(false, true);
        set(true, true);
        ask
    }

    #[test]
    fn the_entry_sequence_starts_the_loader_and_a_plain_reset_does_not() {
        let mut switch = Adg715::default();
        let entry: Vec<_> = [1, 3, 1, 3, 2, 0].iter().map(|&byte| send(&mut switch, byte)).collect();
        assert_eq!(vec![Some(Ask::Hold), None, None, None, Some(Ask::Loader), None], entry);
        let reset: Vec<_> = [3, 2, 0].iter().map(|&byte| send(&mut switch, byte)).collect();
        assert_eq!(vec![Some(Ask::Hold), Some(Ask::Reset), None], reset);
    }
}
