//! Address recognition of IEEE 802.15.4-2003, 7.5.6.2, as the CC2420 (section 16.4) and the MRF24J40 (3.11.2) have it.

use crate::radio::ieee802154::Header;

const ACKNOWLEDGEMENT: u8 = 2;
const ACKNOWLEDGEMENT_BYTES: usize = 5;

/// What the address recognition compares with.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    pub pan: u16,
    pub short: u16,
    pub ieee: u64,
    pub coordinator: bool,
    /// RESERVED_FRAME_MODE of the CC2420: frames of the reserved types 4 to 7 are accepted as they are.
    pub accepts_reserved: bool,
    /// BCN_ACCEPT of the CC2420: beacons of any PAN.
    pub accepts_beacons: bool,
}

/// What is to become of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub accepted: bool,
    /// Bytes of the PSDU after which that is known.
    pub known_after: usize,
}

/// Looks at a frame; `psdu` is all of it.
pub fn recognise(psdu: &[u8], me: &Identity) -> Verdict {
    let reject = |known_after| Verdict {
        accepted: false,
        known_after,
    };
    if psdu.len() < 3 {
        return reject(psdu.len());
    }
    let header = Header::of(psdu);
    if header.kind > 3 {
        return Verdict {
            accepted: me.accepts_reserved,
            known_after: 2,
        };
    }
    if header.kind == ACKNOWLEDGEMENT {
        return Verdict {
            accepted: psdu.len() == ACKNOWLEDGEMENT_BYTES,
            known_after: 2,
        };
    }
    if header.dst_mode == 1 || header.src_mode == 1 || psdu.len() < header.bytes() + 2 {
        return reject(2);
    }
    Verdict {
        accepted: is_for(psdu, &header, me),
        known_after: header.bytes(),
    }
}

fn is_for(psdu: &[u8], header: &Header, me: &Identity) -> bool {
    let beacon = header.kind == 0;
    let own_source_pan = header.src_pan(psdu) == me.pan;
    let beacon_passes = me.accepts_beacons || me.pan == 0xFFFF || own_source_pan;
    if header.dst_mode == 0 {
        return if beacon {
            beacon_passes
        } else {
            header.src_mode != 0 && me.coordinator && own_source_pan
        };
    }
    let dst = header.dst(psdu);
    let addressed = if header.dst_mode == 2 {
        dst == u64::from(me.short) || dst == 0xFFFF
    } else {
        dst == me.ieee
    };
    let pan = header.dst_pan(psdu);
    addressed && (pan == me.pan || pan == 0xFFFF) && (!beacon || beacon_passes)
}
