//! The debug port and its one access port, an AHB-AP (ARM IHI 0031C, ADIv5: chapters B2, B3, C1, C2).

use crate::bus::{BusError, Width};

/// Instructions of the JTAG-DP (B3.2).
pub const ABORT: u8 = 0x8;
pub const DPACC: u8 = 0xA;
pub const APACC: u8 = 0xB;
/// Acknowledgement OK/FAULT of the JTAG-DP (B3.2.4).
const ACK_OK: u64 = 0b010;

/// CTRL/STAT (B2.2.2).
const STICKYORUN: u32 = 1 << 1;
const STICKYCMP: u32 = 1 << 4;
const STICKYERR: u32 = 1 << 5;
const WDATAERR: u32 = 1 << 7;
const POWER_REQUESTS: u32 = 1 << 28 | 1 << 30;
const CTRL_WRITABLE: u32 = 1 << 26 | POWER_REQUESTS | 0x003F_FF0D;

/// Registers of the MEM-AP (C2.6).
const CSW: u8 = 0x00;
const TAR: u8 = 0x04;
const DRW: u8 = 0x0C;
const CSW_DEVICE_EN: u32 = 1 << 6;
const CSW_WRITABLE: u32 = 0x7F00_0037;
/// AHB-AP of the Cortex-M3 and M4: IDR of the TRMs' debug chapters; the ROM table lies at 0xE00FF000, "present".
const AP_IDR: u32 = 0x2477_0011;
const AP_BASE: u32 = 0xE00F_F003;
/// The same of an nRF52840 whose access port is protected (pyocd/pyOCD issue 723).
const CLOSED_IDR: u32 = 0x2300_0000;

/// What an access port register asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Memory(MemoryAccess),
    /// A register of the vendor's access port. None: a read.
    Vendor {
        register: u8,
        write: Option<u32>,
    },
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    pub address: u32,
    pub width: Width,
    /// None: a read.
    pub write: Option<u32>,
    /// Further accesses of the same width that follow it in a packed transfer.
    pub more: u32,
}

/// Debug port and access port.
#[derive(Default)]
pub struct Dap {
    control: u32,
    sticky: u32,
    select: u32,
    csw: u32,
    tar: u32,
    /// The chip has closed the MEM-AP.
    closed: bool,
    /// What the next capture of DPACC or APACC shows.
    result: u32,
}

impl Dap {
    /// What a capture of DPACC or APACC holds: the result of the access before, and OK.
    pub fn captured(&self) -> u64 {
        u64::from(self.result) << 3 | ACK_OK
    }

    /// An update of a data register; returns what memory is to do for it.
    pub fn update(&mut self, ir: u8, value: u64) -> Option<Request> {
        let (read, register, data) = (value & 1 == 1, (value as u8 & 6) << 1, (value >> 3) as u32);
        match ir {
            DPACC if read => self.result = self.read_port(register),
            DPACC => self.write_port(register, data),
            APACC if self.sticky & STICKYERR == 0 => {
                return self.access_port(register, if read { None } else { Some(data) })
            }
            _ => {}
        }
        None
    }

    pub fn set_open(&mut self, open: bool) {
        self.closed = !open;
    }

    pub fn set_result(&mut self, value: Option<u32>) {
        self.result = value.unwrap_or(self.result);
    }

    pub fn result(&self) -> u32 {
        self.result
    }

    /// A sticky error is set, after which a serial wire port answers FAULT (B4.2.4).
    pub fn faulty(&self) -> bool {
        self.sticky != 0
    }

    /// ABORT clears sticky flags (B2.2.1): STKCMPCLR, STKERRCLR, WDERRCLR, ORUNERRCLR.
    pub fn abort(&mut self, value: u32) {
        let flags = [(1, STICKYCMP), (2, STICKYERR), (3, WDATAERR), (4, STICKYORUN)];
        for (_, flag) in flags.iter().filter(|(bit, _)| value >> bit & 1 == 1) {
            self.sticky &= !flag;
        }
    }

    /// CTRL/STAT of a serial wire port, whose sticky flags are read only (B2.2.2).
    pub fn control(&mut self, value: u32) {
        self.control = value & CTRL_WRITABLE;
    }

    /// A word arrived with the wrong parity.
    pub fn damaged(&mut self) {
        self.sticky |= WDATAERR;
    }

    pub fn read_port(&self, register: u8) -> u32 {
        match register {
            0x4 => self.control | (self.control & POWER_REQUESTS) << 1 | (self.control & 1 << 26) << 1 | self.sticky,
            0x8 => self.select,
            0xC => self.result,
            _ => 0,
        }
    }

    pub fn write_port(&mut self, register: u8, value: u32) {
        match register {
            0x4 => {
                self.sticky &= !(value & (STICKYORUN | STICKYCMP | STICKYERR)); // B2.2.2: on a JTAG-DP a one clears
                self.control = value & CTRL_WRITABLE;
            }
            0x8 => self.select = value,
            _ => {}
        }
    }

    /// A register of the selected access port: bank from SELECT, the rest from the access.
    pub fn access_port(&mut self, register: u8, write: Option<u32>) -> Option<Request> {
        let register = (self.select & 0xF0) as u8 | register;
        match self.select >> 24 {
            0 if self.closed => {
                self.closed_port(register);
                None
            }
            0 => self.memory_port(register, write).map(Request::Memory),
            1 => Some(Request::Vendor { register, write }),
            _ => {
                self.result = 0; // no other access port: its IDR reads 0
                None
            }
        }
    }

    /// Transfers fail (C2.6.4, DeviceEn is 0), and nothing else is kept or shown.
    fn closed_port(&mut self, register: u8) {
        self.result = if register == 0xFC { CLOSED_IDR } else { 0 };
        if matches!(register, DRW | 0x10..=0x1C) {
            self.sticky |= STICKYERR;
        }
    }

    fn memory_port(&mut self, register: u8, write: Option<u32>) -> Option<MemoryAccess> {
        match (register, write) {
            (CSW, None) => self.result = self.csw | CSW_DEVICE_EN,
            (CSW, Some(value)) => self.csw = value & CSW_WRITABLE,
            (TAR, None) => self.result = self.tar,
            (TAR, Some(value)) => self.tar = value,
            (DRW, _) => return Some(self.data_access(write)),
            (0x10..=0x1C, _) => {
                return Some(MemoryAccess {
                    address: (self.tar & !15) + u32::from(register & 0xC),
                    width: Width::Word,
                    write,
                    more: 0,
                })
            }
            (0xF8, None) => self.result = AP_BASE,
            (0xFC, None) => self.result = AP_IDR,
            _ => self.result = 0,
        }
        None
    }

    fn data_access(&self, write: Option<u32>) -> MemoryAccess {
        let width = match self.csw & 7 {
            0 => Width::Byte,
            1 => Width::Half,
            _ => Width::Word,
        };
        let packed = self.csw >> 4 & 3 == 2;
        MemoryAccess {
            address: self.tar,
            width,
            write,
            more: if packed { 4 / width.bytes() as u32 - 1 } else { 0 },
        }
    }

    /// Carries a request out through `memory` (address, width, value to write).
    pub fn carry_out(
        &mut self,
        request: MemoryAccess,
        mut memory: impl FnMut(u32, Width, Option<u32>) -> Result<u32, BusError>,
    ) {
        let through_tar = request.address == self.tar && self.csw >> 4 & 3 != 0 && self.select & 0xF0 == 0;
        let step = request.width.bytes() as u32;
        let mut result = 0;
        for index in 0..=request.more {
            let address = request.address.wrapping_add(index * step);
            let lane = 8 * (address & 3);
            match memory(
                address,
                request.width,
                request.write.map(|value| value >> lane & request.width.mask()),
            ) {
                Ok(value) => result |= value << lane,
                Err(BusError) => {
                    self.sticky |= STICKYERR;
                    return;
                }
            }
            if through_tar {
                self.tar = self.tar.wrapping_add(step);
            }
        }
        if request.write.is_none() {
            self.result = result;
        }
    }
}
