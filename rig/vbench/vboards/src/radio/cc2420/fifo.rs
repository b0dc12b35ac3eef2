//! The counters of the two FIFOs, whose bytes lie in the RAM (section 13.5).

/// Bytes of each of the two.
pub(super) const FIFO_BYTES: usize = 128;

/// The RXFIFO: a ring in the RAM that may hold several frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RxFifo {
    /// Bytes ever read and written; places are modulo the size.
    read: usize,
    written: usize,
    /// Bytes ever written up to the end of what is known to be for this node.
    accepted: usize,
    /// A frame is complete, and none of the FIFO was read since.
    pub frame_complete: bool,
}

impl RxFifo {
    pub fn unread(&self) -> usize {
        self.written - self.read
    }

    /// Unread bytes that belong to frames that passed the address recognition.
    pub fn accepted(&self) -> usize {
        self.accepted.saturating_sub(self.read)
    }

    pub fn accept(&mut self) {
        self.accepted = self.written;
    }

    /// Takes the frame under reception out again.
    pub fn reject(&mut self) {
        self.written = self.accepted.max(self.read);
        self.accepted = self.written;
    }

    /// Place of a new byte; None if there is none.
    pub fn push(&mut self) -> Option<usize> {
        if self.unread() == FIFO_BYTES {
            return None;
        }
        self.written += 1;
        Some((self.written - 1) % FIFO_BYTES)
    }

    /// Place of the oldest byte, which leaves.
    pub fn pop(&mut self) -> Option<usize> {
        self.frame_complete = false;
        if self.unread() == 0 {
            return None;
        }
        self.read += 1;
        Some((self.read - 1) % FIFO_BYTES)
    }
}

/// The TXFIFO; its bytes lie in the RAM.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TxFifo {
    /// Bytes written, the length byte included.
    pub written: usize,
    /// They were sent: they can be sent again, and the next write restarts.
    pub sent: bool,
}
