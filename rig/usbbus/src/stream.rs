//! A device's stream of samples into the transfers of its endpoint, event by event.
//!
//! Sample n is taken at its instant whatever the host does. Samples wait in the device's FIFO until the transfer at the
//! head of the queue takes them, in packets. Nothing here reads a clock: `Pipe::advance` brings a pipe to an instant,
//! with everything that has happened on the way in its order.

use crate::abi::Status;
use crate::beaglelogic::Server;
use crate::clock::SampleClock;
use crate::config::{DeviceConfig, SignalConfig};
use crate::fault::{Fault, Kind};
use crate::layout::Layout;
use crate::signal::{Levels, Noisy, Sampled, Signal};
use crate::sys;
use crate::transfer::{Completion, Pending};
use crate::truth::Truth;
use std::collections::VecDeque;

/// Bytes of a bulk packet at high speed (USB 2.0, 5.8.3).
pub const PACKET_BYTES: u64 = 512;
/// A microframe: how soon an answer without data ends a transfer (USB 2.0, 5.3.3).
const MICROFRAME_NS: i64 = 125_000;
/// From one empty answer to the next: a frame (USB 2.0, 5.3.3), so that a busy host is not late by them alone.
const FRAME_NS: i64 = 1_000_000;

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Sampling begins with the first IN packet that the host asks for.
    Armed,
    Running,
    Stopped,
}

/// One start of a device.
pub struct Run {
    pub device: usize,
    pub number: u32,
    start: Start,
    config: DeviceConfig,
    epoch_ns: i64,
    signal: Option<Signal>,
    truth: Truth,
    faults: VecDeque<Fault>,
    phase: Phase,
    armed_ns: i64,
    clock: SampleClock,
    levels: Option<Box<dyn Levels>>,
    server: Option<Server>,
    /// Bytes of the stream that are gone from the device: delivered or lost.
    taken_bytes: u64,
    failing: (u64, Status),
    empties: u64,
    overflowed: bool,
}

impl Run {
    /// Run `number` of device `device`, started at `now_ns`. `faults`: those of this run, in any order.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        device: usize,
        number: u32,
        start: Start,
        config: &DeviceConfig,
        signal: Option<Signal>,
        faults: Vec<Fault>,
        truth: Truth,
        (epoch_ns, now_ns): (i64, i64),
    ) -> Run {
        let mut faults = faults;
        faults.retain(|fault| !matches!(fault.kind, Kind::Unplug { .. }));
        let rate_bytes_s = start.rate_hz() * start.layout.group_bytes() as f64 / start.layout.group_samples() as f64;
        if rate_bytes_s > config.usb_bytes_s {
            let at_ns = (config.fifo_bytes as f64 / (rate_bytes_s - config.usb_bytes_s) * 1e9) as i64;
            faults.push(Fault {
                device,
                run: number,
                at_ns,
                kind: Kind::Fifo,
            });
        }
        faults.sort_by_key(|fault| fault.at_ns);
        let clock = SampleClock::new(
            now_ns,
            start.clock_hz,
            start.divider,
            config.ppm,
            config.drift_ppm_per_s,
        );
        Run {
            device,
            number,
            start,
            config: config.clone(),
            epoch_ns,
            signal,
            truth,
            faults: faults.into(),
            phase: Phase::Armed,
            armed_ns: now_ns,
            clock,
            levels: None,
            server: None,
            taken_bytes: 0,
            failing: (0, Status::Error),
            empties: 0,
            overflowed: false,
        }
    }

    /// Has the FIFO been full?
    pub fn has_overflowed(&self) -> bool {
        self.overflowed
    }

    fn layout(&self) -> &Layout {
        &self.start.layout
    }

    /// The first packet is asked for: sampling begins.
    fn begin(&mut self, ns: i64) {
        self.phase = Phase::Running;
        self.clock.start_ns = ns;
        let on_axis = SampleClock {
            start_ns: ns - self.epoch_ns,
            ..self.clock.clone()
        };
        let (rate_hz, unit) = (
            self.clock.rate_uhz as f64 * 1e-6,
            if *self.layout() == Layout::Bytes { 1 } else { 2 },
        );
        let channels = match self.layout() {
            Layout::Bytes => 0xff,
            Layout::Words => 0xffff,
            Layout::Planes { channels, .. } => *channels,
        };
        self.truth.write(&format!(
            "start device={} run={} rate_hz={:.6} unit={} channels={:x} start_ns={} drift={} noise_samples={} noise_every={}",
            self.device, self.number, rate_hz, unit, channels, on_axis.start_ns, self.config.drift_ppm_per_s,
            self.config.noise_samples, self.config.noise_every
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

    fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Has its server ended, so that the next packet never comes?
    fn is_starved(&self) -> bool {
        let lacks = |server: &Server| {
            server.has_ended() && self.layout().bytes_of(server.samples()) < self.taken_bytes + PACKET_BYTES
        };
        self.server.as_ref().map_or(false, lacks)
    }

    /// Bytes that the stream has had until `ns`.
    fn bytes_at(&self, ns: i64) -> u64 {
        let mut samples = self.clock.samples_at(ns);
        if let Some(server) = &self.server {
            samples = samples.min(server.samples());
        }
        self.layout().bytes_of(samples)
    }

    /// When the stream has had `bytes` bytes; None while its server owes them.
    fn reached_ns(&self, bytes: u64) -> Option<i64> {
        let samples = self.layout().samples_of(bytes);
        let owed = self.server.as_ref().map_or(false, |server| server.samples() < samples);
        Some(self.clock.taken_ns(samples)).filter(|_| !owed)
    }

    /// When the FIFO is full, with nothing that empties it since `free_ns`.
    fn full_ns(&self, free_ns: i64) -> i64 {
        let fifo = self.config.fifo_bytes;
        let by_data = self.clock.taken_ns(self.layout().samples_of(self.taken_bytes + fifo));
        let fill_ns = self.clock.taken_ns(self.layout().samples_of(fifo)) - self.clock.start_ns;
        by_data.max(free_ns + fill_ns)
    }

    /// Moves the packets that are there at `ns` into `transfer`.
    fn deliver(&mut self, transfer: &mut Pending, ns: i64) {
        let room = (transfer.buffer.len() - transfer.filled) as u64;
        let there = self.bytes_at(ns).saturating_sub(self.taken_bytes) / PACKET_BYTES * PACKET_BYTES;
        self.fill(transfer, there.min(room));
    }

    fn fill(&mut self, transfer: &mut Pending, bytes: u64) {
        let to = &mut transfer.buffer.bytes()[transfer.filled..transfer.filled + bytes as usize];
        if let Some(levels) = &mut self.levels {
            self.start.layout.fill(levels.as_mut(), self.taken_bytes, to);
        }
        transfer.filled += bytes as usize;
        self.taken_bytes += bytes;
        if let Some(server) = &self.server {
            server.release(
                self.layout()
                    .samples_of(self.taken_bytes)
                    .saturating_sub(2 * self.layout().group_samples()),
            );
        }
    }

    /// Says in the truth that `bytes` bytes up to what has been taken are lost.
    fn lost(&mut self, bytes: u64, kind: &str) {
        let first = self.taken_bytes - bytes;
        let samples = |bytes: u64| bytes / self.layout().group_bytes() * self.layout().group_samples();
        self.truth.write(&format!(
            "lost device={} run={} sample={} samples={} kind={} byte={} bytes={}",
            self.device,
            self.number,
            samples(first),
            samples(bytes),
            kind,
            first,
            bytes
        ));
    }

    /// Nothing comes any more. The first reason counts.
    pub fn end(&mut self, kind: &str) {
        if self.phase == Phase::Running {
            let sample = self.taken_bytes / self.layout().group_bytes() * self.layout().group_samples();
            self.truth.write(&format!(
                "end device={} run={} sample={} kind={}",
                self.device, self.number, sample, kind
            ));
        }
        self.overflowed |= kind == "fifo";
        self.phase = Phase::Stopped;
        self.server = None;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Begin,
    Header,
    Full,
    Strike,
    Complete,
    Empty,
    Stalled,
    TimedOut(usize),
}

/// The endpoint that streams: its queue of transfers and, after a start, the run that feeds them.
#[derive(Default)]
pub struct Pipe {
    queue: VecDeque<Pending>,
    pub run: Option<Run>,
    /// When the last transfer ended, or a fault struck the one at the head, which gets data from then on.
    free_ns: i64,
    /// Did its owner take back the transfer that left last? Then an empty queue is not lateness.
    cancelled: bool,
    stalled: bool,
    hung: bool,
}

impl Pipe {
    pub fn submit(&mut self, transfer: Pending) {
        self.queue.push_back(transfer);
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Does a server feed it, so that nothing tells when data comes?
    pub fn is_fed(&self) -> bool {
        self.run.as_ref().map_or(false, |run| run.server.is_some())
    }

    /// `libusb_clear_halt`.
    pub fn clear_halt(&mut self) {
        self.stalled = false;
    }

    /// When `advance` has something to do next.
    pub fn next_ns(&self) -> Option<i64> {
        self.next().map(|(ns, _)| ns)
    }

    /// Brings the pipe to `now_ns`. What ended goes to `done` in its order.
    pub fn advance(&mut self, now_ns: i64, done: &mut Vec<Completion>) {
        if let Some(run) = self.run.as_mut().filter(|run| run.is_starved()) {
            run.end("server");
        }
        while let Some((ns, event)) = self.next().filter(|next| next.0 <= now_ns) {
            self.apply(ns, event, done);
        }
    }

    /// Takes transfer `id` back at `now_ns`, to which the pipe was advanced; false where it is not in the queue.
    pub fn cancel(&mut self, id: usize, now_ns: i64, done: &mut Vec<Completion>) -> bool {
        let at = match self.queue.iter().position(|transfer| transfer.id == id) {
            Some(at) => at,
            None => return false,
        };
        self.take_partly(at, now_ns);
        self.complete(at, Status::Cancelled, now_ns, done);
        true
    }

    /// The device is gone.
    pub fn vanish(&mut self, ns: i64, done: &mut Vec<Completion>) {
        if let Some(run) = &mut self.run {
            run.end("unplug");
        }
        while !self.queue.is_empty() {
            self.complete(0, Status::NoDevice, ns, done);
        }
    }

    fn next(&self) -> Option<(i64, Event)> {
        let mut events: Vec<(i64, Event)> = Vec::with_capacity(4);
        if let Some(run) = self.run.as_ref().filter(|run| run.phase != Phase::Stopped) {
            self.events_of(run, &mut events);
        }
        if let Some(head) = self.queue.front().filter(|_| self.stalled) {
            events.push((head.submitted_ns.max(self.free_ns) + MICROFRAME_NS, Event::Stalled));
        }
        if !self.hung {
            let ends = self
                .queue
                .iter()
                .enumerate()
                .map(|(at, transfer)| (transfer.deadline_ns, Event::TimedOut(at)));
            events.extend(ends.filter(|end| end.0 != i64::MAX).min_by_key(|end| end.0));
        }
        events.into_iter().min_by_key(|event| event.0)
    }

    /// What a run does next to the queue. Events of one instant come in this order.
    fn events_of(&self, run: &Run, events: &mut Vec<(i64, Event)>) {
        let head = self.queue.front();
        let asked_ns = head.map(|head| head.submitted_ns.max(self.free_ns));
        if !run.is_running() {
            let event = if run.start.header.is_some() {
                Event::Header
            } else {
                Event::Begin
            };
            events.extend(asked_ns.map(|asked_ns| (asked_ns.max(run.armed_ns), event)));
            return;
        }
        match (head, asked_ns) {
            (Some(_), Some(asked_ns)) if run.empties > 0 => events.push((asked_ns + FRAME_NS, Event::Empty)),
            (Some(head), Some(asked_ns)) => {
                let reached_ns = run.reached_ns(run.taken_bytes + (head.buffer.len() - head.filled) as u64);
                events.extend(reached_ns.map(|reached_ns| (reached_ns.max(asked_ns), Event::Complete)));
            }
            _ => events.push((run.full_ns(self.free_ns), Event::Full)),
        }
        events.extend(
            run.faults
                .front()
                .map(|fault| (run.clock.start_ns + fault.at_ns, Event::Strike)),
        );
    }

    fn apply(&mut self, ns: i64, event: Event, done: &mut Vec<Completion>) {
        match event {
            Event::TimedOut(at) => {
                self.take_partly(at, ns);
                self.complete(at, Status::TimedOut, ns, done);
            }
            Event::Stalled => self.complete(0, Status::Stall, ns, done),
            Event::Strike => self.strike(ns, done),
            _ => self.go_on(ns, event, done),
        }
    }

    /// Events of a run that is not stopped.
    fn go_on(&mut self, ns: i64, event: Event, done: &mut Vec<Completion>) {
        let (run, head) = match (&mut self.run, self.queue.front_mut()) {
            (Some(run), None) if event == Event::Full => {
                return run.end(if self.cancelled { "cancelled" } else { "fifo" })
            }
            (Some(run), Some(head)) => (run, head),
            _ => return,
        };
        let mut status = Status::Completed;
        match event {
            Event::Begin => return run.begin(ns),
            Event::Header => {
                let header = run.start.header.take().unwrap_or_default();
                let count = header.len().min(head.buffer.len());
                head.buffer.bytes()[..count].copy_from_slice(&header[..count]);
                head.filled = count;
            }
            Event::Empty => run.empties -= 1,
            _ => {
                let bytes = (head.buffer.len() - head.filled) as u64;
                run.fill(head, bytes);
                if run.failing.0 > 0 {
                    run.failing.0 -= 1;
                    status = run.failing.1;
                    run.lost(head.filled as u64, name_of(status));
                }
            }
        }
        self.complete(0, status, ns, done);
    }

    /// The fault that is due.
    fn strike(&mut self, ns: i64, done: &mut Vec<Completion>) {
        self.take_partly(0, ns);
        if !self.queue.is_empty() {
            self.free_ns = ns;
        }
        let run = match &mut self.run {
            Some(run) => run,
            None => return,
        };
        let kind = match run.faults.pop_front() {
            Some(fault) => fault.kind,
            None => return,
        };
        let status = match kind {
            Kind::Lost { bytes } | Kind::Rotate { words: bytes } => {
                let bytes = if kind.name() == "rotate" { 2 * bytes } else { bytes };
                run.taken_bytes += bytes;
                return run.lost(bytes, kind.name());
            }
            Kind::Fifo => return run.end("fifo"),
            Kind::Hang => {
                self.hung = true;
                return run.end("hang");
            }
            Kind::Stall => {
                self.stalled = true;
                return run.end("stall");
            }
            Kind::Empty { transfers } => {
                run.empties = transfers;
                return;
            }
            Kind::Die => {
                run.end("die");
                return sys::die();
            }
            Kind::Unplug { .. } => return,
            Kind::Failed { transfers } => (transfers, Status::Error),
            Kind::Overflow { transfers } => (transfers, Status::Overflow),
        };
        run.failing = status;
        if let Some(head) = self.queue.front() {
            run.failing.0 -= 1;
            run.lost(head.filled as u64, name_of(status.1));
            self.complete(0, status.1, ns, done);
        }
    }

    /// Gives the transfer at the head the packets that are there at `ns`.
    fn take_partly(&mut self, at: usize, ns: i64) {
        if let (0, Some(run), Some(head)) = (at, &mut self.run, self.queue.front_mut()) {
            if run.is_running() && run.empties == 0 {
                run.deliver(head, ns);
            }
        }
    }

    fn complete(&mut self, at: usize, status: Status, ns: i64, done: &mut Vec<Completion>) {
        if let Some(transfer) = self.queue.remove(at) {
            if at == 0 {
                self.free_ns = ns;
            }
            self.cancelled = status == Status::Cancelled;
            done.push(Completion {
                id: transfer.id,
                status,
                length: transfer.filled,
            });
        }
    }
}

fn name_of(status: Status) -> &'static str {
    if status == Status::Overflow {
        "overflow"
    } else {
        "failed"
    }
}
