//! A DSLogic Plus in stream mode (libsigrok 0.5.2, dreamsourcelab-dslogic/protocol.c).

use super::fx2::answered;
use super::{Answer, Device, Order, Request};
use crate::abi::{ERROR_PIPE, ERROR_TIMEOUT};
use crate::layout::Layout;
use crate::run::Start;

const GET_FIRMWARE_VERSION: u8 = 0xb0;
const GET_REVID: u8 = 0xb1;
const START: u8 = 0xb2;
const FLAG_STOP: u8 = 1 << 7;
const REVID: u8 = 1;
/// The clock that the divider divides.
const CLOCK_HZ: u64 = 100_000_000;
/// `struct fpga_config`: its first word, its length, and the places of mode, divider and channels.
const CONFIG_START: [u8; 4] = 0xf5a5_f5a5u32.to_le_bytes();
const CONFIG_BYTES: usize = 360;
const MODE: usize = 6;
const DIVIDER: usize = 10;
const CHANNELS: usize = 32;
const MODE_STREAM: u16 = 1 << 12;
/// `struct dslogic_trigger_pos`, which comes before the samples.
const TRIGGER_BYTES: usize = 512;

pub struct DsLogic {
    version: (u8, u8),
    streams: bool,
    divider: u32,
    channels: u16,
}

impl DsLogic {
    pub fn new(version: (u8, u8)) -> DsLogic {
        DsLogic {
            version,
            streams: false,
            divider: 1,
            channels: 0xffff,
        }
    }

    fn start(&self) -> Option<Order> {
        // The buffered mode is not modelled: it gives nothing.
        if !self.streams || self.channels == 0 {
            return Some(Order::Stop);
        }
        Some(Order::Start(Start {
            layout: Layout::Planes {
                bits: 64,
                highest_first: false,
                channels: self.channels,
            },
            clock_hz: CLOCK_HZ,
            divider: u64::from(self.divider.max(1)),
            header: Some(vec![0; TRIGGER_BYTES]),
        }))
    }
}

impl Device for DsLogic {
    fn strings(&self) -> (&'static str, &'static str) {
        ("DreamSourceLab", "USB-based Instrument")
    }

    fn stream_endpoint(&self) -> u8 {
        0x86
    }

    fn control(&mut self, request: Request, data: &mut [u8]) -> Answer {
        match (request.is_in, request.request) {
            (true, GET_FIRMWARE_VERSION) => answered(&[self.version.0, self.version.1], data),
            (true, GET_REVID) => answered(&[REVID], data),
            (false, START) if !data.is_empty() && data[0] & FLAG_STOP != 0 => Ok((data.len(), Some(Order::Stop))),
            (false, START) => Ok((data.len(), self.start())),
            // FPGA's bitstream and settings announced, registers written
            (false, 0xb3..=0xb9) => Ok((data.len(), None)),
            _ => Err(ERROR_PIPE),
        }
    }

    fn bulk_out(&mut self, _endpoint: u8, data: &[u8]) -> Answer {
        let word = |at: usize| u16::from_le_bytes([data[at], data[at + 1]]);
        if data.len() == CONFIG_BYTES && data.starts_with(&CONFIG_START) {
            self.streams = word(MODE) & MODE_STREAM != 0;
            self.divider = u32::from(word(DIVIDER)) | u32::from(word(DIVIDER + 2)) << 16;
            self.channels = word(CHANNELS);
        }
        Ok((data.len(), None))
    }

    fn bulk_in(&mut self, _endpoint: u8, _data: &mut [u8]) -> Answer {
        Err(ERROR_TIMEOUT)
    }
}
