//! Ports of the bench to the world: serial lines, edges, logs.

use super::Bench;
use crate::board::Statistics;
use crate::trace::Edge;

impl Bench {
    /// The USART meant by `usart`: 1 = USART1, 0 = the one that the board's serial adapter hangs on.
    pub(super) fn usart(&self, index: usize, usart: usize) -> usize {
        match usart {
            0 => self.seats[index].board.console(),
            known => known,
        }
    }

    /// Bytes that a USART of a board has sent by now; at most `most`.
    ///
    /// The console's go to the host's serial port instead once there is one (`plug_host`).
    pub fn uart_read(&mut self, board: usize, usart: usize, most: usize) -> Result<Vec<(u64, u8)>, String> {
        let index = self.check(board)?;
        let now_ps = self.now_ps;
        let usart = self.usart(index, usart);
        let sent = self.seats[index]
            .board
            .sent(usart)
            .ok_or_else(|| format!("board {} has no USART{}", board, usart))?;
        let count = sent.iter().take(most).take_while(|byte| byte.0 <= now_ps).count();
        Ok(sent.drain(..count).collect())
    }

    /// Bytes for a USART; the first start bit falls at now, or when the line is free.
    pub fn uart_feed(&mut self, board: usize, usart: usize, bytes: &[u8]) -> Result<(), String> {
        let index = self.check(board)?;
        let usart = self.usart(index, usart);
        let seat = &mut self.seats[index];
        seat.board.feed(usart, bytes, self.now_ps)
    }

    /// Sets the modem lines of a board's serial adapter at now; false: they lead nowhere on that board.
    pub fn modem(&mut self, board: usize, dtr: bool, rts: bool) -> Result<bool, String> {
        let index = self.check(board)?;
        let now_ps = self.now_ps;
        let seat = &mut self.seats[index];
        let leads = seat.board.modem(dtr, rts, now_ps);
        Ok(leads)
    }

    /// Keeps edges from now on, or drops them.
    pub fn keep_edges(&mut self, keep: bool) {
        self.trace = if keep {
            Some(self.trace.take().unwrap_or_default())
        } else {
            None
        };
    }

    /// Takes kept edges, oldest first.
    pub fn take_edges(&mut self, most: usize) -> Vec<Edge> {
        match self.trace.as_mut() {
            Some(trace) => {
                let count = trace.len().min(most);
                trace.drain(..count).collect()
            }
            None => Vec::new(),
        }
    }

    /// Fingerprint of every edge before now.
    pub fn edge_hash(&self) -> u64 {
        self.hash.value()
    }

    pub fn statistics(&self, board: usize) -> Result<Statistics, String> {
        let seat = &self.seats[self.check(board)?];
        let (past, present) = (seat.past.statistics, seat.board.statistics());
        Ok(Statistics {
            instructions: past.instructions + present.instructions,
            cycles: past.cycles + present.cycles,
        })
    }

    /// Logs of all boards, a line per remark: when it happened first, the board, the core's PC then, how often.
    pub fn log_text(&self) -> String {
        let mut text = String::new();
        for (index, seat) in self.seats.iter().enumerate() {
            for entry in seat.past.log.iter().chain(seat.board.log().entries()) {
                text += &format!(
                    "t={} ps board={} pc=0x{:08x} times={} {}\n",
                    entry.t_ps, index, entry.pc, entry.times, entry.text
                );
            }
            if seat.board.log().dropped() > 0 {
                text += &format!(
                    "t={} ps board={} pc=0x00000000 times={} more remarks, which did not fit\n",
                    self.now_ps,
                    index,
                    seat.board.log().dropped()
                );
            }
        }
        text
    }
}
