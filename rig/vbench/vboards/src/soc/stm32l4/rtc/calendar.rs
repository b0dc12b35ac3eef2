//! The calendar of the RTC: BCD fields, 2000 to 2099 (every fourth year is a leap year).

/// A second of the calendar. The week day counts by itself, as in the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Days since the first of January 2000.
    day: u64,
    /// Seconds since midnight.
    second: u64,
    /// 1 (Monday) to 7 at `day` 0 of this count.
    week_day_0: u64,
}

impl Default for Moment {
    /// As reset: 1 January of year 0, a Monday (DR = 0x2101).
    fn default() -> Moment {
        Moment {
            day: 0,
            second: 0,
            week_day_0: 1,
        }
    }
}

const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn bcd(value: u64) -> u32 {
    ((value / 10) << 4 | (value % 10)) as u32
}

fn from_bcd(field: u32) -> u64 {
    u64::from((field >> 4) * 10 + (field & 15))
}

fn month_days(year: u64, month: usize) -> u64 {
    MONTHS[month] + u64::from(month == 1 && year % 4 == 0)
}

impl Moment {
    /// The moment that TR and DR name; fields out of range are brought into it.
    pub fn from_registers(tr: u32, dr: u32, twelve_hours: bool) -> Moment {
        let mut hour = from_bcd(tr >> 16 & 0x3F);
        if twelve_hours {
            hour = hour % 12 + if tr >> 22 & 1 == 1 { 12 } else { 0 };
        }
        let second = hour * 3600 + from_bcd(tr >> 8 & 0x7F) * 60 + from_bcd(tr & 0x7F);
        let year = from_bcd(dr >> 16 & 0xFF);
        let month = from_bcd(dr >> 8 & 0x1F).clamp(1, 12) as usize - 1;
        let of_year: u64 = (0..month).map(|month| month_days(year, month)).sum();
        let day = year * 365 + (year + 3) / 4 + of_year + from_bcd(dr & 0x3F).max(1) - 1;
        let week_day = u64::from(dr >> 13 & 7).max(1);
        Moment {
            day,
            second: second.min(86_399),
            week_day_0: (week_day + 6 + 7 - day % 7) % 7 + 1,
        }
    }

    pub fn plus(self, seconds: u64) -> Moment {
        let total = self.second + seconds;
        Moment {
            day: self.day + total / 86_400,
            second: total % 86_400,
            ..self
        }
    }

    pub fn to_midnight(self) -> u64 {
        86_400 - self.second
    }

    /// Seconds, at least 1, until the seconds field is that of an alarm.
    pub fn to_second(self, alarm: u32) -> u64 {
        if alarm >> 7 & 1 == 1 {
            return 1;
        }
        let wanted = from_bcd(alarm & 0x7F) % 60;
        match (wanted + 60 - self.second % 60) % 60 {
            0 => 60,
            seconds => seconds,
        }
    }

    fn week_day(self) -> u64 {
        (self.week_day_0 - 1 + self.day) % 7 + 1
    }

    /// Year of the century, month and day from 0.
    fn date(self) -> (u64, usize, u64) {
        let mut rest = self.day % 36_525;
        let mut year = 0;
        while rest >= 365 + u64::from(year % 4 == 0) {
            rest -= 365 + u64::from(year % 4 == 0);
            year += 1;
        }
        let mut month = 0;
        while rest >= month_days(year, month) {
            rest -= month_days(year, month);
            month += 1;
        }
        (year, month, rest)
    }

    pub fn tr(self, twelve_hours: bool) -> u32 {
        let (hour, minute, second) = (self.second / 3600, self.second / 60 % 60, self.second % 60);
        let hours = if twelve_hours {
            bcd((hour + 11) % 12 + 1) | u32::from(hour >= 12) << 6
        } else {
            bcd(hour)
        };
        hours << 16 | bcd(minute) << 8 | bcd(second)
    }

    pub fn dr(self) -> u32 {
        let (year, month, day) = self.date();
        bcd(year) << 16 | (self.week_day() as u32) << 13 | bcd(month as u64 + 1) << 8 | bcd(day + 1)
    }

    /// Whether an alarm's day or week day is this one (ALRMxR: MSK4 bit 31, WDSEL bit 30).
    pub fn on_day(self, alarm: u32) -> bool {
        if alarm >> 31 == 1 {
            return true;
        }
        if alarm >> 30 & 1 == 1 {
            return self.week_day() == u64::from(alarm >> 24 & 15);
        }
        self.date().2 + 1 == from_bcd(alarm >> 24 & 0x3F)
    }

    /// Whether the unmasked fields of an alarm's time are those of this second (MSK1, 2, 3 are bits 7, 15, 23). An alarm
    /// is in the format of the calendar; only 24 hours are compared here.
    pub fn at_time(self, alarm: u32) -> bool {
        let time = self.tr(false);
        [(7, 0x7F), (15, 0x7F00), (23, 0x3F_0000)]
            .iter()
            .all(|&(mask_bit, field)| alarm >> mask_bit & 1 == 1 || (alarm ^ time) & field == 0)
    }
}
