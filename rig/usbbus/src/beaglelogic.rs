//! Samples of a server that speaks BeagleLogic's protocol, as `gpiorig bench virtual` does
//! (libsigrok 0.5.2, src/hardware/beaglelogic/beaglelogic_tcp.c).

use crate::config::{DeviceConfig, SignalConfig};
use crate::signal::Levels;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How much may wait here: beyond it the socket waits, as a device's FIFO cannot.
const MOST_BYTES: usize = 64 << 20;
/// How far a run of equal samples is looked for at once.
const LONGEST_RUN_BYTES: usize = 1 << 17;
const PATIENCE: Duration = Duration::from_secs(5);

struct Received {
    bytes: VecDeque<u8>,
    /// Bytes that were here and are not needed any more.
    released: u64,
    closed: bool,
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
pub struct Server {
    socket: TcpStream,
    buffer: Arc<Buffer>,
}

/// The server's samples.
pub struct ServerLevels(Arc<Buffer>);

impl Server {
    /// Connects, sets `rate_hz` and the width, starts the samples.
    pub fn connect(config: &DeviceConfig, rate_hz: u64, bytes: bool) -> Result<(Server, ServerLevels), String> {
        let address = match &config.signal {
            SignalConfig::BeagleLogic { address } => address,
            _ => return Err("it has no server".to_string()),
        };
        let told = |error: std::io::Error| format!("{}: {}", address, error);
        let socket = TcpStream::connect(address).map_err(told)?;
        socket.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        let mut reader = BufReader::new(socket.try_clone().map_err(told)?);
        for line in [
            "version".to_string(),
            format!("samplerate {}", rate_hz),
            format!("sampleunit {}", u8::from(bytes)),
        ] {
            (&socket).write_all(format!("{}\n", line).as_bytes()).map_err(told)?;
            let mut answer = String::new();
            reader.read_line(&mut answer).map_err(told)?;
        }
        (&socket).write_all(b"get\n").map_err(told)?;
        let received = Received {
            bytes: VecDeque::new(),
            released: 0,
            closed: false,
        };
        let unit = if bytes { 1 } else { 2 };
        let buffer = Arc::new(Buffer {
            received: Mutex::new(received),
            room: Condvar::new(),
            unit,
        });
        let filled = buffer.clone();
        thread::spawn(move || read(reader, &filled));
        Ok((
            Server {
                socket,
                buffer: buffer.clone(),
            },
            ServerLevels(buffer),
        ))
    }

    /// How many samples have come.
    pub fn samples(&self) -> u64 {
        let received = self.buffer.lock();
        (received.released + received.bytes.len() as u64) / self.buffer.unit as u64
    }

    /// Samples before number `n` are not needed any more.
    pub fn release(&self, n: u64) {
        let mut received = self.buffer.lock();
        let count = (n * self.buffer.unit as u64)
            .saturating_sub(received.released)
            .min(received.bytes.len() as u64);
        received.bytes.drain(..count as usize);
        received.released += count;
        self.buffer.room.notify_one();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.buffer.lock().closed = true;
        self.buffer.room.notify_one();
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

fn read(mut reader: BufReader<TcpStream>, buffer: &Buffer) {
    let mut block = vec![0u8; 1 << 16];
    loop {
        let count = match reader.read(&mut block) {
            Ok(count) if count > 0 => count,
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted
                ) =>
            {
                match buffer.lock().closed {
                    true => return,
                    false => continue,
                }
            }
            _ => return,
        };
        let mut received = buffer.lock();
        while received.bytes.len() > MOST_BYTES && !received.closed {
            received = buffer
                .room
                .wait(received)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if received.closed {
            return;
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
                let first = &bytes[..2];
                (
                    u16::from_le_bytes([first[0], first[1]]),
                    bytes.chunks_exact(2).take_while(|&word| word == first).count(),
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
