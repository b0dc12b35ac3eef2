//! Samples of a server that speaks BeagleLogic's protocol, as `gpiorig bench virtual` does
//! (libsigrok 0.5.2, src/hardware/beaglelogic/beaglelogic_tcp.c).

use crate::signal::Levels;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How much may wait here: beyond it the socket waits, as a device's FIFO cannot.
const MAX_BYTES: usize = 64 << 20;
/// How far a run of equal samples is looked for at once.
const LONGEST_RUN_BYTES: usize = 1 << 17;
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Received {
    bytes: VecDeque<u8>,
    /// Bytes that were here and are not needed any more.
    released: u64,
    /// Nothing more comes.
    ended: bool,
    /// Its owner takes no more.
    closed: bool,
    socket: Option<TcpStream>,
}

struct Buffer {
    received: Mutex<Received>,
    room: Condvar,
    unit: usize,
}

impl Buffer {
    fn lock(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The connection; ends with its owner.
pub struct Server(Arc<Buffer>);

/// The server's samples.
pub struct ServerLevels(Arc<Buffer>);

impl Server {
    /// Connects to `address` ("HOST:PORT"), sets `rate_hz` and the width, starts the samples. Does not wait for that.
    pub fn connect(address: &str, rate_hz: u64, unit: usize) -> (Server, ServerLevels) {
        let buffer = Arc::new(Buffer {
            received: Mutex::default(),
            room: Condvar::new(),
            unit,
        });
        let (filled, address) = (buffer.clone(), address.to_string());
        thread::spawn(move || {
            if let Err(error) = receive(&address, rate_hz, &filled) {
                if !filled.lock().closed {
                    eprintln!("usbbus: the server at {}: {}", address, error);
                }
            }
            filled.lock().ended = true;
        });
        (Server(buffer.clone()), ServerLevels(buffer))
    }

    /// How many samples have come.
    pub fn samples(&self) -> u64 {
        let received = self.0.lock();
        (received.released + received.bytes.len() as u64) / self.0.unit as u64
    }

    /// Will no more samples come?
    pub fn has_ended(&self) -> bool {
        self.0.lock().ended
    }

    /// Samples before number `n` are not needed any more.
    pub fn release(&self, n: u64) {
        let mut received = self.0.lock();
        let count = (n * self.0.unit as u64)
            .saturating_sub(received.released)
            .min(received.bytes.len() as u64);
        received.bytes.drain(..count as usize);
        received.released += count;
        self.0.room.notify_one();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut received = self.0.lock();
        received.closed = true;
        if let Some(socket) = &received.socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.0.room.notify_one();
    }
}

/// The life of a connection.
fn receive(address: &str, rate_hz: u64, buffer: &Buffer) -> std::io::Result<()> {
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    {
        let mut received = buffer.lock();
        if received.closed {
            return Ok(());
        }
        received.socket = Some(socket.try_clone()?);
    }
    let mut reader = BufReader::new(socket.try_clone()?);
    let width = if buffer.unit == 1 { 1 } else { 0 }; // beaglelogic.h: 0 is 16 bits
    for line in [
        "version".to_string(),
        format!("samplerate {}", rate_hz),
        format!("sampleunit {}", width),
    ] {
        (&socket).write_all(format!("{}\n", line).as_bytes())?;
        reader.read_line(&mut String::new())?;
    }
    (&socket).write_all(b"get\n")?;
    read(reader, buffer)
}

fn read(mut reader: BufReader<TcpStream>, buffer: &Buffer) -> std::io::Result<()> {
    let mut block = vec![0u8; 1 << 16];
    loop {
        let count = match reader.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
            Err(error) => return Err(error),
        };
        let mut received = buffer.lock();
        while received.bytes.len() > MAX_BYTES && !received.closed {
            received = buffer
                .room
                .wait(received)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if received.closed {
            return Ok(());
        }
        received.bytes.extend(&block[..count]);
    }
}

impl Levels for ServerLevels {
    fn run(&mut self, n: u64) -> (u16, u64) {
        let received = self.0.lock();
        let unit = self.0.unit;
        let at = (n * unit as u64).saturating_sub(received.released) as usize;
        let (front, back) = received.bytes.as_slices();
        let bytes = if at < front.len() {
            &front[at..]
        } else {
            &back[(at - front.len()).min(back.len())..]
        };
        let bytes = &bytes[..bytes.len().min(LONGEST_RUN_BYTES)];
        if bytes.len() < unit {
            return (level_at(&received.bytes, at, unit), 1);
        }
        let (level, length) = match unit {
            1 => (
                u16::from(bytes[0]),
                bytes.iter().take_while(|&&byte| byte == bytes[0]).count(),
            ),
            _ => {
                let head = &bytes[..2];
                (
                    u16::from_le_bytes([head[0], head[1]]),
                    bytes.chunks_exact(2).take_while(|&word| word == head).count(),
                )
            }
        };
        (level, length as u64)
    }
}

/// A sample that the ring splits, or that has not come.
fn level_at(bytes: &VecDeque<u8>, at: usize, unit: usize) -> u16 {
    let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or(0));
    byte(at) | if unit == 2 { byte(at + 1) << 8 } else { 0 }
}
