//! What a place receives: levels, capture, neighbouring channels, jitter, interferers.

use std::sync::Arc;
use vboards::air::interferer::{exponential, Interferer, Pattern, Source};
use vboards::air::level::{dbm, power};
use vboards::air::{Carrier, Ether, Jitter, Link, Message, Receiver, Signal, Waveform, BYTE_PS, SHR_PHR_PS, US};
use vboards::rng::{draw, Purpose};

const FLOOR_DBM: i32 = -101; // sensitivity of the AT86RF231, its data sheet's feature list

fn link(rssi_dbm: i32) -> Link {
    Link {
        delay_ps: 0,
        rssi_dbm,
        ..Link::default()
    }
}

fn start(source: u16, frame: u32, start_ps: u64, waveform: Waveform) -> Message {
    let signal = Signal::Start {
        start_ps,
        waveform,
        ppb: 0,
        power_dbm: 0,
    };
    Message { source, frame, signal }
}

/// Puts a frame of ten bytes into an ether.
fn send(ether: &mut Ether, source: u16, start_ps: u64, channel: u8, rssi_dbm: i32) -> Carrier {
    ether.receive_signal(&start(source, 0, start_ps, Waveform::oqpsk(channel)), &link(rssi_dbm));
    let body = Signal::Body {
        psdu: Arc::from([0; 10]),
    };
    let message = Message {
        source,
        frame: 0,
        signal: body,
    };
    ether.receive_signal(&message, &link(rssi_dbm));
    ether.find(source, 0).unwrap().clone()
}

/// Whether a frame at `rssi_dbm` survives another one at the same time.
fn survives(receiver: Receiver, rssi_dbm: i32, other_dbm: i32, other_channel: u8) -> bool {
    let mut ether = Ether::new(1, 0).with_receiver(receiver);
    let victim = send(&mut ether, 1, 0, 15, rssi_dbm);
    send(&mut ether, 2, 10 * US, other_channel, other_dbm);
    !ether.disturbed(&victim, victim.start_ps, victim.end_ps, FLOOR_DBM)
}

#[test]
fn levels_and_powers_are_inverse_and_three_db_are_twice() {
    for level in -160..=60 {
        assert_eq!(Some(level), dbm(power(level)));
    }
    assert_eq!(Some(-47), dbm(2 * power(-50))); // 10 log10(2) = 3.01
    assert_eq!(Some(-40), dbm(10 * power(-50)));
    assert_eq!(None, dbm(0));
}

#[test]
fn a_frame_survives_what_is_weaker_by_the_co_channel_rejection() {
    for receiver in [Receiver::AT86RF231, Receiver::CC2420] {
        let margin = receiver.co_channel_db;
        assert!(survives(receiver, -60, -60 - margin, 15));
        assert!(!survives(receiver, -60, -60 - margin + 1, 15));
        assert!(!survives(receiver, -60, -60 + margin, 15)); // and the stronger, later one is not what it listens to
    }
}

/// Table 12-7 of the AT86RF231: 32 dB at -5 MHz, 35 dB at +5 MHz, 48 dB at 10 MHz, 54 dB at 15 MHz.
#[test]
fn channels_beside_are_rejected_as_the_data_sheet_says() {
    for (channel, rejection) in [(14, 32), (16, 35), (13, 48), (17, 48), (12, 54), (18, 54), (19, 54)] {
        let most_dbm = -82 + rejection - Receiver::AT86RF231.co_channel_db;
        assert!(survives(Receiver::AT86RF231, -82, most_dbm, channel), "{}", channel);
        assert!(
            !survives(Receiver::AT86RF231, -82, most_dbm + 1, channel),
            "{}",
            channel
        );
    }
}

/// Two that would each be survived destroy together: their powers add.
#[test]
fn interference_adds_up() {
    let mut ether = Ether::new(1, 0);
    let victim = send(&mut ether, 1, 0, 15, -60);
    let whole = |ether: &Ether| ether.disturbed(&victim, 0, victim.end_ps, FLOOR_DBM);
    send(&mut ether, 2, 0, 15, -63);
    assert!(!whole(&ether));
    send(&mut ether, 3, 0, 15, -63);
    assert!(whole(&ether));
}

#[test]
fn only_bytes_that_are_hit_are_destroyed() {
    let mut ether = Ether::new(1, 0);
    let victim = send(&mut ether, 1, 0, 15, -60);
    let burst = Interferer {
        centre_khz: victim.waveform.centre_khz,
        width_khz: 2_000,
        level_dbm: -40,
        burst_ps: BYTE_PS / 2,
        first_ps: SHR_PHR_PS + 4 * BYTE_PS + US,
        pattern: Pattern::Periodic { period_ps: 1000 * US },
    };
    ether.receive_signal(&Source::new(1, 0, burst).burst(), &link(burst.level_dbm));
    let hit: Vec<usize> = (0..10)
        .filter(|&index| ether.disturbed(&victim, victim.byte_ps(index), victim.byte_ps(index + 1), FLOOR_DBM))
        .collect();
    assert_eq!(vec![4], hit);
}

/// Energy detection averages: a burst of a tenth of the interval shows 10 dB less; noise is not a carrier.
#[test]
fn energy_is_averaged_and_noise_is_no_carrier() {
    let band = Waveform::oqpsk(20);
    let mut ether = Ether::new(1, 0);
    let noise = Interferer {
        centre_khz: band.centre_khz,
        width_khz: 2_000,
        level_dbm: -50,
        burst_ps: 10 * US,
        first_ps: 0,
        pattern: Pattern::Periodic { period_ps: 1000 * US },
    };
    assert_eq!(
        None,
        ether.receive_signal(&Source::new(1, 0, noise).burst(), &link(-50))
    );
    assert_eq!(Some(-50), ether.level_dbm(&band, 0, 10 * US));
    assert_eq!(Some(-60), ether.level_dbm(&band, 0, 100 * US));
    assert_eq!(None, ether.level_dbm(&band, 10 * US, 100 * US));
    assert_eq!(None, ether.carrier_dbm(&band, 0, 100 * US));
    let wide = Interferer {
        width_khz: 20_000,
        first_ps: 200 * US,
        ..noise
    };
    ether.receive_signal(&Source::new(1, 1, wide).burst(), &link(-50));
    assert_eq!(Some(-60), ether.level_dbm(&band, 200 * US, 210 * US)); // a tenth of 20 MHz lies in the band
}

/// Every draw lies in the span, both ends are approached, the mean is half the span, and delays are pure functions.
#[test]
fn jitter_is_bounded_and_reproducible() {
    const SPAN: u64 = 62_500;
    for (jitter, within) in [
        (Jitter::Uniform { span_ps: SPAN }, SPAN / 20),
        (Jitter::Triangular { span_ps: SPAN }, SPAN / 4),
    ] {
        let late = |board: u16| -> Vec<u64> {
            let mut ether = Ether::new(7, board);
            let link = Link { jitter, ..link(-50) };
            (0..2000)
                .map(|frame| {
                    ether
                        .receive_signal(&start(3, frame, 0, Waveform::oqpsk(11)), &link)
                        .unwrap()
                })
                .collect()
        };
        let (delays, mean) = (late(0), late(0).iter().sum::<u64>() / 2000);
        assert_eq!(delays, late(0));
        assert_ne!(delays, late(1));
        assert!(delays.iter().all(|&delay| delay < SPAN));
        assert!(*delays.iter().min().unwrap() < within && *delays.iter().max().unwrap() > SPAN - within);
        assert!(mean.abs_diff(SPAN / 2) < SPAN / 40, "{}", mean);
    }
}

/// The distribution of the gaps is exponential: its mean and its quantiles are those of the formula.
#[test]
fn poisson_gaps_are_exponential() {
    const MEAN: u64 = 1_000_000_000;
    let mut gaps: Vec<u64> = (0..20_000)
        .map(|number| exponential(draw(5, Purpose::Interferer, &[], number), MEAN))
        .collect();
    gaps.sort_unstable();
    let mean = gaps.iter().sum::<u64>() / 20_000;
    assert!(mean.abs_diff(MEAN) < MEAN / 50, "{}", mean); // 3 sigma of a mean of 20 000 is 2 %
    for (part, quantile) in [(0.5f64, 0.693), (0.9, 2.303), (0.99, 4.605)] {
        let found = gaps[(part * 20_000.0) as usize] as f64 / MEAN as f64;
        assert!((found / quantile - 1.0).abs() < 0.06, "{} {}", part, found);
    }
    assert!(exponential(u64::MAX, MEAN) < MEAN / 1000 && exponential(0, MEAN) > 44 * MEAN);
    // ln(2^64) = 44.4
}

#[test]
fn bursts_come_when_the_pattern_says() {
    let starts = |pattern: Pattern| -> Vec<u64> {
        let settings = Interferer {
            centre_khz: 2_450_000,
            width_khz: 1_000,
            level_dbm: -50,
            burst_ps: 2,
            first_ps: 100,
            pattern,
        };
        settings.check().unwrap();
        let mut source = Source::new(1, 0, settings);
        (0..7)
            .map(|_| {
                let at_ps = source.next_ps;
                source.burst();
                at_ps
            })
            .collect()
    };
    let periodic = starts(Pattern::Periodic { period_ps: 10 });
    assert_eq!(vec![100, 110, 120, 130, 140, 150, 160], periodic);
    let on_off = starts(Pattern::OnOff {
        period_ps: 10,
        on_ps: 25,
        off_ps: 75,
    });
    assert_eq!(vec![100, 110, 120, 200, 210, 220, 300], on_off);
}
