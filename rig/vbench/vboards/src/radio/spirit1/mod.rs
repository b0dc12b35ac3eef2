//! ST SPIRIT1: sub-1-GHz FSK transceiver with a packet engine, an SPI, SDN and four GPIOs.
//!
//! Basic and STack packets, both FIFOs, filters, listen before talk, acknowledgement and retransmission, RX timeout,
//! wake-up timer. Not modelled, with a remark when used: ASK/OOK, unmodulated carrier, direct modes, Wireless M-Bus,
//! AES, piggybacking, persistent transmission; without a remark: AGC, AFC, dynamic carrier sense, antenna switching,
//! temperature and battery. The data sheet's timing tables could not be read: see `timing.rs`.

mod csma;
mod fifo;
mod filter;
mod gpio;
mod packet;
mod phy;
mod quality;
mod regs;
mod rx;
mod spi;
mod state;
mod timing;
mod tx;

pub use regs::State;

use super::oscillator::Oscillator;
use super::{PinChange, Radio};
use crate::air::{Carrier, Ether, Link, Message, Modulation, Signal};
use fifo::{Fifo, Level};
use packet::Header;
use spi::Port;
use state::Goal;
use std::collections::VecDeque;

/// Pins that the chip drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Gpio(u8),
}

/// Pins that it listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// CSn, low while an SPI access lasts.
    Csn,
    /// SDN, high in SHUTDOWN.
    Sdn,
    /// A GPIO that is set to be an input.
    Gpio(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    PowerOn,
    WakeUp,
    /// A leg between two states is over.
    Leg,
    /// The sync word of the own packet is over.
    TxBody,
    TxByte,
    TxEnd,
    CcaEnd,
    BackoffEnd,
    /// A carrier begins or ends here.
    CarrierSense,
    /// Enough preamble, the sync word, of carriers that began at this instant.
    Preamble(u64),
    Sync(u64),
    RxHead,
    RxByte,
    RxEnd,
    RxTimeout,
}

impl Kind {
    /// Whether it belongs to what the chip was doing, and ends when that is interrupted.
    fn is_activity(self) -> bool {
        !matches!(
            self,
            Kind::WakeUp | Kind::CarrierSense | Kind::Preamble(_) | Kind::Sync(_)
        )
    }
}

/// One transceiver.
pub struct Spirit1 {
    seed: u64,
    board: u16,
    xtal_hz: u64,
    oscillator: Oscillator,
    regs: [u8; 256],
    port: Port,
    sdn: bool,
    state: State,
    /// The state it changes to, and the legs still to go.
    goal: Option<Goal>,
    legs: VecDeque<(State, u64)>,
    events: Vec<(u64, Kind)>,
    now_ps: u64,
    irq_status: u32,
    rx_fifo: Fifo,
    tx_fifo: Fifo,
    /// Of the TX and of the RX FIFO when last looked at.
    levels: [Level; 2],
    ether: Ether,
    rx: Option<rx::Reception>,
    listening_since: Option<u64>,
    /// Carrier sense, and a valid preamble.
    sense: bool,
    preamble: bool,
    rssi: u8,
    awaits_ack: bool,
    /// The acknowledgement to be sent.
    acknowledging: Option<Header>,
    ldc_receives: bool,
    tx: Option<tx::Sending>,
    transaction: Option<tx::Transaction>,
    csma: Option<csma::Csma>,
    tx_sequence: u8,
    tx_info: u8,
    frames_sent: u32,
    backoffs_drawn: u64,
    gpio: [bool; 4],
    pins: Vec<PinChange<Output>>,
    outbox: Vec<Message>,
    notes: Vec<(u32, String)>,
}

impl Spirit1 {
    /// A chip that gets its supply at instant 0 with SDN low. Draws depend on the seed of the run and on the board.
    pub fn new(seed: u64, board: u16, xtal_hz: u64) -> Spirit1 {
        let level = Level {
            almost_full: false,
            almost_empty: true,
        };
        let mut radio = Spirit1 {
            seed,
            board,
            xtal_hz,
            oscillator: Oscillator::default(),
            regs: [0; 256],
            port: Port::Idle,
            sdn: true,
            state: State::Shutdown,
            goal: None,
            legs: VecDeque::new(),
            events: Vec::new(),
            now_ps: 0,
            irq_status: 0,
            rx_fifo: Fifo::default(),
            tx_fifo: Fifo::default(),
            levels: [level; 2],
            ether: Ether::new(seed, board),
            rx: None,
            listening_since: None,
            sense: false,
            preamble: false,
            rssi: 0,
            awaits_ack: false,
            acknowledging: None,
            ldc_receives: false,
            tx: None,
            transaction: None,
            csma: None,
            tx_sequence: 0,
            tx_info: 0,
            frames_sent: 0,
            backoffs_drawn: 0,
            gpio: [false; 4],
            pins: Vec::new(),
            outbox: Vec::new(),
            notes: Vec::new(),
        };
        radio.pins = (0..4)
            .map(|index| PinChange {
                t_ps: 0,
                pin: Output::Gpio(index),
                level: false,
            })
            .collect();
        radio.set_sdn(false);
        radio
    }

    /// The same chip, with its supply from `t_ps` on.
    pub fn powered_at(mut self, t_ps: u64) -> Spirit1 {
        self.now_ps = t_ps;
        self.events.iter_mut().for_each(|event| event.0 += t_ps);
        self.pins.iter_mut().for_each(|change| change.t_ps = t_ps);
        self
    }

    /// The same chip on a crystal that is not exact.
    pub fn clocked_by(mut self, oscillator: Oscillator) -> Spirit1 {
        self.oscillator = oscillator;
        self
    }

    fn load_reset_values(&mut self) {
        self.regs = [0; 256];
        for &(register, value) in regs::RESET.iter() {
            self.regs[usize::from(register)] = value;
        }
        self.irq_status = 0;
        self.rx_fifo.clear();
        self.tx_fifo.clear();
        self.tx_sequence = 0;
        self.tx_info = 0;
        self.rssi = 0;
        self.watch_fifos();
        self.irq_status = 0;
    }

    fn reg(&self, register: u8) -> u8 {
        self.regs[usize::from(register)]
    }

    /// State as MC_STATE0 would show it.
    pub fn state(&self) -> State {
        self.state
    }

    /// Centre of the channel.
    pub fn carrier_hz(&self) -> u64 {
        self.centre_hz()
    }

    fn at(&mut self, t_ps: u64, kind: Kind) {
        let index = self.events.partition_point(|event| event.0 <= t_ps);
        self.events.insert(index, (t_ps, kind));
    }

    /// The edge of the crystal that comes a time after what happens now.
    fn later(&self, delay_ps: u64) -> u64 {
        self.oscillator.later(self.now_ps, delay_ps)
    }

    fn after(&mut self, delay_ps: u64, kind: Kind) {
        self.at(self.later(delay_ps), kind);
    }

    fn cancel(&mut self, kind: Kind) {
        self.events.retain(|event| event.1 != kind);
    }

    fn handle(&mut self, kind: Kind) {
        match kind {
            Kind::PowerOn => self.power_on(),
            Kind::WakeUp => self.wake_up(),
            Kind::Leg => self.leg(),
            Kind::TxBody => self.tx_body(),
            Kind::TxByte => self.tx_byte(),
            Kind::TxEnd => self.tx_end(),
            Kind::CcaEnd => self.cca_end(),
            Kind::BackoffEnd => self.go(Goal::Listen),
            Kind::CarrierSense => self.carrier_sense(),
            Kind::Preamble(start_ps) => self.preamble_heard(start_ps),
            Kind::Sync(start_ps) => self.sync(start_ps),
            Kind::RxHead => self.rx_head(),
            Kind::RxByte => self.rx_byte(),
            Kind::RxEnd => self.rx_end(),
            Kind::RxTimeout => self.rx_timeout(),
        }
        self.drive_pins();
    }

    fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        self.notes.push((key, text()));
    }

    /// What a carrier that has just been announced will mean here, and when.
    fn expect(&mut self, carrier: &Carrier) {
        let (start_ps, waveform) = (carrier.start_ps, &carrier.waveform);
        let mut due = Vec::new();
        if waveform.touches(&self.band()) {
            due.push((start_ps, Kind::CarrierSense));
        }
        if matches!(waveform.modulation, Modulation::Fsk { .. }) {
            let preamble_ps = self.preamble_bits() * waveform.byte_ps / 8;
            due.push((carrier.at_ps(preamble_ps), Kind::Preamble(start_ps)));
            due.push((carrier.at_ps(waveform.shr_ps), Kind::Sync(start_ps)));
        }
        for (air_ps, kind) in due {
            let t_ps = self.oscillator.edge(air_ps);
            if !self.events.contains(&(t_ps, kind)) {
                self.at(t_ps, kind);
            }
        }
    }
}

impl Radio for Spirit1 {
    type Input = Input;
    type Output = Output;

    fn input(&mut self, pin: Input, level: bool, t_ps: u64) {
        self.advance(t_ps);
        match pin {
            Input::Csn => self.set_csn(level),
            Input::Sdn => self.set_sdn(level),
            Input::Gpio(index) => self.gpio_input(index, level),
        }
        self.drive_pins();
    }

    fn spi_out(&mut self, t_ps: u64) -> Option<u8> {
        self.advance(t_ps);
        let byte = self.shift_out();
        self.drive_pins();
        byte
    }

    fn spi_in(&mut self, byte: u8, t_ps: u64) {
        self.advance(t_ps);
        self.shift_in(byte);
        self.drive_pins();
    }

    fn next_event(&self) -> Option<u64> {
        self.events.first().map(|event| event.0)
    }

    fn advance(&mut self, now_ps: u64) {
        while self.events.first().map_or(false, |event| event.0 <= now_ps) {
            let (t_ps, kind) = self.events.remove(0);
            self.now_ps = self.now_ps.max(t_ps);
            self.handle(kind);
        }
        self.now_ps = self.now_ps.max(now_ps);
    }

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        self.ether.receive_signal(message, link);
        let carrier = match self.ether.find(message.source, message.frame) {
            Some(carrier) => carrier.clone(),
            None => return,
        };
        if matches!(message.signal, Signal::Start { .. }) {
            self.expect(&carrier);
            self.ether.prune(self.now_ps);
        } else if carrier.waveform.touches(&self.band()) {
            let end_ps = carrier.end_ps.max(self.now_ps);
            self.at(self.oscillator.edge(end_ps), Kind::CarrierSense);
        }
    }

    fn take_pins(&mut self, into: &mut Vec<PinChange<Output>>) {
        into.append(&mut self.pins);
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
