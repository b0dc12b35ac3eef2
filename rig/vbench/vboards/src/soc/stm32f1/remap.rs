//! Where the alternate functions lie: AFIO_MAPR (RM0008 9.3, tables 35 to 53; 9.4.2).

use crate::trace::Pin;

/// A channel without a pin.
pub const NO_PIN: Pin = Pin::MAX;

const A: Pin = 0x00;
const B: Pin = 0x10;
const C: Pin = 0x20;
const D: Pin = 0x30;
const E: Pin = 0x40;

/// Pins of the devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// TX and RX.
    pub usarts: [(Pin, Pin); 5],
    /// SCK, MISO, MOSI.
    pub spis: [(Pin, Pin, Pin); 3],
    /// Channels 1 to 4 of TIM2 to TIM7, TIM1, TIM8.
    pub timers: [[Pin; 4]; 8],
}

impl Pins {
    /// The pins that MAPR selects.
    pub fn selected(mapr: u32) -> Pins {
        let bit = |place: u32| mapr >> place & 1 == 1;
        let choose = |remapped: bool, pins: (Pin, Pin), other: (Pin, Pin)| if remapped { other } else { pins };
        let usart3 = match mapr >> 4 & 3 {
            0 => (B | 10, B | 11),
            1 => (C | 10, C | 11),
            _ => (D | 8, D | 9),
        };
        let spi1 = if bit(0) {
            (B | 3, B | 4, B | 5)
        } else {
            (A | 5, A | 6, A | 7)
        };
        let tim1 = if mapr >> 6 & 3 == 3 {
            [E | 9, E | 11, E | 13, E | 14]
        } else {
            [A | 8, A | 9, A | 10, A | 11]
        };
        let (low, high) = (bit(8), bit(9));
        let tim2 = [
            if low { A | 15 } else { A },
            if low { B | 3 } else { A | 1 },
            if high { B | 10 } else { A | 2 },
            if high { B | 11 } else { A | 3 },
        ];
        let tim3 = match mapr >> 10 & 3 {
            2 => [B | 4, B | 5, B, B | 1],
            3 => [C | 6, C | 7, C | 8, C | 9],
            _ => [A | 6, A | 7, B, B | 1],
        };
        let tim4 = if bit(12) {
            [D | 12, D | 13, D | 14, D | 15]
        } else {
            [B | 6, B | 7, B | 8, B | 9]
        };
        // TIM5_CH4 on LSI (bit 16) leaves the pin without a function.
        let tim5 = [A, A | 1, A | 2, if bit(16) { NO_PIN } else { A | 3 }];
        Pins {
            usarts: [
                choose(bit(2), (A | 9, A | 10), (B | 6, B | 7)),
                choose(bit(3), (A | 2, A | 3), (D | 5, D | 6)),
                usart3,
                (C | 10, C | 11),
                (C | 12, D | 2),
            ],
            spis: [spi1, (B | 13, B | 14, B | 15), (B | 3, B | 4, B | 5)],
            timers: [
                tim2,
                tim3,
                tim4,
                tim5,
                [NO_PIN; 4],
                [NO_PIN; 4],
                tim1,
                [C | 6, C | 7, C | 8, C | 9],
            ],
        }
    }
}
