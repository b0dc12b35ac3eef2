//! The JTAG chain of an STM32: the boundary scan TAP next to TDI, the debug port of the Cortex-M next to TDO
//! (RM0008 31.6, RM0351 48.6; IEEE 1149.1).
//!
//! Driven by the bytes of OpenOCD's `remote_bitbang` (its manual, "remote_bitbang"): a level of TCK, TMS and TDI each.
//! The boundary scan register itself is not modelled: its TAP has IDCODE and BYPASS.

use super::dap::{Dap, Request, ABORT, APACC, DPACC};
use super::Effect;

/// What the two TAPs call themselves.
#[derive(Clone, Copy, Debug)]
pub struct TapIds {
    pub debug_port: u32,
    pub boundary_scan: u32,
}

/// States of a TAP controller (IEEE 1149.1, figure 6-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reset,
    Idle,
    SelectDr,
    CaptureDr,
    ShiftDr,
    Exit1Dr,
    PauseDr,
    Exit2Dr,
    UpdateDr,
    SelectIr,
    CaptureIr,
    ShiftIr,
    Exit1Ir,
    PauseIr,
    Exit2Ir,
    UpdateIr,
}

impl State {
    fn next(self, tms: bool) -> State {
        use State::*;
        let (low, high) = match self {
            Reset => (Idle, Reset),
            Idle | UpdateDr | UpdateIr => (Idle, SelectDr),
            SelectDr => (CaptureDr, SelectIr),
            CaptureDr | ShiftDr => (ShiftDr, Exit1Dr),
            Exit1Dr => (PauseDr, UpdateDr),
            PauseDr => (PauseDr, Exit2Dr),
            Exit2Dr => (ShiftDr, UpdateDr),
            SelectIr => (CaptureIr, Reset),
            CaptureIr | ShiftIr => (ShiftIr, Exit1Ir),
            Exit1Ir => (PauseIr, UpdateIr),
            PauseIr => (PauseIr, Exit2Ir),
            Exit2Ir => (ShiftIr, UpdateIr),
        };
        if tms {
            high
        } else {
            low
        }
    }
}

/// Instructions of the debug port (ADIv5, B3.2) and of the boundary scan TAP (BSDL files of ST).
const DP_IR_BITS: u32 = 4;
const DP_IDCODE: u8 = 0xE;
const SCAN_IR_BITS: u32 = 5;
const SCAN_IDCODE: u8 = 0x01;
/// DPACC and APACC: 32 bits of data, 2 of address, RnW.
const ACCESS_BITS: u32 = 35;

/// A board's JTAG connector.
pub struct Jtag {
    ids: TapIds,
    state: State,
    tck: bool,
    tdo: bool,
    /// What lies between TDI and TDO, the bit next to TDO lowest, and how long it is.
    shift: u128,
    bits: u32,
    dp_ir: u8,
    scan_ir: u8,
    pub dap: Dap,
}

impl Jtag {
    pub fn new(ids: TapIds) -> Jtag {
        let mut jtag = Jtag {
            ids,
            state: State::Reset,
            tck: false,
            tdo: false,
            shift: 0,
            bits: 0,
            dp_ir: DP_IDCODE,
            scan_ir: SCAN_IDCODE,
            dap: Dap::default(),
        };
        jtag.reset_taps();
        jtag
    }

    /// Takes one byte of the protocol.
    pub fn take(&mut self, byte: u8) -> Effect {
        match byte {
            b'0'..=b'7' => {
                let bits = byte - b'0';
                self.pins(bits & 4 != 0, bits & 2 != 0, bits & 1 != 0)
            }
            b'R' => Effect::Level(self.tdo),
            b'r' | b's' | b't' | b'u' => {
                if byte >= b't' {
                    self.reset_taps();
                }
                Effect::Reset(byte == b's' || byte == b'u')
            }
            _ => Effect::Nothing, // B, b: an LED; Q ends the connection
        }
    }

    fn reset_taps(&mut self) {
        self.state = State::Reset;
        self.dp_ir = DP_IDCODE;
        self.scan_ir = SCAN_IDCODE;
    }

    fn pins(&mut self, tck: bool, tms: bool, tdi: bool) -> Effect {
        let rising = tck && !self.tck;
        let falling = self.tck && !tck;
        self.tck = tck;
        if falling {
            self.tdo = matches!(self.state, State::ShiftDr | State::ShiftIr) && self.shift & 1 == 1;
        }
        if !rising {
            return Effect::Nothing;
        }
        match self.state {
            State::CaptureIr => {
                self.bits = DP_IR_BITS + SCAN_IR_BITS;
                self.shift = 1 | 1 << DP_IR_BITS; // 1149.1, 7.1.1: the two lowest bits are 01
            }
            State::CaptureDr => self.capture(),
            State::ShiftIr | State::ShiftDr => {
                self.shift = self.shift >> 1 | u128::from(tdi) << (self.bits - 1);
            }
            _ => {}
        }
        self.state = self.state.next(tms);
        match self.state {
            State::Reset => self.reset_taps(),
            State::UpdateIr => {
                self.dp_ir = self.shift as u8 & 0xF;
                self.scan_ir = (self.shift >> DP_IR_BITS) as u8 & 0x1F;
            }
            State::UpdateDr => {
                if let Some(request) = self.update() {
                    return Effect::Access(request);
                }
            }
            _ => {}
        }
        Effect::Clock
    }

    fn capture(&mut self) {
        let (value, bits) = match self.dp_ir {
            DP_IDCODE => (u128::from(self.ids.debug_port), 32),
            DPACC | APACC => (u128::from(self.dap.captured()), ACCESS_BITS),
            ABORT => (0, ACCESS_BITS),
            _ => (0, 1),
        };
        let (scan, scan_bits) = match self.scan_ir {
            SCAN_IDCODE => (u128::from(self.ids.boundary_scan), 32),
            _ => (0, 1),
        };
        self.shift = value | scan << bits;
        self.bits = bits + scan_bits;
    }

    fn update(&mut self) -> Option<Request> {
        let value = self.shift as u64 & ((1 << ACCESS_BITS) - 1);
        self.dap.update(self.dp_ir, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: TapIds = TapIds {
        debug_port: 0x3BA0_0477,
        boundary_scan: 0x0641_4041,
    };

    /// Clocks TMS levels with TDI low, and returns TDO before each clock.
    fn clock(jtag: &mut Jtag, tms: &[u8]) -> u128 {
        let mut seen = 0;
        for (index, &level) in tms.iter().enumerate() {
            jtag.take(b'0' + 2 * level);
            if let Effect::Level(true) = jtag.take(b'R') {
                seen |= 1 << index;
            }
            jtag.take(b'4' + 2 * level);
        }
        seen
    }

    #[test]
    fn after_reset_both_taps_show_their_idcode_that_of_the_core_first() {
        let mut jtag = Jtag::new(IDS);
        clock(&mut jtag, &[1, 1, 1, 1, 1, 0, 1, 0, 0]);
        let seen = clock(&mut jtag, &[0; 64]);
        assert_eq!(u128::from(IDS.debug_port) | u128::from(IDS.boundary_scan) << 32, seen);
    }

    #[test]
    fn the_instruction_registers_are_nine_bits_and_show_01() {
        let mut jtag = Jtag::new(IDS);
        clock(&mut jtag, &[1, 1, 1, 1, 1, 0, 1, 1, 0, 0]);
        assert_eq!(0b1_0001, clock(&mut jtag, &[0; 9]));
    }
}
