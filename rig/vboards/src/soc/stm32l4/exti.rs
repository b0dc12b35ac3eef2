//! External interrupts and events, and SYSCFG that selects their ports (RM0351 chapters 9 and 14).

/// Lines with edge detection; all others are direct: their device holds the request (table 57).
const EDGE_LINES: u64 = 0x0000_0078_007D_FFFF;
/// Lines and interrupt numbers (RM0351 table 56, 57). Direct lines reach the NVIC as the interrupt of their device.
const IRQ: [(u64, u32); 12] = [
    (0x1, 6),
    (0x2, 7),
    (0x4, 8),
    (0x8, 9),
    (0x10, 10),
    (0x3E0, 23),
    (0xFC00, 40),
    (1 << 16 | 0x78 << 32, 1),
    (1 << 18, 41),
    (1 << 19, 2),
    (1 << 20, 3),
    (3 << 21, 64),
];

/// Lines of RTC alarms and its wake-up timer.
pub const RTC_ALARM: u32 = 18;
pub const RTC_WAKEUP: u32 = 20;
/// Direct lines: USART1 to 3, UART4, UART5, LPUART1; LPTIM1, LPTIM2.
pub const USART_LINE: u32 = 26;
pub const LPTIM_LINE: u32 = 32;

/// EXTI with SYSCFG.
#[derive(Clone, Debug)]
pub struct Exti {
    imr: u64,
    emr: u64,
    rtsr: u64,
    ftsr: u64,
    swier: u64,
    pr: u64,
    memrmp: u32,
    cfgr1: u32,
    exticr: [u32; 4],
    scsr: u32,
    cfgr2: u32,
    swpr: u32,
    /// An event (EMR) happened; the core's event register is to be set.
    pub event: bool,
}

impl Default for Exti {
    fn default() -> Exti {
        Exti {
            imr: 0x0000_0087_FF82_0000,
            emr: 0,
            rtsr: 0,
            ftsr: 0,
            swier: 0,
            pr: 0,
            memrmp: 0,
            cfgr1: 0x7C00_0001,
            exticr: [0; 4],
            scsr: 0,
            cfgr2: 0,
            swpr: 0,
            event: false,
        }
    }
}

impl Exti {
    /// SYSCFG reset by RCC.
    pub fn reset_syscfg(&mut self) {
        let fresh = Exti::default();
        self.cfgr1 = fresh.cfgr1;
        (self.memrmp, self.exticr) = (0, [0; 4]);
        (self.scsr, self.cfgr2, self.swpr) = (0, 0, 0);
    }

    /// What is mapped at address 0; the model always shows the flash there.
    pub fn memory_map(&self) -> u32 {
        self.memrmp & 7
    }

    /// A net has changed.
    pub fn pin(&mut self, port: usize, bit: u16, level: bool) {
        let select = self.exticr[usize::from(bit) / 4] >> (4 * (bit % 4)) & 7;
        if select as usize == port {
            self.edge(u32::from(bit), level);
        }
    }

    /// A device inside has raised or dropped its signal on an edge-detecting line.
    pub fn edge(&mut self, line: u32, rising: bool) {
        let sensitive = if rising { self.rtsr } else { self.ftsr };
        self.trigger(sensitive & 1 << line);
    }

    /// An unmasked edge sets the pending bit; a masked one does not (14.3, figure 31: PR comes behind the mask).
    fn trigger(&mut self, lines: u64) {
        self.pr |= lines & self.imr & EDGE_LINES;
        self.event |= self.emr & lines != 0;
    }

    /// Whether a direct line may wake the chip from Stop.
    pub fn wakes(&self, line: u32) -> bool {
        (self.imr | self.emr) >> line & 1 == 1
    }

    /// Levels of the interrupt lines.
    pub fn irqs(&self) -> u128 {
        let active = self.pr & self.imr;
        IRQ.iter()
            .filter(|(lines, _)| active & lines != 0)
            .fold(0, |all, (_, irq)| all | 1 << irq)
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        let shift = if offset < 0x20 { 0 } else { 32 };
        let register = match offset & 0x1F {
            0x00 => self.imr,
            0x04 => self.emr,
            0x08 => self.rtsr,
            0x0C => self.ftsr,
            0x10 => self.swier,
            0x14 => self.pr,
            _ => return None,
        };
        if offset < 0x38 {
            Some((register >> shift) as u32)
        } else {
            None
        }
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        if offset >= 0x38 {
            return None;
        }
        let (shift, mask) = if offset < 0x20 {
            (0, 0xFFFF_FFFF)
        } else {
            (32, 0xFF << 32)
        };
        let value = u64::from(value) << shift & mask;
        let edges = mask & EDGE_LINES;
        match offset & 0x1F {
            0x00 => self.imr = self.imr & !mask | value,
            0x04 => self.emr = self.emr & !mask | value,
            0x08 => self.rtsr = self.rtsr & !edges | value & edges,
            0x0C => self.ftsr = self.ftsr & !edges | value & edges,
            0x10 => {
                let rising = value & edges & !self.swier;
                self.swier |= value & edges;
                self.trigger(rising);
            }
            0x14 => {
                self.pr &= !value;
                self.swier &= !value;
            }
            _ => return None,
        }
        Some(())
    }

    pub fn read_syscfg(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.memrmp,
            0x04 => self.cfgr1,
            0x08..=0x14 => self.exticr[(offset as usize - 8) / 4],
            0x18 => self.scsr,
            0x1C => self.cfgr2,
            0x20 => self.swpr,
            0x24 => 0,
            _ => return None,
        })
    }

    pub fn write_syscfg(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.memrmp = value & 0x107,
            0x04 => self.cfgr1 = value & 0xFC7F_0101 | self.cfgr1 & 1,
            0x08..=0x14 => self.exticr[(offset as usize - 8) / 4] = value & 0xFFFF,
            0x18 => self.scsr = value & 1,
            0x1C => self.cfgr2 |= value & 0xF,
            0x20 => self.swpr |= value,
            0x24 => {}
            _ => return None,
        }
        Some(())
    }
}
