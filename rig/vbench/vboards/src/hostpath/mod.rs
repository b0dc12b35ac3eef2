//! The way of serial bytes from a board's TX pin to the program that stamps them: adapter, USB, reader.
//!
//! Everything happens in virtual time and comes out of mechanisms: packets and the latency timer of the adapter, the
//! size of the host's USB requests, a reader that is woken, perhaps late, and serves its ports one after the other.

mod adapter;
mod faults;
mod reader;

pub use faults::Fault;

use adapter::Adapter;
use faults::Faults;
use reader::Reader;
use std::collections::VecDeque;

/// A USB serial adapter and the host's driver; the defaults are those of an FT232R and Linux.
#[derive(Clone, Copy, Debug)]
pub struct AdapterSettings {
    /// The adapter sends what it has when it has sent nothing for this long: 16 ms (FTDI AN232B-04, section 3.1).
    pub latency_timer_ps: u64,
    /// User bytes of a full packet: 64 less 2 bytes of status (AN232B-04, section 3.1).
    pub packet_bytes: usize,
    /// The driver gets the packets of a request when one is not full or this many have come: Linux asks for 512
    /// bytes, 8 packets of 64 (drivers/usb/serial/ftdi_sio.c, `bulk_in_size`; AN232B-04, section 3.3).
    pub request_packets: usize,
    /// How often the host asks: every frame of full speed, 1 ms (USB 2.0, 4.4.1). Host controllers with microframes
    /// or several tries per frame ask more often; 125 us stands for them.
    pub poll_ps: u64,
    /// What does not fit is lost: 256 bytes (FT232R data sheet, section 4, FIFO RX buffer; unverified).
    pub buffer_bytes: usize,
}

/// Who reads the ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Every port has a thread of its own, on a processor of its own.
    PerPort,
    /// One thread serves all in turn, as IoT-LAB's serial_aggregator does.
    One,
}

/// How the host's program reads and stamps. All times are assumptions about an ordinary Linux PC, not measurements.
#[derive(Clone, Copy, Debug)]
pub struct ReaderSettings {
    pub readers: Readers,
    /// From the data to a waiting reader that runs: at least this,
    pub wake_ps: u64,
    /// and a random time of this mean.
    pub wake_tail_ps: u64,
    /// Other work that a waiting reader has to let pass: every period, for this time.
    pub other_period_ps: u64,
    pub other_ps: u64,
    /// A read takes this long; it is stamped at its end.
    pub read_ps: u64,
    /// If above 0, the reader handles line by line, each takes this long and has its own stamp (serial_aggregator
    /// prints); otherwise the read has one stamp (gpiorig's recorder).
    pub line_ps: u64,
}

/// Bytes that the host's program has at `stamp_ps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub stamp_ps: u64,
    pub bytes: Vec<u8>,
}

/// One port.
struct Port {
    board: u16,
    faults: Faults,
    adapter: Adapter,
    chunks: VecDeque<Chunk>,
}

/// All serial ports of the host.
pub struct HostPath {
    seed: u64,
    settings: ReaderSettings,
    ports: Vec<Port>,
    readers: Vec<Reader>,
}

impl HostPath {
    pub fn new(seed: u64, settings: ReaderSettings) -> HostPath {
        HostPath {
            seed,
            settings,
            ports: Vec::new(),
            readers: Vec::new(),
        }
    }

    /// Plugs in the adapter of a board.
    pub fn plug(&mut self, board: u16, settings: AdapterSettings) -> Result<(), String> {
        if settings.packet_bytes == 0 || settings.request_packets == 0 || settings.poll_ps == 0 {
            return Err("packet_bytes, request_packets and poll_ps must be above 0".to_string());
        }
        if settings.buffer_bytes < settings.packet_bytes {
            return Err(format!("a buffer of {} bytes holds no packet", settings.buffer_bytes));
        }
        if self.port(board).is_some() {
            return Err(format!("board {} has a serial adapter already", board));
        }
        self.ports.push(Port {
            board,
            faults: Faults::new(self.seed, board),
            adapter: Adapter::new(self.seed, board, settings),
            chunks: VecDeque::new(),
        });
        let port = self.ports.len() - 1;
        match (self.settings.readers, self.readers.first_mut()) {
            (Readers::One, Some(reader)) => reader.serve(port),
            _ => self.readers.push(Reader::new(self.seed, self.settings, port)),
        }
        Ok(())
    }

    fn port(&mut self, board: u16) -> Option<&mut Port> {
        self.ports.iter_mut().find(|port| port.board == board)
    }

    /// Adds a fault of a board's serial line.
    pub fn fault(&mut self, board: u16, fault: Fault) -> Result<(), String> {
        match (self.port(board), fault) {
            (None, _) => Err(format!("board {} has no serial adapter", board)),
            (Some(port), Fault::Stall { from_ps, for_ps }) => {
                port.adapter.stall(from_ps, from_ps.saturating_add(for_ps));
                Ok(())
            }
            (Some(port), other) => {
                port.faults.add(other);
                Ok(())
            }
        }
    }

    /// Boards whose bytes come here.
    pub fn boards(&self) -> Vec<u16> {
        self.ports.iter().map(|port| port.board).collect()
    }

    /// A byte whose stop bit ends at `t_ps`; in the order of time per board.
    pub fn byte(&mut self, board: u16, t_ps: u64, byte: u8) {
        if let Some(port) = self.port(board) {
            if let Some(byte) = port.faults.pass(t_ps, byte) {
                port.adapter.arrive(t_ps, byte);
            }
        }
    }

    /// Everything up to `now_ps` happens; bytes that end by then must have been handed over.
    pub fn advance(&mut self, now_ps: u64) {
        for port in self.ports.iter_mut() {
            port.adapter.advance(now_ps);
        }
        for reader in self.readers.iter_mut() {
            reader.advance(now_ps, &mut self.ports);
        }
    }

    /// The next instant at which bytes in transit may move; None: there are none.
    pub fn next_ps(&self) -> Option<u64> {
        let polls = self.ports.iter().filter_map(|port| port.adapter.next_ps());
        let reads = self.readers.iter().filter_map(|reader| reader.next_ps(&self.ports));
        polls.chain(reads).min()
    }

    /// The next chunk of a board that the host's program has by `now_ps`, if it has at most `room` bytes.
    pub fn read(&mut self, board: u16, now_ps: u64, room: usize) -> Option<Chunk> {
        let port = self.port(board)?;
        let first = port.chunks.front()?;
        if first.stamp_ps > now_ps || first.bytes.len() > room {
            return None;
        }
        port.chunks.pop_front()
    }

    /// Instant of the last chunk that the host's program will have of what is in transit to it by now.
    pub fn last_stamp_ps(&self) -> u64 {
        let last = self.ports.iter().filter_map(|port| port.chunks.back());
        last.map(|chunk| chunk.stamp_ps).max().unwrap_or(0)
    }

    /// Bytes of a board that did not fit the adapter's buffer.
    pub fn overrun(&mut self, board: u16) -> u64 {
        self.port(board).map_or(0, |port| port.adapter.overrun())
    }
}
