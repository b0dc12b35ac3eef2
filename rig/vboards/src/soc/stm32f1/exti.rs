//! External interrupts and the port selection of AFIO (RM0008 chapters 9.4 and 10.3).

/// Line of the RTC's alarm (10.2.5).
pub const RTC_ALARM: u32 = 1 << 17;

/// Interrupt numbers of lines 0 to 4, 9..5, 15..10, PVD, RTC alarm, USB wake-up (RM0008 table 63).
const IRQ: [(u32, u32); 10] = [
    (0x1, 6),
    (0x2, 7),
    (0x4, 8),
    (0x8, 9),
    (0x10, 10),
    (0x3E0, 23),
    (0xFC00, 40),
    (1 << 16, 1),
    (RTC_ALARM, 41),
    (1 << 18, 42),
];

/// EXTI with AFIO.
#[derive(Clone, Debug, Default)]
pub struct Exti {
    imr: u32,
    emr: u32,
    rtsr: u32,
    ftsr: u32,
    swier: u32,
    pr: u32,
    evcr: u32,
    mapr: u32,
    exticr: [u32; 4],
    mapr2: u32,
    /// An event (EMR) happened; the core's event register is to be set.
    pub event: bool,
}

impl Exti {
    /// AFIO reset by RCC.
    pub fn reset_afio(&mut self) {
        self.evcr = 0;
        self.mapr = 0;
        self.exticr = [0; 4];
        self.mapr2 = 0;
    }

    /// MAPR without its write-only debug bits.
    pub fn remaps(&self) -> u32 {
        self.mapr & 0x00FF_FFFF
    }

    /// A net has changed.
    pub fn pin(&mut self, port: usize, bit: u16, level: bool) {
        let select = self.exticr[usize::from(bit) / 4] >> (4 * (bit % 4)) & 15;
        if select as usize == port {
            self.edge(1 << bit, level);
        }
    }

    /// Lines that somebody listens to.
    pub fn listens(&self, lines: u32) -> bool {
        (self.imr | self.emr) & lines != 0
    }

    /// An edge on a line.
    pub fn edge(&mut self, line: u32, rising: bool) {
        let sensitive = if rising { self.rtsr } else { self.ftsr };
        if sensitive & line != 0 {
            self.trigger(line);
        }
    }

    /// The edge sets the pending bit whatever IMR says; IMR gates the way to the NVIC (10.2.5; unverified for a
    /// masked line, the description of SWIER can be read the other way).
    fn trigger(&mut self, lines: u32) {
        self.pr |= lines;
        self.event |= self.emr & lines != 0;
    }

    /// Levels of the interrupt lines.
    pub fn irqs(&self) -> u128 {
        let active = self.pr & self.imr;
        IRQ.iter()
            .filter(|(lines, _)| active & lines != 0)
            .fold(0, |all, (_, irq)| all | 1 << irq)
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.imr,
            0x04 => self.emr,
            0x08 => self.rtsr,
            0x0C => self.ftsr,
            0x10 => self.swier,
            0x14 => self.pr,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        let value = value & 0xF_FFFF;
        match offset {
            0x00 => self.imr = value,
            0x04 => self.emr = value,
            0x08 => self.rtsr = value,
            0x0C => self.ftsr = value,
            0x10 => {
                let rising = value & !self.swier;
                self.swier |= value;
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

    pub fn read_afio(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.evcr,
            0x04 => self.remaps(),
            0x08..=0x14 => self.exticr[(offset as usize - 8) / 4],
            0x1C => self.mapr2,
            _ => return None,
        })
    }

    pub fn write_afio(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.evcr = value & 0xFF,
            0x04 => self.mapr = value,
            0x08..=0x14 => self.exticr[(offset as usize - 8) / 4] = value & 0xFFFF,
            0x1C => self.mapr2 = value,
            _ => return None,
        }
        Some(())
    }
}
