//! The lines of a USART (RM0008 chapter 27, RM0351 chapter 40): frames go over the pins bit by bit. The families differ
//! in registers and flags, and in what their bits are counted in: cycles of HCLK, or picoseconds of a kernel clock.

use crate::clock::Clock;
use std::collections::VecDeque;

/// What an event of a USART means for the chip around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The TX line has a new level.
    TxLevel(bool),
    /// The RX line has a new level, driven from outside.
    RxLevel(bool),
    /// The stop bits of a byte are over.
    Sent(u8),
}

/// When the bits of a frame begin.
pub trait Boundaries {
    fn start_of(&self, bit: u32) -> u64;
}

/// Bits of a fixed number of cycles.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    pub start: u64,
    pub per_bit: u64,
}

impl Boundaries for Cycles {
    fn start_of(&self, bit: u32) -> u64 {
        self.start + u64::from(bit) * self.per_bit
    }
}

/// A clock that ticks once a bit.
impl Boundaries for Clock {
    fn start_of(&self, bit: u32) -> u64 {
        self.ps(u64::from(bit))
    }
}

/// The data bits of a frame: `places` of them, the last one a parity bit if there is one.
pub fn data_bits(data: u16, places: u32, parity_is_odd: Option<bool>) -> u32 {
    let bits = u32::from(data) & ((1 << places) - 1);
    match parity_is_odd {
        None => bits,
        Some(is_odd) => {
            let below = bits & ((1 << (places - 1)) - 1);
            let parity = (below.count_ones() & 1 == 1) != is_odd;
            below | u32::from(parity) << (places - 1)
        }
    }
}

/// A frame on a line: start bit, data, stop bits.
#[derive(Clone, Debug)]
pub struct Frame<B> {
    boundaries: B,
    byte: u8,
    data: u32,
    /// Levels, first bit lowest; bits beyond `length` do not exist.
    bits: u32,
    length: u32,
    /// Next bit boundary to look at, and when it is.
    next: u32,
    next_at: u64,
}

impl<B: Boundaries> Frame<B> {
    /// A frame of `places` data bits, parity included, that carries `byte`.
    pub fn new(boundaries: B, byte: u8, data: u32, places: u32, stops: u32) -> Frame<B> {
        let next_at = boundaries.start_of(0);
        Frame {
            boundaries,
            byte,
            data,
            bits: data << 1 | ((1 << stops) - 1) << (1 + places),
            length: 1 + places + stops,
            next: 0,
            next_at,
        }
    }

    fn level(&self, bit: u32) -> bool {
        self.bits >> bit & 1 == 1
    }

    /// Level at present: that of the bit before the next boundary.
    pub fn level_now(&self) -> bool {
        self.next == 0 || self.level(self.next - 1)
    }

    fn duration(&self) -> u64 {
        self.boundaries.start_of(self.length) - self.boundaries.start_of(0)
    }

    /// The level from here on; None at the end of the frame.
    fn advance(&mut self) -> Option<bool> {
        if self.next >= self.length {
            return None;
        }
        let level = self.level(self.next);
        self.next += 1;
        while self.next < self.length && self.level(self.next) == level {
            self.next += 1;
        }
        self.next_at = self.boundaries.start_of(self.next);
        Some(level)
    }
}

/// What has happened on the lines, for the flags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fired {
    /// RX has been idle for a frame.
    pub idle: bool,
    /// A frame has been sent; the next one, if there is one, starts now.
    pub sent: bool,
    /// Data of a frame that has arrived, and how long the frame was.
    pub received: Option<(u16, u64)>,
}

/// TX and RX of one USART.
#[derive(Clone, Debug)]
pub struct Lines<B> {
    pub holding: Option<u16>,
    pub tx: Option<Frame<B>>,
    /// After TE is set an idle frame goes out first.
    pub tx_ready: u64,
    pub rx: Option<Frame<B>>,
    incoming: VecDeque<u8>,
    pub idle_at: Option<u64>,
    /// Bytes that arrived while the receiver was off.
    pub unheard: u64,
}

impl<B> Default for Lines<B> {
    fn default() -> Lines<B> {
        Lines {
            holding: None,
            tx: None,
            tx_ready: 0,
            rx: None,
            incoming: VecDeque::new(),
            idle_at: None,
            unheard: 0,
        }
    }
}

impl<B: Boundaries> Lines<B> {
    /// After a reset by RCC: what is on the wire continues.
    pub fn after_reset(&mut self) -> Lines<B> {
        Lines {
            rx: self.rx.take(),
            incoming: std::mem::take(&mut self.incoming),
            unheard: self.unheard,
            ..Lines::default()
        }
    }

    /// Adds bytes from outside; true if the line is free for the first of them.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        self.incoming.extend(bytes);
        self.rx.is_none()
    }

    /// Starts the frame of the next byte from outside, if there is one.
    pub fn next_incoming(&mut self, frame: impl FnOnce(u8) -> Option<Frame<B>>) {
        self.rx = self.incoming.pop_front().and_then(frame);
        if self.rx.is_some() {
            self.idle_at = None;
        }
    }

    /// Next edge of a frame from outside.
    pub fn next_arrival(&self) -> Option<u64> {
        self.rx.as_ref().map(|frame| frame.next_at)
    }

    pub fn next_event(&self) -> Option<u64> {
        let tx = self.tx.as_ref().map(|frame| frame.next_at);
        [tx, self.next_arrival(), self.idle_at].iter().flatten().copied().min()
    }

    /// Level of the TX line.
    pub fn tx_level(&self) -> bool {
        self.tx.as_ref().map_or(true, Frame::level_now)
    }

    /// Handles what is due by `now`, which is in the unit of the boundaries.
    pub fn fire(&mut self, now: u64, effects: &mut Vec<Effect>) -> Fired {
        let mut fired = Fired::default();
        if self.idle_at.map_or(false, |at| at <= now) {
            self.idle_at = None;
            fired.idle = true;
        }
        if let Some(frame) = self.tx.as_mut().filter(|frame| frame.next_at <= now) {
            match frame.advance() {
                Some(level) => effects.push(Effect::TxLevel(level)),
                None => {
                    effects.push(Effect::Sent(frame.byte));
                    self.tx = None;
                    fired.sent = true;
                }
            }
        }
        if let Some(frame) = self.rx.as_mut().filter(|frame| frame.next_at <= now) {
            match frame.advance() {
                Some(level) => effects.push(Effect::RxLevel(level)),
                None => {
                    fired.received = Some((frame.data as u16, frame.duration()));
                    self.rx = None;
                }
            }
        }
        fired
    }
}

impl Lines<Cycles> {
    /// The chip's clock stood still: what it was sending continues later.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some(frame) = self.tx.as_mut() {
            frame.boundaries.start += cycles;
            frame.next_at += cycles;
        }
        self.tx_ready += cycles;
        self.idle_at = self.idle_at.map(|at| at + cycles);
    }
}
