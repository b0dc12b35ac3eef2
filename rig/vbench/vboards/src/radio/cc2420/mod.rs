//! TI CC2420: 2.4 GHz IEEE 802.15.4 transceiver with an SPI and the pins CSn, VREG_EN, RESETn, FIFO, FIFOP, SFD, CCA.
//!
//! Buffered mode with automatic checksum, address recognition and acknowledgement. Not modelled: security operations (the
//! keys are storage, SRXDEC, STXENC and SAES do nothing), the serial and endless test modes, most test signals on SFD and
//! CCA. Section numbers in this folder are those of the data sheet, TI SWRS041.

mod fifo;
mod pins;
mod regs;
mod rssi;
mod rx;
mod spi;
mod state;
mod timing;
mod tx;

pub use regs::State;

use super::oscillator::Oscillator;
use super::{PinChange, Radio, StartUp};
use crate::air::{lasting_ps, Ether, Link, Message, Modulation, Receiver, Signal, Waveform, BYTE_PS};
use fifo::{RxFifo, TxFifo};
use pins::Pins;
use regs::ram;
use spi::Port;

/// Pins that the chip drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Fifo,
    Fifop,
    Sfd,
    Cca,
}

/// Pins that it listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// CSn, low while an SPI access lasts.
    Csn,
    VregEn,
    /// RESETn.
    Resetn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    VregUp,
    XoscStable,
    /// RX_CALIBRATE is over.
    RxOn,
    /// The synthesizer has locked for transmission.
    Locked,
    /// The air must receive the own frame, whose first symbol is due at this instant.
    TxAnnounce(u64),
    TxPreamble,
    /// The own SFD is over.
    TxSfd,
    /// A byte is needed that was not in the TXFIFO.
    TxFetch,
    TxEnd,
    /// The SHR of a carrier that began at this instant is over here.
    Sync(u64),
    /// Byte of the frame under reception, 0 for its length.
    RxByte(usize),
    /// A frame that was not taken is over.
    RxWaitEnd,
    /// CCA is looked at again.
    Cca,
}

/// One transceiver.
pub struct Cc2420 {
    seed: u64,
    board: u16,
    oscillator: Oscillator,
    start_up: StartUp,
    regs: [u16; 64],
    ram: [u8; ram::BYTES],
    state: State,
    vreg_en: bool,
    vreg_up: bool,
    resetn: bool,
    xosc_stable: bool,
    /// The synthesizer is calibrated.
    locked: bool,
    port: Port,
    pins: Pins,
    events: Vec<(u64, Kind)>,
    now_ps: u64,
    ether: Ether,
    rxfifo: RxFifo,
    rx: Option<rx::Reception>,
    /// The frame received last.
    last: rx::Last,
    /// Since when the receiver is on, and searches.
    rx_on_since: Option<u64>,
    searching_since: Option<u64>,
    energy_busy: bool,
    txfifo: TxFifo,
    tx: Option<tx::Sending>,
    tx_underflow: bool,
    pending_flag: bool,
    frames_sent: u32,
    changes: Vec<PinChange<Output>>,
    outbox: Vec<Message>,
    notes: Vec<(u32, String)>,
}

impl Cc2420 {
    /// A chip whose regulator is off. Draws depend on the seed of the run and on the board.
    pub fn new(seed: u64, board: u16) -> Cc2420 {
        let mut radio = Cc2420 {
            seed,
            board,
            oscillator: Oscillator::default(),
            start_up: StartUp::default(),
            regs: [0; 64],
            ram: [0; ram::BYTES],
            state: State::PowerDown,
            vreg_en: false,
            vreg_up: false,
            resetn: true,
            xosc_stable: false,
            locked: false,
            port: Port::Idle,
            pins: Pins::default(),
            events: Vec::new(),
            now_ps: 0,
            ether: Ether::new(seed, board).with_receiver(Receiver::CC2420),
            rxfifo: RxFifo::default(),
            rx: None,
            last: rx::Last::default(),
            rx_on_since: None,
            searching_since: None,
            energy_busy: false,
            txfifo: TxFifo::default(),
            tx: None,
            tx_underflow: false,
            pending_flag: false,
            frames_sent: 0,
            changes: Vec::new(),
            outbox: Vec::new(),
            notes: Vec::new(),
        };
        radio.load_reset_values();
        radio.show_all();
        radio
    }

    /// The same chip, with its supply from `t_ps` on.
    pub fn powered_at(mut self, t_ps: u64) -> Cc2420 {
        self.now_ps = t_ps;
        self.changes.iter_mut().for_each(|change| change.t_ps = t_ps);
        self
    }

    /// The same chip, which takes that long to start.
    pub fn starting_in(mut self, start_up: StartUp) -> Cc2420 {
        self.start_up = start_up;
        self
    }

    /// The same chip on a crystal that is not exact.
    pub fn clocked_by(mut self, oscillator: Oscillator) -> Cc2420 {
        self.oscillator = oscillator;
        self
    }

    fn load_reset_values(&mut self) {
        self.regs = [0; 64];
        for &(register, value) in regs::RESET.iter() {
            self.regs[usize::from(register)] = value;
        }
    }

    fn reg(&self, register: u8) -> u16 {
        self.regs[usize::from(register)]
    }

    /// State as FSMSTATE shows it.
    pub fn state(&self) -> State {
        self.state
    }

    /// Fc = 2048 + FREQ MHz (section 26); preamble of PREAMBLE_LENGTH + 1 bytes and a SYNCWORD of two (section 16.1).
    fn waveform(&self) -> Waveform {
        let bytes = 3 + u64::from(self.reg(regs::MDMCTRL0) & regs::mdmctrl0::PREAMBLE_LENGTH);
        let sync_is_standard = self.reg(regs::SYNCWORD) >> 8 == 0xA7;
        Waveform {
            modulation: if sync_is_standard {
                Modulation::Oqpsk
            } else {
                Modulation::Noise
            },
            centre_khz: 1000 * (2048 + u32::from(self.reg(regs::FSCTRL) & regs::fsctrl::FREQ)),
            shr_ps: bytes * BYTE_PS,
            ..Waveform::oqpsk(11)
        }
    }

    fn at(&mut self, t_ps: u64, kind: Kind) {
        let index = self.events.partition_point(|event| event.0 <= t_ps);
        self.events.insert(index, (t_ps, kind));
    }

    /// The edge of the crystal that comes a time after what happens now.
    fn later(&self, delay_ps: u64) -> u64 {
        self.oscillator.later(self.now_ps, delay_ps)
    }

    /// When the receiver has what is in the air at an instant.
    fn heard(&self, air_ps: u64) -> u64 {
        self.oscillator.edge(air_ps + timing::RX_DELAY)
    }

    fn after(&mut self, delay_ps: u64, kind: Kind) {
        self.at(self.later(delay_ps), kind);
    }

    fn cancel(&mut self, unwanted: impl Fn(Kind) -> bool) {
        self.events.retain(|event| !unwanted(event.1));
    }

    fn handle(&mut self, kind: Kind) {
        match kind {
            Kind::VregUp => self.vreg_up = true,
            Kind::XoscStable => self.xosc_started(),
            Kind::RxOn => self.receiver_on(),
            Kind::Locked => self.locked = true,
            Kind::TxAnnounce(start_ps) => self.announce(start_ps),
            Kind::TxPreamble => self.preamble(),
            Kind::TxSfd => self.sfd_sent(),
            Kind::TxFetch => self.fetch(),
            Kind::TxEnd => self.frame_sent(),
            Kind::Sync(start_ps) => self.sync(start_ps),
            Kind::RxByte(index) => self.byte(index),
            Kind::RxWaitEnd => self.search(),
            Kind::Cca => self.cca_event(),
        }
    }

    fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        self.notes.push((key, text()));
    }
}

impl Radio for Cc2420 {
    type Input = Input;
    type Output = Output;

    fn input(&mut self, pin: Input, level: bool, t_ps: u64) {
        self.advance(t_ps);
        match pin {
            Input::Csn => self.port = if level { Port::Idle } else { Port::Address },
            Input::VregEn => self.set_vreg_en(level),
            Input::Resetn => self.set_resetn(level),
        }
    }

    fn spi_out(&mut self, t_ps: u64) -> Option<u8> {
        self.advance(t_ps);
        self.shift_out()
    }

    fn spi_in(&mut self, byte: u8, t_ps: u64) {
        self.advance(t_ps);
        self.shift_in(byte);
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
        let start_ps = match (self.ether.receive_signal(message, link), &message.signal) {
            (Some(start_ps), Signal::Start { waveform, ppb, .. }) => {
                let sync_ps = self.heard(start_ps + lasting_ps(waveform.shr_ps, *ppb));
                let already = self.events.contains(&(sync_ps, Kind::Sync(start_ps)));
                if !already {
                    self.at(sync_ps, Kind::Sync(start_ps));
                }
                start_ps
            }
            _ => return,
        };
        self.watch_cca(start_ps);
        self.ether.prune(self.now_ps);
    }

    fn take_pins(&mut self, into: &mut Vec<PinChange<Output>>) {
        into.append(&mut self.changes);
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
