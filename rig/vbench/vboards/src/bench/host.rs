//! The host on the bench: its serial ports.

use super::{Bench, Outcome};
use crate::hostpath::{AdapterSettings, Chunk, Fault, HostPath, ReaderSettings};

impl Bench {
    /// Connects the host; before its ports.
    pub fn start_host(&mut self, settings: ReaderSettings) {
        self.host = Some(HostPath::new(self.seed, settings));
    }

    fn host(&mut self) -> Result<&mut HostPath, String> {
        self.host
            .as_mut()
            .ok_or_else(|| "the bench has no host, start it first".to_string())
    }

    /// Plugs the console of a board into the host.
    pub fn plug_host(&mut self, board: usize, settings: AdapterSettings) -> Result<(), String> {
        let board = self.check(board)? as u16;
        self.host()?.plug(board, settings)
    }

    /// Adds a fault of a board's serial line.
    pub fn serial_fault(&mut self, board: usize, fault: Fault) -> Result<(), String> {
        let board = self.check(board)? as u16;
        self.host()?.fault(board, fault)
    }

    /// What the host's program has of a board by now: the next chunk of at most `room` bytes.
    pub fn host_read(&mut self, board: usize, room: usize) -> Result<Option<Chunk>, String> {
        let (board, now_ps) = (self.check(board)? as u16, self.now_ps);
        Ok(self.host()?.read(board, now_ps, room))
    }

    /// Bytes of a board that were lost in the adapter because they were not read.
    pub fn host_overrun(&mut self, board: usize) -> Result<u64, String> {
        let board = self.check(board)? as u16;
        Ok(self.host()?.overrun(board))
    }

    /// Hands what the boards have sent by now to the host's ports.
    pub(super) fn advance_host(&mut self) {
        let mut host = match self.host.take() {
            Some(host) => host,
            None => return,
        };
        for board in host.boards() {
            let usart = self.usart(usize::from(board), 0);
            if let Some(sent) = self.seats[usize::from(board)].board.sent(usart) {
                while sent.front().map_or(false, |byte| byte.0 <= self.now_ps) {
                    if let Some((t_ps, byte)) = sent.pop_front() {
                        host.byte(board, t_ps, byte);
                    }
                }
            }
        }
        host.advance(self.now_ps);
        self.host = Some(host);
    }

    /// All boards sleep: time continues as long as bytes are in transit to the host's program.
    pub(super) fn drain_host(&mut self, until_ps: u64) -> Outcome {
        loop {
            let (next_ps, last_ps) = match self.host.as_ref() {
                Some(host) => (host.next_ps(), host.last_stamp_ps()),
                None => return Outcome::Idle,
            };
            let to_ps = next_ps.unwrap_or(last_ps);
            if to_ps > until_ps {
                self.commit(self.now_ps.max(until_ps));
                return Outcome::Reached;
            }
            self.commit(self.now_ps.max(to_ps));
            if next_ps.is_none() {
                return Outcome::Idle;
            }
        }
    }
}
