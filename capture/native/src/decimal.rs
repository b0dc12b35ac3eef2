//! Decimal text to integers, with every digit: times in text files.

/// What can be wrong with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is neither a number nor a date and time.
    NoNumber,
    /// It has more digits than the unit has.
    TooFine,
    /// It does not fit.
    TooLarge,
}

/// Powers of ten up to the largest that fits.
pub fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

/// A decimal number: `mantissa` / 10^`digits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    pub mantissa: i128,
    pub digits: i32,
}

/// Whether text is written as an ISO 8601 date and time.
pub fn is_date(text: &[u8]) -> bool {
    text.len() >= 19 && text[4] == b'-' && text[7] == b'-'
}

impl Decimal {
    /// Read "-12.340e-3", or an ISO 8601 date and time as seconds since 1970 (without an offset: UTC).
    pub fn parse(text: &[u8]) -> Result<Self, Fault> {
        if is_date(text) {
            return date(text);
        }
        let (negative, rest) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, text),
        };
        let mut small: u64 = 0;
        let mut wide: i128 = 0;
        let mut count = 0u32;
        let mut digits = 0i32;
        let mut point = false;
        let mut at = 0;
        while at < rest.len() {
            match rest[at] {
                digit @ b'0'..=b'9' => {
                    let digit = digit - b'0';
                    if count < 18 {
                        small = small * 10 + u64::from(digit);
                        wide = 0;
                    } else {
                        if count == 18 {
                            wide = i128::from(small);
                        }
                        wide = wide
                            .checked_mul(10)
                            .and_then(|wide| wide.checked_add(i128::from(digit)))
                            .ok_or(Fault::TooLarge)?;
                    }
                    count += 1;
                    digits += i32::from(point);
                }
                b'.' if !point => point = true,
                b'e' | b'E' => break,
                _ => return Err(Fault::NoNumber),
            }
            at += 1;
        }
        if count == 0 {
            return Err(Fault::NoNumber);
        }
        if at < rest.len() {
            let text = std::str::from_utf8(&rest[at + 1..]).map_err(|_| Fault::NoNumber)?;
            let exponent: i32 = text.parse().map_err(|_| Fault::NoNumber)?;
            if exponent.abs() > 40 {
                return Err(Fault::TooLarge);
            }
            digits -= exponent;
        }
        let size = if count <= 18 { i128::from(small) } else { wide };
        let mantissa = if negative { -size } else { size };
        Ok(Decimal { mantissa, digits })
    }

    /// The number times 10^`digits`; more digits than that are dropped (towards minus infinity), or a fault.
    pub fn scaled(self, digits: i32, drop: bool) -> Result<i128, Fault> {
        let shift = digits - self.digits;
        let factor = power(shift.unsigned_abs()).ok_or(Fault::TooLarge)?;
        if shift >= 0 {
            return self.mantissa.checked_mul(factor).ok_or(Fault::TooLarge);
        }
        if !drop && self.mantissa % factor != 0 {
            return Err(Fault::TooFine);
        }
        Ok(self.mantissa.div_euclid(factor))
    }
}

fn date(text: &[u8]) -> Result<Decimal, Fault> {
    let number = |from: usize, to: usize| -> Result<i64, Fault> {
        text[from..to].iter().try_fold(0i64, |sum, &byte| match byte {
            b'0'..=b'9' => Ok(sum * 10 + i64::from(byte - b'0')),
            _ => Err(Fault::NoNumber),
        })
    };
    let well_formed = matches!(text[10], b'T' | b't' | b' ') && text[13] == b':' && text[16] == b':';
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !well_formed || !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60
    {
        return Err(Fault::NoNumber);
    }
    let mut end = 19;
    let mut mantissa = 0i128;
    if text.get(end) == Some(&b'.') {
        end += 1;
        while text.get(end).map_or(false, u8::is_ascii_digit) {
            if end - 20 >= 18 {
                return Err(Fault::TooFine);
            }
            mantissa = mantissa * 10 + i128::from(text[end] - b'0');
            end += 1;
        }
    }
    let digits = end.saturating_sub(20) as i32;
    let offset_s = match &text[end..] {
        [] | [b'Z'] | [b'z'] => 0,
        [sign @ (b'+' | b'-'), rest @ ..] if rest.len() >= 4 => {
            let colon = usize::from(rest[2] == b':');
            if rest.len() != 4 + colon {
                return Err(Fault::NoNumber);
            }
            let size = number(end + 1, end + 3)? * 3600 + number(end + 3 + colon, end + 5 + colon)? * 60;
            if *sign == b'-' {
                -size
            } else {
                size
            }
        }
        _ => return Err(Fault::NoNumber),
    };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset_s;
    let integer = i128::from(seconds) * power(digits as u32).ok_or(Fault::TooFine)?;
    Ok(Decimal {
        mantissa: integer + mantissa,
        digits,
    })
}

/// Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that a leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// A scale from units of a file to samples: sample = round((value - base) * numerator / denominator).
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub base: i128,
    pub numerator: i128,
    pub denominator: i128,
}

impl Scale {
    /// The nearest sample, and whether the value is within one unit of the file of it.
    pub fn sample(&self, value: i128) -> Result<(i64, bool), Fault> {
        let value = value.checked_sub(self.base).ok_or(Fault::TooLarge)?;
        if self.numerator == self.denominator {
            return Ok((i64::try_from(value).map_err(|_| Fault::TooLarge)?, true));
        }
        let product = value.checked_mul(2 * self.numerator).ok_or(Fault::TooLarge)?;
        let sample = product
            .checked_add(self.denominator)
            .ok_or(Fault::TooLarge)?
            .div_euclid(2 * self.denominator);
        let off = (product - sample * 2 * self.denominator).abs();
        let exact = off <= 2 * self.numerator;
        Ok((i64::try_from(sample).map_err(|_| Fault::TooLarge)?, exact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(text: &str, digits: i32) -> Result<i128, Fault> {
        Decimal::parse(text.as_bytes())?.scaled(digits, false)
    }

    #[test]
    fn every_digit_counts() {
        assert_eq!(Ok(1_617_181_723_123_456_789), scaled("1617181723.123456789", 9));
        assert_eq!(Ok(-9_761_530_688_000_001), scaled("-9.761530688000001", 15));
        assert_eq!(Ok(123_400), scaled("1.234e-5", 10));
        assert_eq!(Ok(12_345_678_901_234_567_890), scaled("12345678901234567890", 0));
        assert_eq!(Err(Fault::TooFine), scaled("0.15", 1));
        assert_eq!(Ok(15), scaled("1.50", 1));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "1.2.3", "abc", "1e", "0x10", "1 2", "2024-01-01T00:00:0x"] {
            assert_eq!(Err(Fault::NoNumber), scaled(text, 3), "{text}");
        }
    }

    #[test]
    fn dates_are_seconds_since_1970() {
        assert_eq!(Ok(0), scaled("1970-01-01T00:00:00Z", 0));
        assert_eq!(Ok(951_782_400), scaled("2000-02-29T00:00:00Z", 0));
        assert_eq!(Ok(1_700_000_000_123), scaled("2023-11-14T23:13:20.123+01:00", 3));
        assert_eq!(Ok(1_700_000_000), scaled("2023-11-14 22:13:20", 0));
    }

    #[test]
    fn a_time_is_put_on_the_nearest_sample() {
        let scale = Scale {
            base: 0,
            numerator: 3,
            denominator: 1250,
        }; // 100 ps at 24 MHz

        assert_eq!(Ok((1, true)), scale.sample(417));
        assert_eq!(Ok((20, true)), scale.sample(8333));
        assert_eq!(Ok((-1, true)), scale.sample(-417));
        assert_eq!(Ok((1, false)), scale.sample(400));
    }
}
