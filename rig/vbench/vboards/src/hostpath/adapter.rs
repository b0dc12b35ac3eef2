//! A USB serial adapter and the host's requests to it (FTDI AN232B-04, sections 2.3 and 3).
//!
//! The host asks at every poll. The adapter answers with full packets, or with what it has, perhaps nothing, once its
//! latency timer has run out; the timer starts again with every packet. A packet that is not full ends the request,
//! and only then does the driver get the bytes.

use super::AdapterSettings;
use crate::rng::{below, draw, Purpose};
use std::collections::VecDeque;

pub struct Adapter {
    settings: AdapterSettings,
    /// Bytes with the end of their stop bit, not yet seen by a poll.
    arrivals: VecDeque<(u64, u8)>,
    buffer: VecDeque<u8>,
    overrun: u64,
    next_poll_ps: u64,
    /// When the adapter sent something last.
    sent_ps: u64,
    /// Bytes and packets of the present request.
    request: Vec<u8>,
    packets: usize,
    /// Ended requests with their instants, for the reader.
    ended: VecDeque<(u64, Vec<u8>)>,
    stalls: Vec<(u64, u64)>,
}

impl Adapter {
    /// An adapter whose latency timer is somewhere.
    pub fn new(seed: u64, board: u16, settings: AdapterSettings) -> Adapter {
        let phase = draw(seed, Purpose::HostReader, &[u64::from(board)], u64::MAX);
        let behind = below(phase, settings.latency_timer_ps / settings.poll_ps + 1) * settings.poll_ps;
        Adapter {
            settings,
            arrivals: VecDeque::new(),
            buffer: VecDeque::new(),
            overrun: 0,
            next_poll_ps: behind + settings.poll_ps,
            sent_ps: behind,
            request: Vec::new(),
            packets: 0,
            ended: VecDeque::new(),
            stalls: Vec::new(),
        }
    }

    pub fn arrive(&mut self, t_ps: u64, byte: u8) {
        self.arrivals.push_back((t_ps, byte));
    }

    /// Nothing comes out between the two instants.
    pub fn stall(&mut self, from_ps: u64, until_ps: u64) {
        self.stalls.push((from_ps, until_ps));
    }

    pub fn overrun(&self) -> u64 {
        self.overrun
    }

    fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.packets == 0
    }

    /// The next poll, if it may matter.
    pub fn next_ps(&self) -> Option<u64> {
        if self.is_empty() && self.arrivals.is_empty() {
            None
        } else {
            Some(self.next_poll_ps)
        }
    }

    pub fn advance(&mut self, now_ps: u64) {
        loop {
            self.skip_idle_polls(now_ps);
            if self.next_poll_ps > now_ps {
                return;
            }
            let poll_ps = self.next_poll_ps;
            while self.arrivals.front().map_or(false, |arrival| arrival.0 <= poll_ps) {
                if let Some((_, byte)) = self.arrivals.pop_front() {
                    if self.buffer.len() < self.settings.buffer_bytes {
                        self.buffer.push_back(byte);
                    } else {
                        self.overrun += 1;
                    }
                }
            }
            if !self
                .stalls
                .iter()
                .any(|&(from_ps, until_ps)| from_ps <= poll_ps && poll_ps < until_ps)
            {
                self.poll(poll_ps);
            }
            self.next_poll_ps += self.settings.poll_ps;
        }
    }

    /// Where there is nothing to send, only the timer goes round: jumps over whole rounds of it.
    fn skip_idle_polls(&mut self, now_ps: u64) {
        if !self.is_empty() || !self.stalls.is_empty() {
            return;
        }
        let poll_ps = self.settings.poll_ps;
        let round_ps = ((self.settings.latency_timer_ps + poll_ps - 1) / poll_ps).max(1) * poll_ps;
        let busy_ps = self
            .arrivals
            .front()
            .map_or(now_ps, |arrival| (arrival.0 - 1).min(now_ps));
        let rounds = busy_ps.saturating_sub(self.sent_ps) / round_ps;
        if rounds > 0 {
            self.sent_ps += rounds * round_ps;
            self.next_poll_ps = self.sent_ps + poll_ps;
        }
    }

    fn poll(&mut self, poll_ps: u64) {
        while self.buffer.len() >= self.settings.packet_bytes {
            self.request.extend(self.buffer.drain(..self.settings.packet_bytes));
            self.packets += 1;
            self.sent_ps = poll_ps;
            if self.packets == self.settings.request_packets {
                self.end_request(poll_ps);
            }
        }
        if poll_ps - self.sent_ps >= self.settings.latency_timer_ps {
            self.request.extend(self.buffer.drain(..));
            self.sent_ps = poll_ps;
            self.end_request(poll_ps);
        }
    }

    fn end_request(&mut self, poll_ps: u64) {
        self.packets = 0;
        if !self.request.is_empty() {
            self.ended.push_back((poll_ps, std::mem::take(&mut self.request)));
        }
    }

    /// When the oldest bytes that the reader has not taken came in.
    pub fn waiting_since_ps(&self) -> Option<u64> {
        self.ended.front().map(|ended| ended.0)
    }

    /// Takes all bytes that came in by `now_ps`.
    pub fn take(&mut self, now_ps: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.ended.front().map_or(false, |ended| ended.0 <= now_ps) {
            bytes.extend(self.ended.pop_front().map_or(Vec::new(), |ended| ended.1));
        }
        bytes
    }
}
