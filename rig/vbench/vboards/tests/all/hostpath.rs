//! The way of serial bytes to the host's program: what its stamps show, and why.

use vboards::hostpath::{AdapterSettings, Chunk, Fault, HostPath, ReaderSettings, Readers};

const US: u64 = 1_000_000;
const MS: u64 = 1000 * US;
const BYTE_US: u64 = 20; // 10 bits at 500 kbaud

/// An FT232R under Linux with a latency timer of so many ms.
fn adapter(latency_ms: u64) -> AdapterSettings {
    AdapterSettings {
        latency_timer_ps: latency_ms * MS,
        packet_bytes: 62,
        request_packets: 8,
        poll_ps: MS,
        buffer_bytes: 256,
    }
}

/// A reader that needs no time.
const PROMPT: ReaderSettings = ReaderSettings {
    readers: Readers::PerPort,
    wake_ps: 0,
    wake_tail_ps: 0,
    other_period_ps: 0,
    other_ps: 0,
    read_ps: 0,
    line_ps: 0,
};

fn one_port(latency_ms: u64) -> HostPath {
    let mut host = HostPath::new(1, PROMPT);
    host.plug(0, adapter(latency_ms)).unwrap();
    host
}

/// Sends bytes whose first ends at `t_ps`, at 500 kbaud; returns the end of the last.
fn send(host: &mut HostPath, board: u16, t_ps: u64, bytes: &[u8]) -> u64 {
    let mut end_ps = t_ps;
    for (index, &byte) in bytes.iter().enumerate() {
        end_ps = t_ps + index as u64 * BYTE_US * US;
        host.byte(board, end_ps, byte);
    }
    end_ps
}

fn chunks(host: &mut HostPath, board: u16, now_ps: u64) -> Vec<Chunk> {
    host.advance(now_ps);
    let mut all = Vec::new();
    while let Some(chunk) = host.read(board, now_ps, usize::MAX) {
        all.push(chunk);
    }
    all
}

/// A short line waits for the timer: no longer than it and a poll, and on average half of it.
fn line_delays(latency_ms: u64) -> Vec<u64> {
    let mut host = one_port(latency_ms);
    let mut delays = Vec::new();
    for line in 0..200u64 {
        let end_ps = send(&mut host, 0, line * 101_371 * US + 50 * MS, b"short line\n");
        let found = chunks(&mut host, 0, end_ps + 20 * MS);
        delays.push(found.last().unwrap().stamp_ps - end_ps); // the timer may cut a line in two
    }
    delays
}

#[test]
fn the_latency_timer_delays_short_lines() {
    let mean = |delays: &[u64]| delays.iter().sum::<u64>() / delays.len() as u64;
    let (slow, quick) = (line_delays(16), line_delays(1));
    assert!(slow.iter().all(|&delay| delay <= 17 * MS));
    assert!((7 * MS..=9 * MS).contains(&mean(&slow)), "{}", mean(&slow));
    assert!(quick.iter().all(|&delay| delay <= 2 * MS));
    assert!(mean(&quick) < mean(&slow) / 8);
}

/// Short lines 2 ms apart have stamps of their own at 1 ms; at 16 ms several share one: they cluster.
#[test]
fn stamps_of_lines_cluster_by_the_latency_timer() {
    let stamps = |latency_ms: u64| {
        let mut host = one_port(latency_ms);
        for line in 0..100u64 {
            send(&mut host, 0, (50 + 2 * line) * MS + 300 * US, b"x\n");
        }
        let found = chunks(&mut host, 0, 400 * MS);
        assert_eq!(200, found.iter().map(|chunk| chunk.bytes.len()).sum::<usize>());
        found.len()
    };
    assert_eq!(100, stamps(1));
    assert!((12..=14).contains(&stamps(16)), "{}", stamps(16)); // 200 ms / 16 ms = 12.5
}

/// At full load the packets are always full, so the host gets 8 of them at once (AN232B-04, section 3.3): 496 bytes.
#[test]
fn a_busy_line_comes_in_whole_requests() {
    let mut host = one_port(16);
    send(&mut host, 0, 50 * MS, &[b'.'; 4000]);
    let sizes: Vec<usize> = chunks(&mut host, 0, 500 * MS)
        .iter()
        .map(|chunk| chunk.bytes.len())
        .collect();
    assert_eq!(4000, sizes.iter().sum::<usize>());
    let whole = sizes.iter().filter(|&&size| size == 496).count();
    assert!(whole >= 6 && sizes.len() <= 10, "{:?}", sizes);
}

/// A line of exactly one packet still waits for the timer: an empty packet must end the request.
#[test]
fn a_full_packet_alone_waits_for_the_timer() {
    let mut host = one_port(16);
    let end_ps = send(&mut host, 0, 50 * MS, &[b'.'; 62]);
    let found = chunks(&mut host, 0, 100 * MS);
    assert_eq!(1, found.len());
    assert!(found[0].stamp_ps >= end_ps + 15 * MS, "{}", found[0].stamp_ps - end_ps);
}

/// 20 nodes answer at once: with a thread per port no stamp waits for another; one reader stamps them one by one.
#[test]
fn one_reader_for_many_ports_queues() {
    let line_ps = 300 * US;
    let delays = |readers: Readers| {
        let mut host = HostPath::new(
            1,
            ReaderSettings {
                readers,
                line_ps,
                read_ps: 50 * US,
                ..PROMPT
            },
        );
        for board in 0..20 {
            host.plug(board, adapter(1)).unwrap();
            send(&mut host, board, 50 * MS + 100 * US, b"hello\n");
        }
        let delay = |board: u16| chunks(&mut host, board, 200 * MS)[0].stamp_ps - 50 * MS;
        (0..20).map(delay).collect::<Vec<u64>>()
    };
    let (each, one) = (delays(Readers::PerPort), delays(Readers::One));
    assert!(each.iter().all(|&delay| delay <= 2 * MS + 350 * US));
    assert!(*one.iter().max().unwrap() >= 19 * 350 * US);
    assert!(one.windows(2).all(|pair| pair[0] < pair[1]));
}

/// Lines of one read get stamps one after the other when the reader prints each, and one stamp when it does not.
#[test]
fn lines_of_one_read() {
    let stamps = |line_ps: u64| {
        let mut host = HostPath::new(1, ReaderSettings { line_ps, ..PROMPT });
        host.plug(0, adapter(16)).unwrap();
        send(&mut host, 0, 50 * MS, b"a\nb\nc\nrest");
        chunks(&mut host, 0, 100 * MS)
            .iter()
            .map(|chunk| chunk.stamp_ps)
            .collect::<Vec<u64>>()
    };
    assert_eq!(1, stamps(0).len());
    let printed = stamps(100 * US);
    assert_eq!(
        vec![100 * US, 100 * US, 0],
        printed.windows(2).map(|two| two[1] - two[0]).collect::<Vec<u64>>()
    );
}

/// Other work of the host holds a reader up until it is over.
#[test]
fn other_work_delays_the_reader() {
    let settings = ReaderSettings {
        other_period_ps: 100 * MS,
        other_ps: 30 * MS,
        ..PROMPT
    };
    let mut host = HostPath::new(1, settings);
    host.plug(0, adapter(1)).unwrap();
    send(&mut host, 0, 105 * MS, b"x\n");
    send(&mut host, 0, 150 * MS, b"y\n");
    let found = chunks(&mut host, 0, 300 * MS);
    assert_eq!(130 * MS, found[0].stamp_ps);
    assert!(found[1].stamp_ps < 153 * MS);
}

/// Results do not depend on when the path is asked to continue.
#[test]
fn stamps_do_not_depend_on_how_time_is_cut() {
    let run = |step_ps: u64| {
        let settings = ReaderSettings {
            readers: Readers::One,
            wake_ps: 20 * US,
            wake_tail_ps: 200 * US,
            other_period_ps: 10 * MS,
            other_ps: 2 * MS,
            read_ps: 15 * US,
            line_ps: 70 * US,
        };
        let mut host = HostPath::new(9, settings);
        for board in 0..3 {
            host.plug(board, adapter(4)).unwrap();
        }
        let mut bytes: Vec<(u64, u16, u8)> = Vec::new();
        for index in 0..3000u64 {
            let byte = if index % 23 == 0 { b'\n' } else { b'.' };
            bytes.push((
                10 * MS + index * 37 * US + index / 400 * 9 * MS,
                (index % 3) as u16,
                byte,
            ));
        }
        let (mut found, mut now_ps, mut given) = (Vec::new(), 0, 0);
        while now_ps < 400 * MS {
            now_ps += step_ps;
            while given < bytes.len() && bytes[given].0 <= now_ps {
                host.byte(bytes[given].1, bytes[given].0, bytes[given].2);
                given += 1;
            }
            for board in 0..3 {
                found.extend(chunks(&mut host, board, now_ps).into_iter().map(|chunk| (board, chunk)));
            }
        }
        found.sort_by_key(|(board, chunk)| (*board, chunk.stamp_ps));
        assert_eq!(3000, found.iter().map(|(_, chunk)| chunk.bytes.len()).sum::<usize>());
        assert_eq!(None, host.next_ps());
        found
    };
    let plain = run(400 * MS);
    for step_ps in [US * 333, MS, 7 * MS + 13] {
        assert_eq!(plain, run(step_ps));
    }
}

/// Time can jump from one `next_ps` to the next, and everything arrives.
#[test]
fn next_ps_leads_to_the_end() {
    let mut host = one_port(16);
    let mut now_ps = send(&mut host, 0, 50 * MS, &[b'.'; 100]);
    host.advance(now_ps);
    while let Some(next_ps) = host.next_ps() {
        assert!(next_ps > now_ps);
        now_ps = next_ps;
        host.advance(now_ps);
    }
    assert_eq!(100, host.read(0, host.last_stamp_ps(), usize::MAX).unwrap().bytes.len());
    assert!(now_ps <= 70 * MS);
}

/// A stalled adapter hands over nothing, then what its buffer held; the rest is lost and counted.
#[test]
fn a_stall_delays_and_loses() {
    let mut host = one_port(1);
    let stall = Fault::Stall {
        from_ps: 40 * MS,
        for_ps: 100 * MS,
    };
    host.fault(0, stall).unwrap();
    send(&mut host, 0, 50 * MS, &[b'.'; 300]);
    assert_eq!(Vec::<Chunk>::new(), chunks(&mut host, 0, 139 * MS));
    let found = chunks(&mut host, 0, 200 * MS);
    assert!(found.iter().all(|chunk| chunk.stamp_ps >= 140 * MS));
    assert_eq!(256, found.iter().map(|chunk| chunk.bytes.len()).sum::<usize>());
    assert_eq!(44, host.overrun(0));
}

fn received(fault: Fault, sent: &[u8]) -> Vec<u8> {
    let mut host = one_port(1);
    host.fault(0, fault).unwrap();
    send(&mut host, 0, 50 * MS, sent);
    chunks(&mut host, 0, 100_000 * MS)
        .iter()
        .flat_map(|chunk| chunk.bytes.clone())
        .collect()
}

#[test]
fn garbled_bytes_have_one_wrong_bit_and_their_rate() {
    let (from_ps, for_ps) = (0, u64::MAX);
    let sent = vec![b'U'; 100_000];
    let got = received(
        Fault::Garbled {
            from_ps,
            for_ps,
            ppm: 10_000,
        },
        &sent,
    );
    assert_eq!(sent.len(), got.len());
    let wrong: Vec<u8> = got.iter().filter(|&&byte| byte != b'U').copied().collect();
    assert!((850..=1150).contains(&wrong.len()), "{}", wrong.len());
    assert!(wrong.iter().all(|byte| (byte ^ b'U').count_ones() == 1));
}

#[test]
fn bytes_and_lines_are_lost_in_their_time() {
    let sent: Vec<u8> = b"0123456789\n".iter().copied().cycle().take(110_000).collect();
    let (from_ps, for_ps) = (50 * MS, 1100 * MS); // half of 110 000 bytes of 20 us
    let bytes = received(
        Fault::LostBytes {
            from_ps,
            for_ps,
            ppm: 20_000,
        },
        &sent,
    );
    assert!(
        (950..=1250).contains(&(sent.len() - bytes.len())),
        "{}",
        sent.len() - bytes.len()
    );
    let lines = received(
        Fault::LostLines {
            from_ps,
            for_ps,
            ppm: 100_000,
        },
        &sent,
    );
    let lost = sent.len() - lines.len();
    assert_eq!(0, lost % 11);
    assert!((400..=600).contains(&(lost / 11)), "{}", lost / 11);
    assert!(lines
        .split_inclusive(|&byte| byte == b'\n')
        .all(|line| line == b"0123456789\n"));
}

#[test]
fn impossible_adapters_are_refused() {
    let mut host = HostPath::new(1, PROMPT);
    let none = AdapterSettings {
        packet_bytes: 0,
        ..adapter(1)
    };
    assert!(host.plug(0, none).is_err());
    host.plug(0, adapter(1)).unwrap();
    assert_eq!(
        Err("board 0 has a serial adapter already".to_string()),
        host.plug(0, adapter(1))
    );
    let stall = Fault::Stall { from_ps: 0, for_ps: 1 };
    assert_eq!(Err("board 7 has no serial adapter".to_string()), host.fault(7, stall));
}
