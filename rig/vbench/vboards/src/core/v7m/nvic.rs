//! Interrupt lines and the priorities of all exceptions: what pends, what is active, what may pre-empt.

/// Interrupt lines; the bus has 128, an STM32F103 60 and an STM32L476 82 of them.
const WORDS: usize = 4;
/// STM32: four priority bits (PM0056 section 4.4.5).
const PRIORITY_BITS: u8 = 0xF0;

pub(super) const NMI: u16 = 2;
pub(super) const HARD_FAULT: u16 = 3;
pub(super) const MEM_MANAGE: u16 = 4;
pub(super) const BUS_FAULT: u16 = 5;
pub(super) const USAGE_FAULT: u16 = 6;
pub(super) const SVCALL: u16 = 11;
pub(super) const PENDSV: u16 = 14;
pub(super) const SYSTICK: u16 = 15;
pub(super) const FIRST_IRQ: u16 = 16;

/// Weaker than any priority: thread mode with nothing active.
pub(super) const NO_PRIORITY: i16 = 256;

pub(super) struct Nvic {
    pub enabled: [u32; WORDS],
    pending: [u32; WORDS],
    active: [u32; WORDS],
    level: [u32; WORDS],
    /// Of exceptions 0..=15 and then of the interrupts, as written (high four bits).
    priority: [u8; 16 + 32 * WORDS],
    /// Bit n: exception n (n < 16).
    system_pending: u16,
    system_active: u16,
    /// AIRCR.PRIGROUP.
    pub group: u32,
}

impl Nvic {
    pub fn new() -> Nvic {
        Nvic {
            enabled: [0; WORDS],
            pending: [0; WORDS],
            active: [0; WORDS],
            level: [0; WORDS],
            priority: [0; 16 + 32 * WORDS],
            system_pending: 0,
            system_active: 0,
            group: 0,
        }
    }

    /// Takes new levels of the lines; a rising line pends. True if something did.
    pub fn set_levels(&mut self, levels: u128) -> bool {
        let mut rose = false;
        for word in 0..WORDS {
            let level = (levels >> (32 * word)) as u32;
            let rising = level & !self.level[word];
            self.level[word] = level;
            rose |= rising & !self.pending[word] != 0;
            self.pending[word] |= rising;
        }
        rose
    }

    /// Returns true if the exception was not pending before.
    pub fn pend(&mut self, exception: u16) -> bool {
        let was = self.is_pending(exception);
        if exception < FIRST_IRQ {
            self.system_pending |= 1 << exception;
        } else {
            let irq = exception - FIRST_IRQ;
            self.pending[usize::from(irq / 32)] |= 1 << (irq % 32);
        }
        !was
    }

    pub fn unpend(&mut self, exception: u16) {
        if exception < FIRST_IRQ {
            self.system_pending &= !(1 << exception);
        } else {
            let irq = exception - FIRST_IRQ;
            self.pending[usize::from(irq / 32)] &= !(1 << (irq % 32));
        }
    }

    pub fn is_pending(&self, exception: u16) -> bool {
        if exception < FIRST_IRQ {
            return self.system_pending >> exception & 1 != 0;
        }
        let irq = exception - FIRST_IRQ;
        self.pending[usize::from(irq / 32)] >> (irq % 32) & 1 != 0
    }

    pub fn is_active(&self, exception: u16) -> bool {
        if exception < FIRST_IRQ {
            return self.system_active >> exception & 1 != 0;
        }
        let irq = exception - FIRST_IRQ;
        usize::from(irq) < 32 * WORDS && self.active[usize::from(irq / 32)] >> (irq % 32) & 1 != 0
    }

    /// Number of active exceptions, told up to two.
    pub fn several_active(&self) -> bool {
        self.system_active.count_ones() + self.active.iter().map(|word| word.count_ones()).sum::<u32>() > 1
    }

    /// The exception begins: active, no longer pending.
    pub fn activate(&mut self, exception: u16) {
        self.unpend(exception);
        if exception < FIRST_IRQ {
            self.system_active |= 1 << exception;
        } else {
            let irq = exception - FIRST_IRQ;
            self.active[usize::from(irq / 32)] |= 1 << (irq % 32);
        }
    }

    /// The exception ends; an interrupt whose line is still high pends again.
    pub fn deactivate(&mut self, exception: u16) {
        if exception < FIRST_IRQ {
            self.system_active &= !(1 << exception);
        } else if self.is_active(exception) {
            let (word, bit) = (
                usize::from((exception - FIRST_IRQ) / 32),
                1 << ((exception - FIRST_IRQ) % 32),
            );
            self.active[word] &= !bit;
            self.pending[word] |= self.level[word] & bit;
        }
    }

    /// Bits of the active (true) or pending system exceptions, for SHCSR.
    pub fn system_bits(&self, active: bool) -> u16 {
        if active {
            self.system_active
        } else {
            self.system_pending
        }
    }

    pub fn set_system_active(&mut self, exception: u16, active: bool) {
        self.system_active = self.system_active & !(1 << exception) | u16::from(active) << exception;
    }

    /// Priority as it counts among pending exceptions: lower is stronger.
    fn full_priority(&self, exception: u16) -> i16 {
        match exception {
            NMI => -2,
            HARD_FAULT => -1,
            _ => i16::from(self.priority[usize::from(exception)]),
        }
    }

    /// The part of a priority that decides about pre-emption (PRIGROUP).
    pub fn group_priority(&self, priority: i16) -> i16 {
        if priority < 0 {
            priority
        } else {
            priority & !((2i16 << self.group) - 1)
        }
    }

    /// Group priority of an exception.
    pub fn preemption_priority(&self, exception: u16) -> i16 {
        self.group_priority(self.full_priority(exception))
    }

    /// Strongest group priority among the active exceptions.
    pub fn active_priority(&self) -> i16 {
        let mut strongest = NO_PRIORITY;
        let mut system = self.system_active;
        while system != 0 {
            strongest = strongest.min(self.preemption_priority(system.trailing_zeros() as u16));
            system &= system - 1;
        }
        for (word, &bits) in self.active.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let exception = FIRST_IRQ + 32 * word as u16 + bits.trailing_zeros() as u16;
                strongest = strongest.min(self.preemption_priority(exception));
                bits &= bits - 1;
            }
        }
        strongest
    }

    /// The pending, enabled exception that would go first, and its group priority.
    pub fn strongest_pending(&self) -> Option<(u16, i16)> {
        let mut best: Option<(i16, u16)> = None;
        let mut consider = |exception: u16| {
            let candidate = (self.full_priority(exception), exception);
            best = Some(best.map_or(candidate, |b| b.min(candidate)));
        };
        let mut system = self.system_pending;
        while system != 0 {
            consider(system.trailing_zeros() as u16);
            system &= system - 1;
        }
        for word in 0..WORDS {
            let mut bits = self.pending[word] & self.enabled[word];
            while bits != 0 {
                consider(FIRST_IRQ + 32 * word as u16 + bits.trailing_zeros() as u16);
                bits &= bits - 1;
            }
        }
        best.map(|(priority, exception)| (exception, self.group_priority(priority)))
    }

    /// True if any interrupt pends, enabled or not (ICSR.ISRPENDING).
    pub fn irq_pending(&self) -> bool {
        self.pending.iter().any(|&word| word != 0)
    }

    pub fn set_system_priority(&mut self, exception: u16, value: u8) {
        self.priority[usize::from(exception)] = value & PRIORITY_BITS;
    }

    pub fn system_priority(&self, exception: u16) -> u8 {
        self.priority[usize::from(exception)]
    }

    /// Word at `offset` from 0xE000E100.
    pub fn read(&self, offset: u32) -> u32 {
        let word = (offset as usize & 0x7F) / 4;
        match offset {
            0x000..=0x00F | 0x080..=0x08F => self.enabled[word],
            0x100..=0x10F | 0x180..=0x18F => self.pending[word],
            0x200..=0x20F => self.active[word],
            0x300..=0x37F => {
                let first = 16 + (offset as usize - 0x300);
                let p = &self.priority[first..first + 4];
                u32::from_le_bytes([p[0], p[1], p[2], p[3]])
            }
            _ => 0,
        }
    }

    /// Writes a word at `offset` from 0xE000E100; true if something newly pends.
    pub fn write(&mut self, offset: u32, value: u32) -> bool {
        let word = (offset as usize & 0x7F) / 4;
        match offset {
            0x000..=0x00F => self.enabled[word] |= value,
            0x080..=0x08F => self.enabled[word] &= !value,
            0x100..=0x10F => {
                let new = value & !self.pending[word] != 0;
                self.pending[word] |= value;
                return new;
            }
            // A line that is still high keeps its interrupt pending.
            0x180..=0x18F => self.pending[word] &= !value | self.level[word] & !self.active[word],
            0x300..=0x37F => {
                let first = 16 + (offset as usize - 0x300);
                for (place, byte) in self.priority[first..first + 4].iter_mut().zip(value.to_le_bytes()) {
                    *place = byte & PRIORITY_BITS;
                }
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_priority_then_lowest_number_goes_first() {
        let mut nvic = Nvic::new();
        nvic.write(0x000, 0xFFFF_FFFF);
        nvic.write(0x300, 0x1020_2030);
        nvic.set_levels(0b111);
        assert_eq!(Some((17, 0x20)), nvic.strongest_pending());
        nvic.set_levels(0b1111);
        assert_eq!(Some((19, 0x10)), nvic.strongest_pending());
        nvic.pend(NMI);
        assert_eq!(Some((NMI, -2)), nvic.strongest_pending());
    }

    #[test]
    fn a_line_that_stays_high_pends_again() {
        let mut nvic = Nvic::new();
        nvic.enabled[2] = 1;
        assert!(nvic.set_levels(1 << 64));
        nvic.activate(80);
        assert!(!nvic.is_pending(80));
        assert!(!nvic.set_levels(1 << 64));
        nvic.deactivate(80);
        assert!(nvic.is_pending(80));
        nvic.activate(80);
        nvic.set_levels(0);
        nvic.deactivate(80);
        assert_eq!(None, nvic.strongest_pending());
    }

    #[test]
    fn priority_grouping_masks_the_subpriority() {
        let mut nvic = Nvic::new();
        nvic.group = 5;
        assert_eq!(0x40, nvic.group_priority(0x70));
        nvic.group = 3;
        assert_eq!(0x70, nvic.group_priority(0x70));
    }

    #[test]
    fn priorities_have_four_bits() {
        let mut nvic = Nvic::new();
        nvic.write(0x304, 0xFFFF_FFFF);
        assert_eq!(0xF0F0_F0F0, nvic.read(0x304));
    }
}
