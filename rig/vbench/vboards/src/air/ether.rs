//! What one place receives: carriers, their levels in a band, who destroys whom.
//!
//! **Capture.** A frame survives what else is in the air as long as the powers of all others in its band, added up, stay
//! below its own by the receiver's co-channel rejection. A byte that something stronger touches is destroyed, the
//! others are not. A receiver that has found an SFD stays with that frame to its end: a stronger one that begins later
//! destroys bytes and is itself not received. One that begins before the SFD is over spoils the search, and the
//! receiver, which still listens, finds the stronger one.

use super::level::{dbm, power};
use super::{lasting_ps, Carrier, Link, Message, Modulation, Signal, Waveform, MAX_FRAME_BYTES, US};
use crate::rng::{below, draw, Purpose};
use std::sync::Arc;

/// How well a receiver keeps out what is beside its band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Distance of the centres, for carriers as wide as the band.
    pub offset_khz: u32,
    /// For a carrier below and above the band.
    pub below_db: i32,
    pub above_db: i32,
}

/// What a receiver makes of other carriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// A frame survives others that are weaker by this.
    pub co_channel_db: i32,
    /// By rising offset; between two entries it is interpolated, from 0 dB where the bands touch.
    pub rejections: &'static [Rejection],
}

const fn rejection(offset_khz: u32, below_db: i32, above_db: i32) -> Rejection {
    Rejection {
        offset_khz,
        below_db,
        above_db,
    }
}

impl Receiver {
    /// Atmel 8111C, table 12-7 (12.7.5 to 12.7.8). It has no co-channel rejection: that of the CC2420 is taken.
    pub const AT86RF231: Receiver = Receiver {
        co_channel_db: 3,
        rejections: &[
            rejection(5_000, 32, 35),
            rejection(10_000, 48, 48),
            rejection(15_000, 54, 54),
        ],
    };
    /// TI SWRS041, section 5 (receiver): co-channel -3 dB, channels beside 30 and 45 dB, next 53 and 54, then 62
    /// (remembered, unverified).
    pub const CC2420: Receiver = Receiver {
        co_channel_db: 3,
        rejections: &[
            rejection(5_000, 30, 45),
            rejection(10_000, 53, 54),
            rejection(15_000, 62, 62),
        ],
    };
    /// For a receiver that names no other: 10 dB, what 2-FSK without coherence needs (unverified), and a perfect filter.
    pub const SHARP: Receiver = Receiver {
        co_channel_db: 10,
        rejections: &[rejection(0, 1000, 1000)],
    };

    fn of(band: &Waveform) -> Receiver {
        match band.modulation {
            Modulation::Oqpsk => Receiver::AT86RF231,
            _ => Receiver::SHARP,
        }
    }

    /// Rejection in dB of a carrier that lies beside the band.
    fn beside_db(&self, band: &Waveform, carrier: &Waveform) -> i32 {
        let distance = i64::from(band.centre_khz.abs_diff(carrier.centre_khz));
        let offset = distance - (i64::from(carrier.width_khz) - i64::from(band.width_khz)) / 2;
        let is_below = carrier.centre_khz < band.centre_khz;
        let (mut last_khz, mut last_db) = (i64::from(band.width_khz), 0);
        for entry in self.rejections {
            let db = i64::from(if is_below { entry.below_db } else { entry.above_db });
            let at_khz = i64::from(entry.offset_khz);
            if offset < at_khz {
                return (last_db + (db - last_db) * (offset - last_khz) / (at_khz - last_khz).max(1)) as i32;
            }
            last_khz = at_khz;
            last_db = db;
        }
        last_db as i32
    }

    /// Power that a carrier puts into the band.
    fn power_in(&self, band: &Waveform, carrier: &Carrier) -> u128 {
        let other = &carrier.waveform;
        if !other.touches(band) {
            return power(carrier.rssi_dbm.saturating_sub(self.beside_db(band, other)));
        }
        let edges = |wave: &Waveform| {
            let (centre, width) = (2 * u64::from(wave.centre_khz), u64::from(wave.width_khz));
            (centre.saturating_sub(width), centre + width)
        };
        let ((low, high), (other_low, other_high)) = (edges(band), edges(other));
        let shared = high.min(other_high) - low.max(other_low);
        power(carrier.rssi_dbm) * u128::from(shared) / u128::from((other_high - other_low).max(1))
    }
}

/// Whether the link to board `to` loses the frame of a message.
pub fn is_lost(seed: u64, message: &Message, to: u16, link: &Link) -> bool {
    let keys = [u64::from(message.source), u64::from(to)];
    let luck = draw(seed, Purpose::Loss, &keys, u64::from(message.frame));
    below(luck, 1_000_000) < u64::from(link.loss_ppm)
}

/// Everything in the air at one place, in the order (start, source).
pub struct Ether {
    seed: u64,
    board: u16,
    receiver: Option<Receiver>,
    carriers: Vec<Carrier>,
}

impl Ether {
    pub fn new(seed: u64, board: u16) -> Ether {
        Ether {
            seed,
            board,
            receiver: None,
            carriers: Vec::new(),
        }
    }

    /// The same with a receiver of its own kind.
    pub fn with_receiver(self, receiver: Receiver) -> Ether {
        Ether {
            receiver: Some(receiver),
            ..self
        }
    }

    fn receiver(&self, band: &Waveform) -> Receiver {
        self.receiver.unwrap_or_else(|| Receiver::of(band))
    }

    /// Takes in a message that came over `link`. Returns where a carrier begins that may hold a frame; the jitter of
    /// the link is in it, so that whatever the receiver makes of the frame comes later by that.
    pub fn receive_signal(&mut self, message: &Message, link: &Link) -> Option<u64> {
        match &message.signal {
            Signal::Start {
                start_ps,
                waveform,
                ppb,
                power_dbm,
            } => {
                let keys = [u64::from(message.source), u64::from(self.board)];
                let start_ps = start_ps + link.delay_ps + link.jitter.draw(self.seed, &keys, message.frame);
                let carrier = Carrier {
                    source: message.source,
                    frame: message.frame,
                    start_ps,
                    end_ps: start_ps
                        + lasting_ps(waveform.header_ps() + MAX_FRAME_BYTES as u64 * waveform.byte_ps, *ppb),
                    waveform: *waveform,
                    ppb: *ppb,
                    rssi_dbm: link.rssi_dbm + power_dbm,
                    lost: is_lost(self.seed, message, self.board, link),
                    cut: false,
                    psdu: None,
                };
                let at = self
                    .carriers
                    .partition_point(|c| (c.start_ps, c.source) < (carrier.start_ps, carrier.source));
                self.carriers.insert(at, carrier);
                return Some(start_ps).filter(|_| waveform.modulation != Modulation::Noise);
            }
            Signal::Body { psdu } => {
                if let Some(carrier) = self.find_mut(message.source, message.frame) {
                    if !carrier.cut {
                        carrier.end_ps = carrier.byte_ps(psdu.len());
                    }
                    carrier.psdu = Some(Arc::clone(psdu));
                }
            }
            Signal::Cut { end_ps } => {
                let end_ps = end_ps + link.delay_ps;
                if let Some(carrier) = self.find_mut(message.source, message.frame) {
                    if end_ps < carrier.end_ps {
                        carrier.cut = true;
                        carrier.end_ps = end_ps.max(carrier.start_ps);
                    }
                }
            }
        }
        None
    }

    fn find_mut(&mut self, source: u16, frame: u32) -> Option<&mut Carrier> {
        self.carriers
            .iter_mut()
            .find(|carrier| carrier.source == source && carrier.frame == frame)
    }

    pub fn find(&self, source: u16, frame: u32) -> Option<&Carrier> {
        self.carriers
            .iter()
            .find(|carrier| carrier.source == source && carrier.frame == frame)
    }

    /// Carriers that begin at `start_ps`, as [`Ether::receive_signal`] gave it, in the order of their sources.
    pub fn starting(&self, start_ps: u64) -> impl Iterator<Item = &Carrier> {
        self.carriers.iter().filter(move |carrier| carrier.start_ps == start_ps)
    }

    fn during(&self, from_ps: u64, to_ps: u64) -> impl Iterator<Item = &Carrier> {
        self.carriers
            .iter()
            .filter(move |c| c.start_ps < to_ps && c.end_ps > from_ps)
    }

    /// The mean level in the band of a waveform over an interval: energy detection, RSSI. None: silence.
    pub fn level_dbm(&self, band: &Waveform, from_ps: u64, to_ps: u64) -> Option<i32> {
        let to_ps = to_ps.max(from_ps + 1);
        let receiver = self.receiver(band);
        let energy: u128 = self
            .during(from_ps, to_ps)
            .map(|c| receiver.power_in(band, c) * u128::from(c.end_ps.min(to_ps) - c.start_ps.max(from_ps)))
            .sum();
        dbm(energy / u128::from(to_ps - from_ps))
    }

    /// Whether nothing in a band is received, now or later, of what was received so far.
    pub fn silent_from(&self, band: &Waveform, from_ps: u64) -> bool {
        let receiver = self.receiver(band);
        self.during(from_ps, u64::MAX)
            .all(|carrier| receiver.power_in(band, carrier) == 0)
    }

    /// The strongest carrier of a waveform at some time of an interval: carrier sense. Noise is none.
    pub fn carrier_dbm(&self, waveform: &Waveform, from_ps: u64, to_ps: u64) -> Option<i32> {
        self.during(from_ps, to_ps)
            .filter(|carrier| carrier.waveform == *waveform)
            .map(|carrier| carrier.rssi_dbm)
            .max()
    }

    /// Whether other carriers destroy what lies in an interval of a frame. One that puts less than `floor_dbm` into the
    /// band does not count: the sensitivity is given with that much noise.
    pub fn disturbed(&self, victim: &Carrier, from_ps: u64, to_ps: u64, floor_dbm: i32) -> bool {
        let receiver = self.receiver(&victim.waveform);
        let floor = power(floor_dbm);
        let others: u128 = self
            .during(from_ps, to_ps)
            .filter(|c| (c.source, c.frame) != (victim.source, victim.frame))
            .map(|c| receiver.power_in(&victim.waveform, c))
            .filter(|&other| other >= floor)
            .sum();
        others > power(victim.rssi_dbm - receiver.co_channel_db)
    }

    /// Forgets what ended before it could overlap a frame that is still in the air.
    pub fn prune(&mut self, now_ps: u64) {
        let frames = self
            .carriers
            .iter()
            .filter(|c| c.waveform.modulation != Modulation::Noise);
        let longest = frames.map(|c| c.end_ps - c.start_ps).max().unwrap_or(0).max(1000 * US);
        self.carriers.retain(|carrier| carrier.end_ps + 2 * longest > now_ps);
    }
}
