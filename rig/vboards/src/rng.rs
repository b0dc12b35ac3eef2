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
    /// Octets of a frame that a collision destroys.
    Damage = 4,
    /// Serial numbers.
    Identity = 5,
    /// Spread and wander of an oscillator without a crystal.
    Dco = 6,
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
