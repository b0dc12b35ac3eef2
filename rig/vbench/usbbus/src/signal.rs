//! What the inputs see: a level of up to 16 lines over time, on one axis over all starts.

use crate::clock::SampleClock;
use crate::config::SignalConfig;
use std::path::Path;

/// Levels of a device's samples, as runs of equal ones.
pub trait Levels: Send {
    /// The level at sample `n`, and how many samples from it on have it at least (1 or more).
    fn run(&mut self, n: u64) -> (u16, u64);
}

/// A signal over time. Nanoseconds since the epoch of the bus.
#[derive(Clone, Debug)]
pub enum Signal {
    Counter {
        half_period_ns: i64,
    },
    Edges {
        edges: Vec<(i64, u16)>,
        loop_ns: Option<i64>,
    },
}

impl Signal {
    /// The signal of a configuration; None where samples come from a server.
    pub fn read(config: &SignalConfig) -> Result<Option<Signal>, String> {
        match config {
            SignalConfig::Counter { half_period_ns } => Ok(Some(Signal::Counter {
                half_period_ns: *half_period_ns,
            })),
            SignalConfig::BeagleLogic { .. } => Ok(None),
            SignalConfig::Edges { file, loop_ns } => {
                let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {}", file.display(), error))?;
                Ok(Some(Signal::Edges {
                    edges: parse(&text, file)?,
                    loop_ns: *loop_ns,
                }))
            }
        }
    }

    /// The level at `ns`, and when it changes next at the earliest. `hint`: of the call before.
    fn at(&self, ns: i64, hint: &mut usize) -> (u16, i64) {
        match self {
            Signal::Counter { half_period_ns } => {
                let count = ns.div_euclid(*half_period_ns);
                (count as u16, (count + 1) * half_period_ns)
            }
            Signal::Edges { edges, loop_ns } => {
                let base_ns = loop_ns.map_or(0, |loop_ns| ns.div_euclid(loop_ns) * loop_ns);
                let within_ns = ns - base_ns;
                let end_ns = loop_ns.map_or(i64::MAX, |loop_ns| base_ns + loop_ns);
                let next = next_edge(edges, within_ns, *hint);
                *hint = next;
                let until_ns = edges.get(next).map_or(end_ns, |edge| (edge.0 + base_ns).min(end_ns));
                (if next == 0 { 0 } else { edges[next - 1].1 }, until_ns)
            }
        }
    }
}

/// The index of the first edge after `ns`.
fn next_edge(edges: &[(i64, u16)], ns: i64, hint: usize) -> usize {
    let is_next =
        |at: usize| at <= edges.len() && (at == 0 || edges[at - 1].0 <= ns) && edges.get(at).map_or(true, |e| e.0 > ns);
    match (is_next(hint), is_next(hint + 1)) {
        (true, _) => hint,
        (_, true) => hint + 1,
        _ => edges.partition_point(|edge| edge.0 <= ns),
    }
}

fn parse(text: &str, file: &Path) -> Result<Vec<(i64, u16)>, String> {
    let mut edges: Vec<(i64, u16)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let ns = words.next().and_then(|word| word.parse().ok());
        let level = words.next().and_then(|word| u16::from_str_radix(word, 16).ok());
        let edge = match (ns, level, words.next()) {
            (Some(ns), Some(level), None) => (ns, level),
            _ => {
                return Err(format!(
                    "{}: line {}: `ns hexlevels` expected",
                    file.display(),
                    number + 1
                ))
            }
        };
        if edges.last().map_or(false, |before| before.0 >= edge.0) {
            return Err(format!(
                "{}: line {}: edges are not in order",
                file.display(),
                number + 1
            ));
        }
        edges.push(edge);
    }
    Ok(edges)
}

/// A signal as a clock samples it.
pub struct Sampled {
    pub signal: Signal,
    /// On the signal's axis.
    pub clock: SampleClock,
    hint: usize,
}

impl Sampled {
    pub fn new(signal: Signal, clock: SampleClock) -> Sampled {
        Sampled { signal, clock, hint: 0 }
    }
}

impl Levels for Sampled {
    fn run(&mut self, n: u64) -> (u16, u64) {
        let (level, until_ns) = self.signal.at(self.clock.seen_ns(n), &mut self.hint);
        let end = if until_ns == i64::MAX {
            u64::MAX
        } else {
            self.clock.first_sample(until_ns)
        };
        (level, end.saturating_sub(n).max(1))
    }
}

/// Random levels in the first `samples` of each `every` samples, as a WeActStudio LogicAnalyzerV1 has them
/// (github.com/WeActStudio/LogicAnalyzerV1, issue 7: 8 noisy samples in each 2048).
pub struct Noisy {
    pub levels: Box<dyn Levels>,
    pub samples: u64,
    pub every: u64,
}

impl Levels for Noisy {
    fn run(&mut self, n: u64) -> (u16, u64) {
        let (level, length) = self.levels.run(n);
        let at = n % self.every;
        match at < self.samples {
            true => (level ^ noise(n), 1),
            false => (level, length.min(self.every - at)),
        }
    }
}

/// The same for the same sample, so that a test can compute it: the upper bits of SplitMix64 (Steele, Lea, Flood 2014).
pub fn noise(n: u64) -> u16 {
    let mut z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level_by_definition(signal: &Signal, clock: &SampleClock, n: u64) -> u16 {
        let ns = clock.seen_ns(n);
        match signal {
            Signal::Counter { half_period_ns } => (ns / half_period_ns) as u16,
            Signal::Edges { edges, loop_ns } => {
                let within = loop_ns.map_or(ns, |loop_ns| ns % loop_ns);
                edges
                    .iter()
                    .rev()
                    .find(|edge| edge.0 <= within)
                    .map_or(0, |edge| edge.1)
            }
        }
    }

    #[test]
    fn runs_say_what_single_samples_say() {
        let edges = vec![(0, 1), (100, 0x8002), (101, 3), (5_000, 4), (9_999, 5)];
        for signal in [
            Signal::Counter { half_period_ns: 333 },
            Signal::Edges {
                edges: edges.clone(),
                loop_ns: None,
            },
            Signal::Edges {
                edges,
                loop_ns: Some(10_000),
            },
        ] {
            let clock = SampleClock::new(40, 24_000_000, 1, 37.0, 0.0);
            let mut sampled = Sampled::new(signal.clone(), clock.clone());
            let mut n = 0;
            while n < 2_000 {
                let (level, length) = sampled.run(n);
                for k in n..(n + length).min(2_000) {
                    assert_eq!(level, level_by_definition(&signal, &clock, k), "sample {}", k);
                }
                n = n.saturating_add(length);
            }
        }
    }

    #[test]
    fn noise_is_in_its_places_only() {
        let clock = SampleClock::new(0, 1_000_000, 1, 0.0, 0.0);
        let quiet = Signal::Edges {
            edges: vec![(0, 0x55)],
            loop_ns: None,
        };
        let mut noisy = Noisy {
            levels: Box::new(Sampled::new(quiet, clock)),
            samples: 8,
            every: 2048,
        };
        let mut n = 0;
        let mut changed = Vec::new();
        while n < 8192 {
            let (level, length) = noisy.run(n);
            if level != 0x55 {
                changed.push(n % 2048);
            }
            n += length;
        }
        assert!(changed.len() > 24 && changed.iter().all(|&at| at < 8));
    }
}
