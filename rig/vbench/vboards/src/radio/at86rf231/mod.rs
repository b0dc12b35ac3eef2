//! Atmel AT86RF231: 2.4 GHz IEEE 802.15.4 transceiver with an SPI and the pins /SEL, IRQ, SLP_TR, /RST and DIG2.
//!
//! Basic and extended operating mode (RX_AACK with slotted acknowledgements, TX_ARET with CSMA-CA), the _NOCLK states,
//! high data rates, frame buffer empty indicator, time stamp, RX/TX indicator and antenna switch. Not modelled: AES,
//! antenna diversity (the antenna is the one that ANT_CTRL names, or 0), the edges of CLKM.

mod frame;
mod outgoing;
mod pins;
mod regs;
mod rx;
mod spi;
mod state;
mod timing;
mod tx;

pub use regs::State;

use super::oscillator::Oscillator;
use super::{PinChange, Radio};
use crate::air::{Ether, Link, Message, Signal, Waveform, BYTE_PS};
use regs::{ctrl_1, trac};
use spi::Port;

/// Pins that the chip drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Irq,
    /// Antenna switch, with DIG2.
    Dig1,
    /// Time stamp of received frames, or antenna switch.
    Dig2,
    /// RX/TX indicator.
    Dig3,
    Dig4,
}

/// Pins that it listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// /SEL, low while an SPI access lasts.
    Sel,
    SlpTr,
    /// /RST.
    Rstn,
}

/// PHR, 127 bytes, LQI.
const BUFFER_BYTES: usize = 129;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A state transition is complete.
    Settled(State),
    /// Interrupt bits become visible.
    Irq(u8),
    Dig2(bool),
    /// The SHR of the own frame is over, its length is taken from the frame buffer.
    TxBody,
    /// The transmission overtakes a frame buffer write.
    TxUnderrun,
    TxEnd,
    CcaEnd,
    AckTimeout,
    /// Slotted operation: SLP_TR may start the ACK.
    SlotReady,
    /// A byte of the frame being read arrives.
    Byte,
    /// The own ACK is over.
    AackDone,
    ManualCcaEnd,
    ManualEdEnd,
    /// The SHR of a carrier that began at this instant is over here.
    Sync(u64),
    Phr,
    Header,
    RxEnd,
}

impl Kind {
    /// Whether it belongs to what the chip was doing, and ends when that is interrupted.
    fn is_activity(self) -> bool {
        !matches!(self, Kind::Irq(_) | Kind::Dig2(_) | Kind::Sync(_))
    }
}

/// One transceiver.
pub struct At86rf231 {
    seed: u64,
    board: u16,
    oscillator: Oscillator,
    powered_ps: u64,
    regs: [u8; 64],
    buffer: [u8; BUFFER_BYTES],
    state: State,
    /// State that a running transition leads to.
    target: Option<State>,
    /// Command that waits until the chip is no longer busy.
    deferred: Option<u8>,
    trac: u8,
    port: Port,
    selected: bool,
    slp_tr: bool,
    rstn: bool,
    /// Levels of the pins, in the order of [`pins::OUTPUTS`].
    levels: [bool; 5],
    /// DIG2 as a time stamp.
    stamp: bool,
    /// SLP_TR holds a receive state without CLKM.
    noclk: bool,
    /// Slotted operation: the ACK that waits for SLP_TR.
    slotted_ack: Option<[u8; 5]>,
    irq_status: u8,
    events: Vec<(u64, Kind)>,
    now_ps: u64,
    ether: Ether,
    rx: Option<rx::Reception>,
    listening_since: Option<u64>,
    /// Before this the receiver is not settled.
    rx_ready_ps: u64,
    rx_crc_valid: bool,
    /// RX_SAFE_MODE holds the frame buffer.
    guarded: bool,
    tx: Option<tx::Sending>,
    aret: Option<tx::Transaction>,
    frames_sent: u32,
    backoffs_drawn: u64,
    noise_drawn: u64,
    cca_done: bool,
    cca_idle: bool,
    pins: Vec<PinChange<Output>>,
    outbox: Vec<Message>,
    notes: Vec<(u32, String)>,
}

impl At86rf231 {
    /// A chip that got its supply at instant 0. Draws depend on the seed of the run and on the board.
    pub fn new(seed: u64, board: u16) -> At86rf231 {
        let mut radio = At86rf231 {
            seed,
            board,
            oscillator: Oscillator::default(),
            powered_ps: 0,
            regs: [0; 64],
            buffer: [0; BUFFER_BYTES],
            state: State::POn,
            target: None,
            deferred: None,
            trac: trac::SUCCESS,
            port: Port::Idle,
            selected: false,
            slp_tr: false,
            rstn: true,
            levels: [false; 5],
            stamp: false,
            noclk: false,
            slotted_ack: None,
            irq_status: 0,
            events: Vec::new(),
            now_ps: 0,
            ether: Ether::new(seed, board),
            rx: None,
            listening_since: None,
            rx_ready_ps: 0,
            rx_crc_valid: false,
            guarded: false,
            tx: None,
            aret: None,
            frames_sent: 0,
            backoffs_drawn: 0,
            noise_drawn: 0,
            cca_done: false,
            cca_idle: false,
            pins: pins::OUTPUTS
                .iter()
                .map(|&pin| PinChange {
                    t_ps: 0,
                    pin,
                    level: false,
                })
                .collect(),
            outbox: Vec::new(),
            notes: Vec::new(),
        };
        radio.load_reset_values();
        radio
    }

    /// The same chip, with its supply from `t_ps` on.
    pub fn powered_at(mut self, t_ps: u64) -> At86rf231 {
        self.powered_ps = t_ps;
        self.now_ps = t_ps;
        self.pins.iter_mut().for_each(|change| change.t_ps = t_ps);
        self
    }

    /// The same chip on a crystal that is not exact.
    pub fn clocked_by(mut self, oscillator: Oscillator) -> At86rf231 {
        self.oscillator = oscillator;
        self
    }

    fn load_reset_values(&mut self) {
        self.regs = [0; 64];
        for &(register, value) in regs::RESET.iter() {
            self.regs[usize::from(register)] = value;
        }
    }

    fn reg(&self, register: u8) -> u8 {
        self.regs[usize::from(register)]
    }

    fn channel(&self) -> u8 {
        self.reg(regs::PHY_CC_CCA) & 0x1F
    }

    fn waveform(&self) -> Waveform {
        Waveform {
            byte_ps: self.byte_ps(),
            ..Waveform::oqpsk(self.channel())
        }
    }

    /// A byte of the PSDU at 250, 500, 1000 or 2000 kb/s; SHR and PHR always go at 250 (11.3).
    fn byte_ps(&self) -> u64 {
        BYTE_PS >> (self.reg(regs::TRX_CTRL_2) & 3)
    }

    /// Frequency at pin CLKM now; 0 for none.
    pub fn clkm_hz(&self) -> u64 {
        if self.noclk || matches!(self.state, State::Sleep | State::Reset) {
            return 0;
        }
        regs::CLKM_HZ[usize::from(self.reg(regs::TRX_CTRL_0) & 7)]
    }

    /// State as TRX_STATUS would show it.
    pub fn state(&self) -> State {
        self.state
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
            Kind::Settled(state) => self.settled(state),
            Kind::Irq(bits) => self.raise(bits),
            Kind::Dig2(level) => self.stamp(level),
            Kind::TxBody => self.tx_body(),
            Kind::TxUnderrun => self.tx_underrun(),
            Kind::TxEnd => self.tx_end(),
            Kind::CcaEnd => self.cca_end(),
            Kind::AckTimeout => self.ack_timeout(),
            Kind::AackDone => self.aack_done(),
            Kind::SlotReady => self.trac = trac::SUCCESS_WAIT_FOR_ACK,
            Kind::Byte => self.update_pins(),
            Kind::ManualCcaEnd => self.manual_cca_end(),
            Kind::ManualEdEnd => self.manual_ed_end(),
            Kind::Sync(start_ps) => self.sync(start_ps),
            Kind::Phr => self.phr(),
            Kind::Header => self.header(),
            Kind::RxEnd => self.rx_end(),
        }
    }

    /// Interrupt that shows after the latency tIRQ.
    fn interrupt(&mut self, bits: u8) {
        self.after(timing::IRQ, Kind::Irq(bits));
    }

    /// 6.6: a masked event shows in IRQ_STATUS only with IRQ_MASK_MODE set, and never on the pin.
    fn raise(&mut self, bits: u8) {
        let shown = self.reg(regs::TRX_CTRL_1) & ctrl_1::IRQ_MASK_MODE != 0;
        self.irq_status |= if shown { bits } else { bits & self.reg(regs::IRQ_MASK) };
        self.update_pins();
    }

    fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        self.notes.push((key, text()));
    }
}

impl Radio for At86rf231 {
    type Input = Input;
    type Output = Output;

    fn input(&mut self, pin: Input, level: bool, t_ps: u64) {
        match pin {
            Input::Sel => self.set_sel(level, t_ps),
            Input::SlpTr => self.set_slp_tr(level, t_ps),
            Input::Rstn => self.set_rstn(level, t_ps),
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
            let shr_ps = carrier.map_or(start_ps, |carrier| carrier.at_ps(crate::air::SHR_PS));
            let sync = (self.oscillator.edge(shr_ps), Kind::Sync(start_ps));
            if !self.events.contains(&sync) {
                self.at(sync.0, sync.1);
            }
        }
        if !matches!(message.signal, Signal::Start { .. }) {
            return;
        }
        self.ether.prune(self.now_ps);
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
