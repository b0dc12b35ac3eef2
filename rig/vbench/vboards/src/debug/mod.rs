//! Debug ports: what a debug adapter on a board's connector sees, driven by the bytes of OpenOCD's `remote_bitbang`.

mod dap;
mod swd;
mod tap;

pub use dap::Request;
pub use swd::Swd;
pub use tap::{Jtag, TapIds};

use crate::bus::{BusError, Width};
use dap::Dap;

/// A chip's memory as its debug port reaches it.
pub trait Target {
    fn wires(&self) -> Wires;
    /// Reads at the instant `at_ps`.
    fn read(&mut self, address: u32, width: Width, at_ps: u64) -> Result<u32, BusError>;
    fn write(&mut self, address: u32, width: Width, value: u32, at_ps: u64) -> Result<(), BusError>;
    /// Whether the memory's access port can be reached; the vendor's always can.
    fn is_open(&self) -> bool;
    /// Level of the reset line: `true` holds the chip in reset.
    fn hold_reset(&mut self, held: bool, at_ps: u64);
    /// A register of the vendor's access port, number 1; a read that no register answers is 0.
    fn vendor_port(&mut self, register: u8, write: Option<u32>, at_ps: u64) -> u32;
}

/// How a chip's debug port is reached.
#[derive(Clone, Copy, Debug)]
pub enum Wires {
    /// The identification codes of its chain.
    Jtag(TapIds),
    /// DPIDR, by serial wire alone.
    Swd(u32),
}

/// A board's debug connector.
pub enum Connector {
    Jtag(Jtag),
    Swd(Swd),
}

/// What a byte of `remote_bitbang` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    /// A period of the clock began.
    Clock,
    /// The same, and an access came with it.
    Access(Request),
    /// The level of TDO or SWDIO goes back.
    Level(bool),
    /// Level of the reset line: true holds the chip in reset.
    Reset(bool),
}

impl Connector {
    pub fn new(wires: Wires) -> Connector {
        match wires {
            Wires::Jtag(ids) => Connector::Jtag(Jtag::new(ids)),
            Wires::Swd(id) => Connector::Swd(Swd::new(id)),
        }
    }

    /// Takes one byte of the protocol.
    pub fn take(&mut self, byte: u8) -> Effect {
        match self {
            Connector::Jtag(jtag) => jtag.take(byte),
            Connector::Swd(swd) => swd.take(byte),
        }
    }

    fn dap(&mut self) -> &mut Dap {
        match self {
            Connector::Jtag(jtag) => &mut jtag.dap,
            Connector::Swd(swd) => &mut swd.dap,
        }
    }

    /// The memory's access port opens or closes.
    pub fn set_open(&mut self, open: bool) {
        self.dap().set_open(open);
    }

    /// Carries an access out; what it reads is the result that the adapter gets later.
    pub fn carry_out(&mut self, request: Request, target: &mut dyn Target, at_ps: u64) {
        let dap = self.dap();
        match request {
            Request::Memory(access) => dap.carry_out(access, |address, width, write| match write {
                None => target.read(address, width, at_ps),
                Some(value) => target.write(address, width, value, at_ps).map(|_| 0),
            }),
            Request::Vendor { register, write } => {
                let value = target.vendor_port(register, write, at_ps);
                dap.set_result(if write.is_none() { Some(value) } else { None });
            }
        }
    }
}
