//! DMA requests of the devices (RM0008 tables 78 and 79), and the work that needs the core's memories.

use super::flash::{Work, PAGE_BYTES};
use super::map::{ADC_DMA, SPI_DMA, TIMER_DMA, USART_DMA};
use super::{Group, Stm32f1};
use crate::core::v7m::Cpu;
use crate::soc::stm32::transfer::{move_datum, occupy};
use crate::soc::Outside;

/// The flash array (RM0008 table 3).
pub const FLASH: std::ops::Range<u32> = 0x0800_0000..0x0808_0000;

impl<O: Outside> Stm32f1<O> {
    /// Hands the devices' requests to the DMA, if it is in use.
    pub(super) fn request_dma(&mut self) {
        if !self.dmas.iter().any(|dma| dma.in_use()) {
            return;
        }
        let mut levels = [0u32; 2];
        let mut up = |(controller, channel): (usize, usize), level: bool| {
            levels[controller] |= u32::from(level) << channel;
        };
        for (usart, (receive, send)) in self.usarts.iter().zip(USART_DMA) {
            let requests = usart.dma_requests();
            up(receive, requests.0);
            up(send, requests.1);
        }
        for (spi, (receive, send)) in self.spis.iter().zip(SPI_DMA) {
            let requests = spi.dma_requests();
            up(receive, requests.0);
            up(send, requests.1);
        }
        for (adc, channel) in self.adcs.iter().zip(ADC_DMA) {
            if let Some(channel) = channel {
                up(channel, adc.dma_request());
            }
        }
        for (timer, channels) in self.timers.iter_mut().zip(TIMER_DMA) {
            let requests = timer.take_requests();
            for (place, channel) in channels.iter().enumerate() {
                if let (Some((controller, channel)), true) = (*channel, requests >> place & 1 == 1) {
                    self.dmas[controller].pulse(channel);
                }
            }
        }
        for (dma, levels) in self.dmas.iter_mut().zip(levels) {
            dma.set_requests(levels);
        }
    }

    /// Transfers that are due, one of each controller; the next follow at their own cycles.
    pub(super) fn serve_dma(&mut self, core: &mut Cpu) {
        if core.cycles < self.next_transfer {
            return;
        }
        for index in 0..self.dmas.len() {
            if let Some(transfer) = self.dmas[index].due(core.cycles) {
                let worked = move_datum(self, core, &transfer);
                let end = occupy(self, core, &transfer);
                self.dmas[index].done(&transfer, worked, end);
                if let Some(next) = self.dmas[index].follows() {
                    occupy(self, core, &next);
                }
                self.touch_all();
                self.look();
            }
        }
    }

    /// Programs or erases: the cell must be erased, or the value 0 (PM0075, 2.3.3). Code in flash waits for the end.
    pub(super) fn serve_flash(&mut self, core: &mut Cpu) {
        let work = match self.flash.work.take() {
            Some(work) => work,
            None => return,
        };
        let done = match work {
            Work::Program { address, value } => {
                let mut old = [0; 2];
                core.read_memory(address, &mut old)
                    && (old == [0xFF; 2] || value == 0)
                    && core.write_memory(address, &value.to_le_bytes())
            }
            Work::ErasePage { address } => {
                let page = address & !(PAGE_BYTES - 1);
                !FLASH.contains(&page) || core.write_memory(page, &[0xFF; PAGE_BYTES as usize])
            }
            Work::EraseAll => {
                let erased = vec![0xFF; (FLASH.end - FLASH.start) as usize];
                core.write_memory(FLASH.start, &erased)
            }
        };
        let end_ps = self.flash.begun(work, done, self.clock.ps(core.cycles));
        if core.pc() < FLASH.end {
            self.stalled_until = self.clock.tick_at(end_ps);
        }
        self.touch(Group::Rest);
        self.look();
    }
}
