//! Real-time clock and backup registers of the STM32F1 (RM0008 chapters 18 and 6): the backup domain, which outlives
//! every reset but its own.
//!
//! The clock is counted in picoseconds, apart from the core's: it continues in Stop and Standby. Reads give what the
//! last edge of RTCCLK left.

use crate::clock::Clock;

const CRH_SECIE: u32 = 1 << 0;
const CRH_OWIE: u32 = 1 << 2;
const CRL_SECF: u32 = 1 << 0;
const CRL_ALRF: u32 = 1 << 1;
const CRL_OWF: u32 = 1 << 2;
const CRL_RSF: u32 = 1 << 3;
const CRL_CNF: u32 = 1 << 4;
const CRL_RTOFF: u32 = 1 << 5;

/// Edges of RTCCLK that a write takes, "at least three" (18.3.4).
const WRITE_EDGES: u64 = 3;

/// What a write in configuration mode has changed.
#[derive(Clone, Copy, Debug, Default)]
struct Staged {
    prl: Option<u32>,
    cnt: Option<u32>,
    alr: Option<u32>,
}

/// RTC and BKP.
#[derive(Clone, Debug)]
pub struct Rtc {
    clock: Option<Clock>,
    /// What [`Rtc::set_clock`] got last.
    source: Option<(u64, u64, u64)>,
    crh: u32,
    flags: u32,
    configuring: bool,
    staged: Staged,
    /// The edge at which a running write is over.
    written_at: Option<u64>,
    prl: u32,
    alr: u32,
    cnt: u32,
    /// Edge at which the counter got the value `cnt`.
    since: u64,
    /// Edges up to here have been looked at.
    seen: u64,
    /// The edge that sets RSF; None when it stands.
    sync_at: Option<u64>,
    /// The alarm went off: a pulse on EXTI line 17.
    pub alarm: bool,
    backup: [u32; 42],
    bkp_cr: u32,
    bkp_csr: u32,
}

impl Default for Rtc {
    fn default() -> Rtc {
        Rtc {
            clock: None,
            source: None,
            crh: 0,
            flags: 0,
            configuring: false,
            staged: Staged::default(),
            written_at: None,
            prl: 0x8000,
            alr: u32::MAX,
            cnt: 0,
            since: 0,
            seen: 0,
            sync_at: Some(1),
            alarm: false,
            backup: [0; 42],
            bkp_cr: 0,
            bkp_csr: 0,
        }
    }
}

impl Rtc {
    /// The clock that RCC selects, off by `ppb`: frequency, divider, and the instant of its first edge.
    pub fn set_clock(&mut self, source: Option<(u64, u64, u64)>, ppb: i64, now_ps: u64) {
        if source == self.source {
            return;
        }
        self.sync(now_ps);
        self.source = source;
        self.clock = source.map(|(hz, divider, start_ps)| Clock::new(hz, divider, ppb, start_ps));
        // Edges have new numbers; the distances stay.
        let (old, new) = (self.seen, self.edge_at_or_before(now_ps).unwrap_or(0));
        let shift = |edge: u64| edge - old + new;
        self.since = new.saturating_sub(old - self.since);
        self.written_at = self.written_at.map(shift);
        self.sync_at = self.sync_at.map(shift);
        self.seen = new;
    }

    /// A system reset: CRH and CRL belong to APB1, the rest to the backup domain (18.1).
    pub fn system_reset(&mut self) {
        self.crh = 0;
        self.flags = 0;
        self.configuring = false;
        self.staged = Staged::default();
        self.sync_at = Some(self.seen + 1);
    }

    fn edge_at_or_before(&self, now_ps: u64) -> Option<u64> {
        let clock = self.clock.as_ref()?;
        let next = clock.tick_at(now_ps);
        if clock.ps(next) <= now_ps {
            Some(next)
        } else {
            next.checked_sub(1)
        }
    }

    /// Edges between two values of the counter.
    fn period(&self) -> u64 {
        u64::from(self.prl) + 1
    }

    /// Lets time pass to `now_ps`.
    pub fn sync(&mut self, now_ps: u64) {
        let now = match self.edge_at_or_before(now_ps) {
            Some(edge) if edge > self.seen => edge,
            _ => return,
        };
        if let Some(at) = self.written_at.filter(|&at| at <= now) {
            self.count_to(at);
            self.commit(at);
        }
        self.count_to(now);
        if self.sync_at.map_or(false, |at| at <= now) {
            self.sync_at = None;
            self.flags |= CRL_RSF;
        }
    }

    /// The flags rise on the last edge before the counter takes its next value (18.3.5).
    fn count_to(&mut self, edge: u64) {
        let period = self.period();
        // Rises of SECF in (seen, edge]: one edge before since + k * period.
        let rises = |to: u64| (to + 1).wrapping_sub(self.since) / period;
        let (before, after) = (rises(self.seen), rises(edge));
        if after > before {
            self.flags |= CRL_SECF;
            // The k-th rise comes while the counter stands at cnt + k - 1.
            let to_alarm = u64::from(self.alr.wrapping_sub(self.cnt)) + 1;
            let to_overflow = u64::from(u32::MAX.wrapping_sub(self.cnt)) + 1;
            let passed = |k: u64| k > before && k <= after;
            if passed(to_alarm) || passed(to_alarm + (1 << 32)) {
                self.flags |= CRL_ALRF;
                self.alarm = true;
            }
            if passed(to_overflow) || passed(to_overflow + (1 << 32)) {
                self.flags |= CRL_OWF;
            }
        }
        let rounds = (edge - self.since) / period;
        self.cnt = self.cnt.wrapping_add(rounds as u32);
        self.since += rounds * period;
        self.seen = edge;
    }

    /// What was written takes effect; a new PRL or CNT restarts the prescaler (18.4.4).
    fn commit(&mut self, edge: u64) {
        self.written_at = None;
        let staged = std::mem::take(&mut self.staged);
        if staged.prl.is_some() || staged.cnt.is_some() {
            self.since = edge;
        }
        self.prl = staged.prl.unwrap_or(self.prl);
        self.cnt = staged.cnt.unwrap_or(self.cnt);
        self.alr = staged.alr.unwrap_or(self.alr);
    }

    /// Instant of the next thing that is waited for; `alarm`: EXTI 17 or Standby listen to the alarm.
    pub fn next_event(&self, alarm: bool) -> Option<u64> {
        let clock = self.clock.as_ref()?;
        let rise = |k: u64| self.since + k * self.period() - 1;
        let done = |edge: u64| edge > self.seen;
        let next_rise = if done(rise(1)) { 1 } else { 2 };
        let mut next = self.written_at;
        let mut consider = |k: u64| {
            let k = if done(rise(k)) { k } else { k + (1 << 32) };
            next = Some(next.map_or(rise(k), |edge| edge.min(rise(k))));
        };
        if self.crh & CRH_SECIE & !self.flags != 0 {
            consider(next_rise);
        }
        if alarm || self.crh & CRL_ALRF & !self.flags != 0 {
            consider(u64::from(self.alr.wrapping_sub(self.cnt)) + 1);
        }
        if self.crh & CRH_OWIE & !self.flags != 0 {
            consider(u64::from(u32::MAX.wrapping_sub(self.cnt)) + 1);
        }
        next.map(|edge| clock.ps(edge))
    }

    /// Level of the interrupt line RTC (position 3).
    pub fn irq(&self) -> bool {
        self.flags & self.crh & 7 != 0
    }

    pub fn read(&mut self, offset: u32, now_ps: u64) -> Option<u32> {
        self.sync(now_ps);
        let div = self.prl - ((self.seen - self.since) % self.period()) as u32;
        Some(match offset {
            0x00 => self.crh,
            0x04 => {
                let idle = if self.written_at.is_none() { CRL_RTOFF } else { 0 };
                self.flags | if self.configuring { CRL_CNF } else { 0 } | idle
            }
            0x08 | 0x0C => 0, // PRL is for writing only
            0x10 => div >> 16 & 0xF,
            0x14 => div & 0xFFFF,
            0x18 => self.cnt >> 16,
            0x1C => self.cnt & 0xFFFF,
            0x20 => self.alr >> 16,
            0x24 => self.alr & 0xFFFF,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        self.sync(now_ps);
        let high = |old: u32| old & 0xFFFF | value << 16;
        let low = |old: u32| old & 0xFFFF_0000 | value & 0xFFFF;
        match offset {
            0x00 => self.crh = value & 7,
            0x04 => self.write_crl(value),
            0x10 | 0x14 => {}
            0x08..=0x24 if !self.configuring => {} // 18.3.4: only in configuration mode
            0x08 => self.staged.prl = Some(high(self.staged.prl.unwrap_or(self.prl)) & 0xF_FFFF),
            0x0C => self.staged.prl = Some(low(self.staged.prl.unwrap_or(self.prl))),
            0x18 => self.staged.cnt = Some(high(self.staged.cnt.unwrap_or(self.cnt))),
            0x1C => self.staged.cnt = Some(low(self.staged.cnt.unwrap_or(self.cnt))),
            0x20 => self.staged.alr = Some(high(self.staged.alr.unwrap_or(self.alr))),
            0x24 => self.staged.alr = Some(low(self.staged.alr.unwrap_or(self.alr))),
            _ => return None,
        }
        Some(())
    }

    fn write_crl(&mut self, value: u32) {
        self.flags &= value; // rc_w0
        if value & CRL_RSF == 0 {
            self.sync_at = Some(self.seen + 1);
        }
        let configuring = value & CRL_CNF != 0;
        if self.configuring && !configuring {
            self.written_at = Some(self.seen + 1 + WRITE_EDGES); // never, without a clock
        }
        self.configuring = configuring;
    }

    /// Place of a data register: DR1 to DR10 at 0x04, DR11 to DR42 at 0x40 (6.4).
    fn backup_place(offset: u32) -> Option<usize> {
        match offset {
            0x04..=0x28 => Some((offset as usize - 0x04) / 4),
            0x40..=0xBC => Some((offset as usize - 0x40) / 4 + 10),
            _ => None,
        }
    }

    pub fn read_backup(&self, offset: u32) -> Option<u32> {
        match offset {
            0x2C => Some(0), // RTCCR: calibration is not modelled
            0x30 => Some(self.bkp_cr),
            0x34 => Some(self.bkp_csr),
            _ => Rtc::backup_place(offset).map(|place| self.backup[place]),
        }
    }

    /// DBP is set.
    pub fn write_backup(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x2C => {}
            0x30 => self.bkp_cr = value & 3,
            0x34 => self.bkp_csr = value & 4,
            _ => self.backup[Rtc::backup_place(offset)?] = value & 0xFFFF,
        }
        Some(())
    }
}
