//! Watching a firmware that uses what is not modelled, or that waits for something that cannot come.

use crate::log::{Log, Topic};
use std::collections::BTreeMap;

/// Reads of one register that no device answers, from one PC, before the run ends. Loops that give up by themselves are
/// counted in 16 bits as a rule (RIOT cpu/stm32/periph/i2c_1.c: TICK_TIMEOUT 0xFFFF; ST's CMSIS: HSE_STARTUP_TIMEOUT
/// 0x500): three times that is not such a loop.
const STUCK_READS: u32 = 3 * 0x1_0000;
/// And the least time that they take: waits that are counted in time (ST's HAL) give up after 2 to 100 ms as a rule.
const STUCK_PS: u64 = 1_000_000_000_000;
/// A loop that only waits reads more often than this; slower ones do something in between.
const LONGEST_PAUSE_PS: u64 = 100_000_000;
/// How long a modelled register may read the same, with no other access in between, before that is worth a remark:
/// longer than the slowest start of an oscillator (3 s: LSE, STM32F103 data sheet DS5792, table 23).
const DULL_PS: u64 = 4_000_000_000_000;
/// Such reads between two looks at the time.
const DULL_READS: u32 = 1 << 16;

/// Where and when a register was used.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub address: u32,
    pub pc: u32,
    pub t_ps: u64,
}

/// Why a register has no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Unmodelled,
    /// The clock of the device is off.
    ClockOff,
}

#[derive(Clone, Copy)]
struct Spin {
    reads: u32,
    since_ps: u64,
    last_ps: u64,
    value: u32,
}

/// The watcher of one chip.
#[derive(Default)]
pub struct Watch {
    spins: BTreeMap<(u32, u32), Spin>,
    // The last read of a modelled register, and how often it was repeated.
    address: u32,
    pc: u32,
    value: u32,
    repeats: u32,
    since: u64,
}

impl Watch {
    /// A read that gave `value` for want of better. Says so once; Some: the firmware hangs there, and the run must end
    /// with this text.
    pub fn lacking_read(
        &mut self,
        log: &mut Log,
        device: &str,
        lack: Lack,
        access: Access,
        value: u32,
    ) -> Option<String> {
        let (topic, what) = match lack {
            Lack::Unmodelled => (Topic::Read, "is not modelled"),
            Lack::ClockOff => (Topic::ClockOffRead, "has its clock off"),
        };
        let Access { address, pc, t_ps } = access;
        log.once(t_ps, topic, address, || {
            format!("{} 0x{:08x} {}, read as 0x{:x}", device, address, what, value)
        });
        let fresh = Spin {
            reads: 0,
            since_ps: t_ps,
            last_ps: t_ps,
            value,
        };
        let spin = self.spins.entry((pc, address)).or_insert(fresh);
        if spin.value != value || t_ps.saturating_sub(spin.last_ps) > LONGEST_PAUSE_PS {
            *spin = fresh;
        }
        spin.reads += 1;
        spin.last_ps = t_ps;
        if spin.reads < STUCK_READS || t_ps - spin.since_ps < STUCK_PS {
            return None;
        }
        Some(format!(
            "the firmware hangs at PC 0x{:08x}: it has read 0x{:x} from {} 0x{:08x}, which {}, {} times in {} ms",
            pc,
            value,
            device,
            address,
            what,
            spin.reads,
            (t_ps - spin.since_ps) / 1_000_000_000
        ))
    }

    /// A write that went nowhere; says so once.
    pub fn lacking_write(&mut self, log: &mut Log, device: &str, lack: Lack, access: Access, value: u32) {
        let (topic, what) = match lack {
            Lack::Unmodelled => (Topic::Write, "is not modelled"),
            Lack::ClockOff => (Topic::ClockOffWrite, "has its clock off"),
        };
        let Access { address, t_ps, .. } = access;
        log.once(t_ps, topic, address, || {
            format!("{} 0x{:08x} {}, write of 0x{:x} ignored", device, address, what, value)
        });
    }

    /// A modelled register was read. True now and then while the same read repeats: then ask [`Watch::dull`].
    #[inline]
    pub fn repeats(&mut self, address: u32, pc: u32, value: u32, cycle: u64) -> bool {
        if self.value == value && self.pc == pc && self.address == address {
            self.repeats = self.repeats.wrapping_add(1);
            return self.repeats % DULL_READS == 0;
        }
        (self.address, self.pc, self.value) = (address, pc, value);
        (self.repeats, self.since) = (0, cycle);
        false
    }

    /// Cycle of the first of the repeated reads.
    pub fn repeats_since(&self) -> u64 {
        self.since
    }

    /// Says once that a firmware polls a register that does not change; some do so for ever, and rightly.
    pub fn dull(&self, log: &mut Log, device: &str, access: Access, since_ps: u64) {
        let Access { address, t_ps, .. } = access;
        if t_ps.saturating_sub(since_ps) < DULL_PS {
            return;
        }
        log.once(t_ps, Topic::Spin, address, || {
            format!(
                "{} 0x{:08x} is polled and has read 0x{:x} for {} ms",
                device,
                address,
                self.value,
                (t_ps - since_ps) / 1_000_000_000
            )
        });
    }
}
