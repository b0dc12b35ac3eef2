//! The host's program that reads serial ports: woken when there are bytes, it serves its ports in turn.

use super::{Chunk, Port, ReaderSettings};
use crate::rng::{draw, waiting, Purpose};

/// Ports that had bytes when the reader looked, and how far it is with them.
struct Round {
    ports: Vec<usize>,
    served: usize,
}

pub struct Reader {
    seed: u64,
    settings: ReaderSettings,
    ports: Vec<usize>,
    /// When it is ready for the next thing.
    free_ps: u64,
    round: Option<Round>,
    /// How often it was woken.
    wakes: u64,
}

impl Reader {
    pub fn new(seed: u64, settings: ReaderSettings, port: usize) -> Reader {
        Reader {
            seed,
            settings,
            ports: vec![port],
            free_ps: 0,
            round: None,
            wakes: 0,
        }
    }

    /// Takes on another port.
    pub fn serve(&mut self, port: usize) {
        self.ports.push(port);
    }

    /// When it runs after bytes that came at `since_ps` have made it ready.
    fn wake_ps(&self, since_ps: u64) -> u64 {
        if since_ps <= self.free_ps {
            return self.free_ps; // it has not gone to sleep
        }
        let keys = [self.ports[0] as u64];
        let tail = waiting(
            draw(self.seed, Purpose::HostReader, &keys, self.wakes),
            self.settings.wake_tail_ps,
        );
        let ready_ps = since_ps + self.settings.wake_ps + tail;
        let into_ps = ready_ps % self.settings.other_period_ps.max(1);
        ready_ps + self.settings.other_ps.saturating_sub(into_ps)
    }

    /// When it does something next.
    pub(super) fn next_ps(&self, ports: &[Port]) -> Option<u64> {
        if self.round.is_some() {
            return Some(self.free_ps);
        }
        let since_ps = self
            .ports
            .iter()
            .filter_map(|&port| ports[port].adapter.waiting_since_ps())
            .min()?;
        Some(self.wake_ps(since_ps))
    }

    /// Does everything that begins by `now_ps`.
    pub(super) fn advance(&mut self, now_ps: u64, ports: &mut [Port]) {
        while let Some(at_ps) = self.next_ps(ports) {
            if at_ps > now_ps {
                return;
            }
            let mut round = self.round.take().unwrap_or_else(|| self.look(at_ps, ports));
            self.read(&mut ports[round.ports[round.served]], at_ps);
            round.served += 1;
            if round.served < round.ports.len() {
                self.round = Some(round);
            }
        }
    }

    /// It is awake and looks which ports have bytes (select, poll).
    fn look(&mut self, at_ps: u64, ports: &[Port]) -> Round {
        self.wakes += 1;
        let has_bytes = |port: &usize| {
            ports[*port]
                .adapter
                .waiting_since_ps()
                .map_or(false, |since| since <= at_ps)
        };
        Round {
            ports: self.ports.iter().copied().filter(has_bytes).collect(),
            served: 0,
        }
    }

    fn read(&mut self, port: &mut Port, at_ps: u64) {
        let bytes = port.adapter.take(at_ps);
        self.free_ps = at_ps + self.settings.read_ps;
        if self.settings.line_ps == 0 {
            port.chunks.push_back(Chunk {
                stamp_ps: self.free_ps,
                bytes,
            });
            return;
        }
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            if line.ends_with(b"\n") {
                self.free_ps += self.settings.line_ps;
            }
            port.chunks.push_back(Chunk {
                stamp_ps: self.free_ps,
                bytes: line.to_vec(),
            });
        }
    }
}
