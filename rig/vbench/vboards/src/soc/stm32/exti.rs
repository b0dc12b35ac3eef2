//! External interrupts and events (RM0008 chapter 10, RM0351 chapter 14), and the selection of their ports.

/// The lines of a family.
#[derive(Debug)]
pub struct Table {
    /// Banks of six registers, 0x20 apart, 32 lines each.
    pub banks: u32,
    pub lines: u64,
    /// Lines with edge detection; all others are direct: their device holds the request.
    pub edges: u64,
    /// An edge sets the pending bit of a line that IMR masks.
    pub masked_pends: bool,
    /// Lines and their interrupt numbers.
    pub irqs: &'static [(u64, u32)],
}

/// One EXTI.
#[derive(Clone, Debug)]
pub struct Exti {
    table: &'static Table,
    imr: u64,
    emr: u64,
    rtsr: u64,
    ftsr: u64,
    swier: u64,
    pr: u64,
    /// An event (EMR) happened; the core's event register is to be set.
    pub event: bool,
}

impl Exti {
    /// After reset, with this IMR.
    pub fn new(table: &'static Table, imr: u64) -> Exti {
        Exti {
            table,
            imr,
            emr: 0,
            rtsr: 0,
            ftsr: 0,
            swier: 0,
            pr: 0,
            event: false,
        }
    }

    /// An edge on a line.
    pub fn edge(&mut self, line: u32, rising: bool) {
        let sensitive = if rising { self.rtsr } else { self.ftsr };
        self.trigger(sensitive & 1 << line);
    }

    fn trigger(&mut self, lines: u64) {
        let pending = if self.table.masked_pends {
            lines
        } else {
            lines & self.imr
        };
        self.pr |= pending & self.table.edges;
        self.event |= self.emr & lines != 0;
    }

    /// Whether a line is enabled as an interrupt or as an event.
    pub fn wakes(&self, line: u32) -> bool {
        (self.imr | self.emr) >> line & 1 == 1
    }

    /// Levels of the interrupt lines.
    pub fn irqs(&self) -> u128 {
        let active = self.pr & self.imr;
        self.table
            .irqs
            .iter()
            .filter(|(lines, _)| active & lines != 0)
            .fold(0, |all, (_, irq)| all | 1 << irq)
    }

    /// Whether the family has a register at this offset of a bank.
    fn exists(&self, offset: u32) -> bool {
        offset < 0x20 * self.table.banks && offset & 0x1F < 0x18
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        if !self.exists(offset) {
            return None;
        }
        let registers = [self.imr, self.emr, self.rtsr, self.ftsr, self.swier, self.pr];
        Some((registers[offset as usize % 0x20 / 4] >> (offset / 0x20 * 32)) as u32)
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        if !self.exists(offset) {
            return None;
        }
        let shift = offset / 0x20 * 32;
        let mask = 0xFFFF_FFFF << shift & self.table.lines;
        let value = u64::from(value) << shift & mask;
        let edges = mask & self.table.edges;
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
            _ => {
                self.pr &= !value;
                self.swier &= !value;
            }
        }
        Some(())
    }
}

/// EXTICR1 to EXTICR4, at offsets 0x08 to 0x14 of AFIO and SYSCFG: the port of each of the lines 0 to 15.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortSelection([u32; 4]);

impl PortSelection {
    /// The field of a line.
    pub fn field(&self, line: u16) -> u32 {
        self.0[usize::from(line) / 4] >> (4 * (line % 4)) & 15
    }

    pub fn read(&self, offset: u32) -> u32 {
        self.0[(offset as usize - 8) / 4]
    }

    pub fn write(&mut self, offset: u32, value: u32) {
        self.0[(offset as usize - 8) / 4] = value & 0xFFFF;
    }
}
