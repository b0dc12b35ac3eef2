//! Which device asks which DMA channel (RM0351 tables 44 and 45). Those of timers, ADC, DAC, I2C, SAI are not modelled.

use super::{Outside, Stm32l4};

/// Line of a device towards DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    UsartRx(usize),
    UsartTx(usize),
    SpiRx(usize),
    SpiTx(usize),
}

use Line::{SpiRx, SpiTx, UsartRx, UsartTx};

/// Controller, channel (both from 0), value of CSELR, line.
const REQUESTS: [(usize, usize, u32, Line); 22] = [
    (0, 1, 1, SpiRx(0)),
    (0, 2, 1, SpiTx(0)),
    (0, 3, 1, SpiRx(1)),
    (0, 4, 1, SpiTx(1)),
    (0, 1, 2, UsartTx(2)),
    (0, 2, 2, UsartRx(2)),
    (0, 3, 2, UsartTx(0)),
    (0, 4, 2, UsartRx(0)),
    (0, 5, 2, UsartRx(1)),
    (0, 6, 2, UsartTx(1)),
    (1, 0, 2, UsartTx(4)),
    (1, 1, 2, UsartRx(4)),
    (1, 2, 2, UsartTx(3)),
    (1, 4, 2, UsartRx(3)),
    (1, 5, 2, UsartTx(0)),
    (1, 6, 2, UsartRx(0)),
    (1, 0, 3, SpiRx(2)),
    (1, 1, 3, SpiTx(2)),
    (1, 2, 4, SpiRx(0)),
    (1, 3, 4, SpiTx(0)),
    (1, 5, 4, UsartTx(5)),
    (1, 6, 4, UsartRx(5)),
];

impl<O: Outside> Stm32l4<O> {
    fn asks(&self, line: Line) -> bool {
        match line {
            UsartRx(index) => self.usarts[index].dma_requests().0,
            UsartTx(index) => self.usarts[index].dma_requests().1,
            SpiRx(index) => self.spis[index].dma_requests().0,
            SpiTx(index) => self.spis[index].dma_requests().1,
        }
    }

    /// Hands the devices' requests over to the controllers that work.
    pub(super) fn update_requests(&mut self) {
        for controller in 0..self.dmas.len() {
            if !self.dmas[controller].in_use() {
                continue;
            }
            let levels = REQUESTS
                .iter()
                .filter(|&&(number, channel, select, line)| {
                    number == controller && self.dmas[controller].selection(channel) == select && self.asks(line)
                })
                .fold(0, |all, &(_, channel, _, _)| all | 1 << channel);
            self.dmas[controller].set_requests(levels);
        }
    }

    /// Cycle of the next transfer of a controller.
    pub(super) fn next_transfer(&self) -> Option<u64> {
        self.dmas.iter().filter_map(|dma| dma.next_event()).min()
    }
}
