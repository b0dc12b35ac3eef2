//! Registers of a USART (RM0351 40.8 and 41.7).

use super::{
    Usart, CR1_PCE, CR1_UE, CR3_OVRDIS, ISR_CMF, ISR_IDLE, ISR_ORE, ISR_PE, ISR_RXNE, ISR_TC, ISR_TXE, ISR_WUF,
};

const ISR_BUSY: u32 = 1 << 16;
const ISR_TEACK: u32 = 1 << 21;
const ISR_REACK: u32 = 1 << 22;
/// Bits that ICR clears; those of ISR that this model sets among them.
const CLEARABLE: u32 = ISR_PE | 0x6 | ISR_ORE | ISR_IDLE | ISR_TC | ISR_CMF | ISR_WUF;

impl Usart {
    fn isr(&self) -> u32 {
        let works = self.kernel.is_some();
        self.isr
            | if self.lines.rx.is_some() { ISR_BUSY } else { 0 }
            | if works && self.transmitting() { ISR_TEACK } else { 0 }
            | if works && self.receiving() { ISR_REACK } else { 0 }
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.cr1,
            0x04 => self.cr2,
            0x08 => self.cr3,
            0x0C => self.brr,
            0x10 => self.gtpr,
            0x14 => self.rtor,
            0x18 | 0x20 => 0,
            0x1C => self.isr(),
            0x24 => {
                self.isr &= !ISR_RXNE;
                let parity = u16::from(self.cr1 & CR1_PCE != 0);
                u32::from(self.rdr) & ((1 << (self.places() as u16 - parity)) - 1)
            }
            0x28 => 0,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        match offset {
            0x00 => self.write_cr1(value, now_ps),
            0x04 => self.cr2 = value,
            0x08 => self.cr3 = value & 0x00FF_FFFF,
            0x0C => {
                self.brr = value & if self.low_power { 0xF_FFFF } else { 0xFFFF };
                self.update_rate();
            }
            0x10 => self.gtpr = value & 0xFFFF,
            0x14 => self.rtor = value,
            0x18 => self.request(value),
            0x1C => {}
            0x20 => self.isr &= !(value & CLEARABLE),
            0x24 => {}
            0x28 => {
                let data = (value & 0x1FF) as u16;
                self.isr &= !ISR_TC;
                if !self.transmitting() || self.bit_clock.is_none() {
                    self.isr &= !ISR_TXE;
                    self.lines.holding = Some(data);
                } else if self.lines.tx.is_none() {
                    self.shift_out(data, now_ps);
                } else {
                    self.lines.holding = Some(data);
                    self.isr &= !ISR_TXE;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn write_cr1(&mut self, value: u32, now_ps: u64) {
        let was = self.transmitting();
        self.cr1 = value & 0x1FFF_FFFF;
        self.update_rate();
        if self.cr1 & CR1_UE == 0 {
            // UE off stops at once and resets the flags (40.8.1).
            self.isr = ISR_TXE | ISR_TC;
            (self.lines.tx, self.lines.holding) = (None, None);
        }
        if self.transmitting() && !was {
            let length = self.places() + 2;
            let clock = self.bit_clock.as_ref();
            let idle_ps = clock.map_or(0, |clock| clock.ps(u64::from(length)));
            self.lines.tx_ready = now_ps + idle_ps; // 40.5.2: an idle frame first
            if let Some(data) = self.lines.holding.take() {
                self.shift_out(data, now_ps);
            }
        }
    }

    /// RQR: RXFRQ drops what was received, TXFRQ what waits to be sent (40.8.7).
    fn request(&mut self, value: u32) {
        if value & 8 != 0 {
            self.isr &= !ISR_RXNE;
        }
        if value & 16 != 0 && self.lines.holding.take().is_some() {
            self.isr |= ISR_TXE;
        }
        if self.cr3 & CR3_OVRDIS != 0 {
            self.isr &= !ISR_ORE;
        }
    }
}
