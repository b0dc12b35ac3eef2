//! What needs the core: EasyDMA, programming of the flash, the cache, resets that the chip makes.

use super::nvmc::Job;
use super::radio::Transfer;
use super::{map, protection, Gpiote, Nrf52840, Nvmc, Ppi, Temp, UICR_BASE, UICR_BYTES};
use crate::core::v7m::Cpu;
use crate::log::Topic;

/// A frame's length, and the longest that follows.
const FRAME_BYTES: usize = 128;

impl Nrf52840 {
    /// The core has to look: something waits for [`Nrf52840::serve_core`].
    pub(super) fn needs_core(&self) -> bool {
        self.wants_reset != 0
            || self.nvmc.cache_changed
            || !self.nvmc.jobs.is_empty()
            || !self.radio.transfers.is_empty()
            || self
                .uartes
                .iter()
                .any(|uarte| uarte.fetch.is_some() || !uarte.stores.is_empty())
    }

    pub(super) fn serve_core(&mut self, core: &mut Cpu) {
        if std::mem::take(&mut self.nvmc.cache_changed) {
            core.control_flash_cache(self.nvmc.cache_config());
        }
        for job in std::mem::take(&mut self.nvmc.jobs) {
            self.do_job(job, core);
        }
        let busy_until = self.nvmc.busy_until(self.clock.ps(core.cycles));
        let from_flash = core.pc() < super::FLASH_BYTES as u32;
        self.stalled_until = busy_until
            .filter(|_| from_flash)
            .map_or(0, |end_ps| self.clock.tick_at(end_ps));
        self.serve_radio(core);
        for index in 0..self.uartes.len() {
            self.serve_uarte(index, core);
        }
    }

    fn do_job(&mut self, job: Job, core: &mut Cpu) {
        let in_uicr = |address: u32| (UICR_BASE..UICR_BASE + UICR_BYTES).contains(&address);
        match job {
            Job::Write { address, word } if in_uicr(address) => {
                self.uicr[(address - UICR_BASE) as usize / 4] &= word;
            }
            Job::Erase { address, .. } if in_uicr(address) => self.uicr.fill(u32::MAX),
            Job::Write { address, word } => {
                let mut old = [0; 4];
                core.read_memory(address, &mut old);
                // Bits go from 1 to 0 only (PS "NVMC", writing to flash).
                core.write_memory(address, &(u32::from_le_bytes(old) & word).to_le_bytes());
            }
            Job::Erase { address, bytes } => {
                core.write_memory(address, &vec![0xFF; bytes as usize]);
            }
        }
    }

    /// EasyDMA reaches RAM only (PS "EasyDMA").
    fn fetched(&mut self, core: &Cpu, address: u32, bytes: usize, what: &str) -> Vec<u8> {
        let mut buffer = vec![0; bytes];
        let in_ram = (super::RAM.0..super::RAM.0 + super::RAM.1 as u32).contains(&address);
        if !in_ram || !core.read_memory(address, &mut buffer) {
            self.dma_error(address, what);
        }
        buffer
    }

    fn dma_error(&mut self, address: u32, what: &str) {
        let t_ps = self.now_ps;
        self.log.once(t_ps, Topic::Device, address, || {
            format!("EasyDMA of the {} at 0x{:08x}, which is not in RAM", what, address)
        });
    }

    fn stored(&mut self, core: &mut Cpu, address: u32, bytes: &[u8], what: &str) {
        if !core.write_ram(address, bytes) {
            self.dma_error(address, what);
        }
    }

    fn serve_radio(&mut self, core: &mut Cpu) {
        for transfer in std::mem::take(&mut self.radio.transfers) {
            match transfer {
                Transfer::Fetch(address) => {
                    let room = (super::RAM.0 + super::RAM.1 as u32).saturating_sub(address) as usize;
                    let mut frame = self.fetched(core, address, room.clamp(1, FRAME_BYTES), "radio");
                    frame.resize(FRAME_BYTES, 0);
                    self.radio.loaded(&frame);
                }
                Transfer::Store(address, bytes) => self.stored(core, address, &bytes, "radio"),
            }
        }
    }

    fn serve_uarte(&mut self, index: usize, core: &mut Cpu) {
        let at = self.at(core.cycles);
        for (address, byte) in std::mem::take(&mut self.uartes[index].stores) {
            self.stored(core, address, &[byte], "UARTE");
        }
        if let Some((address, bytes)) = self.uartes[index].fetch.take() {
            let buffer = self.fetched(core, address, bytes, "UARTE");
            self.uartes[index].loaded(&buffer, at.ps);
            self.follow(map::UARTES[index], at);
            self.update_irqs();
            self.reschedule();
        }
    }

    /// The reset that the chip wants, if it wants one.
    pub(super) fn reset_if_wanted(&mut self) -> bool {
        let reason = std::mem::take(&mut self.wants_reset);
        if reason != 0 {
            let cycle = self.clock.tick_at(self.now_ps);
            self.reset_by(reason, cycle);
        }
        reason != 0
    }

    /// A reset of everything but the world outside, for a reason: a bit of RESETREAS.
    pub(super) fn reset_by(&mut self, reason: u32, cycle: u64) {
        let at = self.at(cycle);
        self.now_ps = self.now_ps.max(at.ps);
        self.power = self.power.after_reset(reason, self.uicr[protection::UICR_WORD]);
        self.radio.reset(at.ps);
        for uarte in self.uartes.iter_mut() {
            *uarte = uarte.after_reset();
        }
        self.gpiote = Gpiote::default();
        self.gpio = self.gpio.after_reset();
        self.timers = map::TIMER_CHANNELS
            .iter()
            .map(|&count| super::Timer::new(count))
            .collect();
        self.rtcs = map::RTC_CHANNELS.iter().map(|&count| super::Rtc::new(count)).collect();
        self.temp = Temp::default();
        self.rng = self.rng.after_reset();
        self.wdt = super::Wdt::default();
        self.egus = vec![super::Egu::default(); 6];
        self.nvmc = Nvmc::default();
        self.ppi = Ppi::default();
        self.tasks.clear();
        self.follow(map::POWER, at);
        self.pins_changed(u64::MAX >> 16, at);
        self.update_irqs();
        self.reschedule();
        self.irq_changed = true; // a core reset forgets the lines
    }
}
