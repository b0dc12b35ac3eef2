//! Debug adapters on the boards' connectors.

use super::{Bench, Outcome};
use crate::debug::{Effect, Jtag};

/// Period of the adapter's TCK: 1 MHz, what OpenOCD's target/stm32f1x.cfg asks for.
const TCK_PS: u64 = 1_000_000;

impl Bench {
    /// Whether a board has a JTAG connector.
    pub fn has_jtag(&mut self, board: usize) -> Result<bool, String> {
        let index = self.check(board)?;
        Ok(self.seats[index].board.debug_target().is_some())
    }

    /// Bytes of OpenOCD's `remote_bitbang` for the JTAG connector of a board; TDO levels go to `answers` as '0' and '1'.
    ///
    /// Time passes with TCK: the boards run on by one period for each clock, all of them before the next access.
    pub fn jtag(&mut self, board: usize, bytes: &[u8], answers: &mut Vec<u8>) -> Result<(), String> {
        let index = self.check(board)?;
        let ids = match self.seats[index].board.debug_target() {
            Some(target) => target.jtag_ids(),
            None => return Err(format!("board {} has no JTAG connector", board)),
        };
        let mut jtag = self.seats[index].jtag.take().unwrap_or_else(|| Jtag::new(ids));
        let mut due_ps = self.now_ps;
        let mut result = Ok(());
        for &byte in bytes {
            let effect = jtag.take(byte);
            match effect {
                Effect::Nothing => continue,
                Effect::Tdo(level) => {
                    answers.push(if level { b'1' } else { b'0' });
                    continue;
                }
                _ => due_ps += TCK_PS,
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
                Effect::Access(request) => jtag.dap.carry_out(request, |address, width, write| match write {
                    None => target.read(address, width, due_ps),
                    Some(value) => target.write(address, width, value, due_ps).map(|_| 0),
                }),
                Effect::Reset(held) => target.hold_reset(held, due_ps),
                _ => {}
            }
        }
        self.seats[index].jtag = Some(jtag);
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
