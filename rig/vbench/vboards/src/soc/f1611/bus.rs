//! The registers as the core sees them.

use super::map::{self, vector};
use super::port::Register;
use super::{flash, watchdog};
use super::{multiplier, Outside, F1611};
use crate::core::msp430::Peripherals;
use crate::log::Topic;
use crate::trace::dotted_pin_name;

/// Registers that keep what is written and do nothing else: SVS, comparator, I2C, DAC12 (SLAS368, peripheral file map).
const STORED: [(u16, u16, &str); 5] = [
    (0x0050, 0x0052, "I2C of USART0"),
    (0x0055, 0x0055, "SVS"),
    (0x0059, 0x005B, "Comparator_A"),
    (0x0118, 0x011D, "I2C of USART0"),
    (0x01C0, 0x01CB, "DAC12"),
];

impl<O: Outside> Peripherals for F1611<O> {
    fn read(&mut self, address: u16, byte: bool, cycle: u64, pc: u16) -> u16 {
        self.log.set_pc(u32::from(pc));
        let ps = self.clocks.ps(cycle);
        if ps >= self.next_event_ps {
            self.advance(ps);
        }
        self.now_ps = self.now_ps.max(ps);
        let value = self.read_register(address, byte, ps, pc);
        if byte {
            value & 0xFF
        } else {
            value
        }
    }

    fn write(&mut self, address: u16, byte: bool, value: u16, cycle: u64, pc: u16) {
        self.log.set_pc(u32::from(pc));
        let ps = self.clocks.ps(cycle);
        if ps >= self.next_event_ps {
            self.advance(ps);
        }
        self.now_ps = self.now_ps.max(ps);
        self.write_register(address, byte, value, cycle, ps, pc);
        self.update_requests();
        self.reschedule();
    }

    fn requests(&self) -> u16 {
        self.requests
    }

    fn accepted(&mut self, number: u16, cycle: u64) {
        self.now_ps = self.now_ps.max(self.clocks.ps(cycle));
        match number {
            vector::TIMER_A0 => self.timers[0].accepted0(),
            vector::TIMER_B0 => self.timers[1].accepted0(),
            vector::WATCHDOG => self.flags &= !map::WDT_BIT,
            // SLAU049F 13.2.8: the flags of a USART are reset when their interrupt is taken; that of a start edge is not.
            vector::USART0_RX => self.usarts[0].rx_flag = false,
            vector::USART0_TX => self.usarts[0].tx_flag = false,
            vector::USART1_RX => self.usarts[1].rx_flag = false,
            vector::USART1_TX => self.usarts[1].tx_flag = false,
            // SLAU049F 2.2.1: the enables of the NMI sources are reset.
            vector::NMI => self.enables[0] &= !(map::OSCILLATOR_BIT | map::NMI_BIT | map::ACCESS_BIT),
            _ => {}
        }
        self.update_requests();
        self.update_horizon();
    }

    fn horizon(&self) -> u64 {
        self.horizon
    }
}

impl<O: Outside> F1611<O> {
    pub(super) fn read_register(&mut self, address: u16, byte: bool, ps: u64, pc: u16) -> u16 {
        if let Some((port, register)) = map::port_register(address) {
            return u16::from(self.ports[port].read(register));
        }
        match address {
            0x0000..=0x0005 => u16::from(self.read_special(address)),
            0x0056 => u16::from(self.clocks.dcoctl),
            0x0057 => u16::from(self.clocks.bcsctl1),
            0x0058 => u16::from(self.clocks.bcsctl2),
            0x0070..=0x007F => {
                let value = self.usarts[usize::from(address >> 3 & 1)].read(address & 7);
                self.update_requests();
                u16::from(value)
            }
            0x0120 | 0x0121 => half(self.watchdog.read(), address, byte),
            0x0128..=0x012D => half(self.flash.read(usize::from(address - 0x128) / 2, ps), address, byte),
            0x0122..=0x0125 | 0x01E0..=0x01F7 => half(self.dma.read(address & !1), address, byte),
            0x0080..=0x008F | 0x0140..=0x015F | 0x01A0..=0x01A9 => self.read_adc(address, byte),
            multiplier::FIRST..=multiplier::LAST => half(self.multiplier.read(address), address, byte),
            map::TAIV | map::TBIV => {
                self.sync_timers(ps);
                let vector = self.timers[usize::from(address == map::TBIV)].take_vector();
                self.update_requests();
                self.reschedule();
                vector
            }
            0x0160..=0x019F => {
                self.sync_timers(ps);
                let index = usize::from(address >= map::TIMER_B);
                let value = self.timers[index].read(address & 0x1E);
                self.update_requests();
                half(value, address, byte)
            }
            _ => self.read_stored(address, byte, ps, pc),
        }
    }

    pub(super) fn write_register(&mut self, address: u16, byte: bool, value: u16, cycle: u64, ps: u64, pc: u16) {
        let low = value as u8;
        if let Some((port, register)) = map::port_register(address) {
            return self.write_port(port, register, low, ps);
        }
        match address {
            0x0000..=0x0005 => self.write_special(address, low),
            0x0056..=0x0058 => {
                // The new clocks hold from the cycle after the write.
                let after = self.clocks.ps(cycle + 1);
                self.change_clocks(ps, |clocks| clocks.write(address - 0x56, low, cycle + 1, after));
                if address == 0x56 && !byte {
                    self.change_clocks(ps, |clocks| clocks.write(1, (value >> 8) as u8, cycle + 1, after));
                }
            }
            0x0070..=0x007F => self.write_usart(usize::from(address >> 3 & 1), address & 7, low, ps),
            0x0120 | 0x0121 => {
                if byte || self.watchdog.write(value, &self.clocks, ps) == watchdog::Written::Violation {
                    self.flags |= map::WDT_BIT;
                    self.ask_reset(&format!("WDTCTL written without password at 0x{:04x}", pc));
                }
            }
            0x0128..=0x012D => {
                let register = usize::from(address - 0x128) / 2;
                if byte || self.flash.write(register, value, ps) == flash::Written::Violation {
                    self.ask_reset(&format!(
                        "FCTL{} written without password at 0x{:04x}",
                        register + 1,
                        pc
                    ));
                }
            }
            0x0122..=0x0125 | 0x01E0..=0x01F7 => {
                self.dma.write(address & !1, value);
                for (index, timer) in self.timers.iter_mut().enumerate() {
                    timer.watched = self.dma.waits_for(index);
                }
            }
            0x0080..=0x008F | 0x0140..=0x015F | 0x01A0..=0x01A9 => {
                self.adc.write(address, value, ps);
                if !byte && address < 0x90 {
                    self.adc.write(address + 1, value >> 8, ps);
                }
            }
            0x0C00..=0xFFFF => {
                if !self.flash.store(address, byte, value, ps) {
                    self.log.once(ps, Topic::Write, u32::from(pc) | 0x2_0000, || {
                        format!(
                            "write of 0x{:04x} to flash at 0x{:04x} while it is locked",
                            value, address
                        )
                    });
                }
            }
            multiplier::FIRST..=multiplier::LAST => self.multiplier.write(address, byte, value),
            map::TAIV | map::TBIV => {
                self.sync_timers(ps);
                self.timers[usize::from(address == map::TBIV)].take_vector();
            }
            0x0160..=0x019F => {
                self.sync_timers(ps);
                let index = usize::from(address >= map::TIMER_B);
                self.timers[index].write(address & 0x1E, value, &self.clocks, ps);
                self.capture_aclk(ps);
                self.timer_outputs(ps);
            }
            _ => self.write_stored(address, byte, value, ps, pc),
        }
    }

    fn read_adc(&mut self, address: u16, byte: bool) -> u16 {
        let value = self.adc.read(if address < 0x90 { address } else { address & !1 });
        self.update_requests();
        if address >= 0x90 {
            half(value, address, byte)
        } else if byte {
            value
        } else {
            value | self.adc.read(address + 1) << 8
        }
    }

    fn read_special(&self, address: u16) -> u8 {
        let usart = usize::from(address & 1);
        let bits = |rx: bool, tx: bool| {
            (if rx { map::USART_RX_BIT[usart] } else { 0 }) | (if tx { map::USART_TX_BIT[usart] } else { 0 })
        };
        let device = &self.usarts[usart];
        match address {
            map::IE1 | map::IE2 => self.enables[usart],
            map::IFG1 => self.flags | bits(device.rx_flag, device.tx_flag),
            map::IFG2 => bits(device.rx_flag, device.tx_flag),
            _ => bits(device.receives, device.transmits),
        }
    }

    fn write_special(&mut self, address: u16, value: u8) {
        let usart = usize::from(address & 1);
        let rx = value & map::USART_RX_BIT[usart] != 0;
        let tx = value & map::USART_TX_BIT[usart] != 0;
        let device = &mut self.usarts[usart];
        match address {
            map::IE1 | map::IE2 => self.enables[usart] = value,
            map::IFG1 | map::IFG2 => {
                device.rx_flag = rx;
                device.tx_flag = tx;
                if address == map::IFG1 {
                    self.flags = value & !(map::USART_RX_BIT[0] | map::USART_TX_BIT[0]);
                    if self.clocks.xt2_fault() || self.clocks.lfxt1_fault() {
                        self.flags |= map::OSCILLATOR_BIT; // it comes back while the fault lasts
                    }
                }
            }
            _ => {
                // In SPI mode the receiver's bit is USPIEx and enables both directions (SLAU049F 14.2.4).
                device.receives = rx;
                device.transmits = tx || rx && device.spi();
            }
        }
    }

    fn write_port(&mut self, port: usize, register: Register, value: u8, ps: u64) {
        self.ports[port].write(register, value);
        if register == Register::Sel || register == Register::Dir {
            for &pin in map::CLOCK_OUTPUTS.iter().filter(|&&pin| usize::from(pin >> 4) == port) {
                let mask = 1u8 << (pin & 15);
                if self.ports[port].sel & self.ports[port].dir & mask != 0 {
                    self.log.once(ps, Topic::Device, u32::from(pin), || {
                        format!(
                            "{} puts out a clock: not modelled, the pin stays low",
                            dotted_pin_name(pin)
                        )
                    });
                }
            }
        }
        self.settle(port, ps);
        if register == Register::Sel {
            self.update_inputs(port, ps);
        }
        self.outside_changed();
    }

    fn write_usart(&mut self, index: usize, offset: u16, value: u8, ps: u64) {
        let mut effects = std::mem::take(&mut self.effects);
        self.usarts[index].write(offset, value, &self.clocks, ps, &mut effects);
        self.effects = effects;
        if offset == 0 {
            self.usart_pins();
        }
        self.usart_effects(index, ps);
    }

    fn stored_name(address: u16) -> Option<&'static str> {
        let known = STORED.iter().find(|entry| (entry.0..=entry.1).contains(&address));
        known.map(|entry| entry.2)
    }

    fn read_stored(&mut self, address: u16, byte: bool, ps: u64, pc: u16) -> u16 {
        let name = Self::stored_name(address);
        self.unmodelled(Topic::Read, name, address, None, ps, pc);
        match name {
            Some(_) => half(self.storage[usize::from(address & 0x1FE)], address, byte),
            None => 0,
        }
    }

    fn write_stored(&mut self, address: u16, byte: bool, value: u16, ps: u64, pc: u16) {
        let name = Self::stored_name(address);
        self.unmodelled(Topic::Write, name, address, Some(value), ps, pc);
        if name.is_some() {
            let word = &mut self.storage[usize::from(address & 0x1FE)];
            *word = match (byte, address & 1) {
                (false, _) => value,
                (true, 0) => *word & 0xFF00 | value & 0xFF,
                (true, _) => *word & 0xFF | value << 8,
            };
        }
    }

    /// Says once that an access meets nothing that does something; ends the run if it meets nothing at all.
    fn unmodelled(&mut self, topic: Topic, name: Option<&str>, address: u16, value: Option<u16>, ps: u64, pc: u16) {
        let what = match value {
            Some(value) => format!("write of 0x{:04x} to 0x{:04x}", value, address),
            None => format!("read of 0x{:04x}", address),
        };
        let text = format!(
            "{} ({})",
            what,
            name.map_or("no register".to_string(), |name| format!("{}, not modelled", name))
        );
        if name.is_none() && self.config.strict {
            self.fault.get_or_insert(format!(
                "board {}: {} at PC 0x{:04x} (t = {} ps)",
                self.config.board, text, pc, ps
            ));
            self.horizon = 0;
        }
        self.log.once(ps, topic, u32::from(address), || text);
    }
}

/// The half of a word register that a byte access at `address` meets.
fn half(value: u16, address: u16, byte: bool) -> u16 {
    if byte && address & 1 == 1 {
        value >> 8
    } else {
        value
    }
}
