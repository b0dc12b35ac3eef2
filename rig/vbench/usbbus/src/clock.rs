//! The clock of the samples: which sample is taken when, in integers.

/// nHz x ns of a sample: rates are in uHz, times in ns.
const UNIT: i128 = 1_000_000_000_000_000;

/// Sample n is taken when the phase reaches n. Times in ns on one axis, chosen by the caller.
#[derive(Clone, Debug)]
pub struct SampleClock {
    pub start_ns: i64,
    /// The true rate at the start, in uHz.
    pub rate_uhz: i64,
    /// How the rate grows, per s, in units of 1e-6 of itself.
    pub drift_ppm_per_s: f64,
}

impl SampleClock {
    /// A clock of `clock_hz` / `divider`, wrong by `ppm`.
    pub fn new(start_ns: i64, clock_hz: u64, divider: u64, ppm: f64, drift_ppm_per_s: f64) -> SampleClock {
        let nominal_uhz = clock_hz as f64 * 1e6 / divider as f64;
        let rate_uhz = (nominal_uhz + nominal_uhz * ppm * 1e-6).round() as i64;
        SampleClock {
            start_ns,
            rate_uhz,
            drift_ppm_per_s,
        }
    }

    /// Nanoseconds that an exact clock of this rate needs for what this clock does until `ns`.
    fn exact_ns(&self, ns: i64) -> i64 {
        let since_ns = ns - self.start_ns;
        if self.drift_ppm_per_s == 0.0 {
            return since_ns;
        }
        let since_s = since_ns as f64 * 1e-9;
        since_ns + (self.drift_ppm_per_s * 1e-6 * since_s * since_s / 2.0 * 1e9).floor() as i64
    }

    /// How many samples have been taken before or at `ns`, the one at the start not counted.
    pub fn samples_at(&self, ns: i64) -> u64 {
        if ns <= self.start_ns {
            return 0;
        }
        (self.exact_ns(ns) as i128 * self.rate_uhz as i128 / UNIT).max(0) as u64
    }

    /// The first sample that is taken at `ns` or later: where an edge at `ns` is seen.
    pub fn first_sample(&self, ns: i64) -> u64 {
        if ns <= self.start_ns {
            return 0;
        }
        let exact_ns = self.exact_ns(ns) as i128;
        ((exact_ns * self.rate_uhz as i128 + UNIT - 1) / UNIT).max(0) as u64
    }

    /// The last nanosecond that sample `n` sees: edges up to it are before the sample.
    pub fn seen_ns(&self, n: u64) -> i64 {
        let exact_ns = (n as i128 * UNIT / self.rate_uhz as i128) as i64;
        let mut ns = self.start_ns + exact_ns;
        if self.drift_ppm_per_s == 0.0 {
            return ns;
        }
        for _ in 0..4 {
            ns += exact_ns - self.exact_ns(ns);
        }
        while self.exact_ns(ns) > exact_ns {
            ns -= 1;
        }
        while self.exact_ns(ns + 1) <= exact_ns {
            ns += 1;
        }
        ns
    }

    /// When sample `n` has been taken: `samples_at` is n or more from there on.
    pub fn taken_ns(&self, n: u64) -> i64 {
        let ns = self.seen_ns(n);
        match self.samples_at(ns) >= n {
            true => ns,
            false => ns + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_seen_by_the_first_sample_at_or_after_it() {
        let clock = SampleClock::new(1_000, 24_000_000, 1, 0.0, 0.0);
        assert_eq!(clock.first_sample(1_000), 0);
        assert_eq!(clock.first_sample(1_001), 1);
        assert_eq!(clock.first_sample(1_125), 3); // 3 samples of 24 MHz are 125 ns
        assert_eq!(clock.first_sample(1_126), 4);
        assert_eq!((clock.seen_ns(3), clock.seen_ns(4)), (1_125, 1_166));
    }

    #[test]
    fn the_inverse_holds_with_error_and_drift() {
        for (ppm, drift) in [(0.0, 0.0), (37.0, 0.0), (-80.5, 0.7), (12.0, -3.0)] {
            let clock = SampleClock::new(77, 48_000_000, 7, ppm, drift);
            for n in (0..3_000_000_000u64).step_by(77_777_777) {
                let ns = clock.seen_ns(n);
                assert!(
                    clock.first_sample(ns) <= n && clock.first_sample(ns + 1) > n,
                    "{} {} {}",
                    ppm,
                    drift,
                    n
                );
                assert!(clock.samples_at(clock.taken_ns(n)) >= n);
            }
        }
    }

    #[test]
    fn a_drift_of_one_ppm_per_s_makes_half_a_microsecond_in_the_first_second() {
        let clock = SampleClock::new(0, 24_000_000, 1, 0.0, 1.0);
        assert_eq!(clock.samples_at(1_000_000_000), 24_000_012);
    }
}
