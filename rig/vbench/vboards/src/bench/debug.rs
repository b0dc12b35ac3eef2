//! Debug adapters on the boards' connectors.

use super::{Bench, Outcome};
use crate::debug::{Connector, Effect, Wires};

/// Period of the adapter's clock: 1 MHz, what OpenOCD's target/stm32f1x.cfg and nrf52.cfg ask for.
const CLOCK_PS: u64 = 1_000_000;

impl Bench {
    /// How the debug port of a board is reached, if it has one.
    pub fn debug_wires(&mut self, board: usize) -> Result<Option<Wires>, String> {
        let index = self.check(board)?;
        Ok(self.seats[index].board.debug_target().map(|target| target.wires()))
    }

    /// Bytes of OpenOCD's `remote_bitbang` for the debug connector of a board; levels go to `answers` as '0' and '1'.
    ///
    /// Time passes with the clock: the boards run on by one period for each clock, all of them before the next access.
    pub fn debug(&mut self, board: usize, bytes: &[u8], answers: &mut Vec<u8>) -> Result<(), String> {
        let index = self.check(board)?;
        let wires = match self.debug_wires(board)? {
            Some(wires) => wires,
            None => return Err(format!("board {} has no debug connector", board)),
        };
        let seat = &mut self.seats[index];
        let mut connector = seat.connector.take().unwrap_or_else(|| Connector::new(wires));
        connector.set_open(seat.board.debug_target().map_or(true, |target| target.is_open()));
        let mut due_ps = self.now_ps;
        let mut result = Ok(());
        for &byte in bytes {
            let effect = connector.take(byte);
            match effect {
                Effect::Nothing => continue,
                Effect::Level(level) => {
                    answers.push(if level { b'1' } else { b'0' });
                    continue;
                }
                _ => due_ps += CLOCK_PS,
            }
            if effect == Effect::Clock {
                continue;
            }
            result = self.pass(due_ps);
            if result.is_err() {
                break;
            }
            let target = match self.seats[index].board.debug_target() {
                Some(target) => target,
                None => break,
            };
            match effect {
                Effect::Access(request) => connector.carry_out(request, target, due_ps),
                Effect::Reset(held) => target.hold_reset(held, due_ps),
                _ => {}
            }
            connector.set_open(target.is_open());
        }
        self.seats[index].connector = Some(connector);
        result?;
        self.pass(due_ps)
    }

    /// Time passes to `until_ps`, be it that nothing happens: adapters have a clock of their own.
    pub fn pass(&mut self, until_ps: u64) -> Result<(), String> {
        while self.run(until_ps)? == Outcome::Idle {
            let fault_ps = self.next_fault_ps();
            self.commit(self.now_ps.max(until_ps.min(fault_ps)));
            if fault_ps > until_ps {
                break;
            }
            self.strike()?;
        }
        Ok(())
    }
}
