//! The counters of the two FIFOs, whose octets lie in the RAM (section 13.5).

/// Octets of each of the two.
pub(super) const FIFO_OCTETS: usize = 128;

/// The RXFIFO: a ring in the RAM that may hold several frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RxFifo {
    /// Octets ever read and written; places are modulo the size.
    read: usize,
    written: usize,
    /// Octets ever written up to the end of what is known to be for this node.
    accepted: usize,
    /// A frame is complete, and none of the FIFO was read since.
    pub frame_complete: bool,
}

impl RxFifo {
    pub fn unread(&self) -> usize {
        self.written - self.read
    }

    /// Unread octets that belong to frames that passed the address recognition.
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

    /// Place of a new octet; None if there is none.
    pub fn push(&mut self) -> Option<usize> {
        if self.unread() == FIFO_OCTETS {
            return None;
        }
        self.written += 1;
        Some((self.written - 1) % FIFO_OCTETS)
    }

    /// Place of the oldest octet, which leaves.
    pub fn pop(&mut self) -> Option<usize> {
        self.frame_complete = false;
        if self.unread() == 0 {
            return None;
        }
        self.read += 1;
        Some((self.read - 1) % FIFO_OCTETS)
    }
}

/// The TXFIFO; its octets lie in the RAM.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TxFifo {
    /// Octets written, the length octet included.
    pub written: usize,
    /// They were sent: they can be sent again, and the next write begins anew.
    pub sent: bool,
}
