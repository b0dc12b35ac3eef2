//! The stream of an FX2 into transfers: instants, FIFO, timeouts, faults.

mod support;

use support::Folder;
use usbbus::abi::Status;
use usbbus::clock::SampleClock;
use usbbus::config::Config;
use usbbus::layout::Layout;
use usbbus::pipe::Pipe;
use usbbus::run::{Place, Run, Start};
use usbbus::signal::{Sampled, Signal};
use usbbus::transfer::{Buffer, Completion, Pending};
use usbbus::truth::Truth;

const US: i64 = 1_000;
const MS: i64 = 1_000 * US;
const START_NS: i64 = 50 * MS;
const EPOCH_NS: i64 = 20 * MS;
/// 6 MS/s: a packet of 512 bytes in 85.3 us, the FIFO of 2048 bytes in 341.3 us.
const DIVIDER: u64 = 8;
const PACKET: usize = 512;

struct Bench {
    folder: Folder,
    pipe: Pipe,
    buffers: Vec<Vec<u8>>,
    done: Vec<Completion>,
}

impl Bench {
    /// A board that gets its start command at `START_NS`.
    fn new(device: &str, faults: &str) -> Bench {
        let folder = Folder::new();
        let text = format!("device half_period_ns=10000 {}\n{}", device, faults);
        let config = Config::parse(&text, &folder.0).unwrap();
        let signal = Signal::read(&config.devices[0].signal).unwrap();
        let place = Place {
            device: 0,
            run: 1,
            epoch_ns: EPOCH_NS,
            truth: Truth::new(&folder.0),
        };
        let start = Start {
            layout: Layout::Bytes,
            clock_hz: 48_000_000,
            divider: DIVIDER,
            header: None,
        };
        let run = Run::new(place, start, &config.devices[0], signal, config.faults, START_NS);
        let mut pipe = Pipe::default();
        pipe.run = Some(run);
        Bench {
            folder,
            pipe,
            buffers: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Submits a transfer of some packets, with the next number.
    fn submit(&mut self, packets: usize, submitted_ns: i64, timeout_ns: i64) {
        self.pipe.advance(submitted_ns, &mut self.done);
        self.buffers.push(vec![0; packets * PACKET]);
        let id = self.buffers.len() - 1;
        let buffer = unsafe { Buffer::new(self.buffers[id].as_mut_ptr(), packets * PACKET) };
        let deadline_ns = submitted_ns + timeout_ns;
        self.pipe.submit(Pending {
            id,
            buffer,
            filled: 0,
            submitted_ns,
            deadline_ns,
        });
    }

    fn advance(&mut self, ns: i64) -> Vec<(usize, Status, usize)> {
        self.pipe.advance(ns, &mut self.done);
        self.done
            .drain(..)
            .map(|end| (end.id, end.status, end.length))
            .collect()
    }

    /// The bytes of the stream from `offset` on.
    fn stream(offset: u64, length: usize) -> Vec<u8> {
        let clock = SampleClock::new(START_NS - EPOCH_NS, 48_000_000, DIVIDER, 0.0, 0.0);
        let mut bytes = vec![0; length];
        let mut levels = Sampled::new(Signal::Counter { half_period_ns: 10_000 }, clock);
        Layout::Bytes.fill(&mut levels, offset, &mut bytes);
        bytes
    }

    fn holds(&self, id: usize, offset: u64, length: usize) {
        assert_eq!(
            self.buffers[id][..length],
            Bench::stream(offset, length),
            "transfer {}",
            id
        );
    }

    /// Lines of the truth after the first, without their device and run.
    fn truth(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.0.join("truth")).unwrap();
        text.lines()
            .skip(1)
            .map(|line| line.replace(" device=0 run=1", ""))
            .collect()
    }
}

/// When `packets` packets have been sampled.
fn sampled_ns(packets: i64) -> i64 {
    START_NS + (packets * 512 * 1000 * DIVIDER as i64 + 47) / 48
}

#[test]
fn transfers_are_filled_in_order_at_the_instants_of_their_samples() {
    let mut bench = Bench::new("", "");
    (0..3).for_each(|_| bench.submit(2, START_NS - MS, 100 * MS));
    assert_eq!(bench.advance(sampled_ns(2) - 1), []);
    assert_eq!(bench.pipe.next_ns(), Some(sampled_ns(2)));
    assert_eq!(bench.advance(sampled_ns(2)), [(0, Status::Completed, 1024)]);
    assert_eq!(
        bench.advance(sampled_ns(7)),
        [(1, Status::Completed, 1024), (2, Status::Completed, 1024)]
    );
    (0..3).for_each(|id| bench.holds(id, 1024 * id as u64, 1024));
}

#[test]
fn sampling_begins_when_the_host_asks() {
    let mut bench = Bench::new("", "");
    bench.submit(1, START_NS + 7 * MS, 100 * MS);
    assert_eq!(bench.advance(START_NS + 7 * MS), []);
    let text = std::fs::read_to_string(bench.folder.0.join("truth")).unwrap();
    assert!(
        text.starts_with("start device=0 run=1 rate_hz=6000000.000000 unit=1 channels=ff start_ns=37000000 "),
        "{}",
        text
    );
}

#[test]
fn the_fifo_bridges_341_us_and_not_more() {
    let mut bench = Bench::new("", "");
    bench.submit(1, START_NS, 100 * MS);
    bench.submit(1, sampled_ns(1) + 341 * US, 100 * MS);
    assert_eq!(bench.advance(sampled_ns(6)).len(), 2);
    bench.holds(1, 512, 512);
    assert_eq!(bench.truth(), Vec::<String>::new());
    bench.submit(1, sampled_ns(6), 100 * MS);
    bench.advance(sampled_ns(7));
    // empty since then for 342 us
    bench.submit(1, sampled_ns(7) + 342 * US, 100 * MS);
    assert_eq!(
        bench.advance(sampled_ns(7) + 342 * US + 100 * MS),
        [(3, Status::TimedOut, 0)]
    );
    assert_eq!(bench.truth(), ["end sample=1536 kind=fifo"]);
}

#[test]
fn a_timeout_gives_complete_packets_and_loses_nothing() {
    let mut bench = Bench::new("", "");
    bench.submit(10, START_NS, 300 * US);
    bench.submit(2, START_NS, 100 * MS);
    assert_eq!(
        bench.advance(sampled_ns(5)),
        [(0, Status::TimedOut, 3 * 512), (1, Status::Completed, 1024)]
    );
    bench.holds(0, 0, 1536);
    bench.holds(1, 1536, 1024);
}

#[test]
fn what_is_cancelled_ends_at_once_wherever_it_stands() {
    let mut bench = Bench::new("", "");
    (0..3).for_each(|_| bench.submit(10, START_NS, 100 * MS));
    bench.advance(START_NS + 200 * US);
    let mut done = Vec::new();
    assert!(bench.pipe.cancel(1, START_NS + 200 * US, &mut done));
    assert!(bench.pipe.cancel(0, START_NS + 200 * US, &mut done));
    assert!(!bench.pipe.cancel(0, START_NS + 200 * US, &mut done));
    let ends: Vec<_> = done.iter().map(|end| (end.id, end.status, end.length)).collect();
    assert_eq!(ends, [(1, Status::Cancelled, 0), (0, Status::Cancelled, 1024)]);
    bench.advance(sampled_ns(12));
    bench.holds(2, 1024, 5120);
    bench.submit(1, sampled_ns(12), 100 * MS);
    assert!(bench.pipe.cancel(3, sampled_ns(12), &mut done));
    bench.advance(sampled_ns(20));
    assert_eq!(bench.truth(), ["end sample=6144 kind=cancelled"]);
}

/// What three transfers of 4 packets become with a fault after 400 us: 4 packets and 352 bytes later.
fn with_fault(fault: &str) -> (Bench, Vec<(usize, Status, usize)>) {
    let mut bench = Bench::new("", &format!("fault {} at_s=0.0004", fault));
    (0..3).for_each(|_| bench.submit(4, START_NS, 10 * MS));
    let ends = bench.advance(START_NS + 5 * MS);
    (bench, ends)
}

#[test]
fn lost_bytes_move_the_stream() {
    let (bench, ends) = with_fault("kind=lost n=100");
    assert_eq!(
        ends,
        [
            (0, Status::Completed, 2048),
            (1, Status::Completed, 2048),
            (2, Status::Completed, 2048)
        ]
    );
    bench.holds(1, 2148, 2048);
    assert_eq!(
        bench.truth()[0],
        "lost sample=2048 samples=100 kind=lost byte=2048 bytes=100"
    );
    let (bench, _) = with_fault("kind=rotate n=4");
    bench.holds(1, 2056, 2048);
}

#[test]
fn failed_transfers_lose_what_they_held() {
    let mut bench = Bench::new("", "fault kind=failed at_s=0.000600 n=2");
    (0..4).for_each(|_| bench.submit(4, START_NS, 10 * MS));
    let ends = bench.advance(START_NS + 5 * MS);
    // 600 us are 7.03 packets: the second transfer held 3
    let failed = [(1, Status::Error, 1536), (2, Status::Error, 2048)];
    assert_eq!(
        ends,
        [
            vec![(0, Status::Completed, 2048)],
            failed.to_vec(),
            vec![(3, Status::Completed, 2048)]
        ]
        .concat()
    );
    bench.holds(3, 7 * 512 + 2048, 2048);
    let lost = [
        "lost sample=2048 samples=1536 kind=failed byte=2048 bytes=1536",
        "lost sample=3584 samples=2048 kind=failed byte=3584 bytes=2048",
    ]; // fmt: skip
    assert_eq!(bench.truth()[..2], lost);
}

#[test]
fn empty_transfers_lose_nothing() {
    let (bench, ends) = with_fault("kind=empty n=1");
    assert_eq!(
        ends,
        [
            (0, Status::Completed, 2048),
            (1, Status::Completed, 0),
            (2, Status::Completed, 2048)
        ]
    );
    bench.holds(2, 2048, 2048);
}

#[test]
fn a_stall_lasts_until_it_is_cleared() {
    let (mut bench, ends) = with_fault("kind=stall");
    assert_eq!(
        ends,
        [
            (0, Status::Completed, 2048),
            (1, Status::Stall, 0),
            (2, Status::Stall, 0)
        ]
    );
    assert_eq!(bench.truth(), ["end sample=2048 kind=stall"]);
    bench.pipe.clear_halt();
    bench.submit(1, START_NS + 6 * MS, 10 * MS);
    assert_eq!(bench.advance(START_NS + 20 * MS), [(3, Status::TimedOut, 0)]);
}

#[test]
fn a_hang_ends_by_cancelling_only() {
    let (mut bench, ends) = with_fault("kind=hang");
    assert_eq!(ends.len(), 1);
    assert_eq!(bench.advance(START_NS + 1000 * MS), []);
    assert!(bench.pipe.cancel(1, START_NS + 1000 * MS, &mut bench.done));
    assert_eq!(bench.advance(START_NS + 1000 * MS), [(1, Status::Cancelled, 0)]);
}

#[test]
fn a_full_fifo_leaves_what_was_sent() {
    let mut bench = Bench::new("", "fault kind=fifo at_s=0.000600");
    (0..3).for_each(|_| bench.submit(4, START_NS, 10 * MS));
    let ends = bench.advance(START_NS + 20 * MS);
    assert_eq!(
        ends,
        [
            (0, Status::Completed, 2048),
            (1, Status::TimedOut, 1536),
            (2, Status::TimedOut, 0)
        ]
    );
    bench.holds(1, 2048, 1536);
    assert_eq!(bench.truth(), ["end sample=3584 kind=fifo"]);
}

#[test]
fn a_bus_that_carries_less_than_the_rate_fills_the_fifo() {
    let mut bench = Bench::new("usb_bytes_s=4e6", "");
    bench.submit(100, START_NS, 10 * MS);
    // 2 MB/s too much: full after 1.024 ms, when 6144 samples have been taken
    assert_eq!(bench.advance(START_NS + 20 * MS), [(0, Status::TimedOut, 6144)]);
}

#[test]
fn a_device_that_is_gone_ends_all() {
    let mut bench = Bench::new("", "");
    (0..2).for_each(|_| bench.submit(4, START_NS, 10 * MS));
    bench.advance(sampled_ns(4));
    let mut done = Vec::new();
    bench.pipe.vanish(sampled_ns(4), &mut done);
    assert_eq!(
        done,
        [Completion {
            id: 1,
            status: Status::NoDevice,
            length: 0
        }]
    );
    assert_eq!(bench.truth(), ["end sample=2048 kind=unplug"]);
}
