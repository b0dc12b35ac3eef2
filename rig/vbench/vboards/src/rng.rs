//! A counter-based random generator: a draw is a pure function of what it is for, so no order of calls matters.

/// What a draw is for; keeps the streams of one board apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// CSMA-CA backoff of a radio.
    Backoff = 1,
    /// Loss of a frame on a link.
    Loss = 2,
    /// Random bits that a radio shows in a register.
    RadioNoise = 3,
    /// Bytes of a frame that a collision destroys.
    Damage = 4,
    /// Serial numbers.
    Identity = 5,
    /// When a receiver finds a frame.
    Sfd = 6,
    /// Bursts of noise.
    Interferer = 7,
    /// Wander and jitter of an oscillator.
    Clock = 8,
    /// What RAM holds when the supply comes back.
    Ram = 9,
    /// Which of two samples of an analyzer sees an edge.
    Metastability = 40,
    /// Faults of an analyzer and its wiring.
    AnalyzerFault = 41,
    /// When the host gets round to a serial port.
    HostReader = 42,
    /// Faults of a serial line.
    SerialFault = 43,
    /// Spread and wander of an oscillator without a crystal.
    Dco = 10,
    /// Frequency and phase of a radio's crystal.
    RadioCrystal = 11,
}

/// Finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The draw number `counter` of the stream (`seed`, `purpose`, `keys`).
pub fn draw(seed: u64, purpose: Purpose, keys: &[u64], counter: u64) -> u64 {
    let mut state = mix(seed.wrapping_add(0x9E37_79B9_7F4A_7C15));
    for &word in [purpose as u64].iter().chain(keys).chain([counter].iter()) {
        state = mix(state
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(word)
            .wrapping_add(1));
    }
    state
}

/// Maps a draw to 0..bound without a division.
pub fn below(draw: u64, bound: u64) -> u64 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u64
}

/// Maps a draw to a waiting time of mean `mean` without memory, nearly: its density halves every 2/3 of the mean, in
/// steps instead of along an exponential, so that integers do.
pub fn waiting(draw: u64, mean: u64) -> u64 {
    let halvings = u128::from(draw.leading_zeros().min(31));
    let fraction = u128::from(draw & 0xFFFF_FFFF);
    let unit = u128::from(mean) * 2 / 3;
    (unit * halvings + ((unit * fraction) >> 32)) as u64
}
