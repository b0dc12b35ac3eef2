//! The traces between a chip and the radio on its board, as a table.

use crate::air::{Link, Message};
use crate::radio::{PinChange, Radio};
use crate::soc::{Drive, Outside};
use crate::trace::Pin;

/// Which pin of the chip goes where.
pub struct Traces<R: Radio + 'static> {
    /// SPI of the chip that the radio hangs on (1 = SPI1).
    pub bus: usize,
    /// Pins of the chip that lead to inputs of the radio.
    pub inputs: &'static [(Pin, R::Input)],
    /// Outputs of the radio and the pins that they lead to; others lead nowhere.
    pub outputs: &'static [(R::Output, Pin)],
}

/// A radio and its traces.
pub struct Wiring<R: Radio + 'static> {
    pub radio: R,
    traces: Traces<R>,
    changes: Vec<PinChange<R::Output>>,
}

impl<R: Radio> Wiring<R> {
    pub fn new(radio: R, traces: Traces<R>) -> Wiring<R> {
        Wiring {
            radio,
            traces,
            changes: Vec::new(),
        }
    }
}

impl<R: Radio> Outside for Wiring<R> {
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64) {
        for &(from, input) in self.traces.inputs {
            if from == pin {
                self.radio.input(input, level, t_ps);
            }
        }
    }

    fn spi_out(&mut self, bus: usize, t_ps: u64) -> Option<u8> {
        if bus == self.traces.bus {
            self.radio.spi_out(t_ps)
        } else {
            None
        }
    }

    fn spi_in(&mut self, bus: usize, byte: u8, t_ps: u64) {
        if bus == self.traces.bus {
            self.radio.spi_in(byte, t_ps);
        }
    }

    fn next_event(&self) -> Option<u64> {
        self.radio.next_event()
    }

    fn advance(&mut self, t_ps: u64) {
        self.radio.advance(t_ps);
    }

    fn take_drives(&mut self, into: &mut Vec<Drive>) {
        self.radio.take_pins(&mut self.changes);
        for change in self.changes.drain(..) {
            let known = self.traces.outputs.iter().find(|trace| trace.0 == change.pin);
            into.extend(known.map(|&(_, pin)| Drive {
                t_ps: change.t_ps,
                pin,
                level: change.level,
            }));
        }
    }

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        self.radio.receive_signal(message, link);
    }

    fn has_messages(&self) -> bool {
        self.radio.has_messages()
    }

    fn take_messages(&mut self, into: &mut Vec<Message>) {
        self.radio.take_messages(into);
    }

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        self.radio.take_notes()
    }
}
