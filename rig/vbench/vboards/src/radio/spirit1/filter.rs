//! Automatic packet filtering (data sheet 9.7; library, PCKT_FLT_OPTIONS).

use super::packet::{Format, Header};
use super::regs::{self, protocol};
use super::Spirit1;

impl Spirit1 {
    /// Whether a packet is for the host. A destination passes when one of the enabled ones fits.
    pub(super) fn accepts(&self, format: &Format, header: &Header, crc_right: bool) -> bool {
        if self.reg(regs::PROTOCOL1) & protocol::AUTO_PCKT_FLT == 0 {
            return true;
        }
        let options = self.reg(regs::PCKT_FLT_OPTIONS);
        if options & protocol::CRC_CHECK != 0 && !crc_right {
            return false;
        }
        let goals = [
            (protocol::DEST_VS_SOURCE, regs::TX_SOURCE_ADDR),
            (protocol::DEST_VS_MULTICAST, regs::MULTICAST),
            (protocol::DEST_VS_BROADCAST, regs::BROADCAST),
        ];
        let enabled = || goals.iter().filter(|goal| options & goal.0 != 0);
        if format.address_bytes >= 1
            && enabled().next().is_some()
            && !enabled().any(|goal| header.destination == self.reg(goal.1))
        {
            return false;
        }
        let differs = |value: u8, wanted: u8, mask: u8| (value ^ self.reg(wanted)) & self.reg(mask) != 0;
        if format.address_bytes >= 2
            && options & protocol::SOURCE_FILTERING != 0
            && differs(header.source, regs::RX_SOURCE_ADDR, regs::RX_SOURCE_MASK)
        {
            return false;
        }
        options & protocol::CONTROL_FILTERING == 0
            || (0..format.control_bytes.min(4)).all(|n| {
                let byte = header.control[usize::from(n)];
                !differs(byte, regs::CONTROL0_FIELD + n, regs::CONTROL0_MASK + n)
            })
    }
}
