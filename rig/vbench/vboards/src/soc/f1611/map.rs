//! Addresses, vectors and pins of the MSP430F1611 (SLAS368, "peripheral file map", "interrupt vector addresses",
//! "terminal functions", Timer_A3 and Timer_B7 signal connections; TI header msp430x16x.h).

use super::port::Register;
use crate::trace::Pin;

/// Ports 1 to 6; index 0 is unused.
pub const PORTS: usize = 7;

/// Number of each vector, (address - 0xFFE0) / 2.
pub mod vector {
    pub const DMA_DAC: u16 = 0;
    pub const PORT2: u16 = 1;
    pub const USART1_TX: u16 = 2;
    pub const USART1_RX: u16 = 3;
    pub const PORT1: u16 = 4;
    pub const TIMER_A1: u16 = 5;
    pub const TIMER_A0: u16 = 6;
    pub const ADC12: u16 = 7;
    pub const USART0_TX: u16 = 8;
    pub const USART0_RX: u16 = 9;
    pub const WATCHDOG: u16 = 10;
    pub const TIMER_B1: u16 = 12;
    pub const TIMER_B0: u16 = 13;
    pub const NMI: u16 = 14;
}

/// Special function registers.
pub const IE1: u16 = 0;
pub const IE2: u16 = 1;
pub const IFG1: u16 = 2;
pub const IFG2: u16 = 3;
/// IE1, IFG1.
pub const WDT_BIT: u8 = 1 << 0;
pub const OSCILLATOR_BIT: u8 = 1 << 1;
pub const NMI_BIT: u8 = 1 << 4;
pub const ACCESS_BIT: u8 = 1 << 5;

/// Bits of receiver and transmitter in IE, IFG and ME: USART0 in the first registers, USART1 in the second.
pub const USART_RX_BIT: [u8; 2] = [1 << 6, 1 << 4];
pub const USART_TX_BIT: [u8; 2] = [1 << 7, 1 << 5];

pub const TIMER_B: u16 = 0x0180;
pub const TAIV: u16 = 0x012E;
pub const TBIV: u16 = 0x011E;

/// Port and register at an address of the digital ports.
pub fn port_register(address: u16) -> Option<(usize, Register)> {
    const FULL: [Register; 7] = [
        Register::In,
        Register::Out,
        Register::Dir,
        Register::Ifg,
        Register::Ies,
        Register::Ie,
        Register::Sel,
    ];
    const SHORT: [Register; 4] = [Register::In, Register::Out, Register::Dir, Register::Sel];
    match address {
        0x20..=0x26 => Some((1, FULL[usize::from(address - 0x20)])),
        0x28..=0x2E => Some((2, FULL[usize::from(address - 0x28)])),
        0x18..=0x1B => Some((3, SHORT[usize::from(address - 0x18)])),
        0x1C..=0x1F => Some((4, SHORT[usize::from(address - 0x1C)])),
        0x30..=0x33 => Some((5, SHORT[usize::from(address - 0x30)])),
        0x34..=0x37 => Some((6, SHORT[usize::from(address - 0x34)])),
        _ => None,
    }
}

/// Pins of a USART: SIMO, SOMI, UCLK of the SPI, TX and RX of the UART.
#[derive(Clone, Copy, Debug)]
pub struct UsartPins {
    pub simo: Pin,
    pub somi: Pin,
    pub clock: Pin,
    pub tx: Pin,
    pub rx: Pin,
}

pub const USART_PINS: [UsartPins; 2] = [
    UsartPins {
        simo: 0x31,
        somi: 0x32,
        clock: 0x33,
        tx: 0x34,
        rx: 0x35,
    },
    UsartPins {
        simo: 0x51,
        somi: 0x52,
        clock: 0x53,
        tx: 0x36,
        rx: 0x37,
    },
];

/// Inputs of the timers' blocks: pin, timer (0 = A, 1 = B), block, input (0 = A, 1 = B).
pub const CAPTURES: [(Pin, usize, usize, usize); 17] = [
    (0x11, 0, 0, 0),
    (0x22, 0, 0, 1),
    (0x12, 0, 1, 0),
    (0x13, 0, 2, 0),
    (0x40, 1, 0, 0),
    (0x40, 1, 0, 1),
    (0x41, 1, 1, 0),
    (0x41, 1, 1, 1),
    (0x42, 1, 2, 0),
    (0x42, 1, 2, 1),
    (0x43, 1, 3, 0),
    (0x43, 1, 3, 1),
    (0x44, 1, 4, 0),
    (0x44, 1, 4, 1),
    (0x45, 1, 5, 0),
    (0x45, 1, 5, 1),
    (0x46, 1, 6, 0),
];
/// Blocks that get ACLK on input B: TACCR2 and TBCCR6.
pub const ACLK_CAPTURE: [usize; 2] = [2, 6];

/// Outputs of the timers' blocks: timer, block, pin.
pub const OUTPUTS: [(usize, usize, Pin); 16] = [
    (0, 0, 0x11),
    (0, 1, 0x12),
    (0, 2, 0x13),
    (0, 0, 0x15),
    (0, 1, 0x16),
    (0, 2, 0x17),
    (0, 0, 0x27),
    (0, 1, 0x23),
    (0, 2, 0x24),
    (1, 0, 0x40),
    (1, 1, 0x41),
    (1, 2, 0x42),
    (1, 3, 0x43),
    (1, 4, 0x44),
    (1, 5, 0x45),
    (1, 6, 0x46),
];

/// Pins that put a clock out when selected: not modelled, named in the log.
pub const CLOCK_OUTPUTS: [Pin; 5] = [0x14, 0x20, 0x54, 0x55, 0x56];
