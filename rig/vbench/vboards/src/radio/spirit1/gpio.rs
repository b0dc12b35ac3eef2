//! GPIO0 to GPIO3, the interrupt request and the FIFO flags (data sheet 10.3, tables 37 and 38).

use super::fifo::Level;
use super::regs::{self, command, irq, State};
use super::state::Goal;
use super::{Output, Spirit1};
use crate::radio::PinChange;

/// Interrupts that a FIFO's thresholds give.
fn crossings(before: Level, now: Level, full: u32, empty: u32) -> u32 {
    let rose = |before: bool, now: bool, bit: u32| if now && !before { bit } else { 0 };
    rose(before.almost_full, now.almost_full, full) | rose(before.almost_empty, now.almost_empty, empty)
}

impl Spirit1 {
    /// An event shows in IRQ_STATUS whether or not it is masked; the mask decides on nIRQ (data sheet, IRQ_MASK: a masked
    /// event "does not generate any interrupt request"; ST's Contiki driver reads RX_TIMEOUT without enabling it).
    pub(super) fn raise(&mut self, bits: u32) {
        self.irq_status |= bits;
    }

    fn interrupt_requested(&self) -> bool {
        let mask = (0..4).fold(0, |word, n| word << 8 | u32::from(self.reg(regs::IRQ_MASK3 + n)));
        self.irq_status & mask != 0
    }

    fn tx_level(&self) -> Level {
        self.tx_fifo.level(
            self.reg(regs::FIFO_TX_ALMOST_FULL),
            self.reg(regs::FIFO_TX_ALMOST_EMPTY),
        )
    }

    fn rx_level(&self) -> Level {
        self.rx_fifo.level(
            self.reg(regs::FIFO_RX_ALMOST_FULL),
            self.reg(regs::FIFO_RX_ALMOST_EMPTY),
        )
    }

    /// To be called whenever a FIFO or a threshold has changed.
    pub(super) fn watch_fifos(&mut self) {
        let (tx, rx) = (self.tx_level(), self.rx_level());
        let [tx_before, rx_before] = self.levels;
        self.levels = [tx, rx];
        self.raise(crossings(
            tx_before,
            tx,
            irq::TX_FIFO_ALMOST_FULL,
            irq::TX_FIFO_ALMOST_EMPTY,
        ));
        self.raise(crossings(
            rx_before,
            rx,
            irq::RX_FIFO_ALMOST_FULL,
            irq::RX_FIFO_ALMOST_EMPTY,
        ));
    }

    /// What a GPIO shows as an output; None: the signal is not modelled.
    fn signal(&self, select: u8) -> Option<bool> {
        let asleep = matches!(self.state, State::Sleep | State::Standby);
        Some(match select {
            0 => !self.interrupt_requested(),
            1 => self.state != State::Shutdown, // POR, active low
            2 => self.irq_status & irq::WKUP_TOUT_LDC != 0,
            3 | 13 | 20 => false, // low battery, antenna switch, GND
            5 => self.state == State::Tx,
            6 => self.tx_level().almost_empty,
            7 => self.tx_level().almost_full,
            10 => self.state == State::Rx,
            11 => self.rx_level().almost_full,
            12 => self.rx_level().almost_empty,
            14 => self.preamble,
            15 => self.rx.is_some(), // from the end of the sync word to the end of the packet (its end: unverified)
            16 => self.sense,
            18 => matches!(self.state, State::Rx | State::Tx),
            19 => true,
            21 => !asleep,
            22 => asleep,
            23 => !asleep,
            24 => self.state == State::Lock && self.goal.map_or(true, |goal| goal == Goal::Lock),
            _ => return None,
        })
    }

    /// Puts the levels of now on the pins. In SHUTDOWN all are low (unverified: the data sheet may let them float).
    pub(super) fn drive_pins(&mut self) {
        for index in 0..4u8 {
            let conf = self.reg(regs::GPIO3_CONF + 3 - index);
            let level = match (conf & 3, self.state) {
                (_, State::Shutdown) => false,
                (2, _) | (3, _) => self.signal(conf >> 3).unwrap_or_else(|| {
                    let select = conf >> 3;
                    self.notes.push((
                        40 + u32::from(select),
                        format!("radio: GPIO signal {} is not modelled, low", select),
                    ));
                    false
                }),
                _ => false,
            };
            let place = &mut self.gpio[usize::from(index)];
            if level != *place {
                *place = level;
                self.pins.push(PinChange {
                    t_ps: self.now_ps,
                    pin: Output::Gpio(index),
                    level,
                });
            }
        }
    }

    /// A rising edge at a GPIO that is an input: commands TX and RX, wake-up (data sheet, table 38).
    pub(super) fn gpio_input(&mut self, index: u8, level: bool) {
        let conf = self.reg(regs::GPIO3_CONF + 3 - index.min(3));
        if !level || conf & 3 != 1 {
            return;
        }
        match conf >> 3 {
            0 => self.command(command::TX),
            1 => self.command(command::RX),
            3 => self.command(command::READY),
            _ => {}
        }
    }
}
