//! The air of the bench: who receives what, and sources of noise.

use super::Bench;
use crate::air::interferer::{Interferer, Source};
use crate::air::{is_lost, lasting_ps, Link, Message, Modulation, Signal, Waveform, UNHEARD_DBM};
use std::collections::VecDeque;
use std::sync::Arc;

/// Bursts are announced this long before they begin.
const AHEAD_PS: u64 = 1_000_000_000;
/// No radio looks back further than this: a frame of 127 bytes at 1 kb/s lasts 1.1 s.
const LOOK_BACK_PS: u64 = 2_000_000_000_000;

/// A source of noise and its level at boards that have their own.
pub(super) struct Noise {
    source: Source,
    levels: Vec<(usize, i32)>,
}

/// A frame that a board put on the air, whoever received it. The end is `u64::MAX` until the frame's length is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameOnAir {
    pub board: u16,
    pub start_ps: u64,
    pub end_ps: u64,
    /// Boards (bit 0: board 0) whose link from the sender lost it; boards from 64 on have no bit.
    pub lost: u64,
    pub psdu: Arc<[u8]>,
    frame: u32,
    waveform: Waveform,
    ppb: i64,
}

/// Adds the facts of a message about a frame on the air.
fn keep_frame(frames: &mut VecDeque<FrameOnAir>, message: &Message) {
    if let Signal::Start {
        start_ps,
        waveform,
        ppb,
        ..
    } = message.signal
    {
        frames.push_back(FrameOnAir {
            board: message.source,
            start_ps,
            end_ps: u64::MAX,
            lost: 0,
            psdu: Arc::new([]),
            frame: message.frame,
            waveform,
            ppb,
        });
        return;
    }
    let is_same = |kept: &&mut FrameOnAir| kept.board == message.source && kept.frame == message.frame;
    if let Some(kept) = frames.iter_mut().rev().find(is_same) {
        kept.end_ps = match &message.signal {
            Signal::Body { psdu } => {
                kept.psdu = Arc::clone(psdu);
                let nominal_ps = kept.waveform.header_ps() + psdu.len() as u64 * kept.waveform.byte_ps;
                kept.end_ps.min(kept.start_ps + lasting_ps(nominal_ps, kept.ppb))
            }
            Signal::Cut { end_ps } => kept.end_ps.min(*end_ps),
            Signal::Start { .. } => kept.end_ps,
        };
    }
}

/// Adds the board whose link lost the frame that was kept last.
fn keep_loss(frames: &mut Option<VecDeque<FrameOnAir>>, to: usize) {
    if let Some(kept) = frames.as_mut().and_then(VecDeque::back_mut) {
        kept.lost |= 1u64.checked_shl(to as u32).unwrap_or(0);
    }
}

impl Bench {
    /// Keeps the frames that boards put on the air from now on.
    pub fn keep_frames(&mut self) {
        self.frames.get_or_insert_with(VecDeque::new);
    }

    /// Takes kept frames that are over, in the order of their announcement; one that is not holds back those after it.
    pub fn take_frames(&mut self, most: usize) -> Vec<FrameOnAir> {
        let now_ps = self.now_ps;
        self.frames.as_mut().map_or_else(Vec::new, |frames| {
            let over = frames
                .iter()
                .take(most)
                .take_while(|frame| frame.end_ps <= now_ps)
                .count();
            frames.drain(..over).collect()
        })
    }

    /// How board `to` receives board `from`; unset links are 3 m of air without loss.
    pub fn set_link(&mut self, from: usize, to: usize, link: Link) -> Result<(), String> {
        let (from, to) = (self.check(from)? as u16, self.check(to)? as u16);
        self.links.insert((from, to), link);
        Ok(())
    }

    pub fn link(&self, from: u16, to: u16) -> Link {
        self.links.get(&(from, to)).copied().unwrap_or_default()
    }

    /// Adds a source of noise; returns its number.
    pub fn add_interferer(&mut self, settings: Interferer) -> Result<usize, String> {
        settings.check()?;
        if settings.first_ps < self.now_ps {
            return Err("an interferer begins after now".to_string());
        }
        let index = self.noises.len();
        let number = u16::try_from(index).ok().filter(|&number| number < 0x4000);
        let number = number.ok_or_else(|| "too many interferers".to_string())?;
        self.noises.push(Noise {
            source: Source::new(self.seed, number, settings),
            levels: Vec::new(),
        });
        Ok(index)
    }

    /// The level of an interferer at one board.
    pub fn set_interferer_level(&mut self, interferer: usize, board: usize, level_dbm: i32) -> Result<(), String> {
        let board = self.check(board)?;
        let count = self.noises.len();
        let noise = self
            .noises
            .get_mut(interferer)
            .ok_or_else(|| format!("no interferer {}: the bench has {}", interferer, count))?;
        noise.levels.retain(|known| known.0 != board);
        noise.levels.push((board, level_dbm));
        Ok(())
    }

    /// Tells the boards of all bursts that matter soon; returns how far nothing is left to tell.
    pub(super) fn make_noise(&mut self, earliest_ps: u64) -> u64 {
        if self.noises.is_empty() {
            return u64::MAX;
        }
        let until_ps = earliest_ps.saturating_add(AHEAD_PS);
        for noise in self.noises.iter_mut() {
            while noise.source.next_ps < until_ps {
                let (start_ps, settings) = (noise.source.next_ps, noise.source.settings);
                let message = noise.source.burst();
                if start_ps + settings.burst_ps + LOOK_BACK_PS < earliest_ps {
                    continue;
                }
                for (index, seat) in self.seats.iter_mut().enumerate() {
                    let own = noise.levels.iter().find(|level| level.0 == index);
                    let link = Link {
                        delay_ps: 0,
                        rssi_dbm: own.map_or(settings.level_dbm, |level| level.1),
                        ..Link::default()
                    };
                    if link.rssi_dbm >= UNHEARD_DBM {
                        seat.board.receive_signal(&message, &link);
                    }
                }
            }
        }
        until_ps
    }

    /// Hands over what boards have put on the air.
    pub(super) fn exchange(&mut self) {
        let mut messages = std::mem::take(&mut self.messages);
        for message in messages.iter_mut() {
            let from = message.source;
            let past = &mut self.seats[usize::from(from)].past;
            message.frame = past.frame_number(message.frame);
            if let Signal::Start { power_dbm, .. } = message.signal {
                past.frame = Some((message.frame, power_dbm));
            }
            let power_dbm = past
                .frame
                .filter(|last| last.0 == message.frame)
                .map_or(0, |last| last.1);
            if let Some(frames) = self.frames.as_mut() {
                keep_frame(frames, message);
            }
            for to in (0..self.seats.len()).filter(|&to| to != usize::from(from)) {
                let link = self.link(from, to as u16);
                if link.rssi_dbm.saturating_add(power_dbm) >= UNHEARD_DBM {
                    if matches!(message.signal, Signal::Start { .. }) && is_lost(self.seed, message, to as u16, &link) {
                        keep_loss(&mut self.frames, to);
                    }
                    let board = &mut self.seats[to].board;
                    board.receive_signal(message, &link);
                    self.next_ps[to] = board.next_action_ps().unwrap_or(u64::MAX);
                }
            }
        }
        if self.brown_outs.is_empty() {
            messages.clear();
        }
        self.remember(&mut messages);
        self.messages = messages;
    }

    /// Keeps what may still be in the air, for a board whose supply comes back.
    fn remember(&mut self, messages: &mut Vec<Message>) {
        let latest = |message: &Message| match message.signal {
            Signal::Start { start_ps, waveform, .. } if waveform.modulation != Modulation::Noise => Some(start_ps),
            _ => None,
        };
        self.recent.extend(messages.drain(..));
        let newest_ps = self.recent.iter().filter_map(latest).max().unwrap_or(0);
        while self
            .recent
            .front()
            .and_then(latest)
            .map_or(false, |start_ps| start_ps + LOOK_BACK_PS < newest_ps)
        {
            self.recent.pop_front();
            while self.recent.front().map_or(false, |message| latest(message).is_none()) {
                self.recent.pop_front();
            }
        }
    }
}
