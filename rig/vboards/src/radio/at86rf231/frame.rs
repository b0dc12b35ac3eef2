//! Frames of IEEE 802.15.4 as the AT86RF231 looks at them: checksum, addresses, filter, acknowledgement.

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

/// What the filter says about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub accepted: bool,
    /// Octets from the frame control field through the last address.
    pub header: usize,
    /// An ACK is asked for and may be given: data or command to this node alone.
    pub acknowledge: bool,
    /// It is a data request command, so AACK_SET_PD counts.
    pub data_request: bool,
}

/// FCS of IEEE 802.15.4-2006, 7.2.1.9: ITU-T CRC-16, bits in the order of transmission, start value 0.
pub fn fcs(octets: &[u8]) -> u16 {
    let mut crc = 0u16;
    for &octet in octets {
        crc ^= u16::from(octet);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x8408 } else { crc >> 1 };
        }
    }
    crc
}

/// Whether the last two octets are the FCS of the others.
pub fn fcs_valid(psdu: &[u8]) -> bool {
    psdu.len() >= 3 && {
        let (body, check) = psdu.split_at(psdu.len() - 2);
        fcs(body).to_le_bytes() == check
    }
}

/// Whether the frame asks for an ACK (frame control field, bit 5).
pub fn ack_request(psdu: &[u8]) -> bool {
    psdu.len() >= 5 && psdu[0] & 0x20 != 0
}

/// An ACK with its FCS (IEEE 802.15.4-2006, 7.2.2.3).
pub fn ack(sequence: u8, pending: bool) -> [u8; 5] {
    let body = [if pending { 0x12 } else { 0x02 }, 0x00, sequence];
    let check = fcs(&body).to_le_bytes();
    [body[0], body[1], body[2], check[0], check[1]]
}

fn little_endian(octets: &[u8]) -> u64 {
    octets.iter().rev().fold(0, |sum, &octet| sum << 8 | u64::from(octet))
}

fn address_octets(mode: u8) -> usize {
    match mode {
        2 => 2,
        3 => 8,
        _ => 0,
    }
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
    let kind = psdu[0] & 7;
    let (dst_mode, src_mode) = (psdu[1] >> 2 & 3, psdu[1] >> 6 & 3);
    let version = psdu[1] >> 4 & 3;
    let compressed = psdu[0] & 0x40 != 0;
    let dst_pan_octets = if dst_mode != 0 { 2 } else { 0 };
    let src_pan_octets = if src_mode != 0 && !(compressed && dst_mode != 0) {
        2
    } else {
        0
    };
    let dst_at = 3 + dst_pan_octets;
    let src_pan_at = dst_at + address_octets(dst_mode);
    let src_at = src_pan_at + src_pan_octets;
    verdict.header = src_at + address_octets(src_mode);
    if kind > 3 {
        if !me.upload_reserved {
            return verdict;
        }
        if !me.filter_reserved {
            verdict.accepted = true;
            return verdict;
        }
    }
    // An ACK reaches nobody but the sender that waits for it, in TX_ARET.
    if kind == 2 || dst_mode == 1 || src_mode == 1 || psdu.len() < verdict.header + 2 {
        return verdict;
    }
    if me.version_mode < 3 && version > me.version_mode {
        return verdict;
    }
    let dst_pan = little_endian(&psdu[3..dst_at]) as u16;
    let dst = little_endian(&psdu[dst_at..src_pan_at]);
    let src_pan = if src_pan_octets == 2 {
        little_endian(&psdu[src_pan_at..src_at]) as u16
    } else {
        dst_pan
    };
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
