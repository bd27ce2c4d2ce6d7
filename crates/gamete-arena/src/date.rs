use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// The date in Greenwich as game files write it, `2024.02.29`.
pub(crate) fn today() -> String {
    date(now())
}

/// The date so many seconds after the first of January 1970, written likewise.
pub fn date(seconds: u64) -> String {
    let mut days = seconds / SECONDS_A_DAY;
    let mut year = 1970;
    while days >= 365 + leap_day(year) {
        days -= 365 + leap_day(year);
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + leap_day(year), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}.{month:02}.{:02}", days + 1)
}

fn leap_day(year: u64) -> u64 {
    u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        assert_eq!(date(0), "1970.01.01");
        assert_eq!(date(364 * SECONDS_A_DAY), "1970.12.31");
        assert_eq!(date(11_016 * SECONDS_A_DAY), "2000.02.29");
        assert_eq!(date(11_017 * SECONDS_A_DAY), "2000.03.01");
        assert_eq!(date(19_782 * SECONDS_A_DAY), "2024.02.29");
        assert_eq!(date(47_540 * SECONDS_A_DAY), "2100.02.28");
        assert_eq!(date(47_541 * SECONDS_A_DAY), "2100.03.01");
    }
}
