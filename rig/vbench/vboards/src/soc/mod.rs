//! Chips: everything between a core and the pins.

pub mod f1611;
pub mod nrf52840;
pub mod stm32;
pub mod stm32f1;
pub mod stm32l4;
pub mod watch;

use crate::air::{Link, Message};
use crate::bus::Bus;
use crate::clock::Clock;
use crate::core::v7m::Cpu;
use crate::debug::Wires;
use crate::log::Log;
use crate::trace::{self, Edge, Pin};
use std::collections::VecDeque;

/// A level that something outside the chip puts on a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    pub t_ps: u64,
    pub pin: Pin,
    pub level: bool,
}

/// What is soldered to a chip on its board: a radio, and the traces to it.
pub trait Outside {
    /// The chip's pin has a new level.
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64);
    /// Byte that a slave shifts out on SPI `bus` (1 = SPI1) from `t_ps` on; None: nothing drives MISO.
    fn spi_out(&mut self, bus: usize, t_ps: u64) -> Option<u8>;
    /// The chip has shifted out `byte`, complete at `t_ps`.
    fn spi_in(&mut self, bus: usize, byte: u8, t_ps: u64);
    /// Instant of its next own event.
    fn next_event(&self) -> Option<u64>;
    /// Time passes to `t_ps`.
    fn advance(&mut self, t_ps: u64);
    /// Levels it has put on pins since the last call, in the order of time.
    fn take_drives(&mut self, into: &mut Vec<Drive>);
    /// A signal from the air.
    fn receive_signal(&mut self, _message: &Message, _link: &Link) {}
    /// True if something is for the air.
    fn has_messages(&self) -> bool {
        false
    }
    fn take_messages(&mut self, _into: &mut Vec<Message>) {}
    /// Remarks on doubtful use, each with a key of its kind.
    fn take_notes(&mut self) -> Vec<(u32, String)>;
    /// What stays without supply.
    fn kept(&self) -> Vec<u8> {
        Vec::new()
    }
    /// The supply is back: `kept` is what [`Outside::kept`] gave.
    fn restore(&mut self, _kept: &[u8]) {}
}

/// A chip around a Cortex-M, as the board's loop drives it. Cycles are those of the core's clock.
pub trait Chip: Bus {
    /// What is soldered to its pins.
    type Outside: Outside;

    fn outside(&mut self) -> &mut Self::Outside;
    /// The outside was changed from elsewhere (a signal from the air).
    fn outside_touched(&mut self);
    fn clock(&self) -> &Clock;
    fn debug_wires(&self) -> Wires;
    /// A register of an access port that is not ARM's, and from a write the level that it gives the reset line.
    fn vendor_port(&mut self, _register: u8, _write: Option<u32>, _cycle: u64) -> (u32, Option<bool>) {
        (0, None)
    }
    /// Whether a debugger reaches the core and its memory.
    fn debug_open(&self) -> bool {
        true
    }
    /// Lets time pass to `cycle`; what is due happens, each thing at its own instant.
    fn advance(&mut self, cycle: u64);
    /// Work that needs the memories, which are the core's: DMA, flash programming. Called after [`Chip::advance`] and
    /// when [`Bus::horizon`] is 0.
    fn serve(&mut self, _core: &mut Cpu) {}
    /// Before this cycle the core cannot continue: the flash that it runs from is being programmed.
    fn stalled_until(&self) -> u64 {
        0
    }
    /// Cycle of the next thing that happens by itself.
    fn next_event(&self) -> u64;
    /// System reset at `cycle`: every device but the backup domain. The world outside stays as it is.
    fn reset(&mut self, cycle: u64);
    /// As [`Chip::reset`], by the chip's reset pin; false: it has none.
    fn reset_by_pin(&mut self, cycle: u64) -> bool {
        self.reset(cycle);
        true
    }
    /// What it keeps without supply beside the flash.
    fn kept(&self) -> Vec<u8> {
        Vec::new()
    }
    /// The supply is back: `kept` is what [`Chip::kept`] gave.
    fn restore(&mut self, _kept: &[u8]) {}
    /// True once after the chip has reset itself (watchdog, end of Standby): the core is to follow.
    fn take_reset(&mut self) -> bool {
        false
    }
    /// The core sleeps with SLEEPDEEP set. True: the chip has stopped the core's clock, until something wakes it.
    fn sleep_deep(&mut self, cycle: u64) -> bool;
    /// Every sleep stops the core's clock, with SLEEPDEEP or without it.
    fn stops_in_sleep(&self) -> bool {
        false
    }
    /// The core wakes from that at `cycle`. Returns the cycle at which its clock runs again.
    fn wake(&mut self, cycle: u64) -> u64 {
        cycle
    }
    /// Level of the interrupt lines after [`Chip::advance`], if they changed.
    fn take_irqs(&mut self) -> Option<u128>;
    /// An event for the core's event register (EXTI in event mode), once.
    fn take_event(&mut self) -> bool;
    fn edges(&mut self) -> &mut VecDeque<Edge>;
    fn ports(&self) -> usize;
    fn net(&self, port: usize) -> u16;
    /// What its manual calls a pin, and the pin of such a name.
    fn pin_name(&self, pin: Pin) -> String {
        trace::pin_name(pin)
    }
    fn pin(&self, name: &str) -> Option<Pin> {
        trace::parse_pin(name)
    }
    /// A probe is on this pin: a bus on it is to show every edge.
    fn watch(&mut self, pin: Pin);
    /// Bytes sent by USART `usart` (1 = USART1) with the end of their stop bit; None: no such USART.
    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>>;
    /// Bytes for USART `usart`, the first start bit at `cycle` or when the line is free; false: no such USART.
    fn feed(&mut self, usart: usize, bytes: &[u8], cycle: u64) -> bool;
    fn log(&self) -> &Log;
    fn log_mut(&mut self) -> &mut Log;
    /// Why the run must end, if it must.
    fn fault(&self) -> Option<&str>;
}
