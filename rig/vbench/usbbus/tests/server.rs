//! Samples of a server that speaks BeagleLogic's protocol.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};
use usbbus::beaglelogic::Server;
use usbbus::layout::Layout;

const PATIENCE: Duration = Duration::from_secs(10);

/// Serves `bytes` to one client that asks with `lines`; returns its address.
fn serve(bytes: Vec<u8>, lines: &'static [&'static str]) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(socket.try_clone().unwrap());
        for expected in lines {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            assert_eq!(line.trim_end(), *expected);
            if *expected != "get" {
                socket.write_all(b"ok\n").unwrap();
            }
        }
        socket.write_all(&bytes).unwrap();
    });
    (address, server)
}

fn wait_for_end(server: &Server) {
    let start = Instant::now();
    while !server.has_ended() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(server.has_ended());
}

#[test]
fn samples_come_through_in_any_blocks() {
    let bytes: Vec<u8> = (0..300_000u32).map(|k| (k / 7 * 31) as u8).collect();
    for (unit, layout, lines) in [
        (
            1,
            Layout::Bytes,
            &["version", "samplerate 24000000", "sampleunit 1", "get"],
        ),
        (
            2,
            Layout::Words,
            &["version", "samplerate 24000000", "sampleunit 0", "get"],
        ),
    ] {
        let (address, thread) = serve(bytes.clone(), lines);
        let (server, mut levels) = Server::connect(&address, 24_000_000, unit);
        wait_for_end(&server);
        assert_eq!(server.samples(), (bytes.len() / unit) as u64);
        let mut offset = 0;
        for length in [1, 512, 77, 240_128, 3, 59_279] {
            let mut block = vec![0; length];
            layout.fill(&mut levels, offset as u64, &mut block);
            assert!(
                block == bytes[offset..offset + length],
                "unit {}, {} bytes from {}",
                unit,
                length,
                offset
            );
            offset += length;
            server.release(layout.complete_samples(offset as u64));
        }
        assert_eq!(offset, bytes.len());
        thread.join().unwrap();
    }
}

#[test]
fn a_server_that_is_not_there_has_ended() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let (server, _) = Server::connect(&address, 1_000_000, 1);
    wait_for_end(&server);
    assert_eq!(server.samples(), 0);
}
