//! The endpoint that streams: samples wait in the device's FIFO until the transfer at the head of the queue takes them.
//!
//! Nothing here reads a clock: `Pipe::advance` brings a pipe to an instant, with everything that has happened on the way
//! in its order.

use crate::abi::Status;
use crate::fault::Kind;
use crate::run::Run;
use crate::sys;
use crate::transfer::{Completion, Pending};
use std::collections::VecDeque;

/// How soon a stalled endpoint answers: a microframe (USB 2.0, 5.3.3).
const MICROFRAME_NS: i64 = 125_000;
/// From one empty answer to the next: a frame, so that a busy host is not late by them alone.
const FRAME_NS: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// The run begins.
    Begin,
    /// The head of the queue gets what comes before the samples.
    Header,
    /// The head is full.
    Complete,
    /// The head ends without data.
    Empty,
    /// The FIFO is full.
    Full,
    /// A fault is due.
    Strike,
    Stalled,
    TimedOut(usize),
}

/// A queue of transfers and, after a start, the run that feeds them.
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
        match self.queue.iter().position(|transfer| transfer.id == id) {
            Some(at) => self.give_up(at, Status::Cancelled, now_ns, done),
            None => return false,
        }
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

    /// What happens next. Of events at one instant the first pushed comes first.
    fn next(&self) -> Option<(i64, Event)> {
        let mut events = Vec::with_capacity(4);
        if let Some(run) = &self.run {
            self.events_of(run, &mut events);
        }
        if let Some(asked_ns) = self.asked_ns().filter(|_| self.stalled) {
            events.push((asked_ns + MICROFRAME_NS, Event::Stalled));
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

    /// Since when the transfer at the head has asked for data.
    fn asked_ns(&self) -> Option<i64> {
        self.queue.front().map(|head| head.submitted_ns.max(self.free_ns))
    }

    fn events_of(&self, run: &Run, events: &mut Vec<(i64, Event)>) {
        if let Some(armed_ns) = run.armed_ns() {
            let event = if run.has_header() { Event::Header } else { Event::Begin };
            events.extend(self.asked_ns().map(|asked_ns| (asked_ns.max(armed_ns), event)));
        }
        if !run.is_running() {
            return;
        }
        match (self.queue.front(), self.asked_ns()) {
            (Some(_), Some(asked_ns)) if run.is_starving() => events.push((asked_ns + FRAME_NS, Event::Empty)),
            (Some(head), Some(asked_ns)) => {
                events.extend(
                    run.filled_ns(head)
                        .map(|filled_ns| (filled_ns.max(asked_ns), Event::Complete)),
                );
            }
            _ => events.push((run.full_ns(self.free_ns), Event::Full)),
        }
        events.extend(run.fault_ns().map(|fault_ns| (fault_ns, Event::Strike)));
    }

    fn apply(&mut self, ns: i64, event: Event, done: &mut Vec<Completion>) {
        match event {
            Event::TimedOut(at) => return self.give_up(at, Status::TimedOut, ns, done),
            Event::Stalled => return self.complete(0, Status::Stall, ns, done),
            Event::Strike => return self.strike(ns, done),
            _ => (),
        }
        let (run, head) = match (&mut self.run, self.queue.front_mut()) {
            (Some(run), Some(head)) => (run, head),
            (Some(run), None) => return run.end(if self.cancelled { "cancelled" } else { "fifo" }),
            _ => return,
        };
        let mut status = Status::Completed;
        match event {
            Event::Begin => return run.begin(ns),
            Event::Header => head.write(&run.take_header().unwrap_or_default()),
            Event::Empty => run.take_empty(),
            _ => status = run.finish(head),
        }
        self.complete(0, status, ns, done);
    }

    /// The fault that is due.
    fn strike(&mut self, ns: i64, done: &mut Vec<Completion>) {
        self.take_partly(ns);
        if !self.queue.is_empty() {
            self.free_ns = ns;
        }
        let run = match &mut self.run {
            Some(run) => run,
            None => return,
        };
        let kind = match run.take_fault() {
            Some(kind) => kind,
            None => return,
        };
        let head = self.queue.front();
        let status = match kind {
            Kind::Lost { bytes } => return run.skip(bytes, kind.name()),
            Kind::Rotate { words } => return run.skip(2 * words, kind.name()),
            Kind::Empty { transfers } => return run.starve(transfers),
            Kind::Failed { transfers } => run.fail(head, transfers, Status::Error),
            Kind::Overflow { transfers } => run.fail(head, transfers, Status::Overflow),
            Kind::Unplug { .. } => None, // the state knows it
            Kind::Fifo | Kind::Hang | Kind::Stall | Kind::Die => {
                run.end(kind.name());
                self.hung |= kind == Kind::Hang;
                self.stalled |= kind == Kind::Stall;
                if kind == Kind::Die {
                    sys::die();
                }
                None
            }
        };
        if let Some(status) = status {
            self.complete(0, status, ns, done);
        }
    }

    /// Gives the transfer at the head the packets that are there at `ns`.
    fn take_partly(&mut self, ns: i64) {
        if let (Some(run), Some(head)) = (&mut self.run, self.queue.front_mut()) {
            if run.is_running() && !run.is_starving() {
                run.deliver(head, ns);
            }
        }
    }

    /// Ends transfer `at` before it is full.
    fn give_up(&mut self, at: usize, status: Status, ns: i64, done: &mut Vec<Completion>) {
        if at == 0 {
            self.take_partly(ns);
        }
        self.complete(at, status, ns, done);
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
