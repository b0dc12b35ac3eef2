//! What goes wrong, and when.

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Bytes vanish without a word.
    Lost { bytes: u64 },
    /// Transfers end with ERROR; what they held is lost.
    Failed { transfers: u64 },
    /// Transfers end with OVERFLOW; what they held is lost.
    Overflow { transfers: u64 },
    /// The endpoint stalls until `libusb_clear_halt`.
    Stall,
    /// Nothing completes any more, not even by its timeout; only what is cancelled.
    Hang,
    /// Transfers complete with 0 bytes, and nothing is lost.
    Empty { transfers: u64 },
    /// The FIFO is full: the GPIF stops.
    Fifo,
    /// The cable is pulled: firmware and address are lost. Without `back_ns` it stays away.
    Unplug { back_ns: Option<i64>, same_address: bool },
    /// This process gets SIGKILL.
    Die,
    /// Words of 16 bits vanish, so that the channels of a Logic16 rotate.
    Rotate { words: u64 },
}

impl Kind {
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Lost { .. } => "lost",
            Kind::Failed { .. } => "failed",
            Kind::Overflow { .. } => "overflow",
            Kind::Stall => "stall",
            Kind::Hang => "hang",
            Kind::Empty { .. } => "empty",
            Kind::Fifo => "fifo",
            Kind::Unplug { .. } => "unplug",
            Kind::Die => "die",
            Kind::Rotate { .. } => "rotate",
        }
    }
}

/// One thing that goes wrong: `at_ns` after the start number `run` (from 1) of `device`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub device: usize,
    pub run: u32,
    pub at_ns: i64,
    pub kind: Kind,
}
