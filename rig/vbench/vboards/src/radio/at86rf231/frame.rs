//! The frame filter of the AT86RF231.

use super::regs::{self, irq};
use super::{At86rf231, Kind};
use crate::radio::ieee802154::Header;
pub use crate::radio::ieee802154::{ack, ack_request, fcs, fcs_valid};

/// What the frame filter compares with.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    pub pan: u16,
    pub short: u16,
    pub ieee: u64,
    pub coordinator: bool,
    /// AACK_FVN_MODE: highest frame version accepted; 3 accepts all (7.2.7, register 0x2E).
    pub version_mode: u8,
    /// AACK_UPLD_RES_FT (7.2.7, register 0x17).
    pub upload_reserved: bool,
    /// AACK_FLTR_RES_FT.
    pub filter_reserved: bool,
}

/// The verdict of the filter on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub accepted: bool,
    /// Bytes from the frame control field through the last address.
    pub header: usize,
    /// An ACK is asked for and may be given: data or command to this node alone.
    pub acknowledge: bool,
    /// It is a data request command, so AACK_SET_PD counts.
    pub data_request: bool,
}

/// Applies the third level of filtering (IEEE 802.15.4-2006, 7.5.6.2; data sheet 7.2.3.5).
pub fn filter(psdu: &[u8], me: &Identity) -> Verdict {
    let mut verdict = Verdict {
        accepted: false,
        header: 3,
        acknowledge: false,
        data_request: false,
    };
    if psdu.len() < 3 {
        return verdict;
    }
    let header = Header::of(psdu);
    let (kind, dst_mode, src_mode) = (header.kind, header.dst_mode, header.src_mode);
    verdict.header = header.bytes();
    if kind > 3 {
        if !me.upload_reserved {
            return verdict;
        }
        if !me.filter_reserved {
            verdict.accepted = true;
            return verdict;
        }
    }
    // An ACK reaches only the sender that waits for it, in TX_ARET.
    if kind == 2 || dst_mode == 1 || src_mode == 1 || psdu.len() < verdict.header + 2 {
        return verdict;
    }
    if me.version_mode < 3 && header.version > me.version_mode {
        return verdict;
    }
    let (dst_pan, dst, src_pan) = (header.dst_pan(psdu), header.dst(psdu), header.src_pan(psdu));
    let mut alone = false;
    verdict.accepted = match dst_mode {
        0 => match kind {
            0 => me.pan == 0xFFFF || src_pan == me.pan,
            _ => src_mode != 0 && me.coordinator && src_pan == me.pan,
        },
        _ => {
            alone = if dst_mode == 2 {
                dst == u64::from(me.short) && dst != 0xFFFF
            } else {
                dst == me.ieee
            };
            let beacon_here = kind != 0 || me.pan == 0xFFFF || src_pan == me.pan;
            (dst_pan == me.pan || dst_pan == 0xFFFF) && (alone || (dst_mode == 2 && dst == 0xFFFF)) && beacon_here
        }
    };
    let to_coordinator = dst_mode == 0 && kind != 0;
    verdict.acknowledge = verdict.accepted && psdu[0] & 0x20 != 0 && kind != 0 && (alone || to_coordinator);
    verdict.data_request = kind == 3 && psdu.get(verdict.header) == Some(&4);
    verdict
}

impl At86rf231 {
    /// So much of a header is in that its length is known, or all of it: IRQ_5 (AMI) if the filter accepts it.
    pub(super) fn header(&mut self) {
        let heard = self.carrier().map(|carrier| (carrier.clone(), carrier.psdu.clone()));
        let (carrier, psdu) = match heard {
            Some((carrier, Some(psdu))) => (carrier, psdu),
            _ => return,
        };
        let verdict = filter(&psdu, &self.identity());
        let heard_ps = carrier.byte_ps(verdict.header);
        if heard_ps > self.now_ps {
            if verdict.header < psdu.len() {
                self.at(self.oscillator.edge(heard_ps), Kind::Header);
            }
        } else if verdict.accepted {
            self.interrupt(irq::AMI);
        }
    }

    pub(super) fn identity(&self) -> Identity {
        let address = |register: u8| u16::from_le_bytes([self.reg(register), self.reg(register + 1)]);
        let ieee = (0..8).rev().fold(0, |sum, index| {
            sum << 8 | u64::from(self.reg(regs::IEEE_ADDR_0 + index))
        });
        Identity {
            pan: address(regs::PAN_ID_0),
            short: address(regs::SHORT_ADDR_0),
            ieee,
            coordinator: self.reg(regs::CSMA_SEED_1) & 0x08 != 0,
            version_mode: self.reg(regs::CSMA_SEED_1) >> 6,
            upload_reserved: self.reg(regs::XAH_CTRL_1) & 0x10 != 0,
            filter_reserved: self.reg(regs::XAH_CTRL_1) & 0x20 != 0,
        }
    }
}
