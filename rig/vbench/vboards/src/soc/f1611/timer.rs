//! Timer_A3 and Timer_B7 (SLAU049F chapters 11 and 12).
//!
//! The counter is brought up to date when it is read ([`Timer::sync`]) or when something that shows falls due.
//! Not modelled: TBCLGRP (grouped latches), the external clocks TACLK, TBCLK and INCLK (the counter stands).

use super::clocks::{Clocks, Source};

/// Bits of TxCTL.
const CLR: u16 = 1 << 2;
const IE: u16 = 1 << 1;
const IFG: u16 = 1 << 0;
/// Bits of TxCCTLn.
const CCIFG: u16 = 1 << 0;
const COV: u16 = 1 << 1;
const OUT: u16 = 1 << 2;
const CCI: u16 = 1 << 3;
const CCIE: u16 = 1 << 4;
const CAP: u16 = 1 << 8;
/// SCCI of Timer_A, read only; CLLD of Timer_B lies at bits 9 and 10.
const SCCI: u16 = 1 << 10;
const SCS: u16 = 1 << 11;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    A,
    B,
}

/// One capture/compare block.
#[derive(Clone, Debug, Default)]
struct Block {
    control: u16,
    /// TxCCRn.
    value: u16,
    /// What the counter is compared with: TBCLn of Timer_B, TxCCRn of Timer_A.
    latch: u16,
    /// A captured value has not been read yet.
    unread: bool,
    /// Level of the output unit.
    out: bool,
    /// Levels of the inputs CCInA and CCInB.
    inputs: [bool; 2],
}

impl Block {
    fn mode(&self) -> u16 {
        self.control >> 5 & 7
    }

    fn captures(&self) -> bool {
        self.control & CAP != 0
    }

    /// Level of the input that CCIS selects: A, B, GND, VCC.
    fn input(&self) -> bool {
        match self.control >> 12 & 3 {
            0 => self.inputs[0],
            1 => self.inputs[1],
            2 => false,
            _ => true,
        }
    }

    /// Whether CM takes an edge.
    fn takes(&self, rising: bool) -> bool {
        self.captures() && self.control >> 14 & (if rising { 1 } else { 2 }) != 0
    }
}

/// A timer with three or seven blocks.
#[derive(Clone, Debug)]
pub struct Timer {
    model: Model,
    control: u16,
    count: u16,
    /// Up/down mode counts down.
    down: bool,
    /// Tick of the source at which `count` was valid, and the ticks since then that the divider holds.
    tick: u64,
    held: u64,
    blocks: Vec<Block>,
    /// Blocks whose output has changed since it was asked for.
    pub out_changed: u16,
    /// Blocks whose flag the DMA waits for.
    pub watched: u16,
}

impl Timer {
    pub fn new(model: Model) -> Timer {
        Timer {
            model,
            control: 0,
            count: 0,
            down: false,
            tick: 0,
            held: 0,
            blocks: vec![Block::default(); if model == Model::A { 3 } else { 7 }],
            out_changed: 0,
            watched: 0,
        }
    }

    pub fn source(&self) -> Source {
        match self.control >> 8 & 3 {
            1 => Source::Aclk,
            2 => Source::Smclk,
            _ => Source::None,
        }
    }

    fn divider(&self) -> u64 {
        1 << (self.control >> 6 & 3)
    }

    fn mode(&self) -> u16 {
        self.control >> 4 & 3
    }

    /// Highest count: 16 bit, or 12, 10, 8 by CNTL of Timer_B.
    fn most(&self) -> u16 {
        match (self.model, self.control >> 11 & 3) {
            (Model::B, 1) => 0x0FFF,
            (Model::B, 2) => 0x03FF,
            (Model::B, 3) => 0x00FF,
            _ => 0xFFFF,
        }
    }

    /// The count at which up mode turns.
    fn top(&self) -> u16 {
        match self.mode() {
            2 => self.most(),
            _ => self.blocks[0].latch.min(self.most()),
        }
    }

    fn counts(&self) -> bool {
        match self.mode() {
            0 => false,
            2 => true,
            _ => self.blocks[0].latch != 0,
        }
    }

    // ---- Time

    /// Takes `ps` as the present without counting up to it: after a change of clocks.
    pub fn anchor(&mut self, clocks: &Clocks, ps: u64) {
        self.tick = clocks.ticks(self.source(), ps).saturating_sub(self.held);
    }

    /// Counts up to `ps`.
    pub fn sync(&mut self, clocks: &Clocks, ps: u64) {
        let now = clocks.ticks(self.source(), ps);
        if !self.counts() {
            self.tick = now;
            return;
        }
        let mut left = now.saturating_sub(self.tick) / self.divider();
        self.tick += left * self.divider();
        self.held = now.saturating_sub(self.tick);
        while left > 0 {
            let step = self.distance(false).min(left);
            self.count_on(step);
            left -= step;
        }
    }

    /// Counts of the counter until something happens; `visible` leaves out what shows only to who reads a register.
    fn distance(&self, visible: bool) -> u64 {
        let mut nearest = u64::MAX;
        for (index, block) in self.blocks.iter().enumerate() {
            let shows = block.control & CCIE != 0
                || block.mode() != 0
                || self.watched >> index & 1 == 1
                || index == 0 && self.zero_matters();
            if !block.captures() && (!visible || shows) {
                nearest = nearest.min(self.counts_to(block.latch));
            }
        }
        if !visible || self.control & IE != 0 || self.zero_matters() {
            nearest = nearest.min(self.counts_to(0));
        }
        if !visible && self.mode() != 2 {
            nearest = nearest.min(self.counts_to(self.top()));
        }
        nearest
    }

    /// Some output is reset with block 0.
    fn zero_matters(&self) -> bool {
        self.blocks[1..]
            .iter()
            .any(|block| matches!(block.mode(), 2 | 3 | 6 | 7))
    }

    /// Counts until the counter reads `value`, from one on; `u64::MAX` for never.
    fn counts_to(&self, value: u16) -> u64 {
        let (count, value, top) = (u64::from(self.count), u64::from(value), u64::from(self.top()));
        if value > u64::from(self.most()) {
            return u64::MAX;
        }
        if self.mode() == 3 {
            // Up and down again: 0, 1 .. top .. 1, a turn of 2 top counts.
            if value > top {
                return u64::MAX;
            }
            let turn = 2 * top;
            let at = if self.down { turn - count } else { count };
            let first = (value + turn - at % turn) % turn;
            let second = (turn - value + turn - at % turn) % turn;
            let ahead = |distance: u64| if distance == 0 { turn } else { distance };
            return ahead(first).min(ahead(second));
        }
        let turn = top + 1;
        if count > top {
            // The top was moved below the counter: it continues to 0 (SLAU049F 11.2.3).
            return 1 + value;
        }
        if value > top {
            return u64::MAX;
        }
        let distance = (value + turn - count) % turn;
        if distance == 0 {
            turn
        } else {
            distance
        }
    }

    /// Lets the counter advance by `step`, no further than to the next thing that happens, which happens.
    fn count_on(&mut self, step: u64) {
        let top = self.top();
        if self.mode() == 3 {
            let turn = 2 * u64::from(top);
            let at = if self.down {
                turn - u64::from(self.count)
            } else {
                u64::from(self.count)
            };
            let at = (at + step) % turn;
            self.down = at >= u64::from(top);
            self.count = if self.down { turn - at } else { at } as u16;
        } else if self.count > top {
            self.count = (step - 1) as u16;
        } else {
            self.count = ((u64::from(self.count) + step) % (u64::from(top) + 1)) as u16;
        }
        self.arrived();
    }

    /// The counter has a new value: compares, outputs, overflow.
    fn arrived(&mut self) {
        let count = self.count;
        let zero = count == 0;
        if zero {
            self.control |= IFG;
            self.down = false;
        }
        let equal0 = !self.blocks[0].captures() && self.blocks[0].latch == count;
        for index in 0..self.blocks.len() {
            let up = !self.down;
            let block = &mut self.blocks[index];
            let equal = !block.captures() && block.latch == count;
            if equal {
                block.control |= CCIFG;
                if block.input() {
                    block.control |= SCCI;
                } else {
                    block.control &= !SCCI;
                }
            }
            let before = block.out;
            match block.mode() {
                1 if equal => block.out = true,
                2 if equal => block.out = !block.out,
                3 if equal => block.out = true,
                4 if equal => block.out = !block.out,
                5 if equal => block.out = false,
                6 if equal => block.out = !block.out,
                7 if equal => block.out = false,
                2 | 3 if equal0 && index > 0 => block.out = false,
                6 | 7 if equal0 && index > 0 => block.out = true,
                _ => {}
            }
            if block.out != before {
                self.out_changed |= 1 << index;
            }
            if self.model == Model::B && !block.captures() {
                let load = match block.control >> 9 & 3 {
                    0 => false,
                    1 => zero,
                    2 => zero || self.control >> 4 & 3 == 3 && !up,
                    _ => equal,
                };
                if load {
                    block.latch = block.value;
                }
            }
        }
    }

    /// Instant of the next thing that shows without anybody reading a register.
    pub fn next_event_ps(&self, clocks: &Clocks) -> u64 {
        if !self.counts() {
            return u64::MAX;
        }
        match self.distance(true) {
            u64::MAX => u64::MAX,
            distance => clocks.known(
                self.source(),
                clocks.instant(self.source(), self.tick + distance * self.divider()),
            ),
        }
    }

    // ---- Inputs

    /// Some block captures on its input A (0) or B (1).
    pub fn captures_on(&self, block: usize, input: u16) -> bool {
        let block = &self.blocks[block];
        block.captures() && block.control >> 14 != 0 && block.control >> 12 & 3 == input
    }

    /// An input of a block has a new level. The counter must be in sync.
    pub fn set_input(&mut self, block: usize, input: usize, level: bool) {
        let before = self.blocks[block].input();
        self.blocks[block].inputs[input] = level;
        self.input_changed(block, before);
    }

    fn input_changed(&mut self, index: usize, before: bool) {
        let level = self.blocks[index].input();
        if level != before && self.blocks[index].takes(level) {
            self.capture(index);
        }
    }

    /// Takes the count. A synchronised capture (SCS) falls on the next tick of the timer's clock (SLAU049F 11.2.4).
    pub fn capture(&mut self, index: usize) {
        let next = self.count.wrapping_add(1) & self.most();
        let count = self.count;
        let block = &mut self.blocks[index];
        block.value = if block.control & SCS != 0 { next } else { count };
        if block.unread {
            block.control |= COV;
        }
        block.unread = true;
        block.control |= CCIFG;
    }

    /// CCIFG of a block as a trigger of the DMA: not while it asks for an interrupt.
    pub fn triggers(&self, block: usize) -> bool {
        self.blocks[block].control & (CCIE | CCIFG) == CCIFG
    }

    pub fn acknowledge(&mut self, block: usize) {
        self.blocks[block].control &= !CCIFG;
    }

    /// Output of a block.
    pub fn out(&self, block: usize) -> bool {
        self.blocks[block].out
    }

    // ---- Interrupts

    /// Request of block 0.
    pub fn request0(&self) -> bool {
        self.blocks[0].control & (CCIE | CCIFG) == CCIE | CCIFG
    }

    /// Number in the vector register of the highest request of the others: 2 per block, then the overflow.
    fn vector(&self) -> u16 {
        for (index, block) in self.blocks.iter().enumerate().skip(1) {
            if block.control & (CCIE | CCIFG) == CCIE | CCIFG {
                return 2 * index as u16;
            }
        }
        match (self.control & (IE | IFG) == IE | IFG, self.model) {
            (false, _) => 0,
            (true, Model::A) => 10,
            (true, Model::B) => 14,
        }
    }

    pub fn request1(&self) -> bool {
        self.vector() != 0
    }

    /// The request of block 0 is taken: its flag is reset.
    pub fn accepted0(&mut self) {
        self.blocks[0].control &= !CCIFG;
    }

    /// TAIV, TBIV: any access resets the highest flag (SLAU049F 11.2.6).
    pub fn take_vector(&mut self) -> u16 {
        let vector = self.vector();
        match (vector, self.model) {
            (0, _) => {}
            (10, Model::A) | (14, Model::B) => self.control &= !IFG,
            _ => self.blocks[usize::from(vector / 2)].control &= !CCIFG,
        }
        vector
    }

    // ---- Registers, by offset from TxCTL: 0, 2 + 2 n, 0x10, 0x12 + 2 n

    pub fn read(&mut self, offset: u16) -> u16 {
        match offset {
            0 => self.control,
            0x10 => self.count,
            0x02..=0x0E => match self.blocks.get(usize::from(offset / 2 - 1)) {
                Some(block) => {
                    block.control & !(CCI | OUT) | (if block.input() { CCI } else { 0 }) | self.out_bit(block)
                }
                None => 0,
            },
            _ => match self.blocks.get_mut(usize::from((offset - 0x12) / 2)) {
                Some(block) => {
                    block.unread = false;
                    block.value
                }
                None => 0,
            },
        }
    }

    fn out_bit(&self, block: &Block) -> u16 {
        if block.control & OUT != 0 {
            OUT
        } else {
            0
        }
    }

    /// The counter must be in sync; `clocks` and `ps` serve a change of the clock.
    pub fn write(&mut self, offset: u16, value: u16, clocks: &Clocks, ps: u64) {
        match offset {
            0 => {
                self.control = value & !CLR;
                if value & CLR != 0 {
                    // TACLR resets the counter, the divider and the direction (SLAU049F 11.2.1).
                    self.count = 0;
                    self.held = 0;
                    self.down = false;
                }
                self.anchor(clocks, ps);
            }
            0x10 => self.count = value & self.most(),
            0x02..=0x0E => self.write_control(usize::from(offset / 2 - 1), value),
            _ => {
                let index = usize::from((offset - 0x12) / 2);
                let at_once = self.model == Model::A || self.control >> 4 & 3 == 0;
                if let Some(block) = self.blocks.get_mut(index) {
                    block.value = value;
                    if at_once || block.control >> 9 & 3 == 0 {
                        block.latch = value;
                    }
                }
            }
        }
    }

    fn write_control(&mut self, index: usize, value: u16) {
        let keep = if self.model == Model::A { SCCI } else { 0 };
        let block = match self.blocks.get_mut(index) {
            Some(block) => block,
            None => return,
        };
        let before = block.input();
        block.control = block.control & keep | value & !(keep | CCI);
        if block.mode() == 0 && block.out != (value & OUT != 0) {
            block.out = value & OUT != 0;
            self.out_changed |= 1 << index;
        }
        self.input_changed(index, before); // switching CCIS between GND and VCC captures (SLAU049F 11.2.4)
    }

    /// PUC does not touch the timer's registers, POR clears them (SLAU049F 11.3): here a reset clears them.
    pub fn reset(&mut self) {
        let inputs: Vec<[bool; 2]> = self.blocks.iter().map(|block| block.inputs).collect();
        *self = Timer::new(self.model);
        for (block, inputs) in self.blocks.iter_mut().zip(inputs) {
            block.inputs = inputs;
        }
    }
}
