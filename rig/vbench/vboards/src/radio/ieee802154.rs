//! Frames of IEEE 802.15.4 as transceivers look at them: checksum, header, acknowledgement.

/// FCS of IEEE 802.15.4-2006, 7.2.1.9: ITU-T CRC-16, bits in the order of transmission, start value 0.
pub fn fcs(bytes: &[u8]) -> u16 {
    let mut crc = 0u16;
    for &byte in bytes {
        crc ^= u16::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x8408 } else { crc >> 1 };
        }
    }
    crc
}

/// Whether the last two bytes are the FCS of the others.
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

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

fn address_bytes(mode: u8) -> usize {
    match mode {
        2 => 2,
        3 => 8,
        _ => 0,
    }
}

/// Where the addresses of a frame lie (IEEE 802.15.4-2006, 7.2.1). In a frame cut short: where they would lie.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// 0 beacon, 1 data, 2 acknowledgement, 3 command, others reserved.
    pub kind: u8,
    /// 0 none, 1 reserved, 2 short, 3 extended.
    pub dst_mode: u8,
    pub src_mode: u8,
    pub version: u8,
    dst_at: usize,
    src_pan_at: usize,
    src_at: usize,
}

impl Header {
    /// Of a frame with at least its frame control field.
    pub fn of(psdu: &[u8]) -> Header {
        let (dst_mode, src_mode) = (psdu[1] >> 2 & 3, psdu[1] >> 6 & 3);
        let compressed = psdu[0] & 0x40 != 0;
        let dst_at = if dst_mode != 0 { 5 } else { 3 };
        let src_pan_at = dst_at + address_bytes(dst_mode);
        let has_src_pan = src_mode != 0 && !(compressed && dst_mode != 0);
        Header {
            kind: psdu[0] & 7,
            dst_mode,
            src_mode,
            version: psdu[1] >> 4 & 3,
            dst_at,
            src_pan_at,
            src_at: src_pan_at + if has_src_pan { 2 } else { 0 },
        }
    }

    /// Bytes from the frame control field through the last address.
    pub fn bytes(&self) -> usize {
        self.src_at + address_bytes(self.src_mode)
    }

    pub fn dst_pan(&self, psdu: &[u8]) -> u16 {
        little_endian(&psdu[3..self.dst_at]) as u16
    }

    pub fn dst(&self, psdu: &[u8]) -> u64 {
        little_endian(&psdu[self.dst_at..self.src_pan_at])
    }

    /// The source PAN, or the destination's where the frame leaves it out.
    pub fn src_pan(&self, psdu: &[u8]) -> u16 {
        if self.src_at > self.src_pan_at {
            little_endian(&psdu[self.src_pan_at..self.src_at]) as u16
        } else {
            self.dst_pan(psdu)
        }
    }
}
