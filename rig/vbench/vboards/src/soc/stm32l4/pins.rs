//! Which device a pin's alternate function belongs to (DS10198 tables 17 and 18, 64-pin package; Zephyr hal_stm32
//! dts/st/l4/stm32l476r(c-e-g)tx-pinctrl.dtsi says the same for SPI and TIM).

use crate::trace::Pin;

/// A line of a device. Numbers count from 0 in the chip's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    UsartTx(usize),
    UsartRx(usize),
    SpiSck(usize),
    SpiMiso(usize),
    SpiMosi(usize),
    /// Timer and channel, as input.
    Timer(usize, usize),
}

impl Signal {
    /// Whether the chip drives the pin. Timers drive none in this model.
    pub fn is_output(self) -> bool {
        matches!(self, Signal::UsartTx(_) | Signal::SpiSck(_) | Signal::SpiMosi(_))
    }
}

use Signal::{SpiMiso, SpiMosi, SpiSck, Timer, UsartRx, UsartTx};

/// Pin, number of the alternate function, line. The first pin of a line is where a board has its serial adapter.
/// USARTs: USART1 to 3, UART4, UART5, LPUART1. Timers: TIM2 to TIM7, TIM1, TIM8, TIM15 to TIM17.
const SIGNALS: &[(Pin, u32, Signal)] = &[
    (0x09, 7, UsartTx(0)),
    (0x16, 7, UsartTx(0)),
    (0x0A, 7, UsartRx(0)),
    (0x17, 7, UsartRx(0)),
    (0x02, 7, UsartTx(1)),
    (0x35, 7, UsartTx(1)),
    (0x03, 7, UsartRx(1)),
    (0x36, 7, UsartRx(1)),
    (0x1A, 7, UsartTx(2)),
    (0x24, 7, UsartTx(2)),
    (0x2A, 7, UsartTx(2)),
    (0x38, 7, UsartTx(2)),
    (0x1B, 7, UsartRx(2)),
    (0x25, 7, UsartRx(2)),
    (0x2B, 7, UsartRx(2)),
    (0x39, 7, UsartRx(2)),
    (0x00, 8, UsartTx(3)),
    (0x2A, 8, UsartTx(3)),
    (0x01, 8, UsartRx(3)),
    (0x2B, 8, UsartRx(3)),
    (0x2C, 8, UsartTx(4)),
    (0x32, 8, UsartRx(4)),
    (0x1B, 8, UsartTx(5)),
    (0x21, 8, UsartTx(5)),
    (0x1A, 8, UsartRx(5)),
    (0x20, 8, UsartRx(5)),
    (0x05, 5, SpiSck(0)),
    (0x13, 5, SpiSck(0)),
    (0x06, 5, SpiMiso(0)),
    (0x14, 5, SpiMiso(0)),
    (0x07, 5, SpiMosi(0)),
    (0x15, 5, SpiMosi(0)),
    (0x1A, 5, SpiSck(1)),
    (0x1D, 5, SpiSck(1)),
    (0x1E, 5, SpiMiso(1)),
    (0x22, 5, SpiMiso(1)),
    (0x1F, 5, SpiMosi(1)),
    (0x23, 5, SpiMosi(1)),
    (0x13, 6, SpiSck(2)),
    (0x2A, 6, SpiSck(2)),
    (0x14, 6, SpiMiso(2)),
    (0x2B, 6, SpiMiso(2)),
    (0x15, 6, SpiMosi(2)),
    (0x2C, 6, SpiMosi(2)),
    (0x00, 1, Timer(0, 0)),
    (0x05, 1, Timer(0, 0)),
    (0x0F, 1, Timer(0, 0)),
    (0x01, 1, Timer(0, 1)),
    (0x13, 1, Timer(0, 1)),
    (0x02, 1, Timer(0, 2)),
    (0x1A, 1, Timer(0, 2)),
    (0x03, 1, Timer(0, 3)),
    (0x1B, 1, Timer(0, 3)),
    (0x06, 2, Timer(1, 0)),
    (0x14, 2, Timer(1, 0)),
    (0x26, 2, Timer(1, 0)),
    (0x07, 2, Timer(1, 1)),
    (0x15, 2, Timer(1, 1)),
    (0x27, 2, Timer(1, 1)),
    (0x10, 2, Timer(1, 2)),
    (0x28, 2, Timer(1, 2)),
    (0x11, 2, Timer(1, 3)),
    (0x29, 2, Timer(1, 3)),
    (0x16, 2, Timer(2, 0)),
    (0x17, 2, Timer(2, 1)),
    (0x18, 2, Timer(2, 2)),
    (0x19, 2, Timer(2, 3)),
    (0x00, 2, Timer(3, 0)),
    (0x01, 2, Timer(3, 1)),
    (0x02, 2, Timer(3, 2)),
    (0x03, 2, Timer(3, 3)),
    (0x08, 1, Timer(6, 0)),
    (0x09, 1, Timer(6, 1)),
    (0x0A, 1, Timer(6, 2)),
    (0x0B, 1, Timer(6, 3)),
    (0x26, 3, Timer(7, 0)),
    (0x27, 3, Timer(7, 1)),
    (0x28, 3, Timer(7, 2)),
    (0x29, 3, Timer(7, 3)),
    (0x02, 14, Timer(8, 0)),
    (0x1E, 14, Timer(8, 0)),
    (0x03, 14, Timer(8, 1)),
    (0x1F, 14, Timer(8, 1)),
    (0x06, 14, Timer(9, 0)),
    (0x18, 14, Timer(9, 0)),
    (0x07, 14, Timer(10, 0)),
    (0x19, 14, Timer(10, 0)),
];

/// The line of alternate function `function` of a pin, if the model has it.
pub fn signal(pin: Pin, function: u32) -> Option<Signal> {
    SIGNALS
        .iter()
        .find(|&&(candidate, number, _)| candidate == pin && number == function)
        .map(|&(_, _, signal)| signal)
}

/// Where a line comes out on the boards that exist, whatever the ports are set to.
pub fn usual_pin(signal: Signal) -> Option<Pin> {
    SIGNALS
        .iter()
        .find(|&&(_, _, candidate)| candidate == signal)
        .map(|&(pin, _, _)| pin)
}

/// Whether some alternate function of a pin is this line.
pub fn carried_by(signal: Signal, pin: Pin) -> bool {
    SIGNALS
        .iter()
        .any(|&(candidate, _, line)| candidate == pin && line == signal)
}

/// The pins that lead to devices now.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    active: Vec<(Pin, Signal)>,
}

impl Routes {
    /// The functions of a port's pins have changed; `function` tells the number of each pin's.
    pub fn update(&mut self, port: usize, function: impl Fn(u16) -> Option<u32>) {
        self.active.retain(|&(pin, _)| usize::from(pin >> 4) != port);
        for bit in 0..16 {
            let pin = (port as Pin) << 4 | bit;
            let found = function(bit).and_then(|number| signal(pin, number));
            self.active.extend(found.map(|signal| (pin, signal)));
        }
    }

    /// The lines on a port's pins.
    pub fn of_port(&self, port: usize) -> impl Iterator<Item = (Pin, Signal)> + '_ {
        self.active
            .iter()
            .copied()
            .filter(move |&(pin, _)| usize::from(pin >> 4) == port)
    }

    /// The pins that carry a line.
    pub fn pins(&self, signal: Signal) -> impl Iterator<Item = Pin> + '_ {
        self.active
            .iter()
            .filter(move |&&(_, candidate)| candidate == signal)
            .map(|&(pin, _)| pin)
    }

    pub fn carries(&self, signal: Signal) -> bool {
        self.pins(signal).next().is_some()
    }

    /// The timer channel that listens to a pin.
    pub fn timer_input(&self, pin: Pin) -> Option<(usize, usize)> {
        self.active.iter().find_map(|&(candidate, signal)| match signal {
            Timer(timer, channel) if candidate == pin => Some((timer, channel)),
            _ => None,
        })
    }
}
