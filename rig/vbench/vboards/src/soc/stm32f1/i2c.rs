//! I2C1 and I2C2 (RM0008 chapter 26) as masters on a bus without slaves: START, an address that is not
//! acknowledged, STOP, each after its time on the wire. The pins stay as they are.
//!
//! Not modelled: slave mode, SMBus, levels of SCL and SDA, DMA (there is never anything to transfer).

const CR1_PE: u32 = 1 << 0;
const CR1_START: u32 = 1 << 8;
const CR1_STOP: u32 = 1 << 9;
const CR1_SWRST: u32 = 1 << 15;
const CR2_ITERREN: u32 = 1 << 8;
const CR2_ITEVTEN: u32 = 1 << 9;
const SR1_SB: u32 = 1 << 0;
const SR1_AF: u32 = 1 << 10;
const SR2_MSL: u32 = 1 << 0;
const SR2_BUSY: u32 = 1 << 1;
const SR2_TRA: u32 = 1 << 2;
const CCR_FS: u32 = 1 << 15;
const CCR_DUTY: u32 = 1 << 14;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    /// Eight bits and the acknowledge that does not come.
    Address,
    Stop,
}

/// One I2C. Times are cycles of HCLK.
#[derive(Clone, Debug)]
pub struct I2c {
    clock_div: u64,
    cr1: u32,
    cr2: u32,
    oar1: u32,
    oar2: u32,
    ccr: u32,
    trise: u32,
    sr1: u32,
    sr2: u32,
    dr: u32,
    step: Option<(u64, Step)>,
}

impl I2c {
    pub fn new(clock_div: u64) -> I2c {
        I2c {
            clock_div,
            cr1: 0,
            cr2: 0,
            oar1: 0,
            oar2: 0,
            ccr: 0,
            trise: 2,
            sr1: 0,
            sr2: 0,
            dr: 0,
            step: None,
        }
    }

    pub fn set_clock_div(&mut self, clock_div: u64) {
        self.clock_div = clock_div;
    }

    pub fn reset(&mut self) {
        *self = I2c::new(self.clock_div);
    }

    /// The chip's clock stood still.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some((at, _)) = self.step.as_mut() {
            *at += cycles;
        }
    }

    /// Period of SCL: CCR high and CCR low; in fast mode 1 + 2, or 9 + 16 with DUTY (26.6.8).
    fn scl_cycles(&self) -> u64 {
        let parts = match (self.ccr & CCR_FS != 0, self.ccr & CCR_DUTY != 0) {
            (false, _) => 2,
            (true, false) => 3,
            (true, true) => 25,
        };
        u64::from((self.ccr & 0xFFF).max(1)) * parts * self.clock_div
    }

    pub fn next_event(&self) -> Option<u64> {
        self.step.map(|(at, _)| at)
    }

    /// Handles what is due at exactly `cycle`. Returns an address that was not acknowledged.
    pub fn fire(&mut self, cycle: u64) -> Option<u8> {
        let (_, step) = self.step.filter(|&(at, _)| at <= cycle)?;
        self.step = None;
        match step {
            Step::Start => {
                self.cr1 &= !CR1_START;
                self.sr1 |= SR1_SB;
                self.sr2 |= SR2_MSL | SR2_BUSY;
            }
            Step::Address => self.sr1 |= SR1_AF,
            Step::Stop => {
                self.cr1 &= !CR1_STOP;
                self.sr2 = 0;
            }
        }
        self.begin(cycle);
        Some((self.dr >> 1) as u8).filter(|_| step == Step::Address)
    }

    /// STOP goes before START; both wait for what is on the wire.
    fn begin(&mut self, cycle: u64) {
        if self.step.is_some() || self.cr1 & CR1_PE == 0 {
            return;
        }
        if self.cr1 & CR1_STOP != 0 && self.sr2 & SR2_MSL != 0 {
            self.step = Some((cycle + self.scl_cycles(), Step::Stop));
        } else if self.cr1 & CR1_START != 0 {
            self.step = Some((cycle + self.scl_cycles(), Step::Start));
        } else if self.sr2 & SR2_MSL == 0 {
            self.cr1 &= !CR1_STOP; // a slave that is not addressed: STOP has nothing to do
        }
    }

    /// Levels of the event and error lines (26.4, figure 277).
    pub fn irqs(&self) -> (bool, bool) {
        let event = self.cr2 & CR2_ITEVTEN != 0 && self.sr1 & SR1_SB != 0;
        let error = self.cr2 & CR2_ITERREN != 0 && self.sr1 & SR1_AF != 0;
        (event, error)
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.cr1,
            0x04 => self.cr2,
            0x08 => self.oar1,
            0x0C => self.oar2,
            0x10 => self.dr,
            0x14 => self.sr1,
            0x18 => self.sr2,
            0x1C => self.ccr,
            0x20 => self.trise,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let value = value & 0xFFFF;
        match offset {
            0x00 => self.write_cr1(value, cycle),
            0x04 => self.cr2 = value & 0x1F3F,
            0x08 => self.oar1 = value,
            0x0C => self.oar2 = value & 0xFF,
            0x10 => self.write_dr(value, cycle),
            0x14 => self.sr1 &= value | 0xFF, // the error flags are rc_w0
            0x18 => {}
            0x1C => self.ccr = value,
            0x20 => self.trise = value & 0x3F,
            _ => return None,
        }
        Some(())
    }

    fn write_cr1(&mut self, value: u32, cycle: u64) {
        if value & CR1_SWRST != 0 {
            self.reset();
            self.cr1 = value & CR1_SWRST;
            return;
        }
        self.cr1 = value;
        if value & CR1_PE == 0 {
            self.cr1 &= !(CR1_START | CR1_STOP);
            (self.sr1, self.sr2, self.step) = (0, 0, None);
        }
        self.begin(cycle);
    }

    /// An address after SB; other data never finds a way out.
    fn write_dr(&mut self, value: u32, cycle: u64) {
        self.dr = value & 0xFF;
        if self.sr1 & SR1_SB == 0 {
            return;
        }
        self.sr1 &= !SR1_SB;
        self.sr2 |= if value & 1 == 0 { SR2_TRA } else { 0 };
        self.step = Some((cycle + 9 * self.scl_cycles(), Step::Address));
    }
}
