//! RADIO in its IEEE 802.15.4 mode (PS "RADIO", IEEE 802.15.4 operation): frames, CCA, energy detection, RSSI, bit counter.
//!
//! Everything happens at edges of 16 MHz of the chip's clock. Not modelled: other modes, whitening, another checksum than that
//! of 802.15.4, MHRMATCH, SYNC, what the carrier is like before a frame. START given while ramped up, not by a shortcut, has
//! its frame on the air [`crate::air::REACTION_PS`] after it, for the air's sake.

mod cca;
mod registers;
mod rx;
mod state;
mod timing;
mod tx;

pub use registers::State;

use super::interface::{At, Interface, Peripheral};
use crate::air::{lasting_ps, Ether, Link, Message, Modulation, Signal, Waveform};
use crate::clock::Clock;
use crate::soc::{Drive, Outside};
use crate::trace::Pin;
use registers::{event, task};
use std::collections::VecDeque;

/// Cycles of 64 MHz in a period of 16 MHz.
const PERIOD: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Ramped up.
    Ready,
    Disabled,
    /// The air must learn of the own frame, whose first symbol is due at this instant.
    TxAnnounce(u64),
    TxSfd,
    TxPhr,
    TxPayload,
    TxEnd,
    TxPhyEnd,
    /// The SHR of a carrier that began at this instant is over here.
    Sync(u64),
    RxPhr,
    RxPayload,
    RxEnd,
    BitCount,
    Rssi,
    Cca,
    Energy,
}

/// A transfer of EasyDMA that the chip is to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A frame to send begins at this address.
    Fetch(u32),
    Store(u32, Vec<u8>),
}

/// The transceiver.
pub struct Radio {
    interface: Interface,
    seed: u64,
    board: u16,
    /// A copy of the chip's clock, and how much faster than nominal its crystal is.
    clock: Clock,
    ppb: i64,
    crystal: bool,
    powered: bool,
    words: [u32; registers::WORDS],
    state: State,
    events: VecDeque<(u64, Kind)>,
    now_ps: u64,
    ether: Ether,
    rx: Option<rx::Reception>,
    /// Since when the receiver is on, and searches.
    rx_on_since: Option<u64>,
    searching_since: Option<u64>,
    crc_ok: bool,
    rx_crc: u32,
    tx: Option<tx::Sending>,
    frames_sent: u32,
    /// CCASTART came while it ramped up.
    cca_asked: bool,
    cca_since: Option<u64>,
    energy: cca::Energy,
    rssi: u32,
    pub transfers: Vec<Transfer>,
    outbox: Vec<Message>,
    notes: Vec<(u32, String)>,
}

impl Radio {
    pub fn new(seed: u64, board: u16, clock: Clock, ppb: i64) -> Radio {
        Radio {
            interface: Interface::new(event::ALL, &registers::SHORTS),
            seed,
            board,
            clock,
            ppb,
            crystal: false,
            powered: true,
            words: registers::reset_values(),
            state: State::Disabled,
            events: VecDeque::new(),
            now_ps: 0,
            ether: Ether::new(seed, board),
            rx: None,
            rx_on_since: None,
            searching_since: None,
            crc_ok: false,
            rx_crc: 0,
            tx: None,
            frames_sent: 0,
            cca_asked: false,
            cca_since: None,
            energy: cca::Energy::default(),
            rssi: 0,
            transfers: Vec::new(),
            outbox: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The chip's clock runs like this from now on; `crystal`: from HFXO.
    pub fn set_clock(&mut self, clock: &Clock, crystal: bool) {
        self.clock = clock.clone();
        self.crystal = crystal;
    }

    /// Reset of the peripheral: what it does ends.
    pub fn reset(&mut self, now_ps: u64) {
        self.now_ps = self.now_ps.max(now_ps);
        self.break_off();
        self.interface = Interface::new(event::ALL, &registers::SHORTS);
        self.words = registers::reset_values();
        self.events.retain(|event| matches!(event.1, Kind::Sync(_)));
        self.enter(State::Disabled);
        self.energy = cca::Energy::default();
    }

    fn word(&self, offset: u32) -> u32 {
        self.words[(offset - registers::STORED) as usize / 4]
    }

    fn waveform(&self) -> Waveform {
        let frequency = self.word(registers::FREQUENCY);
        let base_mhz = if frequency >> 8 & 1 == 1 { 2360 } else { 2400 };
        let standard =
            self.word(registers::SFD) & 0xFF == 0xA7 && self.word(registers::MODE) & 15 == registers::MODE_IEEE802154;
        Waveform {
            modulation: if standard { Modulation::Oqpsk } else { Modulation::Noise },
            centre_khz: 1000 * (base_mhz + (frequency & 0x7F)),
            ..Waveform::oqpsk(11)
        }
    }

    /// The first edge of 16 MHz at or after an instant.
    fn edge(&self, t_ps: u64) -> u64 {
        let cycle = self.clock.tick_at(t_ps);
        self.clock.ps((cycle + PERIOD - 1) / PERIOD * PERIOD)
    }

    /// When the receiver has what is in the air at an instant.
    fn heard(&self, air_ps: u64) -> u64 {
        self.edge(air_ps + timing::RX_DELAY)
    }

    /// The edge that comes a nominal span after the first edge at or after an instant.
    fn later(&self, t_ps: u64, span_ps: u64) -> u64 {
        self.edge(self.edge(t_ps) + lasting_ps(span_ps, self.ppb))
    }

    fn at(&mut self, t_ps: u64, kind: Kind) {
        let index = self.events.partition_point(|event| event.0 <= t_ps);
        self.events.insert(index, (t_ps, kind));
    }

    fn after(&mut self, span_ps: u64, kind: Kind) {
        let t_ps = self.later(self.now_ps, span_ps);
        self.at(t_ps, kind);
    }

    fn cancel(&mut self, unwanted: impl Fn(Kind) -> bool) {
        self.events.retain(|event| !unwanted(event.1));
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        let on = matches!(state, State::RxIdle | State::Rx);
        self.rx_on_since = Some(self.rx_on_since.unwrap_or(self.now_ps)).filter(|_| on);
        self.searching_since = Some(self.now_ps).filter(|_| state == State::Rx);
        if state != State::Rx {
            self.rx = None;
            self.cancel(|kind| matches!(kind, Kind::RxPhr | Kind::RxPayload | Kind::RxEnd | Kind::BitCount));
        }
        if !on {
            self.cca_asked = false;
            self.cca_since = None;
            self.cancel(|kind| matches!(kind, Kind::Cca | Kind::Energy));
        }
    }

    fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        self.notes.push((key, text()));
    }

    fn handle(&mut self, kind: Kind) {
        match kind {
            Kind::Ready => self.ready(),
            Kind::Disabled => {
                self.enter(State::Disabled);
                self.interface.raise(event::DISABLED);
            }
            Kind::TxAnnounce(start_ps) => self.announce(start_ps),
            Kind::TxSfd => self.sfd_sent(),
            Kind::TxPhr => self.phr_sent(),
            Kind::TxPayload | Kind::RxPayload => self.interface.raise(event::PAYLOAD),
            Kind::TxEnd => self.interface.raise(event::END),
            Kind::TxPhyEnd => self.frame_sent(),
            Kind::Sync(start_ps) => self.sync(start_ps),
            Kind::RxPhr => self.length_received(),
            Kind::RxEnd => self.frame_received(),
            Kind::BitCount => self.bits_counted(),
            Kind::Rssi => self.rssi_measured(),
            Kind::Cca => self.cca_done(),
            Kind::Energy => self.energy_measured(),
        }
    }
}

impl Peripheral for Radio {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, number: u32, at: At) -> Option<()> {
        self.now_ps = self.now_ps.max(at.ps);
        if !self.powered {
            return Some(());
        }
        match number {
            task::TXEN => self.ramp_up(State::TxRampUp),
            task::RXEN => self.ramp_up(State::RxRampUp),
            task::START => self.start(),
            task::STOP => self.stop(),
            task::DISABLE => self.disable(),
            task::RSSISTART => self.after(timing::RSSI, Kind::Rssi),
            task::RSSISTOP => self.cancel(|kind| kind == Kind::Rssi),
            task::BCSTART => self.count_bits(),
            task::BCSTOP => self.cancel(|kind| kind == Kind::BitCount),
            task::EDSTART => self.start_energy(),
            task::EDSTOP => {
                self.cancel(|kind| kind == Kind::Energy);
                self.interface.raise(event::EDSTOPPED);
            }
            task::CCASTART => self.start_cca(),
            task::CCASTOP => {
                self.cca_since = None;
                self.cancel(|kind| kind == Kind::Cca);
                self.interface.raise(event::CCASTOPPED);
            }
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        Some(match offset {
            0x400 => u32::from(self.crc_ok),
            0x408 | 0x410 | 0x414 => 0,
            0x40C => self.rx_crc,
            0x548 => self.rssi,
            0x550 => self.state as u32,
            0x668 => self.energy.sample,
            0xFFC => u32::from(self.powered),
            _ if registers::exists(offset) => self.word(offset),
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        match offset {
            0xFFC => {
                let on = value & 1 == 1;
                if self.powered && !on {
                    self.reset(at.ps);
                }
                self.powered = on;
            }
            0x668 => {}
            _ if registers::exists(offset) => self.words[(offset - registers::STORED) as usize / 4] = value,
            _ => return None,
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        self.events.front().map(|event| event.0)
    }

    /// One thing at a time: what follows from its events comes before the next.
    fn fire(&mut self, at: At) {
        if let Some(&(t_ps, kind)) = self.events.front().filter(|event| event.0 <= at.ps) {
            self.events.pop_front();
            self.now_ps = self.now_ps.max(t_ps);
            self.handle(kind);
        }
    }
}

/// What the air sees of it. The chip's pins lead elsewhere.
impl Outside for Radio {
    fn pin(&mut self, _pin: Pin, _level: bool, _t_ps: u64) {}

    fn spi_out(&mut self, _bus: usize, _t_ps: u64) -> Option<u8> {
        None
    }

    fn spi_in(&mut self, _bus: usize, _byte: u8, _t_ps: u64) {}

    fn next_event(&self) -> Option<u64> {
        self.next_ps()
    }

    fn advance(&mut self, _t_ps: u64) {}

    fn take_drives(&mut self, _into: &mut Vec<Drive>) {}

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        if let (Some(start_ps), Signal::Start { waveform, ppb, .. }) =
            (self.ether.receive_signal(message, link), &message.signal)
        {
            let sync = (
                self.heard(start_ps + lasting_ps(waveform.shr_ps, *ppb)),
                Kind::Sync(start_ps),
            );
            if !self.events.contains(&sync) {
                self.at(sync.0, sync.1);
            }
        }
        self.ether.prune(self.now_ps);
    }

    fn has_messages(&self) -> bool {
        !self.outbox.is_empty()
    }

    fn take_messages(&mut self, into: &mut Vec<Message>) {
        into.append(&mut self.outbox);
    }

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.notes)
    }
}
