//! The shift register of an SPI master (RM0008 chapter 25, RM0351 chapter 42): transfers and the levels of the lines.
//! The families differ in what is before and after it: a data register, or FIFOs.

const CR1_CPHA: u32 = 1 << 0;
const CR1_CPOL: u32 = 1 << 1;
const CR1_MSTR: u32 = 1 << 2;
pub const CR1_SPE: u32 = 1 << 6;

pub const SR_RXNE: u32 = 1 << 0;
pub const SR_TXE: u32 = 1 << 1;
pub const SR_OVR: u32 = 1 << 6;
pub const SR_BSY: u32 = 1 << 7;

/// Half periods of the first byte.
const MIDDLE: u32 = 16;

/// What the chip around an SPI has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A transfer begins: ask the slave for its data and hand it to the SPI's `answer`.
    Begin,
    /// The first byte of a transfer of two has gone out: hand the second answer to the SPI's `answer`.
    Middle(u8),
    /// A transfer is over; this went out last.
    End { data: u16, bits: u32 },
    /// Lines of a traced bus: SCK, MOSI, MISO.
    Lines([bool; 3]),
}

#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub out: u16,
    pub back: u16,
    start: u64,
    half_cycles: u64,
    /// Half periods of SCK that are over.
    halves: u32,
    pub bits: u32,
}

impl Transfer {
    /// Whether the first byte of two has just gone out.
    pub fn is_at_middle(&self) -> bool {
        self.bits == 16 && self.halves == MIDDLE
    }

    /// Whether the last byte is on the lines.
    pub fn is_in_last_byte(&self) -> bool {
        self.bits == 8 || self.halves >= MIDDLE
    }
}

/// One shift register. Times are cycles of HCLK.
#[derive(Clone, Debug, Default)]
pub struct Shifter {
    clock_div: u64,
    pub cr1: u32,
    pub transfer: Option<Transfer>,
    /// Whether a transfer of two bytes has an event between them.
    has_middle: bool,
    /// Report every edge of the lines: a probe is on them.
    pub traced: bool,
}

impl Shifter {
    pub fn new(clock_div: u64, has_middle: bool) -> Shifter {
        Shifter {
            clock_div,
            has_middle,
            ..Shifter::default()
        }
    }

    pub fn reset(&mut self) {
        (self.cr1, self.transfer) = (0, None);
    }

    pub fn set_clock_div(&mut self, clock_div: u64) {
        self.clock_div = clock_div;
    }

    /// The chip's clock stood still.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some(transfer) = self.transfer.as_mut() {
            transfer.start += cycles;
        }
    }

    /// Whether the SPI is an enabled master.
    pub fn is_master(&self) -> bool {
        self.cr1 & (CR1_SPE | CR1_MSTR) == CR1_SPE | CR1_MSTR
    }

    /// A transfer begins. Baud rate: fPCLK / 2^(BR+1); a half period is 2^BR.
    pub fn begin(&mut self, out: u16, bits: u32, cycle: u64, effects: &mut Vec<Effect>) {
        self.transfer = Some(Transfer {
            out,
            back: 0,
            start: cycle,
            half_cycles: (1 << (self.cr1 >> 3 & 7)) * self.clock_div,
            halves: 0,
            bits,
        });
        effects.push(Effect::Begin);
    }

    pub fn next_event(&self) -> Option<u64> {
        self.transfer.map(|transfer| {
            let halves = match (self.traced, transfer.bits) {
                (true, _) => transfer.halves + 1,
                (false, 16) if self.has_middle && transfer.halves < MIDDLE => MIDDLE,
                (false, bits) => 2 * bits,
            };
            transfer.start + u64::from(halves) * transfer.half_cycles
        })
    }

    /// Brings the running transfer to `cycle`: the transfer, and whether it is over.
    pub fn advance(&mut self, cycle: u64) -> Option<(Transfer, bool)> {
        let transfer = self.transfer.as_mut()?;
        let end = transfer.start + u64::from(2 * transfer.bits) * transfer.half_cycles;
        transfer.halves = ((cycle - transfer.start) / transfer.half_cycles) as u32;
        Some((*transfer, cycle >= end))
    }

    /// Levels of SCK, MOSI, MISO now.
    pub fn lines(&self) -> [bool; 3] {
        let idle = self.cr1 & CR1_CPOL != 0;
        let transfer = match self.transfer {
            Some(transfer) => transfer,
            None => return [idle, false, false],
        };
        let second_phase = self.cr1 & CR1_CPHA != 0;
        let active = (transfer.halves % 2 == 1) != second_phase && transfer.halves < 2 * transfer.bits;
        let bit = transfer.bits - 1 - (transfer.halves / 2).min(transfer.bits - 1);
        [
            active != idle,
            transfer.out >> bit & 1 == 1,
            transfer.back >> bit & 1 == 1,
        ]
    }

    pub fn write_cr1(&mut self, value: u32, effects: &mut Vec<Effect>) {
        self.cr1 = value & 0xFFFF;
        effects.push(Effect::Lines(self.lines()));
    }
}
