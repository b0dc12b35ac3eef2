//! What needs the core: DMA, programming of the flash, its caches, resets that the chip makes.

use super::flash::Job;
use super::{rcc, Outside, Stm32l4};
use crate::core::v7m::Cpu;
use crate::soc::stm32::transfer::{move_datum, occupy};
use crate::soc::Chip;

impl<O: Outside> Stm32l4<O> {
    /// The core has to look: something waits for [`Stm32l4::serve_core`], or it may be stalled.
    pub(super) fn needs_core(&self) -> bool {
        self.wants_reset != 0 || self.flash.cache_changed || self.flash.has_job()
    }

    pub(super) fn serve_core(&mut self, core: &mut Cpu) {
        if std::mem::take(&mut self.flash.cache_changed) {
            let acr = self.flash.acr();
            core.control_flash_cache(acr);
        }
        if let Some(job) = self.flash.take_job() {
            self.do_job(job, core);
        }
        // It waits for its next instruction when that is in the bank that is busy (RM0351 3.3.8, read-while-write).
        let busy_until = self.flash.next_event().filter(|_| self.flash.blocks(core.pc()));
        self.stalled_until = busy_until.map_or(0, |end_ps| self.clock.tick_at(end_ps));
        self.serve_dma(core);
    }

    fn do_job(&mut self, job: Job, core: &mut Cpu) {
        match job {
            Job::Program { address, words } => {
                let mut old = [0; 8];
                core.read_memory(address, &mut old);
                if old != [0xFF; 8] && words != [0, 0] {
                    return self.flash.refuse();
                }
                let mut bytes = [0; 8];
                bytes[..4].copy_from_slice(&words[0].to_le_bytes());
                bytes[4..].copy_from_slice(&words[1].to_le_bytes());
                core.write_memory(address, &bytes);
            }
            Job::Erase { address, bytes } => {
                core.write_memory(address, &vec![0xFF; bytes as usize]);
            }
        }
    }

    fn serve_dma(&mut self, core: &mut Cpu) {
        if self.stop.is_on() {
            return;
        }
        let mut moved = false;
        for index in 0..self.dmas.len() {
            while let Some(transfer) = self.dmas[index].due(core.cycles) {
                let worked = move_datum(self, core, &transfer);
                let end = occupy(self, core, &transfer);
                self.dmas[index].done(&transfer, worked, end);
                if let Some(next) = self.dmas[index].follows() {
                    occupy(self, core, &next);
                }
                self.update_requests();
                moved = true;
            }
        }
        if moved {
            self.update_irqs();
            self.reschedule();
        }
    }

    /// The reset that the chip wants, if it wants one.
    pub(super) fn reset_if_wanted(&mut self) -> bool {
        let cause = self.wants_reset;
        if cause != 0 {
            let cycle = self.clock.tick_at(self.now_ps);
            self.reset_by(cause, cycle);
            self.wants_reset = 0;
        }
        cause != 0
    }

    /// A reset of everything but the backup domain and the outside.
    pub(super) fn reset_by(&mut self, cause: u32, cycle: u64) {
        self.advance(cycle);
        let t_ps = self.clock.ps(cycle);
        self.rcc.reset(cause);
        if cause == rcc::STANDBY {
            self.pwr.woke_from_standby();
        } else {
            self.pwr = super::Pwr::default();
        }
        self.flash.reset();
        self.exti = super::Exti::new(&super::exti::LINES, super::exti::IMR_RESET);
        self.syscfg = super::Syscfg::default();
        self.stop = super::stop::Stop::default();
        self.iwdg = super::Iwdg::new(self.config.clock.ppb);
        self.rtc.system_reset(t_ps);
        for bank in [0, 1, 4, 5, 6] {
            self.reset_devices(bank, u32::MAX, cycle);
        }
        self.clocks_changed(cycle);
        self.reschedule();
        self.update_irqs();
        self.irq_changed = true; // a core reset forgets the lines
    }
}
