//! What is plugged in, as its driver sees it: descriptors' strings, requests, and what they start.

mod dslogic;
mod fx2;
mod logic16;

use crate::abi::Code;
use crate::config::{DeviceConfig, Model};
use crate::run::Start;

/// A control request without its data.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub is_in: bool,
    pub request: u8,
    pub value: u16,
}

/// What a request makes the device do apart from its answer.
#[derive(Clone, Debug)]
pub enum Order {
    Start(Start),
    Stop,
}

/// How many bytes of data a request took or gave, and an order.
pub type Answer = Result<(usize, Option<Order>), Code>;

/// A device with its firmware.
pub trait Device: Send {
    /// Manufacturer and product.
    fn strings(&self) -> (&'static str, &'static str);

    /// The address of the endpoint that streams samples.
    fn stream_endpoint(&self) -> u8;

    /// A vendor request; the data is read or written.
    fn control(&mut self, request: Request, data: &mut [u8]) -> Answer;

    /// Data to an OUT endpoint.
    fn bulk_out(&mut self, endpoint: u8, data: &[u8]) -> Answer;

    /// Data from an IN endpoint that does not stream.
    fn bulk_in(&mut self, endpoint: u8, data: &mut [u8]) -> Answer;

    /// The FIFO has overflowed.
    fn overflow(&mut self) {}
}

/// The device of a configuration, fresh.
pub fn of(config: &DeviceConfig) -> Box<dyn Device> {
    match config.model {
        Model::Fx2 | Model::Fx2Wide => Box::new(fx2::Fx2::new(config.firmware_version)),
        Model::DsLogic => Box::new(dslogic::DsLogic::new(config.firmware_version)),
        Model::Logic16 => Box::new(logic16::Logic16::default()),
    }
}
