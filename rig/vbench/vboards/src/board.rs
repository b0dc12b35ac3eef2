//! A board as the scheduler sees it, and the boards that exist.
//!
//! A new board is one file in `boards/`: its oscillator, its wiring, its constructor; and its line in [`KINDS`].

use crate::air::{Link, Message};
use crate::boards;
use crate::clock::ClockSpec;
use crate::debug::Target;
use crate::exact::Exact;
use crate::log::Log;
use crate::radio::oscillator::Oscillator;
use crate::radio::StartUp;
use crate::soc::nrf52840::BuildCode;
use crate::timing_changes::TimingChanges;
use crate::trace::{self, Edge, Pin};
use std::collections::VecDeque;

/// How much a board has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub instructions: u64,
    pub cycles: u64,
}

/// A board with its firmware, on the bench's clock.
pub trait Board {
    /// Runs to `until_ps`, or until it has something for the air; a sleeping board stays where it is unless it has an
    /// event of its own before. An error ends the run for good.
    fn run_until(&mut self, until_ps: u64) -> Result<(), String>;
    /// How far it has got.
    fn local_ps(&self) -> u64;
    /// The earliest instant at which it can do something by itself; None: it sleeps and waits for the world.
    fn next_action_ps(&self) -> Option<u64>;
    /// A signal reaches it.
    fn receive_signal(&mut self, message: &Message, link: &Link);
    /// Signals it gives, since the last call.
    fn take_messages(&mut self, into: &mut Vec<Message>);
    /// Edges not yet taken over by the bench, in the order of time.
    fn edges(&mut self) -> &mut VecDeque<Edge>;
    /// Number of ports, and the levels of one at the board's own time.
    fn ports(&self) -> usize;
    fn net(&self, port: usize) -> u16;
    /// What its chip's manual calls a pin.
    fn pin_name(&self, pin: Pin) -> String {
        trace::pin_name(pin)
    }
    /// The pin of such a name.
    fn pin(&self, name: &str) -> Option<Pin> {
        trace::parse_pin(name)
    }
    /// A probe is on this pin from now on.
    fn watch(&mut self, pin: Pin);
    /// The USART that its serial adapter hangs on.
    fn console(&self) -> usize {
        1
    }
    /// Bytes sent by USART `usart` (1 = USART1) with the end of their stop bit; None: no such USART.
    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>>;
    /// Bytes for USART `usart`, the first start bit at `at_ps` or when the line is free.
    fn feed(&mut self, usart: usize, bytes: &[u8], at_ps: u64) -> Result<(), String>;
    /// What a debug adapter on its connector reaches; None: it has none.
    fn debug_target(&mut self) -> Option<&mut dyn Target> {
        None
    }
    /// How late an instruction that begins before an instant may end.
    fn overshoot_ps(&self) -> u64 {
        crate::air::REACTION_PS / 2
    }
    /// What stays without supply, and the same board with it again: the content of RAM is that of `ram`.
    fn flash(&self) -> Vec<u8> {
        Vec::new()
    }
    fn power_up(&mut self, _flash: &[u8], _ram: &mut dyn FnMut() -> u8) {}
    /// The host sets its serial adapter's modem lines (true: asserted); false: they lead nowhere.
    fn modem(&mut self, _dtr: bool, _rts: bool, _at_ps: u64) -> bool {
        false
    }
    fn log(&self) -> &Log;
    fn statistics(&self) -> Statistics;
}

/// What a board is made from.
pub struct Parts<'a> {
    pub seed: u64,
    /// Its number on the bench.
    pub board: u16,
    /// What messages call the image.
    pub image_name: &'a str,
    pub image: &'a [u8],
    pub clock: ClockSpec,
    pub strict: bool,
    pub timing: TimingChanges,
    pub radio_start: StartUp,
    pub build_code: BuildCode,
    pub exact: Exact,
}

impl Parts<'_> {
    /// The crystal of its radio.
    pub fn oscillator(&self, hz: u64) -> Oscillator {
        Oscillator::drawn(hz, self.seed, self.board, self.clock.start_ps, self.exact)
    }
}

/// Makes a board.
pub type Maker = fn(&Parts) -> Result<Box<dyn Board>, String>;

/// Every kind of board by name.
pub const KINDS: [(&str, Maker); 6] = [
    (boards::iotlab_m3::KIND, boards::iotlab_m3::make),
    (boards::nucleo_l476rg::KIND, boards::nucleo_l476rg::make),
    (
        boards::nucleo_l476rg_at86rf231::KIND,
        boards::nucleo_l476rg_at86rf231::make,
    ),
    (
        boards::nucleo_l476rg_mrf24j40::KIND,
        boards::nucleo_l476rg_mrf24j40::make,
    ),
    (boards::nrf52840dk::KIND, boards::nrf52840dk::make),
    (boards::telosb::KIND, boards::telosb::make),
];

/// Makes a board of a kind.
pub fn make(kind: &str, parts: &Parts) -> Result<Box<dyn Board>, String> {
    match KINDS.iter().find(|candidate| candidate.0 == kind) {
        Some((_, maker)) => maker(parts),
        None => {
            let known: Vec<&str> = KINDS.iter().map(|candidate| candidate.0).collect();
            Err(format!(
                "no board of kind \"{}\"; there are: {}",
                kind,
                known.join(", ")
            ))
        }
    }
}
