//! ADC12 as a stand-in (SLAU049F chapter 17): conversions take their time and give fixed values. The temperature sensor
//! says 25 °C, the supply is 3 V, all other inputs lie at half the reference.
//!
//! Not modelled: the timer triggers (SHSx), the oscillator's spread, the reference's settling.

const SC: u16 = 1 << 0;
const ENC: u16 = 1 << 1;
const REF_2_5: u16 = 1 << 6;
const BUSY: u16 = 1 << 0;
const EOS: u8 = 1 << 7;
const CHANNELS: usize = 16;

/// A conversion: 13 cycles of ADC12CLK and the sampling time, here 16 cycles of the 5 MHz oscillator (SLAS368: fADC12OSC
/// 3.7 to 6.3 MHz, typical value unverified).
const CONVERSION_PS: u64 = (13 + 16) * 200_000;

/// Millivolts at the inputs: sensor at 25 °C, 986 mV + 3.55 mV/K (SLAS368, VSENSOR, TCSENSOR); half of AVcc = 3 V.
const SENSOR_MV: u32 = 986 + 355 * 25 / 100;
const HALF_SUPPLY_MV: u32 = 1500;
const SUPPLY_MV: u32 = 3000;

/// The converter.
#[derive(Clone, Debug)]
pub struct Adc {
    control: [u16; 2],
    memory: [u16; CHANNELS],
    settings: [u8; CHANNELS],
    flags: u16,
    enables: u16,
    /// Memory that the conversion under way goes to, and when it ends.
    running: Option<(usize, u64)>,
}

impl Adc {
    pub fn new() -> Adc {
        Adc {
            control: [0; 2],
            memory: [0; CHANNELS],
            settings: [0; CHANNELS],
            flags: 0,
            enables: 0,
            running: None,
        }
    }

    pub fn read(&mut self, address: u16) -> u16 {
        match address {
            0x0080..=0x008F => u16::from(self.settings[usize::from(address - 0x80)]),
            0x0140..=0x015F => {
                let index = usize::from((address - 0x140) / 2);
                self.flags &= !(1 << index); // reading a result resets its flag (SLAU049F 17.2.8)
                self.memory[index]
            }
            0x01A0 => self.control[0],
            0x01A2 => self.control[1] & !BUSY | u16::from(self.running.is_some()),
            0x01A4 => self.flags,
            0x01A6 => self.enables,
            _ => match (self.flags & self.enables).trailing_zeros() {
                index @ 0..=15 => 6 + 2 * index as u16,
                _ => 0,
            },
        }
    }

    pub fn write(&mut self, address: u16, value: u16, ps: u64) {
        match address {
            0x0080..=0x008F => self.settings[usize::from(address - 0x80)] = value as u8,
            0x0140..=0x015F => self.memory[usize::from((address - 0x140) / 2)] = value,
            0x01A0 => {
                self.control[0] = value & !SC;
                if value & ENC == 0 {
                    self.running = None;
                } else if value & SC != 0 && self.running.is_none() {
                    self.running = Some((usize::from(self.control[1] >> 12), ps + CONVERSION_PS));
                }
            }
            0x01A2 => self.control[1] = value & !BUSY,
            0x01A4 => self.flags = value,
            0x01A6 => self.enables = value,
            _ => {}
        }
    }

    fn result(&self, index: usize) -> u16 {
        let setting = self.settings[index];
        let reference_mv = match (setting >> 4 & 7, self.control[0] & REF_2_5 != 0) {
            (1, true) => 2500,
            (1, false) => 1500,
            _ => SUPPLY_MV,
        };
        let input_mv = match setting & 15 {
            10 => SENSOR_MV,
            11 => HALF_SUPPLY_MV,
            _ => reference_mv / 2,
        };
        (input_mv * 4095 / reference_mv).min(4095) as u16
    }

    pub fn next_event_ps(&self) -> u64 {
        self.running.map_or(u64::MAX, |running| running.1)
    }

    pub fn fire(&mut self, ps: u64) {
        while let Some((index, end_ps)) = self.running.filter(|running| running.1 <= ps) {
            self.memory[index] = self.result(index);
            self.flags |= 1 << index;
            let mode = self.control[1] >> 1 & 3;
            let sequence = mode & 1 == 1;
            let last = !sequence || self.settings[index] & EOS != 0;
            let next = match (last, mode >= 2) {
                (false, _) => Some((index + 1) % CHANNELS),
                (true, true) => Some(usize::from(self.control[1] >> 12)),
                (true, false) => None,
            };
            self.running = next.map(|index| (index, end_ps + CONVERSION_PS));
        }
    }

    pub fn flagged(&self) -> bool {
        self.flags != 0
    }

    pub fn request(&self) -> bool {
        self.flags & self.enables != 0
    }
}
