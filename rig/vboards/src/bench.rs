//! The scheduler: all boards on one picosecond clock, each run as far as the others cannot yet reach it.
//!
//! An action of a board is felt by another one [`REACTION_PS`] later at the earliest, so a board may run to the
//! earliest instant at which any other one can act, plus a slice below that. Signals are handed over at once and lie
//! in the future of whoever gets them; a receiver orders them by time. Neither the slice nor the way [`Bench::run`] is
//! called changes the result.

mod debug;
mod ports;

use crate::air::{Link, Message, REACTION_PS};
use crate::analyzer::Analyzer;
use crate::board::{self, Board, Parts};
use crate::debug::Jtag;
use crate::trace::{Edge, EdgeHash};
use std::collections::VecDeque;

/// Slice when nothing else is asked: half the reaction time, the rest is room for a core that ends an instruction late.
pub const DEFAULT_SLICE_PS: u64 = REACTION_PS / 2;
/// A board with more edges than this makes the bench take them over in the middle of a run.
const MANY_EDGES: usize = 1 << 16;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The instant asked for.
    Reached,
    /// Every board sleeps and none has an event of its own: the world owes input. Time stands still there.
    Idle,
}

struct Seat {
    board: Box<dyn Board>,
    /// Its JTAG connector, once an adapter was there.
    jtag: Option<Jtag>,
    /// Levels by port at the bench's now.
    levels: Vec<u16>,
    next_ps: Option<u64>,
}

/// A bench with boards, air and analyzers.
pub struct Bench {
    seed: u64,
    strict: bool,
    slice_ps: u64,
    now_ps: u64,
    seats: Vec<Seat>,
    links: Vec<(u16, u16, Link)>,
    analyzers: Vec<Analyzer>,
    trace: Option<VecDeque<Edge>>,
    hash: EdgeHash,
    fault: Option<String>,
    messages: Vec<Message>,
}

impl Bench {
    pub fn new(seed: u64) -> Bench {
        Bench {
            seed,
            strict: true,
            slice_ps: DEFAULT_SLICE_PS,
            now_ps: 0,
            seats: Vec::new(),
            links: Vec::new(),
            analyzers: Vec::new(),
            trace: None,
            hash: EdgeHash::default(),
            fault: None,
            messages: Vec::new(),
        }
    }

    /// Whether boards added from now on end the run at an access to no device.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Slice of boards that are awake together; results do not depend on it, tests show that.
    pub fn set_slice(&mut self, slice_ps: u64) {
        self.slice_ps = slice_ps.clamp(1, DEFAULT_SLICE_PS);
    }

    pub fn now_ps(&self) -> u64 {
        self.now_ps
    }

    pub fn boards(&self) -> usize {
        self.seats.len()
    }

    /// Adds a board with its image; returns its number. All boards must be there before the first run.
    pub fn add_board(&mut self, kind: &str, image_name: &str, image: &[u8], clock_ppb: i64) -> Result<u16, String> {
        if self.now_ps > 0 {
            return Err("boards are added before the first run".to_string());
        }
        if clock_ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a clock error of {} ppb is beyond 10 %", clock_ppb));
        }
        let board = u16::try_from(self.seats.len()).map_err(|_| "too many boards".to_string())?;
        let parts = Parts {
            seed: self.seed,
            board,
            image_name,
            image,
            clock_ppb,
            strict: self.strict,
        };
        let made = board::make(kind, &parts)?;
        let levels = (0..made.ports()).map(|port| made.net(port)).collect();
        self.seats.push(Seat {
            board: made,
            jtag: None,
            levels,
            next_ps: Some(0),
        });
        Ok(board)
    }

    fn check(&self, board: usize) -> Result<usize, String> {
        if board < self.seats.len() {
            Ok(board)
        } else {
            Err(format!(
                "there is no board {}, the bench has {}",
                board,
                self.seats.len()
            ))
        }
    }

    /// How board `to` hears board `from`; unset links are 3 m of air without loss.
    pub fn set_link(&mut self, from: usize, to: usize, link: Link) -> Result<(), String> {
        let (from, to) = (self.check(from)? as u16, self.check(to)? as u16);
        self.links.retain(|known| (known.0, known.1) != (from, to));
        self.links.push((from, to, link));
        Ok(())
    }

    fn link(&self, from: u16, to: u16) -> Link {
        self.links
            .iter()
            .find(|known| (known.0, known.1) == (from, to))
            .map_or(Link::default(), |known| known.2)
    }

    /// Runs all boards to `until_ps`, or until the world owes input.
    pub fn run(&mut self, until_ps: u64) -> Result<Outcome, String> {
        if let Some(text) = self.fault.as_ref() {
            return Err(text.clone());
        }
        for seat in self.seats.iter_mut() {
            seat.next_ps = seat.board.next_action_ps();
        }
        loop {
            let earliest = match self.seats.iter().filter_map(|seat| seat.next_ps).min() {
                None => {
                    let last = self
                        .seats
                        .iter()
                        .map(|seat| seat.board.local_ps())
                        .max()
                        .unwrap_or(self.now_ps);
                    self.commit(self.now_ps.max(last.min(until_ps)));
                    return Ok(Outcome::Idle);
                }
                Some(earliest) if earliest >= until_ps => {
                    self.commit(self.now_ps.max(until_ps));
                    return Ok(Outcome::Reached);
                }
                Some(earliest) => earliest,
            };
            if self.seats.iter_mut().any(|seat| seat.board.edges().len() > MANY_EDGES) {
                self.commit(self.now_ps.max(earliest));
            }
            for index in 0..self.seats.len() {
                if let Err(text) = self.advance(index, until_ps) {
                    let t_ps = self.seats[index].board.local_ps();
                    self.commit(self.now_ps.max(earliest.min(t_ps)));
                    self.fault = Some(text.clone());
                    return Err(text);
                }
            }
        }
    }

    /// Runs one board as far as the others allow.
    fn advance(&mut self, index: usize, until_ps: u64) -> Result<(), String> {
        let others = self.seats.iter().enumerate().filter(|(other, _)| *other != index);
        let reach = others.filter_map(|(_, seat)| seat.next_ps).min().unwrap_or(u64::MAX);
        let limit = until_ps.min(reach.saturating_add(self.slice_ps));
        let seat = &mut self.seats[index];
        if seat.next_ps.map_or(true, |next| next >= limit) {
            return Ok(());
        }
        let ran = seat.board.run_until(limit);
        seat.next_ps = seat.board.next_action_ps();
        seat.board.take_messages(&mut self.messages);
        ran?;
        self.exchange();
        Ok(())
    }

    fn exchange(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        for message in messages.iter() {
            for to in 0..self.seats.len() {
                if to != usize::from(message.source) {
                    let link = self.link(message.source, to as u16);
                    let seat = &mut self.seats[to];
                    seat.board.hear(message, &link);
                    seat.next_ps = seat.board.next_action_ps();
                }
            }
        }
        self.messages = messages;
        self.messages.clear();
    }

    /// Takes over all edges before `now_ps`, in the order (instant, board), and makes it the bench's now.
    fn commit(&mut self, now_ps: u64) {
        loop {
            let mut first: Option<(u64, usize)> = None;
            for (index, seat) in self.seats.iter_mut().enumerate() {
                if let Some(edge) = seat.board.edges().front() {
                    if edge.t_ps < now_ps && first.map_or(true, |(t_ps, _)| edge.t_ps < t_ps) {
                        first = Some((edge.t_ps, index));
                    }
                }
            }
            let seat = match first {
                Some((_, index)) => &mut self.seats[index],
                None => break,
            };
            if let Some(edge) = seat.board.edges().pop_front() {
                let levels = &mut seat.levels[usize::from(edge.pin >> 4)];
                let mask = 1 << (edge.pin & 15);
                *levels = if edge.level { *levels | mask } else { *levels & !mask };
                self.hash.add(&edge);
                for analyzer in self.analyzers.iter_mut() {
                    analyzer.edge(&edge);
                }
                if let Some(trace) = self.trace.as_mut() {
                    trace.push_back(edge);
                }
            }
        }
        self.now_ps = now_ps;
    }
}
