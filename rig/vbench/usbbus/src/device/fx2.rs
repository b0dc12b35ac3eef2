//! An FX2 with sigrok's firmware fx2lafw (sigrok-firmware-fx2lafw, fx2lafw.c, command.h).

use super::{Answer, Device, Order, Request};
use crate::abi::{ERROR_PIPE, ERROR_TIMEOUT};
use crate::layout::Layout;
use crate::run::Start;

const GET_FIRMWARE_VERSION: u8 = 0xb0;
const START: u8 = 0xb1;
const GET_REVID: u8 = 0xb2;
const FLAG_WIDE: u8 = 1 << 5;
const FLAG_48_MHZ: u8 = 1 << 6;
/// Delay states of the GPIF (gpif-acquisition.c).
const DELAY_STATES: u8 = 6;
/// The FX2LP, CY7C68013A.
const REVID: u8 = 1;

pub struct Fx2 {
    version: (u8, u8),
}

impl Fx2 {
    pub fn new(version: (u8, u8)) -> Fx2 {
        Fx2 { version }
    }
}

/// Writes an answer to an IN request.
pub fn answered(bytes: &[u8], data: &mut [u8]) -> Answer {
    let count = bytes.len().min(data.len());
    data[..count].copy_from_slice(&bytes[..count]);
    Ok((count, None))
}

impl Device for Fx2 {
    fn strings(&self) -> (&'static str, &'static str) {
        ("sigrok", "fx2lafw")
    }

    fn stream_endpoint(&self) -> u8 {
        0x82
    }

    fn control(&mut self, request: Request, data: &mut [u8]) -> Answer {
        match (request.is_in, request.request) {
            (true, GET_FIRMWARE_VERSION) => answered(&[self.version.0, self.version.1], data),
            (true, GET_REVID) => answered(&[REVID], data),
            // A command of another length, or with more delay states than there are, starts nothing.
            (false, START) if data.len() == 3 && data[1] < DELAY_STATES => {
                let divider = u64::from(data[1]) << 8 | u64::from(data[2]);
                let clock_hz = if data[0] & FLAG_48_MHZ != 0 {
                    48_000_000
                } else {
                    30_000_000
                };
                let layout = if data[0] & FLAG_WIDE != 0 {
                    Layout::Words
                } else {
                    Layout::Bytes
                };
                Ok((
                    3,
                    Some(Order::Start(Start {
                        layout,
                        clock_hz,
                        divider: divider + 1,
                        header: None,
                    })),
                ))
            }
            (false, START) => Ok((data.len(), None)),
            _ => Err(ERROR_PIPE),
        }
    }

    fn bulk_out(&mut self, _endpoint: u8, _data: &[u8]) -> Answer {
        Err(ERROR_PIPE)
    }

    fn bulk_in(&mut self, _endpoint: u8, _data: &mut [u8]) -> Answer {
        Err(ERROR_TIMEOUT)
    }
}
