//! Receiving: synchronisation, address recognition, RX FIFO, automatic acknowledgement (DS39776C, 3.11, 3.13).

use super::regs::{self, bbreg6, intstat, rxflush, rxmcr};
use super::{timing, Kind, Mrf24j40};
use crate::air::Carrier;
use crate::radio::filter::{recognise, Identity};
use crate::radio::ieee802154::{ack, ack_request, fcs_valid, Header};
use crate::rng::{draw, Purpose};

const BEACON: u8 = 0;
const DATA: u8 = 1;
const ACKNOWLEDGEMENT: u8 = 2;
const COMMAND: u8 = 3;
/// MAC command "data request" (IEEE 802.15.4-2003, table 67).
const DATA_REQUEST: u8 = 4;
/// ACKTMOUT: acknowledgements of data requests have the pending bit.
const DRPACK: u8 = 0x80;
/// TXPEND: all acknowledgements have it.
const FPACK: u8 = 0x01;
const BROADCAST: u64 = 0xFFFF;

/// The frame being received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reception {
    source: u16,
    frame: u32,
}

impl Mrf24j40 {
    /// The SHR of the carriers that began at `start_ps` is over.
    pub(super) fn sync(&mut self, start_ps: u64) {
        let listens = self
            .listening_since
            .map_or(false, |since| since <= start_ps + timing::PREAMBLE_SPARE);
        if !listens || self.rx.is_some() {
            return;
        }
        let carrier = self.ether.starting(start_ps).find(|carrier| {
            carrier.waveform == self.waveform()
                && carrier.rssi_dbm >= regs::SENSITIVITY_DBM
                && !carrier.lost
                && !self.spoiled(carrier, carrier.start_ps, self.now_ps)
        });
        if let Some((reception, phr_ps)) = carrier.map(|carrier| {
            let (source, frame) = (carrier.source, carrier.frame);
            (Reception { source, frame }, carrier.byte_ps(0))
        }) {
            self.rx = Some(reception);
            self.at(self.oscillator.edge(phr_ps), Kind::Phr);
        }
    }

    fn spoiled(&self, carrier: &Carrier, from_ps: u64, to_ps: u64) -> bool {
        let gone = carrier.cut && carrier.end_ps < to_ps;
        gone || self.ether.disturbed(carrier, from_ps, to_ps, regs::SENSITIVITY_DBM)
    }

    fn heard(&self) -> Option<Carrier> {
        let rx = self.rx?;
        self.ether.find(rx.source, rx.frame).cloned()
    }

    /// The length byte is in.
    pub(super) fn phr(&mut self) {
        let carrier = self
            .heard()
            .filter(|carrier| !self.spoiled(carrier, carrier.start_ps, self.now_ps));
        match carrier.and_then(|carrier| Some(carrier.byte_ps(carrier.psdu.as_ref()?.len()))) {
            Some(end_ps) => self.at(self.oscillator.later(end_ps, timing::RX_DELAY), Kind::RxEnd),
            None => self.listen_again(),
        }
    }

    /// The frame as it arrived, and whether something damaged it.
    fn arrived(&self, carrier: &Carrier) -> (Vec<u8>, bool) {
        let keys = [
            u64::from(self.board),
            u64::from(carrier.source),
            u64::from(carrier.frame),
        ];
        let mut damaged = false;
        let mut bytes = carrier.psdu.as_deref().unwrap_or(&[]).to_vec();
        for (index, byte) in bytes.iter_mut().enumerate() {
            if self.spoiled(carrier, carrier.byte_ps(index), carrier.byte_ps(index + 1)) {
                *byte ^= draw(self.seed, Purpose::Damage, &keys, index as u64) as u8 | 1;
                damaged = true;
            }
        }
        (bytes, damaged)
    }

    pub(super) fn rx_end(&mut self) {
        let carrier = self.heard();
        self.listen_again();
        let (psdu, damaged, rssi_dbm) = match carrier {
            Some(carrier) => {
                let (psdu, damaged) = self.arrived(&carrier);
                (psdu, damaged, carrier.rssi_dbm)
            }
            None => return,
        };
        let sound = !damaged && fcs_valid(&psdu);
        if sound && self.is_awaited(&psdu) {
            return self.acknowledged(psdu[0] & 0x10 != 0);
        }
        let addressed = sound && self.is_addressed(&psdu);
        if addressed || self.takes_all(sound) {
            self.store(&psdu, damaged, rssi_dbm);
        }
        if addressed {
            self.acknowledge(&psdu);
        }
    }

    fn is_awaited(&self, psdu: &[u8]) -> bool {
        let awaits = self.transaction.and_then(|transaction| transaction.awaits);
        psdu.len() == timing::ACK_BYTES && psdu[0] & 7 == ACKNOWLEDGEMENT && awaits == Some(psdu[2])
    }

    /// Promiscuous mode takes sound frames, error mode all (RXMCR; 3.11.1.2, 3.11.1.3).
    fn takes_all(&self, sound: bool) -> bool {
        let mode = self.reg(regs::RXMCR);
        mode & rxmcr::ERRPKT != 0 || (sound && mode & rxmcr::PROMI != 0)
    }

    /// Normal mode: the third level of filtering, and the one type that RXFLUSH names. Acknowledgements fail it.
    fn is_addressed(&self, psdu: &[u8]) -> bool {
        let kind = psdu[0] & 7;
        let only = self.reg(regs::RXFLUSH) & rxflush::ONLY;
        let wanted = match kind {
            BEACON => only == 0 || only & 0x02 != 0,
            DATA => only == 0 || only & 0x04 != 0,
            COMMAND => only == 0 || only & 0x08 != 0,
            _ => false,
        };
        wanted && recognise(psdu, &self.identity()).accepted
    }

    fn identity(&self) -> Identity {
        let word = |register: u8| u16::from_le_bytes([self.reg(register), self.reg(register + 1)]);
        Identity {
            pan: word(regs::PANIDL),
            short: word(regs::SADRL),
            ieee: (0..8)
                .rev()
                .fold(0, |sum, index| sum << 8 | u64::from(self.reg(regs::EADR0 + index))),
            coordinator: self.reg(regs::RXMCR) & rxmcr::PANCOORD != 0,
            accepts_reserved: false,
            accepts_beacons: false,
        }
    }

    /// Length, frame with FCS, LQI, RSSI (figure 3-2); the frame before it is overwritten (Linux: "prevents the device from
    /// overwriting the buffer", of RXDECINV). That the bytes come at the end of the frame is an assumption.
    fn store(&mut self, psdu: &[u8], damaged: bool, rssi_dbm: i32) {
        let rssi = match self.reg(regs::BBREG6) & bbreg6::RSSIMODE2 {
            0 => 0,
            _ => regs::rssi(Some(rssi_dbm)),
        };
        let mut bytes = vec![psdu.len() as u8];
        bytes.extend(psdu);
        bytes.push(if damaged { regs::LQI_DAMAGED } else { regs::LQI_SOUND });
        bytes.push(rssi);
        self.long[regs::RX_FIFO..regs::RX_FIFO + bytes.len()].copy_from_slice(&bytes);
        self.interrupt(intstat::RXIF);
    }

    /// A turnaround after the frame (3.13.2), on a tick; not while a frame of its own is on its way.
    fn acknowledge(&mut self, psdu: &[u8]) {
        let header = Header::of(psdu);
        let asks = ack_request(psdu) && header.kind != BEACON;
        let broadcast = header.dst_mode == 2 && header.dst(psdu) == BROADCAST;
        if !asks || broadcast || self.reg(regs::RXMCR) & rxmcr::NOACKRSP != 0 || self.tx.is_some() {
            return;
        }
        let request = header.kind == COMMAND && psdu.get(header.bytes()) == Some(&DATA_REQUEST);
        let pending = self.reg(regs::TXPEND) & FPACK != 0 || (request && self.reg(regs::ACKTMOUT) & DRPACK != 0);
        let start_ps = self.ticks_from(self.now_ps, self.turnaround_ticks());
        self.put_on_air(start_ps, ack(psdu[2], pending).to_vec(), true);
    }
}
