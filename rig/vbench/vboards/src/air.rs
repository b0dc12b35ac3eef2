//! The air: carriers of any modulation, what a place receives of them, collisions.
//!
//! A radio tells of a frame in up to three messages, each at least [`REACTION_PS`] before it matters anywhere else:
//! that is what lets boards run apart for that long and still give the same result as in lock-step.
//! Air times: IEEE 802.15.4-2006, 6.5.1 to 6.5.3 and table 22 (62.5 ksymbol/s, 2 symbols per byte).

mod ether;
pub mod interferer;
pub mod level;

pub use ether::{is_lost, Ether, Receiver, Rejection};

use crate::rng::{below, draw, Purpose};
use std::sync::Arc;

/// One microsecond in picoseconds.
pub const US: u64 = 1_000_000;
/// A symbol: 1 / 62 500 s (IEEE 802.15.4-2006, 6.5.3.2).
pub const SYMBOL_PS: u64 = 16 * US;
/// A byte is two symbols.
pub const BYTE_PS: u64 = 2 * SYMBOL_PS;
/// Preamble of 4 bytes and SFD of 1 (IEEE 802.15.4-2006, 6.3.1, 6.3.2).
pub const SHR_PS: u64 = 5 * BYTE_PS;
/// SHR and the length byte.
pub const SHR_PHR_PS: u64 = 6 * BYTE_PS;
/// Longest PSDU (aMaxPHYPacketSize, IEEE 802.15.4-2006, table 22).
pub const MAX_FRAME_BYTES: usize = 127;
/// No action of a board is felt by another one sooner than this: the 16 us that a radio takes from PLL_ON to its
/// first symbol (AT86RF231, table 7-1, tTR10), less 100 ppm for a crystal that is fast: more than
/// [`crate::radio::oscillator::TOLERANCE_PPB`]. A radio that is quicker must lower it.
pub const REACTION_PS: u64 = 16 * US - 16 * US / 10_000;
/// A carrier below this is not noticed: thermal noise alone is -111 dBm in 2 MHz and -124 dBm in 100 kHz
/// (-174 dBm/Hz), and no receiver here is as good as that.
pub const UNHEARD_DBM: i32 = -130;

/// How long a nominal span lasts on an oscillator that is faster by `ppb`, rounded down.
pub fn lasting_ps(nominal_ps: u64, ppb: i64) -> u64 {
    if ppb == 0 {
        return nominal_ps;
    }
    (u128::from(nominal_ps) * 1_000_000_000 / (1_000_000_000 + i128::from(ppb)) as u128) as u64
}

/// How a carrier is modulated: a receiver finds frames of its own kind only, all others are noise to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// IEEE 802.15.4 O-QPSK at 250 kb/s.
    Oqpsk,
    /// 2-(G)FSK packets: two radios receive each other when all of this is equal.
    Fsk {
        bit_rate_bps: u32,
        deviation_hz: u32,
        sync_word: u32,
        sync_bytes: u8,
    },
    /// Nothing that a receiver could find.
    Noise,
}

/// What a carrier looks like to receivers, apart from its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waveform {
    pub modulation: Modulation,
    /// Centre, and how wide its energy is: carriers whose bands touch disturb each other.
    pub centre_khz: u32,
    pub width_khz: u32,
    /// Preamble and what follows it up to the point where a receiver knows that a frame begins.
    pub shr_ps: u64,
    /// From there to the first byte of the body.
    pub phr_ps: u64,
    pub byte_ps: u64,
}

impl Waveform {
    /// Channel 11 to 26 of the 2.4 GHz O-QPSK PHY: 2405 MHz + 5 MHz (k - 11) (IEEE 802.15.4-2006, 6.1.2.1), 2 Mchip/s wide.
    pub fn oqpsk(channel: u8) -> Waveform {
        Waveform {
            modulation: Modulation::Oqpsk,
            centre_khz: 2_405_000 + 5_000 * u32::from(channel.saturating_sub(11)),
            width_khz: 2_000,
            shr_ps: SHR_PS,
            phr_ps: BYTE_PS,
            byte_ps: BYTE_PS,
        }
    }

    /// From the first bit to the first byte of the body.
    pub fn header_ps(&self) -> u64 {
        self.shr_ps + self.phr_ps
    }

    /// Whether the energy of one falls into the band of the other.
    pub fn touches(&self, other: &Waveform) -> bool {
        2 * self.centre_khz.abs_diff(other.centre_khz) < self.width_khz + other.width_khz
    }
}

/// How one board receives another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub delay_ps: u64,
    /// Frames of a million that the receiver does not find at all.
    pub loss_ppm: u32,
    /// Level at the receiver for a sender at 0 dBm.
    pub rssi_dbm: i32,
    pub jitter: Jitter,
}

/// How much later than at best a receiver finds a frame, and all that follows from it; drawn again for each frame.
///
/// The default is none: the data sheets of the radios here do not give it. A receiver that works on its crystal's
/// edges has at least one period of that, 62 500 ps at 16 MHz, uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    None,
    Uniform {
        span_ps: u64,
    },
    /// Most likely half the span.
    Triangular {
        span_ps: u64,
    },
}

impl Jitter {
    fn draw(&self, seed: u64, keys: &[u64; 2], frame: u32) -> u64 {
        let luck = |number, bound| below(draw(seed, Purpose::Sfd, keys, u64::from(frame) << 1 | number), bound);
        match *self {
            Jitter::None => 0,
            Jitter::Uniform { span_ps } => luck(0, span_ps),
            Jitter::Triangular { span_ps } => (luck(0, span_ps) + luck(1, span_ps)) / 2,
        }
    }
}

impl Default for Link {
    /// 3 m of air.
    fn default() -> Link {
        Link {
            delay_ps: 10_000,
            loss_ppm: 0,
            rssi_dbm: -50,
            jitter: Jitter::None,
        }
    }
}

/// What a radio tells the others.
#[derive(Clone, Debug)]
pub enum Signal {
    /// The carrier continues at `start_ps`; announced by `start_ps - REACTION_PS`.
    Start {
        start_ps: u64,
        waveform: Waveform,
        /// How much faster than nominal the sender's crystal is: its symbols last that much shorter.
        ppb: i64,
        power_dbm: i32,
    },
    /// What the frame holds; its length is `psdu.len()`. Given by the end of the SHR, and again with other bytes
    /// of the same number; none changes later than [`REACTION_PS`] before its end.
    Body { psdu: Arc<[u8]> },
    /// The carrier goes off before the frame is over; announced by `end_ps - REACTION_PS`.
    Cut { end_ps: u64 },
}

/// A signal of the frame number `frame` of board `source`.
#[derive(Clone, Debug)]
pub struct Message {
    pub source: u16,
    pub frame: u32,
    pub signal: Signal,
}

/// A frame as it arrives at one place.
#[derive(Clone, Debug)]
pub struct Carrier {
    pub source: u16,
    pub frame: u32,
    pub start_ps: u64,
    pub end_ps: u64,
    pub waveform: Waveform,
    /// Error of the sender's crystal.
    pub ppb: i64,
    pub rssi_dbm: i32,
    /// The link loses it: its energy is there, no receiver detects a preamble.
    pub lost: bool,
    /// It went off early.
    pub cut: bool,
    pub psdu: Option<Arc<[u8]>>,
}

impl Carrier {
    /// Where byte `index` of the PSDU begins.
    pub fn byte_ps(&self, index: usize) -> u64 {
        self.at_ps(self.waveform.header_ps() + index as u64 * self.waveform.byte_ps)
    }

    /// The instant at which a nominal span of it is over.
    pub fn at_ps(&self, nominal_ps: u64) -> u64 {
        self.start_ps + lasting_ps(nominal_ps, self.ppb)
    }
}
