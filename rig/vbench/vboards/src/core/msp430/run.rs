//! The loop: instructions until another part has to act.
//!
//! The hot loop compares the cycle count with `limit` only; whatever needs a look (an access to a register, a change of
//! GIE or of a power bit, a fault) sets it to 0.

use super::{timing, Cpu, Peripherals, Step, CPUOFF, PC, POWER, SR, VECTORS};

impl Cpu {
    /// Runs until `cycles >= min(until, chip.horizon())`, sleep, a change of power or a fault. An instruction is never
    /// cut: `cycles` may exceed the limit by one instruction or interrupt entry.
    pub fn run_until<P: Peripherals>(&mut self, chip: &mut P, until: u64) -> Step {
        loop {
            if let Some(step) = self.look(chip, until) {
                return step;
            }
            while self.cycles < self.limit {
                self.execute(chip);
            }
        }
    }

    /// One instruction or one interrupt entry, whatever the horizon.
    pub fn step<P: Peripherals>(&mut self, chip: &mut P) -> Step {
        if let Some(text) = &self.fault {
            return Step::Fault(text.clone());
        }
        if self.take_interrupt(chip) {
            return Step::Ran;
        }
        if self.sleeping() {
            return Step::Sleeping;
        }
        self.execute(chip);
        match &self.fault {
            Some(text) => Step::Fault(text.clone()),
            None => Step::Ran,
        }
    }

    /// Everything between two instructions; None when the next one may run.
    fn look<P: Peripherals>(&mut self, chip: &mut P, until: u64) -> Option<Step> {
        loop {
            if let Some(text) = &self.fault {
                return Some(Step::Fault(text.clone()));
            }
            if self.regs[SR] & POWER != self.power {
                return Some(Step::Power);
            }
            let stop = until.min(chip.horizon());
            if self.cycles >= stop {
                return Some(Step::Ran);
            }
            if self.shadow && !self.sleeping() {
                self.shadow = false;
                self.limit = self.cycles + 1; // one instruction
                return None;
            }
            if self.take_interrupt(chip) {
                continue;
            }
            if self.sleeping() {
                return Some(Step::Sleeping);
            }
            self.limit = stop;
            return None;
        }
    }

    /// Takes the highest request that is not masked: PC and SR go to the stack, SR is cleared, which ends any low-power
    /// mode (SLAU049 2.2.3).
    fn take_interrupt<P: Peripherals>(&mut self, chip: &mut P) -> bool {
        self.shadow = false;
        let number = match self.acceptable(chip.requests()) {
            Some(number) => number,
            None => return false,
        };
        self.at = self.regs[PC];
        self.start = self.cycles;
        self.length = timing::INTERRUPT;
        self.push(chip, self.regs[PC]);
        self.push(chip, self.regs[SR]);
        self.regs[SR] = 0;
        self.regs[PC] = self.mem.word(VECTORS + 2 * number) & !1;
        chip.accepted(number, self.cycles);
        self.cycles += timing::INTERRUPT;
        self.limit = 0;
        true
    }

    #[cold]
    pub(super) fn stop(&mut self, text: String) {
        self.limit = 0;
        self.fault.get_or_insert(text);
    }

    /// True if the core is neither asleep nor stopped.
    pub fn awake(&self) -> bool {
        self.regs[SR] & CPUOFF == 0 && self.fault.is_none()
    }
}
