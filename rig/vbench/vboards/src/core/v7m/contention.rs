//! What the core waits for other masters of the bus matrix: DMA controllers.
//!
//! RM0008 13.3, word for word in many drivers: a request "may stop the CPU access to the system bus for some bus cycles,
//! when the CPU and DMA are targeting the same destination"; scheduling is round robin, which leaves the core at least
//! half of the bandwidth. AN2548 rev 2, 3.1 and 3.2, read in a translation (cnblogs.com/shangdawei/p/4748426.html): it
//! waits for one bus cycle at most, at a peripheral for two cycles of its APB; a DMA transfer takes single bus cycles;
//! instructions from the flash come over a bus of their own. RM0351 could not be read: the L476 is taken to be alike.
//!
//! Not modelled, and which way it errs:
//! * The core always lets DMA go first, and DMA never waits for the core. Round robin gives a tie to the one that had no
//!   turn before: the core is too slow by up to a cycle per tie, DMA too fast by as much.
//! * The frame of an exception: what stacking waits is in none of the numbers, up to a few cycles.
//! * Instructions and literals: code in RAM does not wait for DMA in that RAM, nor do literals for DMA from the flash.

use super::Cpu;
use crate::bus::Bus;

/// Another master has a slave of the bus matrix in these cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hold {
    slave: u32,
    from: u64,
    until: u64,
}

#[derive(Debug, Default)]
pub(super) struct Holds(Vec<Hold>);

/// Slave of the bus matrix that an address belongs to: a RAM, the flash, the AHB that both APBs hang on (RM0008 3.1: four
/// masters and four slaves), or the second AHB of the STM32L4 (unverified).
fn slave(address: u32) -> u32 {
    match address >> 27 {
        9..=11 => 9,
        region => region,
    }
}

impl Holds {
    /// The first cycle from `at` on in which the core gets the slave of an address.
    pub(super) fn free_at(&self, address: u32, mut at: u64) -> u64 {
        let held = |at: u64| {
            let slave = slave(address);
            self.0
                .iter()
                .find(|hold| hold.slave == slave && hold.from <= at && at < hold.until)
        };
        while let Some(hold) = held(at) {
            at = hold.until;
        }
        at
    }
}

impl Cpu {
    /// A DMA controller reaches the slave of `address` at `cycle`. Returns the cycle after its access.
    pub fn hold_slave<B: Bus>(&mut self, bus: &B, address: u32, cycle: u64) -> u64 {
        let until = cycle + 1 + self.bridge_cycles(bus, address);
        let from = (cycle + 1).saturating_sub(self.timing.dma_hold);
        let hold = Hold {
            slave: slave(address),
            from,
            until,
        };
        let now = self.cycles;
        self.holds.0.retain(|hold| hold.until > now);
        if self.timing.dma_hold > 0 && !self.holds.0.contains(&hold) {
            self.holds.0.push(hold);
            self.busy_until = self.busy_until.max(until);
        }
        until
    }

    /// An access waits for the write buffer and for other masters; a store waits for those in the buffer. A load completes
    /// a cycle later than a store would.
    #[inline(never)]
    pub(super) fn wait_for_others(&mut self, address: u32, is_load: bool) {
        self.cycles = self.cycles.max(self.buffer_free_at + u64::from(is_load));
        let free_at = self.holds.free_at(address, self.cycles);
        if is_load || self.timing.write_buffer == 0 {
            self.cycles = free_at;
        } else if free_at > self.cycles {
            self.fill_buffer(free_at);
        }
    }

    /// The write buffer holds a store that reaches its slave at `cycle`.
    pub(super) fn fill_buffer(&mut self, cycle: u64) {
        self.buffer_free_at = cycle + 1;
        self.busy_until = self.busy_until.max(cycle + 1);
    }
}
