//! A serial wire debug port, version 1 of the protocol (ADIv5: B4, "the serial wire debug port").
//!
//! Driven by the bytes that OpenOCD's `remote_bitbang` has for it: `d` to `g` set SWCLK and SWDIO, `c` asks for the level of
//! SWDIO, `o` and `O` tell who drives it. Both sides take a level at the rising edge of SWCLK. Not modelled: WAIT, overrun
//! detection, RESEND, turnaround of more than one clock.

use super::dap::{Dap, Request};
use super::Effect;

/// Acknowledgements (B4.2.2 to B4.2.4), the first bit on the wire lowest.
const OK: u64 = 0b001;
const FAULT: u64 = 0b100;
const ACK_BITS: u32 = 3;
/// Data and its parity.
const DATA_BITS: u32 = 33;
/// A line reset is at least this many clocks with SWDIO high (B4.3.3).
const RESET_CLOCKS: u32 = 50;
/// Registers of the debug port by A[3:2] (B2.2): ABORT when written and DPIDR when read, CTRL/STAT, SELECT, RDBUFF.
const ABORT: u8 = 0x0;
const CTRL_STAT: u8 = 0x4;
const RDBUFF: u8 = 0xC;

/// A register access, as its request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    access_port: bool,
    read: bool,
    register: u8,
}

/// Whose bits are on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The host's request; bits so far.
    Request(u32),
    /// The line is not driven for one clock, before the target drives it; then the same before the host does again.
    BeforeAnswer,
    Answer,
    BeforeHost,
    /// The host's word for an access; bits so far.
    Word(Access, u32),
    /// A request was not well formed; the target waits for a line reset (B4.2.5).
    Lost,
}

/// A board's serial wire connector.
pub struct Swd {
    id: u32,
    pub dap: Dap,
    clock: bool,
    phase: Phase,
    /// Since a line reset nothing but a read of DPIDR is taken (B4.3.3).
    after_reset: bool,
    /// Clocks with SWDIO high without a low one.
    high: u32,
    /// Bits from the host, the first lowest.
    taken: u64,
    /// Bits to the host and how many are left.
    answer: u64,
    left: u32,
    /// The host's word follows the answer, for this access.
    word: Option<Access>,
}

impl Swd {
    pub fn new(id: u32) -> Swd {
        Swd {
            id,
            dap: Dap::default(),
            clock: false,
            phase: Phase::Lost,
            after_reset: false,
            high: 0,
            taken: 0,
            answer: 0,
            left: 0,
            word: None,
        }
    }

    /// Takes one byte of the protocol.
    pub fn take(&mut self, byte: u8) -> Effect {
        match byte {
            b'd'..=b'g' => {
                let (clock, level) = ((byte - b'd') & 2 != 0, (byte - b'd') & 1 != 0);
                let rises = clock && !self.clock;
                self.clock = clock;
                match rises {
                    true => self.rise(level).map_or(Effect::Clock, Effect::Access),
                    false => Effect::Nothing,
                }
            }
            // A line that nothing drives is pulled up.
            b'c' => Effect::Level(self.phase != Phase::Answer || self.answer & 1 == 1),
            b'r' | b's' | b't' | b'u' => Effect::Reset(byte == b's' || byte == b'u'),
            _ => Effect::Nothing, // O, o: the direction of SWDIO; B, b: an LED; Q ends the connection
        }
    }

    fn rise(&mut self, level: bool) -> Option<Request> {
        let driven = matches!(self.phase, Phase::Request(_) | Phase::Word(..) | Phase::Lost);
        self.high = if level && driven { self.high + 1 } else { 0 };
        if self.high >= RESET_CLOCKS {
            (self.phase, self.taken, self.after_reset) = (Phase::Request(0), 0, true);
            return None;
        }
        match self.phase {
            Phase::Lost => {}
            Phase::Request(0) if !level => {} // idle
            Phase::Request(bits) => {
                self.taken |= u64::from(level) << bits;
                self.phase = Phase::Request(bits + 1);
                if bits + 1 == 8 {
                    let request = std::mem::take(&mut self.taken) as u8;
                    return self.request(request);
                }
            }
            Phase::BeforeAnswer => self.phase = Phase::Answer,
            Phase::Answer => {
                (self.answer, self.left) = (self.answer >> 1, self.left - 1);
                if self.left == 0 {
                    self.phase = Phase::BeforeHost;
                }
            }
            Phase::BeforeHost => {
                self.phase = match self.word.take() {
                    Some(access) => Phase::Word(access, 0),
                    None => Phase::Request(0),
                }
            }
            Phase::Word(access, bits) => {
                self.taken |= u64::from(level) << bits;
                self.phase = Phase::Word(access, bits + 1);
                if bits + 1 == DATA_BITS {
                    self.phase = Phase::Request(0);
                    let word = std::mem::take(&mut self.taken);
                    return self.write(access, word);
                }
            }
        }
        None
    }

    /// A request of 8 bits is complete: start, APnDP, RnW, A2, A3, parity, stop, park (B4.2.1).
    fn request(&mut self, bits: u8) -> Option<Request> {
        let even = (bits >> 1 & 0x1F).count_ones() % 2 == 0;
        let access = Access {
            access_port: bits & 2 != 0,
            read: bits & 4 != 0,
            register: (bits >> 3 & 3) << 2,
        };
        let identifies = !access.access_port && access.read && access.register == ABORT;
        if !even || bits & 0x40 != 0 || bits & 0x80 == 0 || (self.after_reset && !identifies) {
            self.phase = Phase::Lost;
            return None;
        }
        self.after_reset = false;
        self.phase = Phase::BeforeAnswer;
        let always = !access.access_port && (access.register == ABORT || access.register == CTRL_STAT && access.read);
        if self.dap.faulty() && !always {
            (self.answer, self.left) = (FAULT, ACK_BITS);
            return None;
        }
        if !access.read {
            (self.answer, self.left, self.word) = (OK, ACK_BITS, Some(access));
            return None;
        }
        // A read of an access port answers with the result of the one before (B4.2.2).
        let value = match access.register {
            _ if access.access_port => self.dap.result(),
            ABORT => self.id,
            register => self.dap.read_port(register),
        };
        let parity = u64::from(value.count_ones() % 2);
        self.answer = OK | u64::from(value) << ACK_BITS | parity << (ACK_BITS + 32);
        self.left = ACK_BITS + DATA_BITS;
        match access.access_port {
            true => self.dap.access_port(access.register, None),
            false => None,
        }
    }

    fn write(&mut self, access: Access, bits: u64) -> Option<Request> {
        let word = bits as u32;
        if bits.count_ones() % 2 == 1 {
            self.dap.damaged();
            return None;
        }
        match access.register {
            register if access.access_port => return self.dap.access_port(register, Some(word)),
            ABORT => self.dap.abort(word),
            CTRL_STAT => self.dap.control(word),
            RDBUFF => {} // TARGETSEL: version 2 of the protocol
            register => self.dap.write_port(register, word),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: u32 = 0x2BA0_1477;

    /// Clocks the lowest `count` bits of `bits` out.
    fn send(swd: &mut Swd, bits: u64, count: u32) -> Vec<Effect> {
        let clock = |swd: &mut Swd, bit: u8| {
            swd.take(b'd' + bit);
            swd.take(b'f' + bit)
        };
        (0..count).map(|index| clock(swd, (bits >> index & 1) as u8)).collect()
    }

    /// Reads SWDIO before each of `count` clocks.
    fn read(swd: &mut Swd, count: u32) -> u64 {
        let mut seen = 0;
        for index in 0..count {
            swd.take(b'd');
            seen |= u64::from(swd.take(b'c') == Effect::Level(true)) << index;
            swd.take(b'f');
        }
        seen
    }

    fn line_reset(swd: &mut Swd) {
        send(swd, u64::MAX, 51);
        send(swd, 0, 2);
    }

    const READ_ID: u64 = 0b1010_0101;

    #[test]
    fn after_the_switch_from_jtag_a_read_of_dpidr_is_answered() {
        let mut swd = Swd::new(ID);
        send(&mut swd, u64::MAX, 51);
        send(&mut swd, 0xE79E, 16); // JTAG to SWD (B5.2.1)
        line_reset(&mut swd);
        send(&mut swd, READ_ID, 8);
        let seen = read(&mut swd, 38) >> 1; // after the turnaround
        assert_eq!(OK, seen & 7);
        assert_eq!(ID, (seen >> 3) as u32);
        assert_eq!(u64::from(ID.count_ones() % 2), seen >> 35 & 1);
    }

    #[test]
    fn only_a_line_reset_and_dpidr_end_the_silence_after_a_bad_request() {
        let mut swd = Swd::new(ID);
        line_reset(&mut swd);
        send(&mut swd, READ_ID ^ 0x20, 8); // its parity
        assert_eq!(7, read(&mut swd, 38) >> 1 & 7);
        send(&mut swd, READ_ID, 8);
        assert_eq!(7, read(&mut swd, 38) >> 1 & 7);
        line_reset(&mut swd);
        send(&mut swd, 0b1000_1101, 8); // CTRL/STAT
        assert_eq!(7, read(&mut swd, 38) >> 1 & 7);
        line_reset(&mut swd);
        send(&mut swd, READ_ID, 8);
        assert_eq!(OK, read(&mut swd, 38) >> 1 & 7);
    }

    #[test]
    fn a_word_of_wrong_parity_faults_until_abort_clears_it() {
        let mut swd = Swd::new(ID);
        line_reset(&mut swd);
        send(&mut swd, READ_ID, 8);
        read(&mut swd, 38);
        let write = |swd: &mut Swd, request: u64, word: u64| {
            send(swd, request, 8);
            let acknowledgement = read(swd, 5) >> 1 & 7;
            if acknowledgement == OK {
                send(swd, word, 33);
            }
            acknowledgement
        };
        let (control, abort) = (0b1010_1001, 0b1000_0001);
        assert_eq!(OK, write(&mut swd, control, 1));
        assert_eq!(FAULT, write(&mut swd, control, 0));
        assert_eq!(OK, write(&mut swd, abort, 1 << 3 | 1 << 32));
        assert_eq!(OK, write(&mut swd, control, 0));
    }
}
