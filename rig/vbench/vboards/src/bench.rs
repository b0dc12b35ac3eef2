//! The scheduler: all boards on one picosecond clock, each run as far as the others cannot yet reach it.
//!
//! An action of a board is felt by another one [`REACTION_PS`] later at the earliest. So the board that is behind all
//! others may run to the earliest instant at which any other one can act, plus a slice of at most that, less what an
//! instruction may take beyond its end. Signals are handed over at once and lie in the future of whoever gets them; a
//! receiver orders them by time. Neither the slice nor the way [`Bench::run`] is called changes the result.

mod air;
mod analyzers;
mod debug;
mod host;
mod ports;
mod power;

pub use power::BrownOut;

use crate::air::interferer::FIRST_SOURCE;
use crate::air::{Link, Message, REACTION_PS};
use crate::analyzer::Analyzer;
use crate::board::Board;
use crate::clock::ClockSpec;
use crate::debug::Connector;
use crate::exact::Exact;
use crate::hostpath::HostPath;
use crate::radio::StartUp;
use crate::soc::nrf52840::BuildCode;
use crate::sync::SyncLine;
use crate::timing_changes::TimingChanges;
use crate::trace::{Edge, EdgeHash};
use power::{Past, Recipe};
use std::collections::{BTreeMap, VecDeque};

/// Shortest slice that is kept for a core so slow that one instruction may take all of the reaction time. It runs on as
/// far as its slice, and what it then does within an instruction may come a few microseconds late for the others.
const MIN_SLICE_PS: u64 = 1_000_000;
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
    connector: Option<Connector>,
    /// Levels by port at the bench's now.
    levels: Vec<u16>,
    recipe: Recipe,
    past: Past,
}

/// A bench with boards, air and analyzers.
pub struct Bench {
    seed: u64,
    strict: bool,
    slice_ps: u64,
    now_ps: u64,
    seats: Vec<Seat>,
    /// When each board can next act; `u64::MAX`: it sleeps.
    next_ps: Vec<u64>,
    links: BTreeMap<(u16, u16), Link>,
    noises: Vec<air::Noise>,
    brown_outs: VecDeque<BrownOut>,
    recent: VecDeque<Message>,
    committing: Vec<Edge>,
    analyzers: Vec<Analyzer>,
    sync: Option<SyncLine>,
    host: Option<HostPath>,
    trace: Option<VecDeque<Edge>>,
    frames: Option<VecDeque<air::FrameOnAir>>,
    hash: EdgeHash,
    fault: Option<String>,
    /// Clock of the board that the C ABI adds next.
    pub(crate) next_clock: ClockSpec,
    messages: Vec<Message>,
    /// Timing of the boards that are added from now on.
    pub timing: TimingChanges,
    /// How long the radios of these boards take to start.
    pub radio_start: StartUp,
    /// Which nRF52840 they have.
    pub build_code: BuildCode,
    /// What of them is exact.
    pub exact: Exact,
}

impl Bench {
    pub fn new(seed: u64) -> Bench {
        Bench {
            seed,
            strict: true,
            slice_ps: REACTION_PS,
            now_ps: 0,
            seats: Vec::new(),
            next_ps: Vec::new(),
            links: BTreeMap::new(),
            noises: Vec::new(),
            brown_outs: VecDeque::new(),
            recent: VecDeque::new(),
            committing: Vec::new(),
            analyzers: Vec::new(),
            sync: None,
            host: None,
            trace: None,
            frames: None,
            hash: EdgeHash::default(),
            fault: None,
            next_clock: ClockSpec::default(),
            messages: Vec::new(),
            timing: TimingChanges::default(),
            radio_start: StartUp::default(),
            build_code: BuildCode::default(),
            exact: Exact::default(),
        }
    }

    /// Whether boards added from now on end the run at an access to no device.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Slice of boards that are awake together; results do not depend on it, tests show that.
    pub fn set_slice(&mut self, slice_ps: u64) {
        self.slice_ps = slice_ps.clamp(1, REACTION_PS);
    }

    pub fn now_ps(&self) -> u64 {
        self.now_ps
    }

    pub fn boards(&self) -> usize {
        self.seats.len()
    }

    /// Adds a board with its image; returns its number. All boards must be there before the first run.
    pub fn add_board(&mut self, kind: &str, image_name: &str, image: &[u8], clock_ppb: i64) -> Result<u16, String> {
        self.add_board_with(kind, image_name, image, ClockSpec::fast(clock_ppb))
    }

    /// As [`Bench::add_board`], with an oscillator that may start late, drift, jump and jitter.
    pub fn add_board_with(
        &mut self,
        kind: &str,
        image_name: &str,
        image: &[u8],
        clock: ClockSpec,
    ) -> Result<u16, String> {
        if self.now_ps > 0 {
            return Err("boards are added before the first run".to_string());
        }
        clock.check()?;
        let board = u16::try_from(self.seats.len())
            .ok()
            .filter(|&board| board < FIRST_SOURCE);
        let board = board.ok_or_else(|| "too many boards".to_string())?;
        let recipe = Recipe {
            kind: kind.to_string(),
            image_name: image_name.to_string(),
            image: image.to_vec(),
            clock: ClockSpec {
                seed: self.seed,
                board,
                ..clock
            },
            strict: self.strict,
            timing: self.timing.clone(),
            radio_start: self.radio_start,
            build_code: self.build_code,
            exact: self.exact,
        };
        let made = recipe.make(self.seed, board)?;
        self.seats.push(Seat::new(recipe, made, board));
        self.next_ps.push(0);
        Ok(board)
    }

    fn check(&self, board: usize) -> Result<usize, String> {
        if board < self.seats.len() {
            Ok(board)
        } else {
            Err(format!("no board {}: the bench has {}", board, self.seats.len()))
        }
    }

    /// Runs all boards to `until_ps`, or until the world owes input.
    pub fn run(&mut self, until_ps: u64) -> Result<Outcome, String> {
        if let Some(text) = self.fault.as_ref() {
            return Err(text.clone());
        }
        for (seat, next_ps) in self.seats.iter().zip(self.next_ps.iter_mut()) {
            *next_ps = seat.board.next_action_ps().unwrap_or(u64::MAX);
        }
        loop {
            let (first, earliest_ps, second_ps) = self.two_earliest();
            if earliest_ps == u64::MAX {
                let last_ps = self.seats.iter().map(|seat| seat.board.local_ps()).max();
                self.commit(self.now_ps.max(last_ps.unwrap_or(0).min(until_ps)));
                return Ok(self.drain_host(until_ps));
            }
            let fault_ps = self.next_fault_ps();
            let stepped = if fault_ps <= earliest_ps.min(until_ps) {
                self.strike()
            } else if earliest_ps >= until_ps {
                self.commit(self.now_ps.max(until_ps));
                return Ok(Outcome::Reached);
            } else {
                let told_ps = self.make_noise(earliest_ps);
                let slice_ps = self.slice_of(first);
                let limit_ps = until_ps.min(fault_ps).min(told_ps);
                self.advance(first, limit_ps.min(second_ps.saturating_add(slice_ps)))
            };
            if let Err(text) = stepped {
                let t_ps = self.seats[first].board.local_ps();
                self.commit(self.now_ps.max(earliest_ps.min(t_ps)));
                self.fault = Some(text.clone());
                return Err(text);
            }
            if self.seats[first].board.edges().len() > MANY_EDGES {
                self.commit(self.now_ps.max(earliest_ps));
            }
        }
    }

    /// The board that can act first, when, and when the next one can.
    fn two_earliest(&self) -> (usize, u64, u64) {
        let (mut index, mut first_ps, mut second_ps) = (0, u64::MAX, u64::MAX);
        for (candidate, &next_ps) in self.next_ps.iter().enumerate() {
            if next_ps < first_ps {
                second_ps = first_ps;
                (index, first_ps) = (candidate, next_ps);
            } else {
                second_ps = second_ps.min(next_ps);
            }
        }
        (index, first_ps, second_ps)
    }

    /// How far a board may run beyond the next action of another one.
    fn slice_of(&self, index: usize) -> u64 {
        let room_ps = REACTION_PS.saturating_sub(self.seats[index].board.overshoot_ps());
        self.slice_ps.min(room_ps.max(MIN_SLICE_PS))
    }

    /// Runs one board, and tells the others what it has put on the air.
    fn advance(&mut self, index: usize, limit_ps: u64) -> Result<(), String> {
        let board = &mut self.seats[index].board;
        let ran = board.run_until(limit_ps);
        self.next_ps[index] = board.next_action_ps().unwrap_or(u64::MAX);
        board.take_messages(&mut self.messages);
        ran?;
        if !self.messages.is_empty() {
            self.exchange();
        }
        Ok(())
    }

    /// Takes over all edges before `now_ps`, in the order (instant, board), and makes it the bench's now.
    fn commit(&mut self, now_ps: u64) {
        let mut edges = std::mem::take(&mut self.committing);
        for seat in self.seats.iter_mut() {
            let queue = seat.board.edges();
            let count = queue.iter().take_while(|edge| edge.t_ps < now_ps).count();
            edges.extend(queue.drain(..count));
        }
        edges.sort_by_key(|edge| (edge.t_ps, edge.board)); // stable: the edges of a board keep their order
        for edge in edges.drain(..) {
            if let Some(sync) = self.sync.as_mut() {
                sync_edges(sync, edge.t_ps, &mut self.analyzers);
            }
            let levels = &mut self.seats[usize::from(edge.board)].levels[usize::from(edge.pin >> 4)];
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
        self.committing = edges;
        if let Some(sync) = self.sync.as_mut() {
            sync_edges(sync, now_ps, &mut self.analyzers);
        }
        self.now_ps = now_ps;
        self.advance_host();
    }
}

/// The analyzers see the sync line's edges before `now_ps`.
fn sync_edges(sync: &mut SyncLine, now_ps: u64, analyzers: &mut [Analyzer]) {
    while let Some(edge) = sync.next(now_ps) {
        for analyzer in analyzers.iter_mut() {
            analyzer.edge(&edge);
        }
    }
}
