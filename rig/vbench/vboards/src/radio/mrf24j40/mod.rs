//! Microchip MRF24J40: 2.4 GHz IEEE 802.15.4 transceiver with an SPI and the pins /CS, INT, RESET and WAKE.
//!
//! It sends by itself: CSMA-CA, acknowledgement and retries follow one write to TXNCON. Modelled: unslotted operation with
//! the TX normal FIFO, normal, promiscuous and error mode, immediate sleep, turbo mode. Not modelled, and noted when it is
//! used: beacons, guaranteed time slots, security, slotted CSMA-CA, timed sleep, the half symbol timer, forced RF modes.

mod power;
mod regs;
mod rx;
mod spi;
mod timing;
mod tx;

pub use regs::State;

use super::oscillator::Oscillator;
use super::{PinChange, Radio};
use crate::air::{lasting_ps, Ether, Link, Message, Signal, Waveform};
use spi::Port;

/// Crystal of the chip (DS39776C, 2.6).
pub const CRYSTAL_HZ: u64 = 20_000_000;

/// Pins that the chip drives; GPIO0 to GPIO5 do not leave an MRF24J40MA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Int,
}

/// Pins that it listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// /CS, low while an SPI access lasts.
    Cs,
    /// RESET, low active.
    Reset,
    Wake,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The RF state machine works.
    Calibrated,
    SleepCalibrated,
    CcaEnd,
    /// Without CSMA-CA: the way to the first symbol begins.
    Turnaround,
    TxEnd,
    AckTimeout,
    RssiReady,
    /// The SHR of a carrier that began at this instant is over here.
    Sync(u64),
    Phr,
    RxEnd,
}

/// One transceiver.
pub struct Mrf24j40 {
    seed: u64,
    board: u16,
    oscillator: Oscillator,
    /// Where the MAC's ticks begin.
    powered_ps: u64,
    short: [u8; 64],
    long: [u8; regs::LONG_BYTES],
    state: State,
    /// RESET is low.
    held: bool,
    /// Channel, above 11, for which the RF circuitry was calibrated.
    tuned: u8,
    /// A start of the oscillator that a reset of the RF state machine interrupted lasts until then.
    oscillator_ps: u64,
    port: Port,
    selected: bool,
    int: bool,
    events: Vec<(u64, Kind)>,
    now_ps: u64,
    ether: Ether,
    rx: Option<rx::Reception>,
    listening_since: Option<u64>,
    /// Before this the receiver is not back from sending.
    rx_ready_ps: u64,
    tx: Option<tx::Sending>,
    transaction: Option<tx::Transaction>,
    frames_sent: u32,
    backoffs_drawn: u64,
    pins: Vec<PinChange<Output>>,
    outbox: Vec<Message>,
    notes: Vec<(u32, String)>,
}

impl Mrf24j40 {
    /// A chip that gets its supply at `t_ps`. Draws depend on the seed of the run and on the board.
    pub fn new(seed: u64, board: u16, t_ps: u64, oscillator: Oscillator) -> Mrf24j40 {
        let mut radio = Mrf24j40 {
            seed,
            board,
            oscillator,
            powered_ps: t_ps,
            short: [0; 64],
            long: [0; regs::LONG_BYTES],
            state: State::Reset,
            held: false,
            tuned: 0,
            oscillator_ps: 0,
            port: Port::Idle,
            selected: false,
            int: true,
            events: Vec::new(),
            now_ps: t_ps,
            ether: Ether::new(seed, board),
            rx: None,
            listening_since: None,
            rx_ready_ps: 0,
            tx: None,
            transaction: None,
            frames_sent: 0,
            backoffs_drawn: 0,
            pins: vec![PinChange {
                t_ps,
                pin: Output::Int,
                level: true,
            }],
            outbox: Vec::new(),
            notes: Vec::new(),
        };
        radio.load_reset_values();
        radio.start(timing::OSCILLATOR);
        radio
    }

    /// All control registers at their reset values; the FIFOs keep what is in them.
    fn load_reset_values(&mut self) {
        self.short = [0; 64];
        for &(register, value) in regs::RESET.iter() {
            self.keep(register, value);
        }
        self.keep(regs::BBREG6, regs::bbreg6::RSSIRDY);
        self.long[regs::LONG_REGISTERS].fill(0);
        for &(register, value) in regs::RESET_LONG.iter() {
            self.long[register] = value;
        }
    }

    fn reg(&self, register: u8) -> u8 {
        self.short[usize::from(register)]
    }

    /// What RFSTATE would show.
    pub fn state(&self) -> State {
        self.state
    }

    fn waveform(&self) -> Waveform {
        let nominal = Waveform::oqpsk(11 + self.tuned);
        if self.reg(regs::BBREG0) & regs::BBREG0_TURBO == 0 {
            return nominal;
        }
        Waveform {
            shr_ps: 5 * timing::TURBO_BYTE,
            phr_ps: timing::TURBO_BYTE,
            byte_ps: timing::TURBO_BYTE,
            ..nominal
        }
    }

    fn at(&mut self, t_ps: u64, kind: Kind) {
        let index = self.events.partition_point(|event| event.0 <= t_ps);
        self.events.insert(index, (t_ps, kind));
    }

    fn due(&self, kind: Kind) -> Option<u64> {
        self.events.iter().find(|event| event.1 == kind).map(|event| event.0)
    }

    /// The edge of the crystal that comes a time after what happens now.
    fn later(&self, delay_ps: u64) -> u64 {
        self.oscillator.later(self.now_ps, delay_ps)
    }

    fn after(&mut self, delay_ps: u64, kind: Kind) {
        self.at(self.later(delay_ps), kind);
    }

    /// The instant `ticks` of the MAC after the first one at or after `t_ps`.
    fn ticks_from(&self, t_ps: u64, ticks: u64) -> u64 {
        let tick_ps = lasting_ps(timing::TICK, self.oscillator.ppb());
        let mut number = (t_ps - self.powered_ps) / tick_ps;
        let instant = |number: u64| self.oscillator.later(self.powered_ps, number * timing::TICK);
        while instant(number) < t_ps {
            number += 1;
        }
        instant(number + ticks)
    }

    fn after_ticks(&mut self, ticks: u64, kind: Kind) {
        self.at(self.ticks_from(self.now_ps, ticks), kind);
    }

    fn cancel(&mut self, kind: Kind) {
        self.events.retain(|event| event.1 != kind);
    }

    fn handle(&mut self, kind: Kind) {
        match kind {
            Kind::Calibrated => self.calibrated(),
            Kind::SleepCalibrated => self.sleep_calibrated(),
            Kind::CcaEnd => self.cca_end(),
            Kind::Turnaround => self.turn_round(),
            Kind::TxEnd => self.tx_end(),
            Kind::AckTimeout => self.ack_timeout(),
            Kind::RssiReady => self.rssi_ready(),
            Kind::Sync(start_ps) => self.sync(start_ps),
            Kind::Phr => self.phr(),
            Kind::RxEnd => self.rx_end(),
        }
    }

    fn drive_interrupt(&mut self, level: bool) {
        if level != std::mem::replace(&mut self.int, level) {
            self.pins.push(PinChange {
                t_ps: self.now_ps,
                pin: Output::Int,
                level,
            });
        }
    }

    fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        self.notes.push((key, text()));
    }
}

impl Radio for Mrf24j40 {
    type Input = Input;
    type Output = Output;

    fn input(&mut self, pin: Input, level: bool, t_ps: u64) {
        match pin {
            Input::Cs => self.set_select(level, t_ps),
            Input::Reset => self.set_reset(level, t_ps),
            Input::Wake => self.set_wake(level, t_ps),
        }
    }

    fn spi_out(&mut self, t_ps: u64) -> Option<u8> {
        self.shift_out(t_ps)
    }

    fn spi_in(&mut self, byte: u8, t_ps: u64) {
        self.shift_in(byte, t_ps);
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
        if let Some(start_ps) = self.ether.receive_signal(message, link) {
            let carrier = self.ether.find(message.source, message.frame);
            let shr_ps = carrier.map_or(start_ps, |carrier| carrier.at_ps(carrier.waveform.shr_ps));
            let sync = (self.oscillator.edge(shr_ps), Kind::Sync(start_ps));
            if !self.events.contains(&sync) {
                self.at(sync.0, sync.1);
            }
        }
        if matches!(message.signal, Signal::Start { .. }) {
            self.ether.prune(self.now_ps);
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
