//! One start of a device: its samples, what has been taken of them, what goes wrong.
//!
//! Sample n is taken at its instant whatever the host does.

use crate::abi::Status;
use crate::beaglelogic::Server;
use crate::clock::SampleClock;
use crate::config::{DeviceConfig, SignalConfig};
use crate::fault::{Fault, Kind};
use crate::layout::Layout;
use crate::signal::{Levels, Noisy, Sampled, Signal};
use crate::transfer::Pending;
use crate::truth::Truth;
use std::collections::VecDeque;

/// Bytes of a bulk packet at high speed (USB 2.0, 5.8.3).
const PACKET_BYTES: u64 = 512;

/// What a device model starts.
#[derive(Clone, Debug)]
pub struct Start {
    pub layout: Layout,
    pub clock_hz: u64,
    pub divider: u64,
    /// Sent in front of the samples, in a transfer of its own.
    pub header: Option<Vec<u8>>,
}

impl Start {
    pub fn rate_hz(&self) -> f64 {
        self.clock_hz as f64 / self.divider as f64
    }

    fn bytes_s(&self) -> f64 {
        self.rate_hz() * self.layout.group_bytes() as f64 / self.layout.group_samples() as f64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Sampling begins with the first IN packet that the host asks for.
    Armed,
    Running,
    Stopped,
}

/// Where a run stands: which one of which device, and the signal's axis.
#[derive(Clone, Debug)]
pub struct Place {
    pub device: usize,
    pub run: u32,
    pub epoch_ns: i64,
    pub truth: Truth,
}

pub struct Run {
    place: Place,
    start: Start,
    config: DeviceConfig,
    signal: Option<Signal>,
    faults: VecDeque<Fault>,
    phase: Phase,
    armed_ns: i64,
    clock: SampleClock,
    levels: Option<Box<dyn Levels>>,
    server: Option<Server>,
    /// Bytes of the stream that are gone from the device: delivered or lost.
    taken_bytes: u64,
    /// How many of the next transfers fail, and how.
    failing: (u64, Status),
    empties: u64,
    overflowed: bool,
}

impl Run {
    /// A run that is armed at `now_ns`. `faults`: those of this run, in any order.
    pub fn new(
        place: Place,
        start: Start,
        config: &DeviceConfig,
        signal: Option<Signal>,
        mut faults: Vec<Fault>,
        now_ns: i64,
    ) -> Run {
        faults.retain(|fault| !matches!(fault.kind, Kind::Unplug { .. }));
        let excess_bytes_s = start.bytes_s() - config.usb_bytes_s;
        if excess_bytes_s > 0.0 {
            let at_ns = (config.fifo_bytes as f64 / excess_bytes_s * 1e9) as i64;
            faults.push(Fault {
                device: place.device,
                run: place.run,
                at_ns,
                kind: Kind::Fifo,
            });
        }
        faults.sort_by_key(|fault| fault.at_ns);
        Run {
            clock: SampleClock::new(
                now_ns,
                start.clock_hz,
                start.divider,
                config.ppm,
                config.drift_ppm_per_s,
            ),
            place,
            start,
            config: config.clone(),
            signal,
            faults: faults.into(),
            phase: Phase::Armed,
            armed_ns: now_ns,
            levels: None,
            server: None,
            taken_bytes: 0,
            failing: (0, Status::Error),
            empties: 0,
            overflowed: false,
        }
    }

    /// From when on it begins; None where it has.
    pub fn armed_ns(&self) -> Option<i64> {
        Some(self.armed_ns).filter(|_| self.phase == Phase::Armed)
    }

    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Has the FIFO been full?
    pub fn has_overflowed(&self) -> bool {
        self.overflowed
    }

    /// Does a server feed it, so that nothing tells when data comes?
    pub fn is_fed(&self) -> bool {
        self.server.is_some()
    }

    /// Has its server ended, so that the next packet never comes?
    pub fn is_starved(&self) -> bool {
        let next_bytes = self.taken_bytes + PACKET_BYTES;
        let lacks = |server: &Server| server.has_ended() && self.start.layout.bytes_of(server.samples()) < next_bytes;
        self.server.as_ref().map_or(false, lacks)
    }

    /// What is sent in front of the samples, once.
    pub fn take_header(&mut self) -> Option<Vec<u8>> {
        self.start.header.take()
    }

    pub fn has_header(&self) -> bool {
        self.start.header.is_some()
    }

    /// The first packet of samples is asked for: sampling begins.
    pub fn begin(&mut self, ns: i64) {
        self.phase = Phase::Running;
        self.clock.start_ns = ns;
        let on_axis = SampleClock {
            start_ns: ns - self.place.epoch_ns,
            ..self.clock.clone()
        };
        let unit = if self.start.layout == Layout::Bytes { 1 } else { 2 };
        self.place.truth.write(&format!(
            "start device={} run={} rate_hz={:.6} unit={} channels={:x} start_ns={} drift={} noise_samples={} noise_every={}",
            self.place.device,
            self.place.run,
            self.clock.rate_uhz as f64 * 1e-6,
            unit,
            self.start.layout.channels(),
            on_axis.start_ns,
            self.config.drift_ppm_per_s,
            self.config.noise_samples,
            self.config.noise_every
        ));
        let levels: Box<dyn Levels> = match (self.signal.take(), &self.config.signal) {
            (Some(signal), _) => Box::new(Sampled::new(signal, on_axis)),
            (None, SignalConfig::BeagleLogic { address }) => {
                let (server, levels) = Server::connect(address, self.start.rate_hz() as u64, unit);
                self.server = Some(server);
                Box::new(levels)
            }
            _ => return self.end("no signal"),
        };
        self.levels = Some(match self.config.noise_samples {
            0 => levels,
            samples => Box::new(Noisy {
                levels,
                samples,
                every: self.config.noise_every,
            }),
        });
    }

    /// Bytes that the stream has had until `ns`.
    fn bytes_at(&self, ns: i64) -> u64 {
        let samples = self.clock.samples_at(ns);
        self.start.layout.bytes_of(
            self.server
                .as_ref()
                .map_or(samples, |server| samples.min(server.samples())),
        )
    }

    /// When `transfer` can be full; None while the server owes what fills it.
    pub fn filled_ns(&self, transfer: &Pending) -> Option<i64> {
        let samples = self.start.layout.samples_of(self.taken_bytes + transfer.room());
        let owed = self.server.as_ref().map_or(false, |server| server.samples() < samples);
        Some(self.clock.taken_ns(samples)).filter(|_| !owed)
    }

    /// When the FIFO is full, with nothing that empties it since `free_ns`.
    pub fn full_ns(&self, free_ns: i64) -> i64 {
        let (layout, fifo) = (&self.start.layout, self.config.fifo_bytes);
        let by_data_ns = self.clock.taken_ns(layout.samples_of(self.taken_bytes + fifo));
        let fill_ns = self.clock.taken_ns(layout.samples_of(fifo)) - self.clock.start_ns;
        by_data_ns.max(free_ns + fill_ns)
    }

    /// Moves the packets that are there at `ns` into `transfer`.
    pub fn deliver(&mut self, transfer: &mut Pending, ns: i64) {
        let there_bytes = self.bytes_at(ns).saturating_sub(self.taken_bytes) / PACKET_BYTES * PACKET_BYTES;
        self.fill(transfer, there_bytes.min(transfer.room()));
    }

    /// Fills `transfer` to its end. Returns how it ends.
    pub fn finish(&mut self, transfer: &mut Pending) -> Status {
        self.fill(transfer, transfer.room());
        if self.failing.0 == 0 {
            return Status::Completed;
        }
        self.failing.0 -= 1;
        self.lost(transfer.filled as u64, name_of(self.failing.1));
        self.failing.1
    }

    fn fill(&mut self, transfer: &mut Pending, bytes: u64) {
        let to = &mut transfer.buffer.bytes()[transfer.filled..transfer.filled + bytes as usize];
        if let Some(levels) = &mut self.levels {
            self.start.layout.fill(levels.as_mut(), self.taken_bytes, to);
        }
        transfer.filled += bytes as usize;
        self.taken_bytes += bytes;
        if let Some(server) = &self.server {
            server.release(self.start.layout.complete_samples(self.taken_bytes));
        }
    }

    /// When the next fault strikes.
    pub fn fault_ns(&self) -> Option<i64> {
        self.faults.front().map(|fault| self.clock.start_ns + fault.at_ns)
    }

    pub fn take_fault(&mut self) -> Option<Kind> {
        self.faults.pop_front().map(|fault| fault.kind)
    }

    /// Bytes vanish.
    pub fn skip(&mut self, bytes: u64, kind: &str) {
        self.taken_bytes += bytes;
        self.lost(bytes, kind);
    }

    /// This and the next transfers fail, `transfers` in all. Returns how the one at the head ends, if there is one.
    pub fn fail(&mut self, head: Option<&Pending>, transfers: u64, status: Status) -> Option<Status> {
        self.failing = (transfers, status);
        let head = head?;
        self.failing.0 -= 1;
        self.lost(head.filled as u64, name_of(status));
        Some(status)
    }

    /// The next transfers end without data.
    pub fn starve(&mut self, transfers: u64) {
        self.empties = transfers;
    }

    pub fn is_starving(&self) -> bool {
        self.empties > 0
    }

    pub fn take_empty(&mut self) {
        self.empties = self.empties.saturating_sub(1);
    }

    /// States in the truth that `bytes` bytes up to what has been taken are lost.
    fn lost(&mut self, bytes: u64, kind: &str) {
        let begin = self.taken_bytes - bytes;
        self.place.truth.write(&format!(
            "lost device={} run={} sample={} samples={} kind={} byte={} bytes={}",
            self.place.device,
            self.place.run,
            self.start.layout.complete_samples(begin),
            self.start.layout.complete_samples(bytes),
            kind,
            begin,
            bytes
        ));
    }

    /// Nothing comes any more. The first reason counts.
    pub fn end(&mut self, kind: &str) {
        if self.phase == Phase::Running {
            let sample = self.start.layout.complete_samples(self.taken_bytes);
            let (device, run) = (self.place.device, self.place.run);
            self.place.truth.write(&format!(
                "end device={} run={} sample={} kind={}",
                device, run, sample, kind
            ));
        }
        self.overflowed |= kind == "fifo";
        self.phase = Phase::Stopped;
        self.server = None;
    }
}

fn name_of(status: Status) -> &'static str {
    if status == Status::Overflow {
        "overflow"
    } else {
        "failed"
    }
}
