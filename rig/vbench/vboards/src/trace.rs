//! Edges on pins, with the instant in picoseconds, and their fingerprint.

/// A pin of a chip: `port << 4 | bit`; STM32: port A = 0, MSP430: port P1 = 1.
pub type Pin = u16;

/// A change of level on a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub t_ps: u64,
    pub board: u16,
    pub pin: Pin,
    pub level: bool,
}

/// Parses "PB9" or "pb9" (STM32), "P6.2" (MSP430).
pub fn parse_pin(name: &str) -> Option<Pin> {
    let mut letters = name.chars();
    if !letters.next()?.eq_ignore_ascii_case(&'P') {
        return None;
    }
    let letter = letters.next()?.to_ascii_uppercase();
    let (port, digits) = match letter.to_digit(10) {
        Some(0) => return None,
        Some(port) => (port as u16, letters.as_str().strip_prefix('.')?),
        None => {
            let port = u32::from(letter).checked_sub(u32::from('A'))?;
            (u16::try_from(port).ok()?, letters.as_str())
        }
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let bit: u16 = digits.parse().ok()?;
    let bits = if letter.is_ascii_digit() { 8 } else { 16 };
    if port < 26 && bit < bits {
        Some(port << 4 | bit)
    } else {
        None
    }
}

/// "PB9" for pin 0x19 of an STM32.
pub fn pin_name(pin: Pin) -> String {
    format!("P{}{}", char::from(b'A' + (pin >> 4) as u8), pin & 15)
}

/// "P6.0" for pin 0x60 of an MSP430.
pub fn dotted_pin_name(pin: Pin) -> String {
    format!("P{}.{}", pin >> 4, pin & 15)
}

/// FNV-1a, 64 bit (Fowler, Noll, Vo; draft-eastlake-fnv, section 5) over t_ps, board, pin, level, little-endian.
pub struct EdgeHash(u64);

impl Default for EdgeHash {
    fn default() -> EdgeHash {
        EdgeHash(0xcbf2_9ce4_8422_2325)
    }
}

impl EdgeHash {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn add(&mut self, edge: &Edge) {
        self.bytes(&edge.t_ps.to_le_bytes());
        self.bytes(&edge.board.to_le_bytes());
        self.bytes(&edge.pin.to_le_bytes());
        self.bytes(&[u8::from(edge.level)]);
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}
