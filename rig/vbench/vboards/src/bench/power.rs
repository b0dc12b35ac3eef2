//! The supply of the boards: when they get it, and when it fails.
//!
//! A brown-out takes the board off the bench and puts a new one of the same parts in its place, whose clock starts when
//! the supply is back. Its flash is kept, its RAM holds anything (drawn from the seed). Without supply all nets are low.

use super::{Bench, Seat};
use crate::air::{Message, Signal, REACTION_PS};
use crate::board::{self, Board, Parts, Statistics};
use crate::clock::ClockSpec;
use crate::exact::Exact;
use crate::log::Entry;
use crate::radio::StartUp;
use crate::rng::{draw, Purpose};
use crate::soc::nrf52840::BuildCode;
use crate::timing_changes::TimingChanges;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// Frames of a later life of a board must not look like those of an earlier one.
const FRAMES_PER_LIFE_BITS: u32 = 24;

/// The supply of a board fails at `at_ps`, and is back `off_ps` later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrownOut {
    pub board: usize,
    pub at_ps: u64,
    pub off_ps: u64,
}

/// What a board is made from, for the next time.
pub(super) struct Recipe {
    pub kind: String,
    pub image_name: String,
    pub image: Vec<u8>,
    pub clock: ClockSpec,
    pub strict: bool,
    pub timing: TimingChanges,
    pub radio_start: StartUp,
    pub build_code: BuildCode,
    pub exact: Exact,
}

impl Recipe {
    pub(super) fn make(&self, seed: u64, board: u16) -> Result<Box<dyn Board>, String> {
        let parts = Parts {
            seed,
            board,
            image_name: &self.image_name,
            image: &self.image,
            clock: self.clock.clone(),
            strict: self.strict,
            timing: self.timing.clone(),
            radio_start: self.radio_start,
            build_code: self.build_code,
            exact: self.exact,
        };
        board::make(&self.kind, &parts)
    }
}

/// What outlives a board's supply.
#[derive(Default)]
pub(super) struct Past {
    pub lives: u32,
    pub log: Vec<Entry>,
    pub statistics: Statistics,
    pub watched: Vec<Pin>,
    /// The last frame it sent, and how strong.
    pub frame: Option<(u32, i32)>,
}

impl Past {
    /// The number that the air knows a frame by.
    pub(super) fn frame_number(&self, frame: u32) -> u32 {
        self.lives << FRAMES_PER_LIFE_BITS | frame & ((1 << FRAMES_PER_LIFE_BITS) - 1)
    }
}

/// Edges from one set of levels to another.
fn edges_to(board: u16, t_ps: u64, from: &[u16], to: &[u16]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (port, (&from, &to)) in from.iter().zip(to).enumerate() {
        for bit in (0..16).filter(|bit| (from ^ to) >> bit & 1 == 1) {
            edges.push(Edge {
                t_ps,
                board,
                pin: (port as Pin) << 4 | bit,
                level: to >> bit & 1 == 1,
            });
        }
    }
    edges
}

fn nets(board: &dyn Board) -> Vec<u16> {
    (0..board.ports()).map(|port| board.net(port)).collect()
}

impl Seat {
    /// A seat with a board that gets its supply when its clock starts.
    pub(super) fn new(recipe: Recipe, mut board: Box<dyn Board>, number: u16) -> Seat {
        let (mut levels, start_ps) = (nets(board.as_ref()), recipe.clock.start_ps);
        if start_ps > 0 {
            let off = vec![0; levels.len()];
            *board.edges() = edges_to(number, start_ps, &off, &levels).into();
            levels = off;
        }
        Seat {
            board,
            connector: None,
            levels,
            recipe,
            past: Past::default(),
        }
    }
}

impl Bench {
    /// Plans a fault of a board's supply.
    pub fn brown_out(&mut self, fault: BrownOut) -> Result<(), String> {
        self.check(fault.board)?;
        if fault.at_ps < self.now_ps || fault.off_ps == 0 {
            return Err(format!(
                "a brown-out at {} ps for {} ps: it must be after now ({} ps) and longer than 0",
                fault.at_ps, fault.off_ps, self.now_ps
            ));
        }
        let at = self.brown_outs.iter().position(|known| known.at_ps > fault.at_ps);
        self.brown_outs.insert(at.unwrap_or(self.brown_outs.len()), fault);
        Ok(())
    }

    /// When the next planned fault is; no board may run beyond it.
    pub(super) fn next_fault_ps(&self) -> u64 {
        self.brown_outs.front().map_or(u64::MAX, |fault| fault.at_ps)
    }

    /// The next planned fault happens; every board has come as far.
    pub(super) fn strike(&mut self) -> Result<(), String> {
        let fault = match self.brown_outs.pop_front() {
            Some(fault) => fault,
            None => return Ok(()),
        };
        let (index, number) = (fault.board, fault.board as u16);
        if let Some((frame, _)) = self.seats[index].past.frame {
            // The amplifier fades with its supply: unverified, see the same at the radios' forced ends.
            let end_ps = fault.at_ps + REACTION_PS;
            self.messages.push(Message {
                source: number,
                frame,
                signal: Signal::Cut { end_ps },
            });
            self.exchange();
        }
        let seat = &mut self.seats[index];
        seat.recipe.clock.start_ps = fault.at_ps + fault.off_ps;
        let made = seat.recipe.make(self.seed, number)?;
        let mut old = std::mem::replace(&mut seat.board, made);
        let old_statistics = old.statistics();
        seat.past.log.extend(old.log().entries().iter().cloned());
        seat.past.statistics.instructions += old_statistics.instructions;
        seat.past.statistics.cycles += old_statistics.cycles;
        seat.past.lives += 1;
        seat.past.frame = None;
        let keys = [u64::from(number), u64::from(seat.past.lives)];
        let (seed, mut count) = (self.seed, 0);
        let mut noise = || {
            count += 1;
            draw(seed, Purpose::Ram, &keys, count) as u8
        };
        seat.board.power_up(&old.flash(), &mut noise);
        seat.hand_over(old.as_mut(), fault, number);
        for message in self.recent.iter().filter(|message| message.source != number) {
            let link = self.link(message.source, number);
            self.seats[index].board.receive_signal(message, &link);
        }
        self.next_ps[index] = self.seats[index].board.next_action_ps().unwrap_or(u64::MAX);
        Ok(())
    }
}

impl Seat {
    /// Edges and bytes of the board that was here before the fault, and those that the fault makes.
    fn hand_over(&mut self, old: &mut dyn Board, fault: BrownOut, number: u16) {
        let mut edges: VecDeque<Edge> = std::mem::take(old.edges());
        edges.retain(|edge| edge.t_ps < fault.at_ps);
        let mut levels = self.levels.clone();
        for edge in edges.iter() {
            let mask = 1 << (edge.pin & 15);
            let port = &mut levels[usize::from(edge.pin >> 4)];
            *port = if edge.level { *port | mask } else { *port & !mask };
        }
        let (off, on) = (vec![0; levels.len()], nets(self.board.as_ref()));
        edges.extend(edges_to(number, fault.at_ps, &levels, &off));
        edges.extend(edges_to(number, fault.at_ps + fault.off_ps, &off, &on));
        *self.board.edges() = edges;
        for usart in 1.. {
            match (old.sent(usart), self.board.sent(usart)) {
                (Some(before), Some(sent)) => sent.extend(before.drain(..).filter(|byte| byte.0 <= fault.at_ps)),
                _ => break,
            }
        }
        for &pin in self.past.watched.iter() {
            self.board.watch(pin);
        }
    }
}
