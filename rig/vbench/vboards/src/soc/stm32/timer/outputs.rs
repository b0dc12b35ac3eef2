//! Compare outputs of a timer (RM0008 15.3.8 to 15.3.10, 15.4.7).

use super::Timer;

const BDTR_MOE: u32 = 1 << 15;

/// The four outputs, one bit per channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    pub enabled: u8,
    pub levels: u8,
}

impl Timer {
    fn output_mode(&self, channel: usize) -> u32 {
        self.ccmr[channel / 2] >> (8 * (channel % 2) + 4) & 7
    }

    /// The counter has come across CCRx this number of times.
    pub(super) fn matched(&mut self, channel: usize, times: u64) {
        self.raise(2 << channel);
        let bit = 1 << channel;
        match self.output_mode(channel) {
            1 => self.references |= bit,
            2 => self.references &= !bit,
            3 if times & 1 == 1 => self.references ^= bit,
            _ => {}
        }
    }

    /// OCxREF.
    fn reference(&self, channel: usize) -> bool {
        let below = self.cnt < u64::from(self.ccr_active[channel]);
        match self.output_mode(channel) {
            4 => false,
            5 => true,
            6 => below,
            7 => !below,
            _ => self.references >> channel & 1 == 1,
        }
    }

    /// Outputs at the instant of the last synchronisation.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::default();
        if self.advanced && self.bdtr & BDTR_MOE == 0 {
            return outputs;
        }
        for channel in 0..4 {
            let enable = self.ccer >> (4 * channel);
            if enable & 1 != 0 && !self.is_input(channel) {
                let level = self.reference(channel) != (enable & 2 != 0);
                outputs.enabled |= 1 << channel;
                outputs.levels |= u8::from(level) << channel;
            }
        }
        outputs
    }

    /// Channels whose pins show their outputs from now on; true if that is news.
    pub fn show(&mut self, channels: u8) -> bool {
        std::mem::replace(&mut self.shown, channels) != channels
    }
}
